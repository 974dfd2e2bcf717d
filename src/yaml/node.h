// A YAML document as a tree of nodes, for what a value cannot be made from in one go: anchors and
// aliases, tags, merge keys, keys of any type. Inside this room only.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yaml/arena.h"
#include "yaml/parser.h"

namespace pintle::yaml {

struct Node {
  enum class Kind : uint8_t { kScalar, kMap, kList, kAlias };
  Kind kind = Kind::kScalar;
  bool implicit = false;         // kScalar: the tag follows from the text
  bool expanding = false;        // kAlias: its target is being decoded
  uint32_t line = 0;             // from 0
  std::string_view text;         // of a scalar; name of an alias
  std::string_view tag;
  Node* target = nullptr;        // kAlias
  Node* first = nullptr;         // children in order: elements, or key, value, key, value ...
  Node* last = nullptr;
  Node* next = nullptr;          // sibling
};

// A handler of parser events that makes nodes; owns them. One document.
class Composer {
 public:
  bool scalar(const Scalar& s, const Props& p);
  bool alias(std::string_view name, uint32_t line);
  bool map_start(const Props& p) { return start(Node::Kind::kMap, p); }
  bool list_start(const Props& p) { return start(Node::Kind::kList, p); }
  bool map_end() { return end(); }
  bool list_end() { return end(); }

  Node* root() { return root_; }
  const std::string& error() const { return error_; }  // why it stopped

 private:
  Node* add(Node::Kind kind, uint32_t line);
  bool start(Node::Kind kind, const Props& p);
  void describe(Node* n, const Props& p);
  bool end() {
    open_.pop_back();
    return true;
  }

  std::deque<Node> nodes_;
  Arena texts_;
  std::unordered_map<std::string_view, Node*> anchors_;
  std::vector<Node*> open_;
  Node* root_ = nullptr;
  std::string error_;
};

}  // namespace pintle::yaml
