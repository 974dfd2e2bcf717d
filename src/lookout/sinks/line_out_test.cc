#include "lookout/sinks/line_out.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "lookout/sinks/sink.h"
#include "sys/disk.h"

namespace pintle::lookout {
namespace {

// A pipe as small as pipes are.
struct Pipe {
  explicit Pipe(bool blocks = true) {
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 4096), 0);
    if (!blocks) EXPECT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  }
  ~Pipe() {
    for (const int fd : ends) ::close(fd);
  }
  std::string read_some(size_t most = 64 << 10) {
    std::string out(most, '\0');
    const ssize_t n = ::read(ends[0], out.data(), most);
    out.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return out;
  }
  int ends[2] = {-1, -1};
};

int64_t ms_of(const auto& what) {
  const auto from = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - from).count();
}

TEST(LineOut, WaitsNoLongerThanItMayAndEndsItsLineFirst) {
  for (const bool blocks : {true, false}) {
    Pipe pipe(blocks);
    LineOut out(pipe.ends[1]);
    const std::string longer = std::string(6000, 'x') + "\n";
    Status first = ok(), second = ok();
    EXPECT_LT(ms_of([&] { first = out.write(cat("short\n", longer), 100); }), 3000);
    EXPECT_FALSE(first);
    EXPECT_EQ(first.error().code(), Code::kDeadlineExceeded);
    EXPECT_LT(ms_of([&] { second = out.write("next\n", 50); }), 3000) << "still full";
    EXPECT_FALSE(second);
    std::string got;
    std::thread reader([&] {
      while (!got.ends_with("next\n")) got += pipe.read_some();
    });
    EXPECT_TRUE(out.write("next\n", 10'000));
    reader.join();
    EXPECT_EQ(got, cat("short\n", longer, "next\n"));
  }
}

TEST(LineOut, ALineThatWasNotBegunIsNotRemembered) {
  Pipe pipe;
  LineOut out(pipe.ends[1]);
  EXPECT_TRUE(out.write(std::string(4095, 'x') + "\n", 1000));
  EXPECT_FALSE(out.write("lost\n", 20));
  (void)pipe.read_some();
  EXPECT_TRUE(out.write("next\n", 1000));
  EXPECT_EQ(pipe.read_some(), "next\n");
}

TEST(LineOut, LinesOfManyStayWhole) {
  Pipe pipe;
  LineOut out(pipe.ends[1]);
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'e'; ++c) {
    writers.emplace_back([&out, c] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(out.write(std::string(3000, c) + "\n", 20'000));
    });
  }
  std::string got;
  while (got.size() < 4 * 20 * 3001) got += pipe.read_some();
  for (std::thread& t : writers) t.join();
  for (const std::string_view line : split(without_suffix(got, "\n"), "\n")) {
    EXPECT_EQ(line, std::string(3000, line[0]));
  }
}

TEST(LineOut, WhoseReaderIsGoneSaysSo) {
  Pipe pipe;
  LineOut out(pipe.ends[1]);
  ::close(pipe.ends[0]);
  pipe.ends[0] = -1;
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const Status s = out.write("x\n", 1000);
  ::signal(SIGPIPE, before);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code(), Code::kUnavailable);
}

// Standard output itself, full: nothing is printed meanwhile.
TEST(Stdout, FullItIsAFailureThatIsTriedAgain) {
  Claimed c;
  c.subscription.sink_kind = "stdout";
  c.subscription.options = R"({"timeout_ms":100})";
  c.event.event.message = std::string(8000, 'x');
  Pipe pipe;
  ::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(pipe.ends[1], STDOUT_FILENO);
  Verdict full;
  const int64_t took = ms_of([&] { full = find_sink("stdout")->send({&c, 1}, {1, {}, sys::real_disk(), {}, {}}); });
  (void)pipe.read_some();
  c.event.event.message = "y";
  std::string got;
  std::thread reader([&] {
    while (got.find("\"y\"") == got.npos) got += pipe.read_some();
  });
  const Verdict next = find_sink("stdout")->send({&c, 1}, {1, {}, sys::real_disk(), {}, {}});
  reader.join();
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  EXPECT_EQ(full.outcome, Outcome::kRetry);
  EXPECT_FALSE(full.alive);
  EXPECT_EQ(full.why, "standard output: nobody reads it");
  EXPECT_LT(took, 3000);
  EXPECT_EQ(next.outcome, Outcome::kSucceeded);
  EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 2) << "the line that was begun has its end";
}

}  // namespace
}  // namespace pintle::lookout
