// tar as Go's archive/tar reads and writes it: V7, ustar, star, pax, GNU long names, base-256
// numbers. Sparse members are refused. Names are handed over as they stand in the archive: what is
// allowed is the caller's policy. An archive that ends inside a member's padding is cut short and
// refused, though Go forgives it. Thread-safe; data is viewed, never copied.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::sys {

struct TarEntry {
  std::string name;
  char type = '0';  // '0' file, '5' directory, '2' symlink, '1' hard link, '3' '4' devices, 'g' pax
  int64_t mode = 0;
  int64_t mod_time = 0;  // unix nanoseconds
  int64_t size = 0;      // as the header says; data may be shorter (see `cut`)
  std::string link;
  std::string_view data;  // into the tar bytes
  bool cut = false;       // the archive ends inside data

  bool is_directory() const { return type == '5' || (mode & 040000) != 0; }
};

// Calls on_entry for each member in order, up to the end marker or the end of the bytes.
// `after`: what a stream the bytes came from says behind its last byte (null: it just ends); it is
// returned where more bytes were needed. Error: Go's texts ("archive/tar: invalid tar header",
// "archive/tar: header field too long", "unexpected EOF"), or on_entry's.
Status read_tar(std::string_view tar, const std::function<Status(const TarEntry&)>& on_entry,
                const Error* after = nullptr);

// Byte for byte what Go writes for {Name, Mode, Size, ModTime}: ustar, pax where a field does not
// fit; the time is rounded to seconds. Error: a name that no format holds (NUL, trailing slash).
Status append_tar(std::string& out, const TarEntry& entry);
void finish_tar(std::string& out);

}  // namespace pintle::sys
