#include "drydock/validation.h"

#include <algorithm>

#include "base/gotext.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

std::string shown(const Value& bad) {
  if (bad.is_string()) return quote(bad.as_string());
  return json::write(bad).value_or("null");
}

void add(std::vector<Cause>& out, std::string_view reason, std::string_view words, std::string path,
         std::string_view bad, std::string_view detail) {
  std::string message(words);
  if (!bad.empty()) message += cat(": ", bad);
  if (!detail.empty()) message += cat(": ", detail);
  out.push_back({std::string(reason), std::move(message), std::move(path)});
}

}  // namespace

void required(std::vector<Cause>& out, std::string path, std::string_view detail) {
  add(out, "FieldValueRequired", "Required value", std::move(path), "", detail);
}
void invalid_value(std::vector<Cause>& out, std::string path, const Value& bad,
                   std::string_view detail) {
  add(out, "FieldValueInvalid", "Invalid value", std::move(path), shown(bad), detail);
}
void invalid_value(std::vector<Cause>& out, std::string path, std::string_view bad,
                   std::string_view detail) {
  add(out, "FieldValueInvalid", "Invalid value", std::move(path), quote(bad), detail);
}
void not_supported(std::vector<Cause>& out, std::string path, std::string_view bad,
                   std::initializer_list<std::string_view> supported) {
  not_supported_text(out, std::move(path), quote(bad), supported);
}
void not_supported_text(std::vector<Cause>& out, std::string path, std::string_view printed,
                        std::initializer_list<std::string_view> supported) {
  std::string detail = "supported values: ";
  bool first = true;
  for (std::string_view s : supported) {
    if (!first) detail += ", ";
    first = false;
    detail += quote(s);
  }
  add(out, "FieldValueNotSupported", "Unsupported value", std::move(path), printed, detail);
}
void duplicate(std::vector<Cause>& out, std::string path, const Value& bad) {
  add(out, "FieldValueDuplicate", "Duplicate value", std::move(path), shown(bad), "");
}
void invalid_text(std::vector<Cause>& out, std::string path, std::string_view printed,
                  std::string_view detail) {
  add(out, "FieldValueInvalid", "Invalid value", std::move(path), printed, detail);
}
void duplicate_text(std::vector<Cause>& out, std::string path, std::string_view printed) {
  add(out, "FieldValueDuplicate", "Duplicate value", std::move(path), printed, "");
}
void not_found_value(std::vector<Cause>& out, std::string path, std::string_view bad) {
  add(out, "FieldValueNotFound", "Not found", std::move(path), quote(bad), "");
}
void forbidden_field(std::vector<Cause>& out, std::string path, std::string_view detail) {
  add(out, "FieldValueForbidden", "Forbidden", std::move(path), "", detail);
}
void too_long(std::vector<Cause>& out, std::string path, size_t limit) {
  add(out, "FieldValueTooLong", "Too long", std::move(path), "",
      cat("may not be more than ", limit, limit == 1 ? " byte" : " bytes"));
}
void immutable(std::vector<Cause>& out, std::string path, const Value* next, const Value* old) {
  if (!same(next, old)) {
    invalid_value(out, std::move(path), next ? *next : Value::nil(), "field is immutable");
  }
}

void validate_share(std::vector<Cause>& out, std::string path, const Value* v) {
  if (!v) return;
  if (v->is_string()) {
    const std::string_view s = v->as_string();
    const bool percent = s.size() > 1 && s.ends_with('%') && std::all_of(s.begin(), s.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
    if (!percent) {
      invalid_value(out, std::move(path), *v,
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                    "'1%',  or '93%', regex used for validation is '[0-9]+%')");
    }
  } else if (v->is_int() && v->as_int() < 0) {
    invalid_value(out, std::move(path), *v, "must be greater than or equal to 0");
  }
}

void not_above_100_percent(std::vector<Cause>& out, std::string path, const Value* v) {
  if (!v || !v->is_string() || !v->as_string().ends_with('%')) return;
  int64_t n = 0;
  for (char c : v->as_string().substr(0, v->as_string().size() - 1)) {
    if (c < '0' || c > '9') return;
    n = std::min<int64_t>(n * 10 + (c - '0'), 1000);
  }
  if (n > 100) invalid_value(out, std::move(path), *v, "must not be greater than 100%");
}

void complain(std::vector<Cause>& out, const std::string& path, std::string_view bad, const Complaints& about) {
  for (const std::string& m : about) invalid_value(out, path, bad, m);
}

void one_of(std::vector<Cause>& out, std::string path, std::string_view value,
            std::initializer_list<std::string_view> supported) {
  if (std::find(supported.begin(), supported.end(), value) == supported.end()) {
    not_supported(out, std::move(path), value, supported);
  }
}

void one_of_or_required(std::vector<Cause>& out, std::string path, std::string_view value,
                        std::initializer_list<std::string_view> supported) {
  if (value.empty()) required(out, std::move(path));
  else one_of(out, std::move(path), value, supported);
}

void port_or_name(std::vector<Cause>& out, const std::string& path, const Value* port) {
  if (port && port->is_string()) complain(out, path, port->as_string(), is_port_name(port->as_string()));
  else if (const int64_t n = as_number(port, 0); !is_port(n)) invalid_value(out, path, make(n), kPortRange);
}

void validate_ip(std::vector<Cause>& out, std::string path, std::string_view s) {
  if (address_family(s) == 0) {
    invalid_value(out, std::move(path), s, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
}

bool validate_cidr(std::vector<Cause>& out, std::string path, std::string_view s) {
  if (parse_cidr(s)) return true;
  invalid_value(out, std::move(path), s, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  return false;
}

void domain_prefixed_path(std::vector<Cause>& out, const std::string& path, std::string_view s) {
  if (s.empty()) return required(out, path);
  const size_t slash = s.find('/');
  if (slash == s.npos || slash == 0 || slash + 1 == s.size()) {
    return invalid_value(out, path, s, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  complain(out, path, s.substr(0, slash), is_dns1123_subdomain(s.substr(0, slash)));
}

void no_backsteps(std::vector<Cause>& out, std::string path, std::string_view s) {
  const auto parts = split(s, "/");
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    invalid_value(out, std::move(path), s, "must not contain '..'");
  }
}

void descending_path(std::vector<Cause>& out, const std::string& path, std::string_view s) {
  if (s.starts_with('/')) invalid_value(out, path, s, "must be a relative path");
  no_backsteps(out, path, s);
}

std::string child(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : cat(path, ".", key);
}
std::string element(std::string_view path, size_t i) { return cat(path, "[", i, "]"); }
std::string keyed(std::string_view path, std::string_view key) { return cat(path, "[", key, "]"); }

void validate_labels(const Value* labels, const std::string& path, std::vector<Cause>& out) {
  for (const auto& e : entries_of(labels)) {
    complain(out, path, e.key, is_label_key(e.key));
    complain(out, path, as_text(e.value), is_label_value(as_text(e.value)));
  }
}

void validate_label_selector(const Value* selector, const std::string& path, std::vector<Cause>& out) {
  if (!selector) return;
  std::string labels = child(path, "matchLabels");
  for (const auto& e : entries(*selector, "matchLabels")) {
    for (const std::string& m : is_label_key(e.key)) invalid_value(out, labels, e.key.view(), m);
    std::string_view v = e.value.is_string() ? e.value.as_string() : std::string_view();
    for (const std::string& m : is_label_value(v)) invalid_value(out, labels, v, m);
  }
  size_t i = 0;
  for (const Value& e : items(*selector, "matchExpressions")) {
    std::string at_path = element(child(path, "matchExpressions"), i++);
    std::string_view op = text(e, "operator");
    size_t values = items(e, "values").size();
    if (op == "In" || op == "NotIn") {
      if (values == 0) {
        required(out, child(at_path, "values"), "must be specified when `operator` is 'In' or 'NotIn'");
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (values > 0) {
        forbidden_field(out, child(at_path, "values"),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      invalid_value(out, child(at_path, "operator"), op, "not a valid selector operator");
    }
    complain(out, child(at_path, "key"), text(e, "key"), is_label_key(text(e, "key")));
    for (size_t n = 0; n < values; ++n) {
      const std::string_view v = as_text(items(e, "values")[n]);
      complain(out, element(child(at_path, "values"), n), v, is_label_value(v));
    }
  }
}

std::string selector_text(const Value& selector) {
  std::string out;
  for (std::string_view key : {"matchLabels", "matchExpressions"}) {
    const Value* part = at(selector, key);
    if (!part || (entries_of(part).empty() && part->items().empty())) continue;
    append(out, {out.empty() ? "" : ",", quote(key), ":", json::write(*part).value_or("null")});
  }
  return cat("{", out, "}");
}

bool selector_matches(const Value* selector, const Value* labels) {
  if (!selector) return false;
  auto value_of = [&](std::string_view key) { return labels ? labels->get(key) : nullptr; };
  for (const auto& e : entries(*selector, "matchLabels")) {
    const Value* v = value_of(e.key);
    if (!v || !same(*v, e.value)) return false;
  }
  for (const Value& e : items(*selector, "matchExpressions")) {
    const Value* v = value_of(text(e, "key"));
    auto wanted = items(e, "values");
    bool in = v && std::any_of(wanted.begin(), wanted.end(), [&](const Value& w) { return same(w, *v); });
    std::string_view op = text(e, "operator");
    if (op == "In" ? !in : op == "NotIn" ? in : op == "Exists" ? !v : v != nullptr) return false;
  }
  return true;
}

void non_negative(const Value& object, std::string_view key, const std::string& path,
                  std::vector<Cause>& out) {
  if (const Value* v = at(object, key); v && as_number(v, 0) < 0) {
    invalid_value(out, child(path, key), *v, "must be greater than or equal to 0");
  }
}

}  // namespace pintle::drydock
