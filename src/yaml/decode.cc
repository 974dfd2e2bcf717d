// go-yaml's decoder and the conversion to JSON that sigs yaml puts behind it.
//
// Two steps, as there. Decoder makes a "raw" value: Go's map[interface{}]interface{} is a map whose
// keys carry their type in the first byte ("s" string, "i" int, "u" uint64, "f" float64, "b" bool,
// "n" nil), so 1 and "1" stay apart. Converter then turns keys into text. Aliases are expanded by
// decoding their target again, against a budget of decode steps: go-yaml's rule is that at most 99 %
// of 400,000 steps, falling to 10 % of 4,000,000, may come from aliases.
// Recursion follows the value's depth, which is bounded.
#include "yaml/decode.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/gotext.h"
#include "json/json.h"
#include "value/tree_builder.h"
#include "yaml/go_syntax.h"
#include "yaml/key_text.h"
#include "yaml/node.h"
#include "yaml/resolve.h"

namespace pintle::yaml {

using value::Map;
using value::Str;
using value::Type;
using value::Value;

namespace {

constexpr std::string_view kLongTag = "tag:yaml.org,2002:";

std::string short_tag(std::string_view tag) {
  if (tag.substr(0, kLongTag.size()) == kLongTag) {
    return "!!" + std::string(tag.substr(kLongTag.size()));
  }
  return std::string(tag);
}

bool decode_base64(std::string_view s, std::string& out) {
  uint32_t bits = 0;
  size_t digits = 0, padding = 0;
  for (char c : s) {
    if (c == '\n' || c == '\r') continue;
    int v = c >= 'A' && c <= 'Z'   ? c - 'A'
            : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : c >= '0' && c <= '9' ? c - '0' + 52
            : c == '+'             ? 62
            : c == '/'             ? 63
            : c == '='             ? 0
                                   : -1;
    if (v < 0 || (padding > 0 && c != '=')) return false;
    if (c == '=' && (digits % 4 < 2 || ++padding > 2)) return false;
    bits = bits << 6 | static_cast<uint32_t>(v);
    if (++digits % 4 != 0) continue;
    for (size_t k = 0; k < 3 - padding; ++k) out.push_back(static_cast<char>(bits >> (16 - 8 * k)));
    if (padding > 0) padding = 3;  // nothing may follow
    bits = 0;
  }
  return digits % 4 == 0;
}

Str raw_key(const Value& v) {
  switch (v.type()) {
    case Type::kString: return Str("s" + std::string(v.as_string()));
    case Type::kBool: return Str(v.as_bool() ? "b1" : "b0");
    case Type::kInt64: return Str("i" + std::to_string(v.as_int()));
    case Type::kUint64: return Str("u" + std::to_string(v.as_uint()));
    case Type::kFloat64: {
      std::string s = "f";
      append_float(s, v.as_double(), 'g', -1);
      return Str(s);
    }
    default: return Str("n");
  }
}

Str valid_text(std::string_view s) {
  if (valid_utf8(s)) return Str(s);
  std::string out;
  while (!s.empty()) {
    Rune r = decode_rune(s);
    append_rune(out, r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return Str(out);
}

// A raw key as the JSON object's; nothing for what cannot be one.
std::optional<Str> json_key(std::string_view raw) {
  const std::string_view text = raw.substr(1);
  switch (raw[0]) {
    case 's': return valid_text(text);
    case 'i': return Str(text);
    case 'b': return Str(text == "1" ? "true" : "false");
    case 'f': return Str(key_text(Value::number(parse_float(text).value_or(0))));
    default: return std::nullopt;
  }
}

// Of keys that differ here and are one in JSON (1 and "1") the last one stays, as of equal keys.
void keep_last(std::vector<Map::Entry>& list) {
  const auto text = [](const Map::Entry& e) { return e.key.view()[0] == 's' && valid_utf8(e.key.view()); };
  if (std::all_of(list.begin(), list.end(), text)) return;
  std::unordered_map<std::string, std::string> last;  // JSON's key -> the raw one
  std::vector<Map::Entry> kept;
  for (size_t i = list.size(); i-- > 0;) {
    const std::string raw(list[i].key.view());
    const auto key = json_key(raw);
    if (key && last.try_emplace(std::string(key->view()), raw).first->second != raw) continue;
    kept.push_back(std::move(list[i]));
  }
  std::reverse(kept.begin(), kept.end());
  list = std::move(kept);
}

class Decoder {
 public:
  explicit Decoder(bool strict) : strict_(strict) {}

  bool decode(Node& n, size_t depth, Value& out);
  const std::string& error() const { return error_; }
  const std::vector<std::string>& duplicates() const { return duplicates_; }
  bool too_deep() const { return too_deep_; }

 private:
  struct Entries {
    std::vector<Map::Entry> list;
    std::unordered_set<std::string> seen;  // strict mode only
  };

  bool fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return false;
  }
  bool count_step();
  bool scalar(const Node& n, Value& out);
  bool list(Node& n, size_t depth, Value& out);
  bool map(Node& n, size_t depth, Value& out);
  bool entries(Node& n, size_t depth, Entries& out);
  bool entry(Node& key, Node& value, size_t depth, Entries& out);
  bool merge(Node& n, size_t depth, Entries& out);
  bool merge_one(Node& n, size_t depth, Entries& out);
  bool enter_alias(Node& n);
  void leave_alias(Node& n) {
    --alias_depth_;
    n.expanding = false;
  }

  bool strict_;
  bool too_deep_ = false;
  std::string error_;
  std::vector<std::string> duplicates_;
  long steps_ = 0, alias_steps_ = 0, alias_depth_ = 0;
};

bool Decoder::count_step() {
  ++steps_;
  if (alias_depth_ > 0) ++alias_steps_;
  if (alias_steps_ <= 100 || steps_ <= 1000) return true;
  constexpr double kLow = 400000, kHigh = 4000000;
  auto steps = static_cast<double>(steps_);
  double allowed = steps <= kLow    ? 0.99
                   : steps >= kHigh ? 0.10
                                    : 0.99 - 0.89 * ((steps - kLow) / (kHigh - kLow));
  if (static_cast<double>(alias_steps_) / steps <= allowed) return true;
  return fail("yaml: document contains excessive aliasing");
}

bool Decoder::enter_alias(Node& n) {
  if (n.expanding) {
    return fail("yaml: anchor '" + std::string(n.text) + "' value contains itself");
  }
  n.expanding = true;
  ++alias_depth_;
  return true;
}

bool Decoder::decode(Node& n, size_t depth, Value& out) {
  if (!count_step()) return false;
  switch (n.kind) {
    case Node::Kind::kScalar: return scalar(n, out);
    case Node::Kind::kList: return list(n, depth, out);
    case Node::Kind::kMap: return map(n, depth, out);
    case Node::Kind::kAlias: {
      if (!enter_alias(n)) return false;
      bool good = decode(*n.target, depth, out);
      leave_alias(n);
      return good;
    }
  }
  return false;
}

bool Decoder::scalar(const Node& n, Value& out) {
  if (n.tag.empty() && !n.implicit) {
    out = Value::string(Str(n.text));
    return true;
  }
  std::string_view tag = n.tag;
  auto is = [&](std::string_view name) {
    return tag.size() == kLongTag.size() + name.size() && tag.substr(0, kLongTag.size()) == kLongTag &&
           tag.substr(kLongTag.size()) == name;
  };
  if (is("binary")) {
    std::string bytes;
    if (!decode_base64(n.text, bytes)) return fail("yaml: !!binary value contains invalid base64 data");
    out = Value::string(Str(bytes));
    return true;
  }
  bool known = tag.empty() || is("bool") || is("int") || is("float") || is("null") || is("timestamp");
  if (!known) {  // !!str, and any tag of someone else's: the text as it is
    out = Value::string(Str(n.text));
    return true;
  }
  Resolved r = resolve(n.text);
  if (r.tag == Tag::kTimestamp && !tag.empty() && !is("timestamp")) r.tag = Tag::kString;
  if (!tag.empty() && short_tag(tag) != short_name(r.tag)) {
    if (!is("float") || r.tag != Tag::kInt || !r.value.is_int()) {
      return fail("yaml: cannot decode " + std::string(short_name(r.tag)) + " `" +
                  std::string(n.text) + "` as a " + short_tag(tag));
    }
    r.value = Value::number(static_cast<double>(r.value.as_int()));
  }
  bool text = r.tag == Tag::kString || r.tag == Tag::kTimestamp;
  out = text ? Value::string(Str(n.text)) : std::move(r.value);
  return true;
}

bool Decoder::list(Node& n, size_t depth, Value& out) {
  if (depth >= json::kMaxDepth) {
    too_deep_ = true;
    return fail("invalid character '[' exceeded max depth");
  }
  std::vector<Value> items;
  for (Node* c = n.first; c != nullptr; c = c->next) {
    items.emplace_back();
    if (!decode(*c, depth + 1, items.back())) return false;
  }
  out = Value::list_of(std::move(items));
  return true;
}

bool Decoder::map(Node& n, size_t depth, Value& out) {
  Entries e;
  if (!entries(n, depth, e)) return false;
  keep_last(e.list);
  auto m = value::make_map();
  if (!e.list.empty()) e.list.resize(value::sort_unique(e.list.data(), e.list.size()));
  m->entries() = std::move(e.list);
  out = Value::map(std::move(m));
  return true;
}

bool Decoder::entries(Node& n, size_t depth, Entries& out) {
  if (depth >= json::kMaxDepth) {
    too_deep_ = true;
    return fail("invalid character '{' exceeded max depth");
  }
  for (Node* k = n.first; k != nullptr; k = k->next->next) {
    Node& v = *k->next;
    bool merging = k->kind == Node::Kind::kScalar && k->text == "<<" &&
                   (k->implicit || k->tag == "tag:yaml.org,2002:merge");
    if (!(merging ? merge(v, depth, out) : entry(*k, v, depth, out))) return false;
  }
  return true;
}

bool Decoder::entry(Node& key, Node& value, size_t depth, Entries& out) {
  Value k;
  if (!decode(key, depth + 1, k)) return false;
  if (k.is_map() || k.is_list()) return fail("yaml: invalid map key: " + go_syntax(k));
  out.list.push_back({raw_key(k), Value()});
  size_t at = out.list.size() - 1;
  Value v;
  if (!decode(value, depth + 1, v)) return false;
  if (strict_ && !out.seen.insert(std::string(out.list[at].key.view())).second) {
    duplicates_.push_back("line " + std::to_string(value.line + 1) + ": key " + go_syntax(k) +
                          " already set in map");
    out.list.erase(out.list.begin() + static_cast<ptrdiff_t>(at));
    return true;
  }
  out.list[at].value = std::move(v);
  return true;
}

bool Decoder::merge(Node& n, size_t depth, Entries& out) {
  constexpr const char* kWantMap = "yaml: map merge requires map or sequence of maps as the value";
  auto mergeable = [](const Node& c) {
    return c.kind == Node::Kind::kMap ||
           (c.kind == Node::Kind::kAlias && c.target->kind == Node::Kind::kMap);
  };
  if (mergeable(n)) return merge_one(n, depth, out);
  if (n.kind != Node::Kind::kList) return fail(kWantMap);
  std::vector<Node*> maps;
  for (Node* c = n.first; c != nullptr; c = c->next) maps.push_back(c);
  for (size_t i = maps.size(); i-- > 0;) {  // earlier ones win, so they come last
    if (!mergeable(*maps[i])) return fail(kWantMap);
    if (!merge_one(*maps[i], depth, out)) return false;
  }
  return true;
}

bool Decoder::merge_one(Node& n, size_t depth, Entries& out) {
  if (!count_step()) return false;
  if (n.kind == Node::Kind::kMap) return entries(n, depth, out);
  if (!enter_alias(n)) return false;
  bool good = count_step() && entries(*n.target, depth, out);
  leave_alias(n);
  return good;
}

class Converter {
 public:
  explicit Converter(bool exact) : exact_(exact) {}

  bool convert(const Value& raw, Value& out);
  const std::string& error() const { return error_; }

 private:
  bool map(const Value& raw, Value& out);
  bool key(std::string_view raw, const Value& value, Str& out);

  bool exact_;
  std::string error_;
};

bool Converter::key(std::string_view raw, const Value& value, Str& out) {
  if (auto key = json_key(raw)) {
    out = std::move(*key);
    return true;
  }
  Value k = raw[0] == 'u' ? Value::uint64(parse_uint(raw.substr(1), 10, 64, nullptr)) : Value();
  error_ = "unsupported map key of type: " + std::string(k.is_nil() ? "%!s(<nil>)" : "uint64") +
           ", key: " + go_syntax(k) + ", value: " + go_syntax(value);
  return false;
}

bool Converter::map(const Value& raw, Value& out) {
  std::vector<Map::Entry> list;
  list.reserve(raw.length());
  for (const auto& e : *raw.as_map()) {
    list.emplace_back();
    if (!key(e.key, e.value, list.back().key)) return false;
    if (!convert(e.value, list.back().value)) return false;
  }
  auto m = value::make_map();
  if (!list.empty()) list.resize(value::sort_unique(list.data(), list.size()));
  m->entries() = std::move(list);
  out = Value::map(std::move(m));
  return true;
}

bool Converter::convert(const Value& raw, Value& out) {
  switch (raw.type()) {
    case Type::kMap: return map(raw, out);
    case Type::kList: {
      std::vector<Value> items(raw.length());
      for (size_t i = 0; i < items.size(); ++i) {
        if (!convert(raw.items()[i], items[i])) return false;
      }
      out = Value::list_of(std::move(items));
      return true;
    }
    case Type::kString: out = Value::string(valid_text(raw.as_string())); return true;
    case Type::kInt64:
      out = exact_ ? raw : Value::number(static_cast<double>(raw.as_int()));
      return true;
    case Type::kUint64:
      out = exact_ ? raw : Value::number(static_cast<double>(raw.as_uint()));
      return true;
    default: out = raw; return true;
  }
}

// json.Marshal's complaint about the first number it cannot write; empty: none.
std::string not_finite(const Value& v) {
  if (v.is(Type::kFloat64) && !std::isfinite(v.as_double())) {
    return std::string("json: unsupported value: ") +
           (std::isnan(v.as_double()) ? "NaN" : v.as_double() > 0 ? "+Inf" : "-Inf");
  }
  for (const auto& item : v.items()) {
    if (auto s = not_finite(item); !s.empty()) return s;
  }
  if (v.is_map()) {
    for (const auto& e : *v.as_map()) {
      if (auto s = not_finite(e.value); !s.empty()) return s;
    }
  }
  return {};
}

Error invalid(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

}  // namespace

Result<Value> decode(const Input& input, const DecodeOptions& options) {
  Parser parser(input);
  Composer nodes;
  Value raw, out;
  switch (parser.run(nodes)) {
    case Outcome::kEmpty: return out;
    case Outcome::kFailed: return invalid("yaml: " + parser.error());
    case Outcome::kStopped: return invalid("yaml: " + nodes.error());
    case Outcome::kDone: break;
  }
  Decoder decoder(options.strict);
  if (!decoder.decode(*nodes.root(), 0, raw)) {
    return Error(decoder.error(), decoder.too_deep() ? Code::kOutOfRange : Code::kInvalidArgument);
  }
  if (!decoder.duplicates().empty()) {
    std::string text = "yaml: unmarshal errors:";
    for (const auto& d : decoder.duplicates()) text += "\n  " + d;
    return invalid(std::move(text));
  }
  Converter converter(options.exact);
  if (!converter.convert(raw, out)) return invalid(converter.error());
  if (auto s = not_finite(out); !s.empty()) return invalid(std::move(s));
  return out;
}

}  // namespace pintle::yaml
