// Crypto, date and semver functions, and the objects they hand out.
#include "funcs/objects.h"

#include <gtest/gtest.h>

#include "funcs/families.h"
#include "value/func.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::Value;

Result<Value> run(const value::FuncDef* f, std::vector<Value> args) {
  Call call{args.data(), static_cast<uint32_t>(args.size()), nullptr, {}, nullptr};
  if (!f->fn(call)) return *call.error;
  return std::move(call.ret);
}

Result<Value> run(std::string_view name, std::vector<Value> args) {
  for (Family family : {crypto_family(), date_family(), semver_family()}) {
    for (const value::FuncDef& f : family) {
      if (f.name == name) return run(&f, std::move(args));
    }
  }
  return Error("no function " + std::string(name));
}

Result<Value> method(const Value& v, std::string_view name, std::vector<Value> args = {}) {
  const value::FuncDef* f = v.as_object()->method(name);
  if (f == nullptr) return Error("no method " + std::string(name));
  args.insert(args.begin(), v);
  return run(f, std::move(args));
}

std::string text(const Result<Value>& v) {
  if (!v) return "error: " + v.error().text();
  if (v->is_string()) return std::string(v->as_string());
  if (v->is(value::Type::kBool)) return v->as_bool() ? "true" : "false";
  if (v->is_int()) return std::to_string(v->as_int());
  if (v->is_uint()) return std::to_string(v->as_uint());
  if (v->is(value::Type::kFloat64)) return std::to_string(v->as_double());
  std::string out;
  if (v->is_object()) v->as_object()->print(out, false);
  return out;
}

Value s(std::string_view t) { return value::str(t); }

TEST(Rows, NamesOfMethodsAreSorted) {
  for (const Value& v : {make_time(Time()), make_duration(0), make_version({}),
                         *method(make_time(Time()), "Location")}) {
    EXPECT_NE(v.as_object()->method("String"), nullptr) << v.as_object()->go_type();
  }
  for (const char* name : {"Add", "AddDate", "In", "IsDST", "Sub", "UTC", "Unix", "YearDay"}) {
    EXPECT_NE(make_time(Time()).as_object()->method(name), nullptr) << name;
  }
}

TEST(DerivePassword, KnownVector) {
  EXPECT_EQ(text(run("derivePassword",
                     {Value::uint32(1), s("long"), s("password"), s("user"), s("example.com")})),
            "ZedaFaxcZaso9*");
  EXPECT_EQ(text(run("derivePassword", {Value::uint32(1), s("x"), s(""), s(""), s("")})),
            "cannot find password template x");
}

TEST(DecryptAes, ShortInputFailsAsGoDoes) {
  EXPECT_EQ(text(run("decryptAES", {s("k"), s("YWJj")})),
            "error: runtime error: slice bounds out of range [:16] with capacity 3");
  EXPECT_EQ(text(run("decryptAES", {s("k"), s("")})), "");
  auto sealed = run("encryptAES", {s("k"), s("text")});
  EXPECT_EQ(text(run("decryptAES", {s("k"), *sealed})), "text");
}

TEST(Random, AlphabetsAndBounds) {
  EXPECT_EQ(text(run("randAlpha", {Value::integer(-1)})), "");
  EXPECT_EQ(text(run("randNumeric", {Value::integer(500)})).find_first_not_of("0123456789"),
            std::string::npos);
  EXPECT_EQ(text(run("randAscii", {Value::integer(5000)})).size(), 5000u);
  EXPECT_FALSE(run("randAlphaNum", {Value::integer(INT64_MAX)}));
  EXPECT_FALSE(run("randBytes", {Value::integer(INT64_MAX)}));
  EXPECT_EQ(text(run("randBytes", {Value::integer(-1)})),
            "error: runtime error: makeslice: len out of range");
  EXPECT_EQ(text(run("randInt", {Value::integer(5), Value::integer(5)})),
            "error: invalid argument to Intn");
  EXPECT_EQ(text(run("randInt", {Value::integer(-1), Value::integer(0)})), "-1");
}

TEST(Certificates, BadNamesAreReportedInOrder) {
  auto list = [](std::vector<Value> v) { return Value::list_of(std::move(v)); };
  EXPECT_EQ(text(run("genSelfSignedCert",
                     {s("cn"), list({Value::integer(1)}), list({}), Value::integer(1)})),
            "error: error parsing ip: 1 is not a string");
  EXPECT_EQ(text(run("genSelfSignedCert",
                     {s("cn"), list({s("1.2.3")}), list({Value::integer(1)}), Value::integer(1)})),
            "error: error parsing ip: 1.2.3");
}

TEST(Dates, NumbersFromFilesMeanNow) {
  EXPECT_EQ(text(run("date", {s("2006-01-02"), Value::int64(0)})).substr(0, 2), "19");
  EXPECT_EQ(text(run("dateInZone", {s("15:04 MST"), Value::integer(0), s("Asia/Tokyo")})),
            "09:00 JST");
  EXPECT_EQ(text(run("dateInZone", {s("15:04 MST"), Value::integer(0), s("No/Where")})),
            "00:00 UTC");
  EXPECT_GT(text(run("date", {s("2006"), Value::number(0)})), "2000");
  EXPECT_EQ(text(run("duration", {s("99999999999999999999")})), "-1s");
  EXPECT_EQ(text(run("durationRound", {s("-90m")})), "1h");
}

TEST(Dates, NowCarriesAMonotonicReading) {
  EXPECT_NE(text(run("now", {})).find(" m=+"), std::string::npos);
  EXPECT_EQ(text(method(*run("now", {}), "UTC")).find(" m="), std::string::npos);
}

TEST(Durations, SecondsInAnyShape) {
  EXPECT_EQ(text(run("mustToDuration", {s(" 2.5 ")})), "2.5s");
  EXPECT_EQ(text(run("mustToDuration", {Value::number(90)})), "1m30s");
  EXPECT_EQ(text(run("mustToDuration", {Value::number(9223372036.9)})),
            "error: duration seconds overflow: 9.2233720369e+09");
  EXPECT_EQ(text(run("mustToDuration", {Value::list_of({})})),
            "error: unsupported duration type []interface {}");
  EXPECT_EQ(text(run("mustToDuration", {Value::nil()})), "error: invalid duration");
  EXPECT_EQ(text(run("durationHours", {s("90m")})), "1.500000");
  EXPECT_EQ(text(run("durationRoundTo", {s("90s"), s("1m")})), "2m0s");
  EXPECT_EQ(text(method(make_duration(90 * kSecond), "Minutes")), "1.500000");
}

TEST(Semver, PointerAndStructHaveTheirMethods) {
  const Value v = *run("semver", {s("v1.2.3-rc.1")});
  EXPECT_EQ(text(method(v, "Original")), "v1.2.3-rc.1");
  const Value next = *method(v, "IncPatch");
  EXPECT_EQ(text(next), "1.2.3");
  EXPECT_EQ(next.as_object()->go_type(), "semver.Version");
  EXPECT_EQ(text(method(next, "Original")), "error: no method Original");
  EXPECT_EQ(text(method(v, "Compare", {*run("semver", {s("1.2.3")})})), "-1");
  EXPECT_EQ(text(method(v, "LessThan", {Value::nil()})),
            "error: runtime error: invalid memory address or nil pointer dereference");
  EXPECT_EQ(text(run("semverCompare", {s(">=1.2-0"), s("v1.2.3-rc.1")})), "true");
}

}  // namespace
}  // namespace pintle::funcs
