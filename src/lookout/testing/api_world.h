// An API over a store in memory, with hooks that tests look into, and a client to ask it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "http/http.h"
#include "json/json.h"
#include "lookout/api/api.h"
#include "lookout/config/settings.h"
#include "lookout/fields.h"
#include "lookout/testing/memory_store.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {

struct ApiWorld {
  sys::FakeClock clock{kStartMs * 1'000'000};
  MemoryStore store{clock};
  Config file;
  std::shared_ptr<const Config> config;
  std::vector<ApiHooks::NamedRelease> releases;
  std::function<void()> on_releases;  // when somebody asks for them
  Subscription tried;
  Writer::Counters written;
  Status takes = ok();  // what is changed
  std::vector<std::string> asked_to_take;  // the regions
  std::string leader_unknown, region_state = "live";
  std::string of_file;  // the path of the file's subscription
  std::unique_ptr<Api> api;
  std::unique_ptr<http::Client> client = *http::Client::make({});

  explicit ApiWorld(std::vector<TokenConfig> tokens = {}) {
    file.rules = Rules::defaults();
    Subscription s;
    s.name = "of-file";
    file.subscriptions = {s};
    s.sink_kind = "stdout";
    of_file = cat("/subscriptions/", store.add_subscription(s)->id);
    RegionConfig region;
    region.name = "north";
    file.regions = {region};
    take();
    ApiHooks h;
    h.regions = [this] {
      std::vector<RegionStatus> out;
      for (const RegionConfig& r : config->regions) {
        RegionStatus status;
        status.config = r;
        status.state = region_state;
        status.cluster_uid = "cluster-1";
        out.push_back(status);
      }
      return out;
    };
    h.releases = [this] {
      if (on_releases) on_releases();
      return releases;
    };
    h.config = [this] { return config; };
    h.changed = [this](std::string_view region) -> Status {
      asked_to_take.emplace_back(region);
      if (!takes) return takes;
      take();
      return ok();
    };
    h.attempt = [this](const Claimed& c) {
      tried = c.subscription;
      Attempt a;
      a.n = 1;
      a.status = 200;
      a.response_head = "of the receiver";
      return a;
    };
    h.written = [this] { return written; };
    h.cleaned = [] { return CleaningCounters(); };
    h.leader_unknown = [this] { return leader_unknown; };
    h.delivered = [] { return DeliverCounters(); };
    h.wake = [] {};
    h.restart_wanted = [] { return std::vector<std::string>(); };
    auto started = Api::start("127.0.0.1:0", std::move(tokens), store, clock, std::move(h));
    EXPECT_TRUE(started) << started.error().text();
    api = std::move(*started);
  }
  void take() {
    config = std::make_shared<const Config>(with_settings(file, *store.settings(), {}));
  }

  struct Got {
    int status;
    std::string text;
    value::Value json;
    std::string error() const { return std::string(text_at(json, {"error"})); }
  };
  Got ask(std::string method, std::string path, std::string body = "", std::string token = "",
          std::string content_type = "") {
    http::Request r;
    r.method = std::move(method);
    r.url = api->url() + path;
    r.body = std::move(body);
    if (!token.empty()) r.headers.emplace_back("Authorization", "Bearer " + token);
    if (!content_type.empty()) r.headers.emplace_back("Content-Type", content_type);
    const auto answer = client->send(r);
    if (!answer) return {0, answer.error().text(), {}};
    return {answer->status, answer->body,
            json::read(answer->body, {json::Numbers::kExact}).value_or(value::Value())};
  }
};

}  // namespace pintle::lookout
