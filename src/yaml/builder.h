// Builder: parser events -> value, for documents made of plain maps, lists and scalars: no anchors,
// tags or merge keys, string-like keys, finite numbers. It stops at anything else, and decode.h
// reads the text again with all of go-yaml's rules. Inside this room only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "value/tree_builder.h"
#include "yaml/parser.h"
#include "yaml/yaml.h"

namespace pintle::yaml {

class Builder {
 public:
  // exact: integers stay integers. fields: only these are kept; null: all.
  Builder(bool exact, const Fields* fields) : exact_(exact) {
    if (fields == nullptr) return;
    next_ = Next::kPart;
    part_ = &fields->root();
  }

  bool scalar(const Scalar& s, const Props& p);
  bool alias(std::string_view, uint32_t) { return false; }
  bool map_start(const Props& p) { return start(p, true); }
  bool list_start(const Props& p) { return start(p, false); }
  bool map_end() { return end(); }
  bool list_end() { return end(); }

  value::Value take() { return tree_.take(); }

 private:
  enum class Level : uint8_t { kList, kKey, kValue };  // what the next node at this level is
  enum class Next : uint8_t { kWhole, kPart, kSkip };  // how much of the next value is built
  struct Choice {
    size_t depth;  // of the map whose keys are chosen by `from`
    const Fields::Node* from;
  };

  bool start(const Props& p, bool map);
  bool end();
  bool key(const Scalar& s);
  void value_done() {
    if (!levels_.empty() && levels_.back() == Level::kValue) levels_.back() = Level::kKey;
  }

  value::TreeBuilder tree_;
  std::vector<Level> levels_;
  bool exact_;
  Next next_ = Next::kWhole;
  const Fields::Node* part_ = nullptr;  // for Next::kPart
  std::vector<Choice> choices_;
  size_t skipped_ = 0;  // levels open inside a value that is not built
};

}  // namespace pintle::yaml
