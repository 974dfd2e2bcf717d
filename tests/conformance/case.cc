#include "case.h"

#include "base/gotext.h"
#include "crypt/crypt.h"
#include "json/json.h"

namespace pintle::conformance {

using value::Type;
using value::Value;

namespace {

std::string json_or_error(const Value& v) {
  auto text = json::write(v, {.escape_html = false, .indent = {}});
  return text ? *text : "<" + text.error().text() + ">";
}

std::string difference(std::string_view want, std::string_view got) {
  size_t at = 0;
  while (at < want.size() && at < got.size() && want[at] == got[at]) ++at;
  return "  want " + quote(want) + "\n  got  " + quote(got) + "\n  first difference at byte " +
         std::to_string(at);
}

std::string base64(const Value& v) {
  auto bytes = crypt::base64_decode(v.as_string());
  return bytes ? *bytes : std::string();
}

}  // namespace

std::string_view Case::text(std::string_view key) const {
  const Value* v = find(key);
  return v != nullptr && v->is_string() ? v->as_string() : std::string_view();
}

bool Case::flag(std::string_view key) const {
  const Value* v = find(key);
  return v != nullptr && v->is(Type::kBool) && v->as_bool();
}

std::optional<std::string> Case::expected_text() const {
  if (const Value* v = find("expected_b64")) return base64(*v);
  const Value* v = find("expected");
  if (v == nullptr || !v->is_string()) return std::nullopt;
  return std::string(v->as_string());
}

std::string Case::expected_error() const {
  if (const Value* v = find("error_b64")) return base64(*v);
  return std::string(text("error"));
}

Outcome Case::compare_error(const Error& got) const {
  if (!wants_error()) return Outcome::fail("  unexpected error: " + got.text());
  if (expected_error() == got.text()) return Outcome::pass();
  return Outcome::fail(difference(expected_error(), got.text()));
}

Outcome Case::compare_text(const Result<std::string>& got) const {
  if (!got) return compare_error(got.error());
  if (wants_error()) {
    return Outcome::fail("  want error " + quote(expected_error()) + "\n  got  " + quote(*got));
  }
  auto want = expected_text();
  if (!want) return Outcome::fail("  the case expects no text");
  if (*want == *got) return Outcome::pass();
  return Outcome::fail(difference(*want, *got));
}

Outcome Case::compare_value(const Result<Value>& got) const {
  if (!got) return compare_error(got.error());
  if (wants_error()) {
    return Outcome::fail("  want error " + quote(expected_error()) + "\n  got  " +
                         json_or_error(*got));
  }
  const Value* want = find("expected");
  if (want == nullptr) return Outcome::fail("  the case expects nothing");
  // Recorded numbers are float64s: an int64 of ours is compared as one.
  std::string a = json_or_error(*want), b = json_or_error(*got);
  if (auto as_recorded = json::read(b)) b = json_or_error(*as_recorded);
  if (a == b) return Outcome::pass();
  return Outcome::fail(difference(a, b));
}

Outcome run_case(const Case& c) {
  std::string_view kind = c.text("kind");
  if (kind.empty() && c.find("template") == nullptr && c.find("chart") == nullptr) {
    return Outcome::skip("no kind and no template");
  }
  if (kind.empty()) return run_template(c);
  if (kind == "raw_template") return run_raw_template(c);
  if (kind == "coalesce_values" || kind == "merge_values") {
    return run_coalesce(c, kind == "merge_values");
  }
  if (is_strvals_kind(kind)) return run_strvals(c);
  return run_text_format(c);
}

}  // namespace pintle::conformance
