// One walk over the tree beside the table of types. Cost: linear in the object, a binary search per
// field.
#include "drydock/wire.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "cel/quantity.h"
#include "crypt/crypt.h"
#include "drydock/body_text.h"
#include "drydock/go_time.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

enum Form : uint8_t { kAlways, kOmitEmpty, kOmitZero, kPointer, kPointerOrNull };
enum Kind : uint8_t {
  kAny, kString, kBool, kInt32, kInt64, kFloat64, kUint8, kStruct, kBytes, kQuantity, kTime,
  kMicroTime, kDuration, kIntOrString, kListOf = 32, kMapOf = 64
};

struct WireField {
  std::string_view name;
  Form form;
  int kind;
  uint16_t ref;     // into kTypes of a struct; else into kNames, of a text's or a map's own type
  uint16_t within;  // into kNames: the struct within the struct, whose fields stand in the outer one's place
};
struct WireType {
  std::string_view go_name;  // "v1.PodSpec"
  uint16_t first, count;
};
struct WireRoot {
  std::string_view group, version, kind;
  uint16_t type;
};

#include "drydock/wire_tables.inc"

const WireRoot* root_of(std::string_view group, std::string_view version, std::string_view kind) {
  auto key = [](const WireRoot& r) { return std::tuple(r.group, r.version, r.kind); };
  auto wanted = std::tuple(group, version, kind);
  auto it = std::lower_bound(std::begin(kRoots), std::end(kRoots), wanted,
                             [&](const WireRoot& r, const auto& w) { return key(r) < w; });
  return it != std::end(kRoots) && key(*it) == wanted ? it : nullptr;
}

std::span<const WireField> fields_of(const WireType& type) {
  return {kFields + type.first, type.count};
}

std::string go_type(int kind, uint16_t ref) {
  if (kind & kListOf) return "[]" + go_type(kind & ~kListOf, ref);
  const bool leads_on = (kind & 31) == kStruct;
  const std::string_view name = leads_on ? std::string_view() : kNames[ref];
  if (kind & kMapOf) return name.empty() ? "map[string]" + go_type(kind & ~kMapOf, ref) : std::string(name);
  switch (kind) {
    case kString: return name.empty() ? "string" : std::string(name);
    case kBool: return "bool";
    case kInt32: return "int32";
    case kInt64: return "int64";
    case kFloat64: return "float64";
    case kUint8: return "uint8";
    case kBytes: return "[]uint8";
    case kStruct: return std::string(kTypes[ref].go_name);
    default: return "interface {}";
  }
}

struct Walk {
  std::vector<std::string>* unknown;
  Refusal refusal;
  std::string_view written;

  // Where the walk is: for unknown fields with list indices, for decoding errors without.
  struct Place {
    std::string indexed, plain;
    std::string_view owner;  // Go's struct, "v1.DeploymentSpec"
  };

  static std::string_view json_name(const Value& v) {
    if (v.is_string()) return "string";
    if (v.is(value::Type::kBool)) return "bool";
    if (v.is_list()) return "array";
    if (v.is_map()) return "object";
    return "number";
  }

  // apimachinery's DefaultUnstructuredConverter on a value that does not fit.
  static Error inconvertible(const Value& v, std::string_view type) {
    std::string_view what = v.is_list()                       ? "slice"
                            : v.is_map()                      ? "map"
                            : v.is_string()                   ? "string"
                            : v.is(value::Type::kBool)        ? "bool"
                            : v.is(value::Type::kFloat64)     ? "float64"
                                                              : "int64";
    std::string text;
    if (type.starts_with("map[")) text = cat("cannot restore map from ", what);
    else if (type.starts_with("[]")) text = cat("cannot restore slice from ", what);
    else if (type.find('.') != type.npos) text = cat("cannot restore struct from: ", what);
    else if (v.is_int() && type == "string") text = cat("cannot convert ", what, " to ", type);
    else if (v.is(value::Type::kFloat64) && type.starts_with("int")) text = cat("cannot convert ", what, " to ", type);
    else text = cat("unrecognized type: ", type);
    return Error(Code::kInvalidArgument, std::move(text));
  }

  Error mismatch(const Value& v, std::string_view type, const Place& place) const {
    if (refusal == Refusal::kConvert) return inconvertible(v, type);
    std::string what(json_name(v));
    if (what == "number" && type.starts_with("int")) {
      const std::string_view literal = number_at(written, place.indexed);
      append(what, {" ", literal.empty() ? json::write(v).value_or("") : std::string(literal)});
    }
    if (place.owner.empty()) {
      return Error(Code::kInvalidArgument,
                   cat("json: cannot unmarshal ", what, " into Go value of type ", type));
    }
    std::string_view owner = place.owner.substr(place.owner.find('.') + 1);
    return Error(Code::kInvalidArgument, cat("json: cannot unmarshal ", what, " into Go struct field ",
                                             owner, ".", place.plain, " of type ", type));
  }

  Status scalar(Value& v, int kind, uint16_t ref, const Place& place) {
    switch (kind) {
      case kString:
        // Converted trees are told of the kind of type, not of its name.
        if (!v.is_string()) return mismatch(v, refusal == Refusal::kDecode ? go_type(kind, ref) : "string", place);
        return ok();
      case kBool:
        if (!v.is(value::Type::kBool)) return mismatch(v, "bool", place);
        return ok();
      case kInt32:
      case kInt64:
      case kUint8: {
        if (v.is(value::Type::kFloat64) && std::trunc(v.as_double()) == v.as_double()) {
          const bool as_written = !written.empty() && !number_at(written, place.indexed).empty();
          const bool huge = std::fabs(v.as_double()) >= 9e18;
          if (refusal == Refusal::kConvert && huge) v = Value::int64(INT64_MIN);  // Go's conversion saturates so
          else if (!huge && !as_written) v = Value::int64(static_cast<int64_t>(v.as_double()));
        }
        bool fits = v.is_int() && (kind != kInt32 || v.as_int() == static_cast<int32_t>(v.as_int()));
        if (!fits) return mismatch(v, go_type(kind, 0), place);
        return ok();
      }
      case kFloat64:
        if (!v.is_int() && !v.is_uint() && !v.is(value::Type::kFloat64)) {
          return mismatch(v, "float64", place);
        }
        return ok();
      case kIntOrString:
        if (v.is_string() || (v.is_int() && v.as_int() == static_cast<int32_t>(v.as_int()))) return ok();
        return mismatch(v, "int32", place);
      case kQuantity: {
        std::string given = v.is_string() ? std::string(v.as_string()) : json::write(v).value_or("");
        auto parsed = cel::parse_quantity(given);
        if (!parsed) return Error(Code::kInvalidArgument, cel::quantity_error());
        v = make(cel::canonical(*parsed));
        return ok();
      }
      case kBytes:
      case kTime:
      case kMicroTime:
      case kDuration:
        // A type that reads itself does not know where it stands.
        if (!v.is_string() && refusal == Refusal::kConvert && kind != kBytes) {
          return Error(Code::kInvalidArgument, cat("json: cannot unmarshal ", json_name(v), " into Go value of type string"));
        }
        if (kind == kBytes && v.is_list()) {  // a list of bytes would do for Go
          for (const Value& b : v.items()) {
            if (!b.is_int()) return mismatch(b, "uint8", place);
          }
        }
        if (!v.is_string()) return mismatch(v, kind == kBytes ? "[]uint8" : "string", place);
        if (kind == kTime || kind == kMicroTime) return check_time(v.as_string(), kind == kMicroTime);
        if (kind == kBytes) {
          if (auto bytes = crypt::base64_decode(v.as_string()); !bytes) return bytes.error();
        }
        return ok();
      default:
        return ok();
    }
  }

  Status any(Value& v, int kind, uint16_t ref, const Place& place) {
    if (kind & kListOf) {
      if (!v.is_list()) return mismatch(v, go_type(kind, ref), place);
      size_t i = 0;
      for (Value& item : elements_of(&v)) {
        if (item.is_nil()) item = zero_of(kind & ~kListOf);
        Place inner = place;
        inner.indexed += cat("[", i++, "]");
        TRY(any(item, kind & ~kListOf, ref, inner));
      }
      return ok();
    }
    if (kind & kMapOf) {
      if (!v.is_map()) return mismatch(v, refusal == Refusal::kDecode ? go_type(kind, ref) : "map[string]", place);
      if (!v.as_map()) return ok();
      for (auto& e : v.as_map()->entries()) {
        Place inner = place;
        inner.indexed += cat(".", e.key.view());
        if (e.value.is_nil()) e.value = (kind & ~kMapOf) == kBytes ? make("") : zero_of(kind & ~kMapOf);
        if (e.value.is_nil()) continue;
        TRY(any(e.value, kind & ~kMapOf, ref, inner));
      }
      return ok();
    }
    if (kind == kStruct) {
      if (v.is_nil()) v = empty_map();
      if (!v.is_map()) return mismatch(v, go_type(kind, ref), place);
      return structure(v, kTypes[ref], place);
    }
    if (v.is_nil()) return ok();
    return scalar(v, kind, ref, place);
  }

  static bool zero(const Value& v) {
    if (v.is_nil()) return true;
    if (v.is_string()) return v.as_string().empty();
    if (v.is_map() || v.is_list()) return v.length() == 0;
    if (v.is(value::Type::kBool)) return !v.as_bool();
    if (v.is_int()) return v.as_int() == 0;
    return v.is(value::Type::kFloat64) && v.as_double() == 0;
  }

  static Value zero_of(int kind) {
    if (kind & (kListOf | kMapOf)) return Value::nil();
    switch (kind) {
      case kString: return make("");
      case kBool: return make(false);
      case kInt32:
      case kInt64:
      case kUint8:
      case kFloat64:
      case kIntOrString: return make(0);
      case kQuantity: return make("0");
      case kDuration: return make("0s");
      case kStruct: return empty_map();
      default: return Value::nil();
    }
  }

  Status structure(Value& v, const WireType& type, const Place& place) {
    ensure_map(v);
    auto fields = fields_of(type);
    auto& given = v.as_map()->entries();
    std::vector<value::Map::Entry> kept;
    kept.reserve(given.size() + 2);
    size_t g = 0;
    for (const WireField& f : fields) {
      while (g < given.size() && given[g].key.view() < f.name) report(given[g++].key.view(), place);
      bool there = g < given.size() && given[g].key.view() == f.name;
      Value held = there ? std::move(given[g].value) : Value::nil();
      value::Str key = there ? given[g].key : value::Str(f.name);
      if (there) ++g;
      TRY(field(f, type, held, place));
      bool keep = !held.is_nil() || f.form == kPointerOrNull ||
                  (f.form == kAlways && zero_of(f.kind).is_nil());
      if (keep) kept.push_back({std::move(key), std::move(held)});
    }
    while (g < given.size()) report(given[g++].key.view(), place);
    given = std::move(kept);
    return ok();
  }

  void report(std::string_view key, const Place& place) {
    if (!unknown) return;
    unknown->push_back(place.indexed.empty() ? std::string(key) : cat(place.indexed, ".", key));
  }

  // Leaves nil in `held` for what Go would not write.
  Status field(const WireField& f, const WireType& owner, Value& held, const Place& place) {
    if (held.is_nil() && f.form == kAlways) held = zero_of(f.kind);
    if (held.is_nil()) return ok();
    Place inner{place.indexed.empty() ? std::string(f.name) : cat(place.indexed, ".", f.name),
                place.plain, owner.go_name};
    for (std::string_view step : {kNames[f.within], f.name}) {
      if (!step.empty()) append(inner.plain, {inner.plain.empty() ? "" : ".", step});
    }
    TRY(any(held, f.kind, f.ref, inner));
    bool container = (f.kind & (kListOf | kMapOf)) != 0;
    bool omit = f.form == kOmitEmpty || f.form == kOmitZero;
    // Stored lists and maps lose the difference between empty and absent.
    if (container && zero(held)) held = Value::nil();
    if (omit && f.kind != kIntOrString && zero(held)) held = Value::nil();
    return ok();
  }
};

}  // namespace

bool has_wire_form(std::string_view group, std::string_view version, std::string_view kind) {
  return root_of(group, version, kind) != nullptr;
}

Status to_wire(std::string_view group, std::string_view version, std::string_view kind, Value& object,
               std::vector<std::string>* unknown, Refusal refusal, std::string_view written) {
  const WireRoot* root = root_of(group, version, kind);
  if (!root) return ok();
  Walk walk{unknown, refusal, written};
  return walk.structure(object, kTypes[root->type], {});
}

}  // namespace pintle::drydock
