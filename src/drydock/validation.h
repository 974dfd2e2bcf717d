// field.Error and the name and value formats of k8s.io/apimachinery/pkg/util/validation, with its
// messages. Each is_x gives the complaints about a value, none when it is good. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void required(std::vector<Cause>& out, std::string path, std::string_view detail = "");
void invalid_value(std::vector<Cause>& out, std::string path, const Value& bad, std::string_view detail);
void invalid_value(std::vector<Cause>& out, std::string path, std::string_view bad,
                   std::string_view detail);
void not_supported(std::vector<Cause>& out, std::string path, std::string_view bad,
                   std::initializer_list<std::string_view> supported);  // in the order shown
void duplicate(std::vector<Cause>& out, std::string path, const Value& bad);
// For structs, which the server prints with the names of its own Go fields.
void invalid_text(std::vector<Cause>& out, std::string path, std::string_view printed,
                  std::string_view detail);
void duplicate_text(std::vector<Cause>& out, std::string path, std::string_view printed);
void not_supported_text(std::vector<Cause>& out, std::string path, std::string_view printed,
                        std::initializer_list<std::string_view> supported);
void not_found_value(std::vector<Cause>& out, std::string path, std::string_view bad);
void forbidden_field(std::vector<Cause>& out, std::string path, std::string_view detail);
void too_long(std::vector<Cause>& out, std::string path, size_t limit);
void immutable(std::vector<Cause>& out, std::string path, const Value* next, const Value* old);

// A whole number that is not negative, or a percentage.
void validate_share(std::vector<Cause>& out, std::string path, const Value* v);
void not_above_100_percent(std::vector<Cause>& out, std::string path, const Value* v);
void one_of(std::vector<Cause>& out, std::string path, std::string_view value,
            std::initializer_list<std::string_view> supported);
void one_of_or_required(std::vector<Cause>& out, std::string path, std::string_view value,
                        std::initializer_list<std::string_view> supported);
void port_or_name(std::vector<Cause>& out, const std::string& path, const Value* port);
void validate_ip(std::vector<Cause>& out, std::string path, std::string_view s);
bool validate_cidr(std::vector<Cause>& out, std::string path, std::string_view s);
void domain_prefixed_path(std::vector<Cause>& out, const std::string& path, std::string_view s);
// Paths below a directory: without "..", and relative.
void no_backsteps(std::vector<Cause>& out, std::string path, std::string_view s);
void descending_path(std::vector<Cause>& out, const std::string& path, std::string_view s);
inline std::string_view as_text(const Value& v) { return v.is_string() ? v.as_string() : std::string_view(); }
std::string child(std::string_view path, std::string_view key);
std::string element(std::string_view path, size_t i);
std::string keyed(std::string_view path, std::string_view key);

using Complaints = std::vector<std::string>;
// An invalid value for each complaint about it.
void complain(std::vector<Cause>& out, const std::string& path, std::string_view bad, const Complaints& about);
Complaints is_dns1123_label(std::string_view s);
Complaints is_dns1123_subdomain(std::string_view s);
Complaints is_dns1035_label(std::string_view s);
Complaints is_wildcard_subdomain(std::string_view s);
Complaints is_label_key(std::string_view s);  // a qualified name
Complaints is_label_value(std::string_view s);
Complaints is_port_name(std::string_view s);
Complaints is_config_key(std::string_view s);
Complaints is_env_name(std::string_view s);
Complaints is_path_segment(std::string_view s);  // rbac names
Complaints is_underscored_subdomain(std::string_view s);  // search domains
Complaints is_http_header(std::string_view s);
Complaints is_sysctl(std::string_view s);
bool is_port(int64_t n);
int address_family(std::string_view s);  // AF_INET, AF_INET6 or 0
struct Cidr {
  int family = 0, bits = 0;
  std::array<uint8_t, 16> bytes{};
};
std::optional<Cidr> parse_cidr(std::string_view s);
bool within(const Cidr& outer, const Cidr& inner);  // and smaller
inline constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";

void validate_labels(const Value* labels, const std::string& path, std::vector<Cause>& out);
void validate_label_selector(const Value* selector, const std::string& path, std::vector<Cause>& out);
std::string selector_text(const Value& selector);  // as refusals show it
// Does a metav1.LabelSelector match these labels? An absent one matches nothing.
bool selector_matches(const Value* selector, const Value* labels);
void non_negative(const Value& object, std::string_view key, const std::string& path,
                  std::vector<Cause>& out);

}  // namespace pintle::drydock
