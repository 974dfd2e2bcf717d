// Reflector: keeps a sink equal to what the API server has of one resource: list (or streaming
// list), then watch, for ever. An event-driven machine on a Loop: no thread per watch. The rules
// are client-go's (tools/cache/reflector.go); resourceVersions are only compared for equality, ""
// and "0".
//
// Guarantees
// - List: the first asks for version "0", or the least one given; later ones for the last version seen; when the server
//   says that one is gone or too new, at once again with "" (a quorum read).
// - Pages of 500: dropped when a version is given (so that the watch cache answers), kept when a
//   list of "0" came in pages. A page that has expired turns into one whole list at the version
//   first asked. None is older than what one that was cut has told with stream_lists.
// - Items are read as they come; a page is never held. While the sink is full nothing is decoded
//   and the connection is held up.
// - Watch: bookmarks asked for, a time limit drawn from [min, 2 min] where min is 5 minutes or
//   more. A watch that ended well is begun again at once, where it ended. 410 waits, then lists at
//   the last version. 429 and a refused connection wait, then watch again: no list. An
//   InternalError frame watches again within `internal_error_window`. Any other error, and a watch
//   of less than a second without a frame, waits and lists; with keep_place, watches again where it
//   was, for ten minutes, unless the error is of the objects and not of the server's state.
// - Streaming list (WatchList): collected aside until the bookmark `k8s.io/initial-events-end`,
//   then replaces the sink's content; the same stream goes on as the watch. Three streams that end
//   before it fall back to the plain list for good, a refusal this time. So does one whose server
//   does not seem to send that bookmark: the initial events are ADDED and come first, so it has 30 s
//   for it from the first other frame on, whatever comes meanwhile; before that only 30 s without a
//   byte end it, and 5 minutes in all, after which servers end it themselves. No time counts before
//   the request was sent, and while the sink is full.
// - With lists_alone, what was collected of a streaming list is complete with the bookmark; the watch
//   is begun there on another stream.
// - The last version is that of the last frame taken, the list's after a list. A watch begun at ""
//   or "0" does not move it while its unordered ADDED frames come.
// - A watch whose server has fallen silent is lost: a connection that is gone (http.h), 10 s without
//   an answer, or nothing for the longest time between two bookmarks and a quarter more and 15 s
//   more, 90 s at least. It is begun anew. A server of which no bookmark ever came is asked so once,
//   and later only when a watch has outlived its time limit. lost() and not watching() until one
//   is answered.
// - A restored server: one whose history has been set back keeps quiet on a watch from a version it
//   has not reached again. So a watch is preceded by a list of one, the newest object that is known
//   (metadata only, no version), after the server was lost or refused connections, at a stored
//   version, and when a bookmark is older than what came before. When the list's version is the
//   smaller number, or the object is an older one, the error has WentBack, and all is listed at ""
//   and told as if nothing of it were known. An object that is gone tells nothing: a restored server
//   that has overtaken the version since is not found by it. Nothing is asked while watches are
//   answered and end well, so a server that is exchanged for an older one between two watches,
//   without a refused connection, is found by the bookmarks it fails to send only.
// - A request that breaks before it is answered is sent again after a second, ten times in a row at
//   most, before it counts (it is told each time); then a watch that does so waits by the backoff
//   each time, until one is answered: not watching() meanwhile.
// - Answers with Retry-After are waited for, ten times at most, before they count, but one that says
//   that a version is too large. A 401 is asked once more at once (credentials are read anew); 401,
//   403 and 404 are then tried every 60 s.
// - A frame of another kind or apiVersion or without metadata is skipped and counted, never fatal.
// - An object longer than max_value is told as an error, counted with those, and stays as it is held:
//   it is neither told of nor told to be gone. Its delete, where that is too long, comes with a list.
// - Waits follow backoff.h, one Backoff for lists and watches. After stop() nothing is called.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "informer/backoff.h"
#include "informer/delta_queue.h"
#include "informer/frames.h"
#include "informer/inlet.h"
#include "informer/loop.h"
#include "informer/metrics.h"
#include "informer/object.h"
#include "informer/resource.h"

namespace pintle::informer {

// What a reflector feeds. On the loop.
class Sink {
 public:
  virtual ~Sink() = default;
  // The object held under this key, if its version is this: then nothing is parsed or kept twice.
  // "": whatever version it has.
  virtual ObjectPtr held(std::string_view key, std::string_view version) = 0;
  virtual void push(Delta delta) = 0;
  virtual void flush() {}            // no more for the moment
  virtual void moved() {}            // another request has begun, or a wait
  virtual bool full() { return false; }  // Reflector::wake when it is no longer
  // The watch-error handler: why a list or a watch ended. Informs only.
  virtual void on_error(const Error& error) { (void)error; }
};

struct ReflectorOptions {
  bool watch_list = true;
  int64_t page_size = 0;                  // 0: the rule above
  int64_t min_watch_seconds = 300;        // raised only; the limit is drawn from [min, 2 min]
  int64_t internal_error_window_ns = 0;   // 0: off
  size_t max_value = kMaxValue;
  // The items of a list are pushed as they come (without a version), and the list, at its end, names
  // them only: a list then takes the memory of their heads, whatever its length. Deletes that it
  // tells come last. Only for a sink that keeps heads.
  bool stream_lists = false;
  // What a list tells is told in this order; empty: in the server's, by name. Not with stream_lists.
  std::function<bool(const Object&, const Object&)> order = {};
  // Watch from here instead of listing first: for a consumer that stored how far it got.
  std::string start_version = {};
  // List nothing older than this: for one that stored what it saw, and must not be taken back by a
  // server that is behind.
  std::string least_version = {};
  // All but watches on connections of their own; the watch after a streaming list is begun anew. For
  // one whose sink is full until others on the connection have listed: a watch that is held up holds
  // up what shares its connection (http.h).
  bool lists_alone = false;
  // What passes is waited for instead of listing, which passes over states: for one that wants each.
  bool keep_place = false;
  Transform transform = {};               // may be empty
  BackoffOptions backoff = {};
};

class Reflector {
 public:
  // All must outlive it. Used on `loop` only.
  Reflector(Loop& loop, kube::Rest& rest, Resource resource, Sink& sink, Random random,
            ReflectorOptions options = {});
  ~Reflector();

  void start();
  void stop();
  void wake();       // the sink is no longer full
  void retry_now();  // ends a wait, e.g. because the kind has just been installed
  bool watching() const { return state_ == State::kWatch && !lost_ && broken_starts_ == 0; }
  bool lost() const { return lost_; }
  const std::string& last_version() const { return last_version_; }
  const Counters& counters() const { return counters_; }

 private:
  enum class State : uint8_t { kStopped, kWaiting, kList, kWatchList, kWatch, kCheck };
  using After = void (Reflector::*)();

  // The outer loop: list or streaming list, then watch; again after a wait.
  void list_and_watch();
  void begin_list(std::string version);
  void begin_watch_list();
  void begin_watch();
  void fall_back(const Error& e);  // from the streaming list to the plain one
  void listed(std::string version);
  void page_done();
  void on_end(Status status);
  void list_ended(Status status);
  void watch_list_ended(Status status);
  void watch_ended(Status status);
  void check_ended(Status status);
  void set_back(std::string version);
  void note(const Error& e);
  void fail(const Error& e, After then = &Reflector::list_and_watch);
  void fail_watch(const Error& e);
  bool retry_request(const Error& e);
  bool retry_internal();
  void wait(int64_t ns, After then);
  int64_t backoff();
  const std::string& told_version() const;
  std::string version_to_ask(std::string_view first) const;
  int64_t watch_seconds();

  // The request under way.
  void open(State state, kube::Call call);
  void send();  // call_, anew
  bool lists() const { return state_ == State::kList || state_ == State::kCheck; }
  void leave_stream();
  void watch_silence();
  void note_silence();
  void leave_out_hold_up(bool goes_on);
  int64_t bookmark_limit() const;

  void pump();
  bool decode();  // false: the sink is full, or the stream was left
  Status take_item(std::string_view item);
  bool of_another_kind(std::string_view json) const;
  Status take_frame(std::string_view frame);
  void take_initial(Delta::Kind what, ObjectPtr object);
  void pass_over(std::string_view head);
  bool take_bookmark(std::string_view json);
  void know(const Object& object);
  Result<ObjectPtr> make(std::string_view json);
  void hand_on(Delta::Kind what, ObjectPtr object);

  Loop& loop_;
  kube::Rest& rest_;
  const Resource resource_;
  const std::string kind_, api_version_;  // of its watch frames; "": any
  Sink& sink_;
  Random random_;
  const ReflectorOptions options_;
  Backoff backoff_;
  Counters counters_;

  State state_ = State::kStopped;
  State asked_ = State::kStopped;  // of the request under way or waited for
  std::string last_version_;  // the watch's place
  std::string least_version_;  // what was told may be newer: by a list that was cut
  bool version_unavailable_ = false, paginated_ = false, watch_list_off_ = false;

  // The request under way.
  std::unique_ptr<Inlet> inlet_;
  kube::Call call_;
  std::string chunk_;
  Loop::Timer timer_ = 0, silence_ = 0;
  After then_ = nullptr;
  int64_t opened_at_ = 0, heard_at_ = 0;
  int64_t held_up_at_ = 0;  // the sink is full; 0: it is not
  uint64_t frames_ = 0;
  bool answered_ = false;  // a byte came
  int retries_ = 0;        // of this request, by Retry-After or a broken start
  int broken_starts_ = 0;  // watches in a row that broke before they were answered
  bool renewed_ = false;   // asked again after a 401

  // A list.
  std::optional<ListReader> list_;
  std::vector<ObjectPtr> items_;
  ListQuery query_;
  std::string asked_version_;
  bool asked_again_ = false;
  int64_t list_began_ = 0;

  // A streaming list: the objects in the order they came, and where each key is.
  std::optional<FrameReader> frames_in_;
  std::unordered_map<std::string_view, size_t> initial_;
  bool initial_over_ = false;  // something came that is no initial event
  int64_t initial_at_ = 0;     // it was sent, as heard_at_ later by what the sink was full
  int incomplete_ = 0;

  // A watch.
  bool unordered_ = false;  // begun at "" or "0"
  bool lost_ = false;
  bool uncertain_ = false;  // whether the server still has last_version_
  bool set_back_ = false;   // it has not: nothing that is held counts until the next list
  // The object of the greatest version that was listed or heard of and not deleted; and which
  // version of it the server has now.
  struct Known {
    std::string key, version;
  };
  Known newest_;
  std::string found_version_;
  int64_t bookmark_at_ = 0;  // the last one or the answer
  int64_t bookmark_every_ = 60'000'000'000;  // at most, so far; 0: the server seems to send none
  bool bookmarks_came_ = false;
  int64_t internal_since_ = 0, internal_last_ = 0;
  int64_t failing_since_ = 0;  // keep_place: 0 after a frame
};

}  // namespace pintle::informer
