// Runs one template text through the real functions, for tests of this room.
#pragma once

#include <string>
#include <string_view>

#include "funcs/funcs.h"

namespace pintle::funcs {

// What `text` prints with the JSON document `data` as dot; on failure "error: " and what stands
// behind the last "error calling NAME: " of the message (all of it when there is none).
std::string render_text(std::string_view text, std::string_view data = "{}",
                        const Env* env = nullptr);

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
