// derivePassword: the Master Password algorithm (version 3). Inside this room only. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::funcs {

// kind: maximum, long, medium, short, basic, pin; of another one the result says
// "cannot find password template X". About 100 ms: the key takes scrypt with N = 32768.
std::string master_password(uint32_t counter, std::string_view kind, std::string_view password,
                            std::string_view user, std::string_view site);

}  // namespace pintle::funcs
