#include "lookout/filter.h"

#include <algorithm>
#include <string_view>

namespace pintle::lookout {
namespace {

bool any_of(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool type_matches(std::string_view pattern, std::string_view type) {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

bool matches(const Filter& filter, const Event& event, const std::string& region,
             const std::string& environment) {
  if (event.severity < filter.min_severity) return false;
  if (!filter.types.empty() &&
      std::none_of(filter.types.begin(), filter.types.end(),
                   [&](const std::string& t) { return type_matches(t, event.type); })) {
    return false;
  }
  if (!any_of(filter.regions, region) || !any_of(filter.environments, environment)) return false;
  const std::string& space =
      event.release_namespace.empty() ? event.subject.name_space : event.release_namespace;
  if (!filter.namespaces.empty() && !any_of(filter.namespaces, event.subject.name_space) &&
      !any_of(filter.namespaces, space)) {
    return false;
  }
  if (!any_of(filter.kinds, event.subject.kind) || !any_of(filter.reasons, event.reason) ||
      !any_of(filter.releases, event.release)) {
    return false;
  }
  return std::all_of(filter.labels.begin(), filter.labels.end(), [&](const auto& label) {
    const auto found = event.labels.find(label.first);
    return found != event.labels.end() && found->second == label.second;
  });
}

}  // namespace pintle::lookout
