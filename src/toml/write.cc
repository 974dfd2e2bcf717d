// Values to TOML as BurntSushi's encoder lays them out.
#include <charconv>
#include <cmath>

#include "base/gotext.h"
#include "toml/toml.h"

namespace pintle::toml {

using value::Map;
using value::Type;
using value::Value;

namespace {

constexpr size_t kMaxDepth = 10000;
constexpr size_t kMaxText = size_t{32} << 20, kMaxLooked = 1 << 24;

enum class Kind : uint8_t { kNil, kScalar, kTable, kTables };

bool bare(std::string_view key) {
  for (char c : key) {
    bool fine = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                c == '_' || c == '-';
    if (!fine) return false;
  }
  return !key.empty();
}

std::string key_text(std::string_view key) { return bare(key) ? std::string(key) : quote(key); }

class Writer {
 public:
  explicit Writer(WriteObject write_object) : write_object_(write_object) {}

  bool top(const Value& v) { return encode(v, "", "", 0); }
  std::string take() { return std::move(out_); }
  Error error() const {
    return Error(error_, too_large_ ? Code::kOutOfRange : Code::kInvalidArgument);
  }

 private:
  bool fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return false;
  }
  bool has_room() const { return out_.size() <= kMaxText; }
  bool fail_large() {
    too_large_ = true;
    return fail("output is too large");
  }
  // nullopt: fail was called (a list holds nil, or there is too much).
  std::optional<Kind> kind(const Value& v);
  bool encode(const Value& v, const std::string& path, std::string_view key, size_t depth);
  bool key_value(const Value& v, std::string_view key, size_t depth, bool inlined);
  bool element(const Value& v, size_t depth);
  bool number(double d);
  bool table(const Value& v, const std::string& path, size_t depth, bool inlined);
  template <typename Members>
  bool members(const Members& all, const std::string& path, size_t depth, bool inlined);
  void new_line() {
    if (!out_.empty()) out_.push_back('\n');
  }
  void indent(size_t depth) {
    if (depth > 1) out_.append((depth - 1) * 2, ' ');
  }

  WriteObject write_object_;
  std::string out_;
  std::string error_;
  size_t looked_ = 0;  // values: a list is looked through at each level above it
  bool too_large_ = false;
};

std::optional<Kind> Writer::kind(const Value& v) {
  if (++looked_ > kMaxLooked || !has_room()) {
    fail_large();
    return std::nullopt;
  }
  if (v.is_nil() || v.is_invalid()) return Kind::kNil;
  if (v.is_map()) return v.as_map() == nullptr ? Kind::kNil : Kind::kTable;
  if (v.is_object()) {
    if (write_object_(v)) return Kind::kScalar;
    return v.as_object()->plain().is_map() ? Kind::kTable : Kind::kScalar;
  }
  if (!v.is_list()) return Kind::kScalar;
  if (v.as_list() == nullptr) return Kind::kNil;
  bool tables = v.length() > 0;
  for (const Value& item : v.items()) {
    auto k = kind(item);
    if (!k) return k;
    if (*k == Kind::kNil) {
      fail("toml: cannot encode array with nil element");
      return std::nullopt;
    }
    tables &= *k == Kind::kTable;
  }
  return tables ? Kind::kTables : Kind::kScalar;
}

// path: the dotted key of v, key: its last part, depth: how many parts it has.
bool Writer::encode(const Value& v, const std::string& path, std::string_view key, size_t depth) {
  if (depth > kMaxDepth) return fail("toml: exceeded max depth");
  auto k = kind(v);
  if (!k) return false;
  if (*k == Kind::kTables) {
    if (depth == 0) return fail("toml: top-level values must be Go maps or structs");
    for (const Value& item : v.items()) {
      new_line();
      indent(depth);
      out_ += "[[" + path + "]]\n";
      if (!table(item, path, depth, false)) return false;
    }
    return true;
  }
  if (*k == Kind::kTable) {
    if (depth == 1) new_line();
    if (depth > 0) {
      indent(depth);
      out_ += "[" + path + "]\n";
    }
    return table(v, path, depth, false);
  }
  if (*k == Kind::kNil && !v.is_list()) return true;
  return key_value(v, key, depth, false);
}

bool Writer::key_value(const Value& v, std::string_view key, size_t depth, bool inlined) {
  if (depth == 0) return element(v, depth);
  if (!inlined) indent(depth);
  out_ += key_text(key) + " = ";
  if (!element(v, depth)) return false;
  if (!inlined) out_.push_back('\n');
  return true;
}

bool Writer::number(double d) {
  if (std::isnan(d) || std::isinf(d)) {
    if (std::signbit(d)) out_.push_back('-');
    out_ += std::isnan(d) ? "nan" : "inf";
    return true;
  }
  std::string s;
  append_float(s, d, 'g', -1);
  out_ += s;
  if (s.find_first_of("e.") == std::string::npos) out_ += ".0";
  return true;
}

bool Writer::element(const Value& v, size_t depth) {
  if (!has_room()) return fail_large();
  if (depth > kMaxDepth) return fail("toml: exceeded max depth");
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: return fail("reflect: call of reflect.Value.Interface on zero Value");
    case Type::kBool: out_ += v.as_bool() ? "true" : "false"; return true;
    case Type::kInt:
    case Type::kInt64: out_ += std::to_string(v.as_int()); return true;
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: out_ += std::to_string(v.as_uint()); return true;
    case Type::kFloat64: return number(v.as_double());
    case Type::kString: out_ += quote(v.as_string()); return true;
    case Type::kBytes: {
      out_.push_back('[');
      const char* between = "";
      for (char c : v.as_string()) {
        out_ += between + std::to_string(static_cast<unsigned char>(c));
        between = ", ";
      }
      out_.push_back(']');
      return true;
    }
    case Type::kObject: {
      if (auto text = write_object_(v)) {
        out_ += *text;
        return true;
      }
      Value plain = v.as_object()->plain();
      if (plain.is_object() || plain.is_invalid()) {
        return fail("unsupported type: " + std::string(v.as_object()->kind_name()));
      }
      return plain.is_map() ? table(v, "", depth + 1, true) : element(plain, depth + 1);
    }
    default: break;
  }
  if (v.is_map()) {
    if (v.as_map() != nullptr) return table(v, "", depth + 1, true);
    out_ += "{}";
    return true;
  }
  out_.push_back('[');
  const char* between = "";
  for (const Value& item : v.items()) {
    out_ += between;
    between = ", ";
    if (!element(item, depth + 1)) return false;
  }
  out_.push_back(']');
  return true;
}

// A struct's fields go in their order, by Go's names: it has no tags for TOML.
bool Writer::table(const Value& v, const std::string& path, size_t depth, bool inlined) {
  if (!v.is_object()) return members(*v.as_map(), path, depth, inlined);
  std::vector<Map::Entry> fields;
  const value::Object& o = *v.as_object();
  for (const value::StructField& f : o.struct_fields()) {
    if (!o.has_unexported(f.name)) fields.push_back({value::Str(f.name), f.value});
  }
  if (!fields.empty()) return members(fields, path, depth, inlined);
  const Value plain = o.plain();
  return members(*plain.as_map(), path, depth, inlined);
}

template <typename Members>
bool Writer::members(const Members& all, const std::string& path, size_t depth, bool inlined) {
  std::vector<const Map::Entry*> direct, tables;
  for (const auto& e : all) {
    auto k = kind(e.value);
    if (!k) return false;
    (*k == Kind::kTable || *k == Kind::kTables ? tables : direct).push_back(&e);
  }
  auto write_all = [&](const std::vector<const Map::Entry*>& entries, bool more) {
    for (size_t i = 0; i < entries.size(); ++i) {
      const auto& [key, v] = *entries[i];
      if (v.is_nil() || (v.is_map() && v.as_map() == nullptr) ||
          (v.is_list() && v.as_list() == nullptr)) {
        continue;
      }
      if (inlined) {
        if (!key_value(v, key, depth + 1, true)) return false;
        if (more || i + 1 < entries.size()) out_ += ", ";
        continue;
      }
      std::string part = key_text(key);
      if (!encode(v, path.empty() ? part : path + "." + part, key, depth + 1)) return false;
    }
    return true;
  };
  if (inlined) out_.push_back('{');
  if (!write_all(direct, !tables.empty()) || !write_all(tables, false)) return false;
  if (inlined) out_.push_back('}');
  return true;
}

}  // namespace

std::string quote(std::string_view s) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : s) {
    auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\f': out += "\\f"; break;
      case '\r': out += "\\r"; break;
      default:
        if (u >= 0x20 && u != 0x7f) {
          out.push_back(c);
        } else {
          out += "\\u00";
          out.push_back(kHex[u >> 4]);
          out.push_back(kHex[u & 15]);
        }
    }
  }
  out.push_back('"');
  return out;
}

Result<std::string> write(const Value& v, WriteObject write_object) {
  Writer w(write_object);
  if (!w.top(v)) return w.error();
  return w.take();
}

}  // namespace pintle::toml
