// Every watch appends what it reads to an inbox of its own (bounded: a full one pauses the stream);
// this thread takes the frames out, decodes them and updates the table of targets. A watch that ends
// is begun anew from the server's present state after a pause that doubles.
#include "kube/wait.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "base/mutex.h"
#include "base/strings.h"
#include "json/json.h"
#include "kube/discovery.h"
#include "kube/live.h"

namespace pintle::kube {
namespace {

constexpr size_t kFullInbox = 1 << 20;
constexpr size_t kMaxFrame = 16 << 20;
constexpr int64_t kFirstPause = 800'000'000, kLongestPause = 30'000'000'000;
constexpr int64_t kWindowCheck = 1'000'000'000;  // pods become unschedulable by time alone
constexpr int64_t kDefaultTimeoutMs = 30'000;

struct Target {
  const Object* object;
  Progress progress;
  value::Value pod;    // one whose state may change by time alone
  const struct Watch* watch = nullptr;
  bool skipped = false;  // a paused Deployment
};

// What the connection's thread fills and ours empties.
struct Bell {
  Mutex mutex;
  Condition changed;
};

struct Watch {
  Bell& bell;
  std::string path, field;
  std::map<std::string, Target*, std::less<>> targets;  // by name
  std::string inbox GUARDED_BY(bell.mutex);
  std::optional<Status> ended GUARDED_BY(bell.mutex);
  std::string partial;              // a frame not complete yet
  std::map<std::string, bool, std::less<>> seen;  // in the initial list
  bool synced = false;
  bool finished = false;            // the type does not exist
  bool plain_list = false;          // the server knows no streaming lists
  std::string version;              // to watch from after a list
  std::string trouble;              // why it does not stand, while it does not
  int64_t retry_at = 0, pause = kFirstPause;
  std::unique_ptr<Rest::Pending> pending;  // last: dropped before what it writes to
  explicit Watch(Bell& b) : bell(b) {}
};

class Waiter {
 public:
  Waiter(Rest& rest, sys::Clock& clock, WaitFor what, const WaitOptions& options)
      : rest_(rest), clock_(clock), what_(what), options_(options) {}

  Status run(const Objects& objects);

 private:
  void plan(const Objects& objects);
  void begin(Watch& w);
  Status list(Watch& w);
  Status take(Watch& w);
  Status frame(Watch& w, std::string_view line);
  Status ended(Watch& w, const Status& status);
  void see(Watch& w, const value::Value& object, bool deleted);
  void synced(Watch& w);
  Progress judge(const Object& o, const value::Value& live);
  size_t failed_pods(const Object& o, const value::Value& live);
  bool legacy() const { return options_.strategy == WaitStrategy::kLegacy; }
  bool done() const;
  // Unseen by the analysis: every watch's bell is bell_.
  bool news() const REQUIRES(bell_.mutex) NO_THREAD_SAFETY_ANALYSIS;
  void tell();
  Status verdict(std::string_view over) const;
  std::string legacy_verdict(std::string_view over) const;

  Rest& rest_;
  sys::Clock& clock_;
  const WaitFor what_;
  const WaitOptions& options_;
  Bell bell_;
  std::vector<Target> targets_;
  std::vector<std::unique_ptr<Watch>> watches_;
  bool changed_ = false;  // since told_
  std::vector<NotReady> told_;
};

Progress Waiter::judge(const Object& o, const value::Value& live) {
  const bool job = o.group == "batch" && o.kind == "Job";
  if (what_ == WaitFor::kHooks) {
    if (job) return legacy() ? legacy_job_done(live) : job_done(live);
    if (o.group.empty() && o.kind == "Pod") return pod_done(live);
    return {State::kCurrent, "Resource is current"};
  }
  if (job && options_.jobs && what_ == WaitFor::kReady) return job_done(live);
  Progress p = object_status(live, o.group, clock_.now_ns());
  const bool pods = o.group == "apps" && (o.kind == "StatefulSet" || o.kind == "ReplicaSet");
  if (what_ == WaitFor::kReady && pods && p.state == State::kInProgress) {
    if (const size_t n = failed_pods(o, live); n > 0) return {State::kFailed, cat(n, " pods have failed")};
  }
  return p;
}

// Pods of a controller that cannot recover by themselves; those that leave or wait for a node can.
size_t Waiter::failed_pods(const Object& o, const value::Value& live) {
  const value::Value* spec = live.get("spec");
  const value::Value* selector = spec ? spec->get("selector") : nullptr;
  const value::Value* labels = selector ? selector->get("matchLabels") : nullptr;
  if (!labels || !labels->as_map()) return 0;
  Call call;
  call.path = collection_path("", "v1", "pods", true, o.ns);
  call.query = "labelSelector=" + query_escape(selector_text(*labels));
  call.cancel = options_.cancel;
  auto response = rest_.call(call);
  auto list = response ? decode(*response) : Result<value::Value>(response.error());
  const value::Value* items = list ? list->get("items") : nullptr;
  if (!items) return 0;
  size_t failed = 0;
  for (const value::Value& item : items->items()) {
    if (!item.as_map()) continue;
    value::Value pod = value::Value::map(value::make_map());
    for (const auto& [key, v] : *item.as_map()) pod.as_map()->set(key, v);
    pod.as_map()->set("kind", value::str("Pod"));
    const Progress p = object_status(pod, "", clock_.now_ns());
    failed += p.state == State::kFailed && p.message != "Pod could not be scheduled";
  }
  return failed;
}

void Waiter::plan(const Objects& objects) {
  targets_.reserve(objects.size());
  std::map<std::string, Watch*> by_path;
  for (const Object& o : objects) {
    const value::Value* spec = o.tree.get("spec");
    const value::Value* paused = spec ? spec->get("paused") : nullptr;
    const bool deployment = o.kind == "Deployment" && o.group == "apps";
    if (what_ != WaitFor::kGone && deployment && paused && value::truth(*paused)) continue;
    targets_.push_back({&o, {}, {}});
    const std::string path = collection_path(o.group, o.version, o.plural, o.namespaced, o.ns);
    Watch*& w = by_path[path];
    if (!w) {
      watches_.push_back(std::make_unique<Watch>(bell_));
      w = watches_.back().get();
      w->path = path;
    }
    targets_.back().watch = w;
    w->targets[o.name] = &targets_.back();
  }
  for (auto& w : watches_) {
    if (w->targets.size() == 1) w->field = "fieldSelector=" + query_escape("metadata.name=" + w->targets.begin()->first) + "&";
  }
}

void Waiter::begin(Watch& w) {
  w.retry_at = 0;
  w.partial.clear();
  w.seen.clear();
  {
    Lock held(w.bell.mutex);
    w.inbox.clear();
    w.ended.reset();
  }
  Call call;
  call.path = w.path;
  call.cancel = options_.cancel;
  call.query = cat(w.field, "allowWatchBookmarks=true&");
  if (w.plain_list) {
    if (auto listed = list(w); !listed) {
      Lock held(w.bell.mutex);
      w.ended = std::move(listed);
      return;
    }
    append(call.query, {"resourceVersion=", w.version, "&watch=true"});
  } else {
    call.query += "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true";
  }
  w.pending = rest_.open(
      call,
      [&w](std::string_view piece) {
        Lock held(w.bell.mutex);
        if (w.inbox.size() > kFullInbox) return Rest::Flow::kPause;
        w.inbox.append(piece);
        w.bell.changed.notify_all();
        return Rest::Flow::kContinue;
      },
      [&w](Status status) {
        Lock held(w.bell.mutex);
        w.ended = std::move(status);
        w.bell.changed.notify_all();
      });
}

Status Waiter::list(Watch& w) {
  Call call;
  call.path = w.path;
  call.query = without_suffix(w.field, "&");
  call.cancel = options_.cancel;
  const value::Value answer = TRY(decode(TRY(rest_.call(call))));
  w.version = text(answer, {"metadata", "resourceVersion"});
  if (const value::Value* items = answer.get("items")) {
    for (const value::Value& item : items->items()) see(w, item, false);
  }
  synced(w);
  return ok();
}

void Waiter::see(Watch& w, const value::Value& object, bool deleted) {
  const auto it = w.targets.find(text(object, {"metadata", "name"}));
  if (it == w.targets.end()) return;
  Target& t = *it->second;
  w.seen[it->first] = true;
  changed_ = true;
  if (deleted) {
    // What is deleted under Helm 3's eyes counts as done.
    const bool done = legacy() && what_ == WaitFor::kHooks;
    t.progress = {done ? State::kCurrent : State::kNotFound, "Resource not found"};
    return;
  }
  // Items of a list carry no kind.
  value::Value live = object;
  if (text(object, {"kind"}).empty() && object.as_map()) {
    live = value::Value::map(value::make_map());
    for (const auto& [key, v] : *object.as_map()) live.as_map()->set(key, v);
    live.as_map()->set("kind", value::str(t.object->kind));
  }
  t.progress = judge(*t.object, live);
  if (const value::Value* spec = live.get("spec"); spec && t.object->kind == "Deployment") {
    const value::Value* paused = spec->get("paused");
    t.skipped = what_ == WaitFor::kReady && paused && value::truth(*paused);
  }
  const bool by_time = t.object->kind == "Pod" && t.progress.message == "Pod has not been scheduled";
  t.pod = by_time ? live : value::Value();
}

void Waiter::synced(Watch& w) {
  for (auto& [name, target] : w.targets) {
    if (w.seen.contains(name)) continue;
    // Never seen: Unknown, as Helm has it; seen in an earlier life of the watch: gone meanwhile.
    if (w.synced && target->progress.state != State::kUnknown) {
      target->progress = {State::kNotFound, "Resource not found"};
    }
  }
  w.synced = changed_ = true;
  w.trouble.clear();
  w.pause = kFirstPause;
}

Status Waiter::frame(Watch& w, std::string_view line) {
  auto event = json::read(line, {json::Numbers::kExact});
  if (!event) return Error::wrap("unable to decode an event from the watch stream", std::move(event).error());
  const value::Value* object = event->get("object");
  if (!object || !object->is_map()) return Error("unable to decode an event from the watch stream");
  const std::string_view type = text(*event, {"type"});
  if (type == "ERROR") {
    http::Response r;
    const value::Value* code = object->get("code");
    r.status = code && code->is_int() ? static_cast<int>(code->as_int()) : 500;
    if (auto body = json::write(*object)) r.body = std::move(*body);
    return status_error(r);
  }
  if (type == "BOOKMARK") {
    const value::Value* metadata = object->get("metadata");
    const value::Value* notes = metadata ? metadata->get("annotations") : nullptr;
    if (notes && text(*notes, {"k8s.io/initial-events-end"}) == "true") synced(w);
  } else {
    see(w, *object, type == "DELETED");
  }
  return ok();
}

// Takes what has come on one watch. Error: the wait cannot go on.
Status Waiter::take(Watch& w) {
  std::string got;
  std::optional<Status> over;
  {
    Lock held(w.bell.mutex);
    got.swap(w.inbox);
    over = std::move(w.ended);
    w.ended.reset();
  }
  if (!got.empty() && w.pending) w.pending->resume();
  Status broken = ok();
  if (!got.empty()) {
    w.partial += got;
    size_t from = 0;
    for (size_t nl; broken && (nl = w.partial.find('\n', from)) != std::string::npos; from = nl + 1) {
      const std::string_view line = std::string_view(w.partial).substr(from, nl - from);
      if (!line.empty()) broken = frame(w, line);
    }
    w.partial.erase(0, from);
    if (w.partial.size() > kMaxFrame) broken = Error("a watch event is too large");
  }
  if (!broken) return ended(w, broken);
  if (over) return ended(w, *over);
  return ok();
}

Status Waiter::ended(Watch& w, const Status& status) {
  w.pending.reset();
  {
    Lock held(w.bell.mutex);
    w.inbox.clear();
    w.ended.reset();
  }
  if (!status) {
    const auto* api = status.error().find<ApiStatus>();
    const int code = api ? api->code : 0;
    if (code == 403) return status.error();
    if (code == 404) {
      w.finished = true;
      if (what_ == WaitFor::kGone) w.synced = true;
      return ok();
    }
    if (!w.plain_list && (code == 400 || code == 422)) {
      w.plain_list = true;
      w.retry_at = clock_.monotonic_ns();
      return ok();
    }
    w.trouble = status.error().text();
    changed_ = true;
  }
  w.retry_at = clock_.monotonic_ns() + w.pause;
  w.pause = std::min(w.pause * 2, kLongestPause);
  return ok();
}

bool Waiter::done() const {
  if (what_ == WaitFor::kGone) {
    for (const auto& w : watches_) {
      if (!w->synced) return false;
    }
  }
  return std::all_of(targets_.begin(), targets_.end(), [&](const Target& t) {
    const State s = t.progress.state;
    if (what_ == WaitFor::kGone) return s == State::kNotFound || s == State::kUnknown;
    return t.skipped || s == State::kCurrent || s == State::kFailed;
  });
}

void Waiter::tell() {
  if (!options_.progress || !changed_) return;
  for (const auto& w : watches_) {  // nothing is known yet
    if (!w->synced && !w->finished && w->trouble.empty()) return;
  }
  changed_ = false;
  std::vector<NotReady> now;
  for (const Target& t : targets_) {
    const State s = t.progress.state;
    if (what_ == WaitFor::kGone ? s == State::kNotFound || s == State::kUnknown
                                : t.skipped || s == State::kCurrent) {
      continue;
    }
    const std::string& trouble = t.watch->trouble;
    now.push_back({t.object->kind, t.object->ns, t.object->name,
                   std::string(state_name(s)),
                   trouble.empty() ? t.progress.message : "cannot be watched: " + trouble,
                   object_path(*t.object, t.object->name), pod_selector(*t.object)});
  }
  const bool same = std::equal(now.begin(), now.end(), told_.begin(), told_.end(),
                               [](const NotReady& a, const NotReady& b) {
                                 return a.name == b.name && a.kind == b.kind && a.ns == b.ns &&
                                        a.status == b.status && a.message == b.message;
                               });
  if (same) return;
  options_.progress(now);
  told_ = std::move(now);
}

// Helm 3's words: of each object what failed, or that time is over.
std::string Waiter::legacy_verdict(std::string_view over) const {
  if (what_ == WaitFor::kGone) return std::string(over);
  std::string lines;
  for (const Target& t : targets_) {
    if (t.progress.state == State::kCurrent) continue;
    append(lines, {lines.empty() ? "" : "\n",
                   t.progress.state == State::kFailed ? std::string_view(t.progress.message)
                                                      : "timed out waiting for the condition"});
  }
  return lines;
}

Status Waiter::verdict(std::string_view over) const {
  std::string lines;
  const bool gone = what_ == WaitFor::kGone;
  for (const Target& t : targets_) {
    const State s = t.progress.state;
    const bool good = gone ? s == State::kNotFound || s == State::kUnknown : t.skipped || s == State::kCurrent;
    if (good) continue;
    append(lines, {lines.empty() ? "" : "\n", "resource ", t.object->kind, "/", t.object->ns, "/",
                   t.object->name, gone ? " still exists. status: " : " not ready. status: ",
                   state_name(s), ", message: ", t.progress.message});
  }
  if (!over.empty()) append(lines, {lines.empty() ? "" : "\n", over});
  if (legacy()) lines = legacy_verdict(over);
  if (lines.empty()) return ok();
  return Error(over.empty()                    ? Code::kFailedPrecondition
               : over == "context canceled" ? Code::kCancelled
                                               : Code::kDeadlineExceeded,
               std::move(lines));
}

bool Waiter::news() const {
  for (const auto& w : watches_) {
    if (!w->inbox.empty() || w->ended) return true;
  }
  return false;
}

Status Waiter::run(const Objects& objects) {
  plan(objects);
  if (targets_.empty()) return ok();
  const int64_t timeout = options_.timeout_ms > 0 ? options_.timeout_ms : kDefaultTimeoutMs;
  const int64_t deadline = clock_.monotonic_ns() + timeout * 1'000'000;
  for (auto& w : watches_) begin(*w);
  int64_t checked = clock_.monotonic_ns();
  for (;;) {
    for (auto& w : watches_) TRY(take(*w));
    const int64_t now = clock_.monotonic_ns();
    if (now - checked > kWindowCheck) {
      checked = now;
      for (Target& t : targets_) {
        if (!t.pod.is_nil()) t.progress = judge(*t.object, t.pod);
      }
      changed_ = true;
    }
    tell();
    if (done()) return verdict("");
    if (options_.cancel && options_.cancel->cancelled()) return verdict("context canceled");
    if (now >= deadline) return verdict("context deadline exceeded");
    for (auto& w : watches_) {
      if (!w->pending && !w->finished && w->retry_at <= now) begin(*w);
    }
    Lock held(bell_.mutex);
    const Deadline nap{
        std::chrono::milliseconds(std::min<int64_t>(100, (deadline - now) / 1'000'000 + 1))};
    while (!news() && bell_.changed.wait_until(bell_.mutex, nap)) {
    }
  }
}

}  // namespace

std::string pod_selector(const Object& object) {
  if (object.kind == "Job" && object.group == "batch") return "job-name=" + object.name;
  const value::Value* spec = object.tree.get("spec");
  const value::Value* selector = spec ? spec->get("selector") : nullptr;
  if (!selector) return "";
  if (object.kind == "ReplicationController" && object.group.empty()) return selector_text(*selector);
  const value::Value* labels = object.group == "apps" ? selector->get("matchLabels") : nullptr;
  return labels ? selector_text(*labels) : "";
}

Status wait_for(Rest& rest, sys::Clock& clock, const Objects& objects, WaitFor what,
                const WaitOptions& options) {
  return Waiter(rest, clock, what, options).run(objects);
}

}  // namespace pintle::kube
