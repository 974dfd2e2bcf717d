#include "httpd/connection.h"

#include <netinet/tcp.h>

#include <boost/asio/post.hpp>
#include <boost/beast/http/status.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/strings.h"
#include "sys/clock.h"

namespace pintle::httpd {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

namespace {

constexpr size_t kReadBytes = 16 << 10;
constexpr size_t kReadAhead = 64 << 10;      // of pipelined requests, during an exchange
constexpr size_t kLingerBytes = 8 << 20;     // read and thrown away so that a refusal arrives
constexpr int kLingerMs = 2000;
constexpr size_t kGather = 64;
constexpr int kReadsInARow = 16;

bool no_body(int status) { return status < 200 || status == 204 || status == 304; }

bool names_equal(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

std::string peer_of(const tcp::socket& socket) {
  boost::system::error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return "";
  const std::string address = peer.address().to_string();
  return peer.address().is_v6() ? cat('[', address, "]:", peer.port())
                                : cat(address, ':', peer.port());
}

void set_options(tcp::socket& socket, int write_timeout_ms) {
  const int fd = socket.native_handle();
  auto set = [fd](int level, int name, int value) {
    ::setsockopt(fd, level, name, &value, sizeof value);  // tuning only
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);  // finds peers that vanished without a word
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, write_timeout_ms);
}

std::string http_date() {
  using namespace std::chrono;
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const int64_t seconds = sys::real_clock().now_ns() / 1'000'000'000;
  const sys_days day{days{seconds / 86400}};
  const year_month_day date{day};
  const int rest = static_cast<int>(seconds % 86400);
  char text[64];
  std::snprintf(text, sizeof text, "%s, %02u %s %d %02d:%02d:%02d GMT",
                kDays[weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                rest / 3600, rest / 60 % 60, rest % 60);
  return text;
}

// "http://host/path?x" (absolute form) -> "/path?x".
std::string_view origin_form(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const size_t slash = target.find('/', scheme + 3);
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (names_equal(header.name, name)) return header.value;
  }
  return {};
}

// The caller's side of one request. Its state is guarded by the connection's lock, which the analysis
// cannot tell from another connection's.
class Answer final : public Exchange, public std::enable_shared_from_this<Answer> {
 public:
  enum class State : uint8_t { kWaiting, kStreaming, kComplete, kOver };

  Answer(std::shared_ptr<Connection> connection, Request request, unsigned version)
      : version(version), connection_(std::move(connection)), request_(std::move(request)) {}

  const Request& request() const override { return request_; }
  void respond(Response response) override { connection_->respond(*this, std::move(response)); }
  void start(int status, std::vector<Header> headers) override {
    connection_->start(*this, status, std::move(headers));
  }
  bool send(Frame frame) override { return connection_->send(*this, std::move(frame)); }
  size_t queued_bytes() const override {
    return connection_->queued(const_cast<Answer&>(*this));
  }
  void finish() override { connection_->finish(*this); }
  void abort() override { connection_->abort(*this); }
  void on_close(std::function<void()> f) override { connection_->on_close(*this, std::move(f)); }

  const unsigned version;  // 10 or 11
  State state = State::kWaiting;
  bool chunked = false, silent = false;  // silent: an answer that has no body
  std::function<void()> closed;

 private:
  const std::shared_ptr<Connection> connection_;
  const Request request_;
};

using State = Answer::State;

Connection::Connection(std::shared_ptr<Loop> loop, std::shared_ptr<Shared> shared,
                       tcp::socket socket)
    : loop_(std::move(loop)),
      shared_(std::move(shared)),
      socket_(std::move(socket)),
      stream_(socket_.native_handle(), shared_->tls.get()) {}

void Connection::begin() {
  boost::system::error_code error;
  socket_.native_non_blocking(true, error);
  set_options(socket_, shared_->options.write_timeout_ms);
  slot = loop_->connections.size();
  loop_->connections.push_back(shared_from_this());
  if (shared_->draining) return close();
  deadline_ = loop_->after(shared_->options.header_timeout_ms);
  if (!shared_->tls) {
    phase_ = Phase::kIdle;
    deadline_ = loop_->after(shared_->options.idle_timeout_ms);
  }
  keep_reading();
}

void Connection::close() {
  std::function<void()> callback;
  {
    const Lock hold(lock_);
    if (closed_) return;
    closed_ = true;
    out_ = {};
    queued_ = 0;
    if (current_) {
      current_->state = State::kOver;
      callback = std::move(current_->closed);
      current_.reset();
    }
  }
  const auto keep = shared_from_this();
  boost::system::error_code error;
  socket_.close(error);
  auto& all = loop_->connections;
  std::swap(all[slot], all.back());
  all[slot]->slot = slot;
  all.pop_back();
  {
    const Lock hold(shared_->lock);
    --shared_->open;
  }
  shared_->closed.notify_all();
  if (callback) callback();
}

void Connection::tick() {
  if (write_deadline_ != 0 && loop_->ticks >= write_deadline_) return close();
  if (deadline_ == 0 || loop_->ticks < deadline_) return;
  deadline_ = 0;
  if (phase_ != Phase::kHead && phase_ != Phase::kBody) return close();
  refuse(408, phase_ == Phase::kHead ? "the request's head took too long"
                                     : "the request's body took too long");
  advance();
}

void Connection::drain() {
  bool idle;
  {
    const Lock hold(lock_);
    close_after_ = true;
    idle = !current_ && front_ == out_.size();
  }
  if (idle && phase_ != Phase::kLinger) close();
}

// ---- reading ----

void Connection::keep_reading() {
  if (reading_ || peer_ended_) return;
  reading_ = true;
  auto self = shared_from_this();
  if (stream_.pending()) {
    boost::asio::post(loop_->io, [self] { self->readable(); });
    return;
  }
  socket_.async_wait(tcp::socket::wait_read, [self](boost::system::error_code error) {
    if (!error) self->readable();
  });
}

void Connection::readable() {
  reading_ = false;
  for (int i = 0; i < kReadsInARow; ++i) {
    if (closed()) return;
    if (phase_ == Phase::kHandshake) {
      const auto io = stream_.handshake();
      if (io == Stream::Io::kClosed) return close();
      if (io == Stream::Io::kAgain) break;
      phase_ = Phase::kIdle;  // the deadline stays: the head follows the hello
      // We have nothing to say now, and a peer under Nagle's rule holds its request until we do.
      const int on = 1;
      ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    }
    // Full: the end of the exchange calls again.
    if (phase_ == Phase::kBusy && in_.size() >= kReadAhead) return;
    char bytes[kReadBytes];
    size_t count = 0;
    const auto io = stream_.read(bytes, sizeof bytes, &count);
    if (io == Stream::Io::kAgain) break;
    if (io == Stream::Io::kClosed) {
      const Lock hold(lock_);
      // Who asked and then shut its own side still gets an answer; nobody waits for a stream.
      peer_ended_ = phase_ == Phase::kBusy && current_ && current_->state != State::kStreaming;
      close_after_ = true;
      if (peer_ended_) deadline_ = loop_->after(shared_->options.write_timeout_ms);
    }
    if (peer_ended_) return;
    if (io == Stream::Io::kClosed) return close();
    if (phase_ == Phase::kLinger) {
      discarded_ += count;
      if (discarded_ > kLingerBytes) return close();
      continue;
    }
    in_.append(bytes, count);
    if (phase_ != Phase::kBusy) advance();
  }
  if (!closed()) keep_reading();
}

bool Connection::parse_next() {
  {
    const Lock hold(lock_);
    if (current_ || close_after_) return false;
  }
  const Options& options = shared_->options;
  if (in_.empty()) {
    if (parser_ == nullptr) in_ = {};  // gives the memory back
    return false;
  }
  if (parser_ == nullptr) {
    parser_ = std::make_unique<Parser>();
    parser_->eager(true);
    parser_->header_limit(static_cast<uint32_t>(options.max_header_bytes));
    parser_->body_limit(options.max_body_bytes);
    phase_ = Phase::kHead;
    deadline_ = loop_->after(options.header_timeout_ms);
  }
  boost::system::error_code error;
  while (!in_.empty() && !parser_->is_done()) {
    const size_t used = parser_->put(boost::asio::buffer(in_), error);
    in_.erase(0, used);
    if (error || used == 0) break;
  }
  if (error && error != http::error::need_more) {
    if (error == http::error::header_limit) {
      refuse(431, "the request's head is too large");
    } else if (error == http::error::body_limit) {
      refuse(413, cat("limit is ", options.max_body_bytes));
    } else {
      refuse(400, error.message());
    }
    return true;
  }
  if (parser_->is_done()) {
    hand_over();
    return true;
  }
  if (in_.size() > options.max_header_bytes + kReadBytes) {  // a chunk's head without an end
    refuse(400, "bad chunk");
    return true;
  }
  if (parser_->is_header_done() && phase_ == Phase::kHead) {
    phase_ = Phase::kBody;
    deadline_ = loop_->after(options.body_timeout_ms);
    if (names_equal(std::string_view(parser_->get()[http::field::expect]), "100-continue")) {
      const Lock hold(lock_);
      push(std::make_shared<const std::string>("HTTP/1.1 100 Continue\r\n\r\n"));
      return true;
    }
  }
  return false;
}

void Connection::hand_over() {
  auto message = parser_->release();
  parser_.reset();
  phase_ = Phase::kBusy;
  deadline_ = 0;
  if (message.version() >= 11 && message.find(http::field::host) == message.end()) {
    return refuse(400, "missing required Host header");
  }
  Request request;
  request.method = std::string_view(message.method_string());
  const std::string_view target = origin_form(message.target());
  const size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  for (const auto& field : message) {
    request.headers.push_back({std::string(std::string_view(field.name_string())),
                               std::string(std::string_view(field.value()))});
  }
  request.body = std::move(message.body());
  request.peer = peer_of(socket_);
  auto answer =
      std::make_shared<Answer>(shared_from_this(), std::move(request), message.version());
  {
    const Lock hold(lock_);
    current_ = answer;
    if (!message.keep_alive()) close_after_ = true;
    woken_ = true;  // advance() goes on below the handler
  }
  shared_->handler(std::move(answer));
}

void Connection::refuse(int status, std::string_view reason) {
  parser_.reset();
  in_ = {};
  phase_ = Phase::kBusy;
  deadline_ = 0;
  Response response;
  if (shared_->options.refuse) {
    response = shared_->options.refuse(status, reason);
  } else {
    response.status = status;
    response.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
    response.body = {std::make_shared<const std::string>(cat(reason, '\n'))};
  }
  size_t size = 0;
  for (const Frame& frame : response.body) size += frame->size();
  const Lock hold(lock_);
  close_after_ = true;
  push(std::make_shared<const std::string>(
      head(response.status, response.headers, cat("Content-Length: ", size, "\r\n"))));
  for (Frame& frame : response.body) push(std::move(frame));
}

// ---- writing ----

void Connection::advance() {
  do {
    if (!flush()) return;
  } while (parse_next());
  if (phase_ != Phase::kBusy) keep_reading();
}

void Connection::push(Frame frame, bool chunked) {
  if (frame->empty()) return;
  Piece piece{.frame = std::move(frame), .head = {}, .head_size = 0};
  if (chunked) {
    char* end = std::to_chars(piece.head, piece.head + 16, piece.frame->size(), 16).ptr;
    std::memcpy(end, "\r\n", 2);
    piece.head_size = static_cast<uint8_t>(end + 2 - piece.head);
  }
  queued_ += piece.size();
  out_.push_back(std::move(piece));
}

size_t Connection::gather(std::vector<iovec>& parts) const {
  parts.clear();
  size_t skip = front_sent_, total = 0;
  auto add = [&](const char* data, size_t size) {
    const size_t skipped = std::min(skip, size);
    skip -= skipped;
    if (size == skipped) return;
    parts.push_back({const_cast<char*>(data) + skipped, size - skipped});
    total += size - skipped;
  };
  for (size_t i = front_; i < out_.size() && parts.size() < kGather; ++i) {
    const Piece& piece = out_[i];
    add(piece.head, piece.head_size);
    add(piece.frame->data(), piece.frame->size());
    if (piece.head_size != 0) add("\r\n", 2);
  }
  return total;
}

void Connection::consumed(size_t bytes) {
  queued_ -= bytes;
  front_sent_ += bytes;
  while (front_ < out_.size() && front_sent_ >= out_[front_].size()) {
    front_sent_ -= out_[front_].size();
    out_[front_++].frame.reset();
  }
  if (front_ == out_.size()) {
    if (out_.capacity() > kGather) out_ = {};
    out_.clear();
    front_ = 0;
  } else if (front_ > kGather && front_ * 2 > out_.size()) {
    out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(front_));
    front_ = 0;
  }
}

bool Connection::flush() {
  static thread_local std::vector<iovec> parts;
  Lock hold(lock_);
  woken_ = false;
  if (closed_) return false;
  while (front_ < out_.size()) {
    gather(parts);
    size_t count = 0;
    const auto io = stream_.write(parts, &count);
    if (io == Stream::Io::kClosed) {
      hold.unlock();
      close();
      return false;
    }
    if (io == Stream::Io::kAgain) {
      hold.unlock();
      wait_writable();
      return false;
    }
    consumed(count);
    write_deadline_ = 0;  // counted anew from the next time it must wait
  }
  if (current_ && current_->state != State::kComplete) return false;
  const bool ended = current_ != nullptr;
  std::function<void()> callback;
  if (current_) {
    current_->state = State::kOver;
    callback = std::move(current_->closed);
    current_.reset();
  }
  const bool last = close_after_;
  hold.unlock();
  if (callback) callback();
  if (last && phase_ == Phase::kBusy) {
    linger();
    return false;
  }
  if (ended) {
    phase_ = Phase::kIdle;
    deadline_ = loop_->after(shared_->options.idle_timeout_ms);
  }
  return true;
}

void Connection::wait_writable() {
  if (write_deadline_ == 0) {
    write_deadline_ = loop_->after(shared_->options.write_timeout_ms);
  }
  if (writing_) return;
  writing_ = true;
  socket_.async_wait(tcp::socket::wait_write,
                     [self = shared_from_this()](boost::system::error_code error) {
                       self->writing_ = false;
                       if (!error) self->advance();
                     });
}

// Our side is closed first and the peer's rest read: closing with unread bytes would reset the
// connection, and the peer might never see the answer.
void Connection::linger() {
  if (peer_ended_) return close();
  stream_.end();
  phase_ = Phase::kLinger;
  deadline_ = loop_->after(kLingerMs);
  in_ = {};
  keep_reading();
}

// ---- what an exchange does, from any thread ----

void Connection::wake() {
  if (woken_ || closed_) return;
  woken_ = true;
  boost::asio::post(loop_->io, [self = shared_from_this()] { self->advance(); });
}

std::string Connection::head(int status, const std::vector<Header>& headers,
                             std::string_view framing) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(status));
  std::string out = cat("HTTP/1.1 ", status, ' ', std::string_view(reason), "\r\n");
  for (const Header& header : headers) append(out, {header.name, ": ", header.value, "\r\n"});
  append(out, {"Date: ", http_date(), "\r\n", framing});
  if (close_after_ || shared_->draining) {
    close_after_ = true;
    out += "Connection: close\r\n";
  }
  out += "\r\n";
  return out;
}

void Connection::respond(Answer& answer, Response response) {
  size_t size = 0;
  std::erase(response.body, nullptr);
  for (const Frame& frame : response.body) size += frame->size();
  const Lock hold(lock_);
  if (answer.state != State::kWaiting) return;
  answer.state = State::kComplete;
  const bool none = no_body(response.status);
  push(std::make_shared<const std::string>(
      head(response.status, response.headers,
           none ? std::string() : cat("Content-Length: ", size, "\r\n"))));
  if (!none && answer.request().method != "HEAD") {
    for (Frame& frame : response.body) push(std::move(frame));
  }
  wake();
}

void Connection::start(Answer& answer, int status, std::vector<Header> headers) {
  const Lock hold(lock_);
  if (answer.state != State::kWaiting) return;
  answer.state = State::kStreaming;
  answer.silent = no_body(status) || answer.request().method == "HEAD";
  answer.chunked = answer.version >= 11;
  if (!answer.chunked) close_after_ = true;  // HTTP/1.0: the end of the stream is the end
  push(std::make_shared<const std::string>(
      head(status, headers,
           answer.chunked && !no_body(status) ? "Transfer-Encoding: chunked\r\n" : "")));
  wake();
}

bool Connection::send(Answer& answer, Frame frame) {
  const Lock hold(lock_);
  if (answer.state != State::kStreaming) return false;
  if (answer.silent || frame == nullptr) return true;
  push(std::move(frame), answer.chunked);
  wake();
  return true;
}

void Connection::finish(Answer& answer) {
  static const Frame kEnd = std::make_shared<const std::string>("0\r\n\r\n");
  const Lock hold(lock_);
  if (answer.state != State::kStreaming) return;
  answer.state = State::kComplete;
  if (answer.chunked && !answer.silent) push(kEnd);
  wake();
}

void Connection::abort(Answer& answer) {
  const Lock hold(lock_);
  if (closed_ || answer.state == State::kOver) return;
  // The exchange is kept: by then it may be over, and the next one must not be cut.
  boost::asio::post(loop_->io, [self = shared_from_this(), mine = answer.shared_from_this()] {
    {
      const Lock again(self->lock_);
      if (self->current_ != mine) return;
    }
    self->close();
  });
}

void Connection::on_close(Answer& answer, std::function<void()> f) {
  {
    const Lock hold(lock_);
    if (answer.state != State::kOver) {
      answer.closed = std::move(f);
      return;
    }
  }
  f();
}

size_t Connection::queued(Answer& answer) {
  const Lock hold(lock_);
  return answer.state == State::kOver ? 0 : queued_;
}

}  // namespace pintle::httpd
