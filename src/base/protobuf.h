// Protobuf's wire format, field by field: no schema, no copies, no depth (a message inside is bytes
// that another reader is made for). Bounded by the bytes given; groups, which nobody sends any more,
// are malformed.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle {

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : rest_(message) {}

  // The next field; false at the end, or when the message is cut or malformed.
  bool next();
  bool ok() const { return good_; }

  uint64_t field() const { return field_; }
  uint64_t number() const { return number_; }        // of a varint or a fixed one, else 0
  std::string_view bytes() const { return bytes_; }  // of a text, bytes or a message, else ""

 private:
  bool read();
  bool varint(uint64_t& out);
  bool fixed(size_t size);

  std::string_view rest_, bytes_;
  uint64_t field_ = 0, number_ = 0;
  bool good_ = true;
};

}  // namespace pintle
