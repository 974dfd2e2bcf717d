// Any bytes as a template, under two names: lexer, parser, compiler, VM, tpl of the text itself.
// Bounded, so that what is found is a crash, not a long loop.
#include <cstdint>

#include "tmpl/testing/functions.h"
#include "tmpl/tmpl.h"

using namespace pintle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  tmpl::Set set(tmpl::testing_functions());
  if (!set.parse("t", text) || !set.parse("u", text)) return 0;

  auto inner = value::make_map();
  inner->set("k", value::str("v"));
  inner->set("n", value::Value());
  auto data = value::make_map();
  data->set("a", value::Value::number(1.5));
  data->set("l", value::Value::list_of({value::Value::integer(1), value::str("x"), {}}));
  data->set("m", value::Value::map(inner));
  data->set("s", value::str(text));
  tmpl::Options options;
  options.max_output = 1 << 16;
  options.max_steps = 20'000;
  options.max_depth = 500;
  tmpl::Vm vm(set, options);
  std::string out;
  (void)vm.execute("t", value::Value::map(data), out);
  (void)vm.execute("u", value::Value::map(data), out);
  out.clear();
  (void)vm.run_text(text, value::Value::map(data), out);
  data->clear();
  inner->clear();
  return 0;
}
