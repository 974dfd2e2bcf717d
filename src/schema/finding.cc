#include "schema/finding.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "schema/equality.h"
#include "schema/quoting.h"

namespace pintle::schema {
namespace {

using value::Type;
using value::Value;

std::string quote_all(std::span<const std::string_view> names) {
  std::string out;
  for (const auto name : names) {
    if (!out.empty()) out += ", ";
    out += quote_single(name);
  }
  return out;
}

// A value of the schema as fmt's %v shows it.
std::string shown(const Value& v) {
  switch (v.type()) {
    case Type::kNil: return "<nil>";
    case Type::kBool: return v.as_bool() ? "true" : "false";
    case Type::kString: return quote_single(v.as_string());
    case Type::kBytes: return std::string(v.as_string());  // a number as written
    default: return "value";
  }
}

bool primitive(const Value& v) { return !v.is_list() && !v.is_map(); }

std::string positions(std::span<const size_t> at) {
  std::string out;
  for (const size_t i : at) {
    if (!out.empty()) out += ' ';
    out += std::to_string(i);
  }
  return out;
}

std::string count(size_t n) { return english(static_cast<int64_t>(n)); }

void display(const Finding& f, size_t indent, std::string& out) {
  if (f.kind != Finding::Kind::kReference || f.causes.size() != 1) {
    if (!out.empty()) out += '\n';
    out.append(2 * indent, ' ');
    out += "- ";
    out += f.line;
    ++indent;
  }
  for (const Finding& cause : f.causes) display(cause, indent, out);
}

}  // namespace

std::vector<Finding> ungroup(Finding finding) {
  if (finding.kind == Finding::Kind::kGroup) return std::move(finding.causes);
  std::vector<Finding> out;
  out.push_back(std::move(finding));
  return out;
}

std::string display(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) display(f, 0, out);
  return out;
}

namespace text {

std::string wrong_type(std::string_view got, uint8_t want) {
  std::string names;
  for (int bit = kNullType; bit <= kObjectType; bit <<= 1) {
    if ((want & bit) == 0) continue;
    if (!names.empty()) names += " or ";
    names += type_name(static_cast<JsonType>(bit));
  }
  return cat("got ", got, ", want ", names);
}

std::string not_constant(const Value& want) {
  return primitive(want) ? "value must be " + shown(want) : "'const' failed";
}

std::string not_in_enum(std::span<const Value> want) {
  if (!std::all_of(want.begin(), want.end(), primitive)) return "'enum' failed";
  if (want.size() == 1) return "value must be " + shown(want[0]);
  std::string out = "value must be one of ";
  for (size_t i = 0; i < want.size(); ++i) {
    if (i > 0) out += ", ";
    out += shown(want[i]);
  }
  return out;
}

std::string bad_format(const Value& got, std::string_view format, std::string_view why) {
  return cat(shown(got), " is not valid ", format, ": ", why);
}

std::string bad_pattern(std::string_view got, std::string_view want) {
  return cat(quote_single(got), " does not match pattern ", quote_single(want));
}

std::string limit(std::string_view keyword, int64_t got, int64_t want) {
  return cat(keyword, ": got ", english(got), ", want ", english(want));
}

std::string limit(std::string_view keyword, const Decimal& got, const Decimal& want) {
  return cat(keyword, ": got ", english(got.to_double()), ", want ", english(want.to_double()));
}

std::string missing(std::span<const std::string_view> names) {
  return cat(names.size() == 1 ? "missing property " : "missing properties ", quote_all(names));
}

std::string missing_for(std::string_view property, std::span<const std::string_view> names) {
  return cat("properties ", quote_all(names), " required, if ", quote_single(property), " exists");
}

std::string additional_properties(std::span<const std::string_view> names) {
  return cat("additional properties ", quote_all(names), " not allowed");
}

std::string additional_items(size_t n) {
  return cat("last ", count(n), " additionalItem(s) not allowed");
}

std::string property_name(std::string_view name) {
  return "invalid propertyName " + quote_single(name);
}

std::string equal_items(size_t i, size_t j) {
  return cat("items at ", count(i), " and ", count(j), " are equal");
}

std::string too_few_contained(std::span<const size_t> matched, int64_t want) {
  const std::string head =
      cat("min ", english(want), " items required to match contains schema, but ");
  if (matched.empty()) return head + "none matched";
  return cat(head, "matched ", count(matched.size()), " items at ", positions(matched));
}

std::string too_many_contained(std::span<const size_t> matched, int64_t want) {
  return cat("max ", english(want), " items required to match contains schema, but matched ",
             count(matched.size()), " items at ", positions(matched));
}

std::string two_of_one_of(size_t i, size_t j) {
  return cat("'oneOf' failed, subschemas ", count(i), ", ", count(j), " matched");
}

std::string cycle(std::string_view keywords1, std::string_view keywords2, std::string_view url) {
  return cat("both ", keywords1, " and ", keywords2, " resolve to ", quote(url),
             " causing reference cycle");
}

}  // namespace text

}  // namespace pintle::schema
