// Any text as a URL. The first byte chooses what the host resolves to. What passes without an
// allowance must lead to a public address, over https or mail, on an allowed port.
#include <arpa/inet.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lookout/deliver/guard.h"

namespace {

// Written apart from the guard's own tables.
bool is_private(uint32_t a) {
  const uint32_t top = a >> 24;
  return top == 0 || top == 10 || top == 127 || top >= 224 || a >> 16 == 0xc0a8 ||
         a >> 16 == 0xa9fe || a >> 20 == 0xac1;
}

bool is_private(const std::string& text) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return is_private(ntohl(v4.s_addr));
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return true;
  const uint8_t* b = v6.s6_addr;
  const auto v4_at = [&](int i) {
    return static_cast<uint32_t>(b[i]) << 24 | b[i + 1] << 16 | b[i + 2] << 8 | b[i + 3];
  };
  static const uint8_t kNat64[12] = {0, 0x64, 0xff, 0x9b};
  if (std::memcmp(b, kNat64, sizeof kNat64) == 0) return is_private(v4_at(12));
  if (b[0] == 0x20 && b[1] == 0x02) return is_private(v4_at(2));
  return b[0] >> 5 != 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::lookout;
  if (size == 0) return 0;
  static const char* const kAddresses[] = {"198.51.100.7", "127.0.0.1",     "::ffff:10.0.0.1",
                                           "2606:4700::1", "2002:7f00:1::", "nonsense"};
  const char* address = kAddresses[data[0] % std::size(kAddresses)];
  const std::string_view url(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto target =
      check_url(url, {}, [&](const std::string&) { return std::vector<std::string>{address}; });
  if (!target) return 0;
  const int p = target->port;
  for (const std::string& address : target->addresses) {
    if (is_private(address)) std::abort();
  }
  if (p != 443 && p != 8443 && p != 25 && p != 465 && p != 587) std::abort();
  if (target->host.empty()) std::abort();
  return 0;
}
