#include "lookout/deliver/guard.h"

#include <gtest/gtest.h>

#include "lookout/deliver/ip_range.h"

namespace pintle::lookout {
namespace {

Resolve resolves_to(std::vector<std::string> addresses) {
  return [=](const std::string&) { return addresses; };
}

std::string verdict(std::string_view url, const GuardOptions& options = {},
                    std::vector<std::string> addresses = {"198.51.100.7"}) {
  const auto t = check_url(url, options, resolves_to(std::move(addresses)));
  if (!t) return t.error().text();
  return t->host + ":" + std::to_string(t->port) + " at " + join(t->addresses, ", ");
}

TEST(Guard, lets_public_https_receivers_pass) {
  EXPECT_EQ(verdict("https://hooks.example.com/a?b=c"), "hooks.example.com:443 at 198.51.100.7");
  EXPECT_EQ(verdict("HTTPS://Hooks.Example.COM.:8443"), "hooks.example.com:8443 at 198.51.100.7");
  EXPECT_EQ(verdict("https://[2606:4700::1111]/"), "2606:4700::1111:443 at 2606:4700::1111");
  EXPECT_EQ(verdict("smtp://mail.example.com"), "mail.example.com:587 at 198.51.100.7");
  EXPECT_EQ(verdict("https://a.example", {}, {"2606:4700::1", "198.51.100.7"}),
            "a.example:443 at 2606:4700::1, 198.51.100.7");
}

TEST(Guard, refuses_what_only_looks_like_a_receiver) {
  const struct {
    std::string_view url, why;
  } cases[] = {
      {"http://hooks.example.com/", "http is allowed only to hosts"},
      {"ftp://hooks.example.com/", "the scheme \"ftp\" is not https"},
      {"gopher:hooks", "no scheme"},
      {"https://hooks.example.com:22/", "the port 22 is not allowed"},
      {"https://hooks.example.com:443x/", "cannot be read"},
      {"https://hooks.example.com:99999/", "cannot be read"},
      {"https://user:pw@hooks.example.com/", "holds a user"},
      {"https://127.0.0.1@hooks.example.com/", "holds a user"},
      {"https://hooks.example.com\\@127.0.0.1/", "backslash"},
      {"https://hooks.example.com\n.evil/", "control character"},
      {"https:///path", "no host"},
      {"https://a..b/", "is not a name"},
      {"https://%31%32%37.0.0.1/", "is not a name"},
      {"https://\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x97.0.0.1/", "is not ASCII"},
      {"https://b\xC3\xBC"
       "cher.example/",
       "the host \"bücher.example\" is not ASCII: write it in its ASCII form (xn--...)"},
      {"https://hooks.b\xC3\xBC"
       "cher.example:8443/a?b",
       "in its ASCII form (xn--...)"},
      {"https://[fe80::1%25eth0]/", "is no IPv6 address"},
      {"https://[127.0.0.1]/", "is no IPv6 address"},
      {"https://[::1/", "cannot be read"},
      {"https://1.2.3.4.5/", "is no address"},
      {"https://256.1.1.1/", "is no address"},
      {"https://0x100000000/", "is no address"},
  };
  for (const auto& c : cases) {
    EXPECT_NE(verdict(c.url).find(c.why), std::string::npos) << c.url << ": " << verdict(c.url);
  }
}

TEST(Guard, reads_every_form_of_an_address_before_it_checks) {
  for (std::string_view host : {"127.0.0.1",
                                "127.1",
                                "2130706433",
                                "0x7f000001",
                                "0177.0.0.1",
                                "017700000001",
                                "0x7f.1",
                                "127.0.0.1.",
                                "0",
                                "169.254.169.254",
                                "2852039166",
                                "0xA9FEA9FE",
                                "10.255.0.1",
                                "100.64.0.1",
                                "172.31.255.255",
                                "192.0.0.8",
                                "192.168.1.1",
                                "198.19.0.1",
                                "224.0.0.1",
                                "255.255.255.255",
                                "[::]",
                                "[::1]",
                                "[fd00::1]",
                                "[fe80::1]",
                                "[ff02::1]",
                                "[::ffff:127.0.0.1]",
                                "[::ffff:a9fe:a9fe]",
                                "[64:ff9b::10.0.0.1]",
                                "[64:ff9b:1::1]",
                                "[2002:7f00:1::]",
                                "[2002:a9fe:a9fe::1]",
                                "[::127.0.0.1]",
                                "[::ffff:0:127.0.0.1]",
                                "[::fff:a9fe:a9fe]",
                                "[::8.8.8.8]",
                                "[4000::1]",
                                "[fec0::1]"}) {
    const std::string v = verdict("https://" + std::string(host) + "/");
    EXPECT_NE(v.find("which is not allowed"), std::string::npos) << host << ": " << v;
  }
}

TEST(Guard, checks_every_address_of_a_name) {
  EXPECT_NE(verdict("https://rebind.example/", {}, {"198.51.100.7", "127.0.0.1"})
                .find("rebind.example (127.0.0.1) lies in 127.0.0.0/8"),
            std::string::npos);
  EXPECT_NE(verdict("https://rebind.example/", {}, {"::ffff:10.0.0.1"}).find("10.0.0.0/8"),
            std::string::npos);
  EXPECT_EQ(verdict("https://none.example/", {}, {}), "lookup none.example: no address");
}

TEST(Guard, follows_the_configuration) {
  GuardOptions o;
  o.allow = {"hooks.internal:8080", "10.1.0.0/16", "any.internal", "127.0.0.1:9000", "[::1]:9000"};
  o.deny = {"198.51.100.0/24"};
  o.ports = {443};
  EXPECT_EQ(verdict("http://hooks.internal:8080/x", o, {"10.9.9.9"}),
            "hooks.internal:8080 at 10.9.9.9");
  EXPECT_NE(verdict("http://hooks.internal:8081/x", o).find("http is allowed only"),
            std::string::npos);
  EXPECT_EQ(verdict("http://any.internal:1/x", o, {"127.0.0.1"}), "any.internal:1 at 127.0.0.1");
  EXPECT_EQ(verdict("http://0x7f.1:9000", o), "127.0.0.1:9000 at 127.0.0.1");
  EXPECT_EQ(verdict("http://[0::1]:9000", o), "::1:9000 at ::1");
  EXPECT_EQ(verdict("https://x.example", o, {"10.1.2.3"}), "x.example:443 at 10.1.2.3");
  EXPECT_NE(verdict("https://x.example", o, {"10.2.2.3"}).find("10.0.0.0/8"), std::string::npos);
  EXPECT_NE(verdict("https://x.example", o).find("the configuration denies"), std::string::npos);
  EXPECT_NE(verdict("https://x.example:8443", o).find("port 8443"), std::string::npos);
  EXPECT_NE(verdict("http://10.1.2.3", o).find("http is allowed only"), std::string::npos);
}

TEST(Guard, names_entries_that_are_none) {
  EXPECT_TRUE(
      check_guard_options({{"a.b", "a:1", "10.0.0.0/8", "::1", "[::1]:1"}, {"fc00::/7"}, {443}}));
  EXPECT_FALSE(check_guard_options({{"10.0.0.0/33"}, {}, {}}));
  EXPECT_FALSE(check_guard_options({{"a:b"}, {}, {}}));
  EXPECT_FALSE(check_guard_options({{}, {"hooks.internal"}, {}}));
  EXPECT_FALSE(check_guard_options({{}, {}, {0}}));
}

TEST(Guard, takes_international_names_in_their_ascii_form) {
  EXPECT_EQ(verdict("https://XN--bcher-kva.example/"), "xn--bcher-kva.example:443 at 198.51.100.7");
  GuardOptions o;
  o.allow = {"xn--bcher-kva.example"};
  EXPECT_TRUE(check_guard_options(o));
  EXPECT_EQ(verdict("http://xn--bcher-kva.example/", o), "xn--bcher-kva.example:80 at 198.51.100.7");
  o.allow = {"bücher.example"};
  const Status refused = check_guard_options(o);
  ASSERT_FALSE(refused) << "it would never be met";
  EXPECT_EQ(refused.error().text(),
            "allow: \"bücher.example\" is not ASCII: write it in its ASCII form (xn--...)");
}

TEST(Guard, form_alone_asks_no_resolver) {
  EXPECT_TRUE(check_url_form("https://hooks.example.com/", {}));
  EXPECT_FALSE(check_url_form("https://127.0.0.1/", {}));
}

}  // namespace
}  // namespace pintle::lookout
