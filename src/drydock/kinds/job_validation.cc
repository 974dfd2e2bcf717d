// What Jobs may say.
#include <set>

#include "drydock/go_struct.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/job_validation.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void restart_policy(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view policy = text(spec, "template", "spec", "restartPolicy");
  const std::string here = path + ".template.spec.restartPolicy";
  if (policy.empty() || policy == "Always") {
    required(causes, here, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    not_supported(causes, here, policy, {"OnFailure", "Never"});
  } else if (has(spec, "podFailurePolicy") && policy != "Never") {
    invalid_value(causes, here, policy, "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

void exit_codes(const Value& spec, const Value& codes, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view op = text(codes, "operator");
  if (op.empty()) required(causes, path + ".operator", "valid values: [\"In\" \"NotIn\"]");
  else one_of(causes, path + ".operator", op, {"In", "NotIn"});
  if (const Value* name = at(codes, "containerName")) {
    bool found = false;
    for (std::string_view list : {"containers", "initContainers"}) {
      for (const Value& c : items(spec, "template", "spec", list)) found = found || text(c, "name") == as_text(*name);
    }
    if (!found) {
      invalid_value(causes, path + ".containerName", *name,
                    "must be one of the container or initContainer names in the pod template");
    }
  }
  auto values = items(codes, "values");
  const Value shown = at(codes, "values") ? *at(codes, "values") : Value::nil();
  if (values.empty()) invalid_value(causes, path + ".values", shown, "at least one value is required");
  std::set<int64_t> seen;
  bool ordered = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t n = as_number(&values[i], 0);
    const std::string here = element(path + ".values", i);
    if (op == "In" && n == 0) invalid_value(causes, here, values[i], "must not be 0 for the In operator");
    if (!seen.insert(n).second) duplicate(causes, here, values[i]);
    ordered = ordered && (i == 0 || as_number(&values[i - 1], 0) <= n);
  }
  if (!ordered) invalid_value(causes, path + ".values", shown, "must be ordered");
}

void failure_policy(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& rule : items(spec, "podFailurePolicy", "rules")) {
    const std::string here = element(path + ".rules", i++);
    const std::string_view action = text(rule, "action");
    if (action.empty()) {
      required(causes, here + ".action", "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    } else if (action == "FailIndex" && !has(spec, "backoffLimitPerIndex")) {
      invalid_value(causes, here + ".action", action, "requires the backoffLimitPerIndex to be set");
    } else {
      one_of(causes, here + ".action", action, {"Count", "FailIndex", "FailJob", "Ignore"});
    }
    const Value* codes = at(rule, "onExitCodes");
    auto conditions = items(rule, "onPodConditions");
    if (codes) exit_codes(spec, *codes, here + ".onExitCodes", causes);
    for (size_t n = 0; n < conditions.size(); ++n) {
      const std::string at_condition = element(here + ".onPodConditions", n);
      complain(causes, at_condition + ".type", text(conditions[n], "type"), is_label_key(text(conditions[n], "type")));
      one_of(causes, at_condition + ".status", text(conditions[n], "status"), {"False", "True", "Unknown"});
    }
    if (codes && !conditions.empty()) {
      invalid_text(causes, here, "", "specifying both OnExitCodes and OnPodConditions is not supported");
    } else if (!codes && conditions.empty()) {
      invalid_text(causes, here, "", "specifying one of OnExitCodes and OnPodConditions is required");
    }
  }
}

void completion_mode(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view mode = text(spec, "completionMode");
  if (mode == "Indexed") {
    if (!has(spec, "completions")) required(causes, path + ".completions", "when completion mode is Indexed");
    if (const Value* n = at(spec, "parallelism"); n && as_number(n, 0) > 100000) {
      invalid_value(causes, path + ".parallelism", *n,
                    "must be less than or equal to 100000 when completion mode is Indexed");
    }
    if (const Value* n = at(spec, "maxFailedIndexes");
        n && has(spec, "completions") && as_number(n, 0) > number(spec, "completions")) {
      invalid_value(causes, path + ".maxFailedIndexes", *n, "must be less than or equal to completions");
    }
    return;
  }
  if (has(spec, "completionMode")) one_of(causes, path + ".completionMode", mode, {"NonIndexed", "Indexed"});
  if (has(spec, "completionMode") && mode != "NonIndexed") return;
  for (std::string_view key : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (const Value* n = at(spec, key)) invalid_value(causes, child(path, key), *n, "requires indexed completion mode");
  }
}

void success_policy(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  const Value* policy = at(spec, "successPolicy");
  if (!policy) return;
  if (text(spec, "completionMode") != "Indexed") {
    invalid_text(causes, path, go_struct(policy, "Rules=[]"), "requires indexed completion mode");
  } else if (items(*policy, "rules").empty()) {
    required(causes, path + ".rules", "at least one rules must be specified when the successPolicy is specified");
  }
}

}  // namespace

// As a CronJob's template has it, too.
void validate_job_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  for (std::string_view key : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                               "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    non_negative(spec, key, path, causes);
  }
  if (has(spec, "maxFailedIndexes") && !has(spec, "backoffLimitPerIndex")) {
    required(causes, path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified");
  }
  if (has(spec, "managedBy")) domain_prefixed_path(causes, path + ".managedBy", text(spec, "managedBy"));
  completion_mode(spec, path, causes);
  failure_policy(spec, path + ".podFailurePolicy", causes);
  success_policy(spec, path + ".successPolicy", causes);
  if (const std::string_view policy = text(spec, "podReplacementPolicy"); has(spec, "podReplacementPolicy")) {
    if (!has(spec, "podFailurePolicy")) {
      one_of(causes, path + ".podReplacementPolicy", policy, {"Failed", "TerminatingOrFailed"});
    } else {
      one_of(causes, path + ".podReplacementPolicy", policy, {"Failed"});
    }
  }
  static thread_local const Value nothing = empty_map();
  const Value* pod = at(spec, "template");
  validate_pod_template(pod ? *pod : nothing, path + ".template", causes);
  restart_policy(spec, path, causes);
}

void job_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const Value *selector = at(spec, "selector"), *labels = at(spec, "template", "metadata", "labels");
  if (!old && !flag(spec, "manualSelector") && selector) {
    Value made = empty_map();
    copy_entry(ensure(made, "matchLabels"), labels ? *labels : made, "batch.kubernetes.io/controller-uid");
    if (!same(made, *selector)) {
      invalid_text(causes, "spec.selector", selector_text(*selector), "`selector` not auto-generated");
    }
  }
  validate_job_spec(spec, "spec", causes);
  const size_t before_selector = causes.size();
  if (!selector) required(causes, "spec.selector");
  validate_label_selector(selector, "spec.selector", causes);
  const bool readable = !selector || causes.size() == before_selector;
  if (readable && !selector_matches(selector, labels)) {
    invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                  "`selector` does not match template `labels`");
  }
  if (!old) return;
  const Value& before = pod_spec_of(*old);
  for (std::string_view key : {"completions", "selector", "template", "completionMode",
                               "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    bool scalable = key == "completions" && text(spec, "completionMode") == "Indexed" &&
                    number(spec, "completions") == number(spec, "parallelism");
    bool unlocked = key == "template" && (flag(before, "suspend") && !has(*old, "status", "startTime"));
    if (!scalable && !unlocked) immutable(causes, child("spec", key), at(spec, key), at(before, key));
  }
}

}  // namespace pintle::drydock
