// KafkaProducer: a connection to one cluster, kept for all deliveries with the same settings: each
// costs a few threads of librdkafka's, so at most kMostProducers are kept, the latest used.
//
// It is idempotent and waits for all replicas; a message is delivered when its report says so.
// Every broker, also one that the cluster names itself, passes the guard when its name is resolved,
// and the connection goes to the address that was checked. Names are resolved on librdkafka's thread
// of that broker: one that hangs holds up its own messages, each until its time is over, and no others.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "lookout/sinks/kafka_library.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {

inline constexpr size_t kMostProducers = 16;

struct KafkaMessage {
  std::string topic, key, value;
  std::vector<std::pair<std::string, std::string>> headers;
};

class KafkaProducer {
 public:
  // librdkafka's names and values, and the scheme that the guard asks about.
  using Settings = std::map<std::string, std::string>;

  // The one with these settings. Errors: no librdkafka, a setting it refuses.
  static Result<std::shared_ptr<KafkaProducer>> get(const Settings& settings, std::string scheme);
  ~KafkaProducer();

  // Blocks until its outcome is known, or timeout_ms have passed: then it is unknown.
  Verdict send(const KafkaMessage& message, const Sending& sending, int64_t timeout_ms);

 private:
  KafkaProducer(const KafkaLibrary& library, std::string scheme)
      : lib_(library), scheme_(std::move(scheme)) {}
  Status start(const Settings& settings);
  Verdict verdict_of(rd_kafka_resp_err_t error);
  void note(std::string_view trouble);
  bool broken() const;

  static void reported(rd_kafka_t* handle, const rd_kafka_message_t* message, void* self);
  static void troubled(rd_kafka_t* handle, int error, const char* reason, void* self);
  static int resolve(const char* host, const char* port, const addrinfo* hints, addrinfo** out,
                     void* self);

  const KafkaLibrary& lib_;
  const std::string scheme_;
  rd_kafka_t* handle_ = nullptr;
  Mutex mutex_;
  GuardOptions guard_ GUARDED_BY(mutex_);
  Resolve resolve_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);  // what was last wrong with a broker
};

}  // namespace pintle::lookout
