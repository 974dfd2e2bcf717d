#include "informer/scan.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "json/json.h"

namespace pintle::informer {

void Scan::space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
    ++at_;
  }
}

char Scan::peek() {
  space();
  return broken_ || at_ >= text_.size() ? '\0' : text_[at_];
}

bool Scan::at_end() {
  space();
  return at_ == text_.size();
}

bool Scan::open(char bracket) {
  if (peek() != bracket) return false;
  ++at_;
  first_ = true;
  return true;
}

// Steps to the next member or element; false behind the closing bracket, or when broken.
bool Scan::next(char close) {
  const char c = peek();
  const bool was_first = std::exchange(first_, false);
  if (c == close) {
    ++at_;
    return false;
  }
  if (!was_first) {
    if (c != ',') {
      broken_ = true;
      return false;
    }
    ++at_;
  }
  return !broken_;
}

bool Scan::element() { return next(']'); }

bool Scan::member(std::string_view& key) {
  if (!next('}')) return false;
  space();
  const size_t from = at_;
  if (!text()) return false;
  key = text_.substr(from + 1, at_ - from - 2);
  if (peek() != ':') {
    broken_ = true;
    return false;
  }
  ++at_;
  return true;
}

bool Scan::text() {
  if (at_ >= text_.size() || text_[at_] != '"') {
    broken_ = true;
    return false;
  }
  for (size_t i = at_ + 1; i < text_.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text_[i]);
    if (c == '"') {
      at_ = i + 1;
      return true;
    }
    if (c < 0x20) break;
    if (c != '\\') continue;
    if (++i >= text_.size()) break;
    if (text_[i] == 'u') {
      for (int n = 0; n < 4; ++n) {
        if (++i >= text_.size() || !std::isxdigit(static_cast<unsigned char>(text_[i]))) {
          broken_ = true;
          return false;
        }
      }
    } else if (std::string_view("\"\\/bfnrt").find(text_[i]) == std::string_view::npos) {
      break;
    }
  }
  broken_ = true;
  return false;
}

bool Scan::literal() {
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view word : {"true", "false", "null"}) {
    if (rest.starts_with(word)) {
      at_ += word.size();
      return true;
    }
  }
  size_t i = 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < rest.size() && rest[i] >= '0' && rest[i] <= '9') ++i;
    return i - from;
  };
  if (i < rest.size() && rest[i] == '-') ++i;
  const size_t whole = i;
  bool good = digits() > 0 && (rest[whole] != '0' || i == whole + 1);
  if (good && i < rest.size() && rest[i] == '.') {
    ++i;
    good = digits() > 0;
  }
  if (good && i < rest.size() && (rest[i] == 'e' || rest[i] == 'E')) {
    ++i;
    if (i < rest.size() && (rest[i] == '+' || rest[i] == '-')) ++i;
    good = digits() > 0;
  }
  at_ += i;
  broken_ = !good;
  return good;
}

std::string_view Scan::take() {
  const auto fail = [&] {
    broken_ = true;
    return std::string_view();
  };
  if (broken_) return {};
  first_ = false;
  space();
  const size_t from = at_;
  std::string open;  // the brackets that must close, innermost last
  const auto key = [&] {
    space();
    if (!text() || peek() != ':') return false;
    ++at_;
    return true;
  };
  for (;;) {
    const char c = peek();
    if (c == '{' || c == '[') {
      const char close = c == '{' ? '}' : ']';
      ++at_;
      if (peek() == close) {
        ++at_;
      } else {
        if (open.size() >= kMaxDepth) return fail();
        open.push_back(close);
        if (c == '{' && !key()) return fail();
        continue;
      }
    } else if (!(c == '"' ? text() : literal())) {
      return {};
    }
    for (;;) {  // behind a value
      if (open.empty()) return text_.substr(from, at_ - from);
      const char d = peek();
      if (d == ',') {
        ++at_;
        if (open.back() == '}' && !key()) return fail();
        break;
      }
      if (d != open.back()) return fail();
      ++at_;
      open.pop_back();
    }
  }
}

std::optional<std::string_view> plain(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return std::nullopt;
  const std::string_view inside = json.substr(1, json.size() - 2);
  if (inside.find('\\') != std::string_view::npos) return std::nullopt;
  return inside;
}

std::optional<std::string> unquoted(std::string_view json) {
  if (const auto inside = plain(json)) return std::string(*inside);
  if (json.empty() || json.front() != '"') return std::nullopt;
  const auto v = json::read(json);
  if (!v || !v->is_string()) return std::nullopt;
  return std::string(v->as_string());
}

std::optional<std::string_view> value_at(std::string_view json,
                                         std::initializer_list<std::string_view> path) {
  Scan s(json);
  for (const std::string_view step : path) {
    if (!s.open('{')) return std::nullopt;
    bool found = false;
    std::string_view key;
    while (!found && s.member(key)) {
      found = key == step;
      if (!found) s.skip();
    }
    if (!found) return std::nullopt;
  }
  const std::string_view value = s.take();
  if (!s.ok()) return std::nullopt;
  return value;
}

std::string string_at(std::string_view json, std::initializer_list<std::string_view> path) {
  const auto value = value_at(json, path);
  return value ? unquoted(*value).value_or("") : "";
}

int64_t number_at(std::string_view json, std::initializer_list<std::string_view> path) {
  int64_t n = 0;
  if (const auto text = value_at(json, path)) {
    std::from_chars(text->data(), text->data() + text->size(), n);
  }
  return n;
}

}  // namespace pintle::informer
