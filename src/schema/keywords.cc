#include "schema/keywords.h"

#include <algorithm>
#include <iterator>

namespace pintle::schema {
namespace {

using enum Rule;
using enum Draft;

constexpr Rule kNo = kAny;  // the draft's metaschema says nothing of this keyword

// Sorted by name. Columns of rules: drafts 4, 6, 7, 2019-09, 2020-12.
// clang-format off
constexpr Keyword kTable[] = {
    {"$anchor",               Place::kNone, k4, {kNo, kNo, kNo, kAnchor, kAnchor}},
    {"$comment",              Place::kNone, k4, {kNo, kNo, kString, kString, kString}},
    {"$defs",                 Place::kMap, k2019, {kNo, kNo, kNo, kSchemaMap, kSchemaMap}},
    {"$dynamicAnchor",        Place::kNone, k4, {kNo, kNo, kNo, kNo, kAnchor}},
    {"$dynamicRef",           Place::kNone, k4, {kNo, kNo, kNo, kNo, kUriReference}},
    {"$id",                   Place::kNone, k4, {kNo, kUriReference, kUriReference, kId, kId}},
    {"$recursiveAnchor",      Place::kNone, k4, {kNo, kNo, kNo, kBool, kAnchor}},
    {"$recursiveRef",         Place::kNone, k4, {kNo, kNo, kNo, kUriReference, kUriReference}},
    {"$ref",                  Place::kNone, k4, {kString, kUriReference, kUriReference, kUriReference, kUriReference}},
    {"$schema",               Place::kNone, k4, {kUri, kUri, kUri, kUri, kUri}},
    {"$vocabulary",           Place::kNone, k4, {kNo, kNo, kNo, kVocabulary, kVocabulary}},
    {"additionalItems",       Place::kSchema, k4, {kSchemaOrBool, kSchema, kSchema, kSchema, kNo}},
    {"additionalProperties",  Place::kSchema, k4, {kSchemaOrBool, kSchema, kSchema, kSchema, kSchema}},
    {"allOf",                 Place::kArray, k4, {kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray}},
    {"anyOf",                 Place::kArray, k4, {kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray}},
    {"contains",              Place::kSchema, k6, {kNo, kSchema, kSchema, kSchema, kSchema}},
    {"contentEncoding",       Place::kNone, k4, {kNo, kNo, kString, kString, kString}},
    {"contentMediaType",      Place::kNone, k4, {kNo, kNo, kString, kString, kString}},
    {"contentSchema",         Place::kSchema, k2019, {kNo, kNo, kNo, kSchema, kSchema}},
    {"definitions",           Place::kMap, k4, {kSchemaMap, kSchemaMap, kSchemaMap, kSchemaMap, kSchemaMap}},
    {"dependencies",          Place::kMap, k4, {kDependencies, kDependencies, kDependencies, kDependencies, kDependencies}},
    {"dependentRequired",     Place::kNone, k4, {kNo, kNo, kNo, kStringsByName, kStringsByName}},
    {"dependentSchemas",      Place::kMap, k2019, {kNo, kNo, kNo, kSchemaMap, kSchemaMap}},
    {"deprecated",            Place::kNone, k4, {kNo, kNo, kNo, kBool, kBool}},
    {"description",           Place::kNone, k4, {kString, kString, kString, kString, kString}},
    {"else",                  Place::kSchema, k7, {kNo, kNo, kSchema, kSchema, kSchema}},
    {"enum",                  Place::kNone, k4, {kEnum, kEnum, kEnum, kArray, kArray}},
    {"examples",              Place::kNone, k4, {kNo, kNo, kArray, kArray, kArray}},
    {"exclusiveMaximum",      Place::kNone, k4, {kBesideMaximum, kNumber, kNumber, kNumber, kNumber}},
    {"exclusiveMinimum",      Place::kNone, k4, {kBesideMinimum, kNumber, kNumber, kNumber, kNumber}},
    {"format",                Place::kNone, k4, {kString, kString, kString, kString, kString}},
    {"id",                    Place::kNone, k4, {kString, kNo, kNo, kNo, kNo}},
    {"if",                    Place::kSchema, k7, {kNo, kNo, kSchema, kSchema, kSchema}},
    {"items",                 Place::kSchemaOrArray, k4, {kSchemaOrArray, kSchemaOrArray, kSchemaOrArray, kSchemaOrArray, kSchema}},
    {"maxContains",           Place::kNone, k4, {kNo, kNo, kNo, kCount, kCount}},
    {"maxItems",              Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"maxLength",             Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"maxProperties",         Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"maximum",               Place::kNone, k4, {kNumber, kNumber, kNumber, kNumber, kNumber}},
    {"minContains",           Place::kNone, k4, {kNo, kNo, kNo, kCount, kCount}},
    {"minItems",              Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"minLength",             Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"minProperties",         Place::kNone, k4, {kCount, kCount, kCount, kCount, kCount}},
    {"minimum",               Place::kNone, k4, {kNumber, kNumber, kNumber, kNumber, kNumber}},
    {"multipleOf",            Place::kNone, k4, {kPositive, kPositive, kPositive, kPositive, kPositive}},
    {"not",                   Place::kSchema, k4, {kSchema, kSchema, kSchema, kSchema, kSchema}},
    {"oneOf",                 Place::kArray, k4, {kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray, kSchemaArray}},
    {"pattern",               Place::kNone, k4, {kRegex, kRegex, kRegex, kRegex, kRegex}},
    {"patternProperties",     Place::kMap, k4, {kSchemaMap, kSchemaMap, kSchemaMapByRegex, kSchemaMapByRegex, kSchemaMapByRegex}},
    {"prefixItems",           Place::kArray, k2020, {kNo, kNo, kNo, kNo, kSchemaArray}},
    {"properties",            Place::kMap, k4, {kSchemaMap, kSchemaMap, kSchemaMap, kSchemaMap, kSchemaMap}},
    {"propertyNames",         Place::kSchema, k6, {kNo, kSchema, kSchema, kSchema, kSchema}},
    {"readOnly",              Place::kNone, k4, {kNo, kNo, kBool, kBool, kBool}},
    {"required",              Place::kNone, k4, {kSomeStrings, kStrings, kStrings, kStrings, kStrings}},
    {"then",                  Place::kSchema, k7, {kNo, kNo, kSchema, kSchema, kSchema}},
    {"title",                 Place::kNone, k4, {kString, kString, kString, kString, kString}},
    {"type",                  Place::kNone, k4, {kTypes, kTypes, kTypes, kTypes, kTypes}},
    {"unevaluatedItems",      Place::kSchema, k2019, {kNo, kNo, kNo, kSchema, kSchema}},
    {"unevaluatedProperties", Place::kSchema, k2019, {kNo, kNo, kNo, kSchema, kSchema}},
    {"uniqueItems",           Place::kNone, k4, {kBool, kBool, kBool, kBool, kBool}},
    {"writeOnly",             Place::kNone, k4, {kNo, kNo, kBool, kBool, kBool}},
};
// clang-format on

static_assert(std::is_sorted(std::begin(kTable), std::end(kTable),
                             [](const Keyword& a, const Keyword& b) { return a.name < b.name; }));

constexpr std::string_view kDraftUrls[kDrafts] = {
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
};

std::string_view without_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme)) return url.substr(scheme.size());
  }
  return url;
}

}  // namespace

const VocabularyName kVocabularies[9] = {
    {kCore, "core", true, true},
    {kApplicator, "applicator", true, true},
    {kUnevaluated, "unevaluated", false, true},
    {kValidation, "validation", true, true},
    {kMetaData, "meta-data", true, true},
    {kFormat, "format", true, false},
    {kFormatAnnotation, "format-annotation", false, true},
    {kFormatAssertion, "format-assertion", false, true},
    {kContent, "content", true, true},
};

std::string_view draft_url(Draft d) { return kDraftUrls[static_cast<size_t>(d)]; }

std::string_view id_keyword(Draft d) { return d == Draft::k4 ? "id" : "$id"; }

bool draft_of_url(std::string_view schema_url, Draft* draft) {
  const size_t hash = schema_url.find('#');
  if (hash != std::string_view::npos && hash + 1 != schema_url.size()) return false;
  const std::string_view url = without_scheme(schema_url.substr(0, hash));
  if (url == "json-schema.org/schema") {
    *draft = Draft::k2020;
    return true;
  }
  for (size_t i = 0; i < kDrafts; ++i) {
    if (url == without_scheme(kDraftUrls[i])) {
      *draft = static_cast<Draft>(i);
      return true;
    }
  }
  return false;
}

bool Dialect::has(Vocabulary v) const {
  if (v == kCore || draft < Draft::k2019) return true;
  if (custom) return (vocabularies & v) != 0;
  return v == kApplicator || v == kValidation || (v == kUnevaluated && draft == Draft::k2020);
}

const Keyword* find_keyword(std::string_view name) {
  const auto* it =
      std::lower_bound(std::begin(kTable), std::end(kTable), name,
                       [](const Keyword& k, std::string_view n) { return k.name < n; });
  return it != std::end(kTable) && it->name == name ? it : nullptr;
}

}  // namespace pintle::schema
