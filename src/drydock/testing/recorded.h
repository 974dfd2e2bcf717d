// Recorded: an exchange without a socket that keeps what it is sent. One thread.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "httpd/httpd.h"

namespace pintle::drydock {

class Recorded : public httpd::Exchange {
 public:
  explicit Recorded(httpd::Request request = {}) : x_request(std::move(request)) {}
  const httpd::Request& request() const override { return x_request; }
  void respond(httpd::Response r) override {
    status = r.status;
    headers = std::move(r.headers);
    for (const auto& frame : r.body) body += *frame;
  }
  void start(int code, std::vector<httpd::Header> h) override {
    status = code;
    headers = std::move(h);
  }
  bool send(httpd::Frame frame) override {
    if (finished || aborted) return false;
    frames.push_back(*frame);
    return true;
  }
  size_t queued_bytes() const override { return queued; }
  void finish() override { finished = true; }
  void abort() override { aborted = true; }
  void on_close(std::function<void()> f) override { closed = std::move(f); }

  int status = 0;
  std::vector<httpd::Header> headers;
  std::string body;
  std::vector<std::string> frames;
  size_t queued = 0;  // what a slow reader has not taken
  bool finished = false, aborted = false;
  std::function<void()> closed;

 private:
  httpd::Request x_request;
};

}  // namespace pintle::drydock
