#include "cli/provenance.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"

namespace pintle::cli {
namespace {

// Reading and making OpenPGP signatures needs a library this build does not carry.
Error needs_openpgp(std::string_view what) {
  return Error(Code::kUnimplemented,
               cat(what, " needs OpenPGP, which this build of pintle does not have yet"));
}

}  // namespace

Result<std::string> verify_chart(Session& s, const std::string& path, const std::string& keyring) {
  const sys::FileInfo info = TRY(s.env.disk.stat(path));
  if (info.is_directory()) return Error("unpacked charts cannot be verified");
  if (to_lower(path::ext(path)) != ".tgz") return Error("chart must be a tgz file");
  const std::string provenance = path + ".prov";
  if (const auto found = s.env.disk.stat(provenance); !found) {
    return Error::wrap(cat("could not load provenance file ", provenance), found.error());
  }
  if (const auto keys = s.env.disk.read_file(keyring); !keys) {
    return Error::wrap("failed to load keyring", keys.error());
  }
  return needs_openpgp("verifying a chart");
}

std::function<Status(const std::string& archive)> chart_signer(Session&, std::string, std::string,
                                                               std::string) {
  return [](const std::string&) -> Status { return needs_openpgp("signing a chart"); };
}

}  // namespace pintle::cli
