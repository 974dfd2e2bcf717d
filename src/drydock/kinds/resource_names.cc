#include "drydock/kinds/resource_names.h"

#include <algorithm>
#include <span>

#include "cel/quantity.h"
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

using Names = std::span<const std::string_view>;
constexpr std::string_view kCompute[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kCounted[] = {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
                            "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
constexpr std::string_view kBounds[] = {"requests.cpu", "requests.memory", "requests.ephemeral-storage", "requests.storage",
                           "limits.cpu", "limits.memory", "limits.ephemeral-storage"};

bool in(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }
bool huge_pages(std::string_view name) { return name.starts_with("hugepages-"); }
bool quota_name(std::string_view name) {
  return in(kCompute, name) || in(kCounted, name) || in(kBounds, name) || huge_pages(name) ||
         name.starts_with("requests.hugepages-");
}
bool prefixed(std::string_view name) { return name.find('/') != name.npos; }
bool native(std::string_view name) { return !prefixed(name) || name.find("kubernetes.io/") != name.npos; }
bool extended(std::string_view name) {
  return !native(name) && !name.starts_with("requests.") && is_label_key(cat("requests.", name)).empty();
}

// What it asks for in whole pages of the size in its name.
bool whole_pages(std::string_view name, const cel::Quantity& q) {
  const auto page = cel::parse_quantity(name.substr(std::string_view("hugepages-").size()));
  return !page || page->nano <= 0 || (q.nano > 0 && q.nano % page->nano == 0);
}

}  // namespace

bool overcommit_allowed(std::string_view name) { return native(name) && !huge_pages(name); }

void validate_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  const auto bad = is_label_key(name);
  complain(causes, path, name, bad);
  if (bad.empty() && !prefixed(name) && !quota_name(name) && name != "storage") {
    invalid_value(causes, path, name, "must be a standard resource type or fully qualified");
  }
}

void validate_container_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  validate_resource_name(name, path, causes);
  if (!prefixed(name)) {
    if (in(kCompute, name) || huge_pages(name)) return;
    invalid_value(causes, path, name, "must be a standard resource for containers");
  } else if (!native(name) && !extended(name)) {
    invalid_value(causes, path, name, "doesn't follow extended resource name standard");
  }
}

void validate_quota_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  validate_resource_name(name, path, causes);
  if (!prefixed(name) && !quota_name(name)) {
    invalid_value(causes, path, name, "must be a standard resource for quota");
  }
}

void validate_quantity(std::string_view name, const Value& quantity, const std::string& path, std::vector<Cause>& causes) {
  const auto q = cel::parse_quantity(as_text(quantity));
  if (!q) return;
  if (q->nano < 0) invalid_value(causes, path, quantity, "must be greater than or equal to 0");
  if ((in(kCounted, name) || extended(name)) && q->nano % 1'000'000'000 != 0) {
    invalid_value(causes, path, quantity, "must be an integer");
  }
}

void validate_positive_quantity(const Value& quantity, const std::string& path, std::vector<Cause>& causes) {
  const auto q = cel::parse_quantity(as_text(quantity));
  if (q && q->nano <= 0) invalid_value(causes, path, quantity, "must be greater than zero");
}

bool is_quota_scope(std::string_view scope) {
  constexpr std::string_view kScopes[] = {"Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
                                          "PriorityClass", "VolumeAttributesClass", "CrossNamespacePodAffinity"};
  return in(kScopes, scope);
}

bool scope_fits(std::string_view scope, std::string_view resource) {
  if (!quota_name(resource) || !is_quota_scope(scope)) return true;
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") return resource == "persistentvolumeclaims" || resource == "requests.storage";
  constexpr std::string_view kOfPods[] = {"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu",
                                          "requests.memory"};
  return in(kOfPods, resource);
}

void validate_resources(const Value* resources, const PodParts& pod, const std::string& path) {
  if (!resources) return;
  auto& causes = pod.causes;
  bool compute = false, pages = false;
  for (std::string_view part : {"limits", "requests"}) {
    for (const auto& e : entries(*resources, part)) {
      const std::string here = keyed(child(path, part), e.key);
      const std::string_view name = e.key, shown = as_text(e.value);
      validate_container_resource_name(name, here, causes);
      validate_quantity(name, e.value, here, causes);
      const auto q = cel::parse_quantity(shown);
      const Value* limit = part == "requests" ? at(*resources, "limits", name) : nullptr;
      const auto most = cel::parse_quantity(limit ? as_text(*limit) : "");
      if (q && most && q->nano != most->nano && !overcommit_allowed(name)) {
        invalid_value(causes, path + ".requests", e.value, cat("must be equal to ", name, " limit of ", as_text(*limit)));
      } else if (q && most && q->nano > most->nano) {
        invalid_value(causes, path + ".requests", e.value,
                      cat("must be less than or equal to ", name, " limit of ", as_text(*limit)));
      } else if (part == "requests" && !limit && !overcommit_allowed(name)) {
        required(causes, path + ".limits", "Limit must be set for non overcommitable resources");
      }
      if (q && huge_pages(name) && !whole_pages(name, *q)) {
        invalid_value(causes, here, e.value, cat(shown, " is not positive integer multiple of ", name));
      }
      pages = pages || huge_pages(name);
      compute = compute || name == "cpu" || name == "memory";
    }
  }
  if (pages && !compute) forbidden_field(causes, path, "HugePages require cpu or memory");
  auto claims = items(pod.spec, "resourceClaims");
  size_t i = 0;
  for (const Value& claim : items(*resources, "claims")) {
    const std::string here = element(path + ".claims", i++);
    const std::string_view name = text(claim, "name");
    if (name.empty()) {
      required(causes, here);
    } else if (std::none_of(claims.begin(), claims.end(), [&](const Value& c) { return text(c, "name") == name; })) {
      causes.push_back({"FieldValueNotFound",
                        cat("Not found: \"", name, "\": must be one of the names in pod.spec.resourceClaims",
                            claims.empty() ? " which is empty" : ""),
                        here});
    }
  }
}

}  // namespace pintle::drydock
