// The token level: what each character starts, simple keys, indentation. scan_scalar.cc and
// scan_tag.cc read the inside of tokens.
#include "yaml/scanner.h"

#include <cstring>

namespace pintle::yaml {

namespace {

constexpr size_t kMaxFlowLevel = 10000;
constexpr size_t kMaxIndents = 10000;
constexpr long kMaxSimpleKey = 1024;
constexpr size_t kAtEnd = static_cast<size_t>(-1);

// Characters that cannot start a plain scalar, whatever follows.
bool indicator(char c) { return std::memchr(",[]{}#&*!|>'\"%@`", c, 16) != nullptr; }

}  // namespace

bool Scanner::fail(std::string_view problem) {
  if (!error_.empty()) return false;
  if (!in_.fault.empty() && pos_ + 4 >= s_.size()) {
    error_ = in_.fault;
    return false;
  }
  if (line_ != 0) error_ = "line " + std::to_string(line_ + 1) + ": ";
  error_.append(problem);
  return false;
}

void Scanner::fail_parser(std::string_view problem, uint32_t line) {
  if (!error_.empty()) return;
  if (line != 0) error_ = "line " + std::to_string(line) + ": ";
  error_.append(problem);
}

void Scanner::start_line() {
  ++line_;
  line_start_ = counted_ = pos_;
  trail_bytes_ = 0;
}

void Scanner::skip_break() {
  pos_ += s_[pos_] == '\r' && at(pos_ + 1) == '\n' ? 2 : break_size(s_, pos_);
  start_line();
}

// CR, CR LF and NEL become LF; LS and PS stay.
void Scanner::read_break(std::string& out) {
  size_t n = break_size(s_, pos_);
  if (n == 3) {
    out.append(s_, pos_, 3);
  } else {
    out.push_back('\n');
  }
  skip_break();
}

size_t Scanner::find_break(size_t i) const {
  if (in_.lf_only) {
    const void* lf = i < s_.size() ? std::memchr(s_.data() + i, '\n', s_.size() - i) : nullptr;
    return lf == nullptr ? s_.size()
                         : static_cast<size_t>(static_cast<const char*>(lf) - s_.data());
  }
  while (i < s_.size() && break_size(s_, i) == 0) ++i;
  return i;
}

void Scanner::skip_to_break() { pos_ = find_break(pos_); }

bool Scanner::fetch_more() {
  for (;;) {
    if (head_ < tokens_.size()) {
      // A KEY may still come before the head token while a simple key starts at it.
      if (possible_.empty() || keys_[possible_.front()].token != taken_) break;
      bool valid = false;
      if (!key_still_valid(keys_[possible_.front()], &valid)) return false;
      if (!valid) {
        possible_.pop_front();
        break;
      }
    } else if (head_ > 0) {
      tokens_.clear();
      head_ = 0;
      arena_.reset();
    }
    if (!error_.empty() || !fetch_next()) return false;
  }
  ready_ = true;
  return true;
}

void Scanner::scan_to_next_token() {
  if (pos_ == 0 && s_.substr(0, 3) == "\xef\xbb\xbf") skip();
  for (;;) {
    bool tabs = flow_level_ > 0 || !simple_key_allowed_;
    while (pos_ < s_.size() && (s_[pos_] == ' ' || (tabs && s_[pos_] == '\t'))) ++pos_;
    if (peek_char() == '#') skip_to_break();
    if (!break_here()) return;
    skip_break();
    if (flow_level_ == 0) simple_key_allowed_ = true;
  }
}

bool Scanner::fetch_next() {
  scan_to_next_token();
  long col = column();
  unroll_indent(col);
  if (end_at(pos_)) return fetch_stream_end();
  if (!in_.fault.empty() && pos_ + 4 > s_.size()) return fail(in_.fault);
  char c = s_[pos_];
  if (col == 0) {
    if (c == '%') return fetch_directive();
    if (c == '-' && document_mark("---")) return fetch_document_mark(TokenType::kDocumentStart);
    if (c == '.' && document_mark("...")) return fetch_document_mark(TokenType::kDocumentEnd);
  }
  bool flow = flow_level_ > 0;
  switch (c) {
    case '[': return fetch_flow_start(TokenType::kFlowSequenceStart);
    case '{': return fetch_flow_start(TokenType::kFlowMappingStart);
    case ']': return fetch_flow_end(TokenType::kFlowSequenceEnd);
    case '}': return fetch_flow_end(TokenType::kFlowMappingEnd);
    case ',': return fetch_flow_entry();
    case '-':
      if (blankz_at(pos_ + 1)) return fetch_block_entry();
      return fetch_plain();
    case '?':
      if (flow || blankz_at(pos_ + 1)) return fetch_key();
      return fetch_plain();
    case ':':
      if (flow || blankz_at(pos_ + 1)) return fetch_value();
      return fetch_plain();
    case '*': return fetch_anchor(TokenType::kAlias);
    case '&': return fetch_anchor(TokenType::kAnchor);
    case '!': return fetch_tag();
    case '|':
    case '>':
      if (!flow) return fetch_block_scalar(c == '|');
      break;
    case '\'':
    case '"': return fetch_quoted(c == '\'');
    default:
      if (!blankz_at(pos_) && !indicator(c)) return fetch_plain();
  }
  return fail("found character that cannot start any token");
}

bool Scanner::key_still_valid(SimpleKey& key, bool* valid) {
  *valid = false;
  if (!key.possible) return true;
  if (key.line < line_ || key.column + kMaxSimpleKey < column()) {
    if (key.required) return fail("could not find expected ':'");
    key.possible = false;
    return true;
  }
  *valid = true;
  return true;
}

bool Scanner::save_simple_key() {
  if (!simple_key_allowed_) return true;
  if (!remove_simple_key()) return false;
  bool required = flow_level_ == 0 && indent_ == column();
  keys_.back() = {true, required, line_, column(), taken_ + tokens_.size() - head_};
  possible_.push_back(keys_.size() - 1);
  return true;
}

bool Scanner::remove_simple_key() {
  SimpleKey& key = keys_.back();
  if (!key.possible) return true;
  if (key.required) return fail("could not find expected ':'");
  key.possible = false;
  if (!possible_.empty() && possible_.back() == keys_.size() - 1) possible_.pop_back();
  return true;
}

// `at`: index into tokens_ that the block start goes to.
bool Scanner::roll_indent(long column, size_t at, TokenType type, uint32_t line) {
  if (flow_level_ > 0 || indent_ >= column) return true;
  indents_.push_back(indent_);
  indent_ = column;
  if (indents_.size() > kMaxIndents) return fail("exceeded max depth of 10000");
  Token t{type, false, 0, 0, line, {}, {}};
  if (at == kAtEnd) {
    tokens_.push_back(t);
  } else {
    tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(at), t);
  }
  return true;
}

void Scanner::unroll_indent(long column) {
  if (flow_level_ > 0) return;
  while (indent_ > column) {
    push(TokenType::kBlockEnd);
    indent_ = indents_.back();
    indents_.pop_back();
  }
}

bool Scanner::push_char(TokenType type) {
  push(type);
  ++pos_;
  return true;
}

bool Scanner::close_blocks() {
  unroll_indent(-1);
  if (!remove_simple_key()) return false;
  simple_key_allowed_ = false;
  return true;
}

bool Scanner::fetch_stream_end() {
  if (!in_.fault.empty()) return fail(in_.fault);
  if (column() != 0) start_line();
  if (!close_blocks()) return false;
  push(TokenType::kStreamEnd);
  return true;
}

bool Scanner::fetch_document_mark(TokenType type) {
  if (!close_blocks()) return false;
  push(type);
  pos_ += 3;
  return true;
}

bool Scanner::fetch_flow_start(TokenType type) {
  if (!save_simple_key()) return false;
  keys_.push_back(SimpleKey{});
  keys_.back().token = taken_ + tokens_.size() - head_;
  if (++flow_level_ > kMaxFlowLevel) return fail("exceeded max depth of 10000");
  simple_key_allowed_ = true;
  return push_char(type);
}

bool Scanner::fetch_flow_end(TokenType type) {
  if (!remove_simple_key()) return false;
  if (flow_level_ > 0) {
    --flow_level_;
    // go-yaml forgets to wait for the ':' after an empty collection, so "[]: v" is no mapping: the
    // level's own number is still that of its bracket, and it is by number that keys are forgotten.
    size_t number = keys_.back().token;
    keys_.pop_back();
    if (!possible_.empty() && keys_[possible_.back()].token == number) possible_.pop_back();
  }
  simple_key_allowed_ = false;
  return push_char(type);
}

bool Scanner::fetch_flow_entry() {
  if (!remove_simple_key()) return false;
  simple_key_allowed_ = true;
  return push_char(TokenType::kFlowEntry);
}

bool Scanner::fetch_block_entry() {
  if (flow_level_ == 0) {
    if (!simple_key_allowed_) {
      return fail("block sequence entries are not allowed in this context");
    }
    if (!roll_indent(column(), kAtEnd, TokenType::kBlockSequenceStart, line_)) return false;
  }
  if (!remove_simple_key()) return false;
  simple_key_allowed_ = true;
  return push_char(TokenType::kBlockEntry);
}

bool Scanner::fetch_key() {
  if (flow_level_ == 0) {
    if (!simple_key_allowed_) return fail("mapping keys are not allowed in this context");
    if (!roll_indent(column(), kAtEnd, TokenType::kBlockMappingStart, line_)) return false;
  }
  if (!remove_simple_key()) return false;
  simple_key_allowed_ = flow_level_ == 0;
  return push_char(TokenType::kKey);
}

bool Scanner::fetch_value() {
  SimpleKey& key = keys_.back();
  bool valid = false;
  bool was_possible = key.possible;
  if (!key_still_valid(key, &valid)) return false;
  if (was_possible && !possible_.empty() && possible_.back() == keys_.size() - 1) {
    possible_.pop_back();
  }
  if (valid) {
    bool gone = key.token < taken_;
    size_t at = gone ? tokens_.size() : head_ + (key.token - taken_);
    Token t{TokenType::kKey, false, 0, 0, key.line, {}, {}};
    tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(at), t);
    if (gone) at = kAtEnd;
    if (!roll_indent(key.column, at, TokenType::kBlockMappingStart, key.line)) return false;
    key.possible = false;
    simple_key_allowed_ = false;
  } else {
    if (flow_level_ == 0) {
      if (!simple_key_allowed_) return fail("mapping values are not allowed in this context");
      if (!roll_indent(column(), kAtEnd, TokenType::kBlockMappingStart, line_)) return false;
    }
    simple_key_allowed_ = flow_level_ == 0;
  }
  return push_char(TokenType::kValue);
}

bool Scanner::fetch_anchor(TokenType type) {
  if (!save_simple_key()) return false;
  simple_key_allowed_ = false;
  Token t{type, false, 0, 0, line_, {}, {}};
  size_t start = ++pos_;
  while (is_alpha(peek_char())) ++pos_;
  t.value = s_.substr(start, pos_ - start);
  bool ends = blankz_at(pos_) || std::memchr("?:,]}%@`", s_[pos_], 8) != nullptr;
  if (t.value.empty() || !ends) {
    return fail("did not find expected alphabetic or numeric character");
  }
  tokens_.push_back(t);
  return true;
}

bool Scanner::fetch_block_scalar(bool literal) {
  if (!remove_simple_key()) return false;
  simple_key_allowed_ = true;
  Token t{TokenType::kScalar, false, 0, 0, line_, {}, {}};
  if (!scan_block_scalar(literal, t)) return false;
  tokens_.push_back(t);
  return true;
}

bool Scanner::fetch_quoted(bool single) {
  if (!save_simple_key()) return false;
  simple_key_allowed_ = false;
  Token t{TokenType::kScalar, false, 0, 0, line_, {}, {}};
  if (!scan_quoted(single, t)) return false;
  tokens_.push_back(t);
  return true;
}

bool Scanner::fetch_plain() {
  if (!save_simple_key()) return false;
  simple_key_allowed_ = false;
  Token t{TokenType::kScalar, true, 0, 0, line_, {}, {}};
  if (!scan_plain(t)) return false;
  tokens_.push_back(t);
  return true;
}

}  // namespace pintle::yaml
