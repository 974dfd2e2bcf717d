// Writes values as Go's encoding/json does.
//
// Straight into one string: bytes that need no escape are found with a table and copied in runs.
// Recursion is bounded by kMaxDepth; past 1,000 levels a map that is its own ancestor is reported
// as Go reports a cycle, so a loop made with `set` ends in an error.
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/gotext.h"
#include "json/json.h"

namespace pintle::json {

using value::Type;
using value::Value;

namespace {

constexpr size_t kStartDetectingCycles = 1000;

// What a byte of a string needs: 0 nothing, 1 an escape, 2 an escape in HTML-safe output, 3 decoding.
struct EscapeTable {
  uint8_t need[256] = {};
  constexpr EscapeTable() {
    for (int c = 0; c < 256; ++c) {
      if (c < 0x20 || c == '"' || c == '\\') need[c] = 1;
      if (c == '<' || c == '>' || c == '&') need[c] = 2;
      if (c >= 0x80) need[c] = 3;
    }
  }
};
constexpr EscapeTable kEscapes;
constexpr char kHex[] = "0123456789abcdef";

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out.push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
  }
}

void append_base64(std::string& out, std::string_view s) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < s.size(); i += 3) {
    uint32_t v = 0;
    size_t n = std::min<size_t>(3, s.size() - i);
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (k < n ? static_cast<unsigned char>(s[i + k]) : 0);
    out.push_back(kDigits[v >> 18]);
    out.push_back(kDigits[v >> 12 & 63]);
    out.push_back(n > 1 ? kDigits[v >> 6 & 63] : '=');
    out.push_back(n > 2 ? kDigits[v & 63] : '=');
  }
}

class Writer {
 public:
  Writer(std::string& out, const WriteOptions& options) : out_(out), o_(options) {}

  Status write(const Value& v, size_t depth);

 private:
  Status write_list(const Value& v, size_t depth);
  Status write_map(const Value& v, size_t depth);
  template <typename Members>  // of names and values
  Status write_members(const Members& members, size_t depth);
  void new_line(size_t depth) {
    if (o_.indent.empty()) return;
    out_.push_back('\n');
    for (size_t i = 0; i < depth; ++i) out_.append(o_.indent);
  }

  std::string& out_;
  const WriteOptions& o_;
  std::vector<const void*> deep_;  // containers open beyond kStartDetectingCycles
};

template <typename Int>
void append_integer(std::string& out, Int i) {
  char buf[24];
  auto r = std::to_chars(buf, buf + sizeof buf, i);
  out.append(buf, r.ptr);
}

Status Writer::write(const Value& v, size_t depth) {
  if (out_.size() > o_.max_bytes) return Error("output is too large", Code::kOutOfRange);
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: out_ += "null"; return ok();
    case Type::kBool: out_ += v.as_bool() ? "true" : "false"; return ok();
    case Type::kInt:
    case Type::kInt64: append_integer(out_, v.as_int()); return ok();
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: append_integer(out_, v.as_uint()); return ok();
    case Type::kFloat64: {
      double d = v.as_double();
      if (!std::isfinite(d)) {
        const char* text = std::isnan(d) ? "NaN" : d > 0 ? "+Inf" : "-Inf";
        return Error(std::string("json: unsupported value: ") + text, Code::kInvalidArgument);
      }
      append_number(out_, d);
      return ok();
    }
    case Type::kString: append_string(out_, v.as_string(), o_.escape_html); return ok();
    case Type::kBytes:
      out_.push_back('"');
      append_base64(out_, v.as_string());
      out_.push_back('"');
      return ok();
    case Type::kObject: {
      if (const auto members = v.as_object()->json_members(); !members.empty()) {
        return write_members(members, depth);
      }
      Value plain = v.as_object()->plain();
      if (plain.is_invalid()) {
        return Error("json: unsupported type: " + std::string(v.as_object()->go_type()),
                     Code::kInvalidArgument);
      }
      return write(plain, depth);
    }
    default: break;
  }
  if (depth >= kMaxDepth) return Error("json: exceeded max depth", Code::kResourceExhausted);
  const void* self = v.is_map() ? static_cast<const void*>(v.as_map()) : v.as_list();
  bool watch = depth >= kStartDetectingCycles && self != nullptr;
  if (watch) {
    for (const void* open : deep_) {
      if (open == self) {
        return Error("json: unsupported value: encountered a cycle via " +
                         std::string(value::go_type(v)),
                     Code::kInvalidArgument);
      }
    }
    deep_.push_back(self);
  }
  Status s = v.is_map() ? write_map(v, depth) : write_list(v, depth);
  if (watch) deep_.pop_back();
  return s;
}

Status Writer::write_list(const Value& v, size_t depth) {
  if (v.as_list() == nullptr) {
    out_ += "null";
    return ok();
  }
  out_.push_back('[');
  bool first = true;
  for (const Value& item : v.items()) {
    if (!first) out_.push_back(',');
    first = false;
    new_line(depth + 1);
    TRY(write(item, depth + 1));
  }
  if (!first) new_line(depth);
  out_.push_back(']');
  return ok();
}

Status Writer::write_map(const Value& v, size_t depth) {
  if (v.as_map() == nullptr) {
    out_ += "null";
    return ok();
  }
  return write_members(*v.as_map(), depth);
}

template <typename Members>
Status Writer::write_members(const Members& members, size_t depth) {
  out_.push_back('{');
  bool first = true;
  for (const auto& [name, v] : members) {
    if (!first) out_.push_back(',');
    first = false;
    new_line(depth + 1);
    append_string(out_, name, o_.escape_html);
    out_ += o_.indent.empty() ? ":" : ": ";
    TRY(write(v, depth + 1));
  }
  if (!first) new_line(depth);
  out_.push_back('}');
  return ok();
}

}  // namespace

void append_string(std::string& out, std::string_view s, bool escape_html) {
  out.push_back('"');
  size_t start = 0, i = 0;
  while (i < s.size()) {
    auto c = static_cast<unsigned char>(s[i]);
    uint8_t need = kEscapes.need[c];
    if (need == 0 || (need == 2 && !escape_html)) {
      ++i;
      continue;
    }
    if (need < 3) {
      out.append(s, start, i - start);
      append_escape(out, c);
      start = ++i;
      continue;
    }
    Rune r = decode_rune(s.substr(i));
    auto size = static_cast<size_t>(r.size);
    bool broken = r.value == 0xfffd && size == 1;
    if (broken || r.value == 0x2028 || r.value == 0x2029) {
      out.append(s, start, i - start);
      out += broken ? "\\ufffd" : r.value == 0x2028 ? "\\u2028" : "\\u2029";
      start = i + size;
    }
    i += size;
  }
  out.append(s, start, s.size() - start);
  out.push_back('"');
}

std::string quoted(std::string_view s) {
  std::string out;
  append_string(out, s);
  return out;
}

void append_number(std::string& out, double d) {
  constexpr double kExactIntegers = 9007199254740992.0;
  if (d > -kExactIntegers && d < kExactIntegers) {
    auto i = static_cast<int64_t>(d);
    if (static_cast<double>(i) == d && (i != 0 || !std::signbit(d))) {
      append_integer(out, i);
      return;
    }
  }
  double abs = std::fabs(d);
  if (abs == 0 || (abs >= 1e-6 && abs < 1e21)) {
    append_float(out, d, 'f', -1);
    return;
  }
  append_float(out, d, 'e', -1);
  size_t n = out.size();  // e-09 becomes e-9
  if (n >= 4 && out[n - 4] == 'e' && out[n - 3] == '-' && out[n - 2] == '0') out.erase(n - 2, 1);
}

Status append(std::string& out, const Value& v, WriteOptions options) {
  return Writer(out, options).write(v, 0);
}

Result<std::string> write(const Value& v, WriteOptions options) {
  std::string out;
  TRY(append(out, v, options));
  return out;
}

}  // namespace pintle::json
