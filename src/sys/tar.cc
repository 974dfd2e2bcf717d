#include "sys/tar.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "base/gotext.h"
#include "base/path.h"

namespace pintle::sys {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMaxSpecial = 1 << 20;  // a pax header or long name may not be larger
constexpr int64_t kSecond = 1'000'000'000;
constexpr std::string_view kUstar("ustar\0", 6), kUstarVersion("00", 2);
constexpr std::string_view kGnu("ustar ", 6), kGnuVersion(" \0", 2);

struct Field {
  size_t at, size;
};
constexpr Field kNameField{0, 100}, kModeField{100, 8}, kUidField{108, 8}, kGidField{116, 8},
    kSizeField{124, 12}, kTimeField{136, 12}, kSumField{148, 8}, kTypeField{156, 1},
    kLinkField{157, 100}, kMagicField{257, 6}, kVersionField{263, 2}, kMajorField{329, 8},
    kMinorField{337, 8}, kPrefixField{345, 155};
constexpr Field kStarPrefixField{345, 131}, kStarTrailerField{508, 4};
constexpr Field kGnuAtimeField{345, 12}, kGnuCtimeField{357, 12};

Error bad_header() { return {Code::kDataLoss, "archive/tar: invalid tar header"}; }

std::string_view slice(std::string_view block, Field f) { return block.substr(f.at, f.size); }
std::string_view c_string(std::string_view s) { return s.substr(0, s.find('\0')); }
size_t padding(size_t size) { return (kBlock - size % kBlock) % kBlock; }
bool is_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c > 0; });
}
bool header_only(char type) { return type >= '1' && type <= '6'; }

std::optional<int64_t> parse_octal(std::string_view s) {
  constexpr std::string_view kBlank(" \0", 2);
  const size_t first = s.find_first_not_of(kBlank);
  if (first == s.npos) return 0;
  s = c_string(s.substr(first, s.find_last_not_of(kBlank) - first + 1));
  ParseError error{};
  const uint64_t value = parse_uint(s, 8, 64, &error);
  if (error != ParseError::kNone) return std::nullopt;
  return static_cast<int64_t>(value);
}

// Octal digits, or base-256 two's complement when the first bit is set.
std::optional<int64_t> parse_numeric(std::string_view s) {
  const auto first = static_cast<uint8_t>(s[0]);
  if (!(first & 0x80)) return parse_octal(s);
  const uint8_t invert = first & 0x40 ? 0xff : 0;
  uint64_t value = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    uint8_t byte = static_cast<uint8_t>(s[i]) ^ invert;
    if (i == 0) byte &= 0x7f;
    if (value >> 56) return std::nullopt;
    value = value << 8 | byte;
  }
  if (value >> 63) return std::nullopt;
  return invert ? ~static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

std::optional<int64_t> parse_decimal(std::string_view s) {
  ParseError error{};
  const int64_t value = parse_int(s, 10, 64, &error);
  if (error != ParseError::kNone) return std::nullopt;
  return value;
}

int64_t nanoseconds(int64_t seconds, int64_t nanos = 0) {
  int64_t out = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &out) || __builtin_add_overflow(out, nanos, &out)) {
    return 0;  // a time no chart has: unknown
  }
  return out;
}

std::optional<int64_t> parse_pax_time(std::string_view s) {
  const size_t dot = std::min(s.find('.'), s.size());
  const auto seconds = parse_decimal(s.substr(0, dot));
  if (!seconds) return std::nullopt;
  int64_t nanos = 0, scale = kSecond / 10;
  for (size_t i = dot + 1; i < s.size(); ++i, scale /= 10) {
    if (s[i] < '0' || s[i] > '9') return std::nullopt;
    nanos += (s[i] - '0') * scale;
  }
  return nanoseconds(*seconds, s.starts_with('-') ? -nanos : nanos);
}

template <typename Byte>
int32_t sum_of(std::string_view bytes) {
  int32_t sum = 0;
  for (const char c : bytes) sum += static_cast<Byte>(c);
  return sum;
}

// The field itself counts as blanks; some writers summed signed bytes.
bool checksum_fits(std::string_view block) {
  const std::string_view own = slice(block, kSumField);
  const auto blanks = static_cast<int32_t>(own.size()) * ' ';
  const int32_t unsigned_sum = sum_of<uint8_t>(block) - sum_of<uint8_t>(own) + blanks;
  const int32_t signed_sum = sum_of<int8_t>(block) - sum_of<int8_t>(own) + blanks;
  const auto stored = parse_octal(own);
  return stored && (*stored == unsigned_sum || *stored == signed_sum);
}

using PaxRecords = std::map<std::string, std::string, std::less<>>;

// "LENGTH KEY=VALUE\n" records.
Result<PaxRecords> parse_pax(std::string_view s) {
  PaxRecords records;
  while (!s.empty()) {
    const size_t space = s.find(' ');
    if (space == s.npos) return bad_header();
    const auto length = parse_decimal(s.substr(0, space));
    if (!length || *length < 5 || *length > static_cast<int64_t>(s.size()) ||
        *length <= static_cast<int64_t>(space) + 1) {
      return bad_header();
    }
    const std::string_view record = s.substr(space + 1, static_cast<size_t>(*length) - space - 1);
    s.remove_prefix(static_cast<size_t>(*length));
    const size_t equals = record.find('=');
    if (record.back() != '\n' || equals == record.npos || equals == 0) return bad_header();
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1, record.size() - equals - 2);
    const bool is_text = key == "path" || key == "linkpath" || key == "uname" || key == "gname";
    if ((is_text ? value : key).find('\0') != value.npos) return bad_header();
    records[std::string(key)] = value;
  }
  return records;
}

class Reader {
 public:
  Reader(std::string_view tar, const Error* after) : rest_(tar), after_(after) {}

  // The next member; nullopt at the end.
  Result<std::optional<TarEntry>> next();

 private:
  Result<std::string_view> take_block();
  Result<std::optional<TarEntry>> read_header();
  Status read_data(TarEntry& entry);
  Error ended() const { return after_ ? *after_ : Error(Code::kDataLoss, "unexpected EOF"); }

  std::string_view rest_;
  const Error* after_;
  size_t skip_ = 0;  // of the current member, before the next header
};

Status Reader::read_data(TarEntry& entry) {
  if (entry.size < 0) return bad_header();
  const size_t size = header_only(entry.type) ? 0 : static_cast<size_t>(entry.size);
  entry.data = rest_.substr(0, size);
  entry.cut = entry.data.size() < size;
  skip_ = size;
  return ok();
}

Status merge_pax(TarEntry& entry, const PaxRecords& records) {
  for (const auto& [key, value] : records) {
    if (value.empty()) continue;
    std::optional<int64_t> number = 0;
    if (key == "path") {
      entry.name = value;
    } else if (key == "linkpath") {
      entry.link = value;
    } else if (key == "size") {
      number = parse_decimal(value);
      if (number) entry.size = *number;
    } else if (key == "mtime") {
      number = parse_pax_time(value);
      if (number) entry.mod_time = *number;
    } else if (key == "uid" || key == "gid") {
      number = parse_decimal(value);
    } else if (key == "atime" || key == "ctime") {
      number = parse_pax_time(value);
    } else if (key.starts_with("GNU.sparse.")) {
      number.reset();
    }
    if (!number) return bad_header();
  }
  return ok();
}

Result<std::optional<TarEntry>> Reader::next() {
  PaxRecords pax;
  std::string long_name, long_link;
  for (;;) {
    if (rest_.size() < skip_) return ended();
    rest_.remove_prefix(skip_);
    const size_t pad = padding(skip_);
    skip_ = 0;
    if (rest_.size() < pad) return ended();
    rest_.remove_prefix(pad);

    std::optional<TarEntry> entry = TRY(read_header());
    if (!entry) return std::nullopt;
    TRY(read_data(*entry));
    const bool special =
        entry->type == 'x' || entry->type == 'g' || entry->type == 'L' || entry->type == 'K';
    if (special) {
      if (entry->data.size() > kMaxSpecial) {
        return Error(Code::kResourceExhausted, "archive/tar: header field too long");
      }
      if (entry->cut) return ended();
      if (entry->type == 'x') pax = TRY(parse_pax(entry->data));
      if (entry->type == 'L') long_name = c_string(entry->data);
      if (entry->type == 'K') long_link = c_string(entry->data);
      if (entry->type != 'g') continue;
      (void)TRY(parse_pax(entry->data));
      return entry;
    }
    TRY(merge_pax(*entry, pax));
    if (!long_name.empty()) entry->name = long_name;
    if (!long_link.empty()) entry->link = long_link;
    if (entry->type == '\0') entry->type = entry->name.ends_with('/') ? '5' : '0';
    if (entry->type == 'S') return bad_header();
    TRY(read_data(*entry));  // pax may have changed the size
    return entry;
  }
}

Result<std::string_view> Reader::take_block() {
  if (rest_.size() < kBlock) return ended();
  const std::string_view block = rest_.substr(0, kBlock);
  rest_.remove_prefix(kBlock);
  return block;
}

Result<std::optional<TarEntry>> Reader::read_header() {
  const auto all_zero = [](std::string_view b) { return b.find_first_not_of('\0') == b.npos; };
  if (rest_.empty() && !after_) return std::nullopt;
  const std::string_view block = TRY(take_block());
  if (all_zero(block)) {
    if (rest_.empty() && !after_) return std::nullopt;
    if (!all_zero(TRY(take_block()))) return bad_header();
    return std::nullopt;
  }
  if (!checksum_fits(block)) return bad_header();

  bool good = true;
  const auto number = [&](Field f) {
    const auto value = parse_numeric(slice(block, f));
    if (!value) good = false;
    return value.value_or(0);
  };
  TarEntry entry;
  entry.type = block[kTypeField.at];
  entry.name = c_string(slice(block, kNameField));
  entry.link = c_string(slice(block, kLinkField));
  entry.size = number(kSizeField);
  entry.mode = number(kModeField);
  number(kUidField);
  number(kGidField);
  entry.mod_time = nanoseconds(number(kTimeField));

  const bool ustar = slice(block, kMagicField) == kUstar;
  const bool gnu = slice(block, kMagicField) == kGnu && slice(block, kVersionField) == kGnuVersion;
  if (ustar || gnu) {
    number(kMajorField);
    number(kMinorField);
    std::string_view prefix;
    if (ustar) {
      const bool star = slice(block, kStarTrailerField) == std::string_view("tar\0", 4);
      prefix = c_string(slice(block, star ? kStarPrefixField : kPrefixField));
      if (star) {
        number({476, 12});
        number({488, 12});
      }
    } else {
      // Old Go wrote a ustar prefix into GNU headers; it shows as times that do not parse.
      const auto readable = [&](Field f) {
        return block[f.at] == '\0' || parse_numeric(slice(block, f)).has_value();
      };
      if (!readable(kGnuAtimeField) || !readable(kGnuCtimeField)) {
        const std::string_view old = c_string(slice(block, kPrefixField));
        if (is_ascii(old)) prefix = old;
      }
    }
    if (!prefix.empty()) entry.name = std::string(prefix) + "/" + entry.name;
  }
  if (!good) return bad_header();
  return entry;
}

// ---- writing ----

using Block = std::string;  // kBlock bytes

void put(Block& block, Field f, std::string_view text) {
  text = text.substr(0, f.size);
  std::copy(text.begin(), text.end(), block.begin() + static_cast<ptrdiff_t>(f.at));
}

bool fits_octal(Field f, int64_t value) {
  return value >= 0 && (f.size >= 22 || value < int64_t{1} << ((f.size - 1) * 3));
}

void put_octal(Block& block, Field f, int64_t value) {
  if (!fits_octal(f, value)) value = 0;
  std::string digits(f.size - 1, '0');
  for (size_t i = digits.size(); value > 0; value >>= 3) {
    digits[--i] = static_cast<char>('0' + (value & 7));
  }
  put(block, f, digits);
}

void seal(Block& block) {
  put(block, kMagicField, kUstar);
  put(block, kVersionField, kUstarVersion);
  put(block, kSumField, "        ");
  put_octal(block, {kSumField.at, 7}, sum_of<uint8_t>(block));
  block[kSumField.at + 6] = '\0';
}

std::string ascii_only(std::string_view s) {
  std::string out;
  for (char c : s) {
    if (c > 0) out += c;
  }
  return out;
}

struct SplitName {
  std::string_view prefix, name;
};
// A name of more than 100 bytes over ustar's prefix and name fields, at a slash.
std::optional<SplitName> split_ustar(std::string_view name) {
  if (name.size() <= kNameField.size || !is_ascii(name)) return std::nullopt;
  size_t length = name.size();
  if (length > kPrefixField.size + 1) {
    length = kPrefixField.size + 1;
  } else if (name.back() == '/') {
    --length;
  }
  const size_t slash = name.substr(0, length).rfind('/');
  if (slash == name.npos || slash == 0) return std::nullopt;
  const std::string_view tail = name.substr(slash + 1);
  if (tail.empty() || tail.size() > kNameField.size || slash > kPrefixField.size) {
    return std::nullopt;
  }
  return SplitName{name.substr(0, slash), tail};
}

std::string pax_record(std::string_view key, std::string_view value) {
  const size_t body = key.size() + value.size() + 3;
  size_t size = body + std::to_string(body).size();
  if (std::to_string(size).size() + body != size) size = body + std::to_string(size).size();
  std::string out = std::to_string(size);
  out.append(" ").append(key).append("=").append(value).append("\n");
  return out;
}

void append_padded(std::string& out, std::string_view data) {
  out += data;
  out.append(padding(data.size()), '\0');
}

void append_pax_header(std::string& out, std::string_view name, std::string_view records) {
  const size_t slash = name.rfind('/');
  const std::string_view dir = name.substr(0, slash == name.npos ? 0 : slash + 1);
  std::string header_name =
      ascii_only(path::join({dir, "PaxHeaders.0", name.substr(dir.size())})).substr(0, 100);
  while (header_name.ends_with('/')) header_name.pop_back();
  Block block(kBlock, '\0');
  put(block, kNameField, header_name);
  put(block, kTypeField, "x");
  for (const Field f : {kModeField, kUidField, kGidField, kTimeField}) put_octal(block, f, 0);
  put_octal(block, kSizeField, static_cast<int64_t>(records.size()));
  seal(block);
  out += block;
  append_padded(out, records);
}

}  // namespace

Status read_tar(std::string_view tar, const std::function<Status(const TarEntry&)>& on_entry,
                const Error* after) {
  Reader reader(tar, after);
  for (;;) {
    const std::optional<TarEntry> entry = TRY(reader.next());
    if (!entry) return ok();
    TRY(on_entry(*entry));
  }
}

Status append_tar(std::string& out, const TarEntry& entry) {
  if (entry.type == '0' && entry.name.ends_with('/')) {
    return Error(Code::kInvalidArgument,
                 "archive/tar: cannot encode header: filename may not have trailing slash");
  }
  if (entry.name.find('\0') != std::string::npos) {
    return Error(Code::kInvalidArgument, "archive/tar: invalid tar header");
  }
  int64_t seconds = entry.mod_time / kSecond;
  const int64_t rest = entry.mod_time % kSecond;  // round half up
  if (rest >= kSecond / 2) ++seconds;
  if (rest < -(kSecond / 2)) --seconds;
  const auto size = static_cast<int64_t>(entry.data.size());

  const bool plain_name = entry.name.size() <= kNameField.size && is_ascii(entry.name);
  const auto split = plain_name ? std::nullopt : split_ustar(entry.name);
  std::string records;  // sorted by key
  if (!fits_octal(kTimeField, seconds)) records += pax_record("mtime", std::to_string(seconds));
  const bool needs_pax =
      (!plain_name && !split) || !records.empty() || !fits_octal(kSizeField, size);
  Block block(kBlock, '\0');
  if (needs_pax) {
    if (!plain_name) records += pax_record("path", entry.name);
    if (!fits_octal(kSizeField, size)) records += pax_record("size", std::to_string(size));
    append_pax_header(out, entry.name, records);
    std::string name = ascii_only(entry.name);
    if (name.size() > kNameField.size && name[kNameField.size - 1] == '/') {
      name.resize(kNameField.size - 1);
      while (name.ends_with('/')) name.pop_back();
    }
    put(block, kNameField, name);
  } else if (split) {
    put(block, kNameField, split->name);
    put(block, kPrefixField, split->prefix);
  } else {
    put(block, kNameField, entry.name);
  }
  put(block, kTypeField, std::string_view(&entry.type, 1));
  put_octal(block, kModeField, entry.mode);
  for (const Field f : {kUidField, kGidField, kMajorField, kMinorField}) put_octal(block, f, 0);
  put_octal(block, kSizeField, size);
  put_octal(block, kTimeField, seconds);
  seal(block);
  out += block;
  append_padded(out, entry.data);
  return ok();
}

void finish_tar(std::string& out) { out.append(2 * kBlock, '\0'); }

}  // namespace pintle::sys
