// Reads JSON text as Go's encoding/json does.
//
// One pass, no recursion: the state between tokens is "what may come next", containers wait in a
// TreeBuilder. Go checks the whole text before it decodes any, so a syntax error beats a number out
// of range; here such a number is remembered and reported at the end. Strings without escapes are
// taken straight from the text. Cost: one look at each byte, one allocation per container and per
// string longer than 14 bytes.
#include <charconv>
#include <cstring>
#include <optional>

#include "base/gotext.h"
#include "json/json.h"
#include "value/tree_builder.h"

namespace pintle::json {

using value::Str;
using value::Type;
using value::Value;

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit_byte(char c) { return c >= '0' && c <= '9'; }
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte as Go names it in a syntax error: read as Latin-1, quoted with '.
std::string quote_byte(char c) {
  if (c == '\'') return "'\\''";
  if (c == '"') return "'\"'";
  std::string one;
  append_rune(one, static_cast<unsigned char>(c));
  std::string q = quote(one);
  return "'" + q.substr(1, q.size() - 2) + "'";
}

class Reader {
 public:
  Reader(std::string_view text, Numbers numbers) : s_(text), numbers_(numbers) {}

  // False: error() says why.
  bool read_value();
  bool at_end() {
    skip_space();
    return p_ == s_.size();
  }
  void fail_here(std::string_view context) { unexpected(context); }
  size_t position() const { return p_; }
  bool cut() const { return cut_; }
  Error error() const { return Error(message_, Code::kInvalidArgument); }
  Value take() { return tree_.take(); }
  // Set when a number did not fit a float64.
  const std::optional<std::string>& range_error() const { return range_error_; }

 private:
  enum class Next : uint8_t { kValue, kValueOrEnd, kKey, kKeyOrEnd, kAfterValue };

  void skip_space() {
    while (p_ < s_.size() && is_space(s_[p_])) ++p_;
  }
  bool unexpected(std::string_view context);
  bool unexpected_inside(std::string_view context);
  bool begin(Next& next);
  bool after_value(Next& next);
  bool key();
  bool literal(std::string_view word, Value v);
  bool number();
  bool digits(std::string_view context);
  bool string(Str& out);
  bool escaped_string(size_t start, Str& out);
  bool escape(std::string& out);
  bool hex4(char32_t& out);

  std::string_view s_;
  Numbers numbers_;
  size_t p_ = 0;
  value::TreeBuilder tree_;
  bool cut_ = false;
  std::string message_;
  std::optional<std::string> range_error_;
};

bool Reader::unexpected(std::string_view context) {
  if (p_ >= s_.size()) {
    cut_ = true;
    message_ = "unexpected end of JSON input";
  } else {
    message_ = "invalid character " + quote_byte(s_[p_]) + " " + std::string(context);
  }
  return false;
}

// Inside a literal, number or escape: where the text ends there, Go complains about the space that
// it feeds its scanner at the end.
bool Reader::unexpected_inside(std::string_view context) {
  if (p_ < s_.size()) return unexpected(context);
  cut_ = true;
  message_ = "invalid character ' ' " + std::string(context);
  return false;
}

bool Reader::read_value() {
  Next next = Next::kValue;
  for (;;) {
    if (next == Next::kAfterValue && tree_.depth() == 0) return true;
    skip_space();
    switch (next) {
      case Next::kValueOrEnd:
      case Next::kKeyOrEnd:
        if (p_ < s_.size() && s_[p_] == (next == Next::kKeyOrEnd ? '}' : ']')) {
          ++p_;
          tree_.close();
          next = Next::kAfterValue;
        } else {
          next = next == Next::kKeyOrEnd ? Next::kKey : Next::kValue;
        }
        continue;
      case Next::kKey:
        if (!key()) return false;
        next = Next::kValue;
        continue;
      case Next::kValue:
        if (!begin(next)) return false;
        continue;
      case Next::kAfterValue:
        if (!after_value(next)) return false;
        continue;
    }
  }
}

bool Reader::begin(Next& next) {
  char c = p_ < s_.size() ? s_[p_] : '\0';
  next = Next::kAfterValue;
  switch (c) {
    case '{':
    case '[':
      if (tree_.depth() >= kMaxDepth) return unexpected("exceeded max depth");
      ++p_;
      if (c == '{') {
        tree_.open_map();
        next = Next::kKeyOrEnd;
      } else {
        tree_.open_list();
        next = Next::kValueOrEnd;
      }
      return true;
    case '"': {
      Str out;
      if (!string(out)) return false;
      tree_.add(Value::string(std::move(out)));
      return true;
    }
    case 't': return literal("true", Value::boolean(true));
    case 'f': return literal("false", Value::boolean(false));
    case 'n': return literal("null", Value());
    default: break;
  }
  if (c == '-' || is_digit_byte(c)) return number();
  return unexpected("looking for beginning of value");
}

bool Reader::after_value(Next& next) {
  bool in_map = tree_.in_map();
  char c = p_ < s_.size() ? s_[p_] : '\0';
  if (c == ',') {
    ++p_;
    next = in_map ? Next::kKey : Next::kValue;
    return true;
  }
  if (c == (in_map ? '}' : ']')) {
    ++p_;
    tree_.close();
    return true;
  }
  return unexpected(in_map ? "after object key:value pair" : "after array element");
}

bool Reader::key() {
  if (p_ >= s_.size() || s_[p_] != '"') return unexpected("looking for beginning of object key string");
  Str k;
  if (!string(k)) return false;
  skip_space();
  if (p_ >= s_.size() || s_[p_] != ':') return unexpected("after object key");
  ++p_;
  tree_.key(std::move(k));
  return true;
}

bool Reader::literal(std::string_view word, Value v) {
  for (size_t i = 0; i < word.size(); ++i, ++p_) {
    if (p_ < s_.size() && s_[p_] == word[i]) continue;
    return unexpected_inside("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
  }
  tree_.add(std::move(v));
  return true;
}

bool Reader::digits(std::string_view context) {
  if (p_ >= s_.size() || !is_digit_byte(s_[p_])) return unexpected_inside(context);
  while (p_ < s_.size() && is_digit_byte(s_[p_])) ++p_;
  return true;
}

bool Reader::number() {
  size_t start = p_;
  bool integral = true;
  if (s_[p_] == '-') ++p_;
  if (p_ < s_.size() && s_[p_] == '0') {
    ++p_;
  } else if (!digits("in numeric literal")) {
    return false;
  }
  if (p_ < s_.size() && s_[p_] == '.') {
    integral = false;
    ++p_;
    if (!digits("after decimal point in numeric literal")) return false;
  }
  if (p_ < s_.size() && (s_[p_] == 'e' || s_[p_] == 'E')) {
    integral = false;
    ++p_;
    if (p_ < s_.size() && (s_[p_] == '+' || s_[p_] == '-')) ++p_;
    if (!digits("in exponent of numeric literal")) return false;
  }
  std::string_view text = s_.substr(start, p_ - start);
  if (numbers_ == Numbers::kLiteral) {
    tree_.add(Value::bytes(Str(text)));
    return true;
  }
  if (integral) {
    int64_t i = 0;
    auto r = std::from_chars(text.data(), text.data() + text.size(), i);
    if (r.ec == std::errc() && numbers_ == Numbers::kExact) {
      tree_.add(Value::int64(i));
      return true;
    }
    if (r.ec == std::errc() && i != 0) {  // "-0" keeps its sign below
      tree_.add(Value::number(static_cast<double>(i)));
      return true;
    }
    uint64_t u = 0;
    r = std::from_chars(text.data(), text.data() + text.size(), u);
    if (r.ec == std::errc() && r.ptr == text.data() + text.size() &&
        numbers_ == Numbers::kExact) {
      tree_.add(Value::uint64(u));
      return true;
    }
  }
  double d = 0;
  auto r = std::from_chars(text.data(), text.data() + text.size(), d);
  if (r.ec != std::errc()) {  // too large or too small: only the first is an error in Go
    bool range = false;
    d = parse_float(text, &range).value_or(0);
    if (range) {
      if (!range_error_) {
        range_error_ = "json: cannot unmarshal number " + std::string(text) +
                       " into Go value of type float64";
      }
      tree_.add(Value());
      return true;
    }
  }
  tree_.add(Value::number(d));
  return true;
}

bool Reader::string(Str& out) {
  size_t start = ++p_;
  const char* s = s_.data();
  size_t n = s_.size();
  while (p_ < n) {
    auto c = static_cast<unsigned char>(s[p_]);
    if (c == '"') {
      out = Str(s_.substr(start, p_ - start));
      ++p_;
      return true;
    }
    if (c == '\\' || c >= 0x80 || c < 0x20) break;
    ++p_;
  }
  return escaped_string(start, out);
}

bool Reader::escaped_string(size_t start, Str& out) {
  std::string text(s_.substr(start, p_ - start));
  for (;;) {
    if (p_ >= s_.size()) return unexpected("in string literal");
    auto c = static_cast<unsigned char>(s_[p_]);
    if (c == '"') break;
    if (c == '\\') {
      if (!escape(text)) return false;
    } else if (c < 0x20) {
      return unexpected("in string literal");
    } else if (c < 0x80) {
      text.push_back(s_[p_++]);
    } else {
      Rune r = decode_rune(s_.substr(p_));
      append_rune(text, r.value);
      p_ += static_cast<size_t>(r.size);
    }
  }
  ++p_;
  out = Str(text);
  return true;
}

bool Reader::hex4(char32_t& out) {
  out = 0;
  for (int i = 0; i < 4; ++i, ++p_) {
    int d = p_ < s_.size() ? hex_digit(s_[p_]) : -1;
    if (d < 0) return unexpected_inside("in \\u hexadecimal character escape");
    out = out * 16 + static_cast<char32_t>(d);
  }
  return true;
}

bool Reader::escape(std::string& out) {
  ++p_;
  char c = p_ < s_.size() ? s_[p_] : '\0';
  switch (c) {
    case '"':
    case '\\':
    case '/': out.push_back(c); break;
    case 'b': out.push_back('\b'); break;
    case 'f': out.push_back('\f'); break;
    case 'n': out.push_back('\n'); break;
    case 'r': out.push_back('\r'); break;
    case 't': out.push_back('\t'); break;
    case 'u': {
      ++p_;
      char32_t r;
      if (!hex4(r)) return false;
      if (r >= 0xd800 && r < 0xdc00 && s_.substr(p_, 2) == "\\u") {
        // A pair is one character; a lone half is U+FFFD and what follows is read on its own.
        size_t back = p_;
        p_ += 2;
        char32_t low;
        if (!hex4(low)) return false;
        if (low >= 0xdc00 && low < 0xe000) {
          r = 0x10000 + ((r - 0xd800) << 10) + (low - 0xdc00);
        } else {
          p_ = back;
        }
      }
      append_rune(out, r);
      return true;
    }
    default: return unexpected_inside("in string escape code");
  }
  ++p_;
  return true;
}

Result<Value> read_target(std::string_view text, Type target, Value* partial) {
  Reader r(text, Numbers::kFloat64);
  if (!r.read_value()) return r.error();
  if (!r.at_end()) {
    r.fail_here("after top-level value");
    return r.error();
  }
  Value v = r.take();
  if (v.is_nil() && !r.range_error()) {
    return target == Type::kMap ? Value::map(nullptr) : Value::list(nullptr);
  }
  if (!v.is(target)) {
    // A number is not even converted when the target cannot hold one.
    Value shown = r.range_error() && v.is_nil() ? Value::number(0) : v;
    return type_error(shown, target == Type::kMap ? "map[string]interface {}" : "[]interface {}");
  }
  if (r.range_error()) {
    if (partial != nullptr) *partial = std::move(v);
    return Error(*r.range_error(), Code::kOutOfRange);
  }
  return v;
}

}  // namespace

Error type_error(const Value& v, std::string_view go_type) {
  std::string_view what = "number";
  if (v.is_map()) {
    what = "object";
  } else if (v.is_list()) {
    what = "array";
  } else if (v.is_string()) {
    what = "string";
  } else if (v.is(Type::kBool)) {
    what = "bool";
  } else if (v.is_nil()) {
    what = "null";
  }
  return Error("json: cannot unmarshal " + std::string(what) + " into Go value of type " +
                   std::string(go_type),
               Code::kInvalidArgument);
}

Result<Value> read(std::string_view text, ReadOptions options) {
  Reader r(text, options.numbers);
  if (!r.read_value()) return r.error();
  if (!r.at_end()) {
    r.fail_here("after top-level value");
    return r.error();
  }
  if (r.range_error()) return Error(*r.range_error(), Code::kOutOfRange);
  return r.take();
}

Result<Value> read_map(std::string_view text, Value* partial) {
  return read_target(text, Type::kMap, partial);
}

Result<Value> read_list(std::string_view text, Value* partial) {
  return read_target(text, Type::kList, partial);
}

Result<Value> read_prefix(std::string_view text, size_t* used, ReadOptions options) {
  *used = 0;
  Reader r(text, options.numbers);
  if (r.at_end()) return Error("EOF", Code::kOutOfRange);
  if (!r.read_value()) {
    if (r.cut()) return Error("unexpected EOF", Code::kInvalidArgument);
    return r.error();
  }
  if (r.range_error()) return Error(*r.range_error(), Code::kOutOfRange);
  *used = r.position();
  return r.take();
}

}  // namespace pintle::json
