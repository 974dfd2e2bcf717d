// The part of the grammar that needs no handler: directives, anchors and tags.
#include "yaml/parser.h"

namespace pintle::yaml {

bool Parser::open_document(bool* explicit_start, bool* empty) {
  const Token* t = scanner_.peek();
  if (t == nullptr) return false;
  if (t->type == T::kStreamEnd) {
    *empty = true;
    return true;
  }
  *explicit_start =
      any_of(t->type, {T::kVersionDirective, T::kTagDirective, T::kDocumentStart});
  if (!directives()) return false;
  if (!*explicit_start) return true;
  t = scanner_.peek();
  if (t == nullptr) return false;
  if (t->type != T::kDocumentStart) {
    return fail("did not find expected <document start>", t->line);
  }
  scanner_.take();
  return true;
}

bool Parser::directives() {
  bool version = false;
  const Token* t = scanner_.peek();
  for (; t != nullptr && any_of(t->type, {T::kVersionDirective, T::kTagDirective});
       t = scanner_.peek()) {
    if (t->type == T::kVersionDirective) {
      if (version) return fail("found duplicate %YAML directive", t->line);
      if (t->major != 1 || t->minor != 1) return fail("found incompatible YAML document", t->line);
      version = true;
    } else {
      for (const auto& [handle, prefix] : tag_prefixes_) {
        if (handle == t->value) return fail("found duplicate %TAG directive", t->line);
      }
      tag_prefixes_.emplace_back(t->value, t->suffix);
    }
    scanner_.take();
  }
  if (t == nullptr) return false;
  // The first match counts, so a directive of the document wins.
  tag_prefixes_.emplace_back("!", "!");
  tag_prefixes_.emplace_back("!!", "tag:yaml.org,2002:");
  return true;
}

// An anchor and a tag, each at most once, in either order. *token is the one after them.
bool Parser::properties(Props* props, const Token** token) {
  const Token* t = *token;
  bool anchored = false, tagged = false;
  std::string handle, suffix;
  uint32_t tag_line = 0;
  while ((t->type == T::kAnchor && !anchored) || (t->type == T::kTag && !tagged)) {
    if (t->type == T::kAnchor) {
      anchored = true;
      props->anchor = t->value;
    } else {
      tagged = true;
      handle = t->value;
      suffix = t->suffix;
      tag_line = t->line;
    }
    scanner_.take();
    t = scanner_.peek();
    if (t == nullptr) return false;
  }
  if (tagged) {
    if (!resolve_tag(handle, suffix, tag_line)) return false;
    props->tag = tag_;
  }
  *token = t;
  return true;
}

bool Parser::resolve_tag(std::string_view handle, std::string_view suffix, uint32_t line) {
  tag_.clear();
  if (handle.empty()) {
    tag_ = suffix;
    return true;
  }
  for (const auto& [name, prefix] : tag_prefixes_) {
    if (name != handle) continue;
    tag_ = prefix;
    tag_ += suffix;
    break;
  }
  return !tag_.empty() || fail("found undefined tag handle", line);
}

}  // namespace pintle::yaml
