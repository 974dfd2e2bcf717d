#include "drydock/validation.h"

#include <algorithm>

#include "base/gotext.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool alnum(char c) { return lower(c) || digit(c) || (c >= 'A' && c <= 'Z'); }

bool dns_label(std::string_view s) {
  if (s.empty() || s.front() == '-' || s.back() == '-') return false;
  return std::all_of(s.begin(), s.end(), [](char c) { return lower(c) || digit(c) || c == '-'; });
}

bool dns_subdomain(std::string_view s) {
  auto parts = split(s, ".");
  return std::all_of(parts.begin(), parts.end(), dns_label);
}

bool label_text(std::string_view s) {
  if (s.empty() || !alnum(s.front()) || !alnum(s.back())) return false;
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string max_length(size_t n, std::string_view unit) {
  return cat("must be no more than ", n, " ", unit);
}

constexpr std::string_view kLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kLabelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

std::string pattern(std::string_view words, std::string_view regex,
                    std::initializer_list<std::string_view> examples) {
  std::string out(words);
  out += " (e.g. ";
  bool first = true;
  for (std::string_view e : examples) {
    if (!first) out += " or ";
    first = false;
    out += cat("'", e, "', ");
  }
  return out + cat("regex used for validation is '", regex, "')");
}

std::string key_pattern() {
  return pattern("must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
                 "with an alphanumeric character",
                 kLabelKey, {"MyName", "my.name", "123-abc"});
}

void parent_directory(std::string_view s, Complaints& out) {
  if (s == ".") out.push_back("must not be '.'");
  else if (s == "..") out.push_back("must not be '..'");
  else if (s.starts_with("..")) out.push_back("must not start with '..'");
}

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
    const bool percent = s.size() > 1 && s.ends_with('%') && std::all_of(s.begin(), s.end() - 1, digit);
    if (!percent) {
      invalid_value(out, std::move(path), *v,
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                    "'1%',  or '93%', regex used for validation is '[0-9]+%')");
    }
  } else if (v->is_int() && v->as_int() < 0) {
    invalid_value(out, std::move(path), *v, "must be greater than or equal to 0");
  }
}

std::string child(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : cat(path, ".", key);
}
std::string element(std::string_view path, size_t i) { return cat(path, "[", i, "]"); }
std::string keyed(std::string_view path, std::string_view key) { return cat(path, "[", key, "]"); }

Complaints is_dns1123_label(std::string_view s) {
  Complaints out;
  if (s.size() > 63) out.push_back(max_length(63, "characters"));
  if (dns_label(s)) return out;
  if (dns_subdomain(s)) {
    out.push_back("must not contain dots");
  } else {
    out.push_back(pattern("a lowercase RFC 1123 label must consist of lower case alphanumeric "
                          "characters or '-', and must start and end with an alphanumeric character",
                          kLabel, {"my-name", "123-abc"}));
  }
  return out;
}

Complaints is_dns1123_subdomain(std::string_view s) {
  Complaints out;
  if (s.size() > 253) out.push_back(max_length(253, "characters"));
  if (!dns_subdomain(s)) {
    out.push_back(pattern("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                          "characters, '-' or '.', and must start and end with an alphanumeric character",
                          kSubdomain, {"example.com"}));
  }
  return out;
}

Complaints is_dns1035_label(std::string_view s) {
  Complaints out;
  if (s.size() > 63) out.push_back(max_length(63, "characters"));
  if (!dns_label(s) || !lower(s.front())) {
    out.push_back(pattern("a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
                          "start with an alphabetic character, and end with an alphanumeric character",
                          "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return out;
}

Complaints is_wildcard_subdomain(std::string_view s) {
  Complaints out;
  if (s.size() > 253) out.push_back(max_length(253, "characters"));
  if (!s.starts_with("*.") || !dns_subdomain(s.substr(2))) {
    out.push_back(pattern("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
                          "subdomain, which must consist of lower case alphanumeric characters, '-' or "
                          "'.' and end with an alphanumeric character",
                          cat("\\*\\.", kSubdomain), {"*.example.com"}));
  }
  return out;
}

Complaints is_label_key(std::string_view s) {
  Complaints out;
  auto parts = split(s, "/");
  if (parts.size() > 2) {
    return {cat("a valid label key ", key_pattern(),
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
  }
  if (parts.size() == 2) {
    if (parts[0].empty()) out.push_back("prefix part must be non-empty");
    else for (const std::string& m : is_dns1123_subdomain(parts[0])) out.push_back(cat("prefix part ", m));
  }
  std::string_view name = parts.back();
  if (name.empty()) out.push_back("name part must be non-empty");
  else if (name.size() > 63) out.push_back(cat("name part ", max_length(63, "bytes")));
  if (!label_text(name)) out.push_back(cat("name part ", key_pattern()));
  return out;
}

Complaints is_label_value(std::string_view s) {
  Complaints out;
  if (s.size() > 63) out.push_back(max_length(63, "bytes"));
  if (!s.empty() && !label_text(s)) {
    out.push_back(pattern("a valid label must be an empty string or consist of alphanumeric characters, "
                          "'-', '_' or '.', and must start and end with an alphanumeric character",
                          cat("(", kLabelKey, ")?"), {"MyValue", "my_value", "12345"}));
  }
  return out;
}

Complaints is_port_name(std::string_view s) {
  Complaints out;
  if (s.size() > 15) out.push_back(max_length(15, "characters"));
  if (s.empty() || !std::all_of(s.begin(), s.end(), [](char c) { return lower(c) || digit(c) || c == '-'; })) {
    out.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(s.begin(), s.end(), lower)) out.push_back("must contain at least one letter (a-z)");
  if (s.find("--") != s.npos) out.push_back("must not contain consecutive hyphens");
  if (!s.empty() && (s.front() == '-' || s.back() == '-')) {
    out.push_back("must not begin or end with a hyphen");
  }
  return out;
}

Complaints is_config_key(std::string_view s) {
  Complaints out;
  if (s.size() > 253) out.push_back(max_length(253, "characters"));
  if (s.empty() || !std::all_of(s.begin(), s.end(), [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; })) {
    out.push_back(pattern("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                          "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  parent_directory(s, out);
  return out;
}

Complaints is_env_name(std::string_view s) {
  Complaints out;
  if (s.empty()) out.push_back("environment variable name must be non-empty");
  for (char c : s) {
    if (c < 0x20 || c > 0x7e || c == '=') {
      out.push_back("a valid environment variable name must consist only of printable ASCII "
                    "characters other than '='");
      break;
    }
  }
  return out;
}

Complaints is_path_segment(std::string_view s) {
  if (s == "." || s == "..") return {cat("may not be '", s, "'")};
  Complaints out;
  for (std::string_view bad : {"/", "%"}) {
    if (s.find(bad) != s.npos) out.push_back(cat("may not contain '", bad, "'"));
  }
  return out;
}

bool is_port(int64_t n) { return n >= 1 && n <= 65535; }

void validate_labels(const Value* labels, const std::string& path, std::vector<Cause>& out) {
  for (const auto& e : entries_of(labels)) {
    for (const std::string& m : is_label_key(e.key)) invalid_value(out, path, e.key.view(), m);
    std::string_view v = e.value.is_string() ? e.value.as_string() : std::string_view();
    for (const std::string& m : is_label_value(v)) invalid_value(out, path, v, m);
  }
}

void validate_label_selector(const Value* selector, const std::string& path, std::vector<Cause>& out) {
  if (!selector) return;
  std::string labels = child(path, "matchLabels");
  for (const auto& e : entries(*selector, "matchLabels")) {
    for (const std::string& m : is_label_key(e.key)) invalid_value(out, labels, e.key.view(), m);
    std::string_view v = e.value.is_string() ? e.value.as_string() : std::string_view();
    for (const std::string& m : is_label_value(v)) invalid_value(out, keyed(labels, e.key), v, m);
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
    for (const std::string& m : is_label_key(text(e, "key"))) {
      invalid_value(out, child(at_path, "key"), text(e, "key"), m);
    }
  }
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
