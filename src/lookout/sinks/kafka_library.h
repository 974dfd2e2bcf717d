// librdkafka, opened when the first message goes to Kafka: who sends none neither loads it nor
// needs it installed. Inside the sinks only. Thread-safe.
#pragma once

#include <librdkafka/rdkafka.h>

#include "base/result.h"

namespace pintle::lookout {

struct KafkaLibrary {
  decltype(rd_kafka_conf_new)* conf_new;
  decltype(rd_kafka_conf_destroy)* conf_destroy;
  decltype(rd_kafka_conf_set)* conf_set;
  decltype(rd_kafka_conf_set_opaque)* conf_set_opaque;
  decltype(rd_kafka_conf_set_dr_msg_cb)* conf_set_dr_msg_cb;
  decltype(rd_kafka_conf_set_error_cb)* conf_set_error_cb;
  decltype(rd_kafka_conf_set_log_cb)* conf_set_log_cb;
  decltype(rd_kafka_conf_set_resolve_cb)* conf_set_resolve_cb;
  decltype(rd_kafka_new)* make;
  decltype(rd_kafka_destroy)* destroy;
  decltype(rd_kafka_producev)* producev;
  decltype(rd_kafka_headers_new)* headers_new;
  decltype(rd_kafka_headers_destroy)* headers_destroy;
  decltype(rd_kafka_header_add)* header_add;
  decltype(rd_kafka_poll)* poll;
  decltype(rd_kafka_purge)* purge;
  decltype(rd_kafka_flush)* flush;
  decltype(rd_kafka_fatal_error)* fatal_error;
  decltype(rd_kafka_err2str)* err2str;
};

// Error: it is not installed, or too old.
Result<const KafkaLibrary*> kafka_library();

}  // namespace pintle::lookout
