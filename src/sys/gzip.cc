#include "sys/gzip.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace pintle::sys {
namespace {

constexpr uint8_t kHeaderCrc = 2, kExtra = 4, kName = 8, kComment = 16;
constexpr size_t kMaxHeaderString = 512;  // Go's buffer for names and comments
constexpr size_t kMaxRatio = 1032;        // deflate cannot do better

uint32_t little32(std::string_view s) {
  uint32_t v = 0;
  std::memcpy(&v, s.data(), sizeof v);
  return v;
}
uint16_t little16(std::string_view s) {
  uint16_t v = 0;
  std::memcpy(&v, s.data(), sizeof v);
  return v;
}

Error invalid_header() { return {Code::kInvalidArgument, "gzip: invalid header"}; }
Error truncated() { return {Code::kDataLoss, "unexpected EOF"}; }

// The length of the member header at the start of s.
Result<size_t> header_length(std::string_view s) {
  if (s.size() < 10) return s.empty() ? Error(Code::kDataLoss, "EOF") : truncated();
  if (s[0] != '\x1f' || s[1] != '\x8b' || s[2] != 8) return invalid_header();
  const auto flags = static_cast<uint8_t>(s[3]);
  size_t at = 10;
  if (flags & kExtra) {
    if (s.size() < at + 2) return truncated();
    at += 2 + little16(s.substr(at));
    if (s.size() < at) return truncated();
  }
  for (const uint8_t field : {kName, kComment}) {
    if (!(flags & field)) continue;
    const size_t end = s.find('\0', at);
    const size_t length = (end == s.npos ? s.size() : end) - at;
    if (length >= kMaxHeaderString) return invalid_header();
    if (end == s.npos) return truncated();
    at = end + 1;
  }
  if (flags & kHeaderCrc) {
    if (s.size() < at + 2) return truncated();
    const uint32_t crc = libdeflate_crc32(0, s.data(), at);
    if (little16(s.substr(at)) != static_cast<uint16_t>(crc)) return invalid_header();
    at += 2;
  }
  return at;
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;

// Appends one whole deflate stream to out; false (out unchanged) when it is damaged or does not fit
// into `room`. `hint`: the size the trailer promises.
bool inflate_whole(libdeflate_decompressor* d, std::string_view in, size_t room, size_t hint,
                   std::string& out, size_t* used) {
  const size_t start = out.size();
  size_t capacity = std::min({room, std::max<size_t>(hint, 512), in.size() * kMaxRatio + 64});
  for (;;) {
    out.resize(start + capacity);
    size_t written = 0;
    const auto result = libdeflate_deflate_decompress_ex(
        d, in.data(), in.size(), out.data() + start, capacity, used, &written);
    if (result == LIBDEFLATE_SUCCESS) {
      out.resize(start + written);
      return true;
    }
    out.resize(start);
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE || capacity >= room) return false;
    capacity = capacity > room / 2 ? room : capacity * 2;
    out.shrink_to_fit();  // the retry starts over: nothing to carry along
    out.reserve(start + capacity);
  }
}

// The slow way: as much of a stream as can be had, and why it ended.
Error inflate_prefix(std::string_view in, size_t room, std::string& out) {
  z_stream z{};
  CHECK(inflateInit2(&z, -MAX_WBITS) == Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.avail_in = static_cast<uInt>(std::min<size_t>(in.size(), UINT32_MAX));
  char chunk[1 << 16];
  int status = Z_OK;
  while (status == Z_OK && room > 0) {
    z.next_out = reinterpret_cast<Bytef*>(chunk);
    z.avail_out = static_cast<uInt>(std::min(room, sizeof chunk));
    const size_t asked = z.avail_out;
    status = ::inflate(&z, Z_NO_FLUSH);
    out.append(chunk, asked - z.avail_out);
    room -= asked - z.avail_out;
  }
  const size_t offset = z.total_in;
  inflateEnd(&z);
  if (status == Z_DATA_ERROR) {
    return {Code::kDataLoss, "flate: corrupt input before offset " + std::to_string(offset)};
  }
  if (room == 0) return {Code::kResourceExhausted, "decompressed data is too large"};
  return truncated();
}

}  // namespace

Inflated inflate(std::string_view gz, size_t max_bytes) {
  Inflated out;
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  CHECK(decompressor != nullptr);
  for (size_t at = 0; at == 0 || at < gz.size();) {
    const auto header = header_length(gz.substr(at));
    if (!header) {
      out.error = Error(Code::kInvalidArgument, header.error().text());
      return out;
    }
    const std::string_view body = gz.substr(at + *header);
    const size_t start = out.data.size();
    const size_t room = max_bytes - start;
    const size_t hint = gz.size() >= 4 ? little32(gz.substr(gz.size() - 4)) : 0;
    size_t used = 0;
    if (!inflate_whole(decompressor.get(), body, room, hint, out.data, &used)) {
      out.error = inflate_prefix(body, room, out.data);
      return out;
    }
    const std::string_view trailer = body.substr(used);
    if (trailer.size() < 8) {
      out.error = truncated();
      return out;
    }
    const size_t length = out.data.size() - start;
    if (little32(trailer) != libdeflate_crc32(0, out.data.data() + start, length) ||
        little32(trailer.substr(4)) != static_cast<uint32_t>(length)) {
      out.error = Error(Code::kDataLoss, "gzip: invalid checksum");
      return out;
    }
    at += *header + used + 8;
  }
  return out;
}

Result<std::string> gunzip(std::string_view gz, size_t max_bytes) {
  Inflated whole = inflate(gz, max_bytes);
  if (whole.error) return *std::move(whole.error);
  return std::move(whole.data);
}

std::string gzip(std::string_view data, const GzipHeader& header) {
  CHECK(header.extra.size() <= UINT16_MAX && header.comment.find('\0') == std::string::npos);
  uint8_t flags = 0;
  if (!header.extra.empty()) flags |= kExtra;
  if (!header.comment.empty()) flags |= kComment;
  std::string out("\x1f\x8b\x08", 3);
  out += static_cast<char>(flags);
  out.append(4, '\0');  // no time
  out += header.best ? '\2' : '\0';
  out += '\xff';        // system unknown
  const auto put = [&out](uint32_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i));
  };
  if (flags & kExtra) {
    put(static_cast<uint32_t>(header.extra.size()), 2);
    out += header.extra;
  }
  if (flags & kComment) {
    out += header.comment;
    out += '\0';
  }
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(header.best ? 9 : 6);
  CHECK(compressor != nullptr);
  const size_t start = out.size();
  out.resize(start + libdeflate_deflate_compress_bound(compressor, data.size()));
  const size_t written = libdeflate_deflate_compress(compressor, data.data(), data.size(),
                                                     out.data() + start, out.size() - start);
  CHECK(written > 0);
  out.resize(start + written);
  libdeflate_free_compressor(compressor);
  put(libdeflate_crc32(0, data.data(), data.size()), 4);
  put(static_cast<uint32_t>(data.size()), 4);
  return out;
}

}  // namespace pintle::sys
