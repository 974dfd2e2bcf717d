#include "http/engine.h"

#include <algorithm>

#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace pintle::http {
namespace {

constexpr int kCancelPollMs = 100;
constexpr int kIdlePollMs = 1000;

}  // namespace

std::shared_ptr<Engine> make_engine() { return std::make_shared<Engine>(); }

Status Engine::open() {
  std::lock_guard held(mutex_);
  if (curl_) return ok();
  curl_ = TRY(Curl::open());
  multi_ = curl_->multi_init();
  curl_->multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  if (max_connections_ > 0) {
    curl_->multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(max_connections_));
  }
  thread_ = std::thread([this] { loop(); });
  return ok();
}

Engine::~Engine() {
  if (!curl_) return;
  {
    std::lock_guard held(mutex_);
    stop_ = true;
  }
  wake();
  thread_.join();
  curl_->multi_cleanup(multi_);
}

void Engine::wake() { curl_->multi_wakeup(multi_); }

void Engine::add(std::shared_ptr<Exchange> x) {
  {
    std::lock_guard held(mutex_);
    inbox_.push_back(std::move(x));
  }
  wake();
}

void Engine::leave(const std::shared_ptr<const Options>& client) {
  std::unique_lock held(mutex_);
  if (!curl_) return;
  leaving_.push_back(client.get());
  const uint64_t from = rounds_;
  wake();
  left_.wait(held, [&] { return rounds_ >= from + 2; });  // one whole round has begun since
}

void Engine::begin(const std::shared_ptr<Exchange>& x) {
  prepare(*curl_, *x);
  running_.push_back(x);
  curl_->multi_add_handle(multi_, x->easy);
}

void Engine::end(size_t at) {
  curl_->multi_remove_handle(multi_, running_[at]->easy);
  release(*curl_, *running_[at]);
  running_.erase(running_.begin() + static_cast<ptrdiff_t>(at));
}

void Engine::sweep(bool stop, const std::vector<const Options*>& leaving, bool& cancellable) {
  for (size_t i = 0; i < running_.size();) {
    const std::shared_ptr<Exchange> x = running_[i];
    const bool cancelled = x->request.cancel && x->request.cancel->cancelled();
    cancellable = cancellable || x->request.cancel;
    const bool gone = std::find(leaving.begin(), leaving.end(), x->options.get()) != leaving.end();
    if (stop || gone || x->dropped || cancelled) {
      end(i);
      cancel(*x);
      continue;
    }
    if (x->paused && x->wants_resume.exchange(false)) {
      x->paused = false;
      curl_->easy_pause(x->easy, CURLPAUSE_CONT);
    }
    ++i;
  }
}

bool Engine::collect() {
  bool any = false;
  int left = 0;
  while (CURLMsg* m = curl_->multi_info_read(multi_, &left)) {
    if (m->msg != CURLMSG_DONE) continue;
    const CURLcode code = m->data.result;
    char* user = nullptr;
    curl_->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &user);
    const auto it = std::find_if(running_.begin(), running_.end(), [&](const auto& x) {
      return static_cast<void*>(x.get()) == static_cast<void*>(user);
    });
    if (it == running_.end()) continue;
    const std::shared_ptr<Exchange> x = *it;
    curl_->multi_remove_handle(multi_, x->easy);
    running_.erase(it);
    finish(*curl_, *x, code);
    release(*curl_, *x);
    any = true;
  }
  return any;
}

void Engine::loop() {
  for (;;) {
    std::deque<std::shared_ptr<Exchange>> fresh;
    std::vector<const Options*> leaving;
    bool stop = false;
    {
      std::lock_guard held(mutex_);
      ++rounds_;
      left_.notify_all();
      fresh.swap(inbox_);
      leaving.swap(leaving_);
      stop = stop_;
    }
    for (const auto& x : fresh) {
      if (stop || x->dropped) {
        cancel(*x);
      } else {
        begin(x);
      }
    }
    bool cancellable = false;
    sweep(stop, leaving, cancellable);
    if (stop) return;
    int active = 0;
    curl_->multi_perform(multi_, &active);
    if (!collect()) {
      const bool waited_for = !leaving.empty();  // leave() waits for the next round
      curl_->multi_poll(multi_, nullptr, 0, waited_for ? 0 : cancellable ? kCancelPollMs : kIdlePollMs, nullptr);
    }
  }
}

}  // namespace pintle::http
