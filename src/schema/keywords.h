// The keywords of the five drafts: where their subschemas lie, and what each draft's metaschema
// demands of their values. One sorted table, read by the collector of identifiers (document.cc).
//
// A metaschema is itself a schema and validating a large document with it is slow, so the rules say
// the same in a form that can be checked in one walk. They only ever decide "surely valid": at the
// first doubt the real metaschema is run, and it alone words the error.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::schema {

enum class Draft : uint8_t { k4, k6, k7, k2019, k2020 };
constexpr size_t kDrafts = 5;

std::string_view draft_url(Draft d);      // "http://json-schema.org/draft-07/schema"
std::string_view id_keyword(Draft d);     // "id" or "$id"
// The draft an absolute `$schema` names; false when it is not one of ours.
bool draft_of_url(std::string_view schema_url, Draft* draft);

// Vocabularies of 2019-09 and 2020-12, as bits. `name` without the vocabulary prefix.
enum Vocabulary : uint16_t {
  kCore = 1,
  kApplicator = 2,
  kUnevaluated = 4,
  kValidation = 8,
  kMetaData = 16,
  kFormat = 32,
  kFormatAnnotation = 64,
  kFormatAssertion = 128,
  kContent = 256,
};
struct VocabularyName {
  Vocabulary bit;
  std::string_view name;
  bool in_2019, in_2020;
};
extern const VocabularyName kVocabularies[9];

// What a document is written in: a draft, perhaps narrowed by the `$vocabulary` of its metaschema.
struct Dialect {
  Draft draft = Draft::k2020;
  bool custom = false;     // `vocabularies` holds; otherwise the draft's usual ones
  uint16_t vocabularies = 0;

  bool has(Vocabulary v) const;
  friend bool operator==(const Dialect&, const Dialect&) = default;
};

// Where subschemas lie in a keyword's value.
enum class Place : uint8_t { kNone, kSchema, kMap, kArray, kSchemaOrArray };

// What the metaschema demands of a keyword's value.
enum class Rule : uint8_t {
  kAny,
  kSchema,
  kSchemaOrBool,  // draft 4, where a schema proper is always an object
  kSchemaArray,
  kSchemaOrArray,
  kSchemaMap,
  kSchemaMapByRegex,
  kDependencies,
  kString,
  kBool,
  kNumber,
  kPositive,
  kCount,
  kRegex,
  kUri,
  kUriReference,
  kId,  // a URI reference with no fragment but an empty one
  kAnchor,
  kArray,
  kEnum,     // at least one value, all different
  kStrings,  // all different
  kSomeStrings,
  kStringsByName,
  kTypes,
  kVocabulary,
  kBesideMaximum,  // draft 4: a boolean, and the bound it sharpens
  kBesideMinimum,
};

struct Keyword {
  std::string_view name;
  Place place;
  Draft place_since;
  Rule rules[kDrafts];

  Place place_in(Draft d) const { return d >= place_since ? place : Place::kNone; }
  Rule rule_in(Draft d) const { return rules[static_cast<size_t>(d)]; }
};

const Keyword* find_keyword(std::string_view name);  // null: unknown to every draft

}  // namespace pintle::schema
