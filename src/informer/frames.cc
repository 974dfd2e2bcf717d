#include "informer/frames.h"

#include <charconv>
#include <utility>

#include "base/strings.h"
#include "informer/scan.h"

namespace pintle::informer {
namespace {

constexpr size_t kIdleBuffer = 16 << 10;  // ten thousand quiet watches keep no more than this each

Error too_long(size_t max) {
  return Error(Code::kResourceExhausted, cat("a part of a list is longer than ", max, " bytes"));
}
Error broken(std::string_view what) {
  return Error(Code::kDataLoss, cat("unable to decode the answer: ", what));
}

// What is given in place of a value that is too long.
std::string head_of(std::string_view begin, std::initializer_list<std::string_view> path) {
  const auto metadata = value_at(begin, path);
  return metadata ? cat("{\"metadata\":", *metadata, "}") : "";
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

bool Extent::run(std::string_view bytes, size_t& at) {
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (in_text_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_text_ = false;
        if (depth_ == 0) return ++at, true;
      }
      continue;
    }
    switch (c) {
      case '"':
        in_text_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        if (depth_ == 0) return true;  // the surrounding one's: a number or word ends before it
        if (--depth_ == 0) return ++at, true;
        break;
      case ',':
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        if (depth_ == 0) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

void FrameReader::feed(std::string_view bytes) {
  buffer_.erase(0, taken_);
  at_ -= taken_;
  taken_ = 0;
  buffer_ += bytes;
}

Result<std::optional<std::string_view>> FrameReader::next() {
  if (!begun_) {
    at_ = taken_;
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    taken_ = at_;
    if (at_ == buffer_.size()) {
      if (buffer_.capacity() > kIdleBuffer) std::string().swap(buffer_);
      buffer_.clear();
      taken_ = at_ = 0;
      return std::nullopt;
    }
    if (buffer_[at_] != '{') return broken("a watch frame is no JSON object");
    begun_ = true;
    extent_ = {};
  }
  const bool whole = extent_.run(buffer_, at_);
  const std::string_view frame = std::string_view(buffer_).substr(taken_, at_ - taken_);
  if (!over_ && frame.size() > max_) {
    over_ = true;
    head_ = head_of(frame.substr(0, max_), {"object", "metadata"});
  }
  if (!whole) {
    if (over_) {
      std::string().swap(buffer_);
      taken_ = at_ = 0;
    }
    return std::nullopt;
  }
  taken_ = at_;
  begun_ = false;
  cut_ = std::exchange(over_, false);
  return cut_ ? std::string_view(head_) : frame;
}

void ListReader::feed(std::string_view bytes) {
  const size_t keep = begun_ ? begin_ : at_;
  buffer_.erase(0, keep);
  at_ -= keep;
  begin_ = 0;
  buffer_ += bytes;
}

Status ListReader::member(std::string_view value) {
  if (key_ == "kind") kind_ = unquoted(value).value_or("");
  if (key_ == "items" && value != "null") return broken("the items of a list are no array");
  if (key_ != "metadata") return ok();
  version_ = string_at(value, {"resourceVersion"});
  continue_ = string_at(value, {"continue"});
  if (const auto n = value_at(value, {"remainingItemCount"})) {
    std::from_chars(n->data(), n->data() + n->size(), remaining_);
  }
  return ok();
}

Result<std::optional<std::string_view>> ListReader::next() {
  for (;;) {
    if (begun_) {  // inside a key, a value or an item
      const bool whole = extent_.run(buffer_, at_);
      const std::string_view value = std::string_view(buffer_).substr(begin_, at_ - begin_);
      if (!over_ && value.size() > max_) {
        if (state_ != State::kItem) return too_long(max_);
        over_ = true;
        head_ = head_of(value.substr(0, max_), {"metadata"});
      }
      if (!whole) {
        if (over_) {
          std::string().swap(buffer_);
          begin_ = at_ = 0;
        }
        return std::nullopt;
      }
      begun_ = false;
      if (state_ == State::kItem) {
        state_ = State::kAfterItem;
        cut_ = std::exchange(over_, false);
        return cut_ ? std::string_view(head_) : value;
      }
      if (state_ == State::kKey) {
        key_ = unquoted(value).value_or("");
        state_ = State::kColon;
      } else {
        TRY(member(value));
        state_ = State::kAfter;
      }
      continue;
    }
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    if (at_ == buffer_.size()) return std::nullopt;
    const char c = buffer_[at_];
    const auto begin = [&] {
      begin_ = at_;
      begun_ = true;
      extent_ = {};
    };
    const auto step = [&](State next, bool first = false) {
      ++at_;
      state_ = next;
      first_ = first;
    };
    switch (state_) {
      case State::kStart:
        if (c != '{') return broken("a list is no JSON object");
        step(State::kKey, true);
        break;
      case State::kKey:
        if (c == '}' && first_) {
          step(State::kDone);
        } else if (c == '"') {
          begin();
        } else {
          return broken("a key is missing in a list");
        }
        break;
      case State::kColon:
        if (c != ':') return broken("a colon is missing in a list");
        step(State::kValue);
        break;
      case State::kValue:
        if (c == '[' && key_ == "items") {
          step(State::kItem, true);
        } else if (c == ',' || c == '}' || c == ']' || c == ':') {
          return broken("a value is missing in a list");
        } else {
          begin();
        }
        break;
      case State::kItem:
        if (c == ']' && first_) {
          step(State::kAfter);
        } else if (c == '{') {
          begin();
        } else {
          return broken("an item of a list is no JSON object");
        }
        break;
      case State::kAfterItem:
        if (c != ',' && c != ']') return broken("a comma is missing between the items of a list");
        step(c == ',' ? State::kItem : State::kAfter);
        break;
      case State::kAfter:
        if (c != ',' && c != '}') return broken("a comma is missing in a list");
        step(c == ',' ? State::kKey : State::kDone);
        break;
      case State::kDone:
        return broken("something follows a list");
    }
  }
}

}  // namespace pintle::informer
