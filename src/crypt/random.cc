// Randomness straight from the kernel: OpenSSL's generator costs a provider fetch and a seeding at
// first use, and gives nothing more.
#include <sys/random.h>

#include <cerrno>

#include "base/check.h"
#include "crypt/crypt.h"

namespace pintle::crypt {

std::string random_bytes(size_t n) {
  std::string out(n, '\0');
  for (size_t done = 0; done < n;) {
    ssize_t got = getrandom(out.data() + done, n - done, 0);
    if (got < 0 && errno == EINTR) continue;
    CHECK(got > 0);  // cannot fail otherwise on a kernel that has it
    done += static_cast<size_t>(got);
  }
  return out;
}

uint64_t random_below(uint64_t bound) {
  CHECK(bound > 0);
  // The largest multiple of bound that fits; draws at or above it would favour small results.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  static thread_local std::string pool;
  while (true) {
    if (pool.size() < sizeof(uint64_t)) pool = random_bytes(512);
    uint64_t draw;
    pool.copy(reinterpret_cast<char*>(&draw), sizeof draw, pool.size() - sizeof draw);
    pool.resize(pool.size() - sizeof draw);
    if (draw < limit) return draw % bound;
  }
}

std::string uuid_v4() {
  std::string raw = random_bytes(16);
  raw[6] = static_cast<char>((raw[6] & 0x0f) | 0x40);
  raw[8] = static_cast<char>((raw[8] & 0x3f) | 0x80);
  std::string out = hex(raw);
  for (size_t at : {8, 13, 18, 23}) out.insert(at, 1, '-');
  return out;
}

}  // namespace pintle::crypt
