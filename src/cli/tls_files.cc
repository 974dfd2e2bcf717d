#include "cli/tls_files.h"

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::cli {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

Error no_pem(std::string_view what) {
  return Error(cat("tls: failed to find any PEM data in ", what, " input"));
}

bool has_pem(std::string_view text) { return text.find("-----BEGIN ") != text.npos; }
bool has_certificate(std::string_view text) {
  return text.find("-----BEGIN CERTIFICATE-----") != text.npos;
}

Status helm3(sys::Disk& disk, const TlsFiles& f) {
  if (!f.certificate.empty() && !f.key.empty()) {
    const auto pair = [&]() -> Status {
      const std::string certificate = TRY(disk.read_file(f.certificate, kMaxBytes));
      const std::string key = TRY(disk.read_file(f.key, kMaxBytes));
      if (!has_pem(certificate)) return no_pem("certificate");
      if (!has_pem(key)) return no_pem("key");
      return ok();
    }();
    if (!pair) {
      return Error::wrap(cat("can't load key pair from cert ", f.certificate, " and key ", f.key),
                         pair.error());
    }
  }
  if (f.ca.empty()) return ok();
  const auto ca = disk.read_file(f.ca, kMaxBytes);
  if (!ca) return Error(cat("can't read CA file: ", f.ca));
  if (!has_certificate(*ca)) {
    return Error(cat("failed to append certificates from file: ", f.ca));
  }
  return ok();
}

Status helm4(sys::Disk& disk, const TlsFiles& f) {
  Strings unread;
  const auto read = [&](std::string_view prefix, const std::string& path) {
    auto text = disk.read_file(path, kMaxBytes);
    if (!text) unread.push_back(cat(prefix, quote(path), ": ", text.error().text()));
    return text;
  };
  std::string certificate, key, ca;
  if (!f.certificate.empty() || !f.key.empty()) {
    auto text = read("unable to read cert file: ", f.certificate);
    if (text) {
      certificate = std::move(*text);
      if (auto other = read("unable to read key file: ", f.key)) key = std::move(*other);
    }
  }
  if (!f.ca.empty()) {
    if (auto text = read("can't read CA file: ", f.ca)) ca = std::move(*text);
  }
  if (!unread.empty()) return Error(join(unread, "\n"));
  const auto bad_pair = [](std::string_view what) {
    return Error::wrap("unable to load cert from key pair", no_pem(what));
  };
  if (!certificate.empty() && !key.empty()) {
    if (!has_pem(certificate)) return bad_pair("certificate");
    if (!has_pem(key)) return bad_pair("key");
  }
  if (!ca.empty() && !has_certificate(ca)) {
    return Error("failed to append certificates from pem block");
  }
  return ok();
}

}  // namespace

Status check_tls_files(const Session& s, const TlsFiles& f) {
  const bool pair = !f.certificate.empty() && !f.key.empty();
  if (!pair && f.ca.empty() && !f.insecure) return ok();
  const Status read = s.helm3() ? helm3(s.env.disk, f) : helm4(s.env.disk, f);
  if (read) return ok();
  return Error::wrap("missing registry client: can't create TLS config for client", read.error());
}

}  // namespace pintle::cli
