// StructObject: a Go struct (or a pointer to one) that templates can look into: named fields in
// order, methods, and how it prints. Inside this room only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/func.h"
#include "value/value.h"

namespace pintle::render {

struct StructField {
  std::string_view name;
  value::Value value;
  std::string_view json_name = {};  // the json tag; empty: the name
  bool exported = true;
  bool omit_empty = false;
};

struct StructType {
  std::string_view name;  // as %T prints it
  bool pointer = false;
  // A String method on the pointer receiver (as the other methods of such a type).
  std::string (*stringer)(const value::Object&) = nullptr;
  const value::FuncDef* methods = nullptr;
  size_t method_count = 0;
};

class StructObject : public value::Object {
 public:
  StructObject(const StructType& type, std::vector<StructField> fields, bool addressable = true)
      : type_(type), fields_(std::move(fields)), addressable_(addressable) {}

  std::string_view go_type() const override { return type_.name; }
  value::Kind kind() const override {
    return type_.pointer ? value::Kind::kPtr : value::Kind::kStruct;
  }
  std::string_view kind_name() const override { return type_.pointer ? "ptr" : "struct"; }
  value::Value field(std::string_view name) const override;
  bool has_unexported(std::string_view name) const override;
  const value::FuncDef* method(std::string_view name) const override;
  void print(std::string& out, bool pointer) const override;
  bool has_string() const override { return false; }
  std::vector<value::StructField> struct_fields() const override;
  Ref<value::Object> detached() const override;
  value::Value plain() const override;
  std::vector<value::StructField> json_members() const override;
  // A field, unexported ones too; null when there is none.
  const StructField* find(std::string_view name) const;

 private:

  const StructType& type_;
  std::vector<StructField> fields_;
  bool addressable_;  // reached through a pointer: methods on pointer receivers are there
};

value::Value make_struct(const StructType& type, std::vector<StructField> fields);

}  // namespace pintle::render
