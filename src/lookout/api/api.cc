// The server: it listens, tells who calls, finds the route and answers; the rest is the handlers'.
#include "lookout/api/api.h"

#include <charconv>

#include "base/gotext.h"
#include "base/mutex.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "httpd/httpd.h"
#include "httpd/query.h"
#include "lookout/api/errands.h"
#include "lookout/api/handlers.h"
#include "lookout/api/routes.h"
#include "lookout/api/streams.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMaxBody = 1 << 20;
constexpr size_t kMostAsking = 256, kMostSlow = 64;  // requests that wait
constexpr int64_t kSilentMs = 3000;  // two questions to the database take less, or nothing more is asked
constexpr std::string_view kJson = "application/json";

Role role_of(std::string_view name) {
  return name == "admin"     ? Role::kAdmin
         : name == "operate" ? Role::kOperate
         : name == "inlet"   ? Role::kInlet
                             : Role::kRead;
}

bool may(Role role, Role least) {
  return least == Role::kInlet ? role == Role::kInlet || role >= Role::kOperate : role >= least;
}

std::map<std::string, std::string> event_headers(const httpd::Request& r) {
  std::map<std::string, std::string> out;
  for (const httpd::Header& h : r.headers) {
    const std::string name = to_lower(h.name);
    if (name == "content-type" || name.starts_with("ce-")) out.emplace(name, h.value);
  }
  return out;
}

httpd::Response answer(int status, std::string body, std::string_view type = kJson) {
  if (type == kJson) body += "\n";
  return {status,
          {{"Content-Type", type == kJson ? std::string(type) : cat(type, "; charset=utf-8")},
           {"Cache-Control", "no-store"},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"}},
          {std::make_shared<const std::string>(std::move(body))}};
}

httpd::Response error(int status, std::string_view text) {
  return answer(status, Data().text("error", text).take());
}

httpd::Response refusal(std::string_view path, int status, std::string_view text) {
  return path.starts_with(kHorizonPaths) ? answer(status, horizon_error(status, text)) : error(status, text);
}

// What is wrong with the request, or with what it meets, is 4xx; the rest is our own trouble.
int status_of(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
    case Code::kOutOfRange:
      return 400;
    case Code::kPermissionDenied:
      return 403;
    case Code::kNotFound:
      return 404;
    case Code::kAlreadyExists:
    case Code::kFailedPrecondition:
    case Code::kAborted:
      return 409;
    case Code::kUnimplemented:
      return 501;
    case Code::kUnavailable:
    case Code::kResourceExhausted:
    case Code::kCancelled:
      return 503;
    case Code::kDeadlineExceeded:
      return 504;
    case Code::kUnknown:
    case Code::kInternal:
    case Code::kDataLoss:
    case Code::kUnauthenticated:  // by another; who asks here is told 401 before
      return 500;
  }
  return 500;
}

// "http://localhost:8090" in a Host header: what a page of another site cannot make a browser send.
bool loopback_host(std::string_view host) {
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host.starts_with("127.");
}

// Whether a page of another site made the browser send this. Programs say neither; a browser says
// where from with everything that is no plain GET.
bool from_elsewhere(const httpd::Request& r) {
  if (r.method == "GET" || r.method == "HEAD") return false;
  const std::string_view site = r.header("Sec-Fetch-Site");
  if (!site.empty()) return site != "same-origin" && site != "none";
  const std::string_view origin = r.header("Origin");
  if (origin.empty()) return false;
  const size_t scheme = origin.find("://");
  return scheme == origin.npos || origin.substr(scheme + 3) != r.header("Host");
}

class Server : public Api {
 public:
  Server(std::vector<TokenConfig> tokens, Store& store, sys::Clock& clock, ApiHooks hooks)
      : hooks_(std::move(hooks)),
        streams_(store, !hooks_.config()->database.starts_with("sqlite:")),
        backend_{store, clock, hooks_, [this] { return streams_.size(); },
                 [this] { streams_.committed(); },
                 [this] { return slow_.stopped(); }},
        asking_(kMostAsking, clock),
        slow_(kMostSlow, clock) {
    set_tokens(std::move(tokens));
  }
  ~Server() override { stop(0); }

  Status begin(const std::string& listen);
  std::string url() const override { return url_; }
  void set_tokens(std::vector<TokenConfig> tokens) override {
    Lock held(mutex_);
    tokens_ = std::move(tokens);
  }
  void committed() override { streams_.committed(); }
  bool stopping() const override { return slow_.stopped(); }
  void stop(int64_t grace_ms) override {
    slow_.stop();
    asking_.stop();  // it may begin streams
    streams_.stop();
    if (server_) server_->stop(static_cast<int>(grace_ms));
  }

 private:
  struct Caller {
    Role role = Role::kNone;
    Author by = {};
  };
  Caller caller(const httpd::Request& r) const;
  void handle(std::shared_ptr<httpd::Exchange> exchange);
  Status stream(const std::shared_ptr<httpd::Exchange>& exchange, const Call& call);
  httpd::Response serve(const ApiRoute& route, const Call& call);

  const ApiHooks hooks_;
  Streams streams_;
  Backend backend_;
  Errands asking_, slow_;  // the database, and what takes long
  std::unique_ptr<httpd::Server> server_;
  std::string url_;
  mutable Mutex mutex_;
  std::vector<TokenConfig> tokens_ GUARDED_BY(mutex_);
};

Status Server::begin(const std::string& listen) {
  httpd::Options options;
  const size_t colon = listen.rfind(':');
  std::string_view host = std::string_view(listen).substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string_view port = std::string_view(listen).substr(colon + 1);
  const auto [at, failed] = std::from_chars(port.data(), port.data() + port.size(), options.port);
  if (failed != std::errc() || at != port.data() + port.size()) {
    return Error(cat("listen: ", listen, ": bad port"), Code::kInvalidArgument);
  }
  options.address = host == "localhost" ? "127.0.0.1"
                    : host.empty()      ? "0.0.0.0"
                                        : std::string(host);
  options.max_body_bytes = kMaxBody;
  options.refuse = [](int status, std::string_view reason) { return error(status, reason); };
  server_ = TRY(httpd::Server::start(
      options, [this](std::shared_ptr<httpd::Exchange> e) { handle(std::move(e)); }));
  url_ = cat("http://", host, ":", server_->port());
  return ok();
}

Server::Caller Server::caller(const httpd::Request& r) const {
  Lock held(mutex_);
  if (tokens_.empty()) {
    return loopback_host(r.header("Host")) ? Caller{Role::kAdmin, {"loopback", "admin"}} : Caller{};
  }
  const std::string_view header = r.header("Authorization");
  std::string token;
  if (header.starts_with("Bearer ")) {
    token = header.substr(7);
  } else if (header.starts_with("Basic ")) {
    const auto pair = crypt::base64_decode(header.substr(6));
    if (pair && pair->find(':') != std::string::npos) token = pair->substr(pair->find(':') + 1);
  }
  if (token.empty()) return {};
  // Digests are compared, so the time it takes says nothing about the token.
  const std::string digest = crypt::hex(crypt::sha256(token));
  for (const TokenConfig& t : tokens_) {
    if (t.sha256 == digest) return {role_of(t.role), {t.name, t.role}};
  }
  return {};
}

httpd::Response Server::serve(const ApiRoute& route, const Call& call) {
  auto done = route.handler(backend_, call);
  if (!done) return refusal(route.path, status_of(done.error().code()), done.error().text());
  const bool media = route.gives.find('/') != std::string_view::npos;
  httpd::Response out = answer(done->status != 0 ? done->status : route.status,
                               std::move(done->body), media ? route.gives : kJson);
  if (!done->location.empty()) out.headers.push_back({"Location", std::move(done->location)});
  return out;
}

void Server::handle(std::shared_ptr<httpd::Exchange> exchange) {
  const httpd::Request& r = exchange->request();
  const auto path = httpd::decode_path(r.path);
  if (!path) return exchange->respond(error(400, path.error().text()));
  auto found = find_route(r.method, *path);
  Caller from = caller(r);
  const Role role = from.role;
  const bool open = found.route != nullptr && found.route->role == Role::kNone;
  if (role == Role::kNone && !open) {
    httpd::Response refused = refusal(r.path, 401, "a token is wanted");
    refused.headers.push_back({"WWW-Authenticate", "Basic realm=\"lookout\""});
    return exchange->respond(std::move(refused));
  }
  if (found.route == nullptr) {
    if (found.methods.empty()) return exchange->respond(refusal(r.path, 404, "there is nothing here"));
    httpd::Response refused = refusal(r.path, 405, cat("this path has ", found.methods, " only"));
    refused.headers.push_back({"Allow", found.methods});
    return exchange->respond(std::move(refused));
  }
  if (from_elsewhere(r)) {
    return exchange->respond(refusal(r.path, 403, "this was sent by a page of another site"));
  }
  const ApiRoute& route = *found.route;
  if (!may(role, route.role)) {
    return exchange->respond(refusal(r.path, 403, "this token's role does not allow it"));
  }
  Call call{role, std::move(found.names), httpd::parse_query(r.query), r.body,
            event_headers(r), std::move(from.by)};
  if (const Status fine = check_query(route, call.query); !fine) {
    return exchange->respond(refusal(r.path, 400, fine.error().text()));
  }
  if (route.place == Place::kIo) return exchange->respond(serve(route, call));
  if (const int64_t ms = asking_.held_up_ms(); ms >= kSilentMs && route.place == Place::kDatabase) {
    call.silent = cat("it has not answered for ", ms / 1000, " s");
    if (route.always) return exchange->respond(serve(route, call));
    return exchange->respond(refusal(r.path, 503, cat("the database is silent: ", call.silent)));
  }
  auto errand = [this, exchange, &route, call = std::move(call)] {
    if (route.handler != nullptr) return exchange->respond(serve(route, call));
    if (const Status begun = stream(exchange, call); !begun) {
      exchange->respond(refusal(route.path, status_of(begun.error().code()), begun.error().text()));
    }
  };
  if (!(route.place == Place::kSlow ? slow_ : asking_).run(std::move(errand))) {
    exchange->respond(refusal(r.path, 503, "too much is asked at once"));
  }
}

// Error: nothing was begun.
Status Server::stream(const std::shared_ptr<httpd::Exchange>& exchange, const Call& call) {
  EventQuery query = event_query(call);
  query.newest_first = false;
  const std::string_view last = exchange->request().header("Last-Event-ID");
  if (!last.empty()) {
    const auto [end, failed] = std::from_chars(last.data(), last.data() + last.size(), query.after);
    if (failed != std::errc() || end != last.data() + last.size() || query.after < 0) {
      return Error("Last-Event-ID: want a number", Code::kInvalidArgument);
    }
  } else if (httpd::find(call.query, "after") == nullptr) {
    query.after = TRY(backend_.store.last_sequence());
  }
  streams_.add(exchange, std::move(query));
  return ok();
}

}  // namespace

Result<std::unique_ptr<Api>> Api::start(const std::string& listen, std::vector<TokenConfig> tokens,
                                        Store& store, sys::Clock& clock, ApiHooks hooks) {
  auto server = std::make_unique<Server>(std::move(tokens), store, clock, std::move(hooks));
  TRY(server->begin(listen));
  return server;
}

}  // namespace pintle::lookout
