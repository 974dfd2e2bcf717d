#include "informer/inlet.h"

namespace pintle::informer {

Inlet::~Inlet() {
  if (shared_) {
    Lock held(shared_->mutex);
    shared_->gone = true;
  }
  pending_.reset();
}

void Inlet::tell(const std::shared_ptr<Shared>& s) {
  if (s->told || s->gone) return;
  s->told = true;
  loop_.post([this, s] {
    // `gone` is set on this loop only: while it is false, this inlet lives.
    bool gone = false;
    {
      Lock held(s->mutex);
      gone = s->gone;
      s->told = false;
    }
    if (gone) return;
    const auto ready = ready_;  // it may end this inlet
    ready();
  });
}

void Inlet::open(kube::Rest& rest, kube::Call call) {
  shared_ = std::make_shared<Shared>();
  call.answered = [this, s = shared_] {
    Lock held(s->mutex);
    if (s->gone) return;
    s->answered = true;
    tell(s);
  };
  pending_ = rest.open(
      call,
      [this, s = shared_](std::string_view piece) {
        Lock held(s->mutex);
        if (s->gone) return kube::Rest::Flow::kStop;
        s->answered = true;
        tell(s);
        if (s->bytes.size() >= kHigh) {
          s->paused = true;
          return kube::Rest::Flow::kPause;
        }
        s->bytes.append(piece);
        return kube::Rest::Flow::kContinue;
      },
      [this, s = shared_](Status status) {
        Lock held(s->mutex);
        if (s->gone) return;
        s->end.emplace(std::move(status));
        tell(s);
      });
}

bool Inlet::take(std::string& out) {
  bool resume = false, some = false;
  {
    Lock held(shared_->mutex);
    some = !shared_->bytes.empty();
    out.append(shared_->bytes);
    if (shared_->bytes.capacity() > kHigh / 8) std::string().swap(shared_->bytes);
    shared_->bytes.clear();
    resume = std::exchange(shared_->paused, false);
  }
  if (resume && pending_) pending_->resume();
  return some;
}

void Inlet::call_again() {
  Lock held(shared_->mutex);
  tell(shared_);
}

bool Inlet::answered() const {
  Lock held(shared_->mutex);
  return shared_->answered;
}

std::optional<Status> Inlet::ended() {
  Lock held(shared_->mutex);
  if (!shared_->end || !shared_->bytes.empty()) return std::nullopt;
  return shared_->end;
}

}  // namespace pintle::informer
