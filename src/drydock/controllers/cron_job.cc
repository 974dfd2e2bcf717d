// CronJob: a Job at each time of the schedule, within the limits on what runs at once and what is
// kept. Time zones other than UTC are read as UTC.
#include <algorithm>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"
#include "drydock/controllers/cron_schedule.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "cronjob-controller";

std::vector<Key> self(World&, const Change& change) { return self_key(change); }
std::vector<Key> job_owner(World&, const Change& change) {
  return owner_keys(change, "CronJob", "batch", "cronjobs");
}

std::string_view finished_as(const Value& job) {
  for (const Value& c : items(job, "status", "conditions")) {
    bool over = text(c, "type") == "Complete" || text(c, "type") == "Failed";
    if (over && text(c, "status") == "True") return text(c, "type");
  }
  return "";
}

Value job_for(const Value& cron, int64_t when) {
  Value job = empty_map();
  Value& meta = ensure(job, "metadata");
  put(meta, "name", cat(name_of(cron), "-", when / 60));
  put(meta, "namespace", namespace_of(cron));
  for (std::string_view field : {"labels", "annotations"}) {
    const Value* v = at(cron, "spec", "jobTemplate", "metadata", field);
    if (v) put(meta, field, value::deep_copy(*v));
  }
  put(ensure(meta, "annotations"), "batch.kubernetes.io/cronjob-scheduled-timestamp",
      format_time(when * kSecond));
  put(meta, "ownerReferences", Value::list_of({owner_reference(cron, "batch/v1", "CronJob")}));
  const Value* spec = at(cron, "spec", "jobTemplate", "spec");
  put(job, "spec", spec ? value::deep_copy(*spec) : empty_map());
  return job;
}

Status remove_job(World& world, const Value& cron, const Value& job) {
  Status removed = world.remove(key_of("batch", "jobs", job));
  if (!removed) return is_gone(removed.error()) ? ok() : removed;
  world.event(cron, "Normal", "SuccessfulDelete", cat("Deleted job ", name_of(job)), kName);
  return ok();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  Value& cron = *found;
  Value status = has(cron, "status") ? value::deep_copy(*at(cron, "status")) : empty_map();

  std::vector<Value> active, good, bad;
  for (Value& job : world.list("batch", "jobs", key.ns)) {
    if (!controlled_by(job, cron)) continue;
    std::string_view end = finished_as(job);
    (end.empty() ? active : end == "Complete" ? good : bad).push_back(std::move(job));
  }
  for (const Value& reference : items(cron, "status", "active")) {
    for (std::vector<Value>* jobs : {&good, &bad}) {
      for (const Value& job : *jobs) {
        if (uid_of(job) != text(reference, "uid")) continue;
        world.event(cron, "Normal", "SawCompletedJob",
                    cat("Saw completed job: ", name_of(job), ", condition: ", finished_as(job)), kName);
        if (finished_as(job) == "Complete") {
          put(status, "lastSuccessfulTime", text(job, "status", "completionTime"));
        }
      }
    }
  }
  for (auto [jobs, field, fallback] : {std::tuple{&good, "successfulJobsHistoryLimit", 3},
                                       std::tuple{&bad, "failedJobsHistoryLimit", 1}}) {
    sort_by_age(*jobs);
    int64_t extra = static_cast<int64_t>(jobs->size()) - number_or(fallback, cron, "spec", field);
    for (int64_t i = 0; i < extra; ++i) TRY(remove_job(world, cron, (*jobs)[static_cast<size_t>(i)]));
  }

  Again again;
  Result<CronSchedule> schedule = CronSchedule::parse(text(cron, "spec", "schedule"));
  if (!schedule) {
    world.event(cron, "Warning", "UnparseableSchedule",
                cat("unparseable schedule: \"", text(cron, "spec", "schedule"), "\""), kName);
  } else if (!flag(cron, "spec", "suspend")) {
    int64_t now = world.now_ns() / kSecond;
    std::string_view last = text(status, "lastScheduleTime");
    int64_t since = parse_time(last.empty() ? text(cron, "metadata", "creationTimestamp") : last) / kSecond;
    int64_t due = 0, next = schedule->next(since);
    // A long sleep leaves many missed times: only the latest counts.
    if (next && now - next > 100'000 * 60) next = schedule->next(now - 100'000 * 60);
    for (; next && next <= now; next = schedule->next(next)) due = next;
    if (next) again = next * kSecond - world.now_ns();
    const Value* limit = at(cron, "spec", "startingDeadlineSeconds");
    std::string_view policy = text(cron, "spec", "concurrencyPolicy");
    if (due && limit && now - due > as_number(limit, 0)) {
      world.event(cron, "Warning", "MissSchedule",
                  cat("Missed scheduled time to start a job: ", format_time(due * kSecond)), kName);
    } else if (due && policy == "Forbid" && !active.empty()) {
      world.event(cron, "Normal", "JobAlreadyActive",
                  "Not starting job because prior execution is running and concurrency policy is Forbid",
                  kName);
    } else if (due) {
      if (policy == "Replace") {
        for (const Value& job : active) TRY(remove_job(world, cron, job));
        active.clear();
      }
      Result<Value> made = world.create("batch", "jobs", job_for(cron, due));
      if (made) {
        world.event(cron, "Normal", "SuccessfulCreate", cat("Created job ", name_of(*made)), kName);
        active.push_back(std::move(*made));
      } else if (made.error().code() != Code::kAlreadyExists) {
        world.event(cron, "Warning", "FailedCreate", cat("Error creating job: ", made.error().text()),
                    kName);
        return made.error();
      }
      put(status, "lastScheduleTime", format_time(due * kSecond));
    }
  }
  std::vector<Value> references;
  for (const Value& job : active) {
    Value reference = empty_map();
    put(reference, "apiVersion", "batch/v1");
    put(reference, "kind", "Job");
    put(reference, "name", name_of(job));
    put(reference, "namespace", key.ns);
    put(reference, "uid", uid_of(job));
    put(reference, "resourceVersion", text(job, "metadata", "resourceVersion"));
    references.push_back(std::move(reference));
  }
  // A later version of an active job is no news.
  bool alike = references.size() == items(status, "active").size();
  for (size_t i = 0; alike && i < references.size(); ++i) {
    alike = text(references[i], "uid") == text(items(status, "active")[i], "uid");
  }
  if (!alike) put(status, "active", Value::list_of(std::move(references)));
  drop_when_empty(status, "active");
  TRY(write_status(world, "batch", "cronjobs", cron, std::move(status)));
  return again;
}

}  // namespace

const Controller kCronJobs{kName, {{"batch", "cronjobs", self}, {"batch", "jobs", job_owner}}, reconcile};

}  // namespace pintle::drydock
