// One recursive descent serves all five flags; they differ in which characters end a name or value
// and in what a value becomes (Mode). key() reads a path segment and the rest of its pair, item()
// the rest after an index. Both report the end of the line as kEnd, which for a Helm 4 caller is
// success even where it cuts an index short ("a["): Helm looks for io.EOF anywhere in the chain.
//
// Limits: 30 names in a path and index 65536 (Helm's), 1,000 nested indexes and 1,048,576 items that
// lines add to lists (ours, for the stack and the memory).
// Cost: linear in the line, plus the lists that indexes fill.
#include "chart/strvals.h"

#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::chart::strvals {

using value::Map;
using value::Str;
using value::Type;
using value::Value;

namespace {

constexpr int64_t kMaxIndex = 65536;
constexpr int kMaxNames = 30;
constexpr int kMaxIndexNesting = 1000;

enum class Mode : uint8_t { kTyped, kString, kLiteral, kJson, kFile };

enum class End : uint8_t { kMore, kEnd, kFailed };

// strings.EqualFold against an ASCII word: the long s folds to s.
bool equal_fold(std::string_view s, std::string_view word) {
  for (char want : word) {
    Rune r = decode_rune(s);
    if (r.size == 0) return false;
    char32_t c = r.value == U'\u017F' ? U's' : r.value;
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (c != static_cast<char32_t>(want)) return false;
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return s.empty();
}

Value typed_value(std::string_view text) {
  if (equal_fold(text, "true")) return Value::boolean(true);
  if (equal_fold(text, "false")) return Value::boolean(false);
  if (equal_fold(text, "null")) return Value::nil();
  if (text == "0") return Value::int64(0);
  if (!text.empty() && text[0] != '0') {
    ParseError error;
    int64_t i = parse_int(text, 10, 64, &error);
    if (error == ParseError::kNone) return Value::int64(i);
  }
  return value::str(text);
}

// %q of a []rune: ['a' 'b'].
std::string quote_runes(std::string_view s) {
  std::string out = "[";
  while (!s.empty()) {
    Rune r = decode_rune(s);
    if (out.size() > 1) out += ' ';
    if (r.value == '\'' || r.value == '"') {
      out += r.value == '"' ? "'\"'" : "'\\''";
    } else {
      std::string quoted = quote(s.substr(0, static_cast<size_t>(r.size)));
      quoted.front() = quoted.back() = '\'';
      out += quoted;
    }
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return out + "]";
}

Value empty_list() { return Value::list_of({}); }

class Parser {
 public:
  Parser(std::string_view line, Mode mode, const FileReader* read, bool helm3, Room* room)
      : rest_(line), mode_(mode), read_(read), helm3_(helm3), room_(room ? *room : own_room_) {}

  Status parse(Map& dest) {
    for (;;) {
      switch (key(dest, 0)) {
        case End::kMore: break;
        case End::kEnd: return ok();
        case End::kFailed: return Error(Code::kInvalidArgument, std::move(error_));
      }
    }
  }

 private:
  static constexpr char32_t kNone = 0xffffffff;

  char32_t next() {  // kNone at the end of the line
    Rune r = decode_rune(rest_);
    if (r.size == 0) return kNone;
    rest_.remove_prefix(static_cast<size_t>(r.size));
    return r.value;
  }

  // Reads up to one of `stop`, which is consumed and returned (kNone: the line ended first).
  char32_t until(std::string_view stop, std::string& out) {
    for (;;) {
      char32_t r = next();
      if (r == kNone) return kNone;
      if (r < 0x80 && stop.find(static_cast<char>(r)) != std::string_view::npos) return r;
      if (r == '\\' && mode_ != Mode::kLiteral) {
        r = next();
        if (r == kNone) return kNone;
      }
      append_rune(out, r);
    }
  }

  End fail(std::string text) {
    error_ = std::move(text);
    return End::kFailed;
  }
  // What a failed Go type assertion panics with, as the recovering caller words it.
  End fail_assertion(const Value& v, std::string_view wanted) {
    std::string type(v.is_nil() ? "nil" : value::go_type(v));
    return fail("unable to parse key: interface conversion: interface {} is " + type + ", not " +
                std::string(wanted));
  }

  void set(Map& data, std::string_view key, Value v) {
    if (!key.empty()) data.set(Str(key), std::move(v));
  }

  End key(Map& data, int names) {
    std::string name;
    char32_t stop = until(mode_ == Mode::kLiteral ? "=[." : "=[,.", name);
    switch (stop) {
      case '[': return indexed(data, name, names);
      case '=': return value_of(data, name);
      case ',':
        set(data, name, value::str(""));
        return fail("key " + quote(name) + " has no value (cannot end with ,)");
      case '.': return child(data, name, names);
      default: break;
    }
    if (name.empty()) return End::kEnd;
    return fail("key " + quote(name) + " has no value");
  }

  End child(Map& data, const std::string& name, int names) {
    if (++names > kMaxNames) {
      return fail("value name nested level is greater than maximum supported nested level of 30");
    }
    Ref<Map> inner;
    if (const Value* found = data.find(name)) {
      if (!found->is(Type::kMap)) return fail_assertion(*found, "map[string]interface {}");
      inner = found->map_ref();
    }
    if (!inner) inner = value::make_map();
    End end = key(*inner, names);
    if (end == End::kMore && inner->empty()) {
      return fail("key map " + quote(name) + " has no value");
    }
    if (!inner->empty()) set(data, name, Value::map(inner));
    return end;
  }

  End indexed(Map& data, const std::string& name, int names) {
    int64_t index = 0;
    if (End end = read_index(&index); end != End::kMore) return end;
    Value list = empty_list();
    if (Value* found = data.find(name)) {
      if (!found->is(Type::kList)) return fail_assertion(*found, "[]interface {}");
      list = std::move(*found);
      *found = Value::nil();
    }
    bool panicked = false;
    End end = item(list, index, names, 0, &panicked);
    if (Value* found = data.find(name)) {
      *found = std::move(list);
    } else if (!panicked) {
      set(data, name, std::move(list));
    }
    return end;
  }

  // The digits up to "]".
  End read_index(int64_t* index) {
    std::string text;
    if (until("]", text) == kNone) {
      return helm3_ ? fail("error parsing index: EOF") : End::kEnd;
    }
    ParseError error;
    *index = parse_int(text, 10, 64, &error);
    if (error == ParseError::kNone) return End::kMore;
    return fail("error parsing index: strconv.Atoi: parsing " + quote(text) +
                (error == ParseError::kRange ? ": value out of range" : ": invalid syntax"));
  }

  // What follows an index: its value, another index, or a name.
  End item(Value& list, int64_t index, int names, int nesting, bool* panicked) {
    if (index < 0) return fail("negative " + std::to_string(index) + " index not allowed");
    std::string between;
    char32_t stop = until("[.=", between);
    if (!between.empty()) {
      return fail("unexpected data at end of array index: " + quote_runes(between));
    }
    if (stop == kNone) return End::kEnd;
    if (stop == '=') return item_value(list, index);
    if (stop == '[') return nested_item(list, index, names, nesting, panicked);
    return item_child(list, index, names);
  }

  End nested_item(Value& list, int64_t index, int names, int nesting, bool* panicked) {
    if (nesting >= kMaxIndexNesting) {
      return fail("error parsing index: more than 1000 nested indexes");
    }
    int64_t next_index = 0;
    if (End end = read_index(&next_index); end != End::kMore) return end;
    const Value* found = at(list, index);
    bool exists = found != nullptr && !found->is_nil();
    Value inner = Value::list(nullptr);
    if (exists) {
      if (!found->is(Type::kList)) {
        *panicked = true;
        return fail_assertion(*found, "[]interface {}");
      }
      inner = std::move(writable(list)[static_cast<size_t>(index)]);
    }
    End end = item(inner, next_index, names, nesting + 1, panicked);
    if (end != End::kMore && !exists) return end;
    End put = set_index(list, index, std::move(inner));
    return end == End::kMore ? put : end;
  }

  End item_child(Value& list, int64_t index, int names) {
    Ref<Map> inner = value::make_map();
    if (const Value* found = at(list, index)) {
      if (found->is(Type::kMap) && found->as_map() != nullptr) {
        inner = found->map_ref();
      } else {
        writable(list)[static_cast<size_t>(index)] = Value::map(inner);
      }
    }
    if (End end = key(*inner, names); end != End::kMore) return end;
    return set_index(list, index, Value::map(inner));
  }

  End item_value(Value& list, int64_t index) {
    Value v;
    bool at_end = false;
    End end = read_value(&v, &at_end);
    if (end == End::kFailed) return end;
    if (End put = set_index(list, index, std::move(v)); put != End::kMore) return put;
    if (mode_ == Mode::kJson && !at_end) skip_blanks();
    return End::kMore;
  }

  End value_of(Map& data, const std::string& name) {
    Value v;
    bool at_end = false;
    End end = read_value(&v, &at_end);
    if (end == End::kFailed) {
      if (unread_file_) set(data, name, Value::nil());
      return end;
    }
    set(data, name, std::move(v));
    if (mode_ == Mode::kJson && !at_end) skip_blanks();
    return end;
  }

  // The text after "=". *at_end: an empty JSON value, with its comma, is already consumed.
  End read_value(Value* out, bool* at_end) {
    unread_file_ = false;
    switch (mode_) {
      case Mode::kLiteral: {
        std::string text;
        until("", text);
        *out = value::str(text);
        return End::kMore;
      }
      case Mode::kJson: return read_json(out, at_end);
      default: break;
    }
    if (rest_.empty()) {
      *out = value::str("");
      return End::kEnd;
    }
    if (rest_[0] == '{') {
      rest_.remove_prefix(1);
      return read_list(out);
    }
    std::string text;
    until(",", text);
    if (convert(text, out) == End::kFailed) {
      unread_file_ = true;
      return End::kFailed;
    }
    return End::kMore;
  }

  End read_list(Value* out) {
    std::vector<Value> items;
    for (;;) {
      std::string text;
      char32_t stop = until(",}", text);
      if (stop == kNone) return fail("list must terminate with '}'");
      if (stop == '}' && !rest_.empty() && rest_[0] == ',') rest_.remove_prefix(1);
      Value v;
      if (convert(text, &v) == End::kFailed) return End::kFailed;
      items.push_back(std::move(v));
      if (stop == '}') break;
    }
    *out = Value::list_of(std::move(items));
    return End::kMore;
  }

  End convert(const std::string& text, Value* out) {
    if (mode_ == Mode::kTyped) {
      *out = typed_value(text);
    } else if (mode_ == Mode::kFile) {
      auto content = (*read_)(text);
      if (!content) return fail(content.error().text());
      *out = value::str(*content);
    } else {
      *out = value::str(text);
    }
    return End::kMore;
  }

  End read_json(Value* out, bool* at_end) {
    if (skip_blanks()) {
      *at_end = true;
      return End::kMore;
    }
    size_t used = 0;
    auto v = json::read_prefix(rest_, &used);
    if (!v) return fail(v.error().text());
    rest_.remove_prefix(used);
    *out = std::move(*v);
    return End::kMore;
  }

  // Skips white space and one comma; true when that is all there was to the value.
  bool skip_blanks() {
    for (;;) {
      Rune r = decode_rune(rest_);
      if (r.size == 0) return true;
      bool comma = r.value == ',';
      if (!comma && !is_space(r.value)) return false;
      rest_.remove_prefix(static_cast<size_t>(r.size));
      if (comma) return true;
    }
  }

  static const Value* at(const Value& list, int64_t index) {
    auto items = list.items();
    return static_cast<uint64_t>(index) < items.size() ? &items[static_cast<size_t>(index)]
                                                       : nullptr;
  }

  static std::vector<Value>& writable(Value& list) {
    if (list.as_list() == nullptr) {
      list = empty_list();
    } else if (list.as_list()->use_count() > 1) {
      list = Value::list_of(list.as_list()->items);
    }
    return list.as_list()->items;
  }

  End set_index(Value& list, int64_t index, Value v) {
    if (index > kMaxIndex) {
      return fail("index of " + std::to_string(index) +
                  " is greater than maximum supported index of 65536");
    }
    auto& items = writable(list);
    const size_t size = static_cast<size_t>(index) + 1;
    if (size > items.size()) {
      if (size - items.size() > room_.items) {
        return fail(cat("index of ", index, " makes lists of more than ", Room().items, " items in all"));
      }
      room_.items -= size - items.size();
      items.resize(size);
    }
    items[static_cast<size_t>(index)] = std::move(v);
    return End::kMore;
  }

  std::string_view rest_;
  Mode mode_;
  const FileReader* read_;
  bool helm3_;
  std::string error_;
  Room own_room_;
  Room& room_;
  bool unread_file_ = false;  // the value's file could not be read: Helm leaves a null behind
};

}  // namespace

Status parse_into(std::string_view line, Map& dest, bool helm3, Room* room) {
  return Parser(line, Mode::kTyped, nullptr, helm3, room).parse(dest);
}

Status parse_into_string(std::string_view line, Map& dest, bool helm3, Room* room) {
  return Parser(line, Mode::kString, nullptr, helm3, room).parse(dest);
}

Status parse_literal_into(std::string_view line, Map& dest, bool helm3, Room* room) {
  return Parser(line, Mode::kLiteral, nullptr, helm3, room).parse(dest);
}

Status parse_json_into(std::string_view line, Map& dest, bool helm3, Room* room) {
  return Parser(line, Mode::kJson, nullptr, helm3, room).parse(dest);
}

Status parse_file_into(std::string_view line, Map& dest, const FileReader& read, bool helm3,
                       Room* room) {
  return Parser(line, Mode::kFile, &read, helm3, room).parse(dest);
}

Result<std::string> to_yaml(std::string_view line) {
  auto dest = value::make_map();
  TRY(parse_into(line, *dest));
  std::string text = TRY(yaml::write(Value::map(dest)));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace pintle::chart::strvals
