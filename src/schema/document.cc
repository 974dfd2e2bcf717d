#include "schema/document.h"

#include <algorithm>

#include "base/count.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "schema/metaschemas.h"
#include "schema/quoting.h"
#include "schema/rules.h"
#include "base/url.h"

namespace pintle::schema {
namespace {

using value::Type;
using value::Value;

constexpr size_t kMaxDocuments = 500;
constexpr size_t kMaxValues = 1 << 20;  // commas and brackets: of all of Kubernetes' types there are 100,000

const Value* string_at(const Value& object, std::string_view key) {
  const Value* v = object.get(key);
  return v && v->is_string() ? v : nullptr;
}

std::string_view without_fragment(std::string_view url) { return url.substr(0, url.find('#')); }

std::string_view fragment_of(std::string_view url) {
  const size_t hash = url.find('#');
  return hash == std::string_view::npos ? std::string_view() : url.substr(hash + 1);
}

// The identifier an object gives itself in this draft, without fragment; "" for none.
std::string_view id_of(const Value& object, Draft draft) {
  if (draft < Draft::k2019 && object.get("$ref")) return {};
  const Value* id = string_at(object, id_keyword(draft));
  return id ? without_fragment(id->as_string()) : std::string_view();
}

Error bad_url(std::string_view url, const Error& cause) {
  return Error(cat("error in parsing ", quote(url), ": ", cause.text()));
}

// One step of a JSON pointer, with ~0 and ~1 replaced.
bool unescape_token(std::string_view token, std::string& out) {
  out.clear();
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    if (i + 1 == token.size() || (token[i + 1] != '0' && token[i + 1] != '1')) return false;
    out += token[++i] == '0' ? '~' : '/';
  }
  return true;
}

const Value* step(const Value& from, const std::string& token) {
  if (from.is_map()) return from.get(token);
  if (!from.is_list()) return nullptr;
  ParseError fault = ParseError::kNone;
  const int64_t i = parse_int(token, 10, 64, &fault);
  if (fault != ParseError::kNone || i < 0 || i >= static_cast<int64_t>(from.length())) {
    return nullptr;
  }
  return &from.items()[static_cast<size_t>(i)];
}

// Where a pointer walk stands: at a subschema, inside a keyword that holds some, or elsewhere.
Place after(Place now, bool at_schema, const Value& from, std::string_view token, Draft draft,
            bool* schema) {
  *schema = false;
  if (!at_schema) {
    *schema = now == Place::kMap || now == Place::kArray;
    return Place::kNone;
  }
  if (!from.is_map()) return Place::kNone;
  const Keyword* k = find_keyword(token);
  Place place = k ? k->place_in(draft) : Place::kNone;
  if (place == Place::kSchemaOrArray) {
    place = from.get(token) && from.get(token)->is_list() ? Place::kArray : Place::kSchema;
  }
  *schema = place == Place::kSchema;
  return place;
}

}  // namespace

std::string pointer_to(const Document& doc, const Value* at) {
  struct Level {
    const Value* v;
    size_t next;
  };
  std::vector<Level> path = {{&doc.json, 0}};
  while (!path.empty() && path.back().v != at) {
    Level& top = path.back();
    if (top.next >= top.v->length()) {
      path.pop_back();
      continue;
    }
    const size_t i = top.next++;
    path.push_back({top.v->is_map() ? &top.v->as_map()->begin()[static_cast<ptrdiff_t>(i)].value
                                    : &top.v->items()[i],
                    0});
  }
  std::string out;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    const Level& level = path[i];
    out += '/';
    if (level.v->is_map()) {
      append_pointer_token(out,
                           level.v->as_map()->begin()[static_cast<ptrdiff_t>(level.next - 1)].key);
    } else {
      out += std::to_string(level.next - 1);
    }
  }
  return out;
}

std::string location(const Document& doc, const Value* at) {
  return cat(doc.url, "#", escape_pointer(pointer_to(doc, at)));
}

Result<Spot> follow(const Document& doc, std::string_view pointer) {
  Spot spot{&doc.json, &doc.root(), true};
  Place place = Place::kNone;
  std::string token;
  for (std::string_view rest = pointer; !rest.empty();) {
    rest.remove_prefix(1);
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (!unescape_token(rest.substr(0, slash), token)) {
      return Error(cat("invalid json-pointer ", quote(cat(doc.url, "#", escape_pointer(pointer)))));
    }
    rest.remove_prefix(slash);
    const Value* next = step(*spot.at, token);
    if (!next) {
      return Error(cat("json-pointer in ", quote(cat(doc.url, "#", escape_pointer(pointer))),
                       " not found"));
    }
    bool schema = false;
    place = after(place, spot.subschema, *spot.at, token, spot.resource->dialect.draft, &schema);
    spot.at = next;
    spot.subschema = schema || doc.stray.contains(next);
    if (auto it = doc.resources.find(next); it != doc.resources.end()) {
      spot.resource = it->second.get();
    }
  }
  return spot;
}

Result<Reference> join(std::string_view base, std::string_view ref) {
  Reference out;
  auto fragment = path_unescape(fragment_of(ref));
  if (ref.starts_with('#') && fragment) {  // by far the most common: no URL to resolve
    out.url = base;
    out.fragment = std::move(*fragment);
    return out;
  }
  auto base_url = parse_url(base);
  if (!base_url) return bad_url(base, base_url.error());
  if (!fragment) return bad_url(ref, fragment.error());
  const std::string_view head = without_fragment(ref);
  auto url = parse_url(head);
  if (!url) return bad_url(head, url.error());
  Url resolved = resolve_url(*base_url, *url);
  if (!url->absolute() && !base_url->opaque.empty()) resolved.opaque = base_url->opaque;
  out.url = resolved.text();
  out.fragment = std::move(*fragment);
  return out;
}

Result<Value> read_document(std::string_view text) {
  if (more_than(text, ",[{", kMaxValues)) return Error("document has too many values");
  size_t used = 0;
  Value doc = TRY(json::read_prefix(text, &used, {.numbers = json::Numbers::kLiteral}));
  if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
    return Error("invalid character after top-level value");
  }
  return doc;
}

Result<const Value*> Documents::load(const std::string& url) {
  if (auto it = json_.find(url); it != json_.end()) return &it->second;
  if (const auto text = metaschema(url); !text.empty()) {
    return &(json_[url] = TRY(read_document(text)));
  }
  auto fail = [&url](std::string_view why) {
    return Error(cat("failing loading ", quote(url), ": ", why));
  };
  if (json_.size() >= kMaxDocuments) return fail("too many documents");
  if (!loader_) return fail("no URLLoader set");
  auto text = loader_(url);
  if (!text) return fail(text.error().text());
  auto doc = read_document(*text);
  if (!doc) return fail(doc.error().text());
  return &(json_[url] = std::move(*doc));
}

Result<Document*> Documents::get(const std::string& url, bool* fresh) {
  *fresh = false;
  if (auto it = documents_.find(url); it != documents_.end()) return it->second.get();
  const Value* json = TRY(load(url));
  auto doc = std::make_unique<Document>();
  doc->url = url;
  doc->json = *json;
  TRY(search(*doc, {&doc->json, nullptr}));
  *fresh = true;
  return (documents_[url] = std::move(doc)).get();
}

Status Documents::add_subschema(Document& doc, const Spot& spot) {
  doc.doubtful = !spot.at->is_map();
  return search(doc, {spot.at, spot.resource});
}

Status Documents::search(Document& doc, Subschema start) {
  std::vector<Subschema> todo = {start};
  while (!todo.empty()) {
    const Subschema next = todo.back();
    todo.pop_back();
    const size_t mark = todo.size();
    TRY(visit(doc, next, todo));
    std::reverse(todo.begin() + static_cast<ptrdiff_t>(mark), todo.end());
  }
  if (start.around) doc.stray.insert(start.at);
  return ok();
}

Status Documents::visit(Document& doc, Subschema now, std::vector<Subschema>& todo) {
  const Value& v = *now.at;
  const bool root = now.around == nullptr;
  const Dialect fallback = root ? Dialect() : now.around->dialect;
  if (!v.is_map()) {
    if (!root) return ok();  // what its keyword allows is a matter of rules
    doc.doubtful = !v.is(Type::kBool);
    TRY(add_resource(doc, now, doc.url, fallback));
    return ok();
  }
  bool has_schema = string_at(v, "$schema") != nullptr;
  Draft draft = TRY(draft_of(doc, v, fallback.draft));
  std::string_view id = id_of(v, draft);
  if (id.empty() && !root) {
    draft = fallback.draft;
    has_schema = false;
    id = id_of(v, draft);
  }
  Resource* resource = now.around;
  if (!id.empty() || root) {
    std::string url = root ? doc.url : now.around->id;
    if (!id.empty()) {
      auto joined = join(url, id);
      if (!joined) return Error("error in parsing id at " + quote(location(doc, now.at)));
      url = std::move(joined->url);
    }
    const Dialect dialect = has_schema ? TRY(dialect_of(v, draft)) : fallback;
    resource = TRY(add_resource(doc, now, std::move(url), dialect));
  }
  TRY(collect_anchors(doc, *resource, v));

  for (const auto& entry : *v.as_map()) {
    const Keyword* k = find_keyword(entry.key);
    if (!k) continue;
    if (!doc.doubtful && !surely_valid(entry.value, k->rule_in(draft), draft, v, regexes_)) {
      doc.doubtful = true;
    }
    switch (k->place_in(draft)) {
      case Place::kNone: break;
      case Place::kSchema: todo.push_back({&entry.value, resource}); break;
      case Place::kMap:
        if (!entry.value.is_map() || entry.value.length() == 0) break;
        for (const auto& e : *entry.value.as_map()) todo.push_back({&e.value, resource});
        break;
      case Place::kSchemaOrArray:
        todo.push_back({&entry.value, resource});
        [[fallthrough]];
      case Place::kArray:
        for (const Value& item : entry.value.items()) todo.push_back({&item, resource});
        break;
    }
  }
  return ok();
}

Result<Resource*> Documents::add_resource(Document& doc, Subschema now, std::string id,
                                          Dialect dialect) {
  if (auto it = doc.by_id.find(id); it != doc.by_id.end()) {
    if (it->second->at == now.at) return it->second;
    return Error(cat("duplicate id ", quote(id), " in ", quote(doc.url), " at ",
                     quote(pointer_to(doc, now.at)), " and ",
                     quote(pointer_to(doc, it->second->at))));
  }
  // The quick rules speak of one plain draft at a time.
  if (dialect.custom || (now.around && !(dialect == now.around->dialect))) doc.doubtful = true;
  auto resource = std::make_unique<Resource>();
  resource->at = now.at;
  resource->id = std::move(id);
  resource->dialect = dialect;
  Resource* raw = resource.get();
  doc.by_id[raw->id] = raw;
  doc.resources[now.at] = std::move(resource);
  return raw;
}

Status Documents::collect_anchors(Document& doc, Resource& resource, const Value& at) {
  auto add = [&](std::string name) -> Status {
    const auto [it, fresh] = resource.anchors.emplace(std::move(name), &at);
    if (fresh || it->second == &at) return ok();
    return Error(cat("duplicate anchor ", quote(it->first), " in ", quote(doc.url), " at ",
                     quote(pointer_to(doc, it->second)), " and ", quote(pointer_to(doc, &at))));
  };
  const Draft draft = resource.dialect.draft;
  if (draft < Draft::k2019) {
    if (at.get("$ref")) return ok();
    const Value* id = string_at(at, id_keyword(draft));
    if (!id) return ok();
    auto fragment = path_unescape(fragment_of(id->as_string()));
    if (!fragment) return Error("error in parsing anchor at " + quote(location(doc, &at)));
    if (!fragment->empty() && !fragment->starts_with('/')) TRY(add(std::move(*fragment)));
    return ok();
  }
  if (const Value* s = string_at(at, "$anchor")) TRY(add(std::string(s->as_string())));
  if (draft < Draft::k2020) return ok();
  if (const Value* s = string_at(at, "$dynamicAnchor")) {
    TRY(add(std::string(s->as_string())));
    resource.dynamic_anchors.emplace_back(s->as_string());
  }
  return ok();
}

Result<Draft> Documents::draft_of(const Document& doc, const Value& at, Draft fallback) {
  const Value* object = &at;
  std::string here;  // the metaschema being looked at; "" while it is still `at`
  for (std::unordered_set<std::string> seen;;) {
    const Value* schema = string_at(*object, "$schema");
    if (!schema) return fallback;
    Draft draft;
    if (draft_of_url(schema->as_string(), &draft)) return draft;
    const std::string url(without_fragment(schema->as_string()));
    if (auto parsed = parse_url(url); !parsed) {
      const std::string place = here.empty() ? location(doc, &at) : here + "#";
      return Error(cat("invalid $schema in ", quote(place), ": ", parsed.error().text()));
    }
    const bool top = !here.empty() || &at == &doc.json;
    if (top && url == (here.empty() ? doc.url : here)) {
      return Error(cat("draft ", quote(url), " is not supported"));
    }
    if (!seen.insert(url).second) return Error("cycle in resolving $schema in " + quote(url));
    object = TRY(load(url));
    here = url;
  }
}

Result<Dialect> Documents::dialect_of(const Value& at, Draft draft) {
  const Dialect plain{.draft = draft};
  const std::string_view schema = string_at(at, "$schema")->as_string();
  Draft known;
  if (draft < Draft::k2019 || draft_of_url(schema, &known)) return plain;
  const std::string url(without_fragment(schema));
  const Value* vocabulary = TRY(load(url))->get("$vocabulary");
  if (!vocabulary || !vocabulary->is_map()) return plain;
  Dialect dialect{.draft = draft, .custom = true, .vocabularies = kCore};
  const std::string prefix = draft == Draft::k2019
                                 ? "https://json-schema.org/draft/2019-09/vocab/"
                                 : "https://json-schema.org/draft/2020-12/vocab/";
  if (vocabulary->length() == 0) return dialect;
  for (const auto& entry : *vocabulary->as_map()) {
    if (!entry.value.is(Type::kBool) || !entry.value.as_bool()) continue;
    const std::string_view name = without_prefix(entry.key, prefix);
    const auto* it = std::find_if(
        std::begin(kVocabularies), std::end(kVocabularies), [&](const VocabularyName& v) {
          return v.name == name && (draft == Draft::k2019 ? v.in_2019 : v.in_2020);
        });
    if (it == std::end(kVocabularies) || name.size() == entry.key.size()) {
      return Error(cat("unsupported vocabulary ", quote(entry.key), " in ", quote(url)));
    }
    dialect.vocabularies |= it->bit;
  }
  return dialect;
}

}  // namespace pintle::schema
