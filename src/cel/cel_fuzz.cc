// An expression, compiled and run over a small object with every kind of field.
#include <cstdint>
#include <memory>
#include <string_view>

#include "cel/cel.h"

namespace {

using namespace pintle;
using Kind = cel::Schema::Kind;

std::unique_ptr<cel::Schema> of(Kind kind, std::unique_ptr<cel::Schema> item = nullptr) {
  auto out = std::make_unique<cel::Schema>();
  out->kind = kind;
  out->item = std::move(item);
  return out;
}

const cel::Schema& schema() {
  static const std::unique_ptr<cel::Schema> all = [] {
    auto out = of(Kind::kObject);
    out->add("i", of(Kind::kInt));
    out->add("n", of(Kind::kDouble));
    out->add("s", of(Kind::kString));
    out->add("b", of(Kind::kBool));
    out->add("p", of(Kind::kIntOrString));
    out->add("t", of(Kind::kDateTime));
    out->add("d", of(Kind::kDuration));
    out->add("l", of(Kind::kList, of(Kind::kInt)));
    out->add("m", of(Kind::kMap, of(Kind::kString)));
    auto set = of(Kind::kList, of(Kind::kString));
    set->list = cel::Schema::List::kSet;
    out->add("e", std::move(set));
    return out;
  }();
  return *all;
}

value::Value object() {
  using value::Value;
  value::MapBuilder m, out;
  m.add(value::Str("k"), value::str("v"));
  out.add(value::Str("i"), Value::int64(7));
  out.add(value::Str("n"), Value::number(1.5));
  out.add(value::Str("s"), value::str("h\u00e9llo"));
  out.add(value::Str("b"), Value::boolean(true));
  out.add(value::Str("p"), value::str("80%"));
  out.add(value::Str("t"), value::str("2024-02-29T12:34:56+01:00"));
  out.add(value::Str("d"), value::str("1h"));
  out.add(value::Str("l"), Value::list_of({Value::int64(1), Value::int64(2), value::str("odd")}));
  out.add(value::Str("m"), Value::map(m.finish()));
  out.add(value::Str("e"), Value::list_of({value::str("x"), value::str("y")}));
  return Value::map(out.finish());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto program = cel::compile({reinterpret_cast<const char*>(data), size}, schema());
  if (!program) return 0;
  const value::Value self = object();
  cel::Budget budget{.left = 100'000};
  (void)cel::evaluate(*program, {.self = &self, .old_self = &self}, budget);
  return 0;
}
