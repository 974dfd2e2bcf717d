// Scan: a cursor over JSON text that only goes forward, for reading a few fields of an object
// without building a tree. What it passes is checked as JSON (syntax and depth; not whether texts
// are valid UTF-8). Keys are compared as they are written, without undoing escapes.
// Allocates nothing below 16 levels. Not thread-safe; the text must outlive it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace pintle::informer {

class Scan {
 public:
  static constexpr size_t kMaxDepth = 10'000;

  explicit Scan(std::string_view text) : text_(text) {}

  // `if (s.open('{')) while (s.member(key)) <exactly one of: take, skip, open ... >`
  bool open(char bracket);             // '{' or '['; false: another kind of value (not passed)
  bool member(std::string_view& key);  // false at the end or on an error
  bool element();
  std::string_view take();  // the next value's text; "" on an error
  void skip() { take(); }
  bool at_end();            // nothing but white space is left
  bool ok() const { return !broken_; }
  char peek();              // first byte of the next value, 0 at the end
  size_t position() const { return at_; }

 private:
  void space();
  bool text();     // a string, from its quote
  bool literal();  // a number, true, false, null
  bool next(char close);

  std::string_view text_;
  size_t at_ = 0;
  bool first_ = false;  // nothing of the opened object or array was passed yet
  bool broken_ = false;
};

// What a JSON string's text ("\"a\\n\"") stands for; nullopt: it is none.
std::optional<std::string> unquoted(std::string_view json);
// Its inside as it stands, when it holds no escape.
std::optional<std::string_view> plain(std::string_view json);
// The text of the value at path; nullopt when a step is missing or the text is broken before it.
std::optional<std::string_view> value_at(std::string_view json,
                                         std::initializer_list<std::string_view> path);
// Likewise, where it is a string; else "".
std::string string_at(std::string_view json, std::initializer_list<std::string_view> path);
// Likewise, where it is an integer; else 0.
int64_t number_at(std::string_view json, std::initializer_list<std::string_view> path);

}  // namespace pintle::informer
