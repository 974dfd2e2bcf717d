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

TEST_F(Config, refuses_a_file_of_another_shape_as_client_go_does) {
  environ.vars["HOME"] = "/home/u";
  const std::string kind = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  const std::string field = "json: cannot unmarshal ";
  const std::pair<std::string_view, std::string> cases[] = {
      {"hello", kind + R"(string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
                       R"(Kind string "json:\"kind,omitempty\"" })"},
      {"apiVersion: 3", kind + "number into Go struct field .apiVersion of type string"},
      {"kind: Pod", R"(no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")"},
      {"apiVersion: a/b/c", "unexpected GroupVersion string: a/b/c"},
      {"contexts: 3", field + "number into Go struct field Config.contexts of type []v1.NamedContext"},
      {"contexts: [x]", field + "string into Go struct field Config.contexts of type v1.NamedContext"},
      {"contexts: [{context: {cluster: 3}}]",
       field + "number into Go struct field Context.contexts.context.cluster of type string"},
      {"clusters: [{cluster: {insecure-skip-tls-verify: 'yes'}}]",
       field + "string into Go struct field Cluster.clusters.cluster.insecure-skip-tls-verify of type bool"},
      {"clusters: [{cluster: {certificate-authority-data: '***'}}]", "illegal base64 data at input byte 0"},
      {"users: [{user: {token: true, as: 2}}]",
       field + "number into Go struct field AuthInfo.users.user.as of type string"},
      {"users: [{user: {as-user-extra: {a: b}}}]",
       field + "string into Go struct field AuthInfo.users.user.as-user-extra of type []string"},
      {"users: [{user: {exec: {env: 1}}}]",
       field + "number into Go struct field ExecConfig.users.user.exec.env of type []v1.ExecEnvVar"},
      {"users: [{user: {auth-provider: {config: [1]}}}]",
       field + "array into Go struct field AuthProviderConfig.users.user.auth-provider.config of type map[string]string"},
  };
  for (const auto& [text, want] : cases) {
    file("/home/u/.kube/config", text);
    EXPECT_EQ(failure(), "error loading config file \"/home/u/.kube/config\": " + want) << text;
  }
  for (std::string_view fine : {"", "# words", "null", "Contexts: 3", "contexts: [null]", "extensions: [{extension: 3}]"}) {
    file("/home/u/.kube/config", fine);
    EXPECT_EQ(failure(), "connects to http://localhost:8080") << fine;
  }
}

TEST_F(Config, reads_an_address_as_client_go_does) {
  const std::pair<const char*, const char*> cases[] = {
      {"127.0.0.1:1", "connects to http://127.0.0.1:1"},
      {"https://[::1]:1/a/", "connects to https://[::1]:1/a"},
      {"https://one?x=1", "connects to https://one"},
      {"https://a b", R"(host must be a URL or a host:port pair: "https://a b")"},
      {"https://", R"(host must be a URL or a host:port pair: "https://")"},
      {"/x", R"(host must be a URL or a host:port pair: "/x")"},
      {"a b:1", R"(parse "http://a b:1": invalid character " " in host name)"},
  };
  for (const auto& [server, want] : cases) {
    flags.apiserver = server;
    EXPECT_EQ(failure(), want);
  }
  flags.insecure = true;
  flags.apiserver = "one:6443";
  EXPECT_EQ(failure(), "connects to https://one:6443");
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
