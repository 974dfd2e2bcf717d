// What the pages for people are made of: heads, tables, marks, buttons. Texts that come in are
// escaped here, unless they are said to be HTML. Inside the API only; pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lookout/store.h"

namespace pintle::lookout {

// A state and its colour: "good", "warn", "bad", or none.
struct Look {
  std::string_view state, mark;
};
std::string_view mark_of(std::span<const Look> looks, std::string_view state);

// Up to where the body begins. `refresh`: seconds after which it is loaded again; "": never.
std::string page_head(std::string_view title, std::string_view refresh = "");
std::string html_escaped(std::string_view text);

std::string ago(int64_t ms, int64_t now_ms);  // "5 min ago"; "" for 0

// Cells, as HTML.
std::string plain(std::string_view text);
std::string strong(std::string_view text);
std::string link(std::string_view path, std::string_view text);
std::string pill(std::string_view text, std::string_view mark);
// How long ago; the time itself when pointed at.
std::string time_cell(int64_t ms, int64_t now_ms);
std::string_view delivery_mark(DeliveryState state);  // of its row
std::string delivery_pill(DeliveryState state);
std::string due_text(const Delivery& d);  // "": it is not waiting for a time
std::string types_text(const Subscription& s);

struct SubscriptionLook {
  std::string_view word, mark;
};
SubscriptionLook look_of(const Subscription& s);
std::string state_text(const Subscription& s);  // its word, and why lookout paused it

// What may be done now, as forms that post below `path`.
std::string subscription_buttons(const Subscription& s, std::string_view path);
std::string delivery_buttons(const Delivery& d, std::string_view path);

class Table {
 public:
  Table(std::string_view title, std::vector<std::string_view> heads);  // HTML
  // Cells are HTML; an empty one is left out on a narrow screen.
  void row(std::string_view mark, const std::vector<std::string>& cells);
  std::string take(std::string_view none);

 private:
  std::vector<std::string_view> heads_;
  std::string out_;
  size_t rows_ = 0;
};

}  // namespace pintle::lookout
