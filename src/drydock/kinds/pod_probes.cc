// Probes, and what runs when a container starts and stops.
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void http_get(const Value& get, const std::string& path, std::vector<Cause>& causes) {
  if (text(get, "path").empty()) required(causes, path + ".path");
  port_or_name(causes, path + ".port", at(get, "port"));
  one_of(causes, path + ".scheme", text(get, "scheme"), {"HTTP", "HTTPS"});
  for (const Value& header : items(get, "httpHeaders")) {
    complain(causes, path + ".httpHeaders", text(header, "name"), is_http_header(text(header, "name")));
  }
}

void handler(const Value& h, const PodParts& pod, const std::string& path) {
  auto& causes = pod.causes;
  bool found = false;
  for (std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Value* action = at(h, kind);
    if (!action) continue;
    const std::string here = child(path, kind);
    if (found) {
      forbidden_field(causes, here, "may not specify more than 1 handler type");
      continue;
    }
    found = true;
    if (kind == "exec" && items(*action, "command").empty()) required(causes, here + ".command");
    if (kind == "httpGet") http_get(*action, here, causes);
    if (kind == "tcpSocket" || kind == "grpc") port_or_name(causes, here + ".port", at(*action, "port"));
    if (const int64_t n = number(*action, "seconds"); kind == "sleep" && (n < 0 || n > pod.grace())) {
      invalid_value(causes, here, make(n),
                    cat("must be non-negative and less than terminationGracePeriodSeconds (", pod.grace(), ")"));
    }
  }
  if (!found) required(causes, path, "must specify a handler type");
}

void probe(const Value& p, std::string_view kind, const PodParts& pod, const std::string& path) {
  auto& causes = pod.causes;
  handler(p, pod, path);
  for (std::string_view n : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
                             "failureThreshold"}) {
    non_negative(p, n, path, causes);
  }
  const Value* grace = at(p, "terminationGracePeriodSeconds");
  if (grace && as_number(grace, 0) <= 0) {
    invalid_value(causes, path + ".terminationGracePeriodSeconds", *grace, "must be greater than 0");
  }
  if (kind == "readinessProbe") {
    if (!grace) return;
    invalid_value(causes, path + ".terminationGracePeriodSeconds", *grace, "must not be set for readinessProbes");
  } else if (const int64_t n = number(p, "successThreshold"); n != 1) {
    invalid_value(causes, path + ".successThreshold", make(n), "must be 1");
  }
}

}  // namespace

void validate_probes(const Value& container, const PodParts& pod, const std::string& path) {
  for (std::string_view kind : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    if (const Value* p = at(container, kind)) probe(*p, kind, pod, child(path, kind));
  }
}

void validate_lifecycle(const Value& container, const PodParts& pod, const std::string& path) {
  for (std::string_view hook : {"postStart", "preStop"}) {
    if (const Value* h = at(container, "lifecycle", hook)) handler(*h, pod, cat(path, ".lifecycle.", hook));
  }
}

}  // namespace pintle::drydock
