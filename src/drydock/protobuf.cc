#include "drydock/protobuf.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/protobuf.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/go_time.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr int kMaxDepth = 64;

struct Row {
  std::string_view message, fields;
};
constexpr Row kRows[] = {
#include "drydock/protobuf_data.inc"
};

struct Field {
  std::string_view name;
  char form = '-';  // '-' one, 'r' list, 'm' map
  std::string_view kind;
};
using Message = std::unordered_map<uint64_t, Field>;

const Message* message_named(std::string_view name) {
  static const std::unordered_map<std::string_view, Message> table = [] {
    std::unordered_map<std::string_view, Message> out;
    for (const Row& row : kRows) {
      Message& m = out[row.message];
      if (row.fields.empty()) continue;
      for (std::string_view field : split(row.fields, ";")) {
        auto part = split(field, " ");
        m[std::stoull(std::string(part[0]))] = {part[1], part[2][0], part[3]};
      }
    }
    return out;
  }();
  auto it = table.find(name);
  return it == table.end() ? nullptr : &it->second;
}

Error malformed() { return Error(Code::kInvalidArgument, "unexpected EOF"); }

Value scalar(char kind, uint64_t number, std::string_view bytes) {
  switch (kind) {
    case 's': return make(bytes);
    case 'b': return make(crypt::base64_encode(bytes));
    case 'o': return make(number != 0);
    case 'd': {
      double d;
      std::memcpy(&d, &number, sizeof d);
      return Value::number(d);
    }
    default: return Value::int64(static_cast<int64_t>(number));
  }
}

// Fields of these are the fields of what holds them (Go's embedded structs).
bool is_inlined(std::string_view name) {
  return name == "volumeSource" || name == "persistentVolumeSource" || name == "handler" ||
         name == "localObjectReference" || name == "ephemeralContainerCommon" ||
         name == "ingressRuleValue" || name == "ruleWithOperations" || name == "deviceConfiguration";
}

Result<Value> read_message(std::string_view name, std::string_view bytes, int depth);

// Types whose JSON is no object of their fields.
Result<bool> read_special(std::string_view name, std::string_view bytes, Value* out) {
  std::string_view last = name.substr(name.rfind('.') + 1);
  bool time = last == "Time" || last == "MicroTime";
  bool known = time || last == "Quantity" || last == "IntOrString" || last == "FieldsV1" || last == "RawExtension" ||
               last == "Duration";
  if (!known || name.find("apimachinery") == std::string_view::npos) return false;
  uint64_t numbers[4] = {};
  std::string_view texts[4];
  ProtobufReader wire(bytes);
  while (wire.next()) {
    if (wire.field() >= 4) continue;
    numbers[wire.field()] = wire.number();
    texts[wire.field()] = wire.bytes();
  }
  if (!wire.ok()) return malformed();
  if (time) {
    int64_t ns = 0;
    if (__builtin_mul_overflow(static_cast<int64_t>(numbers[1]), int64_t{1'000'000'000}, &ns) ||
        __builtin_add_overflow(ns, static_cast<int64_t>(numbers[2]), &ns)) {
      return Error(Code::kInvalidArgument, "a time lies outside of 1677 to 2262");
    }
    *out = bytes.empty() ? Value() : make(time_text(ns, last == "MicroTime"));
  } else if (last == "Quantity") {
    *out = make(texts[1]);
  } else if (last == "IntOrString") {
    *out = numbers[1] == 0 ? Value::int64(static_cast<int32_t>(numbers[2])) : make(texts[3]);
  } else if (last == "Duration") {
    *out = make(cat(static_cast<int64_t>(numbers[1]) / 1'000'000'000, "s"));
  } else if (!texts[1].empty()) {
    auto v = json::read(texts[1], {.numbers = json::Numbers::kExact});
    if (!v) return v.error();
    *out = std::move(*v);
  }
  return true;
}

Result<Value> read_one(std::string_view kind, uint64_t number, std::string_view bytes, int depth) {
  if (kind.size() == 1) return scalar(kind[0], number, bytes);
  return read_message(kind, bytes, depth + 1);
}

Result<Value> read_entry(const Field& f, std::string_view bytes, std::string* key, int depth) {
  ProtobufReader wire(bytes);
  uint64_t value_number = 0;
  std::string_view value_bytes;
  while (wire.next()) {
    if (wire.field() == 1) *key = wire.bytes();
    if (wire.field() == 2) {
      value_number = wire.number();
      value_bytes = wire.bytes();
    }
  }
  if (!wire.ok()) return malformed();
  return read_one(f.kind, value_number, value_bytes, depth);
}

Result<Value> read_message(std::string_view name, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) return malformed();
  Value special;
  if (TRY(read_special(name, bytes, &special))) return special;
  const Message* message = message_named(name);
  if (!message) return Error(Code::kInvalidArgument, cat("no kind \"", name, "\" is registered"));
  Value out = empty_map();
  // A message of nothing but `items` is a list type of its own (ExtraValue).
  bool bare_list = message->size() == 1 && message->begin()->second.name == "items";
  ProtobufReader wire(bytes);
  while (wire.next()) {
    auto it = message->find(wire.field());
    if (it == message->end()) continue;
    const Field& f = it->second;
    if (f.form == 'm') {
      std::string key;
      Value value = TRY(read_entry(f, wire.bytes(), &key, depth));
      put(ensure(out, f.name), key, std::move(value));
      continue;
    }
    Value value = TRY(read_one(f.kind, wire.number(), wire.bytes(), depth));
    if (f.form == 'r') {
      push(out, f.name, std::move(value));
    } else if (is_inlined(f.name) && value.is_map()) {
      for (const auto& e : entries_of(&value)) put(out, e.key.view(), e.value);
    } else if (!value.is_nil()) {
      put(out, f.name, std::move(value));
    }
  }
  if (!wire.ok()) return malformed();
  if (bare_list) return out.get("items") ? *out.get("items") : empty_list();
  return out;
}

// "apps/v1" -> "k8s.io.api.apps.v1"
std::string package_of(std::string_view api_version) {
  size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return cat("k8s.io.api.core.", api_version);
  std::string_view group = api_version.substr(0, slash);
  std::string first(split(group, ".")[0]);
  if (group == "flowcontrol.apiserver.k8s.io") first = "flowcontrol";
  if (group == "rbac.authorization.k8s.io") first = "rbac";
  return cat("k8s.io.api.", first, ".", api_version.substr(slash + 1));
}

}  // namespace

Result<Value> read_protobuf(std::string_view body) {
  constexpr std::string_view kMagic("k8s\0", 4);
  if (!body.starts_with(kMagic)) {
    return Error(Code::kInvalidArgument, "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (body.size() == kMagic.size()) return Error(Code::kInvalidArgument, "empty body");
  std::string_view raw, kind, api_version;
  ProtobufReader wire(body.substr(kMagic.size()));
  while (wire.next()) {
    if (wire.field() == 2) raw = wire.bytes();
    if (wire.field() != 1) continue;
    ProtobufReader meta(wire.bytes());
    while (meta.next()) {
      if (meta.field() == 1) api_version = meta.bytes();
      if (meta.field() == 2) kind = meta.bytes();
    }
    if (!meta.ok()) return malformed();
  }
  if (!wire.ok()) return malformed();
  std::string name = cat(package_of(api_version), ".", kind);
  bool options = kind.ends_with("Options") && !message_named(name);
  if (options) name = cat("k8s.io.apimachinery.pkg.apis.meta.v1.", kind);
  Value out = TRY(read_message(name, raw, 0));
  put(out, "kind", kind);
  put(out, "apiVersion", api_version);
  return out;
}

}  // namespace pintle::drydock
