// What a reflector reads: items of a list and frames of a watch become objects, and those go to the
// sink as they come, or all at once when a list is whole; bookmarks move its place.
#include <algorithm>

#include "base/strings.h"
#include "informer/reflector.h"
#include "informer/scan.h"

namespace pintle::informer {
namespace {

constexpr int kChunksPerTurn = 4;  // then other watches have theirs

}  // namespace

void Reflector::pump() {
  if (!inlet_) return;
  const Inlet* stream = inlet_.get();
  const auto left = [&] { return inlet_.get() != stream; };
  if (state_ == State::kWatch && (lost_ || broken_starts_ > 0) && stream->answered()) {
    lost_ = false;
    broken_starts_ = 0;
    counters_.last_error.clear();
    sink_.moved();
  }
  for (int chunks = 0;; ++chunks) {
    if (!decode() || left()) return;
    if (chunks == kChunksPerTurn) {
      sink_.flush();
      if (!left()) inlet_->call_again();
      return;
    }
    chunk_.clear();
    if (!inlet_->take(chunk_)) break;
    answered_ = true;
    if (!initial_over_) heard_at_ = loop_.clock().monotonic_ns();
    lists() ? list_->feed(chunk_) : frames_in_->feed(chunk_);
  }
  if (chunk_.capacity() > (16 << 10)) std::string().swap(chunk_);
  sink_.flush();
  if (left()) return;
  if (auto end = inlet_->ended()) on_end(std::move(*end));
}

bool Reflector::decode() {
  const Inlet* stream = inlet_.get();
  for (;;) {
    if (sink_.full()) {
      sink_.flush();
      if (sink_.full()) {
        leave_out_hold_up(true);
        return false;
      }
    }
    if (held_up_at_ != 0) leave_out_hold_up(false);
    const bool list = lists();
    auto next = list ? list_->next() : frames_in_->next();
    if (!next) {
      on_end(std::move(next).error());
      return false;
    }
    if (!*next) return true;
    Status taken = list ? take_item(**next) : take_frame(**next);
    if (inlet_.get() != stream) return false;
    if (!taken) {
      sink_.flush();
      on_end(std::move(taken));
      return false;
    }
  }
}

Result<ObjectPtr> Reflector::make(std::string_view json) {
  ObjectPtr o = TRY(Object::parse(json));
  ObjectPtr held = o->resource_version().empty() ? nullptr
                                                  : sink_.held(o->key(), o->resource_version());
  if (held && held->uid() != o->uid()) held = nullptr;
  if (held && !set_back_) return held;
  // A restored server has given its version to another state, or it is the same to the letter.
  const auto same_or = [&](ObjectPtr made) {
    return held && held->text() == made->text() ? held : std::move(made);
  };
  if (!options_.transform) return same_or(std::move(o));
  auto text = options_.transform(std::string(json));
  if (!text) {
    ++counters_.transform_failures;
    return Error::wrap(cat("unable to transform ", o->key()), std::move(text).error());
  }
  return same_or(TRY(Object::parse(*text)));
}

Status Reflector::take_item(std::string_view item) {
  if (state_ == State::kCheck) {
    const ObjectPtr one = TRY(Object::parse(item));
    found_version_ = one->resource_version();
    return ok();
  }
  if (list_->cut()) {
    pass_over(item);
    return ok();
  }
  ObjectPtr object = TRY(make(item));
  ++counters_.list_items;
  know(*object);
  if (options_.stream_lists) {
    hand_on(Delta::Kind::kAdded, std::move(object));
  } else {
    items_.push_back(std::move(object));
  }
  return ok();
}

// Of an object that is too long there is its metadata at most. A list that left it out would tell
// that it is gone.
void Reflector::pass_over(std::string_view head) {
  const auto one = Object::parse(head);
  const std::string key = one ? cat(": ", (*one)->key()) : "";
  note(Error(Code::kResourceExhausted,
             cat("an object is longer than ", options_.max_value, " bytes", key)));
  ++counters_.skipped_frames;
  if (!one) return;
  if (state_ == State::kWatch) {
    if (!unordered_ && !(*one)->resource_version().empty()) last_version_ = (*one)->resource_version();
    return;
  }
  ObjectPtr held = initial_.contains((*one)->key()) ? nullptr : sink_.held((*one)->key(), "");
  if (!held) return;
  if (state_ == State::kWatchList && !options_.stream_lists) {
    take_initial(Delta::Kind::kAdded, std::move(held));
  } else {
    items_.push_back(std::move(held));
  }
}

void Reflector::know(const Object& o) {
  if (!newest_.key.empty() && !older_version(newest_.version, o.resource_version())) return;
  newest_.key = o.key();
  newest_.version = o.resource_version();
}

// One of a list that is streamed on; without a text the sink has it.
void Reflector::hand_on(Delta::Kind what, ObjectPtr object) {
  const bool news = !object->text().empty();
  ObjectPtr heads = news ? Object::heads_of(*object) : object;
  if (what != Delta::Kind::kDeleted) items_.push_back(heads);
  if (!news) {
    ++counters_.unchanged;
    return;
  }
  if (told_version().empty() || older_version(told_version(), object->resource_version())) {
    least_version_ = object->resource_version();
  }
  sink_.push({.kind = what,
              .object = std::move(object),
              .kept = std::move(heads),
              .listed = true,
              .anew = set_back_});
}

bool Reflector::of_another_kind(std::string_view json) const {
  if (kind_.empty()) return false;
  if (string_at(json, {"kind"}) != kind_) return true;
  return !api_version_.empty() && string_at(json, {"apiVersion"}) != api_version_;
}

Status Reflector::take_frame(std::string_view frame) {
  if (frames_in_->cut()) {
    ++frames_;
    pass_over(frame);
    return ok();
  }
  std::string_view type, json, key;
  Scan s(frame);
  if (s.open('{')) {
    while (s.member(key)) {
      const std::string_view value = s.take();
      if (key == "type") type = plain(value).value_or("");
      if (key == "object") json = value;
    }
  }
  if (!s.ok() || !s.at_end()) return Error(Code::kDataLoss, "unable to decode a watch frame");
  ++frames_;
  if (type == "ERROR") return frame_error(json);
  if (of_another_kind(json) ||
      (type != "ADDED" && type != "MODIFIED" && type != "DELETED" && type != "BOOKMARK")) {
    ++counters_.skipped_frames;
    return ok();
  }
  if (type == "BOOKMARK") {
    if (!take_bookmark(json)) {
      uncertain_ = true;
      begin_watch();
    }
    return ok();
  }
  const uint64_t failures = counters_.transform_failures;
  auto object = make(json);
  std::string version = object ? std::string((*object)->resource_version())
                               : string_at(json, {"metadata", "resourceVersion"});
  if (!object) {
    note(object.error());
    if (failures == counters_.transform_failures) {
      ++counters_.skipped_frames;
      return ok();
    }
  }
  ++counters_.watch_items;
  failing_since_ = 0;
  const Delta::Kind what = type == "ADDED"      ? Delta::Kind::kAdded
                           : type == "MODIFIED" ? Delta::Kind::kUpdated
                                                : Delta::Kind::kDeleted;
  if (object && what != Delta::Kind::kDeleted) know(**object);
  if (object && what == Delta::Kind::kDeleted && newest_.key == (*object)->key()) newest_ = {};
  if (state_ == State::kWatchList) {
    initial_over_ = initial_over_ || what != Delta::Kind::kAdded;
    if (object && options_.stream_lists) {
      hand_on(what, std::move(*object));
    } else if (object) {
      take_initial(what, std::move(*object));
    }
    return ok();
  }
  if (what != Delta::Kind::kAdded) unordered_ = false;
  if (unordered_) version.clear();
  if (!version.empty()) last_version_ = version;
  if (!object) return ok();
  sink_.push({what, std::move(*object), {}, std::move(version)});
  return ok();
}

// The streaming list's own store: the objects in the order they came.
void Reflector::take_initial(Delta::Kind what, ObjectPtr object) {
  const auto at = initial_.find(object->key());
  if (at != initial_.end()) {
    const size_t slot = at->second;
    initial_.erase(at);  // its key lives in the object it names
    items_[slot] = nullptr;
  }
  if (what == Delta::Kind::kDeleted) return;
  items_.push_back(std::move(object));
  initial_.emplace(items_.back()->key(), items_.size() - 1);
}

// False: it cannot be of the server that was watched so far.
bool Reflector::take_bookmark(std::string_view json) {
  ++counters_.watch_bookmarks;
  const std::string version = string_at(json, {"metadata", "resourceVersion"});
  if (state_ == State::kWatch) {
    const int64_t now = loop_.clock().monotonic_ns();
    const bool first = bookmark_every_ == 0;
    bookmarks_came_ = true;
    bookmark_every_ = std::max(bookmark_every_, now - std::exchange(bookmark_at_, now));
    if (first && silence_ == 0) watch_silence();
    unordered_ = false;
    failing_since_ = 0;
    if (older_version(version, last_version_)) return false;
    if (version.empty()) return true;
    last_version_ = version;
    sink_.push({Delta::Kind::kBookmark, nullptr, {}, version});
    return true;
  }
  if (string_at(json, {"metadata", "annotations", "k8s.io/initial-events-end"}) != "true") {
    initial_over_ = true;
    return true;
  }
  initial_.clear();
  std::erase(items_, nullptr);
  counters_.list_items += items_.size();
  if (options_.lists_alone) {
    incomplete_ = 0;
    listed(version);
    sink_.flush();
    begin_watch();
    return true;
  }
  // The same stream goes on as the watch.
  state_ = State::kWatch;
  loop_.cancel(silence_);
  silence_ = 0;
  incomplete_ = 0;
  listed(version);
  initial_over_ = false;
  bookmark_at_ = heard_at_ = loop_.clock().monotonic_ns();
  watch_silence();
  return true;
}

// items_ are what there is at this version.
void Reflector::listed(std::string version) {
  ++counters_.lists;
  counters_.list_ns += loop_.clock().monotonic_ns() - list_began_;
  counters_.last_error.clear();
  if (older_version(version, told_version())) set_back(version);
  version_unavailable_ = unordered_ = uncertain_ = lost_ = false;
  if (options_.order) {
    std::stable_sort(items_.begin(), items_.end(), [&](const ObjectPtr& a, const ObjectPtr& b) {
      return options_.order(*a, *b);
    });
  }
  sink_.push({.kind = Delta::Kind::kReplaced,
              .objects = std::exchange(items_, {}),
              .version = version,
              .told = options_.stream_lists,
              .anew = std::exchange(set_back_, false)});
  last_version_ = std::move(version);
}

}  // namespace pintle::informer
