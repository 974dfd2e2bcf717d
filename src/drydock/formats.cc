// Names and values as k8s.io/apimachinery's util/validation has them.
#include <arpa/inet.h>

#include <algorithm>

#include "drydock/validation.h"

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

}  // namespace

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

Complaints is_underscored_subdomain(std::string_view s) {
  Complaints out;
  if (s.size() > 253) out.push_back(max_length(253, "characters"));
  auto parts = split(s, ".");
  const bool good = std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    if (part.starts_with('_')) part.remove_prefix(1);
    auto edge = [](char c) { return lower(c) || digit(c); };
    return !part.empty() && edge(part.front()) && edge(part.back()) &&
           std::all_of(part.begin(), part.end(), [&](char c) { return edge(c) || c == '-' || c == '_'; });
  });
  if (!good) {
    constexpr std::string_view kPart = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
    out.push_back(pattern("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
                          "or '.', and must start and end with an alphanumeric character",
                          cat(kPart, "(\\.", kPart, ")*"), {"example.com"}));
  }
  return out;
}

Complaints is_http_header(std::string_view s) {
  if (!s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return alnum(c) || c == '-'; })) return {};
  return {pattern("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+",
                  {"X-Header-Name"})};
}

Complaints is_sysctl(std::string_view s) {
  auto part = [](std::string_view p) {
    auto edge = [](char c) { return lower(c) || digit(c); };
    return !p.empty() && edge(p.front()) && edge(p.back()) &&
           std::all_of(p.begin(), p.end(), [&](char c) { return edge(c) || c == '-' || c == '_'; });
  };
  bool good = s.size() <= 253;
  for (std::string_view dotted : split(s, ".")) {
    for (std::string_view p : split(dotted, "/")) good = good && part(p);
  }
  if (good) return {};
  return {"must have at most 253 characters and match regex "
          "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"};
}

bool is_port(int64_t n) { return n >= 1 && n <= 65535; }

int address_family(std::string_view s) {
  in6_addr bytes;
  const std::string text(s);
  if (inet_pton(AF_INET, text.c_str(), &bytes) == 1) return AF_INET;
  return inet_pton(AF_INET6, text.c_str(), &bytes) == 1 ? AF_INET6 : 0;
}

std::optional<Cidr> parse_cidr(std::string_view s) {
  const size_t slash = s.find('/');
  if (slash == s.npos) return std::nullopt;
  Cidr out;
  out.family = address_family(s.substr(0, slash));
  const std::string_view digits = s.substr(slash + 1);
  const int widest = out.family == AF_INET ? 32 : 128;
  if (out.family == 0 || digits.empty() || digits.size() > 3) return std::nullopt;
  for (char c : digits) {
    if (!digit(c)) return std::nullopt;
    out.bits = out.bits * 10 + (c - '0');
  }
  if (out.bits > widest) return std::nullopt;
  inet_pton(out.family, std::string(s.substr(0, slash)).c_str(), out.bytes.data());
  return out;
}

bool within(const Cidr& outer, const Cidr& inner) {
  if (outer.family != inner.family || outer.bits >= inner.bits) return false;
  for (int i = 0; i < outer.bits; ++i) {
    const int shift = 7 - i % 8;
    if ((outer.bytes[static_cast<size_t>(i) / 8] >> shift & 1) != (inner.bytes[static_cast<size_t>(i) / 8] >> shift & 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace pintle::drydock
