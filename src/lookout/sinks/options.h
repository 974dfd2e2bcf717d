// A sink's options as plain data, and what all sinks that have a URL share. Inside the
// sinks only. Pure.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {

struct SinkOptions {
  std::string url;
  std::string format;                // the sink's own; "": its first
  std::string body;                  // template of the body
  std::string content_type;          // of a templated body
  std::string ca;                    // PEM
  std::string title;                 // stands before every text: robots that ask for a key word
  std::string channel;               // slack
  std::string path;                  // file
  std::string subject;               // email: template; nats: where to publish
  std::string from;                  // email
  std::string user;                  // email, harbor, kafka
  std::string topic;                 // kafka: template
  std::string sasl;                  // kafka: its mechanism
  std::string certificate, key;      // the client's, PEM
  std::string description;           // webhook
  std::vector<std::string> triggers;  // webhook: as a client of Horizon gave them
  std::vector<std::string> brokers;  // kafka: HOST:PORT
  std::vector<std::string> to;
  std::vector<std::string> mention;  // whom a chat message calls
  std::map<std::string, std::string> headers;
  int64_t timeout_ms = 0;
  bool plain = false;  // email: no STARTTLS
  bool moving = false;  // harbor
  bool tls = false;    // kafka
};

// Errors name the key: unknown to this sink, of the wrong type, a template that cannot be read.
Result<SinkOptions> read_options(const Subscription& s,
                                 std::initializer_list<std::string_view> keys);

// The words of the secret. Robots' URLs hold a token, so the secret may begin with the URL.
struct UrlSecret {
  std::string url;  // of the options, else of the secret
  std::vector<std::string> keys;
};
UrlSecret url_and_keys(const SinkOptions& options, std::string_view secret);

// The checks of every sink with a URL: it is there, its form is one the guard could let pass.
Status check_url_option(std::string_view url);
// That certificate and key are a pair, for sinks whose routes carry them.
Status check_tls_options(const SinkOptions& options);
Result<Route> route_to(std::string_view sink, std::string_view url, const SinkOptions& options,
                       size_t merge);
// "format: X is none of a, b".
Status check_format(std::string_view format, std::initializer_list<std::string_view> known);

}  // namespace pintle::lookout
