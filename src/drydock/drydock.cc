#include "drydock/drydock.h"

#include "base/strings.h"
#include "drydock/admin.h"
#include "drydock/certificates.h"
#include "drydock/fault_front.h"
#include "drydock/machine.h"
#include "drydock/persistence.h"
#include "drydock/rest.h"

namespace pintle::drydock {
namespace {

bool loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

// The one kept in the data file, or a new one that is kept from now on.
Result<crypt::Certificate> authority_of(Persistence* disk) {
  if (!disk) return make_authority();
  crypt::Certificate known{TRY(disk->setting("authority-certificate")), TRY(disk->setting("authority-key"))};
  if (!known.cert.empty() && !known.key.empty()) return known;
  crypt::Certificate made = TRY(make_authority());
  TRY(disk->set_setting("authority-certificate", made.cert));
  TRY(disk->set_setting("authority-key", made.key));
  return made;
}

Result<std::string> token_of(Persistence* disk) {
  std::string token = disk ? TRY(disk->setting("token")) : "";
  if (!token.empty()) return token;
  token = random_token();
  if (disk) TRY(disk->set_setting("token", token));
  return token;
}

class Server : public Drydock, public AdminTarget {
 public:
  Server(Options options, std::unique_ptr<Persistence> disk)
      : x_options(std::move(options)), x_disk(std::move(disk)), x_machine(x_options), x_rest{x_machine, x_options.tokens} {}
  ~Server() override { stop(0); }

  Status open() {
    x_authority = TRY(authority_of(x_disk.get()));
    crypt::Certificate own = TRY(make_server_certificate(x_authority, x_options.address));
    {
      Lock held(x_machine.lock());
      x_machine.set_ca(x_authority.cert);
      if (x_disk) TRY(x_machine.load(*x_disk));
      if (x_disk) x_disk->start();
      x_machine.seed();
    }
    x_machine.start_runner();
    httpd::Options http;
    http.address = x_options.address;
    http.port = x_options.port;
    http.tls = {own.cert, own.key};
    http.threads = x_options.threads;
    http.refuse = [](int status, std::string_view reason) {
      const bool large = status == 413;
      return error_response(status_error(status, large ? "RequestEntityTooLarge" : "BadRequest",
                                         cat(large ? "Request entity too large: " : "", reason)));
    };
    x_http = TRY(httpd::Server::start(std::move(http), [this](ExchangePtr e) { handle(e); }));
    return ok();
  }

  std::string url() const override {
    bool v6 = x_options.address.find(':') != std::string::npos;
    return cat("https://", v6 ? "[" : "", x_options.address, v6 ? "]" : "", ":", x_http->port());
  }
  std::string kubeconfig() const override {
    return kubeconfig_text(url(), x_authority.cert, x_options.tokens[0].value);
  }
  std::string admin_token() const override { return x_options.admin_token; }
  void stop(int grace_ms) override {
    if (!x_http) return;
    {
      Lock held(x_machine.lock());
      x_machine.hub().end_all();
    }
    x_front.stop();
    x_http->stop(grace_ms);
    x_machine.stop_runner();
    if (x_disk) x_disk->stop();
  }

  // AdminTarget
  size_t fault_watches(const WatchFilter& filter, WatchFault fault) override {
    Lock held(x_machine.lock());
    size_t n = 0;
    x_machine.hub().each([&](Watch& w) {
      bool hit = (filter.resource.empty() || w.view.resource->plural == filter.resource) &&
                 (filter.ns.empty() || w.ns == filter.ns) && w.user_agent.find(filter.user_agent) != std::string::npos;
      if (!hit) return;
      ++n;
      if (fault == WatchFault::kCut) {
        w.closed = true;
        w.exchange->abort();
      } else {
        w.silent = true;
        w.half_open = fault == WatchFault::kHalfOpen;
      }
    });
    return n;
  }
  uint64_t compact() override {
    Lock held(x_machine.lock());
    return x_machine.store().compact();
  }
  Status step_clock(int64_t ns) override { return x_machine.step(ns); }
  std::string now() override { return x_machine.now(); }
  void restart() override {
    Lock held(x_machine.lock());
    x_machine.hub().end_all();
    x_machine.store().compact();
  }
  std::vector<std::pair<std::string, int64_t>> facts() override {
    Lock held(x_machine.lock());
    return {{"resourceVersion", static_cast<int64_t>(x_machine.store().version())},
            {"objects", static_cast<int64_t>(x_machine.store().count())},
            {"watches", static_cast<int64_t>(x_machine.hub().size())}};
  }

 private:
  void handle(const ExchangePtr& exchange) {
    const httpd::Request& request = exchange->request();
    if (is_admin_path(request.path)) {
      serve_admin(exchange, {x_options.admin_token, x_faults, x_machine.truth(), *this});
      return;
    }
    x_front.serve(exchange);
  }

  const Options x_options;
  std::unique_ptr<Persistence> x_disk;
  Machine x_machine;
  Rest x_rest;
  Faults x_faults;
  FaultFront x_front{x_faults, x_rest};
  crypt::Certificate x_authority;
  std::unique_ptr<httpd::Server> x_http;
};

}  // namespace

Result<std::unique_ptr<Drydock>> Drydock::start(Options options) {
  if (!loopback(options.address) && !options.allow_remote) {
    return Error(Code::kInvalidArgument, cat("refusing to listen on ", options.address, ", which is not loopback"));
  }
  std::unique_ptr<Persistence> disk;
  if (!options.data_file.empty()) disk = TRY(Persistence::open(options.data_file));
  if (options.tokens.empty()) options.tokens.push_back({TRY(token_of(disk.get())), "admin", Token::Role::kAdmin});
  if (options.admin_token.empty()) options.admin_token = random_token();
  auto server = std::make_unique<Server>(std::move(options), std::move(disk));
  TRY(server->open());
  return std::unique_ptr<Drydock>(std::move(server));
}

}  // namespace pintle::drydock
