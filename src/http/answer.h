// Reads one HTTP/1.1 answer from pieces cut anywhere. Pure; memory is bounded by `max_body` and by
// 1 MiB of head. Inside this room only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/http.h"

namespace pintle::http {

class AnswerReader {
 public:
  enum class State : uint8_t {
    kMore,     // the answer goes on
    kDone,     // it is complete
    kCut,      // only of `end`: the connection closed in the middle of it
    kTooLong,  // a body beyond max_body
    kBroken,   // no HTTP/1 answer
  };
  // `bodiless`: the answer to a HEAD.
  AnswerReader(bool bodiless, size_t max_body) : bodiless_(bodiless), max_body_(max_body) {}

  State feed(std::string_view bytes);
  State end();  // no byte will follow

  bool begun() const { return begun_; }            // any byte came
  bool answered() const { return head_done_; }     // the head is complete
  // After kDone: the connection may carry another request.
  bool reusable() const { return reusable_ && state_ == State::kDone; }
  Response take() { return std::move(response_); }  // after kDone

 private:
  enum class Phase : uint8_t { kStatus, kHeaders, kSized, kToEnd, kChunkSize, kChunk, kChunkEnd, kTrailers };
  bool take_line(std::string_view& bytes);
  State line();
  State head_end();
  State body(std::string_view& bytes);
  State stop(State s) { return state_ = s; }

  const bool bodiless_;
  const size_t max_body_;
  State state_ = State::kMore;
  Phase phase_ = Phase::kStatus;
  bool begun_ = false, head_done_ = false, reusable_ = false;
  size_t head_bytes_ = 0;
  uint64_t left_ = 0;  // of the body or the chunk
  std::string line_;   // what came of the line under way
  Response response_;
};

}  // namespace pintle::http
