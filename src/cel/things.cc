#include "cel/things.h"

#include "base/check.h"

namespace pintle::cel {

bool same_thing(const Val& a, const Val& b) {
  switch (a.kind) {
    case Kind::kUrl: return thing<UrlThing>(a).url.text() == thing<UrlThing>(b).url.text();
    case Kind::kQuantity: return thing<QuantityThing>(a).quantity.nano == thing<QuantityThing>(b).quantity.nano;
    case Kind::kSemver:
      return semver::compare(thing<SemverThing>(a).version, thing<SemverThing>(b).version) == 0;
    case Kind::kFormat: return thing<FormatThing>(a).format == thing<FormatThing>(b).format;
    case Kind::kIp:
    case Kind::kCidr: {
      const auto &x = thing<IpThing>(a), &y = thing<IpThing>(b);
      return x.v4 == y.v4 && x.bytes == y.bytes && x.prefix == y.prefix;
    }
    default: return false;
  }
}

uint64_t size_of_thing(const Val& v) {
  const auto& ip = thing<IpThing>(v);
  if (v.is(Kind::kCidr)) return static_cast<uint64_t>(ip.prefix + 7) / 8;
  return ip.v4 ? 4 : 16;
}

}  // namespace pintle::cel
