// What the reflector's tests share: a reflector before a scripted server, on a stepped clock, which writes down what it is told.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "informer/reflector.h"
#include "informer/testing/scripted_test.h"

namespace pintle::informer {

inline Error refused() {
  return Error(Code::kUnavailable,
               "Get \"https://x\": dial tcp 127.0.0.1:1: connect: connection refused");
}

class ReflectorTest : public ScriptedTest, protected Sink {
 protected:
  ReflectorTest() : ScriptedTest(1000 * kSecond) {}
  ObjectPtr held(std::string_view key, std::string_view version) override {
    const auto it = known_.find(std::string(key));
    const bool there = it != known_.end() && (version.empty() || it->second->resource_version() == version);
    return there ? it->second : nullptr;
  }
  void push(Delta d) override {
    constexpr const char* kNames[] = {"added", "updated", "deleted", "replaced", "bookmark"};
    std::string line = kNames[static_cast<int>(d.kind)];
    if (d.object) append(line, {" ", d.object->key()});
    if (d.kind == Delta::Kind::kReplaced) known_.clear();
    for (const auto& o : d.objects) {
      append(line, {" ", o->key()});
      known_[std::string(o->key())] = o;
    }
    if (d.object) known_[std::string(d.object->key())] = d.object;
    log_.push_back(cat(line, d.anew ? " anew" : "", " @", d.version));
  }
  bool full() override { return full_; }
  void on_error(const Error& e) override { errors_.push_back(e.text()); }

  void begin(ReflectorOptions options = {.watch_list = false},
             Resource resource = {"", "v1", "configmaps"}) {
    reflector_.reset();
    while (rest_.next()) {
    }
    Sink& sink = *this;
    reflector_ = std::make_unique<Reflector>(
        loop_, rest_, resource, sink, [this] { return chance_; }, std::move(options));
    reflector_->start();
    loop_.run_ready();
  }
  // List at "0" answered, watch begun.
  ExchangePtr listed(const std::string& version = "10", std::vector<std::string> items = {}) {
    const auto list = next();
    EXPECT_FALSE(list->is_watch());
    list->answer(list_json(items, version));
    const auto watch = next();
    EXPECT_TRUE(watch->is_watch());
    EXPECT_EQ(watch->find("resourceVersion"), version);
    return watch;
  }
  // The list of one that precedes a watch when the server may be another; then the watch.
  ExchangePtr checked(const std::string& version) {
    const auto check = next();
    EXPECT_EQ(check->find("limit"), "1");
    EXPECT_TRUE(check->call.accept.find("PartialObjectMetadataList") != std::string::npos);
    check->answer(list_json({object_json("a", version)}, version));
    return next();
  }
  std::vector<std::string> log() {
    loop_.run_ready();
    return std::exchange(log_, {});
  }

  double chance_ = 0;
  bool full_ = false;
  std::map<std::string, ObjectPtr> known_;
  std::vector<std::string> log_, errors_;
  std::unique_ptr<Reflector> reflector_;
};

}  // namespace pintle::informer
