// Filter: which events a subscription wants. Empty lists and texts match everything. Patterns and
// the selector are read once, by compile(); matching is comparing then, so it can be done for every
// event of every transaction.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"

namespace pintle::lookout {

struct CompiledFilter;

struct Filter {
  std::vector<std::string> types;       // "release.deployed"; "release.*" for all below
  std::vector<std::string> regions, environments, namespaces, kinds, releases;
  std::vector<std::string> reasons, reason_patterns;  // one of either; RE2, found anywhere
  Severity min_severity = Severity::kInfo;
  std::map<std::string, std::string> labels;  // all must be equal
  std::string selector;  // Kubernetes' of labels: "team in (a, b), tier != web, !canary"
  // Places in the tree REGION/NAMESPACE/RELEASE, each with all below it: "eu-1", "eu-1/shop",
  // "eu-1/shop/web"; "/" is everywhere. One must fit.
  std::vector<std::string> scopes;

  // shared_ptr: filters are copied, what they mean is not.
  std::shared_ptr<const CompiledFilter> compiled = {};
};

// Errors name the key: a pattern RE2 cannot read, a selector, a scope.
Status compile(Filter& filter);

// One that was not compiled, and holds a pattern or a selector, matches nothing.
bool matches(const Filter& filter, const Event& event, const std::string& region,
             const std::string& environment);

// Whether what happens at `place` (as a scope) concerns a subscription of this scope.
bool scope_covers(std::string_view scope, std::string_view place);

}  // namespace pintle::lookout
