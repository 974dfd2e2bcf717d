// --set and its kin: the resulting map, its Go types, and what is left behind by an error.
#include "base/gotext.h"
#include "case.h"
#include "chart/strvals.h"
#include "json/json.h"

namespace pintle::conformance {

using value::Type;
using value::Value;
namespace strvals = chart::strvals;

namespace {

void append_typed(std::string& out, const Value& v) {
  switch (v.type()) {
    case Type::kNil: out += "null"; return;
    case Type::kBool: out += v.as_bool() ? "true" : "false"; return;
    case Type::kString: json::append_string(out, v.as_string()); return;
    case Type::kInt64: out += "int64(" + std::to_string(v.as_int()) + ")"; return;
    case Type::kFloat64:
      out += "float64(";
      append_float_v(out, v.as_double());
      out += ")";
      return;
    default: break;
  }
  if (v.is_list()) {
    out += "[";
    bool first = true;
    for (const auto& item : v.items()) {
      if (!first) out += ",";
      first = false;
      append_typed(out, item);
    }
    out += "]";
    return;
  }
  if (v.is_map() && v.as_map() != nullptr) {
    out += "{";
    bool first = true;
    for (const auto& [key, item] : *v.as_map()) {
      if (!first) out += ",";
      first = false;
      json::append_string(out, key.view());
      out += ":";
      append_typed(out, item);
    }
    out += "}";
    return;
  }
  out += value::go_type(v);
}

Status parse(const Case& c, value::Map& dest) {
  std::string_view kind = c.text("kind"), line = c.text("input");
  if (kind == "set") return strvals::parse_into(line, dest);
  if (kind == "set_string") return strvals::parse_into_string(line, dest);
  if (kind == "set_literal") return strvals::parse_literal_into(line, dest);
  if (kind == "set_json") return strvals::parse_json_into(line, dest);
  auto read = [&](std::string_view path) -> Result<std::string> {
    const Value* files = c.find("files");
    const Value* file = files != nullptr ? files->get(path) : nullptr;
    if (file != nullptr) return std::string(file->as_string());
    return Error(Code::kNotFound,
                 "open " + std::string(path) + ": no such file or directory");
  };
  return strvals::parse_file_into(line, dest, read);
}

Outcome compare_typed(std::string_view want, const Value& got) {
  std::string text = typed(got);
  if (want == text) return Outcome::pass();
  return Outcome::fail("  want " + std::string(want) + "\n  got  " + text);
}

}  // namespace

std::string typed(const Value& v) {
  std::string out;
  append_typed(out, v);
  return out;
}

bool is_strvals_kind(std::string_view kind) {
  return kind == "set" || kind == "set_string" || kind == "set_literal" || kind == "set_json" ||
         kind == "set_file" || kind == "to_yaml";
}

Outcome run_strvals(const Case& c) {
  if (c.text("kind") == "to_yaml") return c.compare_text(strvals::to_yaml(c.text("input")));
  const Value* base = c.find("base");
  Value dest = base != nullptr ? value::deep_copy(*base) : Value::map(value::make_map());
  Status status = parse(c, *dest.as_map());
  if (!status) {
    Outcome outcome = c.compare_error(status.error());
    const Value* partial = c.find("partial_typed");
    if (outcome.kind != Outcome::Kind::kPass || partial == nullptr) return outcome;
    return compare_typed(partial->as_string(), dest);
  }
  Outcome outcome = c.compare_value(dest);
  const Value* want = c.find("typed");
  if (outcome.kind != Outcome::Kind::kPass || want == nullptr) return outcome;
  return compare_typed(want->as_string(), dest);
}

}  // namespace pintle::conformance
