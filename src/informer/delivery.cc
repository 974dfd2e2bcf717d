#include "informer/delivery.h"

#include <unordered_set>
#include <utility>

namespace pintle::informer {
namespace {

constexpr int kChangesPerTurn = 256;  // then other handlers have theirs

}  // namespace

Handler filtered(std::function<bool(const Object&)> pass, Handler handler) {
  using Kind = Change::Kind;
  // Shared: a std::function is copied, and there is one memory.
  auto passed = std::make_shared<std::unordered_set<std::string>>();
  return [pass = std::move(pass), handler = std::move(handler), passed](const Change& change) {
    if (change.kind == Kind::kBookmark) return handler(change);
    const std::string key(change.object->key());
    const bool before = passed->contains(key);
    const bool gone = change.kind == Kind::kDelete;
    const bool passes = (!gone || !change.object->text().empty()) && pass(*change.object);
    if (!passes && !before) return Take::kTaken;
    const bool now = passes && !gone;
    const auto remember = [&](bool in) { in ? void(passed->insert(key)) : void(passed->erase(key)); };
    remember(now);
    Take taken = Take::kTaken;
    if (now == before || gone) {
      taken = handler(change);
    } else {
      Change as = change;
      as.kind = now ? Kind::kAdd : Kind::kDelete;
      as.object = now || !change.before ? change.object : change.before;
      as.before = nullptr;
      as.resync = false;
      taken = handler(as);
    }
    if (taken == Take::kLater) remember(before);
    return taken;
  };
}

Delivery::Delivery(Loop& loop, Handler handler, HandlerOptions options,
                   std::function<void()> drained)
    : loop_(loop), handler_(std::move(handler)), options_(options), drained_(std::move(drained)) {}

void Delivery::replay(std::vector<ObjectPtr> objects, bool complete) {
  Lock held(mutex_);
  replay_ = std::move(objects);
  replay_completes_ = complete;
  waiting_ += replay_.size();
  schedule();
}

void Delivery::append(std::shared_ptr<const Batch> batch) {
  Lock held(mutex_);
  if (removed_) return;
  if (options_.newest_only) {
    for (const Change& c : batch->changes) merge(c);
    if (!batch->version.empty()) merged_version_ = batch->version;
    merged_initial_ends_ = merged_initial_ends_ || batch->ends_initial;
  } else {
    waiting_ += batch->changes.size();
    batches_.push_back(std::move(batch));
    if (queued() >= options_.limit) full_ = true;
  }
  schedule();
}

void Delivery::append_resync(const std::vector<ObjectPtr>& objects) {
  auto batch = std::make_shared<Batch>();
  batch->changes.reserve(objects.size());
  for (const ObjectPtr& o : objects) {
    Change c;
    c.kind = Change::Kind::kUpdate;
    c.object = c.before = o;
    c.resync = true;
    batch->changes.push_back(std::move(c));
  }
  append(std::move(batch));
}

// Of an object that waits already only the newest state is kept, as one change from what the
// handler has heard last.
void Delivery::merge(const Change& change) {
  std::string key(change.object->key());
  const auto [at, fresh] = merged_.try_emplace(key);
  Merged& m = at->second;
  using K = Change::Kind;
  if (fresh) {
    order_.push_back(std::move(key));
    ++waiting_;
    m.change = change;
    return;
  }
  if (change.resync) return;  // it will hear of the object anyway
  if (m.nothing) {
    m.change = change;
    m.nothing = false;
  } else if (change.kind == K::kDelete) {
    m.nothing = m.change.kind == K::kAdd;
    m.change = change;
  } else if (m.change.kind == K::kAdd) {
    m.change.object = change.object;
  } else if (m.change.kind == K::kDelete) {
    ObjectPtr before = m.change.object;
    m.change = change;
    m.change.kind = K::kUpdate;
    m.change.before = std::move(before);
  } else {
    m.change.object = change.object;
    m.change.resync = false;
  }
}

void Delivery::schedule() {
  if (scheduled_ || later_ || removed_) return;
  scheduled_ = true;
  loop_.post([self = shared_from_this()] { self->drain(); });
}

void Delivery::resume() {
  Lock held(mutex_);
  ++resumed_;
  later_ = false;
  schedule();
}

bool Delivery::next(Change& change) {
  if (replayed_ < replay_.size()) {
    change = {};
    change.object = std::move(replay_[replayed_++]);
    change.initial = true;
    return true;
  }
  if (!replay_.empty()) std::vector<ObjectPtr>().swap(replay_);
  replayed_ = 0;
  if (std::exchange(replay_completes_, false)) synced_ = true;
  const auto bookmark = [&](std::string version) {
    change = {};
    change.kind = Change::Kind::kBookmark;
    change.version = std::move(version);
    return true;
  };
  while (!order_.empty()) {
    const auto at = merged_.find(order_.front());
    order_.pop_front();
    const bool nothing = at->second.nothing;
    change = std::move(at->second.change);
    merged_.erase(at);
    if (!nothing) return true;
    --waiting_;
  }
  if (std::exchange(merged_initial_ends_, false)) synced_ = true;
  std::string version = std::exchange(merged_version_, {});
  if (!version.empty() && options_.bookmarks) return bookmark(std::move(version));
  while (!batches_.empty()) {
    const Batch& front = *batches_.front();
    if (at_ < front.changes.size()) {
      change = front.changes[at_++];
      return true;
    }
    if (front.ends_initial) synced_ = true;
    version = front.version;
    batches_.pop_front();
    at_ = 0;
    if (!version.empty() && options_.bookmarks) return bookmark(std::move(version));
  }
  return false;
}

bool Delivery::call(const Change& change) {
  try {
    return handler_(change) == Take::kTaken;
  } catch (...) {  // a handler is the caller's code: what it throws is its loss alone
    ++failures_;
    return true;
  }
}

void Delivery::drain() {
  bool tell = false;
  {
    Lock held(mutex_);
    scheduled_ = false;
    for (int n = 0;; ++n) {
      if (removed_ || later_) break;
      if (!held_) {
        Change change;
        if (!next(change)) break;
        held_ = std::move(change);
      }
      if (n == kChangesPerTurn) {
        schedule();
        break;
      }
      const uint64_t resumed = resumed_;
      calling_ = std::this_thread::get_id();
      held.unlock();
      const bool taken = call(*held_);
      held.lock();
      calling_ = {};
      idle_.notify_all();
      if (taken) {
        if (!removed_ && held_->kind != Change::Kind::kBookmark) --waiting_;
        held_.reset();
      } else if (resumed_ == resumed) {
        later_ = true;
      }
      if (full_ && queued() <= options_.limit / 2) {
        full_ = false;
        tell = true;
      }
    }
  }
  if (tell) drained_();
}

void Delivery::remove() {
  bool was_full = false;
  {
    Lock held(mutex_);
    removed_ = true;
    was_full = full_.exchange(false);
    waiting_ = 0;
    batches_.clear();
    replay_.clear();
    replayed_ = at_ = 0;
    order_.clear();
    merged_.clear();
    while (calling_ != std::thread::id() && calling_ != std::this_thread::get_id()) {
      idle_.wait(mutex_);
    }
  }
  if (was_full) drained_();
}

size_t Delivery::queued() const { return waiting_ - (replay_.size() - replayed_); }

}  // namespace pintle::informer
