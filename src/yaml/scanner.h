// YAML text -> tokens, YAML 1.1 as go-yaml v2 scans it. Inside this room only.
//
// The token grammar is libyaml's: an indentation stack yields block starts and ends, and a "simple
// key" stack remembers where a key could have begun, so that a ':' can put KEY (and a mapping
// start) in front of tokens already read. Tokens wait in a queue until it is sure that no KEY will
// come before them; that is what bounds the look-ahead (one line, 1,024 characters).
//
// Errors are go-yaml's, at go-yaml's lines, met in go-yaml's order: nothing is looked at earlier or
// later than there. Scalars on one line without escapes are views of the text; others live in an
// arena that is reused once the queue is empty.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/arena.h"
#include "yaml/chars.h"
#include "yaml/input.h"

namespace pintle::yaml {

enum class TokenType : uint8_t {
  kStreamEnd,
  kVersionDirective,
  kTagDirective,
  kDocumentStart,
  kDocumentEnd,
  kBlockSequenceStart,
  kBlockMappingStart,
  kBlockEnd,
  kFlowSequenceStart,
  kFlowSequenceEnd,
  kFlowMappingStart,
  kFlowMappingEnd,
  kBlockEntry,
  kFlowEntry,
  kKey,
  kValue,
  kAlias,
  kAnchor,
  kTag,
  kScalar,
};

struct Token {
  TokenType type;
  bool plain = false;         // kScalar: unquoted
  uint8_t major = 0, minor = 0;
  uint32_t line = 0;          // from 0
  std::string_view value;     // scalar text, anchor name, tag handle
  std::string_view suffix;    // tag suffix, directive prefix
};

class Scanner {
 public:
  explicit Scanner(const Input& input) : in_(input), s_(input.text) {}

  // The next token, or null after an error. Valid until take().
  const Token* peek() {
    if (ready_) return &tokens_[head_];
    return fetch_more() ? &tokens_[head_] : nullptr;
  }
  void take() {
    ready_ = false;
    ++taken_;
    ++head_;
  }

  // "line N: PROBLEM"; set once.
  const std::string& error() const { return error_; }
  // An error of the parser proper: its line counts from 0 and is left out when 0.
  void fail_parser(std::string_view problem, uint32_t line);

 private:
  struct SimpleKey {
    bool possible = false;
    bool required = false;
    uint32_t line = 0;
    long column = 0;
    size_t token = 0;  // number of the token that would follow KEY
  };

  char at(size_t i) const { return i < s_.size() ? s_[i] : '\0'; }
  char peek_char(size_t ahead = 0) const { return at(pos_ + ahead); }
  bool end_at(size_t i) const { return i >= s_.size(); }
  bool break_here() const { return pos_ < s_.size() && break_size(s_, pos_) > 0; }
  bool breakz_at(size_t i) const { return end_at(i) || break_size(s_, i) > 0; }
  bool blankz_at(size_t i) const { return end_at(i) || is_blank(s_[i]) || break_size(s_, i) > 0; }
  long column() {  // in characters
    if (in_.ascii) return static_cast<long>(pos_ - line_start_);
    for (; counted_ < pos_; ++counted_) trail_bytes_ += (s_[counted_] & 0xc0) == 0x80;
    return static_cast<long>(pos_ - line_start_ - trail_bytes_);
  }
  void skip() { pos_ += pos_ < s_.size() ? width(s_[pos_]) : 0; }
  void start_line();
  void skip_break();
  void read_break(std::string& out);
  void skip_to_break();
  bool document_mark(std::string_view mark) const {
    return s_.substr(pos_, 3) == mark && blankz_at(pos_ + 3);
  }

  bool fail(std::string_view problem);
  bool fetch_more();
  bool fetch_next();
  void scan_to_next_token();
  void push(TokenType type) { tokens_.push_back(Token{type, false, 0, 0, line_, {}, {}}); }
  bool push_char(TokenType type);

  bool key_still_valid(SimpleKey& key, bool* valid);
  bool save_simple_key();
  bool remove_simple_key();
  bool roll_indent(long column, size_t at, TokenType type, uint32_t line);
  void unroll_indent(long column);

  bool fetch_stream_end();
  bool fetch_document_mark(TokenType type);
  bool close_blocks();
  bool fetch_flow_start(TokenType type);
  bool fetch_flow_end(TokenType type);
  bool fetch_flow_entry();
  bool fetch_block_entry();
  bool fetch_key();
  bool fetch_value();
  bool fetch_anchor(TokenType type);
  bool fetch_tag();
  bool fetch_directive();
  bool fetch_block_scalar(bool literal);
  bool fetch_quoted(bool single);
  bool fetch_plain();

  bool scan_plain(Token& t);
  bool scan_quoted(bool single, Token& t);
  bool scan_quoted_slowly(bool single, Token& t);
  bool scan_escape(std::string& out);
  bool scan_block_scalar(bool literal, Token& t);
  bool scan_block_header(int* chomp, long* increment);
  bool scan_block_breaks(long* indent);
  size_t find_break(size_t i) const;
  bool scan_tag_handle(bool directive, std::string& out);
  bool scan_tag_uri(std::string_view head, std::string& out);
  bool scan_uri_escapes(std::string& out);
  bool scan_version(Token& t);
  bool scan_version_number(uint8_t* out);
  bool scan_tag_directive(Token& t);

  const Input& in_;
  std::string_view s_;
  size_t pos_ = 0;
  uint32_t line_ = 0;
  size_t line_start_ = 0;
  size_t counted_ = 0;       // up to where trail_bytes_ has looked
  size_t trail_bytes_ = 0;   // UTF-8 continuation bytes from line_start_ to counted_

  std::vector<Token> tokens_;
  size_t head_ = 0;          // first token not taken
  size_t taken_ = 0;         // tokens taken so far: the number of the head token
  bool ready_ = false;       // the head token is certain

  long indent_ = -1;
  std::vector<long> indents_;
  size_t flow_level_ = 0;
  bool simple_key_allowed_ = true;
  std::vector<SimpleKey> keys_{SimpleKey{}};  // one per flow level
  std::deque<size_t> possible_;  // levels whose key is possible: outer ones hold earlier tokens

  Arena arena_;
  std::string text_, break_, breaks_;  // scratch of the scalar: its text, first break, later breaks
  std::string error_;
};

}  // namespace pintle::yaml
