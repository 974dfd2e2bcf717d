#include "kube/real_cluster.h"

#include <optional>

#include "base/gotext.h"
#include "base/strings.h"
#include "kube/apply.h"
#include "kube/builder.h"
#include "kube/discovery.h"
#include "kube/explain.h"
#include "kube/legacy_wait.h"
#include "kube/wait.h"

namespace pintle::kube {
namespace {

constexpr std::string_view kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,"
    "application/json";
constexpr int kPageSize = 500;

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

// What stands in a list has no kind of its own; client-go gives it the list's.
void name_items(value::Value& list) {
  const std::string kind = text_at(list, "kind"), version = text_at(list, "apiVersion");
  const value::Value* items = list.get("items");
  if (!items || !kind.ends_with("List")) return;
  for (const value::Value& item : items->items()) {
    if (!item.is_map() || item.get("kind")) continue;
    item.as_map()->set("kind", value::str(kind.substr(0, kind.size() - 4)));
    item.as_map()->set("apiVersion", value::str(version));
  }
}

class RealCluster final : public Cluster {
 public:
  RealCluster(Rest& rest, ClusterSettings settings)
      : rest_(rest), settings_(std::move(settings)),
        discovery_(rest_, settings_.cache_directory, settings_.disk, settings_.clock) {}

  Status reachable() override {
    auto got = fetch_version();
    if (!got) return Error::wrap("kubernetes cluster unreachable", std::move(got).error());
    return ok();
  }

  Result<Version> version() override {
    if (!version_) TRY(fetch_version());
    return *version_;
  }

  Result<std::vector<std::string>> api_versions() override { return discovery_.api_versions(); }
  void invalidate_discovery() override { discovery_.invalidate(); }
  void interrupt_by(const http::Cancel* cancel) override { rest_.interrupt_by(cancel); }

  // Field validation is the server's: every apply says fieldValidation.
  Result<Objects> build(std::string_view manifest, bool) override {
    return build_objects(manifest, settings_.ns, discovery_);
  }

  Result<value::Value> get(const Object& object) override { return get_object(rest_, object); }
  Result<Objects> create(const Objects& objects, const ApplyOptions& options) override {
    return create_objects(rest_, objects, options);
  }
  Status update(const Objects& original, const Objects& target, const ApplyOptions& options,
                UpdateReport& report) override {
    return update_objects(rest_, settings_.log, original, target, options, report);
  }
  std::vector<Error> remove(const Objects& objects, Propagation propagation, Objects& removed) override {
    return remove_objects(rest_, objects, propagation, removed);
  }

  Status wait(const Objects& objects, const WaitOptions& options) override {
    if (options.strategy == WaitStrategy::kHookOnly) return ok();
    return explained(options, [&](const WaitOptions& o) {
      return o.strategy == WaitStrategy::kLegacy
                 ? legacy_wait(rest_, settings_.clock, objects, o)
                 : wait_for(rest_, settings_.clock, objects, WaitFor::kReady, o);
    });
  }
  Status wait_for_delete(const Objects& objects, const WaitOptions& options) override {
    if (options.strategy == WaitStrategy::kHookOnly) return ok();
    return explained(options, [&](const WaitOptions& o) {
      return wait_for(rest_, settings_.clock, objects, WaitFor::kGone, o);
    });
  }
  Status watch_until_ready(const Objects& objects, const WaitOptions& options) override {
    Objects awaited;  // others are ready at once, without asking
    for (const Object& o : objects) {
      if ((o.group == "batch" && o.kind == "Job") || (o.group.empty() && o.kind == "Pod")) {
        awaited.push_back(o);
      }
    }
    return explained(options, [&](const WaitOptions& o) {
      return wait_for(rest_, settings_.clock, awaited, WaitFor::kHooks, o);
    });
  }

  Result<value::Value> lookup(std::string_view api_version, std::string_view kind,
                              std::string_view ns, std::string_view name) override {
    const size_t slash = api_version.find('/');
    const bool core = slash == std::string_view::npos;
    const Resource r = TRY(discovery_.find(core ? "" : api_version.substr(0, slash),
                                           core ? api_version : api_version.substr(slash + 1), kind));
    Object o;
    o.group = r.group;
    o.version = r.version;
    o.kind = r.kind;
    o.plural = r.plural;
    o.namespaced = r.namespaced;
    if (r.namespaced) o.ns = ns;
    Call call;
    call.path = object_path(o, name);
    auto response = rest_.call(call);
    if (!response) {
      if (is_not_found(response.error())) return value::Value::map(value::make_map());
      return std::move(response).error();
    }
    return decode(*response);
  }

  Result<std::vector<value::Value>> pods(std::string_view ns, std::string_view selector) override {
    std::vector<value::Value> out;
    std::string next;
    do {
      Call call;
      call.path = collection_path("", "v1", "pods", true, ns);
      call.query = cat("labelSelector=", query_escape(selector), "&limit=", kPageSize);
      if (!next.empty()) append(call.query, {"&continue=", query_escape(next)});
      const value::Value list = TRY(decode(TRY(rest_.call(call))));
      if (const value::Value* items = list.get("items")) {
        out.insert(out.end(), items->items().begin(), items->items().end());
      }
      const value::Value* metadata = list.get("metadata");
      next = metadata ? text_at(*metadata, "continue") : "";
    } while (!next.empty());
    return out;
  }

  Status pod_log(std::string_view ns, std::string_view pod, std::string_view container,
                 const std::function<bool(std::string_view)>& piece) override {
    Call call;
    call.path = cat(collection_path("", "v1", "pods", true, ns), "/", pod, "/log");
    if (!container.empty()) call.query = "container=" + query_escape(container);
    call.accept = "application/json, */*";
    return rest_.stream(call, piece);
  }

  Result<value::Value> table(const Object& object) override {
    Call call;
    call.path = object_path(object, object.name);
    call.query = "includeObject=Object";
    call.accept = std::string(kTable);
    return decode(TRY(rest_.call(call)));
  }

  Result<value::Value> pod_list(std::string_view ns, std::string_view selector,
                                bool table) override {
    Call call;
    call.path = collection_path("", "v1", "pods", true, ns);
    call.query = cat(table ? "includeObject=Object&" : "", "labelSelector=", query_escape(selector));
    if (table) call.accept = std::string(kTable);
    value::Value list = TRY(decode(TRY(rest_.call(call))));
    if (!table) name_items(list);
    return list;
  }

 private:
  // Runs a wait; its error carries why, asked while what failed is still there.
  template <typename Wait>
  Status explained(const WaitOptions& options, const Wait& wait) {
    std::vector<NotReady> last;
    WaitOptions own = options;
    own.progress = [&](const std::vector<NotReady>& now) {
      last = now;
      if (options.progress) options.progress(now);
    };
    Status done = wait(own);
    if (options.progress) options.progress({});
    if (done || last.empty() || done.error().code() == Code::kCancelled) return done;
    auto causes = std::make_unique<Causes>();
    causes->list = explain(rest_, last);
    Error error = Error::with_cause(done.error().text(), done.error());
    error.set_detail(std::move(causes));
    return error;
  }

  Status fetch_version() {
    Call call;
    call.path = "/version";
    auto response = rest_.call(call);
    if (!response) {
      // client-go does not decode this answer: it words a refusal by the code, or by what is no JSON.
      const auto* s = response.error().find<ApiStatus>();
      if (s && s->code == 401) {
        return Error::with_cause("the server has asked for the client to provide credentials",
                                 std::move(response).error());
      }
      if (s && s->code == 403) {
        const std::string_view said = trim_space(s->raw);
        return Error::with_cause(said.empty() || said.starts_with('{') ? "unknown" : std::string(said),
                                 std::move(response).error());
      }
      return std::move(response).error();
    }
    const auto decoded = decode(*response);
    if (!decoded) return Error::wrap("unable to parse the server version", decoded.error());
    const value::Value& v = *decoded;
    version_ = Version{text_at(v, "gitVersion"), text_at(v, "major"), text_at(v, "minor")};
    return ok();
  }

  Rest& rest_;
  ClusterSettings settings_;
  Discovery discovery_;
  std::optional<Version> version_;
};

}  // namespace

std::unique_ptr<Cluster> make_cluster(Rest& rest, ClusterSettings settings) {
  return std::make_unique<RealCluster>(rest, std::move(settings));
}

}  // namespace pintle::kube
