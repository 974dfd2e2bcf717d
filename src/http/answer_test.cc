#include "http/answer.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::http {
namespace {

using State = AnswerReader::State;

struct Outcome {
  State state;
  int status = 0;
  std::string body = {};
  bool reusable = false;
};

bool operator==(const Outcome& a, const Outcome& b) {
  return a.state == b.state && a.status == b.status && a.body == b.body && a.reusable == b.reusable;
}

// Read in pieces of `step` bytes; the connection ends behind them.
Outcome read(std::string_view bytes, size_t step, bool bodiless = false, size_t max_body = 100) {
  AnswerReader reader(bodiless, max_body);
  State state = State::kMore;
  for (size_t at = 0; at < bytes.size() && state == State::kMore; at += step) {
    state = reader.feed(bytes.substr(at, step));
  }
  if (state == State::kMore) state = reader.end();
  if (state != State::kDone) return {state};
  const bool reusable = reader.reusable();
  const Response r = reader.take();
  return {state, r.status, r.body, reusable};
}

struct Case {
  std::string_view claim, bytes;
  Outcome outcome;
  bool bodiless = false;
};

const Case kCases[] = {
    {"a length ends the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", {State::kDone, 200, "abc", true}},
    {"an empty body", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", {State::kDone, 404, "", true}},
    {"no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", {State::kDone, 200, "", true}},
    {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
     {State::kDone, 200, "abc0123456789", true}},
    {"trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n",
     {State::kDone, 200, "a", true}},
    {"the connection's end ends the body", "HTTP/1.1 200 OK\r\n\r\nabc", {State::kDone, 200, "abc", false}},
    {"asked to close", "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\na",
     {State::kDone, 200, "a", false}},
    {"HTTP/1.0 closes", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", {State::kDone, 200, "a", false}},
    {"100 Continue comes before the answer",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na", {State::kDone, 201, "a", true}},
    {"204 has no body", "HTTP/1.1 204 No Content\r\n\r\n", {State::kDone, 204, "", true}},
    {"304 has no body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", {State::kDone, 304, "", true}},
    {"HEAD has no body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", {State::kDone, 200, "", true}, true},
    {"bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 1\n\na", {State::kDone, 200, "a", true}},
    {"the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
     {State::kDone, 200, "a", true}},

    {"nothing", "", {State::kCut}},
    {"cut in the head", "HTTP/1.1 200 OK\r\nConte", {State::kCut}},
    {"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", {State::kCut}},
    {"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", {State::kCut}},
    {"cut before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", {State::kCut}},

    {"too long by its length", "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", {State::kTooLong}},
    {"too long by its chunk",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n"
     "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x\r\n",
     {State::kTooLong}},

    {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", {State::kBroken}},
    {"HTTP/2", "HTTP/2.0 200 OK\r\n", {State::kBroken}},
    {"a status of letters", "HTTP/1.1 abc OK\r\n", {State::kBroken}},
    {"a status of four digits", "HTTP/1.1 2000 OK\r\n", {State::kBroken}},
    {"another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", {State::kBroken}},
    {"a header without a colon", "HTTP/1.1 200 OK\r\nabc\r\n", {State::kBroken}},
    {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", {State::kBroken}},
    {"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", {State::kBroken}},
    {"another encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", {State::kBroken}},
    {"a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", {State::kBroken}},
    {"a chunk beyond numbers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
     {State::kBroken}},
    {"a chunk longer than it says", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", {State::kBroken}},
};

TEST(AnswerReader, reads_the_same_however_it_is_cut) {
  for (const Case& c : kCases) {
    for (size_t step : {size_t{1}, size_t{2}, size_t{7}, c.bytes.size() + 1}) {
      EXPECT_EQ(read(c.bytes, step, c.bodiless), c.outcome) << c.claim << ", " << step;
    }
  }
}

TEST(AnswerReader, lowers_names_and_trims_values) {
  AnswerReader reader(false, 100);
  ASSERT_EQ(reader.feed("HTTP/1.1 200 OK\r\nX-Thing:  A b \r\nWarning: 1\r\nWarning: 2\r\nContent-Length: 0\r\n\r\n"),
            State::kDone);
  const Response r = reader.take();
  EXPECT_EQ(r.header("x-thing"), "A b");
  EXPECT_EQ(r.headers.size(), 4u);
}

TEST(AnswerReader, does_not_reuse_a_connection_that_says_more_than_asked) {
  AnswerReader reader(false, 100);
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"), State::kDone);
  EXPECT_FALSE(reader.reusable());
}

TEST(AnswerReader, refuses_a_head_without_end) {
  AnswerReader reader(false, 100);
  State state = reader.feed("HTTP/1.1 200 OK\r\n");
  const std::string line = cat("X: ", std::string(1000, 'x'), "\r\n");
  size_t fed = 0;
  for (; state == State::kMore && fed < (4u << 20); fed += line.size()) state = reader.feed(line);
  EXPECT_EQ(state, State::kBroken);
  EXPECT_LE(fed, (1u << 20) + 2000);
}

}  // namespace
}  // namespace pintle::http
