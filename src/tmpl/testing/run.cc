#include "tmpl/testing/run.h"

#include "tmpl/testing/functions.h"

namespace pintle::tmpl {

using value::Value;

std::string run(std::string_view text, const Value& data, Options options) {
  Set set(testing_functions());
  std::string out;
  if (auto parsed = set.parse("t", text); !parsed) return "ERR " + parsed.error().text();
  Vm vm(set, options);
  if (auto ran = vm.execute("t", data, out); !ran) return "ERR " + ran.error().text();
  return out;
}

Value sample() {
  auto inner = value::make_map();
  inner->set("k", value::str("v"));
  inner->set("n", Value());
  auto m = value::make_map();
  m->set("a", Value::number(1));
  m->set("m", Value::map(inner));
  m->set("l", Value::list_of({Value::number(1), value::str("two"), Value()}));
  m->set("s", value::str("str"));
  m->set("i", Value::integer(7));
  m->set("q", Value::strings({"p", "o"}));
  return Value::map(m);
}

}  // namespace pintle::tmpl
