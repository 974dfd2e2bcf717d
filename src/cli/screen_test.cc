#include "cli/screen.h"

#include <gtest/gtest.h>

namespace pintle::cli {
namespace {

struct Terminal {
  std::string text;
  ScreenSize size{20, 5};
  Screen screen{[this](std::string_view t) { text += t; }, [this] { return size; }};
  std::string after(std::string_view picture) {
    text.clear();
    screen.show(picture);
    return text;
  }
};

TEST(CutLine, KeepsWhatFits) {
  EXPECT_EQ(cut_line("abcde", 5), "abcde");
  EXPECT_EQ(cut_line("abcdef", 5), "ab...");
  EXPECT_EQ(cut_line("äöüäöü", 5), "äö...");
  EXPECT_EQ(cut_line("漢字漢字", 6), "漢...");
  EXPECT_EQ(cut_line("abc", 2), "");
  EXPECT_EQ(cut_line("\xff\xf0", 5), "\xff\xf0");
}

TEST(Screen, RedrawsInPlaceAndLeavesNothing) {
  Terminal t;
  EXPECT_EQ(t.after("one\ntwo"), "one\ntwo");
  EXPECT_EQ(t.after("three"), "\r\x1b[1A\x1b[Jthree");
  EXPECT_EQ(t.after(""), "\r\x1b[J");
  EXPECT_EQ(t.after(""), "");
}

TEST(Screen, FollowsTheTerminalsSize) {
  Terminal t;
  EXPECT_EQ(t.after("a\nb\nc\nd\ne\nf"), "a\nb\nc\nd");
  t.size = {8, 3};
  EXPECT_EQ(t.after("123456789\nb\nc"), "\r\x1b[3A\x1b[J1234...\nb");
}

TEST(Screen, DrawsNoEscapesOfOthers) {
  Terminal t;
  EXPECT_EQ(t.after("a\x1b[2Jb\x07"), "a[2Jb");
}

}  // namespace
}  // namespace pintle::cli
