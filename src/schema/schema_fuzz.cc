// A schema and the values it is for, split at the first NUL; references lead back to the schema.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/json.h"
#include "schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t nul = input.find('\0');
  const std::string_view schema = input.substr(0, nul);
  const auto values =
      json::read(nul == std::string_view::npos ? std::string_view("{}") : input.substr(nul + 1));
  if (!values) return 0;
  int left = 8;  // the real loader's 200 documents take seconds under sanitizers
  const schema::Loader loader = [schema, &left](const std::string&) -> Result<std::string> {
    if (left-- == 0) return Error("no such document");
    return std::string(schema);
  };
  (void)schema::validate(*values, schema, loader).has_value();
  return 0;
}
