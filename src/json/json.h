// JSON text <-> value, with Go's encoding/json rules and error texts.
//
// Own reader and writer (not simdjson): charts and scripts see Go's exact error wording and its
// number and escaping rules. Thread-safe: no state. Nesting deeper than 10,000 is an error
// ("exceeded max depth"), both ways.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::json {

inline constexpr size_t kMaxDepth = 10000;

enum class Numbers : uint8_t {
  kFloat64,  // json.Unmarshal into interface{}: every number a float64
  kExact,    // integers that fit become int64 (or uint64), the rest float64
  kLiteral,  // json.Number: every number keeps its text, as a kBytes value (JSON has no other bytes)
};

struct ReadOptions {
  Numbers numbers = Numbers::kFloat64;
};

// json.Unmarshal into interface{}. Duplicate keys: the last wins. Invalid UTF-8 becomes U+FFFD.
// Errors: Go's text ("invalid character 'x' looking for beginning of value", "unexpected end of
// JSON input", "json: cannot unmarshal number 1e999 into Go value of type float64").
Result<value::Value> read(std::string_view text, ReadOptions options = {});

// json.Unmarshal into map[string]interface{} / []interface{}: null gives a nil map or list; another
// type gives "json: cannot unmarshal array into Go value of type map[string]interface {}".
// `partial`, where given, is set to what Go leaves in the target when only a number was out of range
// (that entry is nil), else left alone.
Result<value::Value> read_map(std::string_view text, value::Value* partial = nullptr);
Result<value::Value> read_list(std::string_view text, value::Value* partial = nullptr);

// Reads one value at the start of text (json.Decoder): `used` is set to the bytes consumed.
// Errors as read, but "EOF" when there is nothing and "unexpected EOF" when the value is cut.
Result<value::Value> read_prefix(std::string_view text, size_t* used, ReadOptions options = {});

// The error of json.Unmarshal for a value that does not fit the Go type:
// "json: cannot unmarshal string into Go value of type T".
Error type_error(const value::Value& v, std::string_view go_type);

struct WriteOptions {
  bool escape_html = true;      // < > & as \u003c...
  std::string_view indent = {}; // "  " for MarshalIndent; empty: compact
  size_t max_bytes = SIZE_MAX;  // then it stops with an error of kOutOfRange
};

// encoding/json's Marshal: keys sorted, floats in Go's format, []byte as base64, objects through
// Object::plain. Error: "json: unsupported value: NaN" and kin.
Result<std::string> write(const value::Value& v, WriteOptions options = {});
Status append(std::string& out, const value::Value& v, WriteOptions options = {});

// One JSON string literal, quoted and escaped as Go does.
void append_string(std::string& out, std::string_view s, bool escape_html = true);
std::string quoted(std::string_view s);
// A float64 as encoding/json prints it (1e+21 style outside 1e-6..1e21).
void append_number(std::string& out, double d);

}  // namespace pintle::json
