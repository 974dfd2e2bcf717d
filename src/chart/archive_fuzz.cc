// Chart archives: gzip, tar, names, metadata, values. An input that is no gzip stream is taken as
// the tar inside one, so that the fuzzer gets past the checksum.
#include <cstdint>

#include "chart/load.h"
#include "sys/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 * 1024) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)pintle::chart::load_archive(bytes);
  if (!bytes.starts_with("\x1f\x8b")) (void)pintle::chart::load_archive(pintle::sys::gzip(bytes));
  return 0;
}
