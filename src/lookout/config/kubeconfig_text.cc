#include "lookout/config/kubeconfig_text.h"

#include "base/strings.h"
#include "sys/memory_disk.h"

namespace pintle::lookout {
namespace {

class NoVariables : public sys::Environ {
 public:
  std::optional<std::string> find(const std::string&) const override { return std::nullopt; }
  std::vector<std::pair<std::string, std::string>> all() const override { return {}; }
};

Error bad(std::string_view why) { return Error(cat("kubeconfig: ", why), Code::kInvalidArgument); }

}  // namespace

Result<kube::ClientConfig> client_config_of_text(std::string_view text,
                                                 const std::string& context) {
  // A disk with this one file: what it names beside itself is not there.
  sys::MemoryDisk disk;
  kube::ConfigFlags flags;
  flags.kubeconfig = "/kubeconfig";
  flags.context = context;
  TRY(disk.write_file(flags.kubeconfig, text, 0600));
  const NoVariables none;
  const auto whole = kube::load_kubeconfig(flags, disk, none);
  if (!whole) return bad(whole.error().text());
  if (context.empty() && whole->current.empty()) return bad("it has no current-context");
  auto out = kube::client_config(flags, disk, none);
  if (!out) return bad(out.error().text());
  if (out->exec) return bad("a user with an exec plugin is taken from a file only");
  if (!out->token_file.empty()) return bad("a tokenFile is taken from a file only");
  return out;
}

}  // namespace pintle::lookout
