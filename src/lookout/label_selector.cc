#include "lookout/label_selector.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostRequirements = 100;

// Words, and the signs between them: "=", "==", "!=", "!", "(", ")", ",".
std::vector<std::string_view> tokens_of(std::string_view text) {
  static constexpr std::string_view kSigns = "=!(),", kBlanks = " \t\n\r";
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t n = 1;
    if (kBlanks.find(text[0]) != kBlanks.npos) {
      text.remove_prefix(1);
      continue;
    }
    if (text.starts_with("==") || text.starts_with("!=")) {
      n = 2;
    } else if (kSigns.find(text[0]) == kSigns.npos) {
      n = std::min(text.size(), text.find_first_of(" \t\n\r=!(),"));
    }
    out.push_back(text.substr(0, n));
    text.remove_prefix(n);
  }
  return out;
}

bool is_word(std::string_view token) {
  return !token.empty() && token.size() <= 317 && std::all_of(token.begin(), token.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(tokens_of(text)) {}

  Result<LabelSelector> read() {
    LabelSelector out;
    while (at_ < tokens_.size()) {
      if (!out.empty()) TRY(take(","));
      if (out.size() == kMostRequirements) return Error("it is too long", Code::kInvalidArgument);
      out.push_back(TRY(requirement()));
    }
    return out;
  }

 private:
  std::string_view peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string_view(); }
  Error wanted(std::string_view what) const {
    return Error(cat("want ", what, peek().empty() ? " at the end" : cat(" before \"", peek(), "\"")),
                 Code::kInvalidArgument);
  }
  Status take(std::string_view token) {
    if (peek() != token) return wanted(cat("\"", token, "\""));
    ++at_;
    return ok();
  }
  Result<std::string> word(std::string_view what) {
    if (!is_word(peek())) return wanted(what);
    return std::string(tokens_[at_++]);
  }
  Result<LabelRequirement> requirement() {
    LabelRequirement out;
    if (peek() == "!") {
      ++at_;
      out.wanted = false;
      out.any = true;
    }
    out.key = TRY(word("a label"));
    const std::string_view sign = peek();
    if (out.any || sign.empty() || sign == ",") {
      out.any = true;
      return out;
    }
    ++at_;
    out.wanted = sign != "!=" && sign != "notin";
    if (sign == "=" || sign == "==" || sign == "!=") {
      const bool none = peek().empty() || peek() == ",";  // a= is an empty value
      out.values.push_back(none ? "" : TRY(word("a value")));
      return out;
    }
    if (sign != "in" && sign != "notin") {
      --at_;
      return wanted("=, !=, in or notin");
    }
    TRY(take("("));
    out.values.push_back(TRY(word("a value")));
    while (peek() == ",") {
      ++at_;
      out.values.push_back(TRY(word("a value")));
    }
    TRY(take(")"));
    return out;
  }

  std::vector<std::string_view> tokens_;
  size_t at_ = 0;
};

}  // namespace

Result<LabelSelector> read_selector(std::string_view text) { return Reader(text).read(); }

bool selects(const LabelSelector& selector, const std::map<std::string, std::string>& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const LabelRequirement& r) {
    const auto it = labels.find(r.key);
    const bool has = it != labels.end() &&
                     (r.any || std::find(r.values.begin(), r.values.end(), it->second) != r.values.end());
    return has == r.wanted;
  });
}

}  // namespace pintle::lookout
