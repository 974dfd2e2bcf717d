#include "drydock/kinds/strategy_validation.h"

#include "drydock/go_struct.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

// What is no number of percent counts as none.
bool is_zero(const Value* v) {
  if (!v || !v->is_string()) return as_number(v, 0) == 0;
  const std::string_view s = v->as_string();
  const size_t digits = s.find_first_not_of("0123456789");
  return !s.ends_with('%') || digits + 1 != s.size() || s.find_first_not_of('0') == digits;
}

}  // namespace

void deployment_strategy(const Value& strategy, std::vector<Cause>& causes) {
  const std::string path = "spec.strategy";
  const std::string_view type = text(strategy, "type");
  const Value* rolling = at(strategy, "rollingUpdate");
  if (type == "Recreate") {
    if (!rolling) return;
    return forbidden_field(causes, path + ".rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
  }
  if (type != "RollingUpdate") {
    return not_supported_text(causes, path, go_struct(&strategy, "Type=\"\",RollingUpdate{MaxUnavailable=0,MaxSurge=0}"),
                              {"Recreate", "RollingUpdate"});
  }
  if (!rolling) return required(causes, path + ".rollingUpdate", "this should be defaulted and never be nil");
  const Value *unavailable = at(*rolling, "maxUnavailable"), *surge = at(*rolling, "maxSurge");
  validate_share(causes, path + ".rollingUpdate.maxUnavailable", unavailable);
  validate_share(causes, path + ".rollingUpdate.maxSurge", surge);
  if (is_zero(unavailable) && is_zero(surge)) {
    invalid_value(causes, path + ".rollingUpdate.maxUnavailable", unavailable ? *unavailable : make(0),
                  "may not be 0 when `maxSurge` is 0");
  }
  not_above_100_percent(causes, path + ".rollingUpdate.maxUnavailable", unavailable);
}

void daemon_strategy(const Value& strategy, std::vector<Cause>& causes) {
  const std::string path = "spec.updateStrategy";
  const std::string_view type = text(strategy, "type");
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    return not_supported_text(causes, path, go_struct(&strategy, "Type=\"\",RollingUpdate{MaxUnavailable=0,MaxSurge=0}"),
                              {"RollingUpdate", "OnDelete"});
  }
  const Value *unavailable = at(strategy, "rollingUpdate", "maxUnavailable"),
              *surge = at(strategy, "rollingUpdate", "maxSurge");
  const std::string of_unavailable = path + ".rollingUpdate.maxUnavailable", of_surge = path + ".rollingUpdate.maxSurge";
  validate_share(causes, of_unavailable, unavailable);
  validate_share(causes, of_surge, surge);
  not_above_100_percent(causes, of_unavailable, unavailable);
  not_above_100_percent(causes, of_surge, surge);
  if (!is_zero(unavailable) && !is_zero(surge)) {
    invalid_value(causes, of_surge, *surge, "may not be set when maxUnavailable is non-zero");
  } else if (is_zero(unavailable) && is_zero(surge)) {
    required(causes, of_unavailable, "cannot be 0 when maxSurge is 0");
  }
}

void stateful_strategy(const Value& strategy, std::vector<Cause>& causes) {
  const std::string path = "spec.updateStrategy";
  constexpr std::string_view kRolling = "Partition=0,MaxUnavailable";
  const std::string_view type = text(strategy, "type");
  const Value* rolling = at(strategy, "rollingUpdate");
  if (type == "OnDelete") {
    if (!rolling) return;
    invalid_text(causes, path + ".rollingUpdate", go_struct(rolling, kRolling),
                 "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    if (!rolling) return;
    non_negative(*rolling, "partition", path + ".rollingUpdate", causes);
    const Value* unavailable = at(*rolling, "maxUnavailable");
    validate_share(causes, path + ".rollingUpdate.maxUnavailable", unavailable);
    if (unavailable && is_zero(unavailable)) {
      invalid_value(causes, path + ".rollingUpdate.maxUnavailable", *unavailable, "cannot be 0");
    }
    not_above_100_percent(causes, path + ".rollingUpdate.maxUnavailable", unavailable);
  } else {
    invalid_text(causes, path, go_struct(&strategy, cat("Type=\"\",RollingUpdate{", kRolling, "}")),
                 "must be 'RollingUpdate' or 'OnDelete'");
  }
}

}  // namespace pintle::drydock
