// Watch frames, lists and objects from hostile servers. The first byte says how the rest is cut;
// what is found must not depend on the cut, and what the readers pass on as an object must read as
// JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "informer/frames.h"
#include "informer/object.h"
#include "informer/scan.h"
#include "json/json.h"

namespace {

using namespace pintle;
using namespace pintle::informer;

void require(bool good) {
  if (!good) abort();
}

template <typename Reader>
std::vector<std::string> read_all(std::string_view text, size_t step, size_t max = 1 << 16) {
  Reader reader(max);
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += step) {
    reader.feed(text.substr(at, step));
    auto next = reader.next();
    for (; next && *next; next = reader.next()) {
      require(reader.cut() || (*next)->size() <= max);
      out.emplace_back(**next);
    }
    if (!next) {
      out.emplace_back("error");
      break;
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > (1 << 13)) return 0;
  const size_t step = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto frames = read_all<FrameReader>(text, step);
  require(frames == read_all<FrameReader>(text, text.size() + 1));
  require(read_all<ListReader>(text, step) == read_all<ListReader>(text, text.size() + 1));
  constexpr size_t kShort = 48;
  require(read_all<FrameReader>(text, step, kShort) ==
          read_all<FrameReader>(text, text.size() + 1, kShort));
  require(read_all<ListReader>(text, step, kShort) ==
          read_all<ListReader>(text, text.size() + 1, kShort));
  for (const std::string& frame : frames) {
    if (auto o = Object::parse(frame)) {
      require((*o)->text() == frame && !(*o)->name().empty());
      require(json::read(frame, {json::Numbers::kLiteral}).has_value());
      require(Object::heads_of(**o)->key() == (*o)->key());
      if (auto lean = drop_managed_fields()(frame)) require(Object::parse(*lean).has_value());
    }
  }
  Scan scan(text);
  scan.take();
  if (scan.ok() && scan.at_end()) require(json::read(text, {json::Numbers::kLiteral}).has_value());
  return 0;
}
