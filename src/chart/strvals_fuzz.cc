// Any bytes as a --set line, under each of the five grammars: an answer or an error, never a crash.
#include <cstdint>
#include <string_view>

#include "chart/strvals.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace strvals = pintle::chart::strvals;
  std::string_view line(reinterpret_cast<const char*>(data), size);
  auto dest = pintle::value::make_map();
  auto read = [](std::string_view path) -> pintle::Result<std::string> {
    if (path.empty()) return pintle::Error("open : no such file or directory");
    return std::string(path);
  };
  for (bool helm3 : {false, true}) {
    (void)strvals::parse_into(line, *dest, helm3);
    (void)strvals::parse_into_string(line, *dest, helm3);
    (void)strvals::parse_literal_into(line, *dest, helm3);
    (void)strvals::parse_json_into(line, *dest, helm3);
    (void)strvals::parse_file_into(line, *dest, read, helm3);
  }
  return 0;
}
