// MutatingWebhookConfiguration and ValidatingWebhookConfiguration. Nothing calls the webhooks.
#include <algorithm>
#include <set>

#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void webhook_defaults(Value& object, bool mutating) {
  for (Value& hook : elements(object, "webhooks")) {
    default_absent(hook, "failurePolicy", "Fail");
    default_absent(hook, "matchPolicy", "Equivalent");
    if (!has(hook, "namespaceSelector")) put(hook, "namespaceSelector", empty_map());
    if (!has(hook, "objectSelector")) put(hook, "objectSelector", empty_map());
    if (!has(hook, "timeoutSeconds")) put(hook, "timeoutSeconds", 10);
    if (mutating) default_absent(hook, "reinvocationPolicy", "Never");
    for (Value& rule : elements(hook, "rules")) default_absent(rule, "scope", "*");
    if (Value* service = find(hook, "clientConfig", "service"); service && !has(*service, "port")) {
      put(*service, "port", 443);
    }
  }
}
void mutating_defaults(Value& object) { webhook_defaults(object, true); }
void validating_defaults(Value& object) { webhook_defaults(object, false); }

bool holds(std::span<const Value> list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const Value& v) { return as_text(v) == wanted; });
}

// There must be some; "*" stands alone.
void wildcards(const Value& rule, std::string_view key, std::string_view others, const std::string& path,
               std::vector<Cause>& causes) {
  auto list = items(rule, key);
  if (list.empty()) return required(causes, child(path, key));
  if (list.size() > 1 && holds(list, "*")) {
    invalid_value(causes, child(path, key), *at(rule, key), cat("if '*' is present, must not specify other ", others));
  }
}

void rule_resources(const Value& rule, const std::string& path, std::vector<Cause>& causes) {
  auto list = items(rule, "resources");
  if (list.empty()) return required(causes, path);
  bool plain = false;  // the last without a subresource decides
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view resource = as_text(list[i]);
    if (resource.empty()) required(causes, element(path, i));
    else if (resource.find('/') == resource.npos) plain = resource != "*";
  }
  const Value& shown = *at(rule, "resources");
  if (list.size() > 1 && holds(list, "*/*")) {
    invalid_value(causes, path, shown, "if '*/*' is present, must not specify other resources");
  }
  if (holds(list, "*") && plain) {
    invalid_value(causes, path, shown, "if '*' is present, must not specify other resources without subresources");
  }
}

void rule(const Value& r, const std::string& path, std::vector<Cause>& causes) {
  auto operations = items(r, "operations");
  wildcards(r, "operations", "operations", path, causes);
  for (size_t i = 0; i < operations.size(); ++i) {
    one_of(causes, element(path + ".operations", i), as_text(operations[i]), {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  }
  wildcards(r, "apiGroups", "API groups", path, causes);
  wildcards(r, "apiVersions", "API versions", path, causes);
  auto versions = items(r, "apiVersions");
  for (size_t i = 0; i < versions.size(); ++i) {
    if (as_text(versions[i]).empty()) required(causes, element(path + ".apiVersions", i));
  }
  rule_resources(r, path + ".resources", causes);
  if (has(r, "scope")) one_of(causes, path + ".scope", text(r, "scope"), {"*", "Cluster", "Namespaced"});
}

void url(std::string_view s, const std::string& path, std::vector<Cause>& causes) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const size_t colon = s.find("://");
  const std::string_view scheme = colon == s.npos ? std::string_view() : s.substr(0, colon);
  if (scheme != "https") invalid_value(causes, path, scheme, cat("'https' is the only allowed URL scheme", kForm));
  std::string_view rest = colon == s.npos ? std::string_view() : s.substr(colon + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty()) invalid_value(causes, path, host, cat("host must be specified", kForm));
  if (host.find('@') != host.npos) {
    invalid_value(causes, path, host.substr(0, host.find('@')), "user information is not permitted in the URL");
  }
  if (const size_t n = rest.find('#'); n != rest.npos) {
    invalid_value(causes, path, rest.substr(n + 1), "fragments are not permitted in the URL");
  }
  if (const size_t n = rest.find('?'); n != rest.npos) {
    invalid_value(causes, path, rest.substr(n + 1), "query parameters are not permitted in the URL");
  }
}

void service_path(std::string_view whole, const std::string& path, std::vector<Cause>& causes) {
  if (whole.empty() || whole == "/") return;
  if (whole == "//") return invalid_value(causes, path, whole, "segment[0] may not be empty");
  if (!whole.starts_with('/')) invalid_value(causes, path, whole, "must start with a '/'");
  size_t i = 0;
  for (std::string_view step : split(without_suffix(whole.substr(1), "/"), "/")) {
    const std::string segment = cat("segment[", i++, "]");
    if (step.empty()) invalid_value(causes, path, whole, segment + " may not be empty");
    else for (const std::string& m : is_dns1123_subdomain(step)) invalid_value(causes, path, whole, cat(segment, ": ", m));
  }
}

void client(const Value& hook, const std::string& path, std::vector<Cause>& causes) {
  const Value *address = at(hook, "clientConfig", "url"), *service = at(hook, "clientConfig", "service");
  if (!address == !service) return required(causes, path, "exactly one of url or service is required");
  if (address) return url(as_text(*address), path + ".url", causes);
  // The server takes one for the other.
  if (text(*service, "namespace").empty()) required(causes, path + ".service.name");
  if (text(*service, "name").empty()) required(causes, path + ".service.namespace");
  if (const Value* port = at(*service, "port"); port && !is_port(as_number(port, 0))) {
    invalid_value(causes, path + ".service.port", *port, cat("port is not valid: ", kPortRange));
  }
  service_path(text(*service, "path"), path + ".service.path", causes);
}

void webhook(const Value& hook, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view name = text(hook, "name"), effects = text(hook, "sideEffects");
  if (name.empty()) required(causes, path + ".name");
  else if (const auto bad = is_dns1123_subdomain(name); !bad.empty()) complain(causes, path + ".name", name, bad);
  else if (split(name, ".").size() < 3) {
    invalid_value(causes, path + ".name", name, "should be a domain with at least three segments separated by dots");
  }
  auto versions = items(hook, "admissionReviewVersions");
  for (size_t n = 0; n < versions.size(); ++n) {
    const std::string here = element(path + ".admissionReviewVersions", n);
    if (holds(versions.first(n), as_text(versions[n]))) invalid_value(causes, here, versions[n], "duplicate version");
    else complain(causes, here, as_text(versions[n]), is_dns1035_label(as_text(versions[n])));
  }
  if (versions.empty()) {
    required(causes, path + ".admissionReviewVersions", "must specify one of v1, v1beta1");
  } else if (!holds(versions, "v1") && !holds(versions, "v1beta1")) {
    invalid_value(causes, path + ".admissionReviewVersions", *at(hook, "admissionReviewVersions"),
                  "must include at least one of v1, v1beta1");
  }
  size_t i = 0;
  for (const Value& r : items(hook, "rules")) rule(r, element(path + ".rules", i++), causes);
  one_of(causes, path + ".failurePolicy", text(hook, "failurePolicy"), {"Fail", "Ignore"});
  one_of(causes, path + ".matchPolicy", text(hook, "matchPolicy"), {"Equivalent", "Exact"});
  if (!has(hook, "sideEffects")) required(causes, path + ".sideEffects", "must specify one of None, NoneOnDryRun");
  else one_of(causes, path + ".sideEffects", effects, {"None", "NoneOnDryRun"});
  if (const Value* seconds = at(hook, "timeoutSeconds"); seconds && (as_number(seconds, 0) < 1 || as_number(seconds, 0) > 30)) {
    invalid_value(causes, path + ".timeoutSeconds", *seconds, "the timeout value must be between 1 and 30 seconds");
  }
  validate_label_selector(at(hook, "namespaceSelector"), path + ".namespaceSelector", causes);
  validate_label_selector(at(hook, "objectSelector"), path + ".objectSelector", causes);
  client(hook, path + ".clientConfig", causes);
}

void configuration_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  std::set<std::string_view> names;
  size_t i = 0;
  for (const Value& hook : items(object, "webhooks")) {
    const std::string here = element("webhooks", i++);
    webhook(hook, here, causes);
    if (has(hook, "reinvocationPolicy")) {
      one_of(causes, here + ".reinvocationPolicy", text(hook, "reinvocationPolicy"), {"IfNeeded", "Never"});
    }
    if (!names.insert(text(hook, "name")).second) duplicate(causes, here + ".name", make(text(hook, "name")));
  }
}

}  // namespace

void add_webhook_kinds(std::vector<KindRules>& out) {
  constexpr std::string_view kGroup = "admissionregistration.k8s.io";
  out.push_back({.group = kGroup, .kind = "MutatingWebhookConfiguration", .defaults = mutating_defaults,
                 .validate = configuration_validate, .generation = true});
  out.push_back({.group = kGroup, .kind = "ValidatingWebhookConfiguration", .defaults = validating_defaults,
                 .validate = configuration_validate, .generation = true});
}

}  // namespace pintle::drydock
