// Which kinds a region gives up when it holds more than it may, and how they come back.
//
// What a kind would take again is known only by listing it. So one that was given up is tried again
// after 10 minutes, then 20, 40 ... 6 hours, when what is held without it leaves room for something
// (75 % of the limit or less): it is listed, and stays if all of it then fits with something to spare
// (90 %); else it goes again. While it is tried the region's state remains "memory", so a try that
// fails changes nothing but for one line in the log. The last that was given up comes back first.
// Its wait begins at 10 minutes again when it has stayed for longer than it last waited.
//
// A kind that comes back goes on from where it was last heard: what its objects show since is told,
// what was told before has its key in the store.
#include <algorithm>

#include "base/strings.h"
#include "lookout/region/region.h"
#include "lookout/region/watch.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kFirstWaitMs = 600'000, kLongestWaitMs = 6 * 3'600'000;
constexpr size_t kTryPercent = 75, kStayPercent = 90;
constexpr size_t kRecordBytes = 400, kCountBytes = 48;  // of the tracker's; of an Event's repeats

struct Kind {
  std::string_view name, group, plural, kind;
};
// Of what is watched only these grow with the load, and releases are told without them.
constexpr Kind kKinds[] = {{"pods", "", "pods", "Pod"}, {"jobs.batch", "batch", "jobs", "Job"}};

}  // namespace

size_t WatchedRegion::held_bytes() const {
  size_t bytes = observer_ ? observer_->tracker().size() * kRecordBytes : 0;
  for (const auto& w : watches_) {
    const informer::Counters c = w->informer->counters();
    bytes += c.bytes + (w->name == "events" ? c.objects * kCountBytes : 0);
  }
  return bytes;
}

std::vector<std::string> WatchedRegion::unwatched() const {
  std::vector<std::string> out;
  for (const Shed& s : shed_) {
    if (s.state != Shed::kBack) out.emplace_back(s.kind);
  }
  return out;
}

// One kind at a time, for what it held is then given back.
void WatchedRegion::keep_within_memory() {
  if (config_.memory_mb == 0) return;
  const size_t most = static_cast<size_t>(config_.memory_mb) << 20;
  const int64_t now = now_ms();
  std::string_view goes, comes, stays;
  size_t bytes = 0;
  {
    Lock held(mutex_);
    bytes = held_bytes();
    const auto in = [&](Shed::State state) REQUIRES(mutex_) {
      return std::find_if(shed_.begin(), shed_.end(), [&](const Shed& s) { return s.state == state; });
    };
    const auto tried = in(Shed::kTried);
    const bool over = bytes > most;
    if (tried != shed_.end()) {
      const bool listed = std::all_of(watches_.begin(), watches_.end(), [&](const auto& w) {
        return w->name != tried->kind || w->registration->synced() || w->denied || w->absent;
      });
      if (over || (listed && bytes > most * kStayPercent / 100)) {
        goes = tried->kind;
      } else if (listed) {
        stays = tried->kind;
        tried->state = Shed::kBack;
        tried->since_ms = now;
      }
    } else if (over) {
      for (const Kind& k : kKinds) {
        const bool gone = std::any_of(shed_.begin(), shed_.end(), [&](const Shed& s) {
          return s.kind == k.name && s.state == Shed::kGone;
        });
        if (goes.empty() && !gone) goes = k.name;
      }
    } else if (bytes <= most * kTryPercent / 100) {
      const auto last = std::find_if(shed_.rbegin(), shed_.rend(),
                                     [](const Shed& s) { return s.state == Shed::kGone; });
      if (last != shed_.rend() && now - last->since_ms >= last->wait_ms) {
        comes = last->kind;
        last->state = Shed::kTried;
      }
    }
    if (!goes.empty()) give_up(goes, now);
  }
  const LogAttrs about = {{"region", config_.name},
                          {"resource", cat(goes, stays)},
                          {"bytes", std::to_string(bytes)}};
  if (!goes.empty()) {
    drop_watch(goes);
    Lock held(mutex_);
    observer_->tracker().forget(goes);
    shared_.log("ERROR", "a region holds more than it may: a kind is no longer watched", about);
  }
  if (!stays.empty()) shared_.log("INFO", "a kind is watched again", about);
  for (const Kind& k : kKinds) {
    if (k.name != comes) continue;
    if (watch_everywhere(std::string(k.group), "v1", std::string(k.plural), std::string(k.kind), "", "")) {
      shared_.factory.start();
      continue;
    }
    drop_watch(comes);  // the store is away, and some of its namespaces may stand: at the next look
    Lock held(mutex_);
    for (Shed& s : shed_) {
      if (s.kind == comes) s.state = Shed::kGone;
    }
  }
}

void WatchedRegion::give_up(std::string_view kind, int64_t now) {
  for (const auto& w : watches_) {
    if (w->name != kind || w->heard_ms == 0) continue;
    std::erase_if(checkpoints_, [&](const Checkpoint& c) { return c.resource == w->checkpoint; });
    checkpoints_.push_back({w->checkpoint, w->version, w->heard_ms, "watching"});
  }
  Shed it{kind, Shed::kGone, now, kFirstWaitMs};
  const auto before =
      std::find_if(shed_.begin(), shed_.end(), [&](const Shed& s) { return s.kind == kind; });
  if (before != shed_.end()) {
    const bool again = before->state == Shed::kTried || now - before->since_ms <= before->wait_ms;
    if (again) it.wait_ms = std::min(before->wait_ms * 2, kLongestWaitMs);
    shed_.erase(before);
  }
  shed_.push_back(it);
}

}  // namespace pintle::lookout
