#include "schema/compiler.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "schema/metaschemas.h"
#include "base/url.h"
#include "schema/validator.h"

namespace pintle::schema {

using value::Type;
using value::Value;

const MoreKeywords& Node::rest() const {
  static const MoreKeywords none;
  return more ? *more : none;
}

MoreKeywords& Node::make_rest() {
  if (!more) more = std::make_unique<MoreKeywords>();
  return *more;
}

// Compiles the keywords of one object, draft by draft, each draft adding to the one before. That
// order is the library's and shows: before 2019-09 a $ref silences the draft 4 keywords beside it,
// but not those of drafts 6 and 7.
class NodeCompiler {
 public:
  NodeCompiler(Compiler& compiler, Node& node) : c_(compiler), n_(node), object_(*node.at) {
    for (const auto& e : *object_.as_map()) present_ |= bit(e.key);
  }

  Status run() {
    TRY(draft4());
    if (n_.draft >= Draft::k6) draft6();
    if (n_.draft >= Draft::k7) draft7();
    if (n_.draft >= Draft::k2019) TRY(draft2019());
    if (n_.draft >= Draft::k2020) TRY(draft2020());
    return ok();
  }

 private:
  bool has(Vocabulary v) const { return n_.place->dialect.has(v); }
  MoreKeywords& more() { return n_.make_rest(); }

  // Most of the sixty keywords are absent from most objects: a bit by length and ends says so
  // without a search.
  static uint64_t bit(std::string_view key) {
    if (key.empty()) return 0;
    const auto first = static_cast<unsigned char>(key.front());
    const auto last = static_cast<unsigned char>(key.back());
    return uint64_t{1} << ((key.size() * 5 + first * 3 + last) & 63);
  }
  const Value* get(std::string_view key) const {
    return (present_ & bit(key)) ? object_.get(key) : nullptr;
  }
  const Value* typed(std::string_view key, Type type) const {
    const Value* v = get(key);
    return v && v->is(type) ? v : nullptr;
  }
  bool is_true(std::string_view key) const {
    const Value* v = typed(key, Type::kBool);
    return v && v->as_bool();
  }

  Node* enqueue(const Value& at) { return c_.enqueue(*n_.doc, &at, n_.place, true); }
  Node* enqueue_at(std::string_view key) {
    const Value* v = get(key);
    return v ? enqueue(*v) : nullptr;
  }
  Result<Node*> enqueue_ref(std::string_view key) {
    const Value* v = typed(key, Type::kString);
    if (!v) return nullptr;
    return c_.enqueue_reference(n_, v->as_string());
  }
  std::vector<Node*> enqueue_list(std::string_view key) {
    std::vector<Node*> out;
    const Value* v = typed(key, Type::kList);
    if (!v) return out;
    out.reserve(v->length());
    for (const Value& item : v->items()) out.push_back(enqueue(item));
    return out;
  }
  NamedNodes enqueue_map(std::string_view key) {
    NamedNodes out;
    const Value* v = typed(key, Type::kMap);
    if (!v || !v->as_map()) return out;
    out.names = v->as_map();
    out.nodes.reserve(out.names->size());
    for (const auto& e : *out.names) out.nodes.push_back(enqueue(e.value));
    return out;
  }
  Additional enqueue_additional(std::string_view key) {
    if (const Value* v = typed(key, Type::kBool)) {
      return {v->as_bool() ? Additional::kAllowed : Additional::kForbidden, nullptr};
    }
    Node* node = enqueue_at(key);
    return {node ? Additional::kByNode : Additional::kAbsent, node};
  }

  std::optional<Decimal> number(std::string_view key) const {
    const Value* v = typed(key, Type::kBytes);
    return v ? Decimal::of(*v) : std::nullopt;
  }
  void set_number(std::optional<Decimal> MoreKeywords::*field, std::string_view key) {
    if (auto n = number(key)) more().*field = std::move(n);
  }
  void set_count(std::optional<int64_t> MoreKeywords::*field, std::string_view key) {
    const auto n = number(key);
    if (n && n->is_integer()) more().*field = n->low_bits();
  }
  void set_node(Node* MoreKeywords::*field, std::string_view key) {
    if (Node* node = enqueue_at(key)) more().*field = node;
  }
  void set_list(std::vector<Node*> MoreKeywords::*field, std::string_view key) {
    auto nodes = enqueue_list(key);
    if (!nodes.empty()) more().*field = std::move(nodes);
  }

  Result<std::shared_ptr<const Regex>> regex(std::string_view pattern, std::string_view key) {
    const auto& re = c_.regexes_.get(pattern);
    if (re) return re;
    return Error(cat("invalid regex ", quote(pattern), " at ",
                     quote(cat(location(*n_.doc, n_.at), "/", key)), ": ", re.error().text()));
  }

  Status draft4() {
    n_.ref = TRY(enqueue_ref("$ref"));
    if (n_.ref && n_.draft < Draft::k2019) return ok();
    if (has(kApplicator)) TRY(applicators4());
    if (has(kValidation)) TRY(assertions4());
    const bool formats = c_.always_formats_ || n_.draft < Draft::k2019 ||
                         has(n_.draft == Draft::k2019 ? kFormat : kFormatAssertion);
    const Value* format = formats ? typed("format", Type::kString) : nullptr;
    if (!format) return ok();
    if (format->as_string() == "regex") {
      more().regex_format = true;
    } else if (const Format* f = find_format(format->as_string())) {
      more().format = f;
    }
    return ok();
  }

  Status applicators4() {
    set_list(&MoreKeywords::all_of, "allOf");
    set_list(&MoreKeywords::any_of, "anyOf");
    set_list(&MoreKeywords::one_of, "oneOf");
    set_node(&MoreKeywords::negation, "not");
    const Value* items = n_.draft < Draft::k2020 ? get("items") : nullptr;
    if (items && items->is(Type::kList)) {
      set_list(&MoreKeywords::first_items, "items");
      more().additional_items = enqueue_additional("additionalItems");
    } else if (items) {
      n_.items = enqueue(*items);
    }
    n_.properties = enqueue_map("properties");
    if (auto patterns = enqueue_map("patternProperties")) {
      size_t i = 0;
      for (const auto& e : *patterns.names) {
        auto re = TRY(regex(e.key, "patternProperties"));
        more().patterns.push_back({std::move(re), patterns.nodes[i++]});
      }
    }
    n_.additional_properties = enqueue_additional("additionalProperties");
    if (const Value* v = typed("dependencies", Type::kMap); v && v->length() > 0) {
      for (const auto& e : *v->as_map()) {
        if (e.value.is(Type::kList)) {
          more().dependencies.push_back({e.key, e.value.as_list(), nullptr});
        } else {
          more().dependencies.push_back({e.key, nullptr, enqueue(e.value)});
        }
      }
    }
    return ok();
  }

  Status assertions4() {
    if (const Value* v = get("type")) {
      if (v->is_string()) n_.types |= type_of_name(v->as_string());
      for (const Value& item : v->items()) {
        if (item.is_string()) n_.types |= type_of_name(item.as_string());
      }
    }
    if (const Value* v = typed("enum", Type::kList); v && v->as_list()) {
      n_.enumeration = v->as_list();
      for (const Value& item : v->items()) n_.enum_types |= json_type(item);
    }
    set_number(&MoreKeywords::multiple_of, "multipleOf");
    bound(&MoreKeywords::maximum, "maximum", &MoreKeywords::exclusive_maximum, "exclusiveMaximum");
    bound(&MoreKeywords::minimum, "minimum", &MoreKeywords::exclusive_minimum, "exclusiveMinimum");
    set_count(&MoreKeywords::min_length, "minLength");
    set_count(&MoreKeywords::max_length, "maxLength");
    if (const Value* v = typed("pattern", Type::kString)) {
      more().pattern = TRY(regex(v->as_string(), "pattern"));
    }
    set_count(&MoreKeywords::min_items, "minItems");
    set_count(&MoreKeywords::max_items, "maxItems");
    if (is_true("uniqueItems")) more().unique_items = true;
    set_count(&MoreKeywords::max_properties, "maxProperties");
    set_count(&MoreKeywords::min_properties, "minProperties");
    if (const Value* v = typed("required", Type::kList); v && v->length() > 0) {
      n_.required = v->as_list();
    }
    return ok();
  }

  // A bound and its exclusive twin, which in draft 4 is a flag and since draft 6 a number.
  void bound(std::optional<Decimal> MoreKeywords::*field, std::string_view key,
             std::optional<Decimal> MoreKeywords::*exclusive, std::string_view exclusive_key) {
    if (is_true(exclusive_key)) {
      set_number(exclusive, key);
      return;
    }
    set_number(field, key);
    set_number(exclusive, exclusive_key);
  }

  void draft6() {
    if (has(kApplicator)) {
      set_node(&MoreKeywords::contains, "contains");
      set_node(&MoreKeywords::property_names, "propertyNames");
    }
    const Value* constant = has(kValidation) ? get("const") : nullptr;
    if (constant) more().constant = constant;
  }

  void draft7() {
    if (!has(kApplicator)) return;
    set_node(&MoreKeywords::if_, "if");
    if (!n_.rest().if_) return;
    const Value* known = typed("if", Type::kBool);
    if (!known || known->as_bool()) set_node(&MoreKeywords::then_, "then");
    if (!known || !known->as_bool()) set_node(&MoreKeywords::else_, "else");
  }

  Status draft2019() {
    if (Node* node = TRY(enqueue_ref("$recursiveRef"))) more().recursive_ref = node;
    if (is_true("$recursiveAnchor")) more().recursive_anchor = true;
    if (has(kValidation)) {
      if (n_.rest().contains) {
        set_count(&MoreKeywords::min_contains, "minContains");
        set_count(&MoreKeywords::max_contains, "maxContains");
      }
      if (const Value* v = typed("dependentRequired", Type::kMap); v && v->length() > 0) {
        for (const auto& e : *v->as_map()) {
          if (!e.value.is(Type::kList)) continue;
          more().dependent_required.push_back({e.key, e.value.as_list(), nullptr});
        }
      }
    }
    if (has(kApplicator)) {
      if (auto schemas = enqueue_map("dependentSchemas")) {
        size_t i = 0;
        for (const auto& e : *schemas.names) {
          more().dependent_schemas.push_back({e.key, nullptr, schemas.nodes[i++]});
        }
      }
    }
    if (has(n_.draft == Draft::k2019 ? kApplicator : kUnevaluated)) {
      set_node(&MoreKeywords::unevaluated_items, "unevaluatedItems");
      set_node(&MoreKeywords::unevaluated_properties, "unevaluatedProperties");
    }
    return ok();
  }

  Status draft2020() {
    if (Node* node = TRY(enqueue_ref("$dynamicRef"))) {
      const std::string_view ref = typed("$dynamicRef", Type::kString)->as_string();
      const Reference parts = TRY(join(n_.place->id, ref));
      more().dynamic_ref = node;
      if (!parts.fragment.starts_with('/')) more().dynamic_ref_anchor = parts.fragment;
    }
    if (const Value* v = typed("$dynamicAnchor", Type::kString)) {
      more().dynamic_anchor = v->as_string();
    }
    if (has(kApplicator)) {
      set_list(&MoreKeywords::first_items, "prefixItems");
      n_.items = enqueue_at("items");
    }
    return ok();
  }

  Compiler& c_;
  Node& n_;
  const Value& object_;
  uint64_t present_ = 0;
};

Compiler::Compiler(const Loader& loader, bool always_formats)
    : always_formats_(always_formats), documents_(loader, regexes_) {}

Compiler::~Compiler() = default;

Result<Node*> Compiler::compile(const std::string& url) {
  Document* doc = TRY(document(url));
  Node* node = enqueue(*doc, &doc->json, &doc->root(), true);
  TRY(finish());
  return node;
}

Status Compiler::finish() {
  for (; compiled_ < nodes_.size(); ++compiled_) {
    Node& node = nodes_[compiled_];
    if (node.broken) return *node.broken;
    TRY(compile_node(node));
  }
  return ok();
}

Result<Document*> Compiler::document(const std::string& url) {
  bool fresh = false;
  Document* doc = TRY(documents_.get(url, &fresh));
  if (fresh && doc->doubtful && !is_metaschema_site(url)) {
    TRY(ask_metaschema(*doc, {&doc->json, &doc->root(), true}));
  }
  return doc;
}

Status Compiler::ask_metaschema(const Document& doc, const Spot& spot) {
  auto it = doc.resources.find(spot.at);
  const Resource& resource = it == doc.resources.end() ? *spot.resource : *it->second;
  Node* meta = TRY(metaschema_of(resource.dialect));
  const auto verdict = Validator(*this).validate_document(*meta, doc, *spot.at);
  if (verdict) return ok();
  if (verdict.error().code() == Code::kResourceExhausted) return verdict.error();  // given up
  return Error(cat(quote(location(doc, spot.at)), " is not valid against metaschema: ",
                   verdict.error().text()));
}

Result<Node*> Compiler::metaschema_of(const Dialect& dialect) {
  static const Loader no_loader;
  if (!metaschemas_) metaschemas_ = std::make_unique<Compiler>(no_loader, true);
  if (!dialect.custom) return metaschemas_->compile(std::string(draft_url(dialect.draft)));
  Node*& node = dialect_nodes_[static_cast<uint32_t>(dialect.draft) << 16 | dialect.vocabularies];
  if (node) return node;
  std::string base(draft_url(dialect.draft));
  base.resize(base.size() - std::string_view("schema").size());
  std::vector<Node*> parts;
  for (const auto& v : kVocabularies) {
    if ((dialect.vocabularies & v.bit) == 0) continue;
    parts.push_back(TRY(metaschemas_->compile(cat(base, "meta/", v.name))));
  }
  // A schema that stands nowhere: all the vocabularies' metaschemas, under one dynamic anchor.
  metaschemas_->nodes_.emplace_back();
  metaschemas_->compiled_ = metaschemas_->nodes_.size();
  node = &metaschemas_->nodes_.back();
  node->draft = dialect.draft;
  node->resource = node;
  node->make_rest().all_of = std::move(parts);
  if (dialect.draft == Draft::k2020) {
    node->more->dynamic_anchor = "meta";
    node->more->dynamic_anchors.emplace_back("meta", node);
  }
  return node;
}

Node* Compiler::enqueue(Document& doc, const Value* at, Resource* place, bool subschema) {
  Node*& node = by_address_[at];
  if (node) return node;
  auto own = doc.resources.find(at);
  node = &nodes_.emplace_back();
  node->at = at;
  node->doc = &doc;
  node->place = own == doc.resources.end() ? place : own->second.get();
  node->stray = !subschema;
  return node;
}

Node* Compiler::enqueue_broken(Error error) {
  Node& node = nodes_.emplace_back();
  node.broken = std::make_unique<Error>(std::move(error));
  return &node;
}

Result<Node*> Compiler::enqueue_reference(const Node& from, std::string_view ref) {
  const Reference target = TRY(join(from.place->id, ref));
  Document* doc = from.doc;
  Resource* resource = nullptr;
  if (target.url == doc->url) {
    resource = &doc->root();
  } else if (auto it = doc->by_id.find(target.url); it != doc->by_id.end()) {
    resource = it->second;
  } else {
    doc = TRY(document(target.url));
    resource = &doc->root();
  }
  if (!target.fragment.empty() && target.fragment[0] != '/') {
    auto it = resource->anchors.find(target.fragment);
    if (it == resource->anchors.end()) {
      return Error(cat("anchor in ",
                       quote(cat(resource->id, "#", escape_pointer(target.fragment))),
                       " not found in schema ", quote(doc->url)));
    }
    return enqueue(*doc, it->second, resource, true);
  }
  const bool whole = resource->at == &doc->json;
  const std::string pointer =
      whole ? target.fragment : pointer_to(*doc, resource->at) + target.fragment;
  auto spot = follow(*doc, pointer);
  if (!spot) return enqueue_broken(spot.error());
  return enqueue(*doc, spot->at, spot->resource, spot->subschema);
}

Status Compiler::compile_node(Node& node) {
  if (node.stray) {
    const Spot spot{node.at, node.place, false};
    if (!node.doc->stray.contains(node.at)) {
      TRY(documents_.add_subschema(*node.doc, spot));
      if (node.doc->doubtful) TRY(ask_metaschema(*node.doc, spot));
      auto own = node.doc->resources.find(node.at);
      if (own != node.doc->resources.end()) node.place = own->second.get();
    }
  }
  node.draft = node.place->dialect.draft;
  node.resource = enqueue(*node.doc, node.place->at, node.place, true);
  if (node.draft == Draft::k2020 && node.resource == &node) {
    for (const auto& name : node.place->dynamic_anchors) {
      const Value* at = node.place->anchors.find(name)->second;
      node.make_rest().dynamic_anchors.emplace_back(name,
                                                    enqueue(*node.doc, at, node.place, true));
    }
  }
  if (node.at->is(Type::kBool)) {
    node.boolean = node.at->as_bool() ? Node::Boolean::kTrue : Node::Boolean::kFalse;
  } else if (node.at->is_map()) {
    if (node.at->length() == 0) {
      node.boolean = Node::Boolean::kTrue;
    } else {
      TRY(NodeCompiler(*this, node).run());
    }
  }
  node.all_properties_evaluated = node.additional_properties.kind != Additional::kAbsent;
  node.items_evaluated = node.rest().first_items.size();
  node.all_items_evaluated =
      node.items || node.rest().additional_items.kind != Additional::kAbsent;
  return ok();
}

}  // namespace pintle::schema
