// Where a pod may run: affinity, spread over topologies, tolerations.
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void node_expression(const Value& e, bool check_values, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view op = text(e, "operator");
  auto values = items(e, "values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) required(causes, path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      forbidden_field(causes, path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      required(causes, path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    invalid_value(causes, path + ".operator", op, "not a valid selector operator");
  }
  complain(causes, path + ".key", text(e, "key"), is_label_key(text(e, "key")));
  for (size_t i = 0; check_values && i < values.size(); ++i) {
    complain(causes, element(path + ".values", i), as_text(values[i]), is_label_value(as_text(values[i])));
  }
}

void node_field(const Value& e, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view op = text(e, "operator"), key = text(e, "key");
  auto values = items(e, "values");
  if (op != "In" && op != "NotIn") {
    invalid_value(causes, path + ".operator", op, "not a valid selector operator");
  } else if (values.size() != 1) {
    required(causes, path + ".values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") return invalid_value(causes, path + ".key", key, "not a valid field selector key");
  for (size_t i = 0; i < values.size(); ++i) {
    complain(causes, element(path + ".values", i), as_text(values[i]), is_dns1123_subdomain(as_text(values[i])));
  }
}

void node_term(const Value& term, bool check_values, const std::string& path, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& e : items(term, "matchExpressions")) {
    node_expression(e, check_values, element(path + ".matchExpressions", i++), causes);
  }
  i = 0;
  for (const Value& e : items(term, "matchFields")) node_field(e, element(path + ".matchFields", i++), causes);
}

void weight(const Value& term, const std::string& path, std::vector<Cause>& causes) {
  const int64_t n = number(term, "weight");
  if (n < 1 || n > 100) invalid_value(causes, path + ".weight", make(n), "must be in the range 1-100");
}

void pod_term(const Value& term, const std::string& path, std::vector<Cause>& causes) {
  validate_label_selector(at(term, "labelSelector"), path + ".labelSelector", causes);
  validate_label_selector(at(term, "namespaceSelector"), path + ".namespaceSelector", causes);
  for (const Value& name : items(term, "namespaces")) {
    complain(causes, path + ".namespace", as_text(name), is_dns1123_label(as_text(name)));
  }
  const std::string_view key = text(term, "topologyKey");
  if (key.empty()) required(causes, path + ".topologyKey", "can not be empty");
  complain(causes, path + ".topologyKey", key, is_label_key(key));
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
static thread_local const Value nothing = empty_map();

const Value& part(const Value& v, std::string_view key) {
  const Value* found = at(v, key);
  return found ? *found : nothing;
}

void pod_affinity(const Value* affinity, const std::string& path, std::vector<Cause>& causes) {
  if (!affinity) return;
  size_t i = 0;
  for (const Value& term : items(*affinity, kRequired)) pod_term(term, element(child(path, kRequired), i++), causes);
  i = 0;
  for (const Value& term : items(*affinity, kPreferred)) {
    const std::string here = element(child(path, kPreferred), i++);
    weight(term, here, causes);
    pod_term(part(term, "podAffinityTerm"), here + ".podAffinityTerm", causes);
  }
}

}  // namespace

void validate_affinity(const Value* affinity, const std::string& path, std::vector<Cause>& causes) {
  if (!affinity) return;
  if (const Value* node = at(*affinity, "nodeAffinity")) {
    const std::string here = path + ".nodeAffinity";
    if (const Value* terms = at(*node, kRequired)) {
      const std::string list = child(here, kRequired) + ".nodeSelectorTerms";
      if (items(*terms, "nodeSelectorTerms").empty()) required(causes, list, "must have at least one node selector term");
      size_t i = 0;
      for (const Value& term : items(*terms, "nodeSelectorTerms")) node_term(term, true, element(list, i++), causes);
    }
    size_t i = 0;
    for (const Value& term : items(*node, kPreferred)) {
      const std::string at_term = element(child(here, kPreferred), i++);
      weight(term, at_term, causes);
      node_term(part(term, "preference"), false, at_term + ".preference", causes);
    }
  }
  pod_affinity(at(*affinity, "podAffinity"), path + ".podAffinity", causes);
  pod_affinity(at(*affinity, "podAntiAffinity"), path + ".podAntiAffinity", causes);
}

void validate_spread(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  auto all = items(spec, "topologySpreadConstraints");
  for (size_t i = 0; i < all.size(); ++i) {
    const Value& c = all[i];
    const std::string here = element(path, i);
    const std::string_view key = text(c, "topologyKey"), action = text(c, "whenUnsatisfiable");
    if (number(c, "maxSkew") <= 0) {
      invalid_value(causes, here + ".maxSkew", make(number(c, "maxSkew")), "must be greater than zero");
    }
    if (key.empty()) required(causes, here + ".topologyKey", "can not be empty");
    one_of(causes, here + ".whenUnsatisfiable", action, {"DoNotSchedule", "ScheduleAnyway"});
    for (const Value& later : all.subspan(i + 1)) {
      if (text(later, "topologyKey") != key || text(later, "whenUnsatisfiable") != action) continue;
      duplicate(causes, here + ".{topologyKey, whenUnsatisfiable}", make(cat("{", key, ", ", action, "}")));
      break;
    }
    if (const Value* least = at(c, "minDomains")) {
      if (as_number(least, 0) <= 0) invalid_value(causes, here + ".minDomains", *least, "must be greater than zero");
      if (action != "DoNotSchedule") {
        invalid_value(causes, here + ".minDomains", *least,
                      cat("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ", action));
      }
    }
    for (std::string_view policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
      if (has(c, policy)) one_of(causes, child(here, policy), text(c, policy), {"Honor", "Ignore"});
    }
    validate_label_selector(at(c, "labelSelector"), here + ".labelSelector", causes);
  }
}

void validate_tolerations(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  size_t n = 0;
  for (const Value& t : items(spec, "tolerations")) {
    const std::string here = element(path, n++);
    const std::string_view key = text(t, "key"), op = text(t, "operator"), value = text(t, "value");
    const std::string_view effect = text(t, "effect");
    if (!key.empty()) complain(causes, here + ".key", key, is_label_key(key));
    if (key.empty() && op != "Exists") {
      invalid_value(causes, here + ".operator", op,
                    "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (has(t, "tolerationSeconds") && effect != "NoExecute") {
      invalid_value(causes, here + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (op.empty() || op == "Equal") {
      if (auto bad = is_label_value(value); !bad.empty()) {
        invalid_value(causes, here + ".operator", value, join(bad, ";"));
      }
    } else if (op == "Exists") {
      if (!value.empty()) {
        invalid_value(causes, here + ".operator", value, "value must be empty when `operator` is 'Exists'");
      }
    } else if (op == "Lt" || op == "Gt") {
      not_supported(causes, here + ".operator", op, {"Equal", "Exists", "Lt", "Gt"});
    } else {
      not_supported(causes, here + ".operator", op, {"Equal", "Exists"});
    }
    if (!effect.empty()) one_of(causes, here + ".effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

}  // namespace pintle::drydock
