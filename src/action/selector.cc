#include "action/selector.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::action {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

// Words and the signs between them; an empty token is the end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) { advance(); }
  std::string_view peek() const { return token_; }
  std::string_view next() {
    const std::string_view out = token_;
    advance();
    return out;
  }
  bool take(std::string_view wanted) {
    if (token_ != wanted) return false;
    advance();
    return true;
  }

 private:
  void advance() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n')) {
      rest_.remove_prefix(1);
    }
    size_t n = 0;
    if (!rest_.empty() && is_word(rest_[0])) {
      while (n < rest_.size() && is_word(rest_[n])) ++n;
    } else if (rest_.starts_with("==") || rest_.starts_with("!=")) {
      n = 2;
    } else if (!rest_.empty()) {
      n = 1;
    }
    token_ = rest_.substr(0, n);
    rest_.remove_prefix(n);
  }

  std::string_view rest_, token_;
};

bool word(std::string_view token) { return !token.empty() && is_word(token[0]); }

Error unexpected(std::string_view found, std::string_view expected) {
  return {Code::kInvalidArgument, cat("unable to parse requirement: found '", found,
                                      "', expected: ", expected)};
}

}  // namespace

Result<Selector> Selector::parse(std::string_view text) {
  Selector out;
  Tokens in(text);
  if (in.peek().empty()) return out;
  for (;;) {
    Requirement r;
    const bool absent = in.take("!");
    if (!word(in.peek())) return unexpected(in.peek(), "identifier");
    r.key = in.next();
    if (absent) {
      r.op = Op::kAbsent;
    } else if (in.peek() == "=" || in.peek() == "==" || in.peek() == "!=") {
      r.op = in.next() == "!=" ? Op::kNotIn : Op::kIn;
      r.values.emplace_back(word(in.peek()) ? in.next() : "");
    } else if (in.peek() == "in" || in.peek() == "notin") {
      r.op = in.next() == "in" ? Op::kIn : Op::kNotIn;
      if (!in.take("(")) return unexpected(in.peek(), "'('");
      do {
        r.values.emplace_back(word(in.peek()) ? in.next() : "");
      } while (in.take(","));
      if (!in.take(")")) return unexpected(in.peek(), "',', or ')'");
    } else if (!in.peek().empty() && in.peek() != ",") {
      return unexpected(in.peek(), "in, notin, =, ==, !=, gt, lt");
    }
    out.requirements_.push_back(std::move(r));
    if (in.take(",")) continue;
    if (in.peek().empty()) return out;
    return unexpected(in.peek(), "',' or 'end of string'");
  }
}

bool Selector::matches(const std::map<std::string, std::string>& labels) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& r) {
    const auto it = labels.find(r.key);
    const bool present = it != labels.end();
    const bool among = present && std::ranges::find(r.values, it->second) != r.values.end();
    switch (r.op) {
      case Op::kIn: return among;
      case Op::kNotIn: return !among;
      case Op::kExists: return present;
      case Op::kAbsent: return !present;
    }
    return false;
  });
}

}  // namespace pintle::action
