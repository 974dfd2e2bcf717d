#include "sys/tar.h"

#include <gtest/gtest.h>

namespace pintle::sys {
namespace {

struct Seen {
  std::vector<TarEntry> entries;
  std::string error;
};

Seen read(std::string_view tar, const Error* after = nullptr) {
  Seen seen;
  const Status status = read_tar(
      tar,
      [&](const TarEntry& e) {
        seen.entries.push_back(e);
        return ok();
      },
      after);
  if (!status) seen.error = status.error().text();
  return seen;
}

TarEntry file(std::string name, std::string_view data, int64_t seconds = 1700000000) {
  TarEntry e;
  e.name = std::move(name);
  e.mode = 0644;
  e.mod_time = seconds * 1'000'000'000;
  e.data = data;
  return e;
}

std::string one(const TarEntry& e) {
  std::string out;
  EXPECT_TRUE(append_tar(out, e).has_value());
  finish_tar(out);
  return out;
}

void reseal(std::string& block) {
  std::fill_n(block.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<uint8_t>(block[i]);
  snprintf(&block[148], 8, "%06o", sum);
  block[155] = ' ';
}

TEST(Tar, ReadsWhatItWrites) {
  const std::string deep = std::string(120, 'd') + "/" + std::string(90, 'f');
  const std::string names[] = {"a/b.yaml", deep, std::string(180, 'x'), "ünïcode/naïve.txt",
                               std::string(300, 'p') + "/" + std::string(300, 'q')};
  for (const std::string& name : names) {
    const std::string tar = one(file(name, "data"));
    EXPECT_EQ(tar.size() % 512, 0u);
    const Seen seen = read(tar);
    ASSERT_EQ(seen.entries.size(), 1u) << name << seen.error;
    EXPECT_EQ(seen.entries[0].name, name);
    EXPECT_EQ(seen.entries[0].data, "data");
    EXPECT_EQ(seen.entries[0].mode, 0644);
    EXPECT_EQ(seen.entries[0].mod_time, 1700000000LL * 1'000'000'000);
  }
}

TEST(Tar, TimesAreRoundedToSecondsAndFarOnesGoToPax) {
  TarEntry e = file("a", "");
  e.mod_time = 1'500'000'000;
  EXPECT_EQ(read(one(e)).entries.at(0).mod_time, 2'000'000'000);
  e.mod_time = -3'000'000'000;
  EXPECT_EQ(read(one(e)).entries.at(0).mod_time, -3'000'000'000);
}

TEST(Tar, RefusesNamesNoFormatHolds) {
  std::string out;
  EXPECT_FALSE(append_tar(out, file("a/", "")).has_value());
  EXPECT_FALSE(append_tar(out, file(std::string("a\0b", 3), "")).has_value());
  EXPECT_TRUE(out.empty());
}

TEST(Tar, GnuLongNamesAndBase256SizesAreRead) {
  const std::string name(200, 'n');
  std::string tar;
  TarEntry long_name = file("././@LongLink", name);
  long_name.type = 'L';
  ASSERT_TRUE(append_tar(tar, long_name).has_value());
  std::string member;
  ASSERT_TRUE(append_tar(member, file("short", "abc")).has_value());
  std::fill_n(member.begin() + 124, 12, '\0');
  member[124] = '\x80';
  member[135] = 3;
  reseal(member);
  tar += member;
  finish_tar(tar);
  const Seen seen = read(tar);
  ASSERT_EQ(seen.entries.size(), 1u) << seen.error;
  EXPECT_EQ(seen.entries[0].name, name);
  EXPECT_EQ(seen.entries[0].data, "abc");
}

TEST(Tar, TheEndMayBeMarkedOrNot) {
  std::string tar;
  ASSERT_TRUE(append_tar(tar, file("a", "x")).has_value());
  EXPECT_EQ(read(tar).error, "");
  EXPECT_EQ(read(tar + std::string(512, '\0')).error, "");
  EXPECT_EQ(read(tar + std::string(1024, '\0') + "garbage").error, "");
  EXPECT_EQ(read("").error, "");
  EXPECT_EQ(read(tar.substr(0, 514)).error, "unexpected EOF") << "cut inside the padding";
}

TEST(Tar, ErrorsAreGos) {
  const std::string good = one(file("a", std::string(600, 'x')));
  std::string bad_sum = good, bad_size = good;
  bad_sum[0] = 'b';
  bad_size[124] = '9';
  reseal(bad_size);
  const std::pair<std::string, std::string> rows[] = {
      {good.substr(0, 100), "unexpected EOF"},
      {good.substr(0, 700), "unexpected EOF"},
      {bad_sum, "archive/tar: invalid tar header"},
      {bad_size, "archive/tar: invalid tar header"},
      {std::string(512, '\0') + good, "archive/tar: invalid tar header"},
      {std::string(600, 'q'), "archive/tar: invalid tar header"},
  };
  for (const auto& [bytes, want] : rows) EXPECT_EQ(read(bytes).error, want);
}

TEST(Tar, TheStreamsOwnErrorShowsWhereBytesAreMissing) {
  const Error broken("gzip: invalid checksum");
  std::string tar;
  ASSERT_TRUE(append_tar(tar, file("a", "x")).has_value());
  EXPECT_EQ(read(tar, &broken).error, "gzip: invalid checksum");
  finish_tar(tar);
  EXPECT_EQ(read(tar, &broken).error, "") << "nobody looks behind the end";
}

TEST(Tar, BadPaxRecordsAreRefused) {
  for (const char* records : {"5 a=\n", "99 path=x\n", "x path=y\n", "11 path=abcd", "8 =aaaa\n"}) {
    std::string tar;
    TarEntry pax = file("PaxHeaders.0/a", records);
    pax.type = 'x';
    ASSERT_TRUE(append_tar(tar, pax).has_value());
    ASSERT_TRUE(append_tar(tar, file("a", "")).has_value());
    const bool fine = std::string_view(records) == "5 a=\n";
    EXPECT_EQ(read(tar).error, fine ? "" : "archive/tar: invalid tar header") << records;
  }
}

}  // namespace
}  // namespace pintle::sys
