// Protobuf's wire format, field by field: no schema, no copies, no depth (a message inside is bytes
// that another reader is made for). Bounded by the bytes given; groups, which nobody sends any more,
// are malformed.
#pragma once

#include <cstdint>
#include <string>
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

// A message as it is written, field by field; a message inside is bytes that another writer made.
class ProtobufWriter {
 public:
  void number(uint64_t field, uint64_t n);  // as a varint
  void fixed(uint64_t field, double d);
  void bytes(uint64_t field, std::string_view bytes);
  const std::string& message() const { return out_; }

 private:
  void varint(uint64_t n);
  std::string out_;
};

}  // namespace pintle
