#include "tmpl/testing/functions.h"

#include <algorithm>
#include <cctype>

#include "base/gotext.h"
#include "base/strings.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {

namespace {

using value::Call;
using value::Value;

Vm& vm(Call& c) { return *static_cast<Vm*>(c.machine); }

bool add(Call& c) {
  int64_t sum = 0;
  for (const Value& v : c.all()) {
    if (v.is_int()) sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + v.as_uint());
  }
  return c.give(Value::int64(sum));
}

bool dict(Call& c) {
  auto m = value::make_map();
  for (uint32_t i = 0; i + 1 < c.count; i += 2) {
    if (c[i].is_string()) m->set(c[i].str(), c[i + 1]);
  }
  return c.give(Value::map(m));
}

bool fail(Call& c) { return c.fail(std::string(c[0].as_string())); }

bool include(Call& c) {
  auto text = vm(c).include(c[0].as_string(), c[1]);
  if (!text) return c.fail(text.error());
  return c.give(std::move(*text));
}

std::string indented(int64_t n, std::string_view s) {
  std::string pad(static_cast<size_t>(std::clamp<int64_t>(n, 0, 100)), ' ');
  return pad + replace_all(s, "\n", "\n" + pad);
}

bool indent(Call& c) { return c.give(value::str(indented(c[0].as_int(), c[1].as_string()))); }
bool nindent(Call& c) {
  return c.give(value::str("\n" + indented(c[0].as_int(), c[1].as_string())));
}

bool to_int(Call& c) {
  if (c[0].is(value::Type::kFloat64)) {
    return c.give(Value::integer(static_cast<int64_t>(std::clamp(c[0].as_double(), -1e9, 1e9))));
  }
  return c.give(c[0].is_int() ? Value::integer(c[0].as_int()) : Value::integer(0));
}

bool list(Call& c) { return c.give(Value::list_of({c.all().begin(), c.all().end()})); }
bool need_int(Call& c) { return c.give(c[0]); }

bool set(Call& c) {
  if (c[0].as_map() == nullptr) return c.fail("assignment to entry in nil map");
  c[0].as_map()->set(c[1].str(), c[2]);
  return c.give(c[0]);
}

bool tpl(Call& c) {
  std::string out;
  auto status = vm(c).run_text(c[0].as_string(), c[1], out);
  if (!status) {
    return c.fail(Error::with_cause(cat("error during tpl function execution for ",
                                        quote(c[0].as_string()), ": ", status.error().text()),
                                    status.error()));
  }
  return c.give(value::str(out));
}

bool upper(Call& c) { return c.give(value::str(to_upper(c[0].as_string()))); }

constexpr value::FuncDef kRows[] = {
    {"add", "v*", add},     {"dict", "v*", dict},        {"fail", "s", fail},
    {"include", "sv", include}, {"indent", "is", indent}, {"int", "v", to_int},
    {"list", "v*", list},   {"need_int", "i", need_int}, {"nindent", "is", nindent},
    {"set", "msv", set},    {"tpl", "sv", tpl},          {"upper", "s", upper},
};

}  // namespace

std::span<const value::FuncDef> testing_functions() { return kRows; }

}  // namespace pintle::tmpl
