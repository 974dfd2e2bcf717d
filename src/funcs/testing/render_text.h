// Runs one template text through the real functions, for tests of this room.
#pragma once

#include <string>
#include <string_view>

#include "funcs/funcs.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

namespace pintle::funcs {

// What `text` prints with the JSON document `data` as dot; on failure "error: " and what stands
// behind the last "error calling NAME: " of the message (all of it when there is none).
std::string render_text(std::string_view text, std::string_view data = "{}",
                        const Env* env = nullptr);

// While one lives, values that come to hold themselves are no leaks: counting references keeps them
// for good, which a template may ask for.
#if __has_feature(address_sanitizer)
using MayHoldItself = __lsan::ScopedDisabler;
#else
struct MayHoldItself {
  MayHoldItself() {}
};
#endif

struct Row {
  const char* text;
  const char* want;
  const char* data = "{}";
};

}  // namespace pintle::funcs

// Each row's text renders to what it wants.
#define EXPECT_ROWS(rows)                                                              \
  for (const auto& row : rows) {                                                       \
    EXPECT_EQ(::pintle::funcs::render_text(row.text, row.data), row.want) << row.text; \
  }
