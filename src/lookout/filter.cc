#include "lookout/filter.h"

#include <algorithm>

#include "base/strings.h"
#include "lookout/label_selector.h"
#include "regex/regex.h"

namespace pintle::lookout {

struct CompiledFilter {
  std::vector<regex::RegexPtr> reasons;
  LabelSelector selector;
};

namespace {

constexpr int64_t kPatternMemory = 1 << 20;
constexpr size_t kMostPatterns = 50;

bool any_of(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool type_matches(std::string_view pattern, std::string_view type) {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool reason_fits(const Filter& f, const std::string& reason) {
  if (f.reasons.empty() && f.reason_patterns.empty()) return true;
  if (!f.reasons.empty() && any_of(f.reasons, reason)) return true;
  return f.compiled != nullptr &&
         std::any_of(f.compiled->reasons.begin(), f.compiled->reasons.end(),
                     [&](const auto& pattern) { return pattern->matches(reason); });
}

std::string_view first_part(std::string_view& path) {
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(part.size() + 1, path.size()));
  return part;
}

bool scope_fits(std::string_view scope, const Event& e, std::string_view region) {
  if (scope == "/") return true;
  if (first_part(scope) != region) return false;
  if (scope.empty()) return true;
  const std::string_view space = first_part(scope);
  if (space != e.release_namespace && space != e.subject.name_space) return false;
  return scope.empty() || scope == e.release;
}

Error wrong(std::string_view key, std::string_view why) {
  return Error(cat(key, ": ", why), Code::kInvalidArgument);
}

}  // namespace

Status compile(Filter& f) {
  auto out = std::make_shared<CompiledFilter>();
  if (f.reason_patterns.size() > kMostPatterns) {
    return wrong("reason_patterns", cat("want ", kMostPatterns, " at most"));
  }
  for (const std::string& pattern : f.reason_patterns) {
    auto read = regex::Regex::compile(pattern, kPatternMemory);
    if (!read) return wrong("reason_patterns", read.error().text());
    out->reasons.push_back(std::move(*read));
  }
  auto selector = read_selector(f.selector);
  if (!selector) return wrong("selector", selector.error().text());
  out->selector = std::move(*selector);
  for (const std::string& scope : f.scopes) {
    const bool fine = scope == "/" || (!scope.empty() && scope.front() != '/' && scope.back() != '/' &&
                                       scope.find("//") == scope.npos &&
                                       std::count(scope.begin(), scope.end(), '/') <= 2);
    if (!fine) return wrong("scopes", "want \"REGION/NAMESPACE/RELEASE\", a part of it, or \"/\"");
  }
  f.compiled = std::move(out);
  return ok();
}

bool scope_covers(std::string_view scope, std::string_view place) {
  return scope == "/" || scope == place ||
         (place.starts_with(scope) && place.size() > scope.size() && place[scope.size()] == '/');
}

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
  if (!any_of(filter.kinds, event.subject.kind) || !reason_fits(filter, event.reason) ||
      !any_of(filter.releases, event.release)) {
    return false;
  }
  if (!filter.scopes.empty() &&
      std::none_of(filter.scopes.begin(), filter.scopes.end(),
                   [&](const std::string& scope) { return scope_fits(scope, event, region); })) {
    return false;
  }
  if (!filter.selector.empty() &&
      (filter.compiled == nullptr || !selects(filter.compiled->selector, event.labels))) {
    return false;
  }
  return std::all_of(filter.labels.begin(), filter.labels.end(), [&](const auto& label) {
    const auto found = event.labels.find(label.first);
    return found != event.labels.end() && found->second == label.second;
  });
}

}  // namespace pintle::lookout
