// NATS JetStream: each event is published to `subject` (a template) with Nats-Msg-Id, and the
// stream's acknowledgement is waited for; the server drops what it has seen under an id. The plain
// text protocol over one connection per message, on a worker; the secret is "user:password" or a
// token. tls:// is encrypted before anything of ours is said, and only so; nats:// is in clear: the
// guard lets it pass only to hosts that the configuration allows by name.
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/nats_wire.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMerge = 100;
constexpr int64_t kTimeoutMs = 10'000;
constexpr std::string_view kSubject = "lookout.events";

bool encrypted(const SinkOptions& o) { return o.url.starts_with("tls://"); }

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"url", "format", "template", "subject", "timeout_ms", "ca",
                                       "certificate", "key"}));
  TRY(check_format(o.format, {"cloudevents", "plain"}));
  if (!encrypted(o) && !(o.ca.empty() && o.certificate.empty())) {
    return Error(Code::kInvalidArgument, "url: is no tls:// address, as certificates want");
  }
  if (o.subject.empty()) o.subject = kSubject;
  return o;
}

Status check(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  TRY(check_template(o.subject));
  TRY(check_template(o.body));
  TRY(check_tls_options(o));
  TRY(check_url_option(o.url));
  if (encrypted(o) || o.url.starts_with("nats://")) return ok();
  return Error(Code::kInvalidArgument, "url: is no nats:// or tls:// address");
}

Result<Route> route(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  return route_to(kNats.name, o.url, o, kMerge);
}

// Tokens between dots, none empty, no wildcard and no space.
bool is_subject(std::string_view s) {
  char before = '.';
  for (const char c : s) {
    if (static_cast<uint8_t>(c) <= ' ' || c == 0x7f || c == '*' || c == '>' ||
        (c == '.' && before == '.'))
      return false;
    before = c;
  }
  return before != '.';
}

std::string greeting(std::string_view secret) {
  std::string out =
      "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,"
      "\"name\":\"pintle-lookout\",\"lang\":\"cpp\",\"version\":\"1\",\"protocol\":1";
  const size_t colon = secret.find(':');
  if (colon != secret.npos) {
    append(out, {",\"user\":", json::quoted(secret.substr(0, colon)),
                 ",\"pass\":", json::quoted(secret.substr(colon + 1))});
  } else if (!secret.empty()) {
    append(out, {",\"auth_token\":", json::quoted(secret)});
  }
  return out + "}\r\n";
}

struct Message {
  std::string subject, id, body;
};

Result<Message> message_of(const Claimed& c, const SinkOptions& o) {
  Message out;
  out.subject = TRY(render_template(o.subject, c.event));
  if (!is_subject(out.subject))
    return Error(Code::kInvalidArgument, cat("subject: ", quote(out.subject), " is none"));
  out.id = webhook_id(c);
  out.body = o.format == "plain" ? plain_event(c.event) : cloud_event(c.event);
  if (!o.body.empty()) out.body = TRY(render_template(o.body, c.event));
  return out;
}

std::string publication(const Message& m, std::string_view reply) {
  const std::string head = cat("NATS/1.0\r\nNats-Msg-Id: ", m.id, "\r\n\r\n");
  return cat("HPUB ", m.subject, " ", reply, " ", head.size(), " ", head.size() + m.body.size(),
             "\r\n", head, m.body, "\r\n");
}

// A stream's answer: {"stream":..,"seq":..} or {"error":{"code":..,"description":..}}.
Status judge_ack(const NatsMessage& m) {
  if (m.head.find(" 503") != m.head.npos) {
    return Error(Code::kUnavailable, "no stream takes this subject");
  }
  const auto read = json::read(m.body);
  if (!read) return Error(Code::kUnavailable, "the stream's answer is no JSON");
  if (const value::Value* error = read->get("error")) {
    const value::Value* text = error->get("description");
    return Error(Code::kUnavailable, cat("the stream answered: ",
                                         text && text->is_string() ? text->as_string() : "error"));
  }
  return read->get("stream") ? ok() : Error(Code::kUnavailable, "the answer is not a stream's");
}

// The server's greeting says whether it has TLS. What we say of ourselves is said after that.
Status greet(NatsWire& wire, const SinkOptions& o, const std::string& host) {
  const std::string info = TRY(wire.line());
  const auto it = json::read(info.starts_with("INFO ") ? std::string_view(info).substr(5) : "");
  if (!it || !it->is_map()) return Error(Code::kUnavailable, "the server is no NATS server");
  const auto says = [&](std::string_view key) {
    const value::Value* v = it->get(key);
    return v != nullptr && v->is(value::Type::kBool) && v->as_bool();
  };
  if (!encrypted(o)) {
    if (!says("tls_required")) return ok();
    return Error(Code::kUnavailable, "the server wants TLS: its url must be a tls:// address");
  }
  if (!says("tls_required") && !says("tls_available")) {
    return Error(Code::kUnavailable, "the server has no TLS");
  }
  return wire.secure(TRY(route_to(kNats.name, o.url, o, kMerge)).tls, host);
}

Status publish(NatsWire& wire, std::span<const std::string> messages, std::string_view inbox,
               std::string_view secret) {
  std::string out = cat(greeting(secret), "SUB ", inbox, " 1\r\n");
  for (const std::string& m : messages) out += m;
  TRY(wire.write(out));
  for (size_t left = messages.size(); left > 0; --left) TRY(judge_ack(TRY(wire.message())));
  return ok();
}

Verdict send(std::span<const Claimed> events, const Sending& sending) {
  const Subscription& s = events[0].subscription;
  const auto poison = [](const Error& e) {
    return Verdict{.outcome = Outcome::kDead, .why = e.text()};
  };
  const auto o = read(s);
  if (!o) return poison(o.error());
  const std::string inbox = cat("_INBOX.", crypt::hex(crypt::random_bytes(12)));
  std::vector<std::string> messages;
  for (const Claimed& c : events) {
    const auto m = message_of(c, *o);
    if (!m) return poison(m.error());
    messages.push_back(publication(*m, inbox));
  }
  std::string tls;
  const auto told = [&]() -> Status {
    NatsWire wire(o->timeout_ms > 0 ? o->timeout_ms : kTimeoutMs);
    TRY(wire.open(sending.target.addresses, sending.target.port));
    TRY(greet(wire, *o, sending.target.host));
    tls = wire.tls();
    return publish(wire, messages, inbox, s.secret);
  };
  if (const Status st = told(); !st) {
    return {.outcome = Outcome::kRetry, .why = st.error().text(), .alive = false, .tls = tls};
  }
  return {.why = "", .tls = tls};
}

Result<std::string> text(const Claimed& c) {
  const Message m = TRY(message_of(c, TRY(read(c.subscription))));
  return cat("subject: ", m.subject, "\nNats-Msg-Id: ", m.id, "\n\n", m.body);
}

}  // namespace

const SinkKind kNats = {.name = "nats", .check = check, .route = route, .send = send, .text = text};

}  // namespace pintle::lookout
