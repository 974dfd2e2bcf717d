// Tokens -> the events of one document, pushed into a handler. Inside this room only.
//
// The grammar is YAML 1.1's as libyaml states it: a stack of states, no recursion, so depth costs
// one byte per level. A Handler has
//   bool scalar(const Scalar&, const Props&);   bool alias(std::string_view name, uint32_t line);
//   bool map_start(const Props&);  bool map_end();  bool list_start(const Props&);  bool list_end();
// and returns false to stop. Texts are valid during the call only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/scanner.h"

namespace pintle::yaml {

struct Props {
  uint32_t line = 0;         // of the node, from 0
  std::string_view anchor;   // empty: none
  std::string_view tag;      // in full ("tag:yaml.org,2002:int"), "!" or empty
};

struct Scalar {
  std::string_view text;
  bool implicit;  // its tag is to be resolved from the text (plain, or tagged "!")
};

enum class Outcome : uint8_t { kDone, kEmpty, kStopped, kFailed };

class Parser {
 public:
  explicit Parser(const Input& input) : scanner_(input) {}

  // The first document. kEmpty: the stream holds none. kFailed: error() says why.
  template <typename Handler>
  Outcome run(Handler& handler);
  const std::string& error() const { return scanner_.error(); }

 private:
  enum class State : uint8_t {
    kBlockNode,
    kBlockNodeOrIndentlessList,
    kFlowNode,
    kBlockList,
    kIndentlessList,
    kBlockMapKey,
    kBlockMapValue,
    kFlowListFirst,
    kFlowList,
    kFlowListPairKey,
    kFlowListPairValue,
    kFlowListPairEnd,
    kFlowMapFirst,
    kFlowMapKey,
    kFlowMapValue,
    kFlowMapEmptyValue,
  };
  using T = TokenType;

  bool open_document(bool* explicit_start, bool* empty);
  bool directives();
  bool properties(Props* props, const Token** token);
  bool resolve_tag(std::string_view handle, std::string_view suffix, uint32_t line);

  template <typename Handler>
  bool step(Handler& h, State state);
  template <typename Handler>
  bool node(Handler& h, bool block, bool indentless);
  template <typename Handler>
  bool empty(Handler& h, uint32_t line) {
    return h.scalar(Scalar{{}, true}, Props{line, {}, {}});
  }
  void push(State s) { states_.push_back(s); }
  bool fail(std::string_view problem, uint32_t line) {
    scanner_.fail_parser(problem, line);
    return false;
  }
  static bool any_of(T type, std::initializer_list<T> types) {
    for (T t : types) {
      if (t == type) return true;
    }
    return false;
  }

  Scanner scanner_;
  std::vector<State> states_;
  std::vector<std::pair<std::string, std::string>> tag_prefixes_;
  std::string tag_;  // of the node being read
};

template <typename Handler>
Outcome Parser::run(Handler& h) {
  bool explicit_start = false, nothing = false, done = true;
  if (!open_document(&explicit_start, &nothing)) return Outcome::kFailed;
  if (nothing) return Outcome::kEmpty;
  const Token* t = scanner_.peek();
  if (t == nullptr) return Outcome::kFailed;
  bool content = !explicit_start || !any_of(t->type, {T::kVersionDirective, T::kTagDirective,
                                                      T::kDocumentStart, T::kDocumentEnd,
                                                      T::kStreamEnd});
  if (content) {
    push(State::kBlockNode);
  } else {
    done = empty(h, t->line);
  }
  while (done && !states_.empty()) {
    State s = states_.back();
    states_.pop_back();
    done = step(h, s);
  }
  // The document's end is looked at, so an error in the token after the root counts.
  if (done && scanner_.peek() != nullptr) return Outcome::kDone;
  return scanner_.error().empty() ? Outcome::kStopped : Outcome::kFailed;
}

template <typename Handler>
bool Parser::node(Handler& h, bool block, bool indentless) {
  const Token* t = scanner_.peek();
  if (t == nullptr) return false;
  if (t->type == T::kAlias) {
    Token alias = *t;
    scanner_.take();
    return h.alias(alias.value, alias.line);
  }
  Props props;
  props.line = t->line;
  if (any_of(t->type, {T::kAnchor, T::kTag}) && !properties(&props, &t)) return false;
  if (indentless && t->type == T::kBlockEntry) {
    push(State::kIndentlessList);
    return h.list_start(props);
  }
  switch (t->type) {
    case T::kScalar: {
      bool implicit = (props.tag.empty() && t->plain) || props.tag == "!";
      Scalar scalar{t->value, implicit};
      scanner_.take();
      return h.scalar(scalar, props);
    }
    case T::kFlowSequenceStart:
      scanner_.take();
      push(State::kFlowListFirst);
      return h.list_start(props);
    case T::kFlowMappingStart:
      scanner_.take();
      push(State::kFlowMapFirst);
      return h.map_start(props);
    case T::kBlockSequenceStart:
      if (!block) break;
      scanner_.take();
      push(State::kBlockList);
      return h.list_start(props);
    case T::kBlockMappingStart:
      if (!block) break;
      scanner_.take();
      push(State::kBlockMapKey);
      return h.map_start(props);
    default: break;
  }
  if (!props.anchor.empty() || !props.tag.empty()) {
    return h.scalar(Scalar{{}, props.tag.empty()}, props);
  }
  return fail("did not find expected node content", t->line);
}

template <typename Handler>
bool Parser::step(Handler& h, State state) {
  const Token* t;
  switch (state) {
    case State::kBlockNode: return node(h, true, false);
    case State::kBlockNodeOrIndentlessList: return node(h, true, true);
    case State::kFlowNode: return node(h, false, false);
    default: break;
  }
  t = scanner_.peek();
  if (t == nullptr) return false;
  uint32_t line = t->line;
  switch (state) {
    case State::kBlockList:
      if (t->type == T::kBlockEntry) {
        scanner_.take();
        t = scanner_.peek();
        if (t == nullptr) return false;
        push(State::kBlockList);
        if (any_of(t->type, {T::kBlockEntry, T::kBlockEnd})) return empty(h, line);
        return node(h, true, false);
      }
      if (t->type != T::kBlockEnd) return fail("did not find expected '-' indicator", line);
      scanner_.take();
      return h.list_end();

    case State::kIndentlessList:
      if (t->type != T::kBlockEntry) return h.list_end();
      scanner_.take();
      t = scanner_.peek();
      if (t == nullptr) return false;
      push(State::kIndentlessList);
      if (any_of(t->type, {T::kBlockEntry, T::kKey, T::kValue, T::kBlockEnd})) {
        return empty(h, line);
      }
      return node(h, true, false);

    case State::kBlockMapKey:
      if (t->type == T::kKey) {
        scanner_.take();
        t = scanner_.peek();
        if (t == nullptr) return false;
        push(State::kBlockMapValue);
        if (any_of(t->type, {T::kKey, T::kValue, T::kBlockEnd})) return empty(h, line);
        return node(h, true, true);
      }
      if (t->type != T::kBlockEnd) return fail("did not find expected key", line);
      scanner_.take();
      return h.map_end();

    case State::kBlockMapValue:
      push(State::kBlockMapKey);
      if (t->type != T::kValue) return empty(h, line);
      scanner_.take();
      t = scanner_.peek();
      if (t == nullptr) return false;
      if (any_of(t->type, {T::kKey, T::kValue, T::kBlockEnd})) return empty(h, line);
      return node(h, true, true);

    case State::kFlowListFirst:
    case State::kFlowList:
      if (t->type != T::kFlowSequenceEnd) {
        if (state == State::kFlowList) {
          if (t->type != T::kFlowEntry) return fail("did not find expected ',' or ']'", line);
          scanner_.take();
          t = scanner_.peek();
          if (t == nullptr) return false;
        }
        if (t->type == T::kKey) {
          Props props{t->line, {}, {}};
          scanner_.take();
          push(State::kFlowListPairKey);
          return h.map_start(props);
        }
        if (t->type != T::kFlowSequenceEnd) {
          push(State::kFlowList);
          return node(h, false, false);
        }
      }
      scanner_.take();
      return h.list_end();

    case State::kFlowListPairKey:
      push(State::kFlowListPairValue);
      if (!any_of(t->type, {T::kValue, T::kFlowEntry, T::kFlowSequenceEnd})) {
        return node(h, false, false);
      }
      // libyaml drops the token here, even a "," or "]".
      scanner_.take();
      return empty(h, line);

    case State::kFlowListPairValue:
      push(State::kFlowListPairEnd);
      if (t->type == T::kValue) {
        scanner_.take();
        t = scanner_.peek();
        if (t == nullptr) return false;
        if (!any_of(t->type, {T::kFlowEntry, T::kFlowSequenceEnd})) return node(h, false, false);
      }
      return empty(h, line);

    case State::kFlowListPairEnd:
      push(State::kFlowList);
      return h.map_end();

    case State::kFlowMapFirst:
    case State::kFlowMapKey:
      if (t->type != T::kFlowMappingEnd) {
        if (state == State::kFlowMapKey) {
          if (t->type != T::kFlowEntry) return fail("did not find expected ',' or '}'", line);
          scanner_.take();
          t = scanner_.peek();
          if (t == nullptr) return false;
        }
        if (t->type == T::kKey) {
          scanner_.take();
          t = scanner_.peek();
          if (t == nullptr) return false;
          push(State::kFlowMapValue);
          if (any_of(t->type, {T::kValue, T::kFlowEntry, T::kFlowMappingEnd})) {
            return empty(h, t->line);
          }
          return node(h, false, false);
        }
        if (t->type != T::kFlowMappingEnd) {
          push(State::kFlowMapEmptyValue);
          return node(h, false, false);
        }
      }
      scanner_.take();
      return h.map_end();

    case State::kFlowMapEmptyValue:
      push(State::kFlowMapKey);
      return empty(h, line);

    case State::kFlowMapValue:
      push(State::kFlowMapKey);
      if (t->type == T::kValue) {
        scanner_.take();
        t = scanner_.peek();
        if (t == nullptr) return false;
        if (!any_of(t->type, {T::kFlowEntry, T::kFlowMappingEnd})) return node(h, false, false);
      }
      return empty(h, line);

    default: return false;
  }
}

}  // namespace pintle::yaml
