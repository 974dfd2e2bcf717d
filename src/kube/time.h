// RFC 3339 times of API objects. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pintle::kube {

// Unix nanoseconds; nullopt when it is no such time.
std::optional<int64_t> parse_time(std::string_view text);

}  // namespace pintle::kube
