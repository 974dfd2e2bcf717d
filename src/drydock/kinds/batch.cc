// Job and CronJob.
#include <filesystem>

#include "base/gotext.h"
#include "drydock/controllers/cron_schedule.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/job_validation.h"
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
  default_absent(spec, "completionMode", "NonIndexed");
  if (!has(spec, "suspend")) put(spec, "suspend", false);
  if (!has(spec, "manualSelector")) put(spec, "manualSelector", false);
  default_absent(spec, "podReplacementPolicy",
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

void validate_schedule(std::string_view schedule, bool zone_before, std::vector<Cause>& causes) {
  const std::string path = "spec.schedule";
  if (schedule.empty()) return required(causes, path);
  const auto read = CronSchedule::parse(schedule);
  if (!read) invalid_value(causes, path, schedule, read.error().text());
  if (!zone_before && schedule.find("TZ") != schedule.npos) {
    invalid_value(causes, path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

// Where the machine has no table of time zones, any name will do.
bool known_zone(std::string_view name) {
  if (name == "UTC") return true;
  bool table = false;
  for (std::string_view folder : {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/etc/zoneinfo/"}) {
    std::error_code none;
    if (std::filesystem::is_regular_file(cat(folder, name), none)) return true;
    table = table || std::filesystem::is_regular_file(cat(folder, "Europe/London"), none);
  }
  return !table;
}

void validate_time_zone(const Value* zone, std::vector<Cause>& causes) {
  if (!zone) return;
  const std::string_view name = as_text(*zone);
  const std::string path = "spec.timeZone";
  if (name.empty()) return invalid_value(causes, path, name, "timeZone must be nil or non-empty string");
  bool good = true;
  for (std::string_view part : split(name, "/")) {
    good = good && !part.empty() && part != "." && part != ".." && !part.starts_with('-') &&
           part.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-") == part.npos;
  }
  if (!good) return invalid_value(causes, path, name, cat("unknown time zone ", name));
  if (to_lower(name) == "local") {
    invalid_value(causes, path, name, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  } else if (!known_zone(name)) {
    invalid_value(causes, path, name, cat("unknown time zone ", name));
  }
}

void cron_job_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const bool zone_before = old && text(*old, "spec", "schedule").find("TZ") != std::string_view::npos;
  validate_schedule(text(spec, "schedule"), zone_before, causes);
  non_negative(spec, "startingDeadlineSeconds", "spec", causes);
  if (!old || !same(at(spec, "timeZone"), at(*old, "spec", "timeZone"))) validate_time_zone(at(spec, "timeZone"), causes);
  one_of_or_required(causes, "spec.concurrencyPolicy", text(spec, "concurrencyPolicy"), {"Allow", "Forbid", "Replace"});
  if (const Value* job = at(spec, "jobTemplate", "spec")) {
    validate_job_spec(*job, "spec.jobTemplate.spec", causes);
    if (flag(*job, "manualSelector")) {
      not_supported_text(causes, "spec.jobTemplate.spec.manualSelector", "true", {"nil", "false"});
    }
  }
  non_negative(spec, "successfulJobsHistoryLimit", "spec", causes);
  non_negative(spec, "failedJobsHistoryLimit", "spec", causes);
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
