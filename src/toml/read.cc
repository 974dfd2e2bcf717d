// TOML in one pass of recursive descent, in the order BurntSushi's lexer and parser meet things, so
// that of several errors the same one comes first. Tables that are still open to additions are
// Items; values are made at the end. "Implicit" keys are tables that exist only because a longer
// key went through them: they may still be defined once.
#include <map>
#include <memory>
#include <set>

#include "toml/cursor.h"
#include "toml/toml.h"
#include "value/tree_builder.h"

namespace pintle::toml {

using value::Str;
using value::Value;

namespace {

constexpr size_t kMaxDepth = 500;   // of arrays and inline tables inside each other
constexpr size_t kMaxKey = 1000;    // parts of a full key

using Key = std::vector<std::string>;

struct Table;
struct Item {
  enum class Kind : uint8_t { kValue, kTable, kTables };
  Kind kind = Kind::kValue;
  Value value;
  std::vector<std::unique_ptr<Table>> tables;  // kTable: one
};
struct Table {
  std::map<std::string, Item> items;
};

Item table_item(Item::Kind kind) {
  Item item;
  item.kind = kind;
  item.tables.push_back(std::make_unique<Table>());
  return item;
}

Value to_value(const Table& table) {
  value::MapBuilder m;
  for (const auto& [key, item] : table.items) {
    if (item.kind == Item::Kind::kValue) {
      m.add(Str(key), item.value);
    } else if (item.kind == Item::Kind::kTable) {
      m.add(Str(key), to_value(*item.tables[0]));
    } else {
      std::vector<Value> list;
      for (const auto& t : item.tables) list.push_back(to_value(*t));
      m.add(Str(key), Value::list_of(std::move(list)));
    }
  }
  return Value::map(m.finish());
}

std::string key_text(const Key& key) {
  std::string out;
  for (const auto& part : key) {
    if (!out.empty() || &part != &key[0]) out.push_back('.');
    bool bare = !part.empty();
    for (char c : part) {
      bare &= (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-';
    }
    out += part.empty() ? "\"\"" : bare ? part : quote(part);
  }
  return out;
}

std::string quote_char(char32_t c) {
  if (c == Cursor::kEnd) return "'\\x00'";
  if (c == '\'') return "'\\''";
  if (c == '"') return "'\"'";
  std::string one;
  append_rune(one, c);
  std::string q = pintle::quote(one);
  return "'" + q.substr(1, q.size() - 2) + "'";
}

std::string char_or_end(char32_t c) {
  if (c == Cursor::kEnd) return "end of file";
  std::string one;
  append_rune(one, c);
  return "'" + one + "'";
}

bool leading_zero(std::string_view s) {
  if (s.size() > 1 && s[0] == '0' && s[1] != 'b' && s[1] != 'o' && s[1] != 'x') return true;
  return s.size() > 2 && (s[0] == '-' || s[0] == '+') && s[1] == '0';
}

bool underscores_fit(std::string_view s) {
  if (s == "nan" || s == "+nan" || s == "-nan" || s == "inf" || s == "-inf" || s == "+inf") {
    return true;
  }
  bool digit_before = false;
  for (char c : s) {
    if (c == '_' && !digit_before) return false;
    digit_before = is_hex(static_cast<unsigned char>(c));
  }
  return digit_before;
}

bool periods_fit(std::string_view s) {
  bool period = false;
  for (char c : s) {
    if (period && !(c >= '0' && c <= '9')) return false;
    period = c == '.';
  }
  return !period;
}

std::string_view without_first_newline(std::string_view s) {
  if (s.substr(0, 1) == "\n") return s.substr(1);
  if (s.substr(0, 2) == "\r\n") return s.substr(2);
  return s;
}

// A backslash, blanks and at least one line break vanish, with all blanks and breaks that follow.
std::string without_escaped_newlines(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      out.push_back(s[i++]);
      continue;
    }
    size_t j = i + 1;
    while (j < s.size() && std::string_view(" \t\r\n").find(s[j]) != std::string_view::npos) ++j;
    if (s.substr(i, j - i).find('\n') != std::string_view::npos) {
      i = j;
    } else {
      out.append(s, i, 2);
      i += 2;
    }
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, ReadTime read_time) : at_(text), read_time_(read_time) {}

  bool read();
  Value take() { return to_value(root_); }
  Error error() const;

 private:
  bool fail(const std::string& message) { return at_.fail(message); }
  bool top_end();
  bool comment();
  bool table();
  bool table_name(Key* key);
  bool key_value();
  bool keys(Key* key);
  bool bare_name(std::string* out);
  bool quoted_name(std::string* out);

  bool value(bool in_array, Value* out);
  bool word(char32_t first, Value* out);
  bool array(Value* out);
  bool inline_table(bool in_array, Value* out);
  bool inline_entry(Table* top);
  bool next_inline(bool* done);
  bool number_or_date(Value* out);
  bool signed_number(Value* out);
  bool integer(std::string_view text, Value* out);
  bool real(std::string_view text, Value* out);
  bool date(std::string_view text, Value* out);
  template <typename Pred>
  void run(Pred pred) {
    while (pred(at_.next())) {
    }
    at_.back();
  }

  bool string(std::string* out);
  bool raw_string(std::string* out);
  bool multiline_string(char32_t quote, std::string* out);
  bool escape();
  bool unescape(std::string_view text, std::string* out);

  // What the keys so far have established; see BurntSushi's parser.
  Table* context_table(const Key& context);
  bool add_context(const Key& key, bool array);
  bool add_implicit_context(const Key& key) {
    implicit_.insert(key_text(key));
    return add_context(key, false);
  }
  bool set_value(const std::string& key, Item item);
  void set_is_array(const std::string& key, bool array);
  bool already_defined(const Key& key) {
    return at_.fail_at(key_line_, "Key '" + key_text(key) + "' has already been defined.");
  }

  Cursor at_;
  ReadTime read_time_;
  Table root_;
  Key context_;
  std::string current_key_;
  int key_line_ = 0;
  int item_line_ = 1;       // where the last name or string ended
  size_t string_start_ = 0;
  size_t depth_ = 0;
  std::set<std::string> implicit_;
  std::set<std::string> arrays_;
};

Error Reader::error() const {
  std::string last = current_key_.empty() ? key_text(context_)
                     : context_.empty()   ? current_key_
                                          : key_text(context_) + "." + current_key_;
  std::string text = "toml: line " + std::to_string(at_.error_line());
  if (!last.empty()) text += " (last key " + pintle::quote(last) + ")";
  return Error(text + ": " + at_.message(), Code::kInvalidArgument);
}

bool Reader::read() {
  for (;;) {
    char32_t c = at_.next();
    if (is_blank(c) || is_newline(c)) continue;
    if (c == Cursor::kEnd) return true;
    if (c == Cursor::kBad) return false;
    if (c == '#') {
      if (!comment()) return false;
      continue;
    }
    if (c == '[') {
      if (!table()) return false;
    } else {
      at_.back();
      if (!key_value()) return false;
    }
    if (!top_end()) return false;
  }
}

bool Reader::comment() {
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (is_newline(c) || c == Cursor::kEnd) {
      at_.back();
      return true;
    }
  }
}

bool Reader::top_end() {
  for (;;) {
    char32_t c = at_.next();
    if (is_blank(c)) continue;
    if (c == '#') return comment();
    if (is_newline(c)) return true;
    if (c == Cursor::kEnd) {
      at_.back();
      return true;
    }
    if (c == Cursor::kBad) return false;
    return fail("expected a top-level item to end with a newline, comment, or EOF, but got " +
                quote_char(c) + " instead");
  }
}

bool Reader::table() {
  bool array = at_.accept('[');
  Key key;
  if (!table_name(&key)) return false;
  if (array) {
    char32_t c = at_.next();
    if (c != ']') {
      return fail("expected end of table array name delimiter ']', but got " + quote_char(c) +
                  " instead");
    }
  }
  if (!add_context(key, array)) return false;
  set_is_array("", false);
  return true;
}

bool Reader::table_name(Key* key) {
  for (;;) {
    at_.skip_blanks();
    char32_t c = at_.peek();
    if (c == Cursor::kBad) return false;
    if (c == ']' || c == Cursor::kEnd) {
      return fail("unexpected end of table name (table names cannot be empty)");
    }
    if (c == '.') return fail("unexpected table separator (table names cannot be empty)");
    std::string name;
    if (!(c == '"' || c == '\'' ? quoted_name(&name) : bare_name(&name))) return false;
    if (key->empty()) key_line_ = item_line_;
    key->push_back(std::move(name));
    at_.skip_blanks();
    c = at_.next();
    if (c == ']') return true;
    if (c != '.') {
      return fail("expected '.' or ']' to end table name, but got " + quote_char(c) + " instead");
    }
  }
}

bool Reader::bare_name(std::string* out) {
  size_t start = at_.position();
  run([](char32_t c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
  });
  item_line_ = at_.line();
  *out = at_.since(start);
  return !at_.failed();
}

bool Reader::quoted_name(std::string* out) {
  return at_.next() == '"' ? string(out) : raw_string(out);
}

bool Reader::keys(Key* key) {
  at_.skip_blanks();
  char32_t c = at_.peek();
  if (c == '=' || c == Cursor::kEnd) return fail("unexpected '=': key name appears blank");
  if (c == '.') return fail("unexpected '.': keys cannot start with a '.'");
  for (;;) {
    at_.skip_blanks();
    c = at_.peek();
    if (c == Cursor::kBad) return false;
    if (c == '=' || c == Cursor::kEnd) return fail("unexpected '='");
    if (c == '.') return fail("unexpected '.'");
    std::string name;
    if (!(c == '"' || c == '\'' ? quoted_name(&name) : bare_name(&name))) return false;
    if (key->empty()) key_line_ = item_line_;
    key->push_back(std::move(name));
    at_.skip_blanks();
    c = at_.next();
    if (c == '=') return true;
    if (c == '.') continue;
    if (c == Cursor::kEnd) return fail("unexpected EOF; expected key separator '='");
    std::string message = "expected '.' or '=', but got " + quote_char(c) + " instead";
    return c == '\n' ? at_.fail_previous_line(message) : fail(message);
  }
}

bool Reader::key_value() {
  Key outer = context_;
  Key key;
  if (!keys(&key)) return false;
  current_key_ = key.back();
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Key longer = context_;
    longer.push_back(key[i]);
    if (!add_implicit_context(longer)) return false;
  }
  Item item;
  if (!value(false, &item.value)) return false;
  bool array = item.value.is_list();
  if (!set_value(current_key_, std::move(item))) return false;
  set_is_array(current_key_, array);
  context_ = std::move(outer);
  current_key_.clear();
  return true;
}

bool Reader::value(bool in_array, Value* out) {
  char32_t c = at_.next();
  while (is_blank(c)) c = at_.next();
  if (c >= '0' && c <= '9') {
    at_.back();
    return number_or_date(out);
  }
  std::string text;
  switch (c) {
    case Cursor::kBad: return false;
    case '[': return array(out);
    case '{': return inline_table(in_array, out);
    case '"':
    case '\'': {
      bool many = false;
      if (at_.accept(c)) {
        many = at_.accept(c);
        if (!many) at_.back();
      }
      bool good = many      ? multiline_string(c, &text)
                  : c == '"' ? string(&text)
                             : raw_string(&text);
      if (!good) return false;
      *out = Value::string(Str(text));
      return true;
    }
    case '.': return fail("floats must start with a digit, not '.'");
    case '-':
    case '+': return signed_number(out);
    case Cursor::kEnd: return fail("unexpected EOF; expected value");
    case '\n': return at_.fail_previous_line("expected value but found '\\n' instead");
    default: return word(c, out);
  }
}

bool Reader::word(char32_t first, Value* out) {
  size_t start = at_.position() - 1;
  if (first == 'i' || first == 'n') {
    if ((at_.accept('n') && at_.accept('f')) || (at_.accept('a') && at_.accept('n'))) {
      return real(at_.since(start), out);
    }
  }
  if (at_.failed()) return false;
  if (!is_letter(first)) return fail("expected value but found " + quote_char(first) + " instead");
  at_.back();
  start = at_.position();
  run([](char32_t c) { return c < Cursor::kBad && is_letter(c); });
  if (at_.failed()) return false;
  std::string_view text = at_.since(start);
  if (text != "true" && text != "false") {
    return fail("expected value but found " + pintle::quote(text) + " instead");
  }
  *out = Value::boolean(text == "true");
  return true;
}

bool Reader::array(Value* out) {
  if (++depth_ > kMaxDepth) return fail("exceeded max depth");
  set_is_array(current_key_, true);
  std::vector<Value> items;
  bool after_value = false;
  for (;;) {
    char32_t c = at_.next();
    if (is_blank(c) || is_newline(c)) continue;
    if (c == Cursor::kBad) return false;
    if (c == '#') {
      if (!comment()) return false;
    } else if (c == ']') {
      break;
    } else if (c == ',' && after_value) {
      after_value = false;
    } else if (after_value) {
      return fail("expected a comma (',') or array terminator (']'), but got " + char_or_end(c));
    } else if (c == ',') {
      return fail("unexpected comma");
    } else {
      at_.back();
      items.emplace_back();
      if (!value(true, &items.back())) return false;
      after_value = true;
    }
  }
  --depth_;
  *out = Value::list_of(std::move(items));
  return true;
}

// To the next key of an inline table, or past its "}".
bool Reader::next_inline(bool* done) {
  for (;;) {
    char32_t c = at_.next();
    if (is_blank(c) || is_newline(c)) continue;
    if (c == Cursor::kBad) return false;
    if (c == '#') {
      if (!comment()) return false;
    } else if (c == ',') {
      return fail("unexpected comma");
    } else {
      *done = c == '}';
      if (!*done) at_.back();
      return true;
    }
  }
}

bool Reader::inline_table(bool in_array, Value* out) {
  if (++depth_ > kMaxDepth) return fail("exceeded max depth");
  Key outer_context = context_;
  std::string outer_key = current_key_;
  Key here = context_;
  here.push_back(current_key_);
  context_ = here;
  current_key_.clear();
  implicit_.insert(key_text(here));
  if (!add_context(here, in_array)) return false;
  Key inside = here;
  Table top;
  bool done = false;
  if (!next_inline(&done)) return false;
  while (!done) {
    if (!inline_entry(&top)) return false;
    context_ = inside;
    for (;;) {
      char32_t c = at_.next();
      if (is_blank(c) || is_newline(c)) continue;
      if (c == Cursor::kBad) return false;
      if (c == '#') {
        if (!comment()) return false;
        continue;
      }
      if (c == '}') {
        done = true;
        break;
      }
      if (c != ',') {
        return fail("expected a comma or an inline table terminator '}', but got " +
                    char_or_end(c) + " instead");
      }
      at_.skip_blanks();
      if (at_.peek() == '}') continue;
      if (!next_inline(&done)) return false;
      break;
    }
  }
  --depth_;
  context_ = std::move(outer_context);
  current_key_ = std::move(outer_key);
  *out = to_value(top);
  return true;
}

bool Reader::inline_entry(Table* top) {
  Key key;
  if (!keys(&key)) return false;
  current_key_ = key.back();
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Key longer = context_;
    longer.push_back(key[i]);
    if (!add_implicit_context(longer)) return false;
  }
  Item item;
  if (!value(false, &item.value)) return false;
  Item same;
  same.value = item.value;
  bool array = item.value.is_list();
  if (!set_value(current_key_, std::move(same))) return false;
  set_is_array(current_key_, array);
  Table* into = top;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Item& part = into->items[key[i]];
    if (part.tables.empty() && part.value.is_nil()) part = table_item(Item::Kind::kTable);
    if (part.kind != Item::Kind::kTable) {
      return at_.fail_at(key_line_, pintle::quote(key_text(context_)) + " is not a table");
    }
    into = part.tables[0].get();
  }
  into->items[current_key_] = std::move(item);
  return true;
}

bool Reader::number_or_date(Value* out) {
  size_t start = at_.position();
  auto digit = [](char32_t c) { return c >= '0' && c <= '9'; };
  auto text = [&] { return at_.since(start); };
  bool zero = false;
  char32_t c = at_.next();
  if (c == '0') {
    c = at_.next();
    if (c == 'b' || c == 'o' || c == 'x') {
      char32_t p = at_.peek();
      auto fits = [c](char32_t d) {
        return c == 'b' ? d == '0' || d == '1' : c == 'o' ? d >= '0' && d <= '7' : is_hex(d);
      };
      if (at_.failed()) return false;
      if (!fits(p)) {
        std::string shown(text());
        append_rune(shown, p);
        const char* kind = c == 'b' ? "a binary" : c == 'o' ? "an octal" : "a hexadecimal";
        return fail(std::string("not ") + kind + " number: '" + shown + "'");
      }
      run([&](char32_t d) { return fits(d) || d == '_'; });
      return integer(text(), out);
    }
    at_.back();
    zero = !digit(c);  // "0-" is no date: the number ends at the zero
  }
  run(digit);
  c = at_.next();
  if (!zero && (c == '-' || c == ':')) {
    run([&](char32_t d) {
      return digit(d) || d == '-' || d == ':' || d == 'T' || d == 't' || d == ' ' || d == '.' ||
             d == 'Z' || d == 'z' || d == '+';
    });
    return date(text(), out);
  }
  if (c == '_') {
    run([&](char32_t d) { return digit(d) || d == '_'; });
    c = at_.next();
  }
  if (c == '.' || c == 'e' || c == 'E') {
    run([&](char32_t d) {
      return digit(d) || d == '_' || d == '.' || d == '-' || d == '+' || d == 'e' || d == 'E';
    });
    return real(text(), out);
  }
  at_.back();
  return integer(text(), out);
}

bool Reader::signed_number(Value* out) {
  size_t start = at_.position() - 1;
  auto text = [&] { return at_.since(start); };
  char32_t c = at_.next();
  if (c == 'i' || c == 'n') {
    bool good = c == 'i' ? at_.accept('n') && at_.accept('f') : at_.accept('a') && at_.accept('n');
    if (!good) return fail("invalid float: '" + std::string(text()) + "'");
    return real(text(), out);
  }
  if (c == '0') {
    char32_t p = at_.peek();
    if (p == 'b' || p == 'o' || p == 'x') {
      return fail("cannot use sign with non-decimal numbers: '" + std::string(text()) +
                  static_cast<char>(p) + "'");
    }
  }
  if (c == '.') return fail("floats must start with a digit, not '.'");
  if (c < '0' || c > '9') return fail("expected a digit but got " + quote_char(c));
  auto digit = [](char32_t d) { return (d >= '0' && d <= '9') || d == '_'; };
  run(digit);
  c = at_.next();
  if (c == '.' || c == 'e' || c == 'E') {
    run([&](char32_t d) {
      return digit(d) || d == '.' || d == '-' || d == '+' || d == 'e' || d == 'E';
    });
    return real(text(), out);
  }
  at_.back();
  return integer(text(), out);
}

bool Reader::integer(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  if (!underscores_fit(text)) {
    return fail("Invalid integer " + pintle::quote(text) +
                ": underscores must be surrounded by digits");
  }
  if (leading_zero(text)) {
    return fail("Invalid integer " + pintle::quote(text) + ": cannot have leading zeroes");
  }
  ParseError error;
  int64_t i = parse_int(text, 0, 64, &error);
  if (error == ParseError::kRange) return fail(std::string(text) + " is out of range for int64");
  if (error != ParseError::kNone) {
    return fail("BUG: Expected integer value, but got '" + std::string(text) + "'.");
  }
  *out = Value::int64(i);
  return true;
}

bool Reader::real(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  std::string shown = "Invalid float " + pintle::quote(text);
  bool first = true;
  for (size_t i = 0; i < text.size();) {
    size_t end = text.find_first_of(".eE", i);
    if (end == std::string_view::npos) end = text.size();
    std::string_view part = text.substr(i, end - i);
    i = end + 1;
    if (part.empty()) continue;
    if (!underscores_fit(part)) {
      return fail(shown + ": underscores must be surrounded by digits");
    }
    if (first && leading_zero(part)) {
      // Go looks at all underscores before it looks at zeroes.
      bool later = true;
      for (size_t k = i; k < text.size() && later;) {
        size_t stop = std::min(text.find_first_of(".eE", k), text.size());
        later = stop == k || underscores_fit(text.substr(k, stop - k));
        k = stop + 1;
      }
      return fail(shown + (later ? ": cannot have leading zeroes"
                                 : ": underscores must be surrounded by digits"));
    }
    first = false;
  }
  if (!periods_fit(text)) return fail(shown + ": '.' must be followed by one or more digits");
  std::string plain;
  for (char c : text) {
    if (c != '_') plain.push_back(c);
  }
  bool negative_nan = plain == "-nan";
  if (negative_nan || plain == "+nan") plain = "nan";
  bool range = false;
  auto d = parse_float(plain, &range);
  if (range) return fail(std::string(text) + " is out of range for float64");
  if (!d) return fail("Invalid float value: " + pintle::quote(text));
  *out = Value::number(negative_nan ? -*d : *d);
  return true;
}

bool Reader::date(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  std::string plain;
  for (char c : trim_space(text)) {
    plain.push_back(c == 't' || c == ' ' ? 'T' : c == 'z' ? 'Z' : c);
  }
  auto v = read_time_(plain);
  if (!v) return fail("invalid datetime: " + pintle::quote(plain));
  *out = std::move(*v);
  return true;
}

bool Reader::string(std::string* out) {
  size_t start = string_start_ = at_.position();
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) return fail("unexpected EOF; expected '\"'");
    if (is_newline(c)) return at_.fail_previous_line("strings cannot contain newlines");
    if (c == '\\' && !escape()) return false;
    if (c != '"') continue;
    item_line_ = at_.line();
    std::string_view text = at_.since(start);
    text.remove_suffix(1);
    return unescape(text, out);
  }
}

bool Reader::raw_string(std::string* out) {
  size_t start = at_.position();
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) return fail("unexpected EOF; expected \"'\"");
    if (is_newline(c)) return at_.fail_previous_line("strings cannot contain newlines");
    if (c != '\'') continue;
    item_line_ = at_.line();
    *out = at_.since(start);
    out->pop_back();
    return true;
  }
}

// After the opening quotes. Up to two more of them may stand before the closing three.
bool Reader::multiline_string(char32_t q, std::string* out) {
  bool raw = q == '\'';
  const std::string five(5, static_cast<char>(q));
  size_t start = string_start_ = at_.position();
  auto ends_with = [&](std::string_view tail) {
    std::string_view s = at_.since(start);
    return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail;
  };
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) {
      return fail(raw ? "unexpected EOF; expected \"'''\"" : "unexpected EOF; expected '\"\"\"'");
    }
    if (c == '\\' && !raw) {
      if (!is_newline(at_.next())) {
        at_.back();
        if (!escape()) return false;
      }
      continue;
    }
    if (c != q || !at_.accept(q)) continue;
    if (!at_.accept(q)) {
      at_.back();
      continue;
    }
    if (at_.peek() == q) {
      if (ends_with(five) && (raw || !ends_with("\\" + five))) {
        return fail(raw ? "unexpected \"''''''\"" : "unexpected '\"\"\"\"\"\"'");
      }
      at_.back();
      at_.back();
      continue;
    }
    if (at_.failed()) return false;
    item_line_ = at_.line();
    std::string_view text = at_.since(start);
    text = without_first_newline(text.substr(0, text.size() - 3));
    if (raw) {
      *out = text;
      return true;
    }
    return unescape(without_escaped_newlines(text), out);
  }
}

// What follows a backslash: that it is an escape. unescape reads its value.
bool Reader::escape() {
  char32_t c = at_.next();
  if (c == Cursor::kBad) return false;
  if (std::u32string_view(U"ebtnfr\" \t\\").find(c) != std::u32string_view::npos) return true;
  int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    std::string shown;
    append_rune(shown, c);
    std::string message = "invalid escape in string '\\" + shown + "'";
    return c == Cursor::kEnd ? at_.fail_previous_line(message) : fail(message);
  }
  for (int i = 0; i < digits; ++i) {
    if (is_hex(at_.next())) continue;
    const char* count = digits == 2 ? "two" : digits == 4 ? "four" : "eight";
    return fail(std::string("expected ") + count + " hexadecimal digits after '\\" +
                static_cast<char>(c) + "', but got " +
                pintle::quote(at_.since(string_start_)) + " instead");
  }
  return true;
}

bool Reader::unescape(std::string_view s, std::string* out) {
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      out->push_back(s[i++]);
      continue;
    }
    char c = s[i + 1];
    i += 2;
    switch (c) {
      case 'b': out->push_back('\b'); continue;
      case 't': out->push_back('\t'); continue;
      case 'n': out->push_back('\n'); continue;
      case 'f': out->push_back('\f'); continue;
      case 'r': out->push_back('\r'); continue;
      case 'e': out->push_back('\x1b'); continue;
      case '"':
      case '\\': out->push_back(c); continue;
      case ' ':
      case '\t': return fail(std::string("invalid escape: '\\") + c + "'");
      default: break;
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    std::string_view hex = s.substr(i, digits);
    auto r = static_cast<char32_t>(parse_uint(hex, 16, 64, nullptr));
    i += digits;
    if (r > 0x10ffff || (r >= 0xd800 && r < 0xe000)) {
      return fail("Escaped character '\\u" + std::string(hex) + "' is not valid UTF-8.");
    }
    append_rune(*out, r);
  }
  return true;
}

Table* Reader::context_table(const Key& context) {
  Table* t = &root_;
  for (const auto& k : context) {
    auto found = t->items.find(k);
    if (found == t->items.end() || found->second.kind == Item::Kind::kValue) return nullptr;
    t = found->second.tables.back().get();
  }
  return t;
}

bool Reader::add_context(const Key& key, bool array) {
  if (key.size() > kMaxKey) return fail("exceeded max depth");
  Table* t = &root_;
  Key parent;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    parent.push_back(key[i]);
    auto found = t->items.find(key[i]);
    if (found == t->items.end()) {
      implicit_.insert(key_text(parent));
      found = t->items.emplace(key[i], table_item(Item::Kind::kTable)).first;
    }
    if (found->second.kind == Item::Kind::kValue) {
      return at_.fail_at(key_line_, "Key '" + key_text(parent) + "' was already created as a hash.");
    }
    t = found->second.tables.back().get();
  }
  context_ = parent;
  if (array) {
    auto found = t->items.find(key.back());
    if (found == t->items.end()) {
      t->items.emplace(key.back(), table_item(Item::Kind::kTables));
    } else if (found->second.kind == Item::Kind::kTables) {
      found->second.tables.push_back(std::make_unique<Table>());
    } else {
      return at_.fail_at(key_line_, "Key '" + key_text(key) +
                                        "' was already created and cannot be used as an array.");
    }
  } else if (!set_value(key.back(), table_item(Item::Kind::kTable))) {
    return false;
  }
  context_.push_back(key.back());
  return true;
}

bool Reader::set_value(const std::string& key, Item item) {
  Table* t = context_table(context_);
  if (t == nullptr) return already_defined(context_);
  Key full = context_;
  full.push_back(key);
  auto [found, fresh] = t->items.try_emplace(key);
  if (fresh) {
    found->second = std::move(item);
    return true;
  }
  std::string text = key_text(full);
  if (implicit_.erase(text) == 0) return already_defined(full);
  if (arrays_.count(text) > 0) found->second = std::move(item);
  return true;
}

void Reader::set_is_array(const std::string& key, bool array) {
  Key full = context_;
  if (!key.empty()) full.push_back(key);
  if (full.empty()) full.emplace_back();
  if (array) {
    arrays_.insert(key_text(full));
  } else {
    arrays_.erase(key_text(full));
  }
}

}  // namespace

Result<Value> read_map(std::string_view text, ReadTime read_time) {
  std::string_view mark = text.substr(0, 2);
  if (mark == "\xff\xfe" || mark == "\xfe\xff") {
    text.remove_prefix(2);
  } else if (text.substr(0, 3) == "\xef\xbb\xbf") {
    text.remove_prefix(3);
  }
  if (text.substr(0, 6).find('\0') != std::string_view::npos) {
    return Error(
        "toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be "
        "UTF-8",
        Code::kInvalidArgument);
  }
  Reader r(text, read_time);
  if (!r.read()) return r.error();
  return r.take();
}

}  // namespace pintle::toml
