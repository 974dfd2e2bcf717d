#include "chart/sniff.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

namespace pintle::chart {
namespace {

constexpr size_t kLooked = 512;

constexpr std::string_view kTags[] = {"<!DOCTYPE HTML",
                                      "<HTML",
                                      "<HEAD",
                                      "<SCRIPT",
                                      "<IFRAME",
                                      "<H1",
                                      "<DIV",
                                      "<FONT",
                                      "<TABLE",
                                      "<A",
                                      "<STYLE",
                                      "<TITLE",
                                      "<B",
                                      "<BODY",
                                      "<BR",
                                      "<P",
                                      "<!--"};

struct Signature {
  size_t at;  // more bytes may be demanded in front of it
  std::string_view bytes;
  std::string_view type;
  std::string_view start = {};
};

template <size_t N>
constexpr std::string_view lit(const char (&s)[N]) {
  return {s, N - 1};
}

constexpr Signature kSignatures[] = {
    {0, "%PDF-", "application/pdf"},
    {0, "%!PS-Adobe-", "application/postscript"},
    {0, "\xfe\xff", "text/plain; charset=utf-16be"},
    {0, "\xff\xfe", "text/plain; charset=utf-16le"},
    {0, "\xef\xbb\xbf", "text/plain; charset=utf-8"},
    {0, lit("\0\0\1\0"), "image/x-icon"},
    {0, lit("\0\0\2\0"), "image/x-icon"},
    {0, "BM", "image/bmp"},
    {0, "GIF87a", "image/gif"},
    {0, "GIF89a", "image/gif"},
    {8, "WEBPVP", "image/webp", "RIFF"},
    {0, "\x89PNG\r\n\x1a\n", "image/png"},
    {0, "\xff\xd8\xff", "image/jpeg"},
    {8, "AIFF", "audio/aiff", "FORM"},
    {0, "ID3", "audio/mpeg"},
    {0, lit("OggS\0"), "application/ogg"},
    {0, lit("MThd\0\0\0\6"), "audio/midi"},
    {8, "AVI ", "video/avi", "RIFF"},
    {8, "WAVE", "audio/wave", "RIFF"},
    {0, "\x1a\x45\xdf\xa3", "video/webm"},
    {34, "LP", "application/vnd.ms-fontobject"},
    {0, lit("\0\1\0\0"), "font/ttf"},
    {0, "OTTO", "font/otf"},
    {0, "ttcf", "font/collection"},
    {0, "wOFF", "font/woff"},
    {0, "wOF2", "font/woff2"},
    {0, "\x1f\x8b\x08", "application/x-gzip"},
    {0, "PK\3\4", "application/zip"},
    {0, lit("Rar!\x1a\7\0"), "application/x-rar-compressed"},
    {0, lit("Rar!\x1a\7\1\0"), "application/x-rar-compressed"},
    {0, lit("\0asm"), "application/wasm"},
};

bool is_tag(std::string_view text, std::string_view tag) {
  if (text.size() <= tag.size()) return false;
  for (size_t i = 0; i < tag.size(); ++i) {
    if (toupper(static_cast<uint8_t>(text[i])) != tag[i]) return false;
  }
  return text[tag.size()] == ' ' || text[tag.size()] == '>';
}

bool is_binary(char c) {
  const auto b = static_cast<uint8_t>(c);
  return b <= 8 || b == 0x0b || (b >= 0x0e && b <= 0x1a) || (b >= 0x1c && b <= 0x1f);
}

// An ISO media file: a "ftyp" box that lists a brand starting with "mp4".
bool is_mp4(std::string_view data) {
  size_t size = 0;
  for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<uint8_t>(data[static_cast<size_t>(i)]);
  if (data.size() < size || size % 4 != 0 || data.substr(4, 4) != "ftyp") return false;
  for (size_t at = 8; at < size; at += 4) {
    if (at != 12 && data.substr(at, 3) == "mp4") return true;
  }
  return false;
}

}  // namespace

std::string_view content_type(std::string_view file) {
  std::string padded(file.substr(0, kLooked));
  padded.resize(kLooked, '\0');
  const std::string_view data = padded;
  const size_t first = std::min(data.find_first_not_of("\t\n\f\r "), kLooked);
  const std::string_view text = data.substr(first);
  for (std::string_view tag : kTags) {
    if (is_tag(text, tag)) return "text/html; charset=utf-8";
  }
  if (text.starts_with("<?xml")) return "text/xml; charset=utf-8";
  for (const Signature& s : kSignatures) {
    if (data.starts_with(s.start) && data.substr(s.at).starts_with(s.bytes)) return s.type;
    if (s.type == "audio/wave" && is_mp4(data)) return "video/mp4";  // its place in the order
  }
  if (std::none_of(text.begin(), text.end(), is_binary)) return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

}  // namespace pintle::chart
