// Many streams over one HTTP/2 connection, as a region's watches are, against a server of its own:
// TLS, frames, and no more of the headers than that they came.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "base/strings.h"
#include "http/http.h"
#include "sys/testing/loopback_server.h"

namespace pintle::http {
namespace {

constexpr int kStreams = 50;
constexpr auto kLimit = std::chrono::seconds(30);

enum Type : uint8_t { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPing = 6 };
constexpr uint8_t kAck = 1, kEndHeaders = 4;
constexpr size_t kPreface = 24, kHead = 9, kMostInAFrame = 16'384;

std::string big_endian(uint32_t n, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out;
}

uint32_t big_number(std::string_view bytes) {
  uint32_t n = 0;
  for (const char c : bytes) n = n << 8 | static_cast<uint8_t>(c);
  return n;
}

std::string frame(Type type, uint8_t flags, uint32_t stream, std::string_view payload) {
  return cat(big_endian(static_cast<uint32_t>(payload.size()), 3), big_endian(type, 1), big_endian(flags, 1),
             big_endian(stream, 4), payload);
}

SSL_CTX* self_signed() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* x = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(x), 0);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, key);
  X509_sign(x, key, EVP_sha256());
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_use_certificate(context, x);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(x);
  EVP_PKEY_free(key);
  SSL_CTX_set_alpn_select_cb(
      context,
      [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned n, void*) {
        const bool h2 = std::string_view(reinterpret_cast<const char*>(offered), n).starts_with("\x02h2");
        static constexpr char kH2[] = "h2", kHttp1[] = "http/1.1";
        *out = reinterpret_cast<const unsigned char*>(h2 ? kH2 : kHttp1);
        *size = static_cast<unsigned char>(h2 ? sizeof kH2 - 1 : sizeof kHttp1 - 1);
        return SSL_TLSEXT_ERR_OK;
      },
      nullptr);
  return context;
}

// Answers each request with 200 and a number, a thousand times its connection's, from one on, and its
// stream's (HTTP/1.1: none), and holds it. A thread for each connection.
class Http2Server {
 public:
  ~Http2Server() {
    for (int i = 0; i < connections(); ++i) {
      Link& link = this->link(i);
      ::shutdown(link.fd, SHUT_RDWR);
      link.thread.join();
    }
    server_.reset();
    for (const auto& link : links_) ::close(link->bell);
    SSL_CTX_free(context_);
  }
  std::string url() const { return cat("https://127.0.0.1:", server_->port(), "/watch"); }
  int connections() {
    Lock held(mutex_);
    return static_cast<int>(links_.size());
  }
  void say(uint32_t number, std::string_view data) {
    const uint32_t stream = number % 1000;
    std::string frames;
    for (; stream != 0 && !data.empty(); data = data.substr(std::min(data.size(), kMostInAFrame))) {
      frames += frame(kData, 0, stream, data.substr(0, kMostInAFrame));
    }
    put(number, stream != 0 ? std::move(frames) : std::string(data));
  }
  void reset(uint32_t number) {
    put(number, frame(kReset, 0, number % 1000, big_endian(2, 4)));  // INTERNAL_ERROR
  }

 private:
  struct Link {
    int fd, number, bell = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::string waiting;  // the server's mutex_ guards it
    std::thread thread;
  };
  Link& link(int i) {
    Lock held(mutex_);
    return *links_[static_cast<size_t>(i)];
  }
  void put(uint32_t number, std::string bytes) {
    Lock held(mutex_);
    Link& to = *links_.at(number / 1000 - 1);
    to.waiting += bytes;
    (void)!::eventfd_write(to.bell, 1);
  }
  void serve(int fd) {
    Lock held(mutex_);
    links_.push_back(std::make_unique<Link>(fd, static_cast<int>(links_.size()) + 1));
    Link* link = links_.back().get();
    link->thread = std::thread([this, link] { run(*link); });
  }
  void run(Link& link) {
    sigset_t pipe;  // the peer may be gone
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    SSL* ssl = SSL_new(context_);
    SSL_set_fd(ssl, link.fd);
    if (SSL_accept(ssl) == 1) speak(ssl, link);
    SSL_free(ssl);
  }
  static bool write(SSL* ssl, const std::string& bytes) {
    return bytes.empty() || SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size())) > 0;
  }
  void speak(SSL* ssl, Link& link) {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl, &name, &size);
    const bool h2 = size == 2;
    if (h2 && !write(ssl, frame(kSettings, 0, 0, ""))) return;
    std::string in, out;
    size_t taken = h2 ? kPreface : 0;
    for (char piece[4096];; out.clear()) {
      pollfd ready[] = {{link.fd, POLLIN, 0}, {link.bell, POLLIN, 0}};
      ::poll(ready, 2, -1);
      eventfd_t rung = 0;
      if (ready[1].revents != 0) ::eventfd_read(link.bell, &rung);
      if (ready[0].revents != 0) {
        do {
          const int n = SSL_read(ssl, piece, sizeof piece);
          if (n <= 0) return;
          in.append(piece, static_cast<size_t>(n));
        } while (SSL_pending(ssl) > 0);
        out = h2 ? answers(in, taken, link.number * 1000) : answer(in, taken, link.number * 1000);
      }
      {
        Lock held(mutex_);
        out += std::exchange(link.waiting, {});
      }
      if (!write(ssl, out)) return;
    }
  }
  static std::string answer(const std::string& in, size_t& taken, int number) {
    const size_t end = in.find("\r\n\r\n", taken);
    if (end == std::string::npos) return "";
    taken = end + 4;
    return cat("HTTP/1.1 200 OK\r\n\r\n", number);
  }
  static std::string answers(const std::string& in, size_t& taken, int number) {
    std::string out;
    while (in.size() >= taken + kHead) {
      const std::string_view head = std::string_view(in).substr(taken, kHead);
      const size_t size = big_number(head.substr(0, 3));
      if (in.size() < taken + kHead + size) break;
      const auto type = static_cast<Type>(head[3]);
      const bool ack = (head[4] & kAck) != 0;
      const uint32_t stream = big_number(head.substr(5));
      if (type == kSettings && !ack) out += frame(kSettings, kAck, 0, "");
      if (type == kPing && !ack) out += frame(kPing, kAck, 0, in.substr(taken + kHead, size));
      if (type == kHeaders) {
        out += frame(kHeaders, kEndHeaders, stream, "\x88");  // :status 200
        out += frame(kData, 0, stream, cat(static_cast<uint32_t>(number) + stream));
      }
      taken += kHead + size;
    }
    return out;
  }

  SSL_CTX* const context_ = self_signed();
  Mutex mutex_;
  std::vector<std::unique_ptr<Link>> links_;  // added to under mutex_
  std::unique_ptr<sys::LoopbackServer> server_ = std::make_unique<sys::LoopbackServer>([this](int fd) {
    serve(fd);
    return sys::LoopbackServer::After::kHold;
  });
};

// The streams of one client, and what came on each.
class Streams {
 public:
  explicit Streams(const Http2Server& server) : url_(server.url()) {
    Options options;
    options.tls.insecure = true;
    client_ = std::move(*Client::make(std::move(options)));
  }
  void open(int n, bool alone = false) {
    Request request;
    request.url = url_;
    request.alone = alone;
    pending_[n] = client_->start(
        std::move(request),
        [this, n](Result<Response> a) { told(n, [&](One& one) { one.end = a ? "ended" : a.error().text(); }); },
        [this, n](std::string_view piece) {
          auto flow = Client::Flow::kContinue;
          told(n, [&](One& one) {
            if (one.paused) flow = Client::Flow::kPause;
            else one.text += piece;
          });
          return flow;
        });
  }
  void end_it(int n) { pending_.erase(n); }
  bool heard(int n, std::string_view text) {
    return await(n, [&](const One& one) { return one.text == text; });
  }
  bool ended(int n) {
    return await(n, [](const One& one) { return !one.end.empty(); });
  }
  // The number that the server gave it; 0: none came.
  uint32_t number_of(int n) {
    await(n, [](const One& one) { return !one.text.empty() || !one.end.empty(); });
    Lock held(mutex_);
    return static_cast<uint32_t>(atoi(all_[n].text.c_str()));
  }
  std::string end(int n) {
    Lock held(mutex_);
    return all_[n].end;
  }
  void pause(int n) {
    Lock held(mutex_);
    all_[n].paused = true;
  }
  void resume(int n) {
    {
      Lock held(mutex_);
      all_[n].paused = false;
    }
    pending_[n]->resume();
  }

 private:
  struct One {
    std::string text, end;
    bool paused = false;
  };
  template <typename F>
  void told(int n, const F& change) {
    Lock held(mutex_);
    change(all_[n]);
    changed_.notify_all();
  }
  template <typename F>
  bool await(int n, const F& is) {
    Lock held(mutex_);
    for (const Deadline until(kLimit); !is(all_[n]);) {
      if (!changed_.wait_until(mutex_, until)) return is(all_[n]);
    }
    return true;
  }

  const std::string url_;
  std::unique_ptr<Client> client_;
  Mutex mutex_;
  Condition changed_;
  std::map<int, One> all_ GUARDED_BY(mutex_);
  std::map<int, std::unique_ptr<Client::Pending>> pending_;
};

class Http2 : public testing::Test {
 protected:
  void SetUp() override {
    std::set<uint32_t> numbers;
    for (int i = 0; i < kStreams; ++i) streams_.open(i);
    for (int i = 0; i < kStreams; ++i) {
      const uint32_t number = streams_.number_of(i);
      ASSERT_NE(number, 0u) << i << ": " << streams_.end(i);
      said_[i] = cat(number);
      EXPECT_TRUE(numbers.insert(number).second) << number;
    }
    EXPECT_EQ(server_.connections(), 1);
  }
  uint32_t number(int i) const { return static_cast<uint32_t>(atoi(said_.at(i).c_str())); }
  void all_but(int left_out, const std::string& text) {
    for (auto& [i, said] : said_) {
      if (i == left_out) continue;
      server_.say(number(i), text);
      said += text;
    }
    for (const auto& [i, said] : said_) {
      if (i == left_out) continue;
      EXPECT_TRUE(streams_.heard(i, said)) << i;
      EXPECT_EQ(streams_.end(i), "") << i;
    }
  }

  Http2Server server_;
  Streams streams_{server_};
  std::map<int, std::string> said_;  // to each
};

TEST_F(Http2, CarriesManyStreamsOnOneConnection) {
  all_but(-1, " one");
  all_but(-1, " two");
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(Http2, AResetStreamEndsAloneAndItsNextOneTakesTheSameConnection) {
  constexpr int kOne = 17;
  server_.reset(number(kOne));
  ASSERT_TRUE(streams_.ended(kOne));
  EXPECT_EQ(streams_.end(kOne), "unexpected EOF") << "which a watch takes for its end";
  all_but(kOne, " more");
  streams_.open(kStreams);
  EXPECT_GT(streams_.number_of(kStreams), number(kOne));
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(Http2, AHeldUpStreamLosesNothingAndNorDoOthers) {
  constexpr int kOne = 17;
  const std::string much(1 << 20, 'x');
  streams_.pause(kOne);
  server_.say(number(kOne), much);
  for (auto& [i, said] : said_) {
    server_.say(number(i), " more");
    said += i == kOne ? much + " more" : " more";
  }
  streams_.resume(kOne);
  for (const auto& [i, said] : said_) EXPECT_TRUE(streams_.heard(i, said)) << i;
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(Http2, AHeldUpStreamThatIsAloneHoldsUpNoOther) {
  constexpr int kAlone = kStreams;
  streams_.open(kAlone, true);
  const uint32_t number = streams_.number_of(kAlone);
  ASSERT_EQ(number, 2000u);
  streams_.pause(kAlone);
  const std::string much(16 << 20, 'x');
  server_.say(number, much);
  all_but(-1, " more");
  streams_.resume(kAlone);
  EXPECT_TRUE(streams_.heard(kAlone, cat(number, much)));
  EXPECT_EQ(server_.connections(), 2);
}

TEST(Http2Alone, TakesNoConnectionThatIsIdleAndLeavesNone) {
  Http2Server server;
  Streams streams(server);
  for (int i = 0; i < 3; ++i) {
    streams.open(2 * i);
    const uint32_t number = streams.number_of(2 * i);
    EXPECT_EQ(number / 1000, 1u) << i << ": the connection that is shared";
    server.reset(number);
    ASSERT_TRUE(streams.ended(2 * i));
    streams.open(2 * i + 1, true);
    EXPECT_EQ(streams.number_of(2 * i + 1), static_cast<uint32_t>(i + 2) * 1000);
    streams.end_it(2 * i + 1);
  }
}

}  // namespace
}  // namespace pintle::http
