// The machine: list_and_watch() begins a pass; each request opens a stream into an Inlet, pump()
// moves what came through the reader of the state it is in, and the end of the stream decides what
// is next (list_ended, watch_list_ended, watch_ended). fail() ends the pass: the next begins after
// the backoff. What is read is reflector_reading.cc's.
#include "informer/reflector.h"

#include <algorithm>

#include "base/strings.h"
#include "informer/scan.h"

namespace pintle::informer {
namespace {

constexpr int64_t kPageSize = 500;
constexpr int64_t kShortWatchNs = kSecond;
constexpr int kRequestRetries = 10;
constexpr int64_t kSlowRetryNs = 60 * kSecond;  // denied, or not served
constexpr int64_t kLongestRetryAfterSeconds = 120;
constexpr int64_t kSilenceCheckNs = 10 * kSecond;
// A streaming list: without a byte, or after the initial events; and in all, when a server ends it.
constexpr int64_t kInitialSilenceNs = 30 * kSecond, kInitialLongestNs = 300 * kSecond;
constexpr int64_t kAnswerNs = 10 * kSecond;  // a watch is answered before it has anything to say
constexpr int64_t kBookmarkSilenceNs = 90 * kSecond, kBookmarkSlackNs = 15 * kSecond;
constexpr int64_t kCheckMs = 30'000;
constexpr int64_t kListSilenceNs = 75 * kSecond;  // a list without a byte: servers give up at 60 s
constexpr int64_t kInternalMemoryNs = 60 * kSecond;
constexpr int64_t kKeepPlaceNs = 600 * kSecond;
constexpr int kIncompleteStreams = 3;

// It says nothing of the objects or of the version that was asked.
bool passes(const Error& e) {
  if (const auto* s = e.find<kube::ApiStatus>()) {
    return refusal_of(e) == Refusal::kDenied || (s->code >= 500 && s->reason != "StoreReadError");
  }
  return e.code() != Code::kDataLoss && e.code() != Code::kResourceExhausted;
}

Error cut_list() { return Error(Code::kDataLoss, "unexpected EOF in a list"); }

}  // namespace

Reflector::Reflector(Loop& loop, kube::Rest& rest, Resource resource, Sink& sink, Random random,
                     ReflectorOptions options)
    : loop_(loop),
      rest_(rest),
      resource_(std::move(resource)),
      kind_(resource_.metadata_only ? "PartialObjectMetadata" : resource_.kind),
      api_version_(resource_.metadata_only ? "meta.k8s.io/v1" : api_version_of(resource_)),
      sink_(sink),
      random_(random),
      options_(std::move(options)),
      backoff_(loop.clock(), random, options_.backoff) {}

Reflector::~Reflector() { stop(); }

void Reflector::start() {
  if (state_ != State::kStopped) return;
  if (least_version_.empty()) least_version_ = options_.least_version;
  if (options_.start_version.empty() || !last_version_.empty()) return list_and_watch();
  last_version_ = options_.start_version;
  uncertain_ = true;
  begin_watch();
}

void Reflector::stop() {
  leave_stream();
  loop_.cancel(timer_);
  timer_ = 0;
  state_ = State::kStopped;
  lost_ = false;
  broken_starts_ = 0;
}

void Reflector::wake() {
  if (inlet_) pump();
}

void Reflector::retry_now() {
  if (state_ != State::kWaiting) return;
  loop_.cancel(timer_);
  timer_ = 0;
  (this->*then_)();
}

// ---- requests

void Reflector::leave_stream() {
  inlet_.reset();
  loop_.cancel(silence_);
  silence_ = 0;
  std::string().swap(chunk_);
}

void Reflector::open(State state, kube::Call call) {
  asked_ = state;
  call_ = std::move(call);
  call_.alone = options_.lists_alone && state != State::kWatch;
  retries_ = 0;
  renewed_ = false;
  send();
}

void Reflector::send() {
  leave_stream();
  state_ = asked_;
  answered_ = false;
  frames_ = 0;
  initial_over_ = false;
  held_up_at_ = 0;
  opened_at_ = heard_at_ = initial_at_ = loop_.clock().monotonic_ns();
  if (lists()) {
    list_.emplace(options_.max_value);
  } else {
    list_.reset();
    frames_in_.emplace(options_.max_value);
    ++counters_.watches;
  }
  watch_silence();
  inlet_ = std::make_unique<Inlet>(loop_, [this] { pump(); });
  inlet_->open(rest_, call_);
  sink_.moved();
}

int64_t Reflector::bookmark_limit() const {
  return std::max(kBookmarkSilenceNs, bookmark_every_ / 4 * 5 + kBookmarkSlackNs);
}

void Reflector::watch_silence() {
  int64_t ns = kSilenceCheckNs;
  if (state_ == State::kWatch && inlet_ && inlet_->answered()) {
    if (bookmark_every_ == 0) return;
    ns = std::max(heard_at_ + bookmark_limit() - loop_.clock().monotonic_ns(), kSecond);
  } else if (state_ == State::kWatchList) {
    ns = std::min(ns, heard_at_ + kInitialSilenceNs - loop_.clock().monotonic_ns());
  }
  silence_ = loop_.after(ns, [this] {
    silence_ = 0;
    note_silence();
  });
}

// The time that the sink was full in is nobody's silence.
void Reflector::leave_out_hold_up(bool goes_on) {
  const int64_t now = loop_.clock().monotonic_ns();
  if (held_up_at_ != 0) {
    heard_at_ += now - held_up_at_;
    initial_at_ += now - held_up_at_;
  }
  held_up_at_ = goes_on ? now : 0;
}

void Reflector::note_silence() {
  const int64_t now = loop_.clock().monotonic_ns();
  if (!inlet_->begun()) heard_at_ = initial_at_ = now;
  leave_out_hold_up(sink_.full());
  const int64_t silent = now - heard_at_;
  if (state_ == State::kWatch && !inlet_->answered()) {
    if (!lost_ && silent >= kAnswerNs) {
      lost_ = uncertain_ = true;
      note(Error(Code::kDeadlineExceeded, "the server does not answer"));
    }
    watch_silence();
  } else if (state_ == State::kWatch) {
    if (bookmark_every_ == 0 || silent < bookmark_limit()) return watch_silence();
    lost_ = uncertain_ = true;
    note(Error(Code::kDeadlineExceeded, "the server has stopped sending bookmarks"));
    if (!bookmarks_came_) bookmark_every_ = 0;  // it may be one that sends none
    begin_watch();
  } else if (state_ == State::kWatchList &&
             (silent >= kInitialSilenceNs || now - initial_at_ >= kInitialLongestNs)) {
    watch_list_off_ = true;
    fall_back(Error(Code::kDeadlineExceeded,
                    "the server sent no bookmark at the end of the initial events"));
  } else if (state_ == State::kList && silent >= kListSilenceNs) {
    list_ended(Error(Code::kDeadlineExceeded, "the server went silent in a list"));
  } else {
    watch_silence();
  }
}

void Reflector::wait(int64_t ns, After then) {
  leave_stream();
  state_ = State::kWaiting;
  then_ = then;
  timer_ = loop_.after(ns, [this] {
    timer_ = 0;
    (this->*then_)();
  });
  sink_.moved();
}

int64_t Reflector::backoff() {
  ++counters_.backoffs;
  return backoff_.next_ns();
}

void Reflector::note(const Error& e) {
  counters_.last_error = e.text();
  if (refusal_of(e) == Refusal::kExpired) ++counters_.expired;
  sink_.on_error(e);
}

void Reflector::fail(const Error& e, After then) {
  note(e);
  const Refusal refusal = refusal_of(e);
  const bool slow = refusal == Refusal::kDenied || refusal == Refusal::kAbsent;
  wait(slow ? kSlowRetryNs : backoff(), then);
}

// A watch, or the check before it, cannot go on.
void Reflector::fail_watch(const Error& e) {
  const int64_t now = loop_.clock().monotonic_ns();
  if (failing_since_ == 0) failing_since_ = now;
  const bool keep = options_.keep_place && passes(e) && now - failing_since_ < kKeepPlaceNs;
  fail(e, keep ? &Reflector::begin_watch : &Reflector::list_and_watch);
}

// What is asked again as it was: true when it is on its way.
bool Reflector::retry_request(const Error& e) {
  if (answered_) return false;
  if (const auto* s = e.find<kube::ApiStatus>()) {
    if (s->code == 401 && !renewed_) {
      renewed_ = true;
      send();
      return true;
    }
    const bool told = s->retry_after_seconds > 0 && (s->code == 429 || s->code >= 500);
    if (!told || retries_ >= kRequestRetries || refusal_of(e) == Refusal::kTooLarge) return false;
    ++retries_;
    wait(std::min<int64_t>(s->retry_after_seconds, kLongestRetryAfterSeconds) * kSecond,
         &Reflector::send);
    return true;
  }
  if (state_ == State::kCheck || !broken_stream(e)) return false;
  const bool watch = state_ == State::kWatch;  // which may be preceded by a check each time
  if (++(watch ? broken_starts_ : retries_) > kRequestRetries) return false;
  note(e);
  wait(kSecond, watch ? &Reflector::begin_watch : &Reflector::send);
  return true;
}

// ---- the outer loop

const std::string& Reflector::told_version() const {
  const bool listed_more = last_version_.empty() || older_version(last_version_, least_version_);
  return listed_more ? least_version_ : last_version_;
}

std::string Reflector::version_to_ask(std::string_view first) const {
  if (version_unavailable_) return "";
  return told_version().empty() ? std::string(first) : told_version();
}

int64_t Reflector::watch_seconds() {
  const int64_t least = std::max<int64_t>(options_.min_watch_seconds, 300);
  return least + static_cast<int64_t>(static_cast<double>(least) * random_());
}

void Reflector::list_and_watch() {
  asked_again_ = false;
  list_began_ = loop_.clock().monotonic_ns();
  if (options_.watch_list && !watch_list_off_) {
    begin_watch_list();
  } else {
    begin_list(version_to_ask("0"));
  }
}

void Reflector::begin_list(std::string version) {
  items_.clear();
  initial_.clear();
  newest_ = {};
  asked_version_ = std::move(version);
  query_ = {};
  query_.version = asked_version_;
  if (options_.page_size > 0) {
    query_.limit = options_.page_size;
  } else if (paginated_ || asked_version_.empty() || asked_version_ == "0") {
    query_.limit = kPageSize;
  }
  open(State::kList, list_call(resource_, query_));
}

void Reflector::begin_watch_list() {
  initial_.clear();
  items_.clear();
  newest_ = {};
  open(State::kWatchList, watch_call(resource_, {version_to_ask(""), watch_seconds(), true}));
}

// The server has less than it had.
void Reflector::set_back(std::string version) {
  note(went_back(told_version(), std::move(version)));
  last_version_.clear();
  least_version_.clear();
  set_back_ = version_unavailable_ = true;
}

void Reflector::begin_watch() {
  if (uncertain_ && !last_version_.empty() && last_version_ != "0") {
    found_version_.clear();
    kube::Call call = one_call(resource_, newest_.key);
    call.timeout_ms = kCheckMs;
    return open(State::kCheck, std::move(call));
  }
  bookmark_at_ = loop_.clock().monotonic_ns();
  unordered_ = last_version_.empty() || last_version_ == "0";
  open(State::kWatch, watch_call(resource_, {last_version_, watch_seconds(), false}));
}

void Reflector::on_end(Status status) {
  switch (state_) {
    case State::kList:
      return list_ended(std::move(status));
    case State::kWatchList:
      return watch_list_ended(std::move(status));
    case State::kWatch:
      return watch_ended(std::move(status));
    case State::kCheck:
      return check_ended(std::move(status));
    default:
      return;
  }
}

void Reflector::list_ended(Status status) {
  if (status && !list_->done()) status = cut_list();
  if (status) return page_done();
  const Error e = status.error();
  if (retry_request(e)) return;
  ++counters_.list_failures;
  const Refusal refusal = refusal_of(e);
  if (refusal == Refusal::kExpired && !query_.next_page.empty()) {
    note(e);
    items_.clear();
    query_ = {};
    query_.version = asked_version_;
    return open(State::kList, list_call(resource_, query_));
  }
  if ((refusal == Refusal::kExpired || refusal == Refusal::kTooLarge) && !asked_again_) {
    note(e);
    asked_again_ = version_unavailable_ = true;
    set_back_ = refusal == Refusal::kTooLarge;
    return begin_list("");
  }
  items_.clear();
  fail(e);
}

void Reflector::page_done() {
  if (list_->kind() == "Table") {
    items_.clear();
    return fail(Error(Code::kDataLoss, "the server answered a list with a Table"));
  }
  if (std::string next = list_->next_page(); !next.empty()) {
    paginated_ = paginated_ || asked_version_ == "0";
    query_.next_page = std::move(next);
    query_.version.clear();  // a continued list has its version in the token
    query_.match.clear();
    return open(State::kList, list_call(resource_, query_));
  }
  listed(list_->resource_version());
  sink_.flush();
  begin_watch();
}

void Reflector::fall_back(const Error& e) {
  ++counters_.watch_list_fallbacks;
  note(e);
  begin_list(version_to_ask("0"));
}

void Reflector::watch_list_ended(Status status) {
  if (!status && retry_request(status.error())) return;
  if (status || broken_stream(status.error())) {
    const Error e = status ? Error(Code::kDataLoss, "a streaming list ended before its bookmark")
                           : status.error();
    if (++incomplete_ >= kIncompleteStreams) {
      watch_list_off_ = true;
      return fall_back(e);
    }
    note(e);
    const bool quick = loop_.clock().monotonic_ns() - opened_at_ < kShortWatchNs;
    return quick ? wait(backoff(), &Reflector::begin_watch_list) : begin_watch_list();
  }
  const Error e = status.error();
  const Refusal refusal = refusal_of(e);
  if (refusal == Refusal::kBusy || connection_refused(e)) {
    note(e);
    return wait(backoff(), &Reflector::begin_watch_list);
  }
  const bool gone = refusal == Refusal::kExpired || refusal == Refusal::kTooLarge;
  if (gone && !version_to_ask("").empty()) {
    note(e);
    version_unavailable_ = true;
    set_back_ = refusal == Refusal::kTooLarge;
    return begin_watch_list();
  }
  fall_back(e);
}

void Reflector::check_ended(Status status) {
  if (status && !list_->done()) status = cut_list();
  if (!status) {
    const Error e = status.error();
    if (retry_request(e)) return;
    if (e.find<kube::ApiStatus>() && refusal_of(e) != Refusal::kBusy) return fail_watch(e);
    lost_ = lost_ || silent_peer(e) || e.code() == Code::kDeadlineExceeded;
    note(e);
    return wait(backoff(), &Reflector::begin_watch);
  }
  uncertain_ = false;
  // One that is gone, or made anew, was so in the usual way: a list would pass over what came between.
  const bool older = !newest_.key.empty() && !found_version_.empty() &&
                     older_version(found_version_, newest_.version);
  if (!older && !older_version(list_->resource_version(), told_version())) return begin_watch();
  set_back(list_->resource_version());
  list_and_watch();
}

void Reflector::watch_ended(Status status) {
  if (!status && !status.error().find<kube::ApiStatus>()) {
    const Error& e = status.error();
    uncertain_ = uncertain_ || !inlet_->answered() || connection_refused(e) || silent_peer(e);
    if (connection_refused(e)) lost_ = false;
    if (silent_peer(e)) {
      lost_ = true;
      if (inlet_->answered()) note(e);  // another is told where it is counted
    }
  }
  if (!status && retry_request(status.error())) return;
  const int64_t lasted = loop_.clock().monotonic_ns() - opened_at_;
  counters_.watch_ns += lasted;
  if (broken_starts_ > 0 && !status && broken_stream(status.error())) {
    ++counters_.watch_failures;
    return fail(Error(Code::kUnavailable, cat("a watch cannot be begun: ", status.error().text())),
                &Reflector::begin_watch);
  }
  if (status || broken_stream(status.error())) {
    if (lasted >= kShortWatchNs || frames_ > 0) return begin_watch();
    ++counters_.short_watches;
    return fail_watch(
        Error(Code::kUnavailable,
              "very short watch: the connection ended within a second and without an event"));
  }
  ++counters_.watch_failures;
  const Error e = status.error();
  const Refusal refusal = refusal_of(e);
  if (refusal == Refusal::kBusy || connection_refused(e)) {
    note(e);
    return wait(backoff(), &Reflector::begin_watch);
  }
  if (refusal == Refusal::kInternal && frames_ > 0 && retry_internal()) {
    note(e);
    return begin_watch();
  }
  fail_watch(e);
}

bool Reflector::retry_internal() {
  const int64_t window = options_.internal_error_window_ns;
  if (window <= 0) return false;
  const int64_t now = loop_.clock().monotonic_ns();
  if (internal_since_ == 0 || now - internal_last_ > kInternalMemoryNs) internal_since_ = now;
  internal_last_ = now;
  return now - internal_since_ <= window;
}

}  // namespace pintle::informer
