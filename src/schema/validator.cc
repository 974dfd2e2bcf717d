#include "schema/validator.h"

#include <algorithm>

#include "base/strings.h"
#include "schema/quoting.h"
#include "base/url.h"

namespace pintle::schema {
namespace {

using value::Type;
using value::Value;

constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxSteps = 8'000'000;
constexpr size_t kMaxText = 16 << 20;

}  // namespace

void Unevaluated::fill(size_t n, size_t from) {
  open_.assign(n, false);
  std::fill(open_.begin() + static_cast<ptrdiff_t>(from), open_.end(), true);
  left_ = n - from;
}

void Unevaluated::remove(size_t i) {
  if (!contains(i)) return;
  open_[i] = false;
  --left_;
}

void Unevaluated::keep_common(const Unevaluated& other) {
  if (empty()) return;
  for (size_t i = 0; i < open_.size(); ++i) {
    if (!other.contains(i)) remove(i);
  }
}

void Unevaluated::clear() {
  open_.clear();
  left_ = 0;
}

Status Validator::validate(const Node& schema, const Value& v) {
  return run(schema, v, nullptr);
}

Status Validator::validate_document(const Node& metaschema, const Document& doc, const Value& v) {
  document_ = &doc;
  return run(metaschema, v, &metaschema);
}

Status Validator::run(const Node& schema, const Value& v, const Node* metaschema) {
  auto top = [&] {
    Frame f;
    f.scope = f.node = &schema;
    f.metaschema = metaschema;
    f.value = &v;
    return f;
  };
  Frame quick = top();
  const Frame none;
  if (ask(none, quick, nullptr)) return ok();
  Finding finding;
  Frame full = top();
  const bool valid = aborted_.empty() && ask(none, full, &finding);
  if (!aborted_.empty()) {
    return Error("unable to validate schema: " + aborted_, Code::kResourceExhausted);
  }
  if (valid) return ok();
  const std::string url =
      schema.at ? location(*schema.doc, schema.at) : std::string("urn:mem:metaschema");
  return Error(cat("jsonschema validation failed with ", quote_single(url), "\n",
                   display(ungroup(std::move(finding)))));
}

bool Validator::abort(std::string_view why) {
  if (aborted_.empty()) aborted_ = why;
  return false;
}

bool Validator::check(Frame& f, Finding* out) {
  if (!aborted_.empty()) return false;
  if (++steps_ > kMaxSteps) return abort("it takes too many steps");
  if (depth_ >= kMaxDepth) return abort("it nests too deeply");
  ++depth_;
  Findings findings;
  if (out) f.findings = &findings;
  const bool verdict = check_keywords(f);
  --depth_;
  if (!out) return verdict;
  if (findings.empty()) return true;
  if (findings.size() == 1) {
    *out = std::move(findings[0]);
  } else {
    f.findings = nullptr;
    out->kind = Finding::Kind::kGroup;
    out->line = cat("at ", quote_single(pointer(f)), ": validation failed");
    out->causes = std::move(findings);
  }
  return false;
}

bool Validator::check_keywords(Frame& f) {
  const Node& n = *f.node;
  if (n.boolean == Node::Boolean::kTrue) return true;
  if (n.boolean == Node::Boolean::kFalse) return fail(f, [] { return "false schema"; });
  if (const Frame* twin = cycle(f)) {
    return fail(f, [&] {
      return text::cycle(keyword_path(f), keyword_path(*twin), location(*n.doc, n.at));
    });
  }
  const Value& v = *f.value;
  // The values as a whole may be any kind of map; below, Go has one type for an object.
  const JsonType type = !f.parent && v.is_map() ? kObjectType : json_type(v);
  if (type == kNoType) {
    return fail(f, [&] { return cat("invalid jsonType ", value::go_type(v)); });
  }
  if (n.types != 0 && (n.types & type) == 0 &&
      !((n.types & kIntegerType) && type == kNumberType && is_integer(v))) {
    return fail(f, [&] { return text::wrong_type(type_name(type), n.types); });
  }
  if (n.more && n.more->constant && !json_equal(v, *n.more->constant)) {
    return fail(f, [&] { return text::not_constant(*n.more->constant); });
  }
  if (n.enumeration &&
      ((n.enum_types & type) == 0 ||
       std::none_of(n.enumeration->items.begin(), n.enumeration->items.end(),
                    [&v](const Value& item) { return json_equal(v, item); }))) {
    return fail(f, [&] { return text::not_in_enum(n.enumeration->items); });
  }
  if (n.more && (n.more->format || n.more->regex_format) && v.is_string()) {
    const size_t before = f.findings ? f.findings->size() : 0;
    if (!check_format(f)) return false;
    if (f.findings && f.findings->size() != before) return true;
  }
  if (n.ref) {
    if (!add_reference(f, n.ref, "$ref")) return false;
    if (n.draft < Draft::k2019) return true;
  }
  if (!check_by_type(f, type)) return false;
  if (!n.more) return true;
  return check_references(f) && check_conditions(f) && check_unevaluated(f);
}

bool Validator::check_by_type(Frame& f, uint8_t type) {
  switch (type) {
    case kObjectType: return check_object(f);
    case kArrayType: return check_array(f);
    case kStringType: return !f.node->more || check_string(f);
    case kNumberType: return !f.node->more || check_number(f);
    default: return true;
  }
}

bool Validator::check_references(Frame& f) {
  const MoreKeywords& k = *f.node->more;
  if (const Node* target = k.recursive_ref) {
    // The outermost frame standing in a recursive resource takes the reference.
    if (target->rest().recursive_anchor) {
      for (const Frame* s = &f; s; s = s->parent) {
        if (s->scope->resource->rest().recursive_anchor) target = s->scope;
      }
    }
    if (!add_reference(f, target, "$recursiveRef")) return false;
  }
  if (const Node* target = k.dynamic_ref) {
    const std::string& anchor = k.dynamic_ref_anchor;
    if (!anchor.empty() && target->rest().dynamic_anchor == anchor) {
      for (const Frame* s = &f; s; s = s->parent) {
        for (const auto& [name, node] : s->scope->resource->rest().dynamic_anchors) {
          if (name == anchor) target = node;
        }
      }
    }
    if (!add_reference(f, target, "$dynamicRef")) return false;
  }
  return true;
}

bool Validator::check_conditions(Frame& f) {
  const MoreKeywords& k = *f.node->more;
  if (k.negation && ask_self(f, k.negation, nullptr) && !fail(f, [] { return "'not' failed"; })) {
    return false;
  }
  if (!k.all_of.empty()) {
    Findings causes;
    for (const Node* node : k.all_of) {
      Finding finding;
      if (ask_self(f, node, f.findings ? &finding : nullptr)) continue;
      if (!f.findings) return false;
      causes.push_back(std::move(finding));
    }
    if (!causes.empty()) fail(f, [] { return "'allOf' failed"; }, std::move(causes));
  }
  if (!k.any_of.empty() && !check_any_of(f)) return false;
  if (!k.one_of.empty() && !check_one_of(f)) return false;
  if (k.if_) {
    const Node* branch = ask_self(f, k.if_, nullptr) ? k.then_ : k.else_;
    if (branch && !add_self(f, branch)) return false;
  }
  return true;
}

bool Validator::check_any_of(Frame& f) {
  Findings causes;
  bool matched = false;
  for (const Node* node : f.node->more->any_of) {
    Finding finding;
    if (!ask_self(f, node, f.findings ? &finding : nullptr)) {
      if (f.findings) causes.push_back(std::move(finding));
      continue;
    }
    matched = true;
    if (f.open.empty()) break;  // otherwise every branch may evaluate something
  }
  return matched || fail(f, [] { return "'anyOf' failed"; }, std::move(causes));
}

bool Validator::check_one_of(Frame& f) {
  const auto& nodes = f.node->more->one_of;
  Findings causes;
  std::optional<size_t> matched;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Finding finding;
    const bool explain = f.findings && !matched;
    if (!ask_self(f, nodes[i], explain ? &finding : nullptr)) {
      if (explain) causes.push_back(std::move(finding));
    } else if (!matched) {
      matched = i;
    } else {
      return fail(f, [&] { return text::two_of_one_of(*matched, i); });
    }
  }
  if (matched) return true;
  return fail(f, [] { return "'oneOf' failed, none matched"; }, std::move(causes));
}

bool Validator::check_unevaluated(Frame& f) {
  const MoreKeywords& k = *f.node->more;
  if (k.unevaluated_properties && f.value->is_map()) {
    for (size_t i = 0; i < f.open.size(); ++i) {
      if (!f.open.contains(i)) continue;
      const auto& entry = f.value->as_map()->begin()[static_cast<ptrdiff_t>(i)];
      if (!add_part(f, k.unevaluated_properties, entry)) return false;
    }
    f.open.clear();
  }
  if (k.unevaluated_items && f.value->is_list()) {
    for (size_t i = 0; i < f.open.size(); ++i) {
      if (f.open.contains(i) && !add_part(f, k.unevaluated_items, i)) return false;
    }
    f.open.clear();
  }
  return true;
}

bool Validator::ask(const Frame& f, Frame& sub, Finding* out) {
  const Value& v = *sub.value;
  const Node& node = *sub.node;
  const bool needed = sub.step == Frame::Step::kStay && !f.open.empty();
  if (v.is_map() && !node.all_properties_evaluated &&
      (needed || node.rest().unevaluated_properties)) {
    sub.open.fill(v.length(), 0);
  } else if (v.is_list() && !node.all_items_evaluated && node.items_evaluated < v.length() &&
             (needed || node.rest().unevaluated_items)) {
    sub.open.fill(v.length(), node.items_evaluated);
  }
  if (document_ && sub.parent && sub.node == sub.metaschema) {
    if (auto it = document_->resources.find(sub.value); it != document_->resources.end()) {
      auto own = compiler_.metaschema_of(it->second->dialect);
      if (own) sub.node = sub.metaschema = *own;
    }
  }
  return check(sub, out);
}

bool Validator::ask_self(Frame& f, const Node* node, Finding* out, std::string_view keyword) {
  Frame sub{.parent = &f, .scope = node, .node = node, .metaschema = f.metaschema,
            .keyword = keyword, .value = f.value, .value_id = f.value_id};
  const bool valid = ask(f, sub, out);
  if (valid) f.open.keep_common(sub.open);
  return valid;
}

bool Validator::ask_part(Frame& f, const Node* node, const value::Map::Entry& entry,
                         Finding* out) {
  Frame sub{.parent = &f, .scope = node, .node = node, .metaschema = f.metaschema,
            .keyword = {}, .value = &entry.value, .value_id = f.value_id + 1,
            .step = Frame::Step::kName, .name = entry.key};
  return ask(f, sub, out);
}

bool Validator::ask_part(Frame& f, const Node* node, size_t index, Finding* out) {
  Frame sub{.parent = &f, .scope = node, .node = node, .metaschema = f.metaschema,
            .keyword = {}, .value = &f.value->items()[index], .value_id = f.value_id + 1,
            .step = Frame::Step::kIndex, .name = {}, .index = index};
  return ask(f, sub, out);
}

bool Validator::add_self(Frame& f, const Node* node) {
  if (!f.findings) return ask_self(f, node, nullptr);
  Finding finding;
  if (!ask_self(f, node, &finding)) f.findings->push_back(std::move(finding));
  return true;
}

bool Validator::add_reference(Frame& f, const Node* node, std::string_view keyword) {
  if (!f.findings) return ask_self(f, node, nullptr, keyword);
  Finding finding;
  if (!ask_self(f, node, &finding, keyword)) {
    add(f, "validation failed", ungroup(std::move(finding)), Finding::Kind::kReference);
  }
  return true;
}

void Validator::add(Frame& f, std::string_view text, Findings causes, Finding::Kind kind) {
  Finding finding;
  finding.kind = kind;
  finding.line = cat("at ", quote_single(pointer(f)), ": ", text);
  finding.causes = std::move(causes);
  text_ += finding.line.size();
  if (text_ > kMaxText) abort("it has too much to say");
  f.findings->push_back(std::move(finding));
}

std::string Validator::pointer(const Frame& f) const {
  std::vector<const Frame*> steps;
  for (const Frame* s = &f; s; s = s->parent) {
    if (s->step != Frame::Step::kStay) steps.push_back(s);
  }
  std::string out;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    out += '/';
    if ((*it)->step == Frame::Step::kName) {
      append_pointer_token(out, (*it)->name);
    } else {
      out += std::to_string((*it)->index);
    }
  }
  return out;
}

// A frame further out that asks the same node about the same value.
const Validator::Frame* Validator::cycle(const Frame& f) const {
  for (const Frame* s = f.parent; s && s->value_id == f.value_id; s = s->parent) {
    if (s->scope == f.scope) return s;
  }
  return nullptr;
}

// The keywords that led from the top to f: "/properties/a/$ref".
std::string Validator::keyword_path(const Frame& f) const {
  auto place = [](const Node* n) {
    return n->at ? location(*n->doc, n->at) : std::string("urn:mem:metaschema#");
  };
  std::string out;
  for (const Frame* s = &f; s->parent; s = s->parent) {
    if (!s->keyword.empty()) {
      out = cat("/", s->keyword, out);
      continue;
    }
    const std::string here = place(s->scope);
    const std::string above = place(s->parent->scope);
    out = here.substr(std::min(above.size(), here.size())) + out;
  }
  return out;
}

}  // namespace pintle::schema
