#include "cel/schema.h"

#include <algorithm>
#include <utility>

namespace pintle::cel {
namespace {

constexpr std::string_view kReserved[] = {
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function",
    "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"};

struct Spelling {
  std::string_view plain, escaped;
};
constexpr Spelling kSpellings[] = {
    {"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

bool is_reserved(std::string_view s) {
  return std::find(std::begin(kReserved), std::end(kReserved), s) != std::end(kReserved);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

}  // namespace

std::optional<std::string> escape_field(std::string_view name) {
  if (name.empty() || is_digit(name[0])) return std::nullopt;
  if (is_reserved(name)) return "__" + std::string(name) + "__";
  std::string out;
  while (!name.empty()) {
    const auto* s = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                 [&](const Spelling& k) { return name.starts_with(k.plain); });
    if (s != std::end(kSpellings)) {
      out += "__" + std::string(s->escaped) + "__";
      name.remove_prefix(s->plain.size());
    } else if (is_word(name[0])) {
      out += name[0];
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> unescape_field(std::string_view escaped) {
  std::string out;
  const size_t whole = escaped.size();
  while (!escaped.empty()) {
    const size_t end = escaped.starts_with("__") ? escaped.find('_', 2) : std::string_view::npos;
    if (end == std::string_view::npos || end == 2 || !escaped.substr(end).starts_with("__")) {
      out += escaped[0];
      escaped.remove_prefix(1);
      continue;
    }
    const std::string_view word = escaped.substr(2, end - 2);
    const auto* s = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                 [&](const Spelling& k) { return k.escaped == word; });
    if (s != std::end(kSpellings)) {
      out += s->plain;
    } else if (is_reserved(word) && end + 2 == whole) {
      out += word;
    } else {
      return std::nullopt;
    }
    escaped.remove_prefix(end + 2);
  }
  return out;
}

void Schema::add(std::string name, std::unique_ptr<Schema> schema) {
  by_name[name] = schema.get();
  auto escaped = escape_field(name);
  if (escaped && schema->kind != Kind::kHidden) {
    fields[*escaped] = {std::move(name), std::move(schema)};
  } else {
    x_unnamed.push_back(std::move(schema));
  }
}

const Schema::Field* Schema::field(std::string_view name) const {
  auto found = fields.find(name);
  if (found == fields.end() && is_reserved(name)) found = fields.find("__" + std::string(name) + "__");
  return found == fields.end() ? nullptr : &found->second;
}

}  // namespace pintle::cel
