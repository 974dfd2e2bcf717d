// Subresources that are more than a part of the object: log, eviction, binding, finalize.

#include <algorithm>
#include <optional>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/decode.h"
#include "drydock/go_time.h"
#include "drydock/rest.h"
#include "drydock/validation.h"
#include "drydock/write_options.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

struct LogOptions {
  std::string container;
  std::optional<int64_t> tail_lines, since_seconds, limit_bytes;
  bool previous = false, timestamps = false;
};

Result<LogOptions> read_log_options(const ApiRequest& r) {
  LogOptions out;
  out.container = r.parameter("container");
  out.previous = r.flag("previous");
  out.timestamps = r.flag("timestamps");
  std::pair<std::string_view, std::optional<int64_t>*> numbers[] = {
      {"limitBytes", &out.limit_bytes}, {"sinceSeconds", &out.since_seconds}, {"tailLines", &out.tail_lines}};
  for (auto& [name, to] : numbers) {
    const std::string* given = httpd::find(r.query, name);
    if (!given) continue;
    ParseError error;
    *to = parse_int(*given, 10, 64, &error);
    if (error == ParseError::kNone) continue;
    return bad_request(cat("strconv.ParseInt: parsing ", quote(*given), ": ",
                           error == ParseError::kRange ? "value out of range" : "invalid syntax"));
  }
  const std::string* since = httpd::find(r.query, "sinceTime");
  if (since) {
    if (Status s = check_time(*since); !s) return bad_request(s.error().text());
  }
  std::vector<Cause> causes;
  auto positive = [&](std::string_view field, const std::optional<int64_t>& n, int64_t least, std::string_view why) {
    if (n && *n < least) invalid_value(causes, std::string(field), make(*n), why);
  };
  positive("tailLines", out.tail_lines, 0, "must be greater than or equal to 0");
  positive("limitBytes", out.limit_bytes, 1, "must be greater than 0");
  if (since && out.since_seconds) {
    forbidden_field(causes, "[]", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else {
    positive("sinceSeconds", out.since_seconds, 1, "must be greater than 0");
  }
  if (httpd::find(r.query, "stream")) forbidden_field(causes, "stream", "may not be specified");
  if (!causes.empty()) return invalid("", "PodLogOptions", r.name, std::move(causes));
  return out;
}

// What the simulated container wrote: one line at its start, and the end of the one before it.
Result<std::string> container_log(const Value& pod, const LogOptions& options, int64_t now_ns) {
  const std::string name(name_of(pod));
  for (std::string_view group : {"containerStatuses", "initContainerStatuses"}) {
    for (const Value& s : items(pod, "status", group)) {
      if (text(s, "name") != options.container) continue;
      if (options.previous && !has(s, "lastState", "terminated")) {
        return bad_request(cat("previous terminated container ", quote(options.container), " in pod ", quote(name), " not found"));
      }
      const Value* waiting = at(s, "state", "waiting");
      if (waiting && !options.previous) {
        return bad_request(cat("container ", quote(options.container), " in pod ", quote(name), " is waiting to start: ",
                               text(*waiting, "reason")));
      }
      const std::string_view state = options.previous ? "lastState" : "state";
      std::string_view since = text(s, state, "running", "startedAt");
      if (since.empty()) since = text(s, state, "terminated", "startedAt");
      std::string out = cat(options.timestamps ? cat(since, " ") : std::string(), "container ", options.container, " of pod ", name,
                            " started with image ", text(s, "image"), "\n");
      constexpr int64_t kSecond = 1'000'000'000;
      const bool too_old = options.since_seconds && since < time_text(now_ns - *options.since_seconds * kSecond);
      if (too_old || (options.tail_lines && *options.tail_lines == 0)) out.clear();
      if (options.limit_bytes) out = out.substr(0, static_cast<size_t>(*options.limit_bytes));
      return out;
    }
  }
  return bad_request(cat("container ", options.container, " is not valid for pod ", name));
}

Result<httpd::Response> log(Rest& rest, const ApiRequest& r) {
  LogOptions options = TRY(read_log_options(r));
  Lock held(rest.machine.lock());
  const Value pod = TRY(rest.machine.get({"", "pods", r.ns, r.name}));
  std::vector<std::string> names;
  for (std::string_view group : {"containers", "initContainers"}) {
    if (group == "initContainers" && options.container.empty()) break;
    for (const Value& c : items(pod, "spec", group)) names.emplace_back(text(c, "name"));
  }
  if (options.container.empty() && names.size() > 1) {
    return bad_request(cat("a container name must be specified for pod ", r.name, ", choose one of: [", join(names, " "), "]"));
  }
  if (options.container.empty() && !names.empty()) options.container = names[0];
  if (std::find(names.begin(), names.end(), options.container) == names.end()) {
    return bad_request(cat("container ", options.container, " is not valid for pod ", r.name));
  }
  const std::string node(text(pod, "spec", "nodeName"));
  if (node.empty()) return text_response(200, "", "text/plain");
  if (!rest.machine.get({"", "nodes", "", node})) return not_found("", "pods", node);  // the server asks for it by that kind
  return text_response(200, TRY(container_log(pod, options, rest.machine.now_ns())), "text/plain");
}

Result<httpd::Response> success(int code) {
  return text_response(code, cat("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":", code, "}\n"));
}

// May the pod go, by the budget it falls under? Takes the disruption from the budget's status, which
// its controller counts anew later.
Status charge_budget(Machine& machine, const Value& pod) REQUIRES(machine.lock()) {
  const std::string_view phase = text(pod, "status", "phase");
  if (phase == "Pending" || phase == "Succeeded" || phase == "Failed" || has(pod, "metadata", "deletionTimestamp")) return ok();
  for (Value& budget : machine.list("policy", "poddisruptionbudgets", namespace_of(pod), "")) {
    if (!selector_matches(at(budget, "spec", "selector"), at(pod, "metadata", "labels"))) continue;
    const std::string_view name = name_of(budget);
    const int64_t allowed = number(budget, "status", "disruptionsAllowed");
    const bool seen = number(budget, "status", "observedGeneration") >= number(budget, "metadata", "generation");
    if (seen && allowed > 0) {
      put(ensure(budget, "status"), "disruptionsAllowed", allowed - 1);
      TRY(machine.update("policy", "poddisruptionbudgets", std::move(budget), "status"));
      return ok();
    }
    ApiError d;
    d.code = 429;
    d.reason = "TooManyRequests";
    d.retry_after_seconds = seen ? 0 : 10;
    const std::string budget_name = cat("The disruption budget ", name);
    const int64_t healthy = number(budget, "status", "currentHealthy"), desired = number(budget, "status", "desiredHealthy");
    d.causes.push_back({"DisruptionBudget",
                        !seen                ? cat(budget_name, " is still being processed by the server.")
                        : healthy <= desired ? cat(budget_name, " needs ", desired, " healthy pods and has ", healthy, " currently")
                                             : cat(budget_name, " does not allow evicting pods currently"),
                        ""});
    return api_error("Cannot evict pod as it would violate the pod's disruption budget.", std::move(d));
  }
  return ok();
}

Result<httpd::Response> evict(Rest& rest, const ApiRequest& r) {
  const Value body = TRY(decode_object(*r.http, *kind_of_body("policy", "Eviction"), FieldValidation::kWarn)).object;
  if (!name_of(body).empty() && name_of(body) != r.name) return bad_request("name in URL does not match name in Eviction object");
  DeleteOptions options;
  options.grace_seconds = number_or(-1, body, "deleteOptions", "gracePeriodSeconds");
  Lock held(rest.machine.lock());
  TRY(charge_budget(rest.machine, TRY(rest.machine.get({"", "pods", r.ns, r.name}))));
  TRY(rest.machine.remove_object(rest.machine.resource("", "pods"), r.ns, r.name, options));
  return success(201);
}

Result<httpd::Response> bind(Rest& rest, const ApiRequest& r) {
  const Value body = TRY(decode_object(*r.http, *kind_of_body("", "Binding"), FieldValidation::kWarn)).object;
  const std::string name = r.name.empty() ? std::string(name_of(body)) : r.name;
  const std::string_view target = text(body, "target", "name");
  if (target.empty()) return status_error(500, "", "target.name: Required value");
  Lock held(rest.machine.lock());
  Value pod = TRY(rest.machine.get({"", "pods", r.ns, name}));
  if (std::string_view node = text(pod, "spec", "nodeName"); !node.empty()) {
    return conflict("", "pods/binding", name, cat("pod ", name, " is already assigned to node ", quote(node)));
  }
  put(ensure(pod, "spec"), "nodeName", target);
  TRY(rest.machine.update("", "pods", std::move(pod), "binding"));
  return success(201);
}

Result<httpd::Response> finalize(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  Decoded body = TRY(decode_object(*r.http, *resource, FieldValidation::kWarn));
  TRY(settle_place(r, *resource, body.object));
  Lock held(rest.machine.lock());
  Value live = TRY(rest.machine.get({"", "namespaces", "", r.name}));
  copy_entry(ensure(live, "spec"), body.object.get("spec") ? *body.object.get("spec") : empty_map(), "finalizers");
  WriteContext context{.manager = "kube-apiserver", .subresource = "finalize"};
  ObjectPtr made = TRY(rest.machine.update_object(resource, std::move(live), context));
  return object_response(rest, r, resource, *made, 200);
}

Result<httpd::Response> component_status(const ApiRequest& r) {
  if (!r.name.empty()) return not_found("", "componentstatus", r.name);
  return text_response(200, "{\"kind\":\"ComponentStatusList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}\n");
}

}  // namespace

Result<httpd::Response> tree_response(const Value& v, int code) {
  std::string out;
  TRY(json::append(out, v));
  return text_response(code, out + "\n");
}

bool serve_special(Rest& rest, const ApiRequest& r, const ResourcePtr& resource, Result<httpd::Response>* out) {
  if (serve_review(rest, r, resource, out)) return true;
  if (r.subresource == "scale") *out = serve_scale(rest, r, resource);
  else if (r.subresource == "log" && r.verb == "get") *out = log(rest, r);
  else if (r.subresource == "eviction" && r.verb == "create") *out = evict(rest, r);
  else if ((r.subresource == "binding" || r.plural == "bindings") && r.verb == "create") *out = bind(rest, r);
  else if (r.subresource == "finalize" && r.verb == "update") *out = finalize(rest, r, resource);
  else if (r.plural == "componentstatuses") *out = component_status(r);
  else return false;
  return true;
}

}  // namespace pintle::drydock
