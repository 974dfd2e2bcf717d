// First line: a constraint; the rest: a version to check against it.
#include <string_view>

#include "base/check.h"
#include "semver/semver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::semver;
  std::string_view all(reinterpret_cast<const char*>(data), size);
  size_t line = all.find('\n');
  auto constraint = Constraints::parse(all.substr(0, line));
  auto version = parse(line == std::string_view::npos ? all : all.substr(line + 1));
  // Normalising fills in parts, which may take a version over the limit of its own length.
  if (version && version->text().size() <= kMaxVersionLength) {
    auto again = parse(version->text());
    CHECK(again && compare(*again, *version) == 0);
  }
  if (constraint && version) {
    std::vector<std::string> reasons;
    bool good = constraint->check(*version);
    CHECK(good == constraint->validate(*version, &reasons));
    CHECK(good == reasons.empty());
  }
  return 0;
}
