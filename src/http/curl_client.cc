// One thread drives a curl multi handle; everything curl touches belongs to it. Other
// threads only put work into an inbox and wake it. An exchange is shared between the thread and its
// handle, because either may let go first. Bodies are collected up to max_body, or handed to `data`,
// where refusing a piece pauses that transfer alone.
#include "http/curl_client.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include <arpa/inet.h>

#include "base/strings.h"
#include "http/curl.h"
#include "http/errors.h"
#include "http/proxy.h"
#include "http/wire.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace pintle::http {
namespace {

constexpr int kCancelPollMs = 100;

struct Exchange {
  Request request;
  Client::Done done;
  Client::Data data;
  Response response;
  size_t header_bytes = 0;
  std::string address;
  char detail[CURL_ERROR_SIZE] = {};
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  curl_slist* mail_to = nullptr;
  size_t mail_sent = 0;     // bytes of the body
  bool head_done = false;   // of the final answer
  bool stopped = false;     // `data` said stop: success
  bool too_long = false;
  bool paused = false;
  bool under_way = false;   // added to the multi handle
  std::atomic<bool> dropped{false};
  std::atomic<bool> wants_resume{false};
  std::mutex calling;       // held while done or data runs, so that dropping waits for them
};

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\r' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

size_t on_header(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const std::string_view line(p, n);
  if (x.request.mail) {  // a reply of the mail server; what it says to QUIT is not about the mail
    const bool refused = !x.response.body.empty() && x.response.body[0] >= '4';
    if (!refused) x.response.body = trim(line);
    return n;
  }
  x.header_bytes += n;
  if (x.header_bytes > x.request.max_header) {
    x.head_done = x.response.status >= 200;
    return 0;
  }
  if (line == "\r\n" || line == "\n") x.head_done = x.response.status >= 200;
  if (line.starts_with("HTTP/")) {  // a new head: after 100 Continue or a proxy's CONNECT
    x.response.headers.clear();
    const size_t space = line.find(' ');
    x.response.status = space == std::string_view::npos ? 0 : std::atoi(line.data() + space + 1);
    return n;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    x.response.headers.emplace_back(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
  return n;
}

size_t on_body(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const bool good = x.response.status >= 200 && x.response.status < 300;
  if (x.data && good) {
    std::lock_guard held(x.calling);
    if (x.dropped) return 0;
    switch (x.data({p, n})) {
      case Client::Flow::kContinue: return n;
      case Client::Flow::kPause: x.paused = true; return CURL_WRITEFUNC_PAUSE;
      case Client::Flow::kStop: x.stopped = true; return 0;
    }
  }
  if (x.response.body.size() + n > x.request.max_body) {
    x.too_long = true;
    if (x.request.take_partial) x.response.body.append(p, x.request.max_body - x.response.body.size());
    return 0;
  }
  x.response.body.append(p, n);
  return n;
}

size_t on_mail(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const size_t sent = x.request.body.copy(p, n, x.mail_sent);
  x.mail_sent += sent;
  return sent;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* a) {
  auto& x = *static_cast<Exchange*>(user);
  if (x.address.empty()) {  // the first address tried is the one Go reports
    char text[INET6_ADDRSTRLEN] = "";
    if (a->family == AF_INET) {
      const auto* in = reinterpret_cast<const sockaddr_in*>(&a->addr);
      inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
      x.address = cat(text, ":", ntohs(in->sin_port));
    } else if (a->family == AF_INET6) {
      const auto* in = reinterpret_cast<const sockaddr_in6*>(&a->addr);
      inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof text);
      x.address = cat("[", text, "]:", ntohs(in->sin6_port));
    }
  }
  return ::socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

class CurlClient final : public Client {
 public:
  CurlClient(const Curl& curl, Options options) : curl_(curl), options_(std::move(options)) {
    multi_ = curl_.multi_init();
    curl_.multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    if (options_.max_connections > 0) {
      curl_.multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS,
                         static_cast<long>(options_.max_connections));
    }
    thread_ = std::thread([this] { loop(); });
  }

  ~CurlClient() override {
    {
      std::lock_guard held(mutex_);
      stop_ = true;
    }
    curl_.multi_wakeup(multi_);
    thread_.join();
    curl_.multi_cleanup(multi_);
  }

  Result<Response> send(const Request& request) override {
    Waiter w;
    auto pending = start(request, [&](Result<Response> r) { w.finish(std::move(r)); }, {});
    return w.wait();
  }

  Result<int> stream(const Request& request, const std::function<bool(const Response&)>& head,
                     const std::function<bool(std::string_view)>& data) override;

  std::unique_ptr<Pending> start(Request request, Done done, Data data) override {
    auto x = std::make_shared<Exchange>();
    x->request = std::move(request);
    x->done = std::move(done);
    x->data = std::move(data);
    auto handle = std::make_unique<Handle>(*this, x);
    {
      std::lock_guard held(mutex_);
      inbox_.push_back(std::move(x));
    }
    curl_.multi_wakeup(multi_);
    return handle;
  }

 private:
  struct Waiter {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Result<Response>> result;
    void finish(Result<Response> r) {
      std::lock_guard held(mutex);
      result.emplace(std::move(r));
      changed.notify_all();
    }
    Result<Response> wait() {
      std::unique_lock held(mutex);
      changed.wait(held, [&] { return result.has_value(); });
      return std::move(*result);
    }
  };

  class Handle final : public Pending {
   public:
    Handle(CurlClient& client, std::shared_ptr<Exchange> x) : client_(client), x_(std::move(x)) {}
    ~Handle() override {
      {
        std::lock_guard held(x_->calling);
        x_->dropped = true;
      }
      client_.curl_.multi_wakeup(client_.multi_);
    }
    void resume() override {
      x_->wants_resume = true;
      client_.curl_.multi_wakeup(client_.multi_);
    }

   private:
    CurlClient& client_;
    std::shared_ptr<Exchange> x_;  // shared with the I/O thread: either may let go first
  };

  void loop();
  void begin(const std::shared_ptr<Exchange>& x);
  void finish(Exchange& x, CURLcode code);
  void report(Exchange& x, Result<Response> result) {
    std::lock_guard held(x.calling);
    if (!x.dropped && x.done) x.done(std::move(result));
  }
  void release(Exchange& x);
  void set_tls(CURL* easy);
  void set_mail(Exchange& x);

  const Curl& curl_;
  const Options options_;
  CURLM* multi_;
  std::thread thread_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Exchange>> inbox_;  // guarded by mutex_
  bool stop_ = false;                            // guarded by mutex_
  std::vector<std::shared_ptr<Exchange>> running_;  // the I/O thread's
};

void CurlClient::set_tls(CURL* easy) {
  const Tls& tls = options_.tls;
  const auto blob = [&](CURLoption option, const std::string& pem) {
    if (pem.empty()) return;
    curl_blob b{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    curl_.easy_setopt(easy, option, &b);
  };
  blob(CURLOPT_CAINFO_BLOB, tls.ca_pem);
  blob(CURLOPT_SSLCERT_BLOB, tls.certificate_pem);
  blob(CURLOPT_SSLKEY_BLOB, tls.key_pem);
  if (!tls.certificate_pem.empty()) {
    curl_.easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl_.easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    curl_.easy_setopt(easy, CURLOPT_KEYPASSWD, "");  // else OpenSSL asks the terminal
  }
  if (tls.insecure) {
    curl_.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void CurlClient::set_mail(Exchange& x) {
  const Mail& mail = *x.request.mail;
  const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(x.easy, option, value); };
  for (const std::string& to : mail.to) x.mail_to = curl_.slist_append(x.mail_to, to.c_str());
  set(CURLOPT_MAIL_FROM, mail.from.c_str());
  set(CURLOPT_MAIL_RCPT, x.mail_to);
  if (!mail.user.empty()) {
    set(CURLOPT_USERNAME, mail.user.c_str());
    set(CURLOPT_PASSWORD, mail.password.c_str());
  }
  set(CURLOPT_USE_SSL, static_cast<long>(mail.plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, on_mail);
  set(CURLOPT_READDATA, &x);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(x.request.body.size()));
}

void CurlClient::begin(const std::shared_ptr<Exchange>& shared) {
  Exchange& x = *shared;
  const Request& r = x.request;
  CURL* easy = x.easy = curl_.easy_init();
  const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(easy, option, value); };
  std::string url = r.url;
  if (const std::string& name = options_.tls.server_name; !name.empty()) {
    // The name to verify stands in the URL; the connection goes to the address asked for.
    if (const size_t at = url.find("://"); at != std::string::npos) {
      const size_t from = at + 3;
      const size_t to = std::min(url.find_first_of("/?", from), url.size());
      const std::string authority = url.substr(from, to - from);
      const size_t colon = authority.rfind(':');
      const bool port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
      const std::string host = port ? authority.substr(0, colon) : authority;
      const std::string number = port ? authority.substr(colon + 1) : "443";
      url = cat(url.substr(0, from), name, ":", number, url.substr(to));
      x.connect_to =
          curl_.slist_append(nullptr, cat(name, ":", number, ":", host, ":", number).c_str());
    }
  }
  if (const std::string& address = r.connect_to; !address.empty()) {
    const bool v6 = address.find(':') != std::string::npos;
    x.connect_to = curl_.slist_append(  // whatever its host and port: to there, and the same port
        x.connect_to, cat("::", v6 ? "[" : "", address, v6 ? "]:" : ":").c_str());
  }
  if (x.connect_to) set(CURLOPT_CONNECT_TO, x.connect_to);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, r.mail ? "smtp,smtps" : "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PRIVATE, &x);
  set(CURLOPT_ERRORBUFFER, x.detail);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Waiting for the first connection to show whether it is multiplexed means waiting for its answer,
  // which a pinned receiver may never give; others at its address shall not wait with it.
  set(CURLOPT_PIPEWAIT, r.connect_to.empty() ? 1L : 0L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, 30L);
  set(CURLOPT_TCP_KEEPINTVL, 15L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout_ms));
  if (r.timeout_ms > 0) set(CURLOPT_TIMEOUT_MS, static_cast<long>(r.timeout_ms));
  if (r.timeout_ms == 0 && !x.data) {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(kSilentSeconds));
  }
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &x);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &x);
  set(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  set(CURLOPT_OPENSOCKETDATA, &x);
  set(CURLOPT_ACCEPT_ENCODING, x.data ? nullptr : "");
  std::string proxy = options_.proxy;
  if (proxy.empty() && options_.proxy_environ) proxy = proxy_for(r.url, *options_.proxy_environ);
  set(CURLOPT_PROXY, proxy.c_str());  // "" also keeps libcurl from the environment
  set(CURLOPT_NOPROXY, "");
  if (r.mail) {
    set_mail(x);
    set_tls(easy);
    running_.push_back(shared);
    x.under_way = true;
    curl_.multi_add_handle(multi_, easy);
    return;
  }
  if (r.method == "HEAD") set(CURLOPT_NOBODY, 1L);
  set(CURLOPT_CUSTOMREQUEST, r.method.c_str());
  if (!r.body.empty() || r.method == "POST" || r.method == "PUT" || r.method == "PATCH") {
    set(CURLOPT_POSTFIELDS, r.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(r.body.size()));
  }
  x.headers = curl_.slist_append(nullptr, "Expect:");
  bool typed = false;
  for (const auto& [name, value] : r.headers) {
    typed = typed || lower(name) == "content-type";
    x.headers = curl_.slist_append(x.headers, cat(name, value.empty() ? ";" : ": ", value).c_str());
  }
  if (!typed) x.headers = curl_.slist_append(x.headers, "Content-Type:");
  set(CURLOPT_HTTPHEADER, x.headers);
  set_tls(easy);
  running_.push_back(shared);
  x.under_way = true;
  curl_.multi_add_handle(multi_, easy);
}

void CurlClient::finish(Exchange& x, CURLcode code) {
  if (x.request.mail) {
    long reply = 0;
    curl_.easy_getinfo(x.easy, CURLINFO_RESPONSE_CODE, &reply);
    x.response.status = static_cast<int>(reply);
    x.head_done = reply >= 400;  // a refusal is an answer too
  }
  const bool partial = x.request.take_partial && x.head_done;
  if (x.stopped || partial || code == CURLE_OK) return report(x, std::move(x.response));
  if (x.header_bytes > x.request.max_header) {
    return report(x, request_error(x.request, Code::kResourceExhausted,
                                   cat("net/http: server response headers exceeded ",
                                       x.request.max_header, " bytes; aborted")));
  }
  if (x.too_long) {
    return report(x, request_error(x.request, Code::kResourceExhausted,
                                   cat("http: answer larger than ", x.request.max_body, " bytes")));
  }
  Failure f;
  f.code = code;
  long number = 0;
  if (curl_.easy_getinfo(x.easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK) {
    f.system_error = static_cast<int>(number);
  }
  curl_.easy_getinfo(x.easy, CURLINFO_SSL_VERIFYRESULT, &f.verify_result);
  curl_off_t connected = 0;
  curl_.easy_getinfo(x.easy, CURLINFO_CONNECT_TIME_T, &connected);
  f.connected = connected > 0;
  f.answered = x.response.status != 0;
  f.address = x.address;
  f.server_name = options_.tls.server_name;
  f.detail = x.detail[0] ? x.detail : curl_.easy_strerror(code);
  report(x, failure_error(x.request, f));
}

void CurlClient::release(Exchange& x) {
  if (x.under_way) curl_.multi_remove_handle(multi_, x.easy);
  x.under_way = false;
  curl_.easy_cleanup(x.easy);
  curl_.slist_free_all(x.headers);
  curl_.slist_free_all(x.connect_to);
  curl_.slist_free_all(x.mail_to);
  x.easy = nullptr;
  x.headers = x.connect_to = x.mail_to = nullptr;
}

void CurlClient::loop() {
  for (;;) {
    std::deque<std::shared_ptr<Exchange>> fresh;
    bool stop = false;
    {
      std::lock_guard held(mutex_);
      fresh.swap(inbox_);
      stop = stop_;
    }
    for (auto& x : fresh) {
      if (stop || x->dropped) {
        report(*x, request_error(x->request, Code::kCancelled, "context canceled"));
      } else {
        begin(x);
      }
    }
    bool cancellable = false;
    for (size_t i = 0; i < running_.size();) {
      Exchange& x = *running_[i];
      const bool cancelled = x.request.cancel && x.request.cancel->cancelled();
      cancellable = cancellable || x.request.cancel;
      if (stop || x.dropped || cancelled) {
        const auto keep = running_[i];
        running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
        release(x);
        report(x, request_error(x.request, Code::kCancelled, "context canceled"));
        continue;
      }
      if (x.paused && x.wants_resume.exchange(false)) {
        x.paused = false;
        curl_.easy_pause(x.easy, CURLPAUSE_CONT);
      }
      ++i;
    }
    if (stop) return;
    int active = 0;
    curl_.multi_perform(multi_, &active);
    int left = 0;
    bool finished = false;
    while (CURLMsg* m = curl_.multi_info_read(multi_, &left)) {
      if (m->msg != CURLMSG_DONE) continue;
      const CURLcode code = m->data.result;
      char* user = nullptr;
      curl_.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &user);
      const auto it = std::find_if(running_.begin(), running_.end(), [&](const auto& x) {
        return static_cast<void*>(x.get()) == static_cast<void*>(user);
      });
      if (it == running_.end()) continue;
      const auto x = *it;
      running_.erase(it);
      finish(*x, code);
      release(*x);
      finished = true;
    }
    if (!finished) {
      curl_.multi_poll(multi_, nullptr, 0, cancellable ? kCancelPollMs : 1000, nullptr);
    }
  }
}

Result<int> CurlClient::stream(const Request& request, const std::function<bool(const Response&)>& head,
                               const std::function<bool(std::string_view)>& data) {
  // Pieces wait in a buffer until this thread takes them; a full one pauses the transfer.
  constexpr size_t kFull = 1 << 20;
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::string buffer;
    std::optional<Result<Response>> result;
  } s;
  auto pending = start(
      request,
      [&](Result<Response> r) {
        std::lock_guard held(s.mutex);
        s.result.emplace(std::move(r));
        s.changed.notify_all();
      },
      [&](std::string_view piece) {
        std::lock_guard held(s.mutex);
        if (s.buffer.size() > kFull) return Flow::kPause;
        s.buffer.append(piece);
        s.changed.notify_all();
        return Flow::kContinue;
      });
  bool begun = false;
  for (;;) {
    std::string taken;
    bool over = false;
    {
      std::unique_lock held(s.mutex);
      s.changed.wait(held, [&] { return !s.buffer.empty() || s.result; });
      taken.swap(s.buffer);
      over = s.result.has_value();
    }
    if (!taken.empty()) {
      if (!begun) {
        begun = true;
        Response ok;
        ok.status = 200;
        if (head && !head(ok)) return 200;
      }
      if (!data(taken)) return 200;
      pending->resume();
    }
    if (!over) continue;
    if (!*s.result) return s.result->error();
    if (!begun && head && !head(**s.result)) return (*s.result)->status;
    return (*s.result)->status;
  }
}

}  // namespace

Result<std::unique_ptr<Client>> make_curl_client(Options options) {
  return std::make_unique<CurlClient>(*TRY(Curl::open()), std::move(options));
}

}  // namespace pintle::http
