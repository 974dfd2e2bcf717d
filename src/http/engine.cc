#include "http/engine.h"

#include <algorithm>

#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/strings.h"
#include "http/ping.h"
#include "sys/clock.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

namespace pintle::http {
namespace {

constexpr int64_t kCancelPollMs = 100;
constexpr int kMostEvents = 256;
constexpr size_t kMostUnanswered = 64;
constexpr int64_t kPaceMs = 100;
constexpr size_t kPace = 16;  // that are begun in this time whatever is unanswered
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kQuietNs = 30 * kSecondNs;   // then a PING
constexpr int64_t kAnswerNs = 15 * kSecondNs;  // that it may take to be answered

int64_t now_ns() { return sys::real_clock().monotonic_ns(); }

// "127.0.0.1:45752", this side's end of a connection; "" when it has none (yet).
std::string local_end(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return "";
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<sockaddr*>(&name), size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  return cat(host, ":", port);
}

bool named(const std::vector<const Options*>& clients, const Exchange& x) {
  return std::find(clients.begin(), clients.end(), x.options.get()) != clients.end();
}

}  // namespace

struct Engine::Orders {
  std::deque<std::shared_ptr<Exchange>> fresh;
  std::vector<std::shared_ptr<Exchange>> marked;
  std::vector<const Options*> leaving;
  uint64_t leaves = 0;
  bool stop = false;
};

std::shared_ptr<Engine> make_engine() { return std::make_shared<Engine>(); }

Status Engine::open() {
  Lock held(mutex_);
  if (curl_) return ok();
  const Curl* curl = TRY(Curl::open());
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  bell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || bell_ < 0) {
    for (int* fd : {&epoll_, &bell_}) {
      if (*fd >= 0) ::close(*fd);
      *fd = -1;
    }
    return Error(Code::kResourceExhausted, "too many open files");
  }
  curl_ = curl;
  watch(bell_, CURL_POLL_IN);
  multi_ = curl_->multi_init();
  const auto set = [&](CURLMoption option, auto value) { curl_->multi_setopt(multi_, option, value); };
  set(CURLMOPT_SOCKETFUNCTION, &Engine::on_socket);
  set(CURLMOPT_SOCKETDATA, this);
  set(CURLMOPT_TIMERFUNCTION, &Engine::on_timer);
  set(CURLMOPT_TIMERDATA, this);
  set(CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  if (max_connections_ > 0) {
    set(CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(max_connections_));
  }
  thread_ = std::thread([this] { loop(); });
  return ok();
}

Engine::~Engine() {
  if (!curl_) return;
  {
    Lock held(mutex_);
    stop_ = true;
  }
  wake();
  thread_.join();
  curl_->multi_cleanup(multi_);
  ::close(bell_);
  ::close(epoll_);
}

// ---- any thread

void Engine::wake() {
  if (rung_.exchange(true)) return;
  const uint64_t one = 1;
  (void)!::write(bell_, &one, sizeof one);
}

void Engine::add(std::shared_ptr<Exchange> x) {
  {
    Lock held(mutex_);
    inbox_.push_back(std::move(x));
  }
  wake();
}

void Engine::look_at(std::shared_ptr<Exchange> x) {
  {
    Lock held(mutex_);
    marked_.push_back(std::move(x));
  }
  wake();
}

void Engine::leave(const std::shared_ptr<const Options>& client) {
  if (std::this_thread::get_id() == thread_.get_id()) {
    // Inside one of curl's calls: they end with the next round.
    Lock held(mutex_);
    for (const auto& x : running_) {
      if (x->options != client) continue;
      x->dropped = true;
      marked_.push_back(x);
    }
    for (const auto* list : {&inbox_, &queue_}) {
      for (const auto& x : *list) x->dropped = x->dropped || x->options == client;
    }
    return wake();
  }
  Lock held(mutex_);
  if (!curl_) return;
  leaving_.push_back(client.get());
  const uint64_t ticket = ++leaves_asked_;
  wake();
  while (leaves_done_ < ticket) left_.wait(mutex_);
}

// ---- the thread

void Engine::watch(int socket, int what) {
  if (what == CURL_POLL_REMOVE) {
    peers_.erase(socket);
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    return;
  }
  epoll_event e{};
  e.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0) e.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) e.events |= EPOLLOUT;
  // A socket that was closed without a word has left by itself, and its number may be another's.
  if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &e) != 0) {
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &e);
  }
}

int Engine::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  auto& engine = *static_cast<Engine*>(self);
  engine.watch(socket, what);
  if (what == CURL_POLL_REMOVE) return 0;
  Peer& peer = engine.peers_[socket];
  const bool reads = (what & CURL_POLL_IN) != 0;
  if (reads && !peer.read) peer.heard_ns = now_ns();
  peer.read = reads;
  return 0;
}

// Its number may be another's at once.
int Engine::on_close_socket(void* self, curl_socket_t socket) {
  static_cast<Engine*>(self)->peers_.erase(socket);
  return ::close(socket);
}

int Engine::on_timer(CURLM*, long ms, void* self) {
  static_cast<Engine*>(self)->timer_ns_ = ms < 0 ? -1 : now_ns() + int64_t{ms} * 1'000'000;
  return 0;
}

void Engine::begin(const std::shared_ptr<Exchange>& x) {
  prepare(*curl_, *x);
  curl_->easy_setopt(x->easy, CURLOPT_CLOSESOCKETFUNCTION, &Engine::on_close_socket);
  curl_->easy_setopt(x->easy, CURLOPT_CLOSESOCKETDATA, this);
  if (x->data && pulse_ns_ < 0) pulse_ns_ = now_ns() + kAnswerNs;
  x->place = running_.size();
  running_.push_back(x);
  if (x->request.cancel) cancellable_.push_back(x.get());
  x->begun = true;
  curl_->multi_add_handle(multi_, x->easy);
}

void Engine::begin_streams() {
  const int64_t now = now_ns();
  size_t more = unanswered_ < kMostUnanswered ? kMostUnanswered - unanswered_ : 0;
  if (more == 0 && now - paced_ns_ >= kPaceMs * 1'000'000) {
    paced_ns_ = now;
    more = kPace;
  }
  for (; more > 0 && !queue_.empty(); queue_.pop_front()) {
    const std::shared_ptr<Exchange>& x = queue_.front();
    if (x->dropped) {
      cancel(*x);
      continue;
    }
    ++unanswered_;
    x->unanswered = &unanswered_;
    begin(x);
    --more;
  }
}

void Engine::end(Exchange& x) {
  count_off(x);
  if (x.request.cancel) std::erase(cancellable_, &x);
  const size_t place = x.place;
  running_.back()->place = place;
  std::swap(running_[place], running_.back());
  x.place = Exchange::kNowhere;
  running_.pop_back();
}

void Engine::call_off(const std::shared_ptr<Exchange>& x) {
  if (x->place == Exchange::kNowhere) return;
  curl_->multi_remove_handle(multi_, x->easy);
  release(*curl_, *x);
  end(*x);
  cancel(*x);
}

void Engine::follow(const Orders& orders) {
  for (const auto& x : orders.fresh) {
    if (orders.stop || x->dropped || named(orders.leaving, *x)) {
      cancel(*x);
    } else if (x->data) {
      queue_.push_back(x);
    } else {
      begin(x);
    }
  }
  for (const auto& x : orders.marked) {
    if (x->dropped) {
      call_off(x);
    } else if (x->place != Exchange::kNowhere && x->paused && x->wants_resume.exchange(false)) {
      x->paused = false;
      curl_->easy_pause(x->easy, CURLPAUSE_CONT);
    }
  }
  if (!orders.stop && orders.leaving.empty()) return;
  std::erase_if(queue_, [&](const auto& x) {
    const bool gone = orders.stop || named(orders.leaving, *x);
    if (gone) cancel(*x);
    return gone;
  });
  const std::vector<std::shared_ptr<Exchange>> all = running_;
  for (const auto& x : all) {
    if (orders.stop || named(orders.leaving, *x)) call_off(x);
  }
}

void Engine::end_cancelled() {
  for (size_t i = cancellable_.size(); i-- > 0;) {
    if (i >= cancellable_.size()) continue;
    const std::shared_ptr<Exchange> x = running_[cancellable_[i]->place];
    if (x->request.cancel->cancelled()) call_off(x);
  }
}

void Engine::collect() {
  int left = 0;
  while (CURLMsg* m = curl_->multi_info_read(multi_, &left)) {
    if (m->msg != CURLMSG_DONE) continue;
    const CURLcode code = m->data.result;
    char* user = nullptr;
    curl_->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &user);
    const auto x = running_[reinterpret_cast<Exchange*>(user)->place];
    curl_->multi_remove_handle(multi_, x->easy);
    end(*x);
    finish(*curl_, *x, code);
    release(*curl_, *x);
  }
}

// Which connections the multiplexed streams are on. libcurl does not tell before they have ended;
// but it tells of the connection's own end. True: there are streams.
bool Engine::find_sockets() {
  bool streams = false;
  std::unordered_map<std::string, int> ends;
  for (const auto& x : running_) {
    streams = streams || x->data;
    if (!x->data || !x->multiplexed || x->socket >= 0) continue;
    if (ends.empty()) {
      for (const auto& [socket, peer] : peers_) ends.emplace(local_end(socket), socket);
    }
    const char* address = nullptr;
    long port = 0;
    curl_->easy_getinfo(x->easy, CURLINFO_LOCAL_IP, &address);
    curl_->easy_getinfo(x->easy, CURLINFO_LOCAL_PORT, &port);
    const auto end = ends.find(cat(address != nullptr ? address : "", ":", port));
    if (end == ends.end()) continue;
    x->socket = end->second;
    peers_[x->socket].multiplexed = true;
  }
  return streams;
}

void Engine::pulse() {
  const int64_t now = now_ns();
  const bool streams = find_sockets();
  int64_t next = now + kAnswerNs;  // those that begin meanwhile
  std::vector<int> lost, quiet;
  for (auto& [socket, peer] : peers_) {
    if (!peer.multiplexed) continue;
    if (!peer.read) peer.heard_ns = now;  // held up by those who read it
    if (peer.asked_ns > peer.heard_ns) {
      if (now - peer.asked_ns >= kAnswerNs) lost.push_back(socket);
      next = std::min(next, std::max(peer.asked_ns + kAnswerNs, now + kSecondNs));
    } else if (now - peer.heard_ns >= kQuietNs) {
      peer.asked_ns = now;
      quiet.push_back(socket);
    } else {
      next = std::min(next, peer.heard_ns + kQuietNs);
    }
  }
  pulse_ns_ = streams ? next : -1;
  for (const int socket : lost) {
    for (const auto& x : running_) x->unheard = x->unheard || x->socket == socket;
    peers_[socket].multiplexed = false;
    ::shutdown(socket, SHUT_RD);  // curl reads the end of it
  }
  for (const int socket : quiet) {
    const auto on = std::find_if(running_.begin(), running_.end(),
                                 [&](const auto& x) { return x->socket == socket; });
    if (on == running_.end() || !ping(*curl_, (*on)->easy, socket)) {
      peers_[socket].multiplexed = false;  // left to TCP's keep-alive
    }
  }
}

int64_t Engine::poll_ms() const {
  const int64_t due = timer_ns_ < 0   ? pulse_ns_
                      : pulse_ns_ < 0 ? timer_ns_
                                      : std::min(timer_ns_, pulse_ns_);
  const int64_t until_timer = due < 0 ? -1 : std::max<int64_t>(0, (due - now_ns() + 999'999) / 1'000'000);
  const int64_t most = !queue_.empty() ? kPaceMs : !cancellable_.empty() ? kCancelPollMs : -1;
  if (most < 0 || until_timer < 0) return std::max(most, until_timer);
  return std::min(until_timer, most);
}

Engine::Orders Engine::take_orders() {
  Orders o;
  rung_ = false;
  Lock held(mutex_);
  o.fresh.swap(inbox_);
  o.marked.swap(marked_);
  o.leaving.swap(leaving_);
  o.leaves = leaves_asked_;
  o.stop = stop_;
  return o;
}

void Engine::loop() {
  epoll_event events[kMostEvents];
  for (int active = 0;;) {
    const Orders orders = take_orders();
    follow(orders);
    if (!orders.leaving.empty() || orders.stop) {
      Lock held(mutex_);
      leaves_done_ = orders.leaves;
      left_.notify_all();
    }
    if (orders.stop) return;
    end_cancelled();
    collect();
    begin_streams();
    const int n = ::epoll_wait(epoll_, events, kMostEvents, static_cast<int>(poll_ms()));
    const int64_t woken = now_ns();
    for (int i = 0; i < n; ++i) {
      const epoll_event& e = events[i];
      if (e.data.fd == bell_) {
        uint64_t rings = 0;
        (void)!::read(bell_, &rings, sizeof rings);
        continue;
      }
      if ((e.events & EPOLLIN) != 0) {
        if (const auto peer = peers_.find(e.data.fd); peer != peers_.end()) {
          peer->second.heard_ns = woken;
        }
      }
      const bool broken = (e.events & (EPOLLERR | EPOLLHUP)) != 0;  // curl finds out how
      const int what = broken ? 0
                              : ((e.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                                    ((e.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0);
      curl_->multi_socket_action(multi_, e.data.fd, what, &active);
    }
    if (timer_ns_ >= 0 && timer_ns_ <= now_ns()) {
      timer_ns_ = -1;
      curl_->multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &active);
    }
    if (pulse_ns_ >= 0 && pulse_ns_ <= now_ns()) pulse();
  }
}

}  // namespace pintle::http
