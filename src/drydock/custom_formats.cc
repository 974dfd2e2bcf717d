#include "drydock/custom_formats.h"

#include <arpa/inet.h>

#include <string>

#include <re2/re2.h>

#include "base/strings.h"
#include "cel/request_uri.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

struct Format {
  std::string_view name;
  const char* pattern;
};
// Dashes are no part of a format's name.
constexpr Format kFormats[] = {
    {"bsonobjectid", "[0-9a-fA-F]{24}"},
    {"byte", "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"},
    {"date", "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"},
    {"datetime",
     "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:"
     "[0-5][0-9](?:\\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"},
    {"duration", "[+-]?(?:0|(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+) ?(?:ns|us|µs|ms|s|m|h|d|w|"
                 "(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|weeks?) ?)+)"},
    {"email", "[^@\\s<>()]+@[^@\\s<>()]+"},
    {"hexcolor", "#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"},
    {"hostname", "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}"
                 "[a-zA-Z0-9])?)*\\.?"},
    {"k8slongname", "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"},
    {"k8sshortname", "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"},
    {"mac", "[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}(?:(?:[:-][0-9a-fA-F]{2}){2})?"},
    {"rgbcolor", "rgb\\(\\s*[0-9]{1,3}\\s*,\\s*[0-9]{1,3}\\s*,\\s*[0-9]{1,3}\\s*\\)"},
    {"ssn", "[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}"},
    {"uri", "(?:[a-zA-Z][a-zA-Z0-9+.-]*:[^\\s]+|/[^\\s]*)"},
    {"uuid", "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"},
    {"uuid3", "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}"},
    {"uuid4", "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"},
    {"uuid5", "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"},
};

bool is_address(std::string_view text, int family) {
  unsigned char raw[16];
  return inet_pton(family, std::string(text).c_str(), raw) == 1;
}

bool is_cidr(std::string_view text) {
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3 || bits.find_first_not_of("0123456789") != bits.npos) {
    return false;
  }
  int n = std::stoi(std::string(bits));
  std::string_view address = text.substr(0, slash);
  return (is_address(address, AF_INET) && n <= 32) || (is_address(address, AF_INET6) && n <= 128);
}

}  // namespace

bool matches_format(std::string_view format, std::string_view text) {
  std::string name;
  for (char c : format) {
    if (c != '-') name += c;
  }
  if (name == "ipv4") return is_address(text, AF_INET);
  if (name == "ipv6") return is_address(text, AF_INET6);
  if (name == "cidr") return is_cidr(text);
  if (name == "k8slongname" && text.size() > 253) return false;
  for (const Format& f : kFormats) {
    if (f.name == name) return re2::RE2::FullMatch({text.data(), text.size()}, f.pattern);
  }
  return true;
}

std::vector<std::string> format_complaints(std::string_view format, std::string_view text) {
  const bool prefix = format.ends_with("Prefix");
  std::string masked(text);
  if (prefix && masked.size() > 1 && masked.ends_with('-')) masked.replace(masked.size() - 2, 2, "a");
  if (format.starts_with("dns1123Label")) return is_dns1123_label(masked);
  if (format.starts_with("dns1123Subdomain")) return is_dns1123_subdomain(masked);
  if (format.starts_with("dns1035Label")) return is_dns1035_label(masked);
  if (format == "qualifiedName") return is_label_key(text);
  if (format == "labelValue") return is_label_value(text);
  if (format == "uri") {
    auto url = cel::request_uri(text);
    return url ? std::vector<std::string>() : std::vector<std::string>{url.error().text()};
  }
  if (matches_format(format, text)) return {};
  if (format == "uuid") return {"does not match the UUID format"};
  return {format == "byte" ? "invalid base64" : cat("invalid ", format)};
}

}  // namespace pintle::drydock
