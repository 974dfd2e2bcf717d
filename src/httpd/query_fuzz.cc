// Paths and queries of arbitrary bytes: what comes out never outgrows what went in, and text without
// escapes is kept.
#include <cstdint>
#include <cstdlib>

#include "httpd/query.h"

namespace {

void must(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::httpd;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto path = decode_path(text)) {
    size_t total = 0;
    for (const std::string& segment : *path) {
      must(segment.find('/') == std::string::npos);
      total += segment.size() + 1;
    }
    must(total <= size);
  }
  size_t total = 0;
  const Query query = parse_query(text);
  for (const auto& [name, value] : query) {
    must(find(query, name) != nullptr);
    total += name.size() + value.size();
  }
  must(total <= size);
  if (text.find('%') == std::string_view::npos) must(percent_decode(text) == text);
  return 0;
}
