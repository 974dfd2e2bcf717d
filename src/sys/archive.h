// gzip and tar, both ways, as Go's archive/tar and compress/gzip read and write them.
// Reading is bounded by `max_bytes` of decompressed data. Names are handed over as they stand in the
// archive: what is allowed is the caller's policy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::sys {

// Error: Go's gzip texts ("gzip: invalid header", "unexpected EOF"); kResourceExhausted past max_bytes.
Result<std::string> gunzip(std::string_view data, size_t max_bytes);
struct GzipHeader {
  std::string comment;
  std::string extra;
};
std::string gzip(std::string_view data, const GzipHeader& header = {});

struct TarEntry {
  std::string name;
  char type = '0';  // '0' file, '5' directory, '2' symlink, '1' hard link, '3' '4' devices, 'g' global pax ...
  uint32_t mode = 0;
  int64_t mod_time = 0;  // unix nanoseconds
  std::string link;
  std::string_view data;  // into the tar bytes
};
// Calls on_entry for each member in order (pax and GNU long names resolved). Go's error texts
// ("archive/tar: invalid tar header", "unexpected EOF").
Status read_tar(std::string_view tar, const std::function<Status(const TarEntry&)>& on_entry);
void append_tar(std::string& out, const TarEntry& entry);  // ustar, pax where a field does not fit
void finish_tar(std::string& out);

}  // namespace pintle::sys
