#include "base/protobuf.h"

#include <gtest/gtest.h>

#include <string>

namespace pintle {
namespace {

using namespace std::string_view_literals;

// "1=150 2=testing ..." and "broken" at the end of what is malformed.
std::string fields_of(std::string_view message) {
  std::string out;
  ProtobufReader r(message);
  while (r.next()) {
    out += std::to_string(r.field()) + "=" +
           (r.bytes().empty() ? std::to_string(r.number()) : std::string(r.bytes())) + " ";
  }
  return r.ok() ? out : out + "broken";
}

TEST(ProtobufReader, ReadsFieldByField) {
  EXPECT_EQ(fields_of(""), "");
  EXPECT_EQ(fields_of("\x08\x96\x01"sv), "1=150 ");
  EXPECT_EQ(fields_of("\x12\x07testing"sv), "2=testing ");
  EXPECT_EQ(fields_of("\x12\x00"sv), "2=0 ");
  EXPECT_EQ(fields_of("\x0d\x01\x00\x00\x00\x11\x02\x00\x00\x00\x00\x00\x00\x00"sv), "1=1 2=2 ");
  EXPECT_EQ(fields_of("\xc0\x3e\x01\x08\x01"sv), "1000=1 1=1 ");
}

TEST(ProtobufReader, SaysWhatIsCutOrMalformed) {
  for (const std::string_view message :
       {"\x08"sv, "\x08\x96"sv, "\x12\x07test"sv, "\x12"sv, "\x0d\x01"sv, "\x11\x01"sv,
        "\x0b\x08\x01\x0c"sv,                              // a group
        "\x00\x01"sv,                                      // field 0
        "\x07\x01"sv,                                      // no such type
        "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // longer than there is
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv}) {
    EXPECT_TRUE(fields_of(message).ends_with("broken")) << fields_of(message);
  }
}

TEST(ProtobufWriter, WritesWhatTheReaderReads) {
  ProtobufWriter inner, w;
  inner.bytes(1, "x");
  w.number(1, 150);
  w.bytes(2, "testing");
  w.bytes(1000, inner.message());
  w.number(4, UINT64_MAX);
  w.bytes(5, std::string(300, 'y'));
  EXPECT_EQ(fields_of(w.message()), "1=150 2=testing 1000=\x0a\x01x 4=18446744073709551615 5=" +
                                        std::string(300, 'y') + " ");
  ProtobufWriter fixed;
  fixed.fixed(1, 1.5);
  EXPECT_EQ(fixed.message(), "\x09\x00\x00\x00\x00\x00\x00\xf8\x3f"sv);
}

}  // namespace
}  // namespace pintle
