// Values to YAML: sigs.k8s.io/yaml's Marshal (write) and go-yaml v3's encoder (write_v3).
//
// Helm's toYaml turns the value into JSON, reads that with go-yaml v2 and writes the result. Here
// the value is written at once, and what the detour does to it is applied on the way: numbers
// become what their JSON text resolves to, and strings with bytes beyond ASCII pass through
// json_hop, where go-yaml's reader may refuse or fold characters. Errors of the detour come in its
// own order: what JSON cannot say first, then what the reader refuses.
// Recursion is bounded by go-yaml's own limit of 10,000 nested collections.
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/gotext.h"
#include "json/json.h"
#include "yaml/emit.h"
#include "yaml/key_order.h"
#include "yaml/resolve.h"
#include "yaml/yaml.h"

namespace pintle::yaml {

using value::Map;
using value::Type;
using value::Value;

namespace {

constexpr int kMaxDepth = 10000;
constexpr size_t kMaxText = size_t{32} << 20;
constexpr size_t kStartDetectingCycles = 1000;  // as encoding/json
constexpr size_t kMaxSimpleKey = 128;           // bytes; longer keys are written as "? key"
constexpr size_t kMaxReadKey = 1024;            // characters go-yaml's reader accepts before ':'

// True when a string may be changed or refused on its way through JSON.
bool beyond_ascii(std::string_view s) {
  size_t i = 0;
  for (; i + 8 <= s.size(); i += 8) {
    uint64_t w;
    std::memcpy(&w, s.data() + i, 8);
    if ((w & 0x8080808080808080u) != 0) return true;
    uint64_t del = w ^ 0x7f7f7f7f7f7f7f7fu;
    if (((del - 0x0101010101010101u) & ~del & 0x8080808080808080u) != 0) return true;
  }
  for (; i < s.size(); ++i) {
    if (static_cast<unsigned char>(s[i]) >= 0x7f) return true;
  }
  return false;
}

std::string base64_lines(std::string_view s, size_t line) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string flat;
  for (size_t i = 0; i < s.size(); i += 3) {
    uint32_t v = 0;
    size_t n = std::min<size_t>(3, s.size() - i);
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (k < n ? static_cast<unsigned char>(s[i + k]) : 0);
    flat.push_back(kDigits[v >> 18]);
    flat.push_back(kDigits[v >> 12 & 63]);
    flat.push_back(n > 1 ? kDigits[v >> 6 & 63] : '=');
    flat.push_back(n > 2 ? kDigits[v & 63] : '=');
  }
  if (line == 0 || flat.size() < line) return flat;
  std::string out;
  for (size_t i = 0; i < flat.size(); i += line) {
    out.append(flat, i, line);
    out.push_back('\n');
  }
  return out;
}

class Emitter {
 public:
  Emitter(std::string& out, bool v3, int indent) : out_(out), v3_(v3), step_(indent) {}

  Status document(const Value& v) {
    start_ = out_.size();
    node(v, {-1, Where::kRoot});
    if (too_large_) return Error("output is too large", Code::kOutOfRange);
    if (!json_error_.empty()) return Error(json_error_, Code::kInvalidArgument);
    if (!error_.empty()) return Error("yaml: " + error_, Code::kInvalidArgument);
    if (!at_line_start()) out_.push_back('\n');
    return ok();
  }

 private:
  enum class Where : uint8_t { kRoot, kItem, kValue, kKey, kLongKey };
  // What a node stands in. `open`: it follows "- ", "? " or ": " that itself began a line, so its
  // first line continues that one.
  struct Context {
    int indent;
    Where where;
    bool open = false;
    int depth = 0;
  };

  void node(const Value& v, Context c);
  void collection(const Value& v, Context c);
  void map(const Map& m, Context c);
  void entry(const Map::Entry& e, int indent, int depth);
  void list(const Value& v, Context c);
  void string(std::string_view s, Context c);
  void text(std::string_view s, Context c);
  void binary(std::string_view s, Context c);
  void plain(std::string_view s, Context c);
  void number(double d, Context c);
  void object_v3(const value::Object& o, const Value& plain_tree, Context c);
  template <typename Int>
  void integer(Int i, Context c);
  bool json_hop(std::string_view s, bool key, std::string& out);
  bool hop_breaks(std::string_view s, std::string& out);

  bool at_line_start() const;
  void begin_line(int indent, bool open);
  int deeper(Context c) const;
  void space(Context c) {
    if (c.where != Where::kRoot && c.where != Where::kKey) out_.push_back(' ');
  }
  Place place(Context c) const {
    return {deeper(c), !v3_ && c.where != Where::kKey, 80};
  }
  void refuse(std::string_view problem) {
    if (!error_.empty()) return;
    if (hop_line_ > 0) error_ = "line " + std::to_string(hop_line_) + ": ";
    error_.append(problem);
  }

  std::string& out_;
  bool v3_;
  int step_;
  size_t start_ = 0;
  size_t hop_line_ = 0;     // line breaks (NEL) in the JSON text so far
  std::string json_error_;  // beats error_
  std::string error_;
  bool too_large_ = false;
  std::vector<const void*> deep_;
};

// True where the next block line needs no line break before it.
bool Emitter::at_line_start() const {
  if (out_.size() == start_ || out_.back() == '\n') return true;
  if (out_.size() < start_ + 3) return false;
  std::string_view end = std::string_view(out_).substr(out_.size() - 3);
  return end == "\xe2\x80\xa8" || end == "\xe2\x80\xa9";
}

void Emitter::begin_line(int indent, bool open) {
  if (open) {
    size_t line = out_.rfind('\n');
    line = line == std::string::npos || line < start_ ? start_ : line + 1;
    size_t column = out_.size() - line;  // only blanks and indicators precede: bytes are columns
    out_.append(static_cast<size_t>(indent) - column, ' ');
    return;
  }
  if (!at_line_start()) out_.push_back('\n');
  out_.append(static_cast<size_t>(indent), ' ');
}

// The indent of what a node holds.
int Emitter::deeper(Context c) const {
  if (c.indent < 0) return step_;
  if (!v3_) return c.indent + step_;
  if (c.where == Where::kItem) return c.indent + 2;
  return step_ * ((c.indent + step_) / step_);
}

void Emitter::node(const Value& v, Context c) {
  too_large_ = too_large_ || out_.size() - start_ > kMaxText;
  if (too_large_ || !json_error_.empty()) return;
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: plain("null", c); return;
    case Type::kBool: plain(v.as_bool() ? "true" : "false", c); return;
    case Type::kInt:
    case Type::kInt64: integer(v.as_int(), c); return;
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: integer(v.as_uint(), c); return;
    case Type::kFloat64: number(v.as_double(), c); return;
    case Type::kString: string(v.as_string(), c); return;
    case Type::kBytes:
      if (v3_) {
        std::vector<Value> bytes;
        for (char b : v.as_string()) bytes.push_back(Value::uint8(static_cast<uint8_t>(b)));
        node(Value::list_of(std::move(bytes)), c);
      } else {
        string(base64_lines(v.as_string(), 0), c);
      }
      return;
    case Type::kObject: {
      Value plain_tree = v.as_object()->plain();
      if (plain_tree.is_invalid()) {
        json_error_ = "error marshaling into JSON: json: unsupported type: " +
                      std::string(v.as_object()->go_type());
        return;
      }
      if (v3_) return object_v3(*v.as_object(), plain_tree, c);
      return node(plain_tree, c);
    }
    default: break;
  }
  collection(v, c);
}

void Emitter::collection(const Value& v, Context c) {
  const void* self = v.is_map() ? static_cast<const void*>(v.as_map()) : v.as_list();
  if (self == nullptr && !v3_) return plain("null", c);
  if (v.length() == 0) return plain(v.is_map() ? "{}" : "[]", c);
  if (++c.depth > kMaxDepth) return refuse("exceeded max depth of 10000");
  bool watch = static_cast<size_t>(c.depth) > kStartDetectingCycles;
  if (watch) {
    for (const void* open : deep_) {
      if (open != self) continue;
      json_error_ =
          "error marshaling into JSON: json: unsupported value: encountered a cycle via " +
          std::string(value::go_type(v));
      return;
    }
    deep_.push_back(self);
  }
  if (v.is_map()) {
    map(*v.as_map(), c);
  } else {
    list(v, c);
  }
  if (watch) deep_.pop_back();
}

void Emitter::map(const Map& m, Context c) {
  int indent = c.indent < 0 ? 0 : deeper(c);
  std::vector<const Map::Entry*> sorted;
  in_key_order(m, v3_, sorted);
  bool open = c.open;
  auto one = [&](const Map::Entry& e) {
    begin_line(indent, open);
    open = false;
    entry(e, indent, c.depth);
  };
  if (sorted.empty()) {
    for (const auto& e : m) one(e);
  } else {
    for (const auto* e : sorted) one(*e);
  }
}

void Emitter::entry(const Map::Entry& e, int indent, int depth) {
  std::string_view key = e.key;
  std::string hopped;
  if (!v3_ && (beyond_ascii(key) || key.size() + 2 > kMaxReadKey / 6)) {
    if (!json_hop(key, true, hopped)) return;
    key = hopped;
  }
  bool simple = key.size() <= kMaxSimpleKey && !analyze(key, false).multiline;
  if (v3_ && simple && !valid_utf8(key)) {  // the tag counts too
    simple = base64_lines(key, 70).find('\n') == std::string::npos &&
             base64_lines(key, 70).size() + 8 <= kMaxSimpleKey;
  }
  if (simple) {
    text(key, {indent, Where::kKey, false, depth});
    out_.push_back(':');
    node(e.value, {indent, Where::kValue, false, depth});
    return;
  }
  out_.push_back('?');
  text(key, {indent, Where::kLongKey, true, depth});
  begin_line(indent, false);
  out_.push_back(':');
  node(e.value, {indent, Where::kValue, true, depth});
}

void Emitter::list(const Value& v, Context c) {
  int indent = c.indent < 0 ? 0 : deeper(c);
  // v2 does not indent a list below its key, unless the key took the "? key" form.
  if (!v3_ && c.where == Where::kValue && !c.open) indent = c.indent;
  bool open = c.open;
  for (const Value& item : v.items()) {
    begin_line(indent, open);
    open = false;
    out_.push_back('-');
    node(item, {indent, Where::kItem, true, c.depth});
    if (!json_error_.empty()) return;
  }
}

void Emitter::plain(std::string_view s, Context c) {
  space(c);
  out_.append(s);
}

template <typename Int>
void Emitter::integer(Int i, Context c) {
  char buf[24];
  auto r = std::to_chars(buf, buf + sizeof buf, i);
  plain({buf, static_cast<size_t>(r.ptr - buf)}, c);
}

void Emitter::number(double d, Context c) {
  if (!std::isfinite(d)) {
    if (v3_) return plain(std::isnan(d) ? ".nan" : d > 0 ? ".inf" : "-.inf", c);
    json_error_ = std::string("error marshaling into JSON: json: unsupported value: ") +
                  (std::isnan(d) ? "NaN" : d > 0 ? "+Inf" : "-Inf");
    return;
  }
  constexpr double kExactIntegers = 9007199254740992.0;
  if (!v3_ && d == std::floor(d)) {  // its JSON text has no point, so it may read back as an integer
    if (std::fabs(d) <= kExactIntegers) return integer(static_cast<int64_t>(d), c);
    std::string json;
    json::append_number(json, d);
    if (resolve(json).tag == Tag::kInt) return plain(json, c);
  }
  std::string s;
  append_float(s, d, 'g', -1);
  plain(s, c);
}

// go-yaml v3 writes a time as a timestamp and names a struct's fields in lower case.
void Emitter::object_v3(const value::Object& o, const Value& tree, Context c) {
  if (o.go_type() == "time.Time" && tree.is_string()) return plain(tree.as_string(), c);
  if (!tree.is_map()) return node(tree, c);
  std::vector<Map::Entry> fields;
  for (const value::StructField& f : o.struct_fields()) {
    if (!o.has_unexported(f.name)) fields.push_back({value::Str(to_lower(f.name)), f.value});
  }
  if (fields.empty()) {
    for (const auto& e : *tree.as_map()) fields.push_back({value::Str(to_lower(e.key.view())), e.value});
  }
  ++c.depth;
  const int indent = c.indent < 0 ? 0 : deeper(c);
  bool open = c.open;
  for (const Map::Entry& e : fields) {
    begin_line(indent, open);
    open = false;
    entry(e, indent, c.depth);
  }
}

void Emitter::string(std::string_view s, Context c) {
  if (v3_ || !beyond_ascii(s)) return text(s, c);
  std::string hopped;
  if (json_hop(s, false, hopped)) text(hopped, c);
}

void Emitter::text(std::string_view s, Context c) {
  if (plainly_plain(s) && !needs_quotes(s)) {
    space(c);
    if (v3_ || c.where == Where::kKey) {
      out_.append(s);
    } else {
      write_plain(out_, s, place(c));
    }
    return;
  }
  if (v3_ && !valid_utf8(s)) return binary(s, c);
  Traits t = analyze(s, v3_);
  Style style = Style::kPlain;
  if (s.find('\n') != std::string_view::npos) {
    style = Style::kLiteral;
  } else if (needs_quotes(s)) {
    style = Style::kDouble;
  }
  if (style == Style::kPlain && !t.plain_allowed) style = Style::kSingle;
  if (style == Style::kSingle && !t.single_allowed) style = Style::kDouble;
  if (style == Style::kLiteral && (!t.literal_allowed || c.where == Where::kKey)) {
    style = Style::kDouble;
  }
  space(c);
  switch (style) {
    case Style::kPlain: write_plain(out_, s, place(c)); return;
    case Style::kSingle: write_single(out_, s, place(c)); return;
    case Style::kDouble: write_double(out_, s, place(c)); return;
    case Style::kLiteral: write_literal(out_, s, deeper(c), step_); return;
  }
}

void Emitter::binary(std::string_view s, Context c) {
  std::string code = base64_lines(s, 70);
  space(c);
  out_ += "!!binary ";
  if (code.find('\n') == std::string::npos) {
    out_ += code;
  } else {
    write_literal(out_, code, deeper(c), step_);
  }
}

// What go-yaml reads from the JSON string of s. False: it refuses the text, refuse() was called.
bool Emitter::json_hop(std::string_view s, bool key, std::string& out) {
  bool breaks = false;
  size_t written = 2;  // characters of the JSON string, for the limit on keys
  out.clear();
  for (size_t i = 0; i < s.size();) {
    Rune r = decode_rune(s.substr(i));
    i += static_cast<size_t>(r.size);
    char32_t c = r.value;
    bool bad = c == 0x7f || (c >= 0x80 && c < 0xa0 && c != 0x85) || c == 0xfffe || c == 0xffff;
    if (bad) {
      refuse("control characters are not allowed");
      error_ = "control characters are not allowed";  // the reader knows no lines
      return false;
    }
    breaks |= c == 0x85;
    append_rune(out, c);
    bool two = c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11);
    bool six = c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029 ||
               (c == 0xfffd && r.size == 1);
    written += two ? 2 : six ? 6 : 1;
  }
  if (!breaks && (!key || written <= kMaxReadKey)) return true;
  if (key) {
    for (size_t at = out.find("\xc2\x85"); at != std::string::npos;
         at = out.find("\xc2\x85", at + 2)) {
      ++hop_line_;
    }
    refuse("did not find expected ',' or '}'");
    return false;
  }
  std::string folded;
  if (!hop_breaks(out, folded)) return false;
  out = std::move(folded);
  return true;
}

// U+0085 is a line break in a quoted scalar: one becomes a space, n become n - 1 line feeds, and
// spaces around them vanish.
bool Emitter::hop_breaks(std::string_view s, std::string& out) {
  for (size_t i = 0; i < s.size();) {
    size_t end = i, count = 0;
    bool at_column_0 = false;
    for (;;) {
      if (end < s.size() && s[end] == ' ') {
        ++end;
        at_column_0 = false;
      } else if (s.substr(end, 2) == "\xc2\x85") {
        end += 2;
        ++count;
        ++hop_line_;
        at_column_0 = true;
      } else {
        break;
      }
    }
    if (count == 0) {
      out.append(s, i, std::max<size_t>(end - i, 1));
      i = std::max(end, i + 1);
      continue;
    }
    if (count == 1) {
      out.push_back(' ');
    } else {
      out.append(count - 1, '\n');
    }
    std::string_view rest = s.substr(end);
    std::string_view mark = rest.substr(0, 3);
    if (at_column_0 && (mark == "---" || mark == "...") &&
        (rest.substr(3, 1) == " " || rest.substr(3, 2) == "\xc2\x85")) {
      ++hop_line_;
      refuse("found unexpected document indicator");
      return false;
    }
    i = end;
  }
  return true;
}

}  // namespace

Status append(std::string& out, const Value& v) {
  size_t start = out.size();
  Status s = Emitter(out, false, 2).document(v);
  if (!s) out.resize(start);
  return s;
}

Result<std::string> write(const Value& v) {
  std::string out;
  TRY(append(out, v));
  return out;
}

Result<std::string> write_v3(const Value& v, int indent) {
  std::string out;
  TRY(Emitter(out, true, indent).document(v));
  return out;
}

}  // namespace pintle::yaml
