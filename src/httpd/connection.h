// Connection: one peer, its requests one after the other. It lives on one Loop's thread; only what an
// Exchange touches (the queue of what is to be sent) is behind a lock, which is never held while
// calling out. Inside this room only.
//
// advance() is the whole machine: send what is queued, end the exchange when it is sent, else parse
// the next request and hand it over; stop when any of these must wait. Reading goes on during an
// exchange, to notice that the peer has gone.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "httpd/httpd.h"
#include "httpd/loop.h"
#include "httpd/stream.h"

namespace pintle::httpd {

class Answer;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // shared_ptrs: an exchange kept by a handler outlives the server, and so keeps its parts.
  Connection(std::shared_ptr<Loop> loop, std::shared_ptr<Shared> shared,
             boost::asio::ip::tcp::socket socket);

  void begin();
  void tick();   // looks at the deadlines
  void drain();  // closes when idle, else behind the answer under way
  void close();
  size_t slot = 0;  // in loop->connections

  // Any thread, for Answer.
  void respond(Answer& answer, Response response);
  void start(Answer& answer, int status, std::vector<Header> headers);
  bool send(Answer& answer, Frame frame);
  void finish(Answer& answer);
  void abort(Answer& answer);
  void on_close(Answer& answer, std::function<void()> f);
  size_t queued(Answer& answer);

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  enum class Phase : uint8_t { kHandshake, kIdle, kHead, kBody, kBusy, kLinger };
  struct Piece {  // a frame, chunked or as it is
    Frame frame;
    char head[18];  // "ffffffffffffffff\r\n"
    uint8_t head_size;
    size_t size() const { return head_size + frame->size() + (head_size != 0 ? 2 : 0); }
  };

  void readable();
  void keep_reading();
  void advance();
  bool flush();  // false: the connection is closed or must wait for the peer
  bool parse_next();
  void hand_over();
  void refuse(int status, std::string_view reason);
  void linger();
  void wait_writable();
  void wake() REQUIRES(lock_);  // have advance() called
  void push(Frame frame, bool chunked = false) REQUIRES(lock_);
  std::string head(int status, const std::vector<Header>& headers, std::string_view framing)
      REQUIRES(lock_);
  void consumed(size_t bytes) REQUIRES(lock_);
  size_t gather(std::vector<iovec>& parts) const REQUIRES(lock_);
  // On the loop's thread, which reads without the lock what it alone writes.
  bool closed() const NO_THREAD_SAFETY_ANALYSIS { return closed_; }

  const std::shared_ptr<Loop> loop_;
  const std::shared_ptr<Shared> shared_;
  boost::asio::ip::tcp::socket socket_;
  Stream stream_;

  Phase phase_ = Phase::kHandshake;
  bool reading_ = false, writing_ = false;  // a wait is under way
  bool peer_ended_ = false;
  int64_t deadline_ = 0, write_deadline_ = 0;  // ticks; 0: none
  std::string in_;                             // read, not parsed
  std::unique_ptr<Parser> parser_;
  size_t discarded_ = 0;

  Mutex lock_;
  std::shared_ptr<Answer> current_ GUARDED_BY(lock_);  // shared_ptr: see Handler
  std::vector<Piece> out_ GUARDED_BY(lock_);
  size_t front_ GUARDED_BY(lock_) = 0;       // the first unsent piece
  size_t front_sent_ GUARDED_BY(lock_) = 0;  // how much of it is sent
  size_t queued_ GUARDED_BY(lock_) = 0;
  bool woken_ GUARDED_BY(lock_) = false;
  bool closed_ GUARDED_BY(lock_) = false;  // only the loop's thread sets it
  bool close_after_ GUARDED_BY(lock_) = false;
};

}  // namespace pintle::httpd
