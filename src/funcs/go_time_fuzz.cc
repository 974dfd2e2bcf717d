// First line a layout, second line a text to read by it; the rest a TZif file.
#include <string_view>

#include "base/check.h"
#include "funcs/go_time.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::funcs;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  auto line = [&] {
    const size_t end = rest.find('\n');
    std::string_view out = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return out;
  };
  const std::string_view layout = line(), text = line();
  if (auto d = parse_duration(text)) CHECK(parse_duration(duration_text(*d)) == *d);
  // A zone is kept for the process, so the fuzzer's own may not be; UTC stands in for parsing.
  auto t = parse_time(layout, text, Zone::utc());
  if (t) {
    (void)t->format(layout);
    (void)t->text();
    (void)t->rfc3339();
  }
  if (auto zone = Zone::parse("x", rest)) {
    const Time moment{t ? t->epoch : 4102444800, 0, &*zone, std::nullopt};
    (void)moment.format(layout);
    (void)moment.add_date(1, -13, 400);
    (void)zone->offset_of(text, moment.epoch);
  }
  return 0;
}
