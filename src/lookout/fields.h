// Fields: reading what an API object holds without trusting it: a missing step, another type or an
// absurd number is "" or 0. Inside this room only. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lookout/model.h"
#include "value/value.h"

namespace pintle::lookout {

using Path = std::initializer_list<std::string_view>;

const value::Value* value_at(const value::Value& v, Path path);  // null: a step is missing
std::string_view text_at(const value::Value& v, Path path);      // "" for what is no text
int64_t number_at(const value::Value& v, Path path);             // also of a text of digits
bool flag_at(const value::Value& v, Path path);
int64_t time_at(const value::Value& v, Path path);  // RFC 3339, in milliseconds
std::map<std::string, std::string> texts_at(const value::Value& v, Path path);  // cleaned

// Milliseconds since 1970; 0: no time, or none between 1970 and 2200.
int64_t time_ms(std::string_view rfc3339);

// apiVersion, kind and metadata's heads. `kind` is for items of lists, which lack it.
Subject subject_of(const value::Value& object, std::string_view group, std::string_view kind);

std::string subject_json(const Subject& s);  // kind, namespace and name always

std::string_view severity_name(Severity s);
std::optional<Severity> severity_of(std::string_view name);

std::string json_list(const std::vector<std::string>& items);           // ["a","b"]
std::string json_map(const std::map<std::string, std::string>& texts);  // {"a":"b"}

// A flat JSON object, put together in order; empty texts and zeros are left out.
class Data {
 public:
  Data& text(std::string_view name, std::string_view value);
  Data& number(std::string_view name, int64_t value);
  Data& raw(std::string_view name, std::string_view json);
  std::string take();

 private:
  std::string out_ = "{";
};

}  // namespace pintle::lookout
