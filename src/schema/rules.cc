#include "schema/rules.h"

#include <algorithm>
#include <vector>

#include "schema/decimal.h"
#include "schema/equality.h"
#include "schema/formats.h"

namespace pintle::schema {
namespace {

using value::Type;
using value::Value;

bool is_schema(const Value& v, Draft draft) {
  return v.is(Type::kMap) || (v.is(Type::kBool) && draft != Draft::k4);
}

bool all_schemas(const Value& v, Draft draft) {
  if (v.is(Type::kList)) {
    const auto items = v.items();
    return std::all_of(items.begin(), items.end(),
                       [draft](const Value& item) { return is_schema(item, draft); });
  }
  if (!v.is(Type::kMap)) return false;
  if (v.length() == 0) return true;
  return std::all_of(v.as_map()->begin(), v.as_map()->end(),
                     [draft](const auto& e) { return is_schema(e.value, draft); });
}

// Strings that differ pairwise. Other values count as doubtful.
bool distinct_strings(const Value& v) {
  if (!v.is(Type::kList)) return false;
  std::vector<std::string_view> seen;
  seen.reserve(v.length());
  for (const Value& item : v.items()) {
    if (!item.is_string()) return false;
    seen.push_back(item.as_string());
  }
  std::sort(seen.begin(), seen.end());
  return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

bool is_type_name(const Value& v) {
  static constexpr std::string_view kNames[] = {"array",  "boolean", "integer", "null",
                                                "number", "object",  "string"};
  return v.is_string() &&
         std::find(std::begin(kNames), std::end(kNames), v.as_string()) != std::end(kNames);
}

bool plain_anchor(const Value& v, Draft draft) {
  if (!v.is_string() || v.as_string().empty()) return false;
  const std::string_view s = v.as_string();
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(s[0]) && !(s[0] == '_' && draft == Draft::k2020)) return false;
  const std::string_view marks = draft == Draft::k2020 ? "-._" : "-.:_";
  return std::all_of(s.begin(), s.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
  });
}

bool has_format(const Value& v, std::string_view format) {
  return v.is_string() && find_format(format)->check(v.as_string()).has_value();
}

// A local reference of harmless characters needs no parsing.
bool uri_reference(const Value& v) {
  if (!v.is_string()) return false;
  const std::string_view s = v.as_string();
  if (s.starts_with('#') && std::all_of(s.begin(), s.end(), [](char c) {
        return c > ' ' && c < 0x7f && c != '%' && c != '\\';
      })) {
    return true;
  }
  return has_format(v, "uri-reference");
}

bool count(const Value& v) {
  if (!v.is(Type::kBytes)) return false;
  const std::string_view s = v.as_string();
  return s.size() < 10 && s.find_first_not_of("0123456789") == std::string_view::npos;
}

bool positive(const Value& v) {
  if (!v.is(Type::kBytes)) return false;
  const auto n = Decimal::of(v);
  return n && n->compare(Decimal()) > 0;
}

template <typename Check>
bool every_entry(const Value& v, Check check) {
  if (!v.is(Type::kMap)) return false;
  if (v.length() == 0) return true;
  return std::all_of(v.as_map()->begin(), v.as_map()->end(), check);
}

}  // namespace

bool surely_valid(const Value& v, Rule rule, Draft draft, const Value& parent,
                  RegexCache& regexes) {
  switch (rule) {
    case Rule::kAny: return true;
    case Rule::kSchema: return is_schema(v, draft);
    case Rule::kSchemaOrBool: return v.is(Type::kBool) || v.is(Type::kMap);
    case Rule::kSchemaArray: return v.is(Type::kList) && v.length() > 0 && all_schemas(v, draft);
    case Rule::kSchemaOrArray:
      return is_schema(v, draft) || (v.is(Type::kList) && v.length() > 0 && all_schemas(v, draft));
    case Rule::kSchemaMap: return v.is(Type::kMap) && all_schemas(v, draft);
    case Rule::kSchemaMapByRegex:
      return v.is(Type::kMap) && all_schemas(v, draft) &&
             every_entry(v, [&](const auto& e) { return regexes.get(e.key).has_value(); });
    case Rule::kDependencies:
      return every_entry(v, [&](const auto& e) {
        return is_schema(e.value, draft) ||
               (distinct_strings(e.value) && (draft != Draft::k4 || e.value.length() > 0));
      });
    case Rule::kString: return v.is_string();
    case Rule::kBool: return v.is(Type::kBool);
    case Rule::kNumber: return v.is(Type::kBytes);
    case Rule::kPositive: return positive(v);
    case Rule::kCount: return count(v);
    case Rule::kRegex: return v.is_string() && regexes.get(v.as_string()).has_value();
    case Rule::kUri: return has_format(v, "uri");
    case Rule::kUriReference: return uri_reference(v);
    case Rule::kId: {
      if (!uri_reference(v)) return false;
      const size_t hash = v.as_string().find('#');
      return hash == std::string_view::npos || hash + 1 == v.as_string().size();
    }
    case Rule::kAnchor: return plain_anchor(v, draft);
    case Rule::kArray: return v.is(Type::kList);
    case Rule::kEnum: return v.is(Type::kList) && v.length() > 0 && !find_duplicates(v.items());
    case Rule::kStrings: return distinct_strings(v);
    case Rule::kSomeStrings: return distinct_strings(v) && v.length() > 0;
    case Rule::kStringsByName:
      return every_entry(v, [](const auto& e) { return distinct_strings(e.value); });
    case Rule::kTypes:
      if (v.is_string()) return is_type_name(v);
      return distinct_strings(v) && v.length() > 0 &&
             std::all_of(v.items().begin(), v.items().end(), is_type_name);
    case Rule::kVocabulary: return false;
    case Rule::kBesideMaximum: return v.is(Type::kBool) && parent.get("maximum");
    case Rule::kBesideMinimum: return v.is(Type::kBool) && parent.get("minimum");
  }
  return false;
}

}  // namespace pintle::schema
