#include "lookout/sinks/kafka_producer.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <optional>

#include "base/strings.h"
#include "lookout/deliver/workers.h"

namespace pintle::lookout {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
constexpr int kFlushMs = 200;

// What became of one message; librdkafka holds a reference until it has reported.
struct Report {
  std::atomic<bool> done{false};
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;  // once it is done
};

struct Kept {
  KafkaProducer::Settings settings;
  std::shared_ptr<KafkaProducer> producer;  // shared: a delivery may outlive its place here
};

struct Producers {
  Mutex mutex;
  std::list<Kept> latest GUARDED_BY(mutex);  // the latest used first
};

constexpr int kEnding = 4;  // threads

// Ends one: its threads are waited for, and one of them may be in a resolver that hangs.
void end(KafkaProducer* producer) {
  static auto* workers = new Workers(kEnding);  // left behind at the program's end
  workers->run([producer] { delete producer; });
}

// Never destroyed: librdkafka's threads would have to be waited for at the program's end.
Producers& producers() {
  static auto* all = new Producers;
  return *all;
}

// These say that this message will never be taken, whoever sends it.
bool is_the_message(rd_kafka_resp_err_t e) {
  return e == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || e == RD_KAFKA_RESP_ERR_INVALID_MSG ||
         e == RD_KAFKA_RESP_ERR_INVALID_RECORD || e == RD_KAFKA_RESP_ERR_POLICY_VIOLATION ||
         e == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION || e == RD_KAFKA_RESP_ERR__INVALID_ARG;
}

}  // namespace

Result<std::shared_ptr<KafkaProducer>> KafkaProducer::get(const Settings& settings,
                                                          std::string scheme) {
  const KafkaLibrary* library = TRY(kafka_library());
  Producers& all = producers();
  Lock held(all.mutex);
  for (auto it = all.latest.begin(); it != all.latest.end(); ++it) {
    if (it->settings != settings) continue;
    if (it->producer->broken()) {
      all.latest.erase(it);
      break;
    }
    all.latest.splice(all.latest.begin(), all.latest, it);
    return all.latest.front().producer;
  }
  std::shared_ptr<KafkaProducer> made(new KafkaProducer(*library, std::move(scheme)), end);
  TRY(made->start(settings));
  all.latest.push_front({settings, made});
  if (all.latest.size() > kMostProducers) all.latest.pop_back();
  return made;
}

Status KafkaProducer::start(const Settings& settings) {
  char why[512] = "";
  rd_kafka_conf_t* conf = lib_.conf_new();
  for (const auto& [name, value] : settings) {
    if (lib_.conf_set(conf, name.c_str(), value.c_str(), why, sizeof why) == RD_KAFKA_CONF_OK) {
      continue;
    }
    lib_.conf_destroy(conf);
    // Its text may hold the value, which may be a secret.
    return Error(cat("librdkafka does not take ", name), Code::kInvalidArgument);
  }
  lib_.conf_set_opaque(conf, this);
  lib_.conf_set_dr_msg_cb(conf, reported);
  lib_.conf_set_error_cb(conf, troubled);
  lib_.conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
  lib_.conf_set_resolve_cb(conf, resolve);
  handle_ = lib_.make(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  if (handle_ != nullptr) return ok();
  lib_.conf_destroy(conf);
  return Error(cat("no Kafka producer: ", why), Code::kInvalidArgument);
}

KafkaProducer::~KafkaProducer() {
  if (handle_ == nullptr) return;
  lib_.purge(handle_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  lib_.flush(handle_, kFlushMs);  // the reports of those
  lib_.destroy(handle_);
}

bool KafkaProducer::broken() const {
  char why[8];
  return lib_.fatal_error(handle_, why, sizeof why) != RD_KAFKA_RESP_ERR_NO_ERROR;
}

void KafkaProducer::note(std::string_view trouble) {
  Lock held(mutex_);
  trouble_ = trouble;
}

void KafkaProducer::reported(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  const std::unique_ptr<std::shared_ptr<Report>> report(
      static_cast<std::shared_ptr<Report>*>(message->_private));
  (*report)->error = message->err;
  (*report)->done = true;
}

void KafkaProducer::troubled(rd_kafka_t*, int error, const char* reason, void* self) {
  auto* producer = static_cast<KafkaProducer*>(self);
  // That all brokers are down says less than why one is.
  if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) producer->note(reason);
}

int KafkaProducer::resolve(const char* host, const char* port, const addrinfo*, addrinfo** out,
                           void* self) {
  if (host == nullptr) {  // what was given before is done with
    for (addrinfo* one = out != nullptr ? *out : nullptr; one != nullptr;) {
      addrinfo* const next = std::exchange(one->ai_next, nullptr);
      ::freeaddrinfo(std::exchange(one, next));
    }
    return 0;
  }
  auto* producer = static_cast<KafkaProducer*>(self);
  GuardOptions guard;
  Resolve names;
  {
    Lock held(producer->mutex_);
    guard = producer->guard_;
    names = producer->resolve_;
  }
  const bool v6 = std::string_view(host).find(':') != std::string_view::npos;
  const auto target = check_url(
      cat(producer->scheme_, "://", v6 ? "[" : "", host, v6 ? "]" : "", ":", port), guard, names);
  if (!target) {
    producer->note(target.error().text());
    return EAI_FAIL;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  for (addrinfo** end = out; const std::string& address : target->addresses) {
    if (const int code = ::getaddrinfo(address.c_str(), port, &hints, end); code != 0) return code;
    end = &(*end)->ai_next;  // one address, one entry
  }
  return 0;
}

Verdict KafkaProducer::verdict_of(rd_kafka_resp_err_t error) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    note("");
    return {};
  }
  Verdict v;
  v.alive = is_the_message(error);
  v.outcome = v.alive ? Outcome::kDead : Outcome::kRetry;
  v.why = cat("Kafka: ", lib_.err2str(error));
  Lock held(mutex_);
  if (!v.alive && !trouble_.empty()) append(v.why, {" (", trouble_, ")"});
  return v;
}

Verdict KafkaProducer::send(const KafkaMessage& m, const Sending& sending, int64_t timeout_ms) {
  {
    Lock held(mutex_);
    guard_ = sending.guard;
    resolve_ = sending.resolve;
  }
  rd_kafka_headers_t* headers = lib_.headers_new(m.headers.size());
  for (const auto& [name, value] : m.headers) {
    lib_.header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                    static_cast<ssize_t>(value.size()));
  }
  const auto report = std::make_shared<Report>();  // shared: with librdkafka
  auto* held_by_it = new std::shared_ptr<Report>(report);
  const auto taken =
      lib_.producev(handle_, RD_KAFKA_V_TOPIC(m.topic.c_str()),
                    RD_KAFKA_V_KEY(m.key.empty() ? nullptr : m.key.data(), m.key.size()),
                    RD_KAFKA_V_VALUE(const_cast<char*>(m.value.data()), m.value.size()),
                    RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                    RD_KAFKA_V_OPAQUE(held_by_it), RD_KAFKA_V_END);
  if (taken != RD_KAFKA_RESP_ERR_NO_ERROR) {
    lib_.headers_destroy(headers);
    delete held_by_it;
    return verdict_of(taken);
  }
  const auto until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (!report->done && Clock::now() < until) lib_.poll(handle_, kPollMs);
  return verdict_of(report->done ? report->error : RD_KAFKA_RESP_ERR__TIMED_OUT);
}

}  // namespace pintle::lookout
