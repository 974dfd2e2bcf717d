#include "informer/shared_informer.h"

#include <algorithm>
#include <utility>

namespace pintle::informer {

SharedInformer::SharedInformer(Loop& work, std::vector<Loop*> deliver, kube::Rest& rest,
                               Resource resource, Random random, InformerOptions options)
    : work_(work),
      deliver_(std::move(deliver)),
      resource_(std::move(resource)),
      options_(std::move(options)),
      self_(std::make_shared<SharedInformer*>(this)),
      reflector_(work, rest, resource_, *this, std::move(random), options_.reflector),
      check_ns_(options_.resync_check_ns > 0 ? std::max(options_.resync_check_ns, kSecond) : 0) {}

SharedInformer::~SharedInformer() { stop(); }

void SharedInformer::start() {
  {
    Lock held(mutex_);
    if (stopped_ || started_.exchange(true)) return;
    synced_ = !options_.reflector.start_version.empty();
    for (const Listener& l : listeners_) {
      if (synced_) l.delivery->replay({}, true);  // there is no first list to hear
    }
  }
  work_.post([self = self_] {
    if (!*self) return;
    (*self)->arm_resync();
    (*self)->reflector_.start();
  });
}

void SharedInformer::stop() {
  if (stopped_.exchange(true)) return;
  work_.run([this] {
    *self_ = nullptr;
    reflector_.stop();
    work_.cancel(resync_timer_);
    queue_.close();
    watching_ = false;
  });
  store_.stop();
  std::vector<Listener> listeners;
  {
    Lock held(mutex_);
    listeners.swap(listeners_);
  }
  for (Listener& l : listeners) l.delivery->remove();
}

void SharedInformer::retry_now() {
  work_.post([self = self_] {
    if (*self) (*self)->reflector_.retry_now();
  });
}

// ---- handlers

int64_t SharedInformer::resync_period(int64_t asked) {
  if (asked <= 0) return 0;
  asked = std::max(asked, kSecond);
  if (!started_) {
    check_ns_ = check_ns_ == 0 ? asked : std::min(check_ns_, asked);
    return asked;
  }
  return check_ns_ == 0 ? 0 : std::max(asked, check_ns_);
}

Result<SharedInformer::Registration> SharedInformer::add_handler(Handler handler,
                                                                 HandlerOptions options) {
  Lock held(mutex_);  // nothing is delivered meanwhile
  if (stopped_) return Error(Code::kFailedPrecondition, "the informer has stopped");
  Loop& loop = *deliver_[next_loop_++ % deliver_.size()];
  auto drained = [work = &work_, self = self_] {
    work->post([self] {
      if (!*self) return;
      (*self)->process();
      if (!(*self)->full()) (*self)->reflector_.wake();
    });
  };
  auto delivery = std::make_shared<Delivery>(loop, std::move(handler), options, std::move(drained));
  if (started_) delivery->replay(store_.list(), synced_);
  Listener l{delivery, resync_period(options.resync_ns), 0};
  l.due_ns = work_.clock().monotonic_ns() + l.resync_ns;
  listeners_.push_back(std::move(l));
  return delivery;
}

void SharedInformer::remove_handler(const Registration& registration) {
  Registration found;
  {
    Lock held(mutex_);
    const auto at = std::find_if(listeners_.begin(), listeners_.end(),
                                 [&](const Listener& l) { return l.delivery == registration; });
    if (at == listeners_.end()) return;
    found = at->delivery;
    counters_.handler_failures += found->failures();
    listeners_.erase(at);
  }
  found->remove();
}

Status SharedInformer::add_index(std::string name, IndexFunction function) {
  return store_.add_index(std::move(name), std::move(function));
}

bool SharedInformer::any_full() {
  Lock held(mutex_);
  return std::any_of(listeners_.begin(), listeners_.end(),
                     [](const Listener& l) { return l.delivery->full(); });
}

// ---- the reflector's sink

ObjectPtr SharedInformer::held(std::string_view key, std::string_view version) {
  ObjectPtr o = store_.get(key);
  return o && (version.empty() || o->resource_version() == version) ? o : nullptr;
}

void SharedInformer::push(Delta delta) {
  queue_.push(std::move(delta));
  if (queue_.size() >= DeltaQueue::kBatch) process();
}

void SharedInformer::flush() {
  process();
  moved();
}

// What others read without waiting for the loop.
void SharedInformer::moved() {
  watching_ = reflector_.watching();
  lost_ = reflector_.lost();
  Lock held(mutex_);
  reflected_ = reflector_.counters();
  reflected_.last_version = reflector_.last_version();
  reflected_.pauses = pauses_;
  reflected_.queued = queue_.size();
}

bool SharedInformer::full() {
  if (!queue_.full()) return false;
  if (!held_up_) ++pauses_;
  held_up_ = true;
  return true;
}

void SharedInformer::on_error(const Error& error) {
  moved();
  if (options_.on_error) options_.on_error(error);
}

ObjectPtr SharedInformer::kept(const ObjectPtr& o) const {
  return options_.keep_text || o->text().empty() ? o : Object::heads_of(*o);
}

void SharedInformer::process() {
  while (queue_.size() > 0 && !any_full()) apply(queue_.pop());
  if (!queue_.full()) held_up_ = false;
}

void SharedInformer::apply(std::vector<Delta> deltas) {
  Lock held(mutex_);
  std::shared_ptr<const Batch> batch = deltas.front().kind == Delta::Kind::kReplaced
                                           ? apply_replace(deltas.front())
                                           : apply_plain(deltas);
  if (batch->changes.empty() && batch->version.empty() && !batch->ends_initial) return;
  for (Listener& l : listeners_) l.delivery->append(batch);
  if (batch->ends_initial) synced_ = true;
}

std::shared_ptr<Batch> SharedInformer::apply_replace(Delta& delta) {
  auto batch = std::make_shared<Batch>();
  batch->version = std::move(delta.version);
  batch->ends_initial = !synced_;
  if (delta.told) {
    tell_gone(store_.retain(delta.objects, batch->version), *batch);
    return batch;
  }
  std::vector<ObjectPtr> kept_objects;
  if (!options_.keep_text) {
    kept_objects.reserve(delta.objects.size());
    for (const ObjectPtr& o : delta.objects) kept_objects.push_back(kept(o));
  }
  const std::vector<ObjectPtr>& objects = options_.keep_text ? delta.objects : kept_objects;
  if (!synced_ && options_.on_first_list) options_.on_first_list(objects);
  Store::Replaced r = store_.replace(objects, batch->version, delta.anew);
  for (Store::Replaced::Changed& one : r.changed) {
    if (!options_.recreated_apart || !one.before) continue;
    if (one.before->uid() != delta.objects[one.at]->uid()) r.gone.push_back(std::move(one.before));
  }
  batch->changes.reserve(r.gone.size() + r.changed.size());
  tell_gone(std::move(r.gone), *batch);
  for (Store::Replaced::Changed& one : r.changed) {
    Change c;
    c.kind = one.before ? Change::Kind::kUpdate : Change::Kind::kAdd;
    c.object = std::move(delta.objects[one.at]);
    c.before = std::move(one.before);
    c.initial = !synced_ && !c.before;
    c.listed = true;
    ++(c.before ? counters_.updated : counters_.added);
    batch->changes.push_back(std::move(c));
  }
  counters_.unchanged += r.unchanged;
  return batch;
}

void SharedInformer::tell_gone(std::vector<ObjectPtr> gone, Batch& batch) {
  counters_.deleted += gone.size();
  counters_.tombstones += gone.size();
  for (ObjectPtr& o : gone) {
    Change c;
    c.kind = Change::Kind::kDelete;
    c.object = std::move(o);
    c.final_state_unknown = c.listed = true;
    batch.changes.push_back(std::move(c));
  }
}

std::shared_ptr<Batch> SharedInformer::apply_plain(std::vector<Delta>& deltas) {
  std::vector<Store::Write> writes;
  writes.reserve(deltas.size());
  auto batch = std::make_shared<Batch>();
  for (Delta& d : deltas) {
    if (!d.version.empty()) batch->version = std::move(d.version);
    if (!d.object) continue;
    if (d.kind == Delta::Kind::kDeleted) {
      writes.push_back({nullptr, std::string(d.object->key())});
    } else {
      writes.push_back({d.kept ? std::move(d.kept) : kept(d.object), {}});
    }
  }
  std::vector<ObjectPtr> before = store_.apply(writes, batch->version);
  batch->changes.reserve(writes.size());
  size_t i = 0;
  for (Delta& d : deltas) {
    if (!d.object) continue;
    ObjectPtr& old = before[i++];
    Change c;
    c.listed = d.listed;
    c.object = std::move(d.object);
    if (d.kind == Delta::Kind::kDeleted) {
      // One that was never told of is told of only where there was no list to tell of it.
      if (!old && options_.reflector.start_version.empty()) continue;
      c.kind = Change::Kind::kDelete;
      ++counters_.deleted;
    } else if (!old) {
      c.initial = !synced_;
      ++counters_.added;
    } else if (!d.anew && old->resource_version() == c.object->resource_version() &&
               old->uid() == c.object->uid()) {
      ++counters_.unchanged;
      continue;
    } else {
      c.kind = Change::Kind::kUpdate;
      c.before = std::move(old);
      ++counters_.updated;
    }
    batch->changes.push_back(std::move(c));
  }
  return batch;
}

// ---- resync

void SharedInformer::arm_resync() {
  int64_t period = 0;
  {
    Lock held(mutex_);
    period = check_ns_;
  }
  if (period == 0) return;
  resync_timer_ = work_.after(period, [this] {
    resync();
    arm_resync();
  });
}

void SharedInformer::resync() {
  if (!reflector_.watching()) return;
  const int64_t now = work_.clock().monotonic_ns();
  Lock held(mutex_);
  std::vector<ObjectPtr> objects;
  for (Listener& l : listeners_) {
    if (l.resync_ns == 0 || now < l.due_ns || l.delivery->full()) continue;
    if (objects.empty()) objects = store_.list();
    l.due_ns = now + l.resync_ns;
    counters_.resynced += objects.size();
    l.delivery->append_resync(objects);
  }
}

Counters SharedInformer::counters() const {
  Lock held(mutex_);
  Counters c = reflected_;
  c.added = counters_.added;
  c.updated = counters_.updated;
  c.deleted = counters_.deleted;
  c.unchanged += counters_.unchanged;
  c.resynced = counters_.resynced;
  c.tombstones = counters_.tombstones;
  c.handler_failures = counters_.handler_failures;
  for (const Listener& l : listeners_) {
    c.queued += l.delivery->waiting();
    c.handler_failures += l.delivery->failures();
  }
  c.objects = store_.size();
  c.bytes = store_.bytes();
  c.store_version = store_.version();
  return c;
}

}  // namespace pintle::informer
