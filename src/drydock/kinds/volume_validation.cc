// Volumes of pods. Sources that Kubernetes itself no longer serves are taken as they are.
#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "cel/quantity.h"
#include "drydock/kinds/claims.h"
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

// In the order in which a second one is refused.
constexpr std::string_view kSources[] = {
    "emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi",
    "glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc",
    "flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk",
    "storageos", "projected", "scaleIO", "csi", "ephemeral", "image"};

void file_mode(const Value& holder, std::string_view key, const std::string& path, std::vector<Cause>& causes) {
  const Value* mode = at(holder, key);
  if (!mode || (as_number(mode, 0) >= 0 && as_number(mode, 0) <= 0777)) return;
  invalid_value(causes, child(path, key), *mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

// Not reserved either: "..data" is how the kubelet swaps contents.
void file_path(std::string_view file, const std::string& path, std::vector<Cause>& causes) {
  descending_path(causes, path, file);
  if (file.starts_with("..") && !file.starts_with("../")) {
    invalid_value(causes, path, file, "must not start with '..'");
  }
}

void key_to_path(const Value& item, const std::string& path, std::vector<Cause>& causes) {
  if (text(item, "key").empty()) required(causes, path + ".key");
  if (text(item, "path").empty()) required(causes, path + ".path");
  file_path(text(item, "path"), path + ".path", causes);
  file_mode(item, "mode", path, causes);
}

void keys_of(const Value& source, std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  if (text(source, name).empty()) required(causes, child(path, name));
  file_mode(source, "defaultMode", path, causes);
  size_t i = 0;
  for (const Value& item : items(source, "items")) key_to_path(item, element(path + ".items", i++), causes);
}

void downward_file(const Value& file, const std::string& path, std::vector<Cause>& causes) {
  if (text(file, "path").empty()) required(causes, path + ".path");
  file_path(text(file, "path"), path + ".path", causes);
  const Value *field = at(file, "fieldRef"), *resource = at(file, "resourceFieldRef");
  if (field) validate_field_ref(*field, RefOf::kVolume, path + ".fieldRef", causes);
  if (field && resource) {
    invalid_value(causes, path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (resource) {
    validate_resource_ref(*resource, RefOf::kVolume, path + ".resourceFieldRef", causes);
  } else if (!field) {
    required(causes, path, "one of fieldRef and resourceFieldRef is required");
  }
  file_mode(file, "mode", path, causes);
}

struct Projection {
  const std::string& path;  // of the projected volume
  std::vector<Cause>& causes;
  std::set<std::string_view> files{};
  void once(std::string_view file, std::string_view shown) {
    if (file.empty() || files.insert(file).second) return;
    invalid_value(causes, path, shown, "conflicting duplicate paths");
  }
};

void account_token(const Value& token, const std::string& here, Projection& to) {
  const int64_t seconds = number(token, "expirationSeconds");
  if (seconds < 600) {
    invalid_value(to.causes, here + ".expirationSeconds", make(seconds), "may not specify a duration less than 10 minutes");
  }
  if (seconds > int64_t{1} << 32) {
    invalid_value(to.causes, here + ".expirationSeconds", make(seconds), "may not specify a duration larger than 2^32 seconds");
  }
  if (text(token, "path").empty()) required(to.causes, to.path + ".path");
  else file_path(text(token, "path"), to.path + ".path", to.causes);
}

void projected(const Value& volume, const std::string& path, std::vector<Cause>& causes) {
  file_mode(volume, "defaultMode", path, causes);
  Projection to{path, causes};
  size_t n = 0;
  for (const Value& source : items(volume, "sources")) {
    const std::string here = element(path + ".sources", n++);
    size_t kinds = 0;
    for (std::string_view kind : {"secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle"}) {
      const Value* part = at(source, kind);
      if (!part) continue;
      ++kinds;
      const std::string at_part = child(here, kind);
      if (kind == "downwardAPI") {
        for (const Value& file : items(*part, "items")) {
          downward_file(file, at_part, causes);
          to.once(text(file, "path"), text(file, "path"));
        }
      } else if (kind == "serviceAccountToken") {
        account_token(*part, at_part, to);
      } else if (kind == "secret" || kind == "configMap") {
        keys_of(*part, "name", at_part, causes);
        for (const Value& item : items(*part, "items")) to.once(text(item, "path"), text(*part, "name"));
      }
    }
    if (kinds > 1) forbidden_field(causes, here, "may not specify more than 1 volume type per source");
  }
}

void ephemeral(const Value& volume, const std::string& path, std::vector<Cause>& causes) {
  const Value* claim = at(volume, "volumeClaimTemplate");
  if (!claim) return required(causes, path + ".volumeClaimTemplate");
  static thread_local const Value nothing = empty_map();
  const Value* spec = at(*claim, "spec");
  validate_claim_spec(spec ? *spec : nothing, path + ".volumeClaimTemplate.spec", causes);
}

void pod_source(std::string_view kind, const Value& source, const std::string& path, std::vector<Cause>& causes) {
  if (kind == "secret") return keys_of(source, "secretName", path, causes);
  if (kind == "configMap") return keys_of(source, "name", path, causes);
  if (kind == "projected") return projected(source, path, causes);
  if (kind == "ephemeral") return ephemeral(source, path, causes);
  if (kind == "emptyDir") {
    const auto limit = cel::parse_quantity(text(source, "sizeLimit"));
    if (!limit || limit->nano >= 0) return;
    return forbidden_field(causes, path + ".sizeLimit", "SizeLimit field must be a valid resource quantity");
  }
  if (kind == "downwardAPI") {
    file_mode(source, "defaultMode", path, causes);
    for (const Value& file : items(source, "items")) downward_file(file, path, causes);
    return;
  }
  if (kind == "persistentVolumeClaim") {
    if (text(source, "claimName").empty()) required(causes, path + ".claimName");
    return;
  }
  if (kind == "image") {
    return one_of_or_required(causes, path + ".pullPolicy", text(source, "pullPolicy"), {"Always", "IfNotPresent", "Never"});
  }
  validate_volume_source(kind, source, path, causes);
}

}  // namespace

void validate_volume_source(std::string_view kind, const Value& source, const std::string& path,
                            std::vector<Cause>& causes) {
  auto needs = [&](std::initializer_list<std::string_view> keys) {
    for (std::string_view key : keys) {
      if (text(source, key).empty()) required(causes, child(path, key));
    }
  };
  if (kind == "hostPath") {
    needs({"path"});
    if (text(source, "path").empty()) return;
    no_backsteps(causes, path + ".path", text(source, "path"));
    if (has(source, "type")) {
      one_of(causes, path + ".type", text(source, "type"),
             {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
    }
  } else if (kind == "nfs") {
    needs({"server", "path"});
    if (!text(source, "path").starts_with('/')) {
      invalid_value(causes, path + ".path", text(source, "path"), "must be an absolute path");
    }
  } else if (kind == "csi") {
    const std::string_view driver = text(source, "driver");
    if (driver.empty()) return required(causes, path + ".driver");
    if (driver.size() > 63) too_long(causes, path + ".driver", 63);
    complain(causes, path + ".driver", driver, is_dns1123_subdomain(to_lower(driver)));
  } else if (kind == "iscsi") {
    needs({"targetPortal", "iqn"});
    const std::string_view name = text(source, "iqn");
    if (!name.empty() && !name.starts_with("iqn") && !name.starts_with("eui") && !name.starts_with("naa")) {
      invalid_value(causes, path + ".iqn", name, "must be valid format starting with iqn, eui, or naa");
    }
    if (const int64_t lun = number(source, "lun"); lun < 0 || lun > 255) {
      invalid_value(causes, path + ".lun", make(lun), "must be between 0 and 255, inclusive");
    }
  }
}

void validate_volumes(PodParts& pod, const std::string& path) {
  size_t n = 0;
  for (const Value& v : items(pod.spec, "volumes")) {
    const std::string here = element(path, n++);
    const std::string_view name = text(v, "name");
    const size_t before = pod.causes.size();
    bool found = false;
    for (std::string_view kind : kSources) {
      const Value* source = at(v, kind);
      if (!source) continue;
      if (found) forbidden_field(pod.causes, child(here, kind), "may not specify more than 1 volume type");
      else pod_source(kind, *source, child(here, kind), pod.causes);
      found = true;
    }
    if (!found) required(pod.causes, here, "must specify a volume type");
    name_with(name, here + ".name", pod.causes);
    if (pod.volumes.contains(name)) duplicate(pod.causes, here + ".name", make(name));
    if (pod.causes.size() == before) pod.volumes.emplace(name, &v);
  }
}

}  // namespace pintle::drydock
