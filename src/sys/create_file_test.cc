#include "sys/create_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace pintle::sys {
namespace {

TEST(CreateFile, OneOfManyMakesItAndNothingElseIsLeft) {
  std::string folder = testing::TempDir() + "create_file.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/key";
  std::atomic<int> made{-1}, count{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i) {
    all.emplace_back([&, i] {
      const auto done = create_file(path, std::string(64, static_cast<char>('a' + i)), 0600);
      ASSERT_TRUE(done) << done.error().text();
      if (!*done) return;
      made = i;
      ++count;
    });
  }
  for (std::thread& t : all) t.join();
  EXPECT_EQ(count, 1);
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(text, std::string(64, static_cast<char>('a' + made)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  struct stat st {};
  ASSERT_EQ(::stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  std::filesystem::remove_all(folder);
}

TEST(CreateFile, SaysWhereItCannot) {
  const auto done = create_file("/nowhere/key", "x", 0600);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text(), "open /nowhere/key: no such file or directory");
}

}  // namespace
}  // namespace pintle::sys
