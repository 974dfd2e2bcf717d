// Kafka: one message for each event, its key the delivery's order key, as CloudEvents (binary: the
// attributes are headers ce_...; structured: the whole is the value), our own flat JSON or a
// template. `topic` is a template, too. The secret is the password of SASL; or, where `key` is not
// given, the key of the client's certificate (PEM).
//
// What the broker says of a message itself (too large, against its policy) is final; all else is
// tried again, also a refused login or topic: rights are given later than events happen. A broker
// that is not reached within the time limit may still get the message: then it comes twice, with
// the same webhook-id.
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kafka_producer.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kTimeoutMs = 10'000;
constexpr int64_t kReportMs = 1'000;  // librdkafka's own timer is a little late
constexpr std::string_view kTopic = "lookout.events";
constexpr size_t kMaxTopic = 249;

constexpr std::pair<std::string_view, const char*> kMechanisms[] = {
    {"plain", "PLAIN"}, {"scram-sha-256", "SCRAM-SHA-256"}, {"scram-sha-512", "SCRAM-SHA-512"}};

Error bad(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

const char* mechanism_of(std::string_view sasl) {
  for (const auto& [name, mechanism] : kMechanisms) {
    if (name == sasl) return mechanism;
  }
  return nullptr;
}

std::string_view scheme_of(const SinkOptions& o) { return o.tls ? "kafkas" : "kafka"; }

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"brokers", "topic", "format", "template", "content_type",
                                       "tls", "ca", "certificate", "key", "sasl", "user", "timeout_ms"}));
  TRY(check_format(o.format, {"cloudevents-binary", "cloudevents", "plain"}));
  if (o.brokers.empty()) return bad("brokers: is missing");
  if (o.topic.empty()) o.topic = kTopic;
  if (!o.sasl.empty() && mechanism_of(o.sasl) == nullptr) {
    return bad("sasl: want \"plain\", \"scram-sha-256\" or \"scram-sha-512\"");
  }
  if (!o.sasl.empty() && o.user.empty()) return bad("user: sasl wants one");
  if (!o.sasl.empty() && !o.certificate.empty() && o.key.empty()) {
    return bad("key: is missing: the secret is the password");
  }
  if (!o.tls && !(o.ca.empty() && o.certificate.empty())) return bad("tls: is not true");
  return o;
}

Status check(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  TRY(check_template(o.topic));
  TRY(check_template(o.body));
  for (const std::string& broker : o.brokers) {
    if (broker.find_first_of("/?#,") != std::string::npos) {
      return bad(cat("brokers: ", quote(broker), " is no HOST:PORT"));
    }
    if (const Status fine = check_url_option(cat(scheme_of(o), "://", broker)); !fine) {
      return bad(cat("brokers: ", without_prefix(fine.error().text(), "url: ")));
    }
  }
  return ok();
}

Result<Route> route(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  return Route{.key = cat("kafka ", join(o.brokers, ","), " ", o.user), .timeout_ms = o.timeout_ms};
}

KafkaProducer::Settings settings_of(const SinkOptions& o, const std::string& secret,
                                    int64_t timeout_ms) {
  KafkaProducer::Settings out = {
      {"bootstrap.servers", join(o.brokers, ",")},
      {"client.id", "pintle-lookout"},
      {"acks", "all"},
      {"enable.idempotence", "true"},
      {"linger.ms", "0"},
      {"message.timeout.ms", std::to_string(timeout_ms)},
      {"socket.connection.setup.timeout.ms", "3000"},
      {"reconnect.backoff.max.ms", "2000"},
      {"security.protocol", cat(o.sasl.empty() ? "" : "sasl_", o.tls ? "ssl" : "plaintext")},
  };
  if (o.tls) out["ssl.endpoint.identification.algorithm"] = "https";
  if (!o.ca.empty()) out["ssl.ca.pem"] = o.ca;
  if (!o.certificate.empty()) {
    out["ssl.certificate.pem"] = o.certificate;
    out["ssl.key.pem"] = o.key.empty() ? std::string(secret) : o.key;
  }
  if (!o.sasl.empty()) {
    out["sasl.mechanisms"] = mechanism_of(o.sasl);
    out["sasl.username"] = o.user;
    out["sasl.password"] = secret;
  }
  return out;
}

Status check_topic(std::string_view topic) {
  const bool fine = !topic.empty() && topic.size() <= kMaxTopic && topic != "." && topic != ".." &&
                    std::all_of(topic.begin(), topic.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
                    });
  return fine ? ok() : bad(cat("topic: ", quote(topic), " is none"));
}

// The structured form taken apart: attributes become headers, data the value.
Status make_binary(const StoredEvent& e, KafkaMessage& out) {
  const auto whole = TRY(json::read(cloud_event(e)));
  for (const auto& [name, v] : *whole.as_map()) {
    if (name.view() == "data" || name.view() == "datacontenttype") continue;
    out.headers.emplace_back(cat("ce_", name.view()), v.as_string());
  }
  out.headers.emplace_back("content-type", "application/json");
  out.value = plain_event(e);
  return ok();
}

Result<KafkaMessage> message_of(const Claimed& c, const SinkOptions& o) {
  KafkaMessage out;
  out.topic = TRY(render_template(o.topic, c.event));
  TRY(check_topic(out.topic));
  out.key = c.delivery.order_key;
  out.headers.emplace_back("webhook-id", webhook_id(c));
  std::string type = o.content_type.empty() ? "application/json" : o.content_type;
  if (!o.body.empty()) {
    out.value = TRY(render_template(o.body, c.event));
  } else if (o.format == "plain") {
    out.value = plain_event(c.event);
  } else if (o.format == "cloudevents") {
    out.value = cloud_event(c.event);
    type = "application/cloudevents+json; charset=UTF-8";
  } else {
    TRY(make_binary(c.event, out));
    return out;
  }
  out.headers.emplace_back("content-type", type);
  return out;
}

Result<Verdict> deliver(const Claimed& c, const Sending& sending) {
  const SinkOptions o = TRY(read(c.subscription));
  for (const std::string& broker : o.brokers) {
    TRY(check_url_form(cat(scheme_of(o), "://", broker), sending.guard));
  }
  const KafkaMessage message = TRY(message_of(c, o));
  const int64_t timeout_ms = o.timeout_ms > 0 ? o.timeout_ms : kTimeoutMs;
  const auto producer = TRY(KafkaProducer::get(settings_of(o, c.subscription.secret, timeout_ms),
                                               std::string(scheme_of(o))));
  return producer->send(message, sending, timeout_ms + kReportMs);
}

Verdict send(std::span<const Claimed> events, const Sending& sending) {
  auto done = deliver(events[0], sending);
  if (done) return std::move(*done);
  const bool library =
      done.error().code() == Code::kFailedPrecondition || done.error().code() == Code::kNotFound;
  return {.outcome = library ? Outcome::kRetry : Outcome::kDead,
          .why = done.error().text(),
          .alive = !library};
}

Result<std::string> text(const Claimed& c) {
  const KafkaMessage m = TRY(message_of(c, TRY(read(c.subscription))));
  std::string out = cat("topic: ", m.topic, "\nkey: ", m.key, "\n");
  for (const auto& [name, value] : m.headers) append(out, {name, ": ", value, "\n"});
  return cat(out, "\n", m.value);
}

}  // namespace

const SinkKind kKafka = {.name = "kafka", .check = check, .route = route, .send = send, .text = text};

}  // namespace pintle::lookout
