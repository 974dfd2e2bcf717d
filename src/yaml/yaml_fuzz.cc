// Any bytes: no crash; the quick reader, the thorough one and the reader of fields agree; what reads
// must survive being written and read again.
#include <cstdint>

#include "base/check.h"
#include "json/json.h"
#include "yaml/decode.h"
#include "yaml/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto quick = yaml::to_json(text);
  yaml::Input input;
  yaml::prepare(text, input);
  auto thorough = yaml::decode(input, {});
  CHECK(quick.has_value() == thorough.has_value());
  static const yaml::Fields fields = {"kind", "metadata.name"};
  CHECK(yaml::read_fields(text, fields).has_value() == yaml::read_exact(text).has_value());
  if (!quick) {
    CHECK(quick.error().text() == thorough.error().text());
    return 0;
  }
  CHECK(*quick == json::write(*thorough).value());
  auto v = yaml::read(text);
  if (!v) return 0;
  auto pretty = yaml::write_v3(*v);
  CHECK(pretty);
  auto out = yaml::write(*v);
  if (!out) return 0;  // characters that do not survive the way through JSON
  if (out->find("<<") != std::string::npos) return 0;  // written plain, it reads as a merge key
  auto again = yaml::read(*out);
  CHECK(again);
  CHECK(yaml::write(*again).value_or("") == *out);
  return 0;
}
