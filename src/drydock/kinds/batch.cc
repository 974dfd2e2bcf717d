// Job and CronJob.
#include "drydock/kinds/families.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void default_job_spec(Value& spec) {
  if (!has(spec, "completions") && !has(spec, "parallelism")) put(spec, "completions", 1);
  if (!has(spec, "parallelism")) put(spec, "parallelism", 1);
  if (!has(spec, "backoffLimit")) {
    put(spec, "backoffLimit", has(spec, "backoffLimitPerIndex") ? INT32_MAX : 6);
  }
  default_to(spec, "completionMode", "NonIndexed");
  if (!has(spec, "suspend")) put(spec, "suspend", false);
  if (!has(spec, "manualSelector")) put(spec, "manualSelector", false);
  default_to(spec, "podReplacementPolicy",
             has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  for (Value& rule : elements(spec, "podFailurePolicy", "rules")) {
    for (Value& p : elements(rule, "onPodConditions")) default_to(p, "status", "True");
  }
  default_pod_template(spec);
}

// A template's labels stand for the job's when it has none.
void labels_from_template(Value& object, const Value* labels) {
  if (!labels) return;
  Value copy = value::deep_copy(*labels);
  Value& metadata = ensure(object, "metadata");
  if (entries(metadata, "labels").empty()) put(metadata, "labels", std::move(copy));
}

void job_defaults(Value& object) {
  default_job_spec(ensure(object, "spec"));
  labels_from_template(object, at(object, "spec", "template", "metadata", "labels"));
}

void cron_job_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_to(spec, "concurrencyPolicy", "Allow");
  if (!has(spec, "suspend")) put(spec, "suspend", false);
  if (!has(spec, "successfulJobsHistoryLimit")) put(spec, "successfulJobsHistoryLimit", 3);
  if (!has(spec, "failedJobsHistoryLimit")) put(spec, "failedJobsHistoryLimit", 1);
  // The inner template stays as written but for its pods: only a Job itself is defaulted.
  default_pod_template(ensure(spec, "jobTemplate", "spec"));
}

Status job_create(World& world, Value& object) {
  put(object, "status", empty_map());
  Value& spec = ensure(object, "spec");
  if (flag(spec, "manualSelector")) return ok();
  Value& metadata = ensure(object, "metadata");
  if (!has(metadata, "uid")) put(metadata, "uid", world.new_uid());
  std::string uid(text(metadata, "uid")), name(text(metadata, "name"));
  Value& labels = ensure(spec, "template", "metadata", "labels");
  put(labels, "job-name", name);
  put(labels, "batch.kubernetes.io/job-name", name);
  put(labels, "controller-uid", uid);
  put(labels, "batch.kubernetes.io/controller-uid", uid);
  Value given = value::deep_copy(labels);
  put(ensure(spec, "selector", "matchLabels"), "batch.kubernetes.io/controller-uid", uid);
  labels_from_template(object, &given);
  return ok();
}

void restart_policy(const Value& pod, const std::string& path, std::vector<Cause>& causes) {
  std::string_view policy = text(pod, "spec", "restartPolicy");
  if (policy == "OnFailure" || policy == "Never") return;
  if (policy.empty() || policy == "Always") {
    required(causes, path + ".spec.restartPolicy", "valid values: \"OnFailure\", \"Never\"");
  } else {
    not_supported(causes, path + ".spec.restartPolicy", policy, {"OnFailure", "Never"});
  }
}

void validate_job_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  for (std::string_view key : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                               "ttlSecondsAfterFinished"}) {
    non_negative(spec, key, path, causes);
  }
  std::string_view mode = text(spec, "completionMode");
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {
    not_supported(causes, path + ".completionMode", mode, {"NonIndexed", "Indexed"});
  } else if (mode == "Indexed" && !has(spec, "completions")) {
    required(causes, path + ".completions", "when completion mode is Indexed");
  }
  static thread_local const Value nothing = empty_map();
  const Value* pod = at(spec, "template");
  validate_pod_template(pod ? *pod : nothing, path + ".template", causes);
  restart_policy(pod ? *pod : nothing, path + ".template", causes);
}

void job_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (!has(spec, "selector")) required(causes, "spec.selector");
  else if (!selector_matches(at(spec, "selector"), at(spec, "template", "metadata", "labels"))) {
    const Value* labels = at(spec, "template", "metadata", "labels");
    invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                  "`selector` does not match template `labels`");
  }
  validate_job_spec(spec, "spec", causes);
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

// The five fields of a standard cron line, or one of the @names.
std::string cron_complaint(std::string_view schedule) {
  if (schedule.starts_with('@')) {
    for (std::string_view known : {"@yearly", "@annually", "@monthly", "@weekly", "@daily",
                                   "@midnight", "@hourly"}) {
      if (schedule == known) return "";
    }
    return schedule.starts_with("@every ") ? "" : cat("unrecognized descriptor: ", schedule);
  }
  std::vector<std::string> fields;
  std::string word;
  for (char c : cat(schedule, " ")) {
    if (c != ' ' && c != '\t') {
      word.push_back(c);
    } else if (!word.empty()) {
      fields.push_back(std::move(word));
      word.clear();
    }
  }
  if (fields.size() != 5) {
    return cat("expected exactly 5 fields, found ", fields.size(), ": [", join(fields, " "), "]");
  }
  constexpr std::pair<int, int> kBounds[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}};
  for (size_t i = 0; i < 5; ++i) {
    for (std::string_view part : split(fields[i], ",")) {
      std::string_view range = split(part, "/")[0];
      for (std::string_view end : split(range, "-")) {
        if (end == "*" || end == "?") continue;
        int n = 0;
        bool digits = !end.empty();
        for (char c : end) {
          digits = digits && c >= '0' && c <= '9' && n < 10000;
          n = n * 10 + (c - '0');
          if (!digits) break;
        }
        if (!digits) {
          bool name = i >= 3 && end.size() == 3;
          if (name) continue;
          return cat("failed to parse int from ", end, ": strconv.Atoi: parsing \"", end,
                     "\": invalid syntax");
        }
        if (n < kBounds[i].first) {
          return cat("beginning of range (", n, ") below minimum (", kBounds[i].first, "): ", part);
        }
        if (n > kBounds[i].second) {
          return cat("end of range (", n, ") above maximum (", kBounds[i].second, "): ", part);
        }
      }
    }
  }
  return "";
}

void cron_job_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  std::string_view schedule = text(spec, "schedule");
  if (schedule.empty()) {
    required(causes, "spec.schedule");
  } else if (std::string why = cron_complaint(schedule); !why.empty()) {
    invalid_value(causes, "spec.schedule", schedule, why);
  }
  non_negative(spec, "startingDeadlineSeconds", "spec", causes);
  std::string_view policy = text(spec, "concurrencyPolicy");
  if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    not_supported(causes, "spec.concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"});
  }
  non_negative(spec, "successfulJobsHistoryLimit", "spec", causes);
  non_negative(spec, "failedJobsHistoryLimit", "spec", causes);
  if (const Value* job = at(spec, "jobTemplate", "spec")) {
    validate_job_spec(*job, "spec.jobTemplate.spec", causes);
  }
  if (name_of(object).size() > 52) {
    invalid_value(causes, "metadata.name", name_of(object), "must be no more than 52 characters");
  }
}

std::vector<std::string_view> job_fields() { return {"status.successful"}; }

}  // namespace

void add_batch_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "batch", .kind = "Job", .defaults = job_defaults, .create = job_create,
                 .update = keep_status, .validate = job_validate, .generation = true,
                 .selectable = job_fields});
  out.push_back({.group = "batch", .kind = "CronJob", .defaults = cron_job_defaults,
                 .create = drop_status, .update = keep_status, .validate = cron_job_validate,
                 .generation = true});
}

}  // namespace pintle::drydock
