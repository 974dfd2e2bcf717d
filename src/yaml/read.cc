// The readers: the quick way first, the thorough one when it stops.
#include "base/count.h"
#include "json/json.h"
#include "yaml/builder.h"
#include "yaml/decode.h"
#include "yaml/yaml.h"

namespace pintle::yaml {

using value::Type;
using value::Value;

namespace {

constexpr std::string_view kDecodingJson = "error unmarshaling JSON: while decoding JSON: ";

// A tree takes up to a hundred bytes for each value, and here is what begins one. Bytes of long texts
// in a document count too; a million of them are more than people and programs write.
constexpr size_t kMaxText = size_t{32} << 20, kMaxValues = size_t{1} << 20;

Result<Value> quickly(std::string_view text, bool exact, const Fields* fields) {
  if (fields == nullptr && text.size() > kMaxText) {
    return Error("yaml: document is too large", Code::kInvalidArgument);
  }
  if (fields == nullptr && more_than(text, ",[{:?-\n", kMaxValues)) {
    return Error("yaml: document has too many values", Code::kInvalidArgument);
  }
  Input input;
  prepare(text, input);
  Parser parser(input);
  Builder builder(exact, fields);
  switch (parser.run(builder)) {
    case Outcome::kDone:
    case Outcome::kEmpty: return builder.take();
    case Outcome::kFailed: return Error("yaml: " + parser.error(), Code::kInvalidArgument);
    case Outcome::kStopped: break;
  }
  return decode(input, {.exact = exact});
}

// What sigs yaml's Unmarshal says about an error of its conversion to JSON.
Result<Value> as_unmarshal(Result<Value> v) {
  if (v) return v;
  const Error& e = v.error();
  std::string text = e.code() == Code::kOutOfRange ? std::string(kDecodingJson)
                                                   : "error converting YAML to JSON: ";
  return Error(text + e.text(), Code::kInvalidArgument);
}

Result<Value> read_target(std::string_view text, Type type, std::string_view go_type) {
  Value v = TRY(read(text));
  if (v.is_nil()) return type == Type::kMap ? Value::map(value::make_map()) : Value::list_of({});
  if (v.is(type)) return v;
  return Error(std::string(kDecodingJson) + json::type_error(v, go_type).text(),
               Code::kInvalidArgument);
}

}  // namespace

Result<Value> read(std::string_view text) { return as_unmarshal(quickly(text, false, nullptr)); }

Result<Value> read_exact(std::string_view text) {
  return as_unmarshal(quickly(text, true, nullptr));
}

Result<Value> read_fields(std::string_view text, const Fields& fields) {
  return as_unmarshal(quickly(text, true, &fields));
}

Result<Value> read_map(std::string_view text) {
  return read_target(text, Type::kMap, "map[string]interface {}");
}

Result<Value> read_list(std::string_view text) {
  return read_target(text, Type::kList, "[]interface {}");
}

Result<Value> read_strict(std::string_view text) {
  Input input;
  prepare(text, input);
  return as_unmarshal(decode(input, {.exact = true, .strict = true}));
}

Result<std::string> to_json(std::string_view text, bool strict) {
  if (!strict) return json::write(TRY(quickly(text, true, nullptr)));
  Input input;
  prepare(text, input);
  return json::write(TRY(decode(input, {.exact = true, .strict = true})));
}

Fields::Fields(std::initializer_list<std::string_view> paths) {
  for (std::string_view path : paths) {
    Node* at = &root_;
    while (!path.empty()) {
      size_t dot = path.find('.');
      std::string_view name = path.substr(0, dot);
      path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
      Node* child = nullptr;
      for (Node& c : at->children) {
        if (c.name == name) child = &c;
      }
      at = child != nullptr ? child : &at->children.emplace_back(Node{std::string(name), {}});
    }
  }
}

}  // namespace pintle::yaml
