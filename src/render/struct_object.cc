#include "render/struct_object.h"

#include <algorithm>

#include "tmpl/print.h"

namespace pintle::render {

using value::Value;

const StructField* StructObject::find(std::string_view name) const {
  auto it = std::find_if(fields_.begin(), fields_.end(),
                         [&](const auto& f) { return f.name == name; });
  return it == fields_.end() ? nullptr : &*it;
}

Value StructObject::field(std::string_view name) const {
  const StructField* f = find(name);
  return f != nullptr && f->exported ? f->value : Value::invalid();
}

bool StructObject::has_unexported(std::string_view name) const {
  const StructField* f = find(name);
  return f != nullptr && !f->exported;
}

const value::FuncDef* StructObject::method(std::string_view name) const {
  if (!addressable_) return nullptr;
  const auto* end = type_.methods + type_.method_count;
  const auto* it = std::find_if(type_.methods, end, [&](const auto& m) { return m.name == name; });
  return it == end ? nullptr : it;
}

void StructObject::print(std::string& out, bool pointer) const {
  if (pointer && addressable_ && type_.stringer != nullptr) {
    out += type_.stringer(*this);
    return;
  }
  if (type_.pointer && !pointer) out += '&';
  out += '{';
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (i > 0) out += ' ';
    tmpl::print_value(out, fields_[i].value);
  }
  out += '}';
}

std::vector<value::StructField> StructObject::struct_fields() const {
  std::vector<value::StructField> out;
  for (const auto& f : fields_) out.push_back({f.name, f.value});
  return out;
}

Ref<value::Object> StructObject::detached() const {
  if (type_.stringer == nullptr || !addressable_) return nullptr;
  return Ref<StructObject>::make(type_, fields_, false);
}

Value StructObject::plain() const {
  value::MapBuilder out;
  for (const auto& [name, v] : json_members()) {
    out.add(value::Str(name), v.is_object() ? v.as_object()->plain() : v);
  }
  return Value::map(out.finish());
}

std::vector<value::StructField> StructObject::json_members() const {
  std::vector<value::StructField> out;
  for (const auto& f : fields_) {
    if (!f.exported || (f.omit_empty && !value::truth(f.value))) continue;
    out.push_back({f.json_name.empty() ? f.name : f.json_name, f.value});
  }
  return out;
}

Value make_struct(const StructType& type, std::vector<StructField> fields) {
  return Value::object(Ref<StructObject>::make(type, std::move(fields)));
}

}  // namespace pintle::render
