#include "kube/explain.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "kube/discovery.h"
#include "kube/live.h"

namespace pintle::kube {
namespace {

constexpr int64_t kPatienceMs = 5000;  // the user waits for an error message
constexpr int kLogLines = 10;
constexpr size_t kLongestLine = 500;

std::string said(const value::Value& root, Keys path) { return std::string(text(root, path)); }

// Output and messages come from strangers: one line of what can be printed.
std::string printable(std::string_view s) {
  std::string out;
  for (const char c : s.substr(0, kLongestLine)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return std::string(trim_space(out));
}

bool still_starting(std::string_view reason) {
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

class Inquiry {
 public:
  Inquiry(Rest& rest, const ExplainOptions& options) : rest_(rest), options_(options) {}

  Cause ask(const NotReady& n) {
    cause_ = {n.kind, n.ns, n.name, "", "", "", "", {}};
    if (n.kind == "Pod") {
      if (const value::Value pod = get(n.path, ""); pod.is_map()) look_at(pod);
    } else if (!n.selector.empty()) {
      pods(n.ns, n.selector);
    }
    const bool no_more_than_starting = still_starting(cause_.reason);
    if (no_more_than_starting && n.kind != "Pod") own_words(get(n.path, ""));
    if (still_starting(cause_.reason)) events(n.ns, n.kind, n.name);
    if (cause_.reason.empty() && cause_.message.empty()) cause_.message = n.message;
    return std::move(cause_);
  }
  bool answered() const { return answered_; }

 private:
  // Nil when it cannot be had.
  value::Value get(std::string path, std::string query) {
    if (!answered_ || path.empty()) return {};
    Call call;
    call.path = std::move(path);
    call.query = std::move(query);
    call.timeout_ms = kPatienceMs;
    call.retry = false;
    call.cancel = options_.cancel;
    auto response = rest_.call(call);
    if (!response) {
      answered_ = response.error().find<ApiStatus>() != nullptr;
      return {};
    }
    auto tree = decode(*response);
    return tree ? std::move(*tree) : value::Value();
  }

  void pods(const std::string& ns, const std::string& selector) {
    const value::Value list = get(collection_path("", "v1", "pods", true, ns),
                                  cat("labelSelector=", query_escape(selector), "&limit=50"));
    std::vector<const value::Value*> newest_first;
    for (const value::Value& pod : items(list, {"items"})) newest_first.push_back(&pod);
    std::ranges::stable_sort(newest_first, std::greater<>(), [](const value::Value* pod) {
      return said(*pod, {"metadata", "creationTimestamp"});
    });
    for (const value::Value* pod : newest_first) {
      look_at(*pod);
      if (!still_starting(cause_.reason)) return;
    }
  }

  void look_at(const value::Value& pod) {
    const std::string ns = said(pod, {"metadata", "namespace"}), name = said(pod, {"metadata", "name"});
    if (said(pod, {"status", "phase"}) == "Succeeded") return;
    bool ready = false;
    for (const value::Value& c : items(pod, {"status", "conditions"})) {
      const std::string type = said(c, {"type"}), is = said(c, {"status"});
      if (type == "Ready" && is == "True") ready = true;
      if (type == "PodScheduled" && is == "False") {
        return found(name, "", said(c, {"reason"}), said(c, {"message"}));
      }
    }
    if (ready) return;
    for (const char* field : {"initContainerStatuses", "containerStatuses"}) {
      for (const value::Value& c : items(pod, {"status", field})) {
        if (look_at_container(ns, name, c)) return;
      }
    }
    const std::string starting = cause_.reason;
    cause_.reason.clear();
    events(ns, "Pod", name);
    if (!cause_.reason.empty()) {
      cause_.pod = name;
    } else {
      cause_.reason = starting;
    }
  }

  // True when it tells why.
  bool look_at_container(const std::string& ns, const std::string& pod, const value::Value& c) {
    const value::Value* ready = c.get("ready");
    if (ready && value::truth(*ready)) return false;
    for (const char* state : {"waiting", "terminated"}) {
      const value::Value* now = at(c, {"state", state});
      const std::string reason = now ? said(*now, {"reason"}) : "";
      if (reason == "Completed" || reason.empty()) continue;
      std::string message = said(*now, {"message"});
      if (const value::Value* code = now->get("exitCode"); code && message.empty()) {
        message = cat("exit code ", code->as_int());
      }
      if (const value::Value* last = at(c, {"lastState", "terminated", "exitCode"})) {
        const std::string why = said(c, {"lastState", "terminated", "reason"});
        append(message, {message.empty() ? "" : "; ", "it ended with exit code ",
                         std::to_string(last->as_int()), why.empty() || why == "Error" ? "" : " ",
                         why == "Error" ? "" : why});
      }
      found(pod, said(c, {"name"}), reason, message);
      if (still_starting(reason)) continue;
      const bool ran = reason != "ErrImagePull" && reason != "ImagePullBackOff" &&
                       reason != "InvalidImageName" && reason != "CreateContainerConfigError";
      if (ran) last_lines(ns);
      return true;
    }
    return false;
  }

  void found(std::string_view pod, std::string container, std::string reason,
             const std::string& message) {
    cause_.pod = pod;
    cause_.container = std::move(container);
    cause_.reason = std::move(reason);
    cause_.message = printable(message);
  }

  // What the object itself says: pods that cannot be made, a finalizer that holds it, a condition.
  void own_words(const value::Value& object) {
    if (!object.is_map()) return;
    const auto finalizers = items(object, {"metadata", "finalizers"});
    if (!said(object, {"metadata", "deletionTimestamp"}).empty() && !finalizers.empty()) {
      std::string names;
      for (const value::Value& f : finalizers) {
        if (f.is_string()) append(names, {names.empty() ? "" : ", ", f.as_string()});
      }
      return found("", "", "Finalizers", cat("deletion waits for ", names));
    }
    for (const value::Value& c : items(object, {"status", "conditions"})) {
      const std::string type = said(c, {"type"}), is = said(c, {"status"});
      const bool bad = is == "False" ? type == "Ready" || type == "Progressing" || type == "Established"
                                     : is == "True" && (type == "ReplicaFailure" || type == "Failed");
      if (!bad) continue;
      found("", "", said(c, {"reason"}), said(c, {"message"}));
      if (type == "ReplicaFailure") return;  // nothing else is nearer to the cause
    }
  }

  // The latest warning about one object; without one the latest event.
  void events(const std::string& ns, const std::string& kind, const std::string& name) {
    const value::Value list =
        get(collection_path("", "v1", "events", true, ns.empty() ? "default" : ns),
            cat("fieldSelector=",
                query_escape(cat("involvedObject.kind=", kind, ",involvedObject.name=", name)),
                "&limit=100"));
    std::string latest;
    for (const value::Value& event : items(list, {"items"})) {
      std::string time = said(event, {"lastTimestamp"});
      if (time.empty()) time = said(event, {"eventTime"});
      // Warnings sort behind all others.
      time.insert(0, said(event, {"type"}) == "Warning" ? "1" : "0");
      if (time < latest) continue;
      latest = time;
      cause_.reason = said(event, {"reason"});
      cause_.message = printable(said(event, {"message"}));
    }
  }

  void last_lines(const std::string& ns) {
    if (!options_.log || !answered_) return;
    Call call;
    call.path = cat(collection_path("", "v1", "pods", true, ns), "/", cause_.pod, "/log");
    call.query = cat("container=", query_escape(cause_.container), "&tailLines=", kLogLines,
                     "&limitBytes=16384");
    call.accept = "*/*";
    call.timeout_ms = kPatienceMs;
    call.retry = false;
    call.cancel = options_.cancel;
    const auto response = rest_.call(call);
    if (!response) return;
    for (std::string_view line : split(response->body, "\n")) {
      if (std::string clean = printable(line); !clean.empty()) cause_.log.push_back(std::move(clean));
    }
  }

  Rest& rest_;
  const ExplainOptions& options_;
  Cause cause_;
  bool answered_ = true;
};

}  // namespace

std::vector<Cause> explain(Rest& rest, const std::vector<NotReady>& not_ready,
                           const ExplainOptions& options) {
  std::vector<Cause> out;
  Inquiry inquiry(rest, options);
  for (const NotReady& n : not_ready) {
    if (out.size() == options.most || !inquiry.answered()) break;
    out.push_back(inquiry.ask(n));
  }
  return out;
}

std::string short_text(const Cause& c) {
  std::string out = cat(c.reason, c.reason.empty() || c.message.empty() ? "" : ": ", c.message);
  if (!c.pod.empty() && c.kind != "Pod") append(out, {" (pod ", c.pod});
  if (!c.container.empty()) append(out, {c.pod.empty() || c.kind == "Pod" ? " (" : ", ", "container ", c.container});
  if ((!c.pod.empty() && c.kind != "Pod") || !c.container.empty()) out += ")";
  return out;
}

std::string text(const Causes& causes) {
  std::string out;
  for (const Cause& c : causes.list) {
    const std::string why = short_text(c);
    append(out, {"Cause: ", c.kind, " ", c.ns, c.ns.empty() ? "" : "/", c.name, ": ",
                 why.empty() ? "the server does not say" : why, "\n"});
    for (const std::string& line : c.log) append(out, {"  | ", line, "\n"});
  }
  return out;
}

}  // namespace pintle::kube
