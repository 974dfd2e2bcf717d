#include "drydock/selectors.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::drydock {
namespace {

enum class Token : uint8_t { kError, kEnd, kClose, kComma, kAbsent, kEquals, kDoubleEquals, kGreater,
                             kWord, kIn, kLess, kNotEquals, kNotIn, kOpen };

struct Lexed {
  Token token;
  std::string text;
};

bool special(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::vector<Lexed> lex(std::string_view s) {
  std::vector<Lexed> out;
  size_t i = 0;
  while (true) {
    while (i < s.size() && blank(s[i])) ++i;
    if (i == s.size()) break;
    size_t start = i;
    if (special(s[i])) {
      // The longest operator that the run of special characters begins with.
      static constexpr std::pair<std::string_view, Token> kOps[] = {
          {"==", Token::kDoubleEquals}, {"!=", Token::kNotEquals}, {"=", Token::kEquals},
          {"!", Token::kAbsent}, {"(", Token::kOpen}, {")", Token::kClose}, {",", Token::kComma},
          {">", Token::kGreater}, {"<", Token::kLess}};
      for (auto& [text, token] : kOps) {
        if (s.substr(i).starts_with(text)) {
          out.push_back({token, std::string(text)});
          i += text.size();
          break;
        }
      }
      continue;
    }
    while (i < s.size() && !special(s[i]) && !blank(s[i])) ++i;
    std::string word(s.substr(start, i - start));
    Token token = word == "in" ? Token::kIn : word == "notin" ? Token::kNotIn
                  : Token::kWord;
    out.push_back({token, std::move(word)});
  }
  out.push_back({Token::kEnd, ""});
  return out;
}

bool alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool name_like(std::string_view s) {
  if (s.empty() || !alnum(s.front()) || !alnum(s.back())) return false;
  return std::all_of(s.begin(), s.end(), [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
}
bool subdomain(std::string_view s) {
  if (s.empty()) return false;
  for (std::string_view part : split(s, ".")) {
    if (part.empty() || !alnum(part.front()) || !alnum(part.back())) return false;
    for (char c : part) {
      if (!(alnum(c) || c == '-') || (c >= 'A' && c <= 'Z')) return false;
    }
  }
  return true;
}

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation "
    "is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

Status check_key(std::string_view key) {
  std::vector<std::string> why;
  auto parts = split(key, "/");
  std::string_view name = parts.back();
  if (parts.size() > 2) {
    why.push_back(cat("a valid label key ", kNameRule,
                      " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"));
  } else {
    if (parts.size() == 2 && parts[0].empty()) why.push_back("prefix part must be non-empty");
    if (parts.size() == 2 && parts[0].size() > 253) why.push_back("prefix part must be no more than 253 bytes");
    if (parts.size() == 2 && !parts[0].empty() && !subdomain(parts[0])) {
      why.push_back(cat("prefix part ", kSubdomainRule));
    }
    if (name.empty()) why.push_back("name part must be non-empty");
    if (name.size() > 63) why.push_back("name part must be no more than 63 bytes");
    if (!name_like(name)) why.push_back(cat("name part ", kNameRule));
  }
  if (why.empty()) return ok();
  return Error(Code::kInvalidArgument, cat("<nil>: Invalid value: ", quote(key), ": ", join(why, "; ")));
}

void check_values(const LabelRequirement& r, std::vector<std::string>& out) {
  for (size_t i = 0; i < r.values.size(); ++i) {
    const std::string& v = r.values[i];
    std::vector<std::string> why;
    if (v.size() > 63) why.push_back("must be no more than 63 bytes");
    if (!v.empty() && !name_like(v)) why.emplace_back(kValueRule);
    if (why.empty()) continue;
    out.push_back(cat("values[", i, "][", r.key, "]: Invalid value: ", quote(v), ": ", join(why, "; ")));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : x_tokens(lex(text)) {}

  Result<LabelSelector> parse() {
    LabelSelector out;
    while (true) {
      const Lexed& next = peek();
      if (next.token == Token::kEnd) return out;
      if (next.token != Token::kWord && next.token != Token::kAbsent) {
        return refused("found '", next.text, "', expected: !, identifier, or 'end of string'");
      }
      auto requirement = parse_one();
      if (!requirement) return refused("unable to parse requirement: ", requirement.error().text());
      out.all.push_back(std::move(*requirement));
      const Lexed& after = take();
      if (after.token == Token::kEnd) return out;
      if (after.token != Token::kComma) {
        return refused("found '", after.text, "', expected: ',' or 'end of string'");
      }
      const Lexed& then = peek();
      if (then.token != Token::kWord && then.token != Token::kAbsent) {
        return refused("found '", then.text, "', expected: identifier after ','");
      }
    }
  }

 private:
  template <typename... Parts>
  static Error refused(const Parts&... parts) {
    return Error(Code::kInvalidArgument, cat(parts...));
  }
  // Everywhere but in an operator's place, `in` and `notin` are words (`key in (in, notin)`).
  Lexed peek() const {
    Lexed t = x_tokens[x_at];
    if (t.token == Token::kIn || t.token == Token::kNotIn) t.token = Token::kWord;
    return t;
  }
  Lexed take() {
    Lexed t = peek();
    step();
    return t;
  }
  Lexed take_operator() {
    Lexed t = x_tokens[x_at];
    step();
    return t;
  }
  void step() {
    if (x_at + 1 < x_tokens.size()) ++x_at;
  }

  Result<LabelRequirement> parse_one() {
    using Op = LabelRequirement::Op;
    LabelRequirement r;
    Lexed key = take();
    const bool absent = key.token == Token::kAbsent;
    if (absent) key = take();
    if (key.token != Token::kWord) return refused("found '", key.text, "', expected: identifier");
    TRY(check_key(key.text));
    r.key = key.text;
    const Token next = peek().token;
    if (absent || next == Token::kEnd || next == Token::kComma) {
      r.op = absent ? Op::kAbsent : Op::kExists;
      return r;
    }
    const Lexed op = take_operator();
    switch (op.token) {
      case Token::kIn: r.op = Op::kIn; break;
      case Token::kNotIn: r.op = Op::kNotIn; break;
      case Token::kEquals: case Token::kDoubleEquals: r.op = Op::kEquals; break;
      case Token::kNotEquals: r.op = Op::kNotEquals; break;
      case Token::kGreater: r.op = Op::kGreater; break;
      case Token::kLess: r.op = Op::kLess; break;
      default: return refused("found '", op.text, "', expected: in, notin, =, ==, !=, gt, lt");
    }
    if (r.op == Op::kIn || r.op == Op::kNotIn) TRY(read_values(r));
    else TRY(read_value(r));
    std::vector<std::string> why;
    if (r.op == Op::kGreater || r.op == Op::kLess) {
      ParseError error;
      parse_int(r.values[0], 10, 64, &error);
      if (error != ParseError::kNone) {
        why.push_back(cat("values[0]: Invalid value: ", quote(r.values[0]),
                          ": for 'Gt', 'Lt' operators, the value must be an integer"));
      }
    }
    check_values(r, why);
    if (why.empty()) return r;
    return refused(why.size() > 1 ? cat("[", join(why, ", "), "]") : why[0]);
  }

  Status read_value(LabelRequirement& r) {
    const Token next = peek().token;
    if (next == Token::kEnd || next == Token::kComma) {
      r.values.emplace_back();
      return ok();
    }
    Lexed value = take();
    if (value.token != Token::kWord) return refused("found '", value.text, "', expected: identifier");
    r.values.push_back(std::move(value.text));
    return ok();
  }

  Status read_values(LabelRequirement& r) {
    const Lexed open = take();
    if (open.token != Token::kOpen) return refused("found '", open.text, "' expected: '('");
    const Lexed first = peek();
    if (first.token == Token::kClose) {
      r.values.emplace_back();
      step();
      return ok();
    }
    if (first.token != Token::kWord && first.token != Token::kComma) {
      return refused("found '", first.text, "', expected: ',', ')' or identifier");
    }
    while (true) {  // until the ')' is next
      Lexed t = take();
      if (t.token == Token::kWord) {
        r.values.push_back(std::move(t.text));
        const Lexed after = peek();
        if (after.token == Token::kClose) break;
        if (after.token != Token::kComma) return refused("found '", after.text, "', expected: ',' or ')'");
      } else if (t.token == Token::kComma) {
        const Token after = peek().token;
        if (r.values.empty() || after == Token::kClose || after == Token::kComma) r.values.emplace_back();
        if (after == Token::kClose) break;
      } else {
        return refused("found '", t.text, "', expected: ',', or identifier");
      }
    }
    step();
    std::sort(r.values.begin(), r.values.end());
    r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
    return ok();
  }

  std::vector<Lexed> x_tokens;
  size_t x_at = 0;
};

}  // namespace

const std::string* find_pair(const Pairs& pairs, std::string_view key) {
  for (const auto& [k, v] : pairs) {
    if (k == key) return &v;
  }
  return nullptr;
}

bool LabelSelector::matches(const Pairs& labels) const {
  using Op = LabelRequirement::Op;
  for (const LabelRequirement& r : all) {
    const std::string* value = find_pair(labels, r.key);
    bool listed = value && std::find(r.values.begin(), r.values.end(), *value) != r.values.end();
    bool holds = false;
    switch (r.op) {
      case Op::kIn: case Op::kEquals: holds = listed; break;
      case Op::kNotIn: case Op::kNotEquals: holds = !listed; break;
      case Op::kExists: holds = value != nullptr; break;
      case Op::kAbsent: holds = value == nullptr; break;
      case Op::kGreater: case Op::kLess: {
        ParseError error = ParseError::kSyntax;
        int64_t have = value ? parse_int(*value, 10, 64, &error) : 0;
        int64_t want = parse_int(r.values[0], 10, 64, nullptr);
        holds = error == ParseError::kNone && (r.op == Op::kGreater ? have > want : have < want);
        break;
      }
    }
    if (!holds) return false;
  }
  return true;
}

Result<LabelSelector> parse_label_selector(std::string_view text) { return Parser(text).parse(); }

const std::string* FieldSelector::wanted(std::string_view field) const {
  for (const FieldRequirement& r : all) {
    if (r.equals && r.field == field) return &r.value;
  }
  return nullptr;
}

bool FieldSelector::matches(std::string_view ns, std::string_view name, const Pairs& fields) const {
  for (const FieldRequirement& r : all) {
    std::string_view have;
    if (r.field == "metadata.name") {
      have = name;
    } else if (r.field == "metadata.namespace") {
      have = ns;
    } else if (const std::string* value = find_pair(fields, r.field)) {
      have = *value;
    }
    if ((have == r.value) != r.equals) return false;
  }
  return true;
}

Result<FieldSelector> parse_field_selector(std::string_view text) {
  FieldSelector out;
  std::string term;
  auto add = [&]() -> Status {
    if (term.empty()) return ok();
    // The first operator in the term, longest first.
    for (size_t i = 0; i < term.size(); ++i) {
      std::string_view rest = std::string_view(term).substr(i);
      for (std::string_view op : {"!=", "==", "="}) {
        if (!rest.starts_with(op)) continue;
        std::string value;
        std::string_view raw = rest.substr(op.size());
        for (size_t k = 0; k < raw.size(); ++k) {
          if (raw[k] == '\\') {
            if (k + 1 == raw.size() || std::string_view("\\,=").find(raw[k + 1]) == std::string_view::npos) {
              return Error(Code::kInvalidArgument,
                           cat("invalid field selector: invalid escape sequence: ", raw.substr(k)));
            }
            ++k;
          } else if (raw[k] == '=') {
            return Error(Code::kInvalidArgument, cat("invalid field selector: unescaped character in value: ", static_cast<int>(raw[k])));
          }
          value += raw[k];
        }
        out.all.push_back({term.substr(0, i), std::move(value), op != "!="});
        return ok();
      }
    }
    return Error(Code::kInvalidArgument, cat("invalid selector: '", text, "'; can't understand '", term, "'"));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      term += text[i++];
      term += text[i];
    } else if (text[i] == ',') {
      TRY(add());
      term.clear();
    } else {
      term += text[i];
    }
  }
  TRY(add());
  return out;
}

}  // namespace pintle::drydock
