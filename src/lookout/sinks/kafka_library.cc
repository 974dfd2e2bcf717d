#include "lookout/sinks/kafka_library.h"

#include "base/strings.h"
#include "sys/dynlib.h"

namespace pintle::lookout {
namespace {

Result<KafkaLibrary> open_library() {
  auto opened = sys::DynLib::open({"librdkafka.so.1"});
  if (!opened) return Error::wrap("Kafka wants librdkafka", opened.error());
  KafkaLibrary out{};
  const char* missing = nullptr;
  const auto find = [&](auto*& function, const char* name) {
    function = opened->function<std::remove_reference_t<decltype(*function)>>(name);
    if (function == nullptr) missing = name;
  };
  find(out.conf_new, "rd_kafka_conf_new");
  find(out.conf_destroy, "rd_kafka_conf_destroy");
  find(out.conf_set, "rd_kafka_conf_set");
  find(out.conf_set_opaque, "rd_kafka_conf_set_opaque");
  find(out.conf_set_dr_msg_cb, "rd_kafka_conf_set_dr_msg_cb");
  find(out.conf_set_error_cb, "rd_kafka_conf_set_error_cb");
  find(out.conf_set_log_cb, "rd_kafka_conf_set_log_cb");
  find(out.conf_set_resolve_cb, "rd_kafka_conf_set_resolve_cb");
  find(out.make, "rd_kafka_new");
  find(out.destroy, "rd_kafka_destroy");
  find(out.producev, "rd_kafka_producev");
  find(out.headers_new, "rd_kafka_headers_new");
  find(out.headers_destroy, "rd_kafka_headers_destroy");
  find(out.header_add, "rd_kafka_header_add");
  find(out.poll, "rd_kafka_poll");
  find(out.purge, "rd_kafka_purge");
  find(out.flush, "rd_kafka_flush");
  find(out.fatal_error, "rd_kafka_fatal_error");
  find(out.err2str, "rd_kafka_err2str");
  if (missing != nullptr) {
    return Error(cat("librdkafka is too old: it has no ", missing), Code::kFailedPrecondition);
  }
  return out;
}

}  // namespace

Result<const KafkaLibrary*> kafka_library() {
  static const Result<KafkaLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace pintle::lookout
