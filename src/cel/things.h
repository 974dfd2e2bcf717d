// The types Kubernetes adds to CEL, as values hold them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/url.h"
#include "cel/quantity.h"
#include "cel/val.h"
#include "semver/semver.h"

namespace pintle::cel {

struct UrlThing : Thing {
  Url url;
};
struct QuantityThing : Thing {
  Quantity quantity;
  bool whole = true;      // written without a fraction
  bool computed = false;  // by add or sub
};
struct IpThing : Thing {  // and a network, by its address and prefix
  std::array<uint8_t, 16> bytes{};
  bool v4 = false;
  int prefix = 0;
};
struct SemverThing : Thing {
  semver::Version version;
};
// A format's name and what checking it costs.
struct NamedFormat {
  std::string_view name;
  size_t expression_size;
};
struct FormatThing : Thing {
  const NamedFormat* format = nullptr;
};

template <typename T>
const T& thing(const Val& v) {
  return static_cast<const T&>(*v.thing);
}

bool same_thing(const Val& a, const Val& b);  // of one kind
uint64_t size_of_thing(const Val& v);         // of an address or network: its bytes
std::string address_text(const IpThing& ip);

}  // namespace pintle::cel
