#include "base/protobuf.h"

#include <bit>

namespace pintle {

bool ProtobufReader::next() {
  if (!good_ || rest_.empty()) return false;
  good_ = read();
  return good_;
}

bool ProtobufReader::varint(uint64_t& out) {
  out = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    out |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ProtobufReader::fixed(size_t size) {  // little-endian
  if (rest_.size() < size) return false;
  for (size_t i = size; i-- > 0;) number_ = number_ << 8 | static_cast<uint8_t>(rest_[i]);
  rest_.remove_prefix(size);
  return true;
}

bool ProtobufReader::read() {
  uint64_t tag = 0, size = 0;
  number_ = 0;
  bytes_ = {};
  if (!varint(tag)) return false;
  field_ = tag >> 3;
  if (field_ == 0) return false;
  switch (tag & 7) {
    case 0:
      return varint(number_);
    case 1:
      return fixed(8);
    case 2:
      if (!varint(size) || size > rest_.size()) return false;
      bytes_ = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    case 5:
      return fixed(4);
    default:
      return false;
  }
}

void ProtobufWriter::varint(uint64_t n) {
  for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
  out_ += static_cast<char>(n);
}

void ProtobufWriter::number(uint64_t field, uint64_t n) {
  varint(field << 3);
  varint(n);
}

void ProtobufWriter::fixed(uint64_t field, double d) {
  varint(field << 3 | 1);
  auto bits = std::bit_cast<uint64_t>(d);
  for (int i = 0; i < 8; ++i, bits >>= 8) out_ += static_cast<char>(bits);
}

void ProtobufWriter::bytes(uint64_t field, std::string_view bytes) {
  varint(field << 3 | 2);
  varint(bytes.size());
  out_.append(bytes);
}

}  // namespace pintle
