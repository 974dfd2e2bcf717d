// Job: pods until enough have succeeded or too many have failed. Each pod carries the tracking
// finalizer until it is counted, so that none is counted twice or missed.
#include <algorithm>
#include <charconv>
#include <set>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "job-controller";
constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

std::vector<Key> self(World&, const Change& change) { return self_key(change); }
std::vector<Key> pod_owner(World&, const Change& change) {
  return owner_keys(change, "Job", "batch", "jobs");
}

bool is_true(const Value& status, std::string_view type) {
  const Value* condition = find_condition(status, type);
  return condition && text(*condition, "status") == "True";
}

void add_condition(World& world, Value& status, std::string_view type, std::string_view state,
                   std::string_view reason, std::string_view message) {
  Value fresh = empty_map();
  put(fresh, "type", type);
  put(fresh, "status", state);
  put(fresh, "lastProbeTime", world.now());
  put(fresh, "lastTransitionTime", world.now());
  put(fresh, "reason", reason);
  put(fresh, "message", message);
  if (Value* old = find_condition(status, type)) {
    *old = std::move(fresh);
  } else {
    push(status, "conditions", std::move(fresh));
  }
}

// "0,2-4" and back.
std::set<int64_t> read_indexes(std::string_view t) {
  std::set<int64_t> indexes;
  for (std::string_view part : split(t, ",")) {
    int64_t first = -1, last = -1;
    size_t dash = part.find('-');
    std::string_view head = part.substr(0, dash);
    std::from_chars(head.data(), head.data() + head.size(), first);
    last = first;
    if (dash != part.npos) std::from_chars(part.data() + dash + 1, part.data() + part.size(), last);
    for (int64_t i = std::max<int64_t>(first, 0); first >= 0 && i <= last && i < 100'000; ++i) {
      indexes.insert(i);
    }
  }
  return indexes;
}
std::string write_indexes(const std::set<int64_t>& indexes) {
  std::string out;
  for (auto it = indexes.begin(); it != indexes.end();) {
    int64_t first = *it, last = first;
    while (++it != indexes.end() && *it == last + 1) last = *it;
    out += cat(out.empty() ? "" : ",", first);
    if (last > first) out += cat(last == first + 1 ? "," : "-", last);
  }
  return out;
}

int64_t index_of(const Value& pod) {
  std::string_view t = text(pod, "metadata", "annotations", kIndex);
  int64_t n = -1;
  std::from_chars(t.data(), t.data() + t.size(), n);
  return n;
}

bool tracked(const Value& pod) {
  for (const Value& f : items(pod, "metadata", "finalizers")) {
    if (f.is_string() && f.as_string() == kTracking) return true;
  }
  return false;
}

Status untrack(World& world, Value pod) {
  std::vector<Value> kept;
  for (const Value& f : items(pod, "metadata", "finalizers")) {
    if (!f.is_string() || f.as_string() != kTracking) kept.push_back(f);
  }
  put(ensure(pod, "metadata"), "finalizers", Value::list_of(std::move(kept)));
  drop_when_empty(ensure(pod, "metadata"), "finalizers");
  Result<Value> updated = world.update("", "pods", std::move(pod));
  if (!updated && !is_gone(updated.error())) return updated.error();
  return ok();
}

struct Verdict {
  std::string_view reason, message;
};

struct Sync {
  World& world;
  Value job;
  Value status;
  std::vector<Value> active{}, finished{};  // finished: not yet counted
  int64_t terminating = 0, restarts = 0;
  int64_t last_failure = 0;
  bool indexed = false;
  std::set<int64_t> done{};

  bool has_completions() const { return has(job, "spec", "completions"); }
  int64_t completions() const { return number_or(1, job, "spec", "completions"); }
  int64_t parallelism() const { return number_or(1, job, "spec", "parallelism"); }
  int64_t succeeded() const { return number(status, "succeeded"); }
  int64_t failed() const { return number(status, "failed"); }

  Status read_pods() {
    for (Value& pod : TRY(claim(world, "", "pods", job, "batch/v1", "Job"))) {
      if (pod_finished(pod)) {
        for (const Value& c : items(pod, "status", "containerStatuses")) {
          int64_t t = parse_time(text(c, "state", "terminated", "finishedAt"));
          if (text(pod, "status", "phase") == "Failed") last_failure = std::max(last_failure, t);
        }
        if (tracked(pod)) finished.push_back(std::move(pod));
      } else if (being_deleted(pod)) {
        ++terminating;
      } else {
        for (const Value& c : items(pod, "status", "containerStatuses")) {
          restarts += number(c, "restartCount");
        }
        active.push_back(std::move(pod));
      }
    }
    return ok();
  }

  void count_finished() {
    indexed = text(job, "spec", "completionMode") == "Indexed";
    if (indexed) done = read_indexes(text(status, "completedIndexes"));
    for (const Value& pod : finished) {
      bool good = text(pod, "status", "phase") == "Succeeded";
      if (good && indexed) {
        int64_t i = index_of(pod);
        if (i >= 0 && i < completions()) done.insert(i);
      }
      set_count(status, good ? "succeeded" : "failed", (good ? succeeded() : failed()) + 1);
    }
    if (indexed) {
      set_count(status, "succeeded", static_cast<int64_t>(done.size()));
      if (!done.empty()) put(status, "completedIndexes", write_indexes(done));
    }
  }

  std::optional<Verdict> failure(Again& again) const {
    int64_t limit = number_or(6, job, "spec", "backoffLimit");
    bool on_failure = text(job, "spec", "template", "spec", "restartPolicy") == "OnFailure";
    bool too_many = failed() > limit || (on_failure && restarts > 0 && restarts >= limit);
    if (too_many) return Verdict{"BackoffLimitExceeded", "Job has reached the specified backoff limit"};
    const Value* deadline = at(job, "spec", "activeDeadlineSeconds");
    int64_t start = parse_time(text(status, "startTime"));
    if (deadline && start && !flag(job, "spec", "suspend")) {
      int64_t left = start + as_number(deadline, 0) * kSecond - world.now_ns();
      if (left <= 0) {
        return Verdict{"DeadlineExceeded", "Job was active longer than specified deadline"};
      }
      lower(again, left);
    }
    return std::nullopt;
  }

  bool succeeded_enough() const {
    if (has_completions()) return succeeded() >= completions();
    return succeeded() > 0 && active.empty();
  }

  Status delete_active() {
    for (const Value& pod : active) TRY(delete_pod(world, pod, job, kName));
    terminating += static_cast<int64_t>(active.size());
    active.clear();
    return ok();
  }

  Status create_one(std::optional<int64_t> index) {
    const Value* tmpl = at(job, "spec", "template");
    if (!tmpl) return ok();
    Value pod = pod_from_template(*tmpl, job, "batch/v1", "Job");
    Value& meta = ensure(pod, "metadata");
    push(meta, "finalizers", make(kTracking));
    for (std::string_view prefix : {"", "batch.kubernetes.io/"}) {
      Value& labels = ensure(meta, "labels");
      default_to(labels, cat(prefix, "controller-uid"), uid_of(job));
      default_to(labels, cat(prefix, "job-name"), name_of(job));
    }
    if (index) {
      put(ensure(meta, "annotations"), kIndex, std::to_string(*index));
      put(ensure(meta, "labels"), kIndex, std::to_string(*index));
      put(meta, "generateName", cat(name_of(job), "-", *index, "-"));
      default_to(ensure(pod, "spec"), "hostname", cat(name_of(job), "-", *index));
      for (std::string_view list : {"initContainers", "containers"}) {
        for (Value& container : elements(pod, "spec", list)) {
          Value variable = empty_map();
          put(variable, "name", "JOB_COMPLETION_INDEX");
          put(ensure(variable, "valueFrom", "fieldRef"), "fieldPath",
              cat("metadata.labels['", kIndex, "']"));
          push(container, "env", std::move(variable));
        }
      }
    }
    Value made = TRY(create_pod(world, std::move(pod), job, kName));
    active.push_back(std::move(made));
    return ok();
  }

  Status manage(Again& again) {
    int64_t running = static_cast<int64_t>(active.size());
    int64_t wanted = parallelism();
    if (has_completions()) wanted = std::min(wanted, std::max<int64_t>(completions() - succeeded(), 0));
    else if (succeeded() > 0) wanted = std::min(wanted, running);
    if (running > wanted) {
      sort_for_deletion(active);
      while (static_cast<int64_t>(active.size()) > wanted) {
        TRY(delete_pod(world, active.front(), job, kName));
        active.erase(active.begin());
        ++terminating;
      }
    }
    if (running >= wanted) return ok();
    if (failed() > 0 && last_failure > 0) {
      int64_t back_off = std::min<int64_t>(10LL << std::min<int64_t>(failed() - 1, 6), 600) * kSecond;
      if (int64_t left = last_failure + back_off - world.now_ns(); left > 0) {
        lower(again, left);
        return ok();
      }
    }
    if (!indexed) {
      for (int64_t i = running; i < wanted; ++i) TRY(create_one(std::nullopt));
      return ok();
    }
    std::set<int64_t> taken = done;
    for (const Value& pod : active) taken.insert(index_of(pod));
    for (int64_t i = 0; i < completions() && running < wanted; ++i) {
      if (taken.contains(i)) continue;
      TRY(create_one(i));
      ++running;
    }
    return ok();
  }

  void suspend_or_resume() {
    bool suspended = flag(job, "spec", "suspend");
    const Value* condition = find_condition(status, "Suspended");
    if (suspended && !(condition && text(*condition, "status") == "True")) {
      add_condition(world, status, "Suspended", "True", "JobSuspended", "Job suspended");
      drop(status, "startTime");
      world.event(job, "Normal", "Suspended", "Job suspended", kName);
    } else if (!suspended && condition && text(*condition, "status") == "True") {
      add_condition(world, status, "Suspended", "False", "JobResumed", "Job resumed");
      put(status, "startTime", world.now());
      world.event(job, "Normal", "Resumed", "Job resumed", kName);
    }
  }

  Status write() {
    int64_t ready = 0;
    for (const Value& pod : active) ready += pod_ready(pod);
    set_count(status, "active", static_cast<int64_t>(active.size()));
    put(status, "ready", ready);
    put(status, "terminating", terminating);
    put(status, "uncountedTerminatedPods", empty_map());
    TRY(write_status(world, "batch", "jobs", job, std::move(status)));
    for (Value& pod : finished) TRY(untrack(world, std::move(pod)));
    return ok();
  }
};

Result<Again> clean_up(World& world, const Value& job) {
  const Value* ttl = at(job, "spec", "ttlSecondsAfterFinished");
  if (!ttl) return Again();
  int64_t finish = parse_time(text(job, "status", "completionTime"));
  for (const Value& condition : items(job, "status", "conditions")) {
    if (text(condition, "type") == "Failed") finish = parse_time(text(condition, "lastTransitionTime"));
  }
  int64_t left = finish + as_number(ttl, 0) * kSecond - world.now_ns();
  if (left > 0) return Again(left);
  Status removed = world.remove(key_of("batch", "jobs", job), "Foreground");
  if (!removed && !is_gone(removed.error())) return removed.error();
  return Again();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) {
    // Pods that lost their Job must not be held by its finalizer.
    for (Value& pod : world.list("", "pods", key.ns)) {
      const Value* owner = controller_of(pod);
      bool mine = owner && text(*owner, "kind") == "Job" && text(*owner, "name") == key.name;
      if (mine && tracked(pod)) TRY(untrack(world, std::move(pod)));
    }
    return Again();
  }
  Value status = has(*found, "status") ? value::deep_copy(*at(*found, "status")) : empty_map();
  Sync sync{.world = world, .job = std::move(*found), .status = std::move(status)};
  bool over = is_true(sync.status, "Complete") || is_true(sync.status, "Failed");
  TRY(sync.read_pods());
  if (being_deleted(sync.job) || over) {
    for (Value& pod : sync.finished) TRY(untrack(world, std::move(pod)));
    if (being_deleted(sync.job)) {
      for (Value& pod : sync.active) {
        if (tracked(pod)) TRY(untrack(world, std::move(pod)));
      }
      return Again();
    }
    return clean_up(world, sync.job);
  }

  if (!flag(sync.job, "spec", "suspend")) default_to(sync.status, "startTime", world.now());
  sync.suspend_or_resume();
  sync.count_finished();
  Again again;
  std::optional<Verdict> bad;
  if (const Value* target = find_condition(sync.status, "FailureTarget")) {
    bool late = text(*target, "reason") == "DeadlineExceeded";
    bad = late ? Verdict{"DeadlineExceeded", "Job was active longer than specified deadline"}
               : Verdict{"BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  } else if (!sync.succeeded_enough()) {
    bad = sync.failure(again);
  }
  bool finished_now = false;
  if (bad) {
    if (!find_condition(sync.status, "FailureTarget")) {
      add_condition(world, sync.status, "FailureTarget", "True", bad->reason, bad->message);
    }
    TRY(sync.delete_active());
    if (sync.terminating == 0) {
      add_condition(world, sync.status, "Failed", "True", bad->reason, bad->message);
      world.event(sync.job, "Warning", bad->reason, bad->message, kName);
      finished_now = true;
    }
  } else if (sync.succeeded_enough()) {
    constexpr Verdict kReached{"CompletionsReached", "Reached expected number of succeeded pods"};
    if (!find_condition(sync.status, "SuccessCriteriaMet")) {
      add_condition(world, sync.status, "SuccessCriteriaMet", "True", kReached.reason, kReached.message);
    }
    TRY(sync.delete_active());
    if (sync.terminating == 0) {
      add_condition(world, sync.status, "Complete", "True", kReached.reason, kReached.message);
      put(sync.status, "completionTime", world.now());
      world.event(sync.job, "Normal", "Completed", "Job completed", kName);
      finished_now = true;
    }
  } else if (flag(sync.job, "spec", "suspend")) {
    TRY(sync.delete_active());
  } else {
    TRY(sync.manage(again));
  }
  TRY(sync.write());
  if (finished_now) return clean_up(world, sync.job);
  return again;
}

}  // namespace

const Controller kJobs{kName, {{"batch", "jobs", self}, {"", "pods", pod_owner}}, reconcile};

}  // namespace pintle::drydock
