#include "http/connection.h"

#include <gtest/gtest.h>

#include "sys/clock.h"
#include "sys/testing/loopback_server.h"

namespace pintle::http {
namespace {

int64_t in_ms(int64_t ms) { return sys::real_clock().monotonic_ns() + ms * 1'000'000; }

TEST(Connection, goes_to_the_first_address_that_takes_it) {
  sys::LoopbackServer server([](int fd) {
    sys::send_all(fd, "hello");
    return sys::LoopbackServer::After::kClose;
  });
  for (const std::vector<std::string>& addresses :
       {std::vector<std::string>{"127.0.0.1"}, {"::1", "127.0.0.2", "127.0.0.1"}, {"127.0.0.1", "::1"}}) {
    const auto c = Connection::open(addresses, server.port(), in_ms(3000));
    ASSERT_TRUE(c) << c.error().text();
    EXPECT_EQ((*c)->read().value_or(""), "hello");
  }
}

TEST(Connection, says_why_the_first_address_did_not_take_it) {
  const sys::LoopbackServer server([](int) { return sys::LoopbackServer::After::kClose; });
  const std::vector<std::string> addresses = {"127.0.0.3", "127.0.0.2"};
  const auto c = Connection::open(addresses, server.port(), in_ms(3000));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().text(), "connect: Connection refused");
  EXPECT_FALSE(Connection::open({}, server.port(), in_ms(3000)));
  EXPECT_EQ(Connection::open(std::vector<std::string>{"localhost"}, 1, in_ms(3000)).error().text(),
            "no address: localhost");
}

}  // namespace
}  // namespace pintle::http
