// The request that a sink makes of one claimed delivery, and what is in it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lookout/sinks/sink.h"

namespace pintle::lookout {

inline constexpr int64_t kNow = 1'767'323'045'678;  // 2026-01-02T03:04:05.678Z

inline http::Request request_of(const Claimed& c) {
  auto r = find_sink(c.subscription.sink_kind)->request({&c, 1}, kNow);
  EXPECT_TRUE(r) << r.error().text();
  return r ? *r : http::Request{};
}

inline std::string header(const http::Request& r, std::string_view name) {
  for (const auto& [n, v] : r.headers) {
    if (n == name) return v;
  }
  return "";
}

}  // namespace pintle::lookout
