#include "kube/config.h"

#include <gtest/gtest.h>

#include "sys/memory_disk.h"
#include "sys/testing/fake_environ.h"

namespace pintle::kube {
namespace {

class Config : public ::testing::Test {
 protected:
  void file(const std::string& path, std::string_view text) {
    (void)disk.make_dirs("/home/u/.kube");
    ASSERT_TRUE(disk.write_file(path, text, 0600));
  }
  std::string failure() {
    const auto c = client_config(flags, disk, environ);
    return c ? "connects to " + c->server : c.error().text();
  }
  sys::MemoryDisk disk;
  sys::FakeEnviron environ;
  ConfigFlags flags;
};

constexpr char kOne[] = R"(
current-context: a
contexts: [{name: a, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {server: "https://one:6443/"}}]
users: [{name: u, user: {token: secret}}]
)";

TEST_F(Config, is_localhost_when_there_is_none) {
  EXPECT_EQ(failure(), "connects to http://localhost:8080");
}

TEST_F(Config, reads_the_current_context) {
  environ.vars["HOME"] = "/home/u";
  file("/home/u/.kube/config", kOne);
  const auto c = client_config(flags, disk, environ);
  ASSERT_TRUE(c) << c.error().text();
  EXPECT_EQ(c->server, "https://one:6443");
  EXPECT_EQ(c->token, "secret");
  EXPECT_EQ(default_namespace(flags, disk, environ), "team");
}

TEST_F(Config, takes_the_first_file_that_names_something) {
  environ.vars["KUBECONFIG"] = "/home/u/.kube/x:/missing:/home/u/.kube/y";
  file("/home/u/.kube/x", "clusters: [{name: c, cluster: {server: 'https://first'}}]\n");
  file("/home/u/.kube/y", kOne);
  EXPECT_EQ(failure(), "connects to https://first");
}

TEST_F(Config, lets_flags_win) {
  environ.vars["HOME"] = "/home/u";
  file("/home/u/.kube/config", kOne);
  flags.apiserver = "https://flag";
  flags.token = "other";
  const auto c = client_config(flags, disk, environ);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->server, "https://flag");
  EXPECT_EQ(c->token, "other");
}

TEST_F(Config, sends_no_token_in_the_clear) {
  environ.vars["HOME"] = "/home/u";
  file("/home/u/.kube/config", kOne);
  flags.apiserver = "http://plain";
  EXPECT_EQ(client_config(flags, disk, environ)->token, "");
}

TEST_F(Config, names_what_is_wrong) {
  environ.vars["HOME"] = "/home/u";
  file("/home/u/.kube/config", kOne);
  flags.context = "nope";
  EXPECT_EQ(failure(), "context \"nope\" does not exist");
  flags.context = "";
  flags.as_groups = {"g"};
  EXPECT_EQ(failure(),
            "invalid configuration: requesting uid, groups or user-extra for u without impersonating a user");
  flags.as_groups = {};
  file("/home/u/.kube/config", "a: [b\n");
  EXPECT_TRUE(failure().starts_with("error loading config file \"/home/u/.kube/config\": yaml: "));
}

TEST_F(Config, is_the_pods_account_in_a_pod) {
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  (void)disk.make_dirs(account);
  ASSERT_TRUE(disk.write_file(account + "token", "t", 0600));
  ASSERT_TRUE(disk.write_file(account + "ca.crt", "ca", 0600));
  ASSERT_TRUE(disk.write_file(account + "namespace", "team\n", 0600));
  environ.vars["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  environ.vars["KUBERNETES_SERVICE_PORT"] = "443";
  const auto c = client_config(flags, disk, environ);
  ASSERT_TRUE(c) << c.error().text();
  EXPECT_EQ(c->server, "https://[fd00::1]:443");
  EXPECT_EQ(c->token_file, account + "token");
  EXPECT_EQ(c->ca_pem, "ca");
  EXPECT_EQ(default_namespace(flags, disk, environ), "team");
}

TEST_F(Config, asks_a_context_for_its_namespace_only_when_it_has_a_server) {
  environ.vars["HOME"] = "/home/u";
  file("/home/u/.kube/config",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c, namespace: team}}]\n");
  EXPECT_EQ(default_namespace(flags, disk, environ), "default");
  flags.apiserver = "https://flag";
  EXPECT_EQ(default_namespace(flags, disk, environ), "team");
}

}  // namespace
}  // namespace pintle::kube
