// One recorded case: what it is given, and whether our result equals the recorded one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::conformance {

struct Outcome {
  enum class Kind { kPass, kFail, kSkip } kind = Kind::kPass;
  std::string detail;  // the difference, or the reason of the skip

  static Outcome pass() { return {}; }
  static Outcome fail(std::string why) { return {Kind::kFail, std::move(why)}; }
  static Outcome skip(std::string why) { return {Kind::kSkip, std::move(why)}; }
};

// A case of a file, with the file's meta and fixtures beside it.
struct Case {
  const value::Value& meta;
  const value::Value& fixtures;
  const value::Value& fields;

  const value::Value* find(std::string_view key) const { return fields.get(key); }
  std::string_view text(std::string_view key) const;  // "" when absent
  bool flag(std::string_view key) const;
  bool wants_error() const { return find("error") != nullptr || find("error_b64") != nullptr; }
  // `expected` or `expected_b64` (or the error's twins) as bytes; nullopt when it is not a string.
  std::optional<std::string> expected_text() const;
  std::string expected_error() const;

  Outcome compare_text(const Result<std::string>& got) const;
  Outcome compare_value(const Result<value::Value>& got) const;
  Outcome compare_error(const Error& got) const;
};

Outcome run_template(const Case& c);      // rendered through the engine
Outcome run_raw_template(const Case& c);  // plain text/template
Outcome run_coalesce(const Case& c, bool merge);
Outcome run_strvals(const Case& c);
bool is_strvals_kind(std::string_view kind);
Outcome run_text_format(const Case& c);   // YAML, JSON, values files, manifests

Outcome run_case(const Case& c);

// Values with Go's types spelled out, as the strvals cases record them: {"a":int64(1)}.
std::string typed(const value::Value& v);

}  // namespace pintle::conformance
