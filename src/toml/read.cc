// TOML in one pass of recursive descent, in the order BurntSushi's lexer and parser meet things, so
// that of several errors the same one comes first.
#include "toml/reader.h"

namespace pintle::toml {

using value::Str;
using value::Value;

namespace {

constexpr size_t kMaxDepth = 500;  // of arrays and inline tables inside each other

std::string char_or_end(char32_t c) {
  if (c == Cursor::kEnd) return "end of file";
  std::string one;
  append_rune(one, c);
  return "'" + one + "'";
}

}  // namespace

std::string quote_char(char32_t c) {
  if (c == Cursor::kEnd) return "'\\x00'";
  if (c == '\'') return "'\\''";
  if (c == '"') return "'\"'";
  std::string one;
  append_rune(one, c);
  std::string q = pintle::quote(one);
  return "'" + q.substr(1, q.size() - 2) + "'";
}

Error Reader::error() const {
  std::string last = current_key_.empty() ? key_text(document_.context())
                     : document_.context().empty()   ? current_key_
                                          : key_text(document_.context()) + "." + current_key_;
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
  if (!checked(document_.add_context(key, array))) return false;
  document_.set_is_array("", false);
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
  Key outer = document_.context();
  Key key;
  if (!keys(&key)) return false;
  current_key_ = key.back();
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Key longer = document_.context();
    longer.push_back(key[i]);
    if (!checked(document_.add_implicit_context(longer))) return false;
  }
  Item item;
  if (!value(false, &item.value)) return false;
  bool array = item.value.is_list();
  if (!checked(document_.set_value(current_key_, std::move(item)))) return false;
  document_.set_is_array(current_key_, array);
  document_.set_context(std::move(outer));
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
  document_.set_is_array(current_key_, true);
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
  Key outer_context = document_.context();
  std::string outer_key = current_key_;
  Key here = outer_context;
  here.push_back(current_key_);
  document_.set_context(here);
  current_key_.clear();
  document_.make_implicit(here);
  if (!checked(document_.add_context(here, in_array))) return false;
  auto top = value::make_map();
  bool done = false;
  if (!next_inline(&done)) return false;
  while (!done) {
    if (!inline_entry(top.get())) return false;
    document_.set_context(here);
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
  document_.set_context(std::move(outer_context));
  current_key_ = std::move(outer_key);
  *out = Value::map(std::move(top));
  return true;
}

bool Reader::inline_entry(value::Map* top) {
  Key key;
  if (!keys(&key)) return false;
  current_key_ = key.back();
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Key longer = document_.context();
    longer.push_back(key[i]);
    if (!checked(document_.add_implicit_context(longer))) return false;
  }
  Item item;
  if (!value(false, &item.value)) return false;
  Value v = item.value;
  bool array = v.is_list();
  if (!checked(document_.set_value(current_key_, std::move(item)))) return false;
  document_.set_is_array(current_key_, array);
  value::Map* into = top;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    Value& part = into->at_or_insert(Str(key[i]));
    if (part.is_nil()) part = Value::map(value::make_map());
    if (!part.is_map()) {
      return at_.fail_at(key_line_,
                         pintle::quote(key_text(document_.context())) + " is not a table");
    }
    into = part.as_map();
  }
  into->set(Str(current_key_), std::move(v));
  return true;
}

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
