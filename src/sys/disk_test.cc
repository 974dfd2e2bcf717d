#include "sys/disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/memory_disk.h"

namespace pintle::sys {
namespace {

// Both disks must behave alike: every test runs on each, in a directory of its own.
class Disks : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { root_ = disk().make_temp_dir("disk-test").value(); }
  void TearDown() override { (void)disk().remove_all(root_); }
  Disk& disk() { return GetParam() ? real_disk() : memory_; }
  bool real() const { return GetParam(); }
  std::string in(const std::string& name) const { return root_ + "/" + name; }
  void link(const std::string& path, const std::string& target) {
    if (real()) {
      ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
    } else {
      memory_.add_link(path, target);
    }
  }
  template <typename T>
  static std::string text(const Result<T>& r) {
    return r ? "" : r.error().text();
  }

  MemoryDisk memory_;
  std::string root_;
};

TEST_P(Disks, WritesReadsAndLists) {
  ASSERT_TRUE(disk().make_dirs(in("a/b")).has_value());
  ASSERT_TRUE(disk().write_file(in("a/f"), "one", 0600).has_value());
  ASSERT_TRUE(disk().append_file(in("a/f"), " two", 0600).has_value());
  ASSERT_TRUE(disk().write_file(in("a/e"), "", 0644).has_value());
  EXPECT_EQ(disk().read_file(in("a/f")).value(), "one two");
  EXPECT_EQ(disk().read_file(in("a/e")).value(), "");
  const auto entries = disk().read_dir(in("a")).value();
  ASSERT_EQ(entries.size(), 3u) << "nothing temporary is left";
  EXPECT_EQ(entries[0].name, "b");
  EXPECT_TRUE(entries[0].is_directory());
  EXPECT_EQ(entries[2].name, "f");
  EXPECT_EQ(entries[2].size, 7);
  EXPECT_EQ(entries[2].mode, 0600u);
  ASSERT_TRUE(disk().write_file(in("a/f"), "x", 0644).has_value());
  EXPECT_EQ(disk().stat(in("a/f"))->mode, 0600u) << "an existing file keeps its mode";
}

TEST_P(Disks, ErrorTextsAreGos) {
  const std::string none = in("none"), file = in("file");
  ASSERT_TRUE(disk().write_file(file, "x", 0644).has_value());
  EXPECT_EQ(text(disk().read_file(none)), "open " + none + ": no such file or directory");
  EXPECT_EQ(disk().read_file(none).error().code(), Code::kNotFound);
  EXPECT_EQ(text(disk().read_file(root_)), "read " + root_ + ": is a directory");
  EXPECT_EQ(text(disk().stat(none)), "stat " + none + ": no such file or directory");
  EXPECT_EQ(text(disk().lstat(none)), "lstat " + none + ": no such file or directory");
  EXPECT_EQ(text(disk().stat(file + "/x")), "stat " + file + "/x: not a directory");
  EXPECT_EQ(text(disk().read_dir(none)), "open " + none + ": no such file or directory");
  EXPECT_EQ(text(disk().read_dir(file)), "open " + file + ": not a directory");
  EXPECT_EQ(text(disk().remove(none)), "remove " + none + ": no such file or directory");
  EXPECT_EQ(text(disk().make_dirs(file)), "mkdir " + file + ": not a directory");
  EXPECT_EQ(text(disk().make_dirs(file + "/a/b")), "mkdir " + file + ": not a directory");
  EXPECT_EQ(text(disk().rename(none, file)),
            "rename " + none + " " + file + ": no such file or directory");
  EXPECT_EQ(text(disk().write_file(in("no/x"), "", 0644)),
            "open " + in("no/x") + ": no such file or directory");
  EXPECT_EQ(text(disk().read_file(file, 0)), "read " + file + ": file too large");
  EXPECT_EQ(text(disk().stat(file + std::string(1, '\0'))),
            "stat " + file + std::string(1, '\0') + ": invalid argument");
}

TEST_P(Disks, LinksAreFollowedLoopsAreNot) {
  ASSERT_TRUE(disk().make_dirs(in("d")).has_value());
  ASSERT_TRUE(disk().write_file(in("d/f"), "x", 0644).has_value());
  link(in("to-d"), "d");
  link(in("loop"), "loop");
  EXPECT_EQ(disk().read_file(in("to-d/f")).value(), "x");
  EXPECT_EQ(disk().lstat(in("to-d"))->type, FileType::kSymlink);
  EXPECT_EQ(disk().stat(in("to-d"))->type, FileType::kDirectory);
  EXPECT_EQ(disk().read_link(in("to-d")).value(), "d");
  EXPECT_EQ(disk().real_path(in("to-d/../to-d/f")).value(), in("d/f"));
  EXPECT_EQ(text(disk().stat(in("loop"))),
            "stat " + in("loop") + ": too many levels of symbolic links");
  EXPECT_FALSE(disk().real_path(in("loop")).has_value());
  ASSERT_TRUE(disk().write_file(in("to-d/f"), "y", 0644).has_value());
  EXPECT_EQ(disk().read_file(in("d/f")).value(), "y");
  ASSERT_TRUE(disk().remove_all(in("to-d")).has_value());
  EXPECT_TRUE(disk().stat(in("d/f")).has_value()) << "remove_all does not follow";
}

TEST_P(Disks, RemoveAndRename) {
  ASSERT_TRUE(disk().make_dirs(in("a/b")).has_value());
  ASSERT_TRUE(disk().write_file(in("a/b/f"), "x", 0644).has_value());
  EXPECT_EQ(text(disk().remove(in("a"))), "remove " + in("a") + ": directory not empty");
  ASSERT_TRUE(disk().rename(in("a"), in("c")).has_value());
  EXPECT_EQ(disk().read_file(in("c/b/f")).value(), "x");
  ASSERT_TRUE(disk().remove(in("c/b/f")).has_value());
  ASSERT_TRUE(disk().remove(in("c/b")).has_value());
  ASSERT_TRUE(disk().remove_all(in("c")).has_value());
  ASSERT_TRUE(disk().remove_all(in("c")).has_value()) << "absent is fine";
  EXPECT_TRUE(disk().read_dir(root_).value().empty());
}

TEST_P(Disks, GlobFindsNamesInOrder) {
  for (const char* name : {"x/b-1.tgz", "x/a-1.tgz", "x/a-2.tgz", "y/a-3.tgz"}) {
    ASSERT_TRUE(disk().make_dirs(in(std::string(name, 1))).has_value());
    ASSERT_TRUE(disk().write_file(in(name), "", 0644).has_value());
  }
  EXPECT_EQ(glob(disk(), in("x/a-*.tgz")).value(),
            (std::vector<std::string>{in("x/a-1.tgz"), in("x/a-2.tgz")}));
  EXPECT_EQ(glob(disk(), in("*/a-[23].tgz")).value(),
            (std::vector<std::string>{in("x/a-2.tgz"), in("y/a-3.tgz")}));
  EXPECT_TRUE(glob(disk(), in("none/*")).value().empty());
  EXPECT_EQ(text(glob(disk(), "[")), "syntax error in pattern");
}

INSTANTIATE_TEST_SUITE_P(Kinds, Disks, testing::Values(true, false),
                         [](const auto& p) { return p.param ? "real" : "memory"; });

TEST(RealDisk, DevicesAreReadUpToALimit) {
  const auto zero = real_disk().read_file("/dev/zero");
  ASSERT_FALSE(zero.has_value());
  EXPECT_EQ(zero.error().code(), Code::kResourceExhausted);
  EXPECT_EQ(real_disk().read_file("/dev/null").value(), "");
}

TEST(RealDisk, RealPathOfAMissingPartNamesIt) {
  const auto got = real_disk().real_path("/none-such/x/y");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().text(), "lstat /none-such: no such file or directory");
}

}  // namespace
}  // namespace pintle::sys
