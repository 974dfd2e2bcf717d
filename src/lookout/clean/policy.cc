#include "lookout/clean/policy.h"

#include <algorithm>

namespace pintle::lookout {
namespace {

bool fits(std::string_view pattern, std::string_view type) {
  if (pattern == "*") return true;
  if (pattern.ends_with(".*")) return type.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == type;
}

size_t conditions(const CleaningPolicy& p) {
  return size_t{!p.kinds.empty()} + size_t{!p.reasons.empty()} + size_t{!p.namespaces.empty()};
}

// A longer pattern says more; one without '*' says all.
std::pair<size_t, size_t> particular(const CleaningPolicy& p) {
  return {p.type.ends_with('*') ? p.type.size() : SIZE_MAX, conditions(p)};
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return list.empty() || std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

bool is_table(std::string_view type) {
  return std::find(std::begin(kTables), std::end(kTables), type) != std::end(kTables);
}

Policies policies_of(std::string_view type, const std::vector<CleaningPolicy>& all) {
  Policies out;
  for (const CleaningPolicy& p : all) {
    if (fits(p.type, type)) out.push_back(&p);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* a, const auto* b) { return particular(*a) > particular(*b); });
  const auto whole =
      std::find_if(out.begin(), out.end(), [](const auto* p) { return conditions(*p) == 0; });
  if (whole != out.end()) out.erase(whole + 1, out.end());
  return out;
}

bool takes(const CleaningPolicy& p, std::string_view kind, std::string_view reason,
           std::string_view name_space) {
  return has(p.kinds, kind) && has(p.reasons, reason) && has(p.namespaces, name_space);
}

const CleaningPolicy* policy_of_table(std::string_view table,
                                      const std::vector<CleaningPolicy>& all) {
  static const CleaningPolicy kAudit = [] {
    CleaningPolicy p;
    p.name = p.type = "audit";
    p.keep_ms = 365 * 86'400'000LL;
    return p;
  }();
  const CleaningPolicy* found = table == kAudit.type ? &kAudit : nullptr;
  for (const CleaningPolicy& p : all) {
    if (p.type == table) return &p;
    if (p.type == "*" && conditions(p) == 0) found = &p;
  }
  return found;
}

}  // namespace pintle::lookout
