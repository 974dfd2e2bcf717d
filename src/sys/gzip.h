// gzip as Go's compress/gzip reads and writes it, members in a row included. Whole buffers, no
// streams: libdeflate does the work, zlib only when a stream is damaged or too large.
// Thread-safe; memory is bounded by the limit handed in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::sys {

// What a reader of the stream would have seen: `data` up to `error`, or all of it.
// Errors: Go's texts ("gzip: invalid header", "unexpected EOF", "gzip: invalid checksum",
// "flate: corrupt input before offset N", "EOF" of empty input); kResourceExhausted when there is
// more than max_bytes, kInvalidArgument for what cannot be a member (behind the last one: garbage),
// kDataLoss for a member that is cut short or damaged.
struct Inflated {
  std::string data;
  std::optional<Error> error;
};
Inflated inflate(std::string_view gz, size_t max_bytes);

Result<std::string> gunzip(std::string_view gz, size_t max_bytes);

struct GzipHeader {
  std::string comment;  // Latin-1, no NUL
  std::string extra;    // at most 65535 bytes
  bool best = false;    // BestCompression, said so in the header
};
// Framed as Go's writer at its default level or its best; the deflate bytes are libdeflate's.
std::string gzip(std::string_view data, const GzipHeader& header = {});

}  // namespace pintle::sys
