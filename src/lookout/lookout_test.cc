// The whole service: what a change of one thing does to the others.
#include "lookout/lookout.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "http/http.h"
#include "sys/disk.h"
#include "sys/testing/fake_environ.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kKubeconfig =
    R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],)"
    R"("clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}],"users":[{"name":"u","user":{}}]})";

class LookoutTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    config_.listen = "127.0.0.1:0";
    config_.database = "sqlite:" + folder_ + "/lookout.db";
    config_.secret_key_file = folder_ + "/key";
    config_.rules = Rules::defaults();
    for (const char* name : {"north", "south"}) {
      RegionConfig region;
      region.name = name;
      region.kubeconfig = cat(folder_, "/", name);
      ASSERT_TRUE(disk_.write_file(region.kubeconfig, kKubeconfig, 0600));
      config_.regions.push_back(region);
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Lookout> start() {
    auto started = Lookout::start({config_, [](auto&&...) {}}, disk_, environ_);
    EXPECT_TRUE(started) << started.error().text();
    return started ? std::move(*started) : nullptr;
  }
  static std::pair<int, std::string> ask(const Lookout& l, std::string method, const std::string& path,
                                         std::string body = "") {
    http::Request r;
    r.method = std::move(method);
    r.url = l.url() + path;
    r.body = std::move(body);
    const auto client = *http::Client::make({});
    const auto answer = client->send(r);
    return answer ? std::pair(answer->status, answer->body) : std::pair(0, answer.error().text());
  }

  const std::string folder_ = testing::TempDir() + "lookout_test-" + std::to_string(getpid());
  sys::Disk& disk_ = sys::real_disk();
  sys::FakeEnviron environ_;
  Config config_;
};

TEST_F(LookoutTest, OneRegionsLostKubeconfigIsNoOtherChangesTrouble) {
  const auto l = start();
  ASSERT_NE(l, nullptr);
  std::filesystem::remove(folder_ + "/south");
  const auto [rule, text] = ask(*l, "POST", "/rules", R"({"name":"mine","kind":"Pod","type":"mine.seen"})");
  EXPECT_EQ(rule, 201) << text;
  EXPECT_EQ(ask(*l, "POST", "/people", R"({"name":"ann"})").first, 201);
  EXPECT_EQ(ask(*l, "DELETE", "/rules/mine").first, 200);
  const auto health = ask(*l, "GET", "/regions/south/health");
  EXPECT_EQ(health.first, 200);
  EXPECT_NE(health.second.find("the kubeconfig it had"), std::string::npos) << health.second;
  EXPECT_EQ(ask(*l, "GET", "/regions/north/health").second.find("the kubeconfig it had"), std::string::npos);
  // Reading the file anew starts nothing half.
  Config other = config_;
  other.cleaning.emplace_back().name = "mine";
  EXPECT_FALSE(l->reload(other));
  EXPECT_EQ(ask(*l, "GET", "/cleaning/policies").second.find("mine"), std::string::npos);
  ASSERT_TRUE(disk_.write_file(folder_ + "/south", kKubeconfig, 0600));
  EXPECT_TRUE(l->reload(other));
  EXPECT_EQ(ask(*l, "GET", "/regions/south/health").second.find("the kubeconfig it had"), std::string::npos);
  EXPECT_NE(ask(*l, "GET", "/cleaning/policies").second.find("mine"), std::string::npos);
}

}  // namespace
}  // namespace pintle::lookout
