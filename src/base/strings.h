// Small string helpers several rooms need: cat, split, join, find-and-replace. Pure.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pintle {

// One argument of cat: text, a character or an integer (decimal). Lives for the call only.
class Piece {
 public:
  Piece(std::string_view s) : text_(s) {}                   // NOLINT: made implicitly on purpose
  Piece(const char* s) : text_(s) {}                        // NOLINT
  Piece(const std::string& s) : text_(s) {}                 // NOLINT
  Piece(char c) : text_(buf_, 1) { buf_[0] = c; }           // NOLINT
  Piece(bool) = delete;
  template <std::integral I>
    requires(!std::same_as<I, bool> && !std::same_as<I, char>)
  Piece(I n)                                                // NOLINT
      : text_(buf_, static_cast<size_t>(std::to_chars(buf_, buf_ + sizeof buf_, n).ptr - buf_)) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  char buf_[24];
  std::string_view text_;
};

void append(std::string& out, std::initializer_list<std::string_view> parts);

// cat("line ", 3, ": ", text) in one allocation.
template <typename... A>
std::string cat(const A&... args) {
  std::string out;
  append(out, {Piece(args).text()...});
  return out;
}

// Parts between separators, empty ones too; "" gives one empty part. The separator is not empty.
std::vector<std::string_view> split(std::string_view s, std::string_view separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);
// Every occurrence, left to right; `from` is not empty.
std::string replace_all(std::string_view s, std::string_view from, std::string_view to);

// The rest of s when it starts (ends) with the affix, else s itself.
inline std::string_view without_prefix(std::string_view s, std::string_view prefix) {
  return s.starts_with(prefix) ? s.substr(prefix.size()) : s;
}
inline std::string_view without_suffix(std::string_view s, std::string_view suffix) {
  return s.ends_with(suffix) ? s.substr(0, s.size() - suffix.size()) : s;
}

}  // namespace pintle
