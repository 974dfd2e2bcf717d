#include "http/answer.h"

#include <algorithm>
#include <charconv>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::http {
namespace {

constexpr size_t kMaxHead = 1 << 20;
constexpr size_t kMaxChunkLine = 4096;
constexpr size_t kFirstRoom = 1 << 20;  // a body's promised length is believed up to here

bool digits(std::string_view s, uint64_t& out, int base) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out, base);
  return !s.empty() && error == std::errc() && end == s.data() + s.size();
}

// "HTTP/1.1 200 OK"; 0: none of ours.
int status_of(std::string_view line, bool& keeps) {
  uint64_t code = 0;
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return 0;
  if (line.size() > 12 && line[12] != ' ') return 0;
  if (!digits(line.substr(9, 3), code, 10) || code < 100) return 0;
  keeps = line[7] != '0';
  return static_cast<int>(code);
}

}  // namespace

// True when a whole line stands in line_, without its end.
bool AnswerReader::take_line(std::string_view& bytes) {
  const size_t end = bytes.find('\n');
  line_.append(bytes.substr(0, end));
  if (end == std::string_view::npos) {
    bytes = {};
    return false;
  }
  bytes.remove_prefix(end + 1);
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

AnswerReader::State AnswerReader::head_end() {
  const int status = response_.status;
  if (status < 200) {  // 100 Continue and its like stand before the answer; 101 is another protocol
    if (status == 101) return stop(State::kBroken);
    response_ = {};
    phase_ = Phase::kStatus;
    return State::kMore;
  }
  head_done_ = true;
  bool chunked = false, sized = false;
  for (const auto& [name, value] : response_.headers) {
    if (name == "transfer-encoding") {
      if (to_lower(value) != "chunked" || chunked) return stop(State::kBroken);
      chunked = true;
    } else if (name == "content-length") {
      uint64_t length = 0;
      if (!digits(value, length, 10) || (sized && length != left_)) return stop(State::kBroken);
      sized = true;
      left_ = length;
    } else if (name == "connection" && to_lower(value).find("close") != std::string::npos) {
      reusable_ = false;
    }
  }
  if (bodiless_ || status == 204 || status == 304) return stop(State::kDone);
  if (chunked) {
    phase_ = Phase::kChunkSize;
    return State::kMore;
  }
  if (!sized) {
    reusable_ = false;
    phase_ = Phase::kToEnd;
    return State::kMore;
  }
  if (left_ > max_body_) return stop(State::kTooLong);
  if (left_ == 0) return stop(State::kDone);
  response_.body.reserve(std::min<size_t>(left_, kFirstRoom));
  phase_ = Phase::kSized;
  return State::kMore;
}

AnswerReader::State AnswerReader::line() {
  const std::string line = std::exchange(line_, {});
  switch (phase_) {
    case Phase::kStatus:
      response_.status = status_of(line, reusable_);
      if (response_.status == 0) return stop(State::kBroken);
      phase_ = Phase::kHeaders;
      return State::kMore;
    case Phase::kHeaders: {
      if (line.empty()) return head_end();
      const size_t colon = line.find(':');
      if (colon == std::string::npos || colon == 0) return stop(State::kBroken);
      response_.headers.emplace_back(to_lower(line.substr(0, colon)),
                                     trim_space(std::string_view(line).substr(colon + 1)));
      return State::kMore;
    }
    case Phase::kChunkSize: {
      const std::string_view size = trim_space(std::string_view(line).substr(0, line.find(';')));
      if (!digits(size, left_, 16)) return stop(State::kBroken);
      phase_ = left_ > 0 ? Phase::kChunk : Phase::kTrailers;
      return State::kMore;
    }
    case Phase::kChunkEnd:
      if (!line.empty()) return stop(State::kBroken);
      phase_ = Phase::kChunkSize;
      return State::kMore;
    default: return line.empty() ? stop(State::kDone) : State::kMore;  // trailers mean nothing to us
  }
}

AnswerReader::State AnswerReader::body(std::string_view& bytes) {
  size_t n = bytes.size();
  if (phase_ != Phase::kToEnd) n = static_cast<size_t>(std::min<uint64_t>(n, left_));
  if (n > max_body_ - response_.body.size()) return stop(State::kTooLong);
  response_.body.append(bytes.substr(0, n));
  bytes.remove_prefix(n);
  left_ -= phase_ == Phase::kToEnd ? 0 : n;
  if (left_ > 0 || phase_ == Phase::kToEnd) return State::kMore;
  if (phase_ == Phase::kSized) return stop(State::kDone);
  phase_ = Phase::kChunkEnd;
  return State::kMore;
}

AnswerReader::State AnswerReader::feed(std::string_view bytes) {
  begun_ = begun_ || !bytes.empty();
  while (state_ == State::kMore && !bytes.empty()) {
    if (phase_ == Phase::kSized || phase_ == Phase::kToEnd || phase_ == Phase::kChunk) {
      body(bytes);
      continue;
    }
    const size_t before = bytes.size();
    const bool whole = take_line(bytes);
    const bool chunk = phase_ == Phase::kChunkSize || phase_ == Phase::kChunkEnd;
    if (!chunk) head_bytes_ += before - bytes.size();
    if (head_bytes_ > kMaxHead || (chunk && line_.size() > kMaxChunkLine)) return stop(State::kBroken);
    if (whole) line();
  }
  if (state_ == State::kDone && !bytes.empty()) reusable_ = false;  // an answer nobody asked for
  return state_;
}

AnswerReader::State AnswerReader::end() {
  if (state_ != State::kMore) return state_;
  return stop(phase_ == Phase::kToEnd ? State::kDone : State::kCut);
}

}  // namespace pintle::http
