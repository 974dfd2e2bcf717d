// Who a pod's processes are and what they may: security contexts of pods and of containers.
#include <set>

#include "base/gotext.h"
#include "drydock/go_struct.h"
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void id_in_range(const Value* id, const std::string& path, std::vector<Cause>& causes) {
  if (!id || (as_number(id, 0) >= 0 && as_number(id, 0) <= INT32_MAX)) return;
  invalid_value(causes, path, *id, cat("must be between 0 and ", INT32_MAX, ", inclusive"));
}

void seccomp(const Value* profile, const std::string& path, std::vector<Cause>& causes) {
  if (!profile) return;
  const std::string_view type = text(*profile, "type");
  const std::string at_file = path + ".localhostProfile";
  if (type.empty()) required(causes, path + ".type", "type is required when seccompProfile is set");
  else one_of(causes, path + ".type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  const Value* file = at(*profile, "localhostProfile");
  if (type != "Localhost") {
    if (!file) return;
    return invalid_text(causes, at_file, go_struct(profile, "Type=\"\",LocalhostProfile"),
                        "can only be set when seccomp type is Localhost");
  }
  if (!file) required(causes, at_file, "must be set when seccomp type is Localhost");
  else descending_path(causes, at_file, as_text(*file));
}

void app_armor(const Value* profile, const std::string& path, std::vector<Cause>& causes) {
  if (!profile) return;
  const std::string_view type = text(*profile, "type");
  const std::string at_file = path + ".localhostProfile";
  const Value* file = at(*profile, "localhostProfile");
  if (type == "Localhost") {
    const std::string_view name = file ? as_text(*file) : std::string_view();
    if (name != trim_space(name)) invalid_value(causes, at_file, name, "must not be padded with whitespace");
    else if (name.empty()) required(causes, at_file, "must be set when AppArmor type is Localhost");
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (file) invalid_value(causes, at_file, *file, "can only be set when AppArmor type is Localhost");
  } else if (type.empty()) {
    required(causes, path + ".type", "type is required when appArmorProfile is set");
  } else {
    not_supported(causes, path + ".type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void windows(const Value* options, const std::string& path, std::vector<Cause>& causes) {
  if (!options) return;
  if (const Value* name = at(*options, "gmsaCredentialSpecName")) {
    complain(causes, path + ".gmsaCredentialSpecName", as_text(*name), is_dns1123_subdomain(as_text(*name)));
  }
  for (std::string_view key : {"gmsaCredentialSpec", "runAsUserName"}) {
    const Value* v = at(*options, key);
    if (v && as_text(*v).empty()) invalid_value(causes, child(path, key), "", cat(key, " cannot be an empty string"));
  }
}

constexpr std::string_view kContext =
    "Capabilities{Add,Drop},Privileged,SELinuxOptions{User=\"\",Role=\"\",Type=\"\",Level=\"\"},"
    "WindowsOptions{GMSACredentialSpecName,GMSACredentialSpec,RunAsUserName,HostProcess},RunAsUser,RunAsGroup,"
    "RunAsNonRoot,ReadOnlyRootFilesystem,AllowPrivilegeEscalation,ProcMount,SeccompProfile{Type=\"\",LocalhostProfile},"
    "AppArmorProfile{Type=\"\",LocalhostProfile}";

}  // namespace

void validate_container_security(const Value* context, const PodParts& pod, const std::string& path) {
  if (!context) return;
  auto& causes = pod.causes;
  for (std::string_view id : {"runAsUser", "runAsGroup"}) id_in_range(at(*context, id), child(path, id), causes);
  if (const std::string_view mount = text(*context, "procMount"); has(*context, "procMount")) {
    if (mount.empty()) required(causes, path + ".procMount", "must specify procMount type");
    else one_of(causes, path + ".procMount", mount, {"Default", "Unmasked"});
    const Value* users = at(pod.spec, "hostUsers");
    if (mount == "Unmasked" && (!users || users->as_bool())) {
      invalid_value(causes, path + ".procMount", mount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  seccomp(at(*context, "seccompProfile"), path + ".seccompProfile", causes);
  if (has(*context, "allowPrivilegeEscalation") && !flag(*context, "allowPrivilegeEscalation")) {
    constexpr std::string_view kClash = "cannot set `allowPrivilegeEscalation` to false and ";
    const std::string shown = go_struct(context, kContext);
    if (flag(*context, "privileged")) invalid_text(causes, path, shown, cat(kClash, "`privileged` to true"));
    for (const Value& capability : items(*context, "capabilities", "add")) {
      if (as_text(capability) != "CAP_SYS_ADMIN") continue;
      invalid_text(causes, path, shown, cat(kClash, "`capabilities.Add` CAP_SYS_ADMIN"));
    }
  }
  windows(at(*context, "windowsOptions"), path + ".windowsOptions", causes);
  app_armor(at(*context, "appArmorProfile"), path + ".appArmorProfile", causes);
}

void validate_pod_security(const Value* context, const std::string& path, std::vector<Cause>& causes) {
  if (!context) return;
  for (std::string_view id : {"fsGroup", "runAsUser", "runAsGroup"}) {
    id_in_range(at(*context, id), child(path, id), causes);
  }
  size_t n = 0;
  for (const Value& group : items(*context, "supplementalGroups")) {
    id_in_range(&group, element(path + ".supplementalGroups", n++), causes);
  }
  std::set<std::string_view> names;
  n = 0;
  for (const Value& sysctl : items(*context, "sysctls")) {
    const std::string here = element(path + ".sysctls", n++) + ".name";
    const std::string_view name = text(sysctl, "name");
    const auto bad = is_sysctl(name);
    if (name.empty()) required(causes, here);
    else if (!bad.empty()) complain(causes, here, name, bad);
    else if (names.contains(name)) duplicate(causes, here, make(name));
    names.insert(name);
  }
  if (has(*context, "fsGroupChangePolicy")) {
    one_of(causes, path + ".fsGroupChangePolicy", text(*context, "fsGroupChangePolicy"), {"Always", "OnRootMismatch"});
  }
  seccomp(at(*context, "seccompProfile"), path + ".seccompProfile", causes);
  windows(at(*context, "windowsOptions"), path + ".windowsOptions", causes);
  app_armor(at(*context, "appArmorProfile"), path + ".appArmorProfile", causes);
  if (has(*context, "supplementalGroupsPolicy")) {
    one_of(causes, path + ".supplementalGroupsPolicy", text(*context, "supplementalGroupsPolicy"), {"Merge", "Strict"});
  }
  if (has(*context, "seLinuxChangePolicy")) {
    one_of_or_required(causes, path + ".seLinuxChangePolicy", text(*context, "seLinuxChangePolicy"),
                       {"MountOption", "Recursive"});
  }
}

}  // namespace pintle::drydock
