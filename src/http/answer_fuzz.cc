// Answers from hostile servers. The first byte says how the rest is cut; what is read must not depend
// on the cut, and no body may be longer than allowed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/answer.h"

namespace {

using pintle::http::AnswerReader;
constexpr size_t kMaxBody = 4096;

struct Read {
  AnswerReader::State state;
  pintle::http::Response response;
};

Read read(std::string_view text, size_t step, bool bodiless) {
  AnswerReader reader(bodiless, kMaxBody);
  auto state = AnswerReader::State::kMore;
  for (size_t at = 0; at < text.size() && state == AnswerReader::State::kMore; at += step) {
    state = reader.feed(text.substr(at, step));
  }
  state = reader.end();
  Read out{state, {}};
  if (state == AnswerReader::State::kDone) out.response = reader.take();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool bodiless = (data[0] & 1) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = read(text, size, bodiless), cut = read(text, 1u + (data[0] >> 1), bodiless);
  if (whole.state != cut.state || whole.response.status != cut.response.status ||
      whole.response.headers != cut.response.headers || whole.response.body != cut.response.body ||
      whole.response.body.size() > kMaxBody) {
    abort();
  }
  return 0;
}
