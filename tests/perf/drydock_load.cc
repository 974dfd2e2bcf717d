// Load on a Kubernetes API server, over TLS and HTTP/1.1, without a Kubernetes library in the way.
//   drydock_load HOST PORT TOKEN create NAMESPACE COUNT CLIENTS BYTES
//   drydock_load HOST PORT TOKEN list NAMESPACE
//   drydock_load HOST PORT TOKEN watch WATCHES HOT RATE SECONDS
// Prints one JSON object. `watch` opens WATCHES watches, of which HOT see every write; each of those
// must see each write once, with rising versions and in one order; latency is from before the write
// is sent to when the event is decrypted. Certificates are not checked: this is for loopback.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::string g_host, g_token;
int g_port = 0;
SSL_CTX* g_tls = nullptr;

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "drydock_load: %s\n", why.c_str());
  std::exit(1);
}

// A response's body as it comes: chunked or of a known length.
class Body {
 public:
  int status = 0;
  bool done = false;
  std::string text;  // the body so far; the reader may cut its front off

  void feed(std::string_view bytes) {
    raw_ += bytes;
    if (!in_body_) {
      const size_t end = raw_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      const std::string head = raw_.substr(0, end + 2);
      status = std::atoi(head.c_str() + 9);
      chunked_ = ::strcasestr(head.c_str(), "\r\ntransfer-encoding: chunked") != nullptr;
      if (const char* length = ::strcasestr(head.c_str(), "\r\ncontent-length:")) {
        left_ = static_cast<size_t>(std::atoll(length + 17));
      }
      raw_.erase(0, end + 4);
      in_body_ = true;
      if (!chunked_ && left_ == 0) done = true;
    }
    size_t at = 0;
    while (at < raw_.size() && !done) {
      if (chunked_ && left_ == 0) {  // "\r\n" of the last chunk may come first
        const size_t from = raw_.compare(at, 2, "\r\n") == 0 ? at + 2 : at;
        const size_t end = raw_.find("\r\n", from);
        if (end == std::string::npos) break;
        left_ = std::strtoul(raw_.c_str() + from, nullptr, 16);
        at = end + 2;
        if (left_ == 0) done = true;
        continue;
      }
      const size_t take = std::min(left_, raw_.size() - at);
      text.append(raw_, at, take);
      at += take;
      left_ -= take;
      if (!chunked_ && left_ == 0) done = true;
    }
    raw_.erase(0, done ? raw_.size() : at);
  }

 private:
  std::string raw_;
  bool in_body_ = false, chunked_ = false;
  size_t left_ = 0;
};

class Peer {
 public:
  Peer() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(g_port));
    ::inet_pton(AF_INET, g_host.c_str(), &address.sin_addr);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("connect");
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ssl_ = SSL_new(g_tls);
    SSL_set_fd(ssl_, fd_);
    if (SSL_connect(ssl_) != 1) die("TLS");
  }
  ~Peer() {
    SSL_free(ssl_);
    ::close(fd_);
  }
  Peer(const Peer&) = delete;

  void ask(const char* method, const std::string& path, const std::string& body) {
    std::string text = std::string(method) + " " + path + " HTTP/1.1\r\nHost: " + g_host +
                       "\r\nAuthorization: Bearer " + g_token +
                       "\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
                       "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (size_t sent = 0; sent < text.size();) {
      const int n = SSL_write(ssl_, text.data() + sent, static_cast<int>(text.size() - sent));
      if (n <= 0) die("write");
      sent += static_cast<size_t>(n);
    }
  }
  int receive(char* bytes, int size) { return SSL_read(ssl_, bytes, size); }
  Body answer() {
    Body body;
    static thread_local char bytes[64 << 10];
    while (!body.done) {
      const int n = receive(bytes, sizeof bytes);
      if (n <= 0) die("connection ended");
      body.feed({bytes, static_cast<size_t>(n)});
    }
    return body;
  }
  int fd() const { return fd_; }

 private:
  int fd_;
  SSL* ssl_;
};

void must(const Body& body, const char* what) {
  if (body.status >= 300) die(std::string(what) + ": " + body.text.substr(0, 400));
}

std::string config_map(const std::string& name, const std::string& data) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"("},"data":{)" + data + "}}";
}

void make_namespace(const std::string& name) {
  Peer peer;
  peer.ask("POST", "/api/v1/namespaces",
           R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})");
  const Body body = peer.answer();
  if (body.status != 409) must(body, "namespace");
}

std::string maps_of(const std::string& ns) { return "/api/v1/namespaces/" + ns + "/configmaps"; }

void create(const std::string& ns, int count, int clients, size_t bytes) {
  make_namespace(ns);
  const std::string data = "\"d\":\"" + std::string(bytes, 'x') + "\"";
  std::atomic<int> next = 0;
  std::vector<std::thread> threads;
  const int64_t begin = now_ns();
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      Peer peer;
      for (int n; (n = next++) < count;) {
        peer.ask("POST", maps_of(ns), config_map("m-" + std::to_string(n), data));
        must(peer.answer(), "create");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double seconds = static_cast<double>(now_ns() - begin) / 1e9;
  std::printf("{\"created\":%d,\"seconds\":%.3f,\"perSecond\":%.0f}\n", count, seconds,
              count / seconds);
}

void list(const std::string& ns) {
  Peer peer;
  const int64_t begin = now_ns();
  peer.ask("GET", maps_of(ns), "");
  const Body body = peer.answer();
  const int64_t took = now_ns() - begin;
  must(body, "list");
  size_t items = 0;
  for (size_t at = 0; (at = body.text.find("\"uid\":", at)) != std::string::npos; ++at) ++items;
  std::printf("{\"items\":%zu,\"bytes\":%zu,\"milliseconds\":%.1f}\n", items, body.text.size(),
              static_cast<double>(took) / 1e6);
}

struct Watch {
  std::unique_ptr<Peer> peer;
  Body body;
  std::vector<bool> seen;
  uint64_t version = 0, order = 0;
  int events = 0, repeated = 0, disordered = 0;
};

// The number behind `name`, or -1.
int64_t number_after(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return -1;
  return std::atoll(line.data() + at + name.size());
}

void take_events(Watch& watch, std::vector<int64_t>& latencies) {
  const int64_t now = now_ns();
  size_t from = 0;
  for (size_t end; (end = watch.body.text.find('\n', from)) != std::string::npos; from = end + 1) {
    const std::string_view line(watch.body.text.data() + from, end - from);
    const int64_t sequence = number_after(line, "\"sequence\":\"");
    if (sequence < 0) continue;
    const int64_t version = number_after(line, "\"resourceVersion\":\"");
    ++watch.events;
    watch.repeated += watch.seen[static_cast<size_t>(sequence)];
    watch.seen[static_cast<size_t>(sequence)] = true;
    watch.disordered += static_cast<uint64_t>(version) <= watch.version;
    watch.version = static_cast<uint64_t>(version);
    watch.order = watch.order * 1099511628211u + static_cast<uint64_t>(sequence) + 1;
    latencies.push_back(now - number_after(line, "\"stamp\":\""));
  }
  watch.body.text.erase(0, from);
}

void watch(int watches, int hot, int rate, int seconds) {
  constexpr int kWriters = 8;
  const int total = rate * seconds;
  const std::string ns = "perf-hot";
  make_namespace(ns);
  make_namespace("perf-cold");
  std::string version = "0";
  {
    Peer peer;
    peer.ask("GET", maps_of("perf-cold") + "?limit=1", "");
    const Body body = peer.answer();
    version = std::to_string(number_after(body.text, "\"resourceVersion\":\""));
  }
  const int poll = ::epoll_create1(0);
  std::vector<Watch> all(static_cast<size_t>(watches));
  for (int i = 0; i < watches; ++i) {
    Watch& w = all[static_cast<size_t>(i)];
    w.peer = std::make_unique<Peer>();
    w.seen.resize(i < hot ? static_cast<size_t>(total) : 0);
    w.peer->ask("GET", maps_of(i < hot ? ns : "perf-cold") + "?watch=1&resourceVersion=" + version,
                "");
    epoll_event event = {.events = EPOLLIN, .data = {.u32 = static_cast<uint32_t>(i)}};
    ::epoll_ctl(poll, EPOLL_CTL_ADD, w.peer->fd(), &event);
  }
  std::atomic<int> next = 0;
  std::atomic<int> running = kWriters;
  const int64_t begin = now_ns();
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      Peer peer;
      for (int n; (n = next++) < total;) {
        const int64_t due = begin + static_cast<int64_t>(1e9 * n / rate);
        if (const int64_t early = due - now_ns(); early > 0) {
          std::this_thread::sleep_for(std::chrono::nanoseconds(early));
        }
        const std::string id = std::to_string(n);
        peer.ask("POST", maps_of(ns),
                 config_map("w-" + id, "\"sequence\":\"" + id + "\",\"stamp\":\"" +
                                           std::to_string(now_ns()) + "\""));
        must(peer.answer(), "write");
      }
      --running;
    });
  }
  std::vector<int64_t> latencies;
  const size_t expected = static_cast<size_t>(total) * static_cast<size_t>(hot);
  latencies.reserve(expected);
  int64_t written = 0;
  int quiet = 0, ended = 0;
  static char bytes[64 << 10];
  while (latencies.size() < expected && quiet < 50) {
    epoll_event ready[256];
    const int count = ::epoll_wait(poll, ready, 256, 100);
    quiet = count == 0 && running == 0 ? quiet + 1 : 0;
    if (running == 0 && written == 0) written = now_ns();
    for (int i = 0; i < count; ++i) {
      Watch& w = all[ready[i].data.u32];
      const int n = w.peer->receive(bytes, sizeof bytes);
      if (n <= 0) {
        ++ended;
        ::epoll_ctl(poll, EPOLL_CTL_DEL, w.peer->fd(), nullptr);
        continue;
      }
      w.body.feed({bytes, static_cast<size_t>(n)});
      if (w.body.status >= 300) die("watch refused: " + w.body.text.substr(0, 400));
      if (!w.seen.empty()) take_events(w, latencies);
    }
  }
  for (auto& writer : writers) writer.join();
  if (written == 0) written = now_ns();
  int missing = 0, repeated = 0, disordered = 0;
  for (int i = 0; i < hot; ++i) {
    const Watch& w = all[static_cast<size_t>(i)];
    missing += total - static_cast<int>(std::count(w.seen.begin(), w.seen.end(), true));
    repeated += w.repeated;
    disordered += w.disordered + (w.order != all[0].order);
  }
  std::sort(latencies.begin(), latencies.end());
  auto at = [&](double part) {
    if (latencies.empty()) return 0.0;
    const auto i = static_cast<size_t>(part * static_cast<double>(latencies.size() - 1));
    return static_cast<double>(latencies[i]) / 1e6;
  };
  std::printf("{\"watches\":%d,\"writes\":%d,\"writesPerSecond\":%.0f,\"events\":%zu,\"missing\":%d,"
              "\"repeated\":%d,\"disordered\":%d,\"ended\":%d,\"p50ms\":%.1f,\"p99ms\":%.1f,"
              "\"maxms\":%.1f}\n",
              watches, total, total / (static_cast<double>(written - begin) / 1e9),
              latencies.size(), missing, repeated, disordered, ended, at(0.5), at(0.99), at(1));
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::string mode = argc > 4 ? argv[4] : "";
  g_tls = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_mode(g_tls, SSL_MODE_RELEASE_BUFFERS);
  if (argc > 4) {
    g_host = argv[1];
    g_port = std::atoi(argv[2]);
    g_token = argv[3];
  }
  auto number = [&](int i) { return std::atoi(argv[i]); };
  if (mode == "create" && argc == 9) {
    create(argv[5], number(6), number(7), static_cast<size_t>(number(8)));
  } else if (mode == "list" && argc == 6) {
    list(argv[5]);
  } else if (mode == "watch" && argc == 9) {
    watch(number(5), number(6), number(7), number(8));
  } else {
    std::fprintf(stderr, "usage: drydock_load HOST PORT TOKEN create|list|watch ...\n");
    return 2;
  }
  return 0;
}
