#include "yaml/node.h"

namespace pintle::yaml {

Node* Composer::add(Node::Kind kind, uint32_t line) {
  Node* n = &nodes_.emplace_back();
  n->kind = kind;
  n->line = line;
  if (open_.empty()) {
    root_ = n;
    return n;
  }
  Node* parent = open_.back();
  (parent->first == nullptr ? parent->first : parent->last->next) = n;
  parent->last = n;
  return n;
}

void Composer::describe(Node* n, const Props& p) {
  n->tag = texts_.copy(p.tag);
  if (!p.anchor.empty()) anchors_[texts_.copy(p.anchor)] = n;
}

bool Composer::scalar(const Scalar& s, const Props& p) {
  Node* n = add(Node::Kind::kScalar, p.line);
  n->text = texts_.copy(s.text);
  n->implicit = s.implicit;
  describe(n, p);
  return true;
}

bool Composer::start(Node::Kind kind, const Props& p) {
  Node* n = add(kind, p.line);
  describe(n, p);
  open_.push_back(n);
  return true;
}

bool Composer::alias(std::string_view name, uint32_t line) {
  auto found = anchors_.find(name);
  if (found == anchors_.end()) {
    error_ = "unknown anchor '" + std::string(name) + "' referenced";
    return false;
  }
  Node* n = add(Node::Kind::kAlias, line);
  n->text = texts_.copy(name);
  n->target = found->second;
  return true;
}

}  // namespace pintle::yaml
