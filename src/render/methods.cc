// Methods of .Values (common.Values) and .Files (engine.files).
#include <algorithm>
#include <span>

#include "base/path.h"
#include "base/strings.h"
#include "chart/values.h"
#include "crypt/crypt.h"
#include "render/glob.h"
#include "render/objects.h"
#include "yaml/yaml.h"

namespace pintle::render {

using value::Call;
using value::FuncDef;
using value::MapBuilder;
using value::Str;
using value::Type;
using value::Value;

namespace {

// ---- .Values ----

bool values_yaml(Call& call) {
  auto text = yaml::write(call[0]);
  if (!text) return call.fail(std::move(text).error());
  return call.give(value::str(*text));
}

bool values_table(Call& call) {
  auto v = chart::table(call[0], call[1].as_string());
  if (!v) return call.fail(std::move(v).error());
  return call.give(std::move(*v));
}

bool values_as_map(Call& call) {
  if (call[0].length() == 0) return call.give(Value::map(value::make_map()));
  return call.give(Value::map(call[0].map_ref()));
}

bool values_path_value(Call& call) {
  auto v = chart::path_value(call[0], call[1].as_string());
  if (!v) return call.fail(std::move(v).error());
  return call.give(std::move(*v));
}

// Encode wants an io.Writer, which no template has.
bool values_encode(Call& call) {
  return call.fail("wrong type for value; expected io.Writer");
}

constexpr FuncDef kValuesMethods[] = {
    {"AsMap", "", values_as_map},          {"Encode", "v", values_encode},
    {"PathValue", "s", values_path_value}, {"Table", "s", values_table},
    {"YAML", "", values_yaml},
};

// ---- .Files ----

const Value* file(const Call& call) {
  const Value* bytes = call[0].get(call[1].as_string());
  return bytes != nullptr && bytes->is(Type::kBytes) ? bytes : nullptr;
}

bool files_get(Call& call) {
  const Value* bytes = file(call);
  return call.give(bytes != nullptr ? Value::string(bytes->str()) : value::str(""));
}

bool files_get_bytes(Call& call) {
  const Value* bytes = file(call);
  return call.give(bytes != nullptr ? *bytes : Value::bytes(Str()));
}

bool files_glob(Call& call) {
  auto glob = Glob::compile(call[1].as_string());
  auto out = value::make_map();
  if (call[0].as_map() != nullptr) {
    for (const auto& entry : *call[0].as_map()) {
      if (!glob || glob->match(entry.key)) out->entries().push_back(entry);
    }
  }
  return call.give(Value::map(out, Type::kFiles));
}

// One trailing newline is not a line of its own; a missing or empty file has no lines.
bool files_lines(Call& call) {
  std::vector<Value> lines;
  const Value* bytes = file(call);
  if (bytes != nullptr && !bytes->as_string().empty()) {
    for (auto line : split(without_suffix(bytes->as_string(), "\n"), "\n")) {
      lines.push_back(value::str(line));
    }
  }
  return call.give(Value::list_of(std::move(lines), Type::kStringList));
}

// base name -> what `make` gives, as YAML. Of files with one base name the last by path counts;
// Helm leaves that to chance.
template <typename Make>
bool files_as_yaml(Call& call, Make make) {
  if (call[0].as_map() == nullptr) return call.give(value::str(""));
  MapBuilder out;
  for (const auto& [name, bytes] : *call[0].as_map()) {
    out.add(Str(path::base(name)), Value::string(make(bytes)));
  }
  auto text = yaml::write(Value::map(out.finish()));
  if (!text) return call.give(value::str(""));
  return call.give(value::str(without_suffix(*text, "\n")));
}

bool files_as_config(Call& call) {
  return files_as_yaml(call, [](const Value& bytes) { return bytes.str(); });
}

bool files_as_secrets(Call& call) {
  return files_as_yaml(call, [](const Value& bytes) {
    return Str(crypt::base64_encode(bytes.as_string()));
  });
}

constexpr FuncDef kFilesMethods[] = {
    {"AsConfig", "", files_as_config}, {"AsSecrets", "", files_as_secrets},
    {"Get", "s", files_get},           {"GetBytes", "s", files_get_bytes},
    {"Glob", "s", files_glob},         {"Lines", "s", files_lines},
};

const FuncDef* find(std::span<const FuncDef> methods, std::string_view name) {
  auto it = std::find_if(methods.begin(), methods.end(),
                         [&](const auto& m) { return m.name == name; });
  return it == methods.end() ? nullptr : &*it;
}

}  // namespace

const FuncDef* values_method(std::string_view name) { return find(kValuesMethods, name); }
const FuncDef* files_method(std::string_view name) { return find(kFilesMethods, name); }

}  // namespace pintle::render
