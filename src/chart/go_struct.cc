#include "chart/go_struct.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

using value::Type;
using value::Value;

std::string_view json_kind(const Value& v) {
  if (v.is_map()) return "object";
  if (v.is_list()) return "array";
  if (v.is(Type::kBool)) return "bool";
  if (v.is_string()) return "string";
  return "number";
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return tolower(static_cast<uint8_t>(x)) == tolower(static_cast<uint8_t>(y));
         });
}

// json.Unmarshal into interface{}: every number is a float64.
Value plain(const Value& v) {
  if (v.is_int()) return Value::number(static_cast<double>(v.as_int()));
  if (v.is_uint()) return Value::number(static_cast<double>(v.as_uint()));
  if (v.is_list()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(plain(item));
    return Value::list_of(std::move(items));
  }
  if (v.is_map()) {
    auto map = value::make_map();
    for (const auto& [key, item] : *v.as_map()) map->set(key, plain(item));
    return Value::map(map);
  }
  return v;
}

}  // namespace

void GoStruct::object(const Value& v, std::string_view type, const std::vector<Field>& fields) {
  if (v.is_nil()) return;
  if (!v.is_map()) return mismatch(v, cat(package_, ".", type));
  read_fields(v, type, fields);
}

void GoStruct::anonymous(const Value& v, std::string_view go_type,
                         const std::vector<Field>& fields) {
  if (v.is_nil()) return;
  if (!v.is_map()) return mismatch(v, go_type);
  read_fields(v, "", fields);
}

void GoStruct::read_fields(const Value& v, std::string_view type,
                           const std::vector<Field>& fields) {
  const std::string_view outer = struct_;
  if (!v.as_map()) return;
  for (const auto& [key, item] : *v.as_map()) {
    auto field = std::find_if(fields.begin(), fields.end(),
                              [&](const Field& f) { return f.name == key.view(); });
    if (field == fields.end()) {
      field = std::find_if(fields.begin(), fields.end(),
                           [&](const Field& f) { return same_letters(f.name, key.view()); });
    }
    if (field == fields.end()) {
      if (strict_) fail("json: unknown field " + quote(key.view()));
      continue;
    }
    struct_ = type;
    path_.push_back(field->name);
    field->read(item);
    path_.pop_back();
    struct_ = outer;
  }
}

void GoStruct::text(const Value& v, std::string& out) {
  if (v.is_nil()) return;
  const Value text = yaml::string_field(v);
  if (!text.is_string()) return mismatch(v, "string");
  out = text.as_string();
}

void GoStruct::flag(const Value& v, bool& out) {
  if (v.is_nil()) return;
  if (!v.is(Type::kBool)) return mismatch(v, "bool");
  out = v.as_bool();
}

void GoStruct::texts(const Value& v, std::vector<std::string>& out) {
  if (!v.is_nil() && !v.is_list()) return mismatch(v, "[]string");
  out.clear();
  for (const Value& item : v.items()) text(item, out.emplace_back());
}

void GoStruct::text_map(const Value& v, std::map<std::string, std::string>& out, bool* present) {
  if (!v.is_nil() && !v.is_map()) return mismatch(v, "map[string]string");
  *present = v.is_map();
  if (v.is_nil()) out.clear();
  if (!v.is_map() || !v.as_map()) return;
  for (const auto& [key, item] : *v.as_map()) {
    std::string& slot = out[std::string(key.view())];
    slot.clear();
    text(item, slot);
  }
}

void GoStruct::list(const Value& v, std::string_view go_type,
                    const std::function<void(const Value&)>& each) {
  if (!v.is_nil() && !v.is_list()) return mismatch(v, go_type);
  for (const Value& item : v.items()) each(item);
}

void GoStruct::any_list(const Value& v, std::vector<Value>& out) {
  if (!v.is_nil() && !v.is_list()) return mismatch(v, "[]interface {}");
  out.clear();
  for (const Value& item : v.items()) out.push_back(plain(item));
}

void GoStruct::objects(const Value& v, std::string_view type, std::optional<size_t>* first_null,
                       bool* present, const std::function<void()>& clear,
                       const std::function<void(const Value&)>& add) {
  if (!v.is_nil() && !v.is_list()) return mismatch(v, cat("[]*", package_, ".", type));
  if (present) *present = v.is_list();
  first_null->reset();
  clear();
  const auto items = v.items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_nil()) {
      add(items[i]);
    } else if (!*first_null) {
      *first_null = i;
    }
  }
}

void GoStruct::fail(std::string text) {
  if (!error_) error_ = std::move(text);
}

void GoStruct::mismatch(const Value& v, std::string_view go_type) {
  std::string text = cat("json: cannot unmarshal ", json_kind(v), " into Go ");
  if (path_.empty()) {
    text += "value";
  } else {
    append(text, {"struct field ", struct_});
    for (std::string_view name : path_) append(text, {".", name});
  }
  append(text, {" of type ", go_type});
  fail(std::move(text));
}

Status GoStruct::status() const {
  if (!error_) return ok();
  return Error(Code::kInvalidArgument, "error unmarshaling JSON: while decoding JSON: " + *error_);
}

}  // namespace pintle::chart
