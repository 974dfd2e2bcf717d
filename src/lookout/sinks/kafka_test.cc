// Against librdkafka's own mock cluster: real brokers of the protocol on loopback, with the errors
// that are asked for, and a real consumer behind them.
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <future>
#include <thread>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/kafka_producer.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/store_fixture.h"
#include "sys/dynlib.h"
#include "sys/memory_disk.h"

namespace pintle::lookout {
namespace {

constexpr int16_t kProduce = 0;  // the protocol's number of the request

#define KAFKA(name) cluster_function<decltype(name)>(#name)

template <typename F>
F* cluster_function(const char* name) {
  static const auto library = sys::DynLib::open({"librdkafka.so.1"});
  return library->function<F>(name);
}

struct Taken {
  std::string key, value;
  std::map<std::string, std::string> headers;
};

class Cluster {
 public:
  explicit Cluster(int brokers = 1) {
    char why[256];
    const KafkaLibrary& lib = **kafka_library();
    rd_kafka_conf_t* conf = lib.conf_new();
    lib.conf_set(conf, "log_level", "0", why, sizeof why);
    handle_ = lib.make(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    cluster_ = KAFKA(rd_kafka_mock_cluster_new)(handle_, brokers);
    KAFKA(rd_kafka_mock_topic_create)(cluster_, "deployments", 1, brokers);
  }
  ~Cluster() {
    KAFKA(rd_kafka_mock_cluster_destroy)(cluster_);
    (*kafka_library())->destroy(handle_);
  }
  std::vector<std::string> brokers() const {
    std::vector<std::string> out;
    for (const auto b : split(KAFKA(rd_kafka_mock_cluster_bootstraps)(cluster_), ",")) {
      out.emplace_back(b);
    }
    return out;
  }
  void refuse(std::vector<rd_kafka_resp_err_t> errors) {
    KAFKA(rd_kafka_mock_push_request_errors_array)(cluster_, kProduce, errors.size(),
                                                   errors.data());
  }
  void down(bool is_down) {
    if (is_down) {
      KAFKA(rd_kafka_mock_broker_set_down)(cluster_, 1);
    } else {
      KAFKA(rd_kafka_mock_broker_set_up)(cluster_, 1);
    }
  }

  // What a consumer gets from the topic's start.
  std::vector<Taken> consume(size_t count) {
    char why[256];
    const KafkaLibrary& lib = **kafka_library();
    rd_kafka_conf_t* conf = lib.conf_new();
    lib.conf_set(conf, "bootstrap.servers", join(brokers(), ",").c_str(), why, sizeof why);
    lib.conf_set(conf, "group.id", "test", why, sizeof why);
    rd_kafka_t* consumer = lib.make(RD_KAFKA_CONSUMER, conf, why, sizeof why);
    auto* list = KAFKA(rd_kafka_topic_partition_list_new)(1);
    KAFKA(rd_kafka_topic_partition_list_add)(list, "deployments", 0)->offset = 0;
    KAFKA(rd_kafka_assign)(consumer, list);
    KAFKA(rd_kafka_topic_partition_list_destroy)(list);
    std::vector<Taken> out;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    while (out.size() < count && std::chrono::steady_clock::now() < until) {
      rd_kafka_message_t* m = KAFKA(rd_kafka_consumer_poll)(consumer, 100);
      if (m == nullptr) continue;
      if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) out.push_back(taken(m));
      KAFKA(rd_kafka_message_destroy)(m);
    }
    KAFKA(rd_kafka_consumer_close)(consumer);
    lib.destroy(consumer);
    return out;
  }

 private:
  static Taken taken(rd_kafka_message_t* m) {
    Taken out;
    out.key.assign(static_cast<const char*>(m->key), m->key_len);
    out.value.assign(static_cast<const char*>(m->payload), m->len);
    rd_kafka_headers_t* headers = nullptr;
    KAFKA(rd_kafka_message_headers)(m, &headers);
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    for (size_t i = 0; headers != nullptr &&
                       KAFKA(rd_kafka_header_get_all)(headers, i, &name, &value, &size) == 0;
         ++i) {
      out.headers[name] = std::string(static_cast<const char*>(value), size);
    }
    return out;
  }
  rd_kafka_t* handle_;
  rd_kafka_mock_cluster_t* cluster_;
};

class Kafka : public testing::Test {
 protected:
  void SetUp() override {
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "librdkafka starts C11 threads, which ThreadSanitizer does not know";
#endif
    if (!kafka_library()) GTEST_SKIP() << kafka_library().error().text();
    guard_.allow = {"127.0.0.1"};
  }
  Claimed claimed(const std::vector<std::string>& brokers, std::string_view more = "") {
    Claimed c;
    c.delivery.order_key = "1/release/shop";
    c.event.sequence = 7;
    c.event.region = "eu-1";
    c.event.cluster_uid = "c1";
    c.event.event = event_of("release.deployed");
    c.subscription.id = 1;
    c.subscription.sink_kind = "kafka";
    c.subscription.options = cat(R"({"topic":"deployments","timeout_ms":3000,"brokers":)",
                                     json_list(brokers), more, "}");
    return c;
  }
  Verdict send(const Claimed& c) {
    return find_sink("kafka")->send({&c, 1}, {kStartMs, {}, disk_, guard_, {}});
  }
  sys::MemoryDisk disk_;
  GuardOptions guard_;
};

TEST_F(Kafka, ConsumersGetCloudEventsInTheFormAskedFor) {
  Cluster cluster;
  const Claimed binary = claimed(cluster.brokers());
  ASSERT_EQ(send(binary).outcome, Outcome::kSucceeded) << send(binary).why;
  EXPECT_EQ(send(claimed(cluster.brokers(), R"(,"format":"cloudevents")")).why, "");
  EXPECT_EQ(send(claimed(cluster.brokers(), R"(,"format":"plain")")).why, "");
  EXPECT_EQ(
      send(claimed(cluster.brokers(), R"(,"template":"{{ .type }}","content_type":"text/plain")"))
          .why,
      "");
  const auto got = cluster.consume(4);
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].key, "1/release/shop");
  EXPECT_EQ(got[0].headers.at("ce_type"), "release.deployed");
  EXPECT_EQ(got[0].headers.at("ce_specversion"), "1.0");
  EXPECT_EQ(got[0].headers.at("ce_source"), "/regions/eu-1");
  EXPECT_EQ(got[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(got[0].headers.at("webhook-id"), webhook_id(binary));
  EXPECT_EQ(got[0].value, plain_event(binary.event));
  EXPECT_EQ(got[1].headers.at("content-type"), "application/cloudevents+json; charset=UTF-8");
  EXPECT_EQ(got[1].value, cloud_event(binary.event));
  EXPECT_EQ(got[2].value, plain_event(binary.event));
  EXPECT_EQ(got[3].value, "release.deployed");
  EXPECT_EQ(got[3].headers.at("content-type"), "text/plain");
}

TEST_F(Kafka, AMessageIsThereOnceThoughItsLeaderChanges) {
  Cluster cluster;
  cluster.refuse(
      {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION});
  const Verdict v = send(claimed(cluster.brokers()));
  EXPECT_EQ(v.outcome, Outcome::kSucceeded) << v.why;
  EXPECT_EQ(cluster.consume(1).size(), 1u);
}

TEST_F(Kafka, WhatTheBrokerNeverTakesIsGivenUpAtOnce) {
  Cluster cluster;
  cluster.refuse({RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  const Verdict refused = send(claimed(cluster.brokers()));
  EXPECT_EQ(refused.outcome, Outcome::kDead) << refused.why;
  EXPECT_TRUE(refused.alive) << "the endpoint works";
  Claimed huge = claimed(cluster.brokers());
  huge.event.event.message = std::string(2 << 20, 'x');
  const Verdict too_large = send(huge);
  EXPECT_EQ(too_large.outcome, Outcome::kDead) << too_large.why;
}

TEST_F(Kafka, ARefusedTopicIsTriedAgain) {
  Cluster cluster;
  cluster.refuse({RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  const Verdict v = send(claimed(cluster.brokers()));
  EXPECT_EQ(v.outcome, Outcome::kRetry) << v.why;
  EXPECT_FALSE(v.alive);
  EXPECT_NE(v.why.find("authorization"), std::string::npos) << v.why;
}

TEST_F(Kafka, ABrokerThatIsDownHoldsUpForItsTimeAndIsUsedAgain) {
  Cluster cluster;
  ASSERT_EQ(send(claimed(cluster.brokers())).why, "");
  cluster.down(true);
  const auto start = std::chrono::steady_clock::now();
  const Verdict away = send(claimed(cluster.brokers()));
  EXPECT_EQ(away.outcome, Outcome::kRetry);
  EXPECT_FALSE(away.alive);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
  cluster.down(false);
  EXPECT_EQ(send(claimed(cluster.brokers())).why, "");
}

TEST_F(Kafka, ALoginTheBrokerRefusesSaysWhy) {
  Cluster cluster;  // it knows no SASL
  Claimed c = claimed(cluster.brokers(), R"(,"sasl":"plain","user":"lookout")");
  c.subscription.secret = "sesame-of-kafka";
  const Verdict v = send(c);
  EXPECT_EQ(v.outcome, Outcome::kRetry) << v.why;
  EXPECT_EQ(v.why.find("sesame"), std::string::npos) << v.why;
  EXPECT_NE(v.why.find("("), std::string::npos) << v.why;
}

TEST_F(Kafka, NoBrokerIsReachedThatTheGuardDenies) {
  Cluster cluster;
  guard_.allow.clear();
  const Verdict v = send(claimed(cluster.brokers()));
  EXPECT_EQ(v.outcome, Outcome::kDead);
  EXPECT_NE(v.why.find("allowed only to hosts"), std::string::npos) << v.why;
}

TEST_F(Kafka, ABrokerThatTheClusterNamesIsGuardedToo) {
  Cluster cluster;
  const std::string port = cluster.brokers()[0].substr(cluster.brokers()[0].find(':'));
  guard_.allow = {"kafka.internal"};  // the cluster names itself 127.0.0.1
  const Claimed c = claimed({cat("kafka.internal", port)});
  const Resolve names = [](const std::string&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{"127.0.0.1"};
  };
  const Verdict v = find_sink("kafka")->send({&c, 1}, {kStartMs, {}, disk_, guard_, names});
  EXPECT_EQ(v.outcome, Outcome::kRetry);
  EXPECT_NE(v.why.find("127.0.0.1"), std::string::npos) << v.why;
  EXPECT_TRUE(cluster.consume(0).empty());
}

TEST_F(Kafka, ANameThatHangsHoldsUpNoOtherClusterAlsoWhenItsProducerGoes) {
  Cluster cluster;
  guard_.allow.emplace_back("hang.test");
  std::promise<void> go;
  const Resolve names = [gone = go.get_future().share()](const std::string&) -> Result<std::vector<std::string>> {
    gone.wait();
    return Error(Code::kUnavailable, "no such host");
  };
  const Claimed hangs = claimed({"hang.test:9092"});
  const auto start = std::chrono::steady_clock::now();
  const Verdict v = find_sink("kafka")->send({&hangs, 1}, {kStartMs, {}, disk_, guard_, names});
  EXPECT_EQ(v.outcome, Outcome::kRetry);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  // As many others as there may be: the one that hangs makes room.
  std::vector<std::future<Verdict>> others;
  for (size_t n = 0; n < kMostProducers; ++n) {
    Claimed c = claimed(cluster.brokers());
    c.subscription.options = replace_all(c.subscription.options, "3000", cat(9000 + n));
    others.push_back(std::async(std::launch::async, [this, c = std::move(c)] { return send(c); }));
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const auto& other : others) EXPECT_EQ(other.wait_until(until), std::future_status::ready);
  go.set_value();
  for (auto& other : others) EXPECT_EQ(other.get().why, "");
}

TEST(KafkaOptions, AreCheckedByKey) {
  struct Case {
    const char *options, *error;
  };
  const Case cases[] = {
      {"{}", "brokers: is missing"},
      {R"({"brokers":"a:1"})", "brokers: has the wrong type"},
      {R"({"brokers":["a b"]})", "brokers: "},
      {R"({"brokers":["user@a:9092"]})", "brokers: the URL holds a user"},
      {R"({"brokers":["a/b"]})", "brokers: \"a/b\" is no HOST:PORT"},
      {R"({"brokers":["a:9092"],"sasl":"gssapi"})", "sasl: want"},
      {R"({"brokers":["a:9092"],"sasl":"plain"})", "user: sasl wants one"},
      {R"({"brokers":["a:9092"],"ca":"-----BEGIN CERTIFICATE-----"})", "tls: is not true"},
      {R"({"brokers":["a:9092"],"tls":1})", "tls: has the wrong type"},
      {R"({"brokers":["a:9092"],"format":"xml"})", "format: \"xml\" is none of"},
      {R"({"brokers":["a:9092"],"topic":"{{ .x"})", "template: "},
  };
  for (const Case& c : cases) {
    Subscription s;
    s.sink_kind = "kafka";
    s.options = c.options;
    const Status checked = find_sink("kafka")->check(s);
    ASSERT_FALSE(checked.has_value()) << c.options;
    EXPECT_TRUE(checked.error().text().starts_with(c.error)) << checked.error().text();
  }
}

}  // namespace
}  // namespace pintle::lookout
