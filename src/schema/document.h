// Documents: the JSON documents a schema is made of, and the identifiers found in them.
//
// A document is read once and never changed, so a subschema is known by the address of its Value;
// its JSON pointer is worked out only when an error has to name it. A resource is a subschema with
// an identifier of its own (the document itself is one): base URL, dialect, anchors.
// Cost: one walk over all subschemas when a document is added. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "schema/keywords.h"
#include "schema/regex_cache.h"
#include "schema/schema.h"
#include "value/value.h"

namespace pintle::schema {

struct Resource {
  const value::Value* at;
  std::string id;
  Dialect dialect;
  std::map<std::string, const value::Value*, std::less<>> anchors;
  std::vector<std::string> dynamic_anchors;
};

struct Document {
  std::string url;
  value::Value json;
  std::unordered_map<const value::Value*, std::unique_ptr<Resource>> resources;
  std::unordered_map<std::string, Resource*> by_id;
  // Subschemas that lie where no keyword puts one, found because something refers to them.
  std::unordered_set<const value::Value*> stray;
  bool doubtful = false;  // the metaschema must be asked

  Resource& root() const { return *resources.at(&json); }
};

// A place in a document.
struct Spot {
  const value::Value* at = nullptr;
  Resource* resource = nullptr;  // the nearest around it
  bool subschema = false;        // known to be one: collected and checked
};

// The JSON pointer from the document's root to `at`, escaped: "/properties/a~1b".
std::string pointer_to(const Document& doc, const value::Value* at);
// "URL#POINTER" as error texts show it.
std::string location(const Document& doc, const value::Value* at);
// Follows a pointer. Errors: `invalid json-pointer "URL"`, `json-pointer in "URL" not found`.
Result<Spot> follow(const Document& doc, std::string_view pointer);

// A reference: absolute URL and decoded fragment.
struct Reference {
  std::string url;
  std::string fragment;
};
// `ref` seen from `base`. Error: `error in parsing "URL": ...`.
Result<Reference> join(std::string_view base, std::string_view ref);

// json.Decoder with UseNumber, one value and nothing behind it. Errors: "EOF", "unexpected EOF",
// Go's syntax errors, "invalid character after top-level value".
Result<value::Value> read_document(std::string_view text);

class Documents {
 public:
  Documents(const Loader& loader, RegexCache& regexes) : loader_(loader), regexes_(regexes) {}

  // `json` as if it had been loaded from `url`.
  void preset(std::string url, value::Value json) { json_[std::move(url)] = std::move(json); }

  // The document at `url`, loaded and searched for identifiers when new (then *fresh is set and
  // the caller has to ask its metaschema if it is doubtful). A document that failed is gone.
  Result<Document*> get(const std::string& url, bool* fresh);
  // Makes `at` a known subschema of doc: searches it as get() does the whole document.
  Status add_subschema(Document& doc, const Spot& spot);

 private:
  struct Subschema {
    const value::Value* at;
    Resource* around;  // null for a document's root
  };
  Result<const value::Value*> load(const std::string& url);
  Status search(Document& doc, Subschema start);
  Status visit(Document& doc, Subschema now, std::vector<Subschema>& todo);
  Result<Resource*> add_resource(Document& doc, Subschema now, std::string id, Dialect dialect);
  Status collect_anchors(Document& doc, Resource& resource, const value::Value& at);
  Result<Draft> draft_of(const Document& doc, const value::Value& at, Draft fallback);
  Result<Dialect> dialect_of(const value::Value& at, Draft draft);

  const Loader& loader_;
  RegexCache& regexes_;
  std::map<std::string, value::Value, std::less<>> json_;  // by URL
  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;
};

}  // namespace pintle::schema
