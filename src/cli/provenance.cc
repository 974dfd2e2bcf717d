#include "cli/provenance.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/load.h"
#include "crypt/crypt.h"
#include "crypt/pgp.h"
#include "sys/tty.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kParts = "\n...\n";  // between the metadata and the checksums

std::string digest(std::string_view archive) {
  return "sha256:" + crypt::hex(crypt::sha256(archive));
}

Result<crypt::Keyring> load_keyring(Session& s, const std::string& path) {
  const std::string data = TRY(s.env.disk.read_file(path, 256u << 20));
  return crypt::Keyring::parse(data, path);
}

// The checksum the signed text gives for a file.
Result<std::string> recorded_digest(std::string_view text, const std::string& file) {
  const auto parts = split(text, kParts);
  if (parts.size() < 2) return Error("message block must have at least two parts");
  const value::Value sums = TRY(yaml::read(parts[1]));
  const value::Value* files = sums.get("files");
  const value::Value* sum = files ? files->get(file) : nullptr;
  if (!sum || !sum->is_string()) {
    return Error(cat("provenance does not contain a SHA for a file named ", quote(file)));
  }
  return std::string(sum->as_string());
}

Result<std::string> ask(Session& s, const std::string& user_id) {
  s.print(cat("Password for key ", quote(user_id), " >  "));
  s.env.out.flush();
  auto secret = sys::read_secret(0);
  s.print("\n");
  return secret;
}

// The first line of the file, or of standard input for "-".
Result<std::string> read_passphrase(Session& s, const std::string& file) {
  std::string text;
  if (file == "-") {
    if (!s.env.in_is_pipe) {
      return Error("specified reading passphrase from stdin, without input on stdin");
    }
    text = TRY(s.env.read_stdin());
  } else {
    text = TRY(s.env.disk.read_file(file, 1u << 20));
  }
  if (text.empty()) return Error("EOF");
  return std::string(without_suffix(std::string_view(text).substr(0, text.find('\n')), "\r"));
}

Result<std::string> signed_text(Session& s, const std::string& archive, std::string_view data) {
  auto chart = chart::load(s.env.disk, archive, {.log = s.log});
  if (!chart) return Error::wrap("failed to load chart for signing", chart.error());
  const std::string metadata = TRY(chart::metadata_yaml((*chart)->metadata));
  const auto files = value::make_map();
  files->set(value::Str(path::base(archive)), value::str(digest(data)));
  const auto sums = value::make_map();
  sums->set("files", value::Value::map(files));
  return cat(metadata, kParts, TRY(yaml::write(value::Value::map(sums))));
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
  auto keys = load_keyring(s, keyring);
  if (!keys) return Error::wrap("failed to load keyring", keys.error());
  const std::string data = TRY(s.env.disk.read_file(path));
  const std::string text = TRY(s.env.disk.read_file(provenance, 64u << 20));

  const auto message = crypt::decode_clear_signed(text);
  if (!message) return Error("signature block not found");
  const crypt::PgpKey signer = TRY(keys->verify(*message));
  const std::string file(path::base(path));
  const std::string recorded = TRY(recorded_digest(message->text, file));
  const std::string actual = digest(data);
  if (recorded != actual) {
    return Error(
        cat("sha256 sum does not match for ", file, ": ", quote(recorded), " != ", quote(actual)));
  }
  std::string out;
  for (const std::string& id : signer.user_ids) append(out, {"Signed by: ", id, "\n"});
  append(out, {"Using Key With Fingerprint: ", signer.fingerprint,
               "\nChart Hash Verified: ", actual, "\n"});
  return out;
}

std::function<Status(const std::string& archive)> chart_signer(Session& s, std::string key,
                                                               std::string keyring,
                                                               std::string passphrase_file) {
  return [&s, key = std::move(key), keyring = std::move(keyring), file = std::move(passphrase_file),
          cached = std::optional<std::string>()](const std::string& archive) mutable -> Status {
    const crypt::Keyring keys = TRY(load_keyring(s, keyring));
    const crypt::PgpKey* chosen = TRY(keys.find(key));
    if (!file.empty() && !cached) cached = TRY(read_passphrase(s, file));
    const auto passphrase = [&](const std::string& user_id) -> Result<std::string> {
      if (cached) return *cached;
      return ask(s, user_id);
    };
    const std::string data = TRY(s.env.disk.read_file(archive));
    const std::string text = TRY(signed_text(s, archive, data));
    return s.env.disk.write_file(archive + ".prov", TRY(keys.clear_sign(chosen, text, passphrase)),
                                 0644);
  };
}

}  // namespace pintle::cli
