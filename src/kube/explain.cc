#include "kube/explain.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/apply.h"
#include "kube/discovery.h"

namespace pintle::kube {
namespace {

constexpr int64_t kPatienceMs = 5000;  // the user waits for an error message
constexpr int kLogLines = 10;

const value::Value* at(const value::Value& root, std::initializer_list<std::string_view> path) {
  const value::Value* v = &root;
  for (std::string_view key : path) {
    if (!(v = v->get(key))) return nullptr;
  }
  return v;
}
std::string text(const value::Value& root, std::initializer_list<std::string_view> path) {
  const value::Value* v = at(root, path);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

class Inquiry {
 public:
  Inquiry(Rest& rest, Cause& cause) : rest_(rest), cause_(cause) {}

  void ask(const Object& o) {
    if (o.kind == "Pod" && o.group.empty()) {
      if (auto pod = get_object(rest_, o)) look_at(*pod);
    } else if (auto live = get_object(rest_, o)) {
      const value::Value* labels = at(*live, {"spec", "selector", "matchLabels"});
      if (labels && labels->as_map()) pods(o.ns, *labels);
    }
    if (cause_.reason.empty()) events(o.ns, o.kind, o.name);
  }

 private:
  value::Value items(std::string path, std::string query) {
    Call call;
    call.path = std::move(path);
    call.query = std::move(query);
    call.timeout_ms = kPatienceMs;
    auto response = rest_.call(call);
    if (!response) return {};
    auto list = decode(*response);
    const value::Value* found = list ? list->get("items") : nullptr;
    return found ? *found : value::Value();
  }

  void pods(const std::string& ns, const value::Value& labels) {
    std::string selector;
    for (const auto& [key, v] : *labels.as_map()) {
      append(selector, {selector.empty() ? "" : ",", key.view(), "=", v.is_string() ? v.as_string() : ""});
    }
    const value::Value list = items(collection_path("", "v1", "pods", true, ns),
                                    cat("labelSelector=", query_escape(selector), "&limit=50"));
    for (const value::Value& pod : list.items()) {
      look_at(pod);
      if (!cause_.reason.empty()) return;
    }
  }

  void look_at(const value::Value& pod) {
    const std::string ns = text(pod, {"metadata", "namespace"}), name = text(pod, {"metadata", "name"});
    for (const char* field : {"initContainerStatuses", "containerStatuses"}) {
      const value::Value* statuses = at(pod, {"status", field});
      if (!statuses) continue;
      for (const value::Value& c : statuses->items()) {
        const value::Value* ready = c.get("ready");
        if (ready && value::truth(*ready)) continue;
        for (const char* state : {"waiting", "terminated"}) {
          const std::string reason = text(c, {"state", state, "reason"});
          if (reason.empty() || reason == "Completed" || reason == "ContainerCreating" ||
              reason == "PodInitializing") {
            continue;
          }
          cause_.reason = reason;
          cause_.message = text(c, {"state", state, "message"});
          cause_.pod = name;
          cause_.container = text(c, {"name"});
          if (reason != "ErrImagePull" && reason != "ImagePullBackOff") last_lines(ns);
          return;
        }
      }
    }
    const value::Value* conditions = at(pod, {"status", "conditions"});
    if (conditions) {
      for (const value::Value& c : conditions->items()) {
        if (text(c, {"type"}) != "PodScheduled" || text(c, {"status"}) != "False") continue;
        cause_.reason = text(c, {"reason"});
        cause_.message = text(c, {"message"});
        cause_.pod = name;
        return;
      }
    }
    if (text(pod, {"status", "phase"}) != "Succeeded") {
      events(ns, "Pod", name);
      if (!cause_.reason.empty()) cause_.pod = name;
    }
  }

  // The latest warning about one object.
  void events(const std::string& ns, const std::string& kind, const std::string& name) {
    const value::Value list =
        items(collection_path("", "v1", "events", true, ns.empty() ? "default" : ns),
              cat("fieldSelector=", query_escape(cat("involvedObject.kind=", kind, ",involvedObject.name=",
                                                     name, ",type=Warning")),
                  "&limit=100"));
    std::string latest;
    for (const value::Value& event : list.items()) {
      std::string time = text(event, {"lastTimestamp"});
      if (time.empty()) time = text(event, {"eventTime"});
      if (!cause_.reason.empty() && time < latest) continue;
      latest = time;
      cause_.reason = text(event, {"reason"});
      cause_.message = text(event, {"message"});
    }
  }

  void last_lines(const std::string& ns) {
    Call call;
    call.path = cat(collection_path("", "v1", "pods", true, ns), "/", cause_.pod, "/log");
    call.query = cat("container=", query_escape(cause_.container), "&tailLines=", kLogLines,
                     "&limitBytes=16384");
    call.accept = "*/*";
    call.timeout_ms = kPatienceMs;
    const auto response = rest_.call(call);
    if (!response) return;
    for (std::string_view line : split(response->body, "\n")) {
      if (!line.empty()) cause_.log.emplace_back(line);
    }
  }

  Rest& rest_;
  Cause& cause_;
};

}  // namespace

std::vector<Cause> explain(Rest& rest, const Objects& objects, const std::vector<NotReady>& not_ready,
                           size_t most) {
  std::vector<Cause> out;
  for (const NotReady& n : not_ready) {
    if (out.size() == most) break;
    const auto o = std::find_if(objects.begin(), objects.end(), [&](const Object& other) {
      return other.kind == n.kind && other.ns == n.ns && other.name == n.name;
    });
    if (o == objects.end()) continue;
    out.push_back({n.kind, n.ns, n.name, "", "", "", "", {}});
    Inquiry(rest, out.back()).ask(*o);
    if (out.back().message.empty() && out.back().reason.empty()) out.back().message = n.message;
  }
  return out;
}

}  // namespace pintle::kube
