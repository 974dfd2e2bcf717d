// Call: one request as the handlers of the API see it, and what they answer. A handler is a plain
// function in a row of the route table (routes.cc), which has checked the caller's role, the path,
// and the names and types of the query. Inside the API only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "httpd/query.h"
#include "lookout/api/api.h"
#include "lookout/fields.h"

namespace pintle::lookout {

// Each may what those before it may, but that kInlet is for taking CloudEvents alone, and kRead may not.
enum class Role : uint8_t { kNone, kInlet, kRead, kOperate, kAdmin };

struct Call {
  Role role = Role::kNone;
  std::vector<std::string> names;  // what stands for the path's {parts}
  httpd::Query query;
  std::string body;
  std::map<std::string, std::string> headers;  // Content-Type and a CloudEvent's ce-..., in small letters
  Author by = {};  // who asks, for the audit
  std::string silent = {};  // why the database is not to be asked; "": it is

  std::string text(std::string_view name) const;
  int64_t number(std::string_view name) const;  // 0 when it is not there
  bool flag(std::string_view name) const;
  int limit() const;  // 1 to 1000
};

struct Answer {
  std::string body = "{}";
  int status = 0;  // 0: the route's
  std::string location = {};  // where to go on; relative to the path
};

struct Backend {
  Store& store;
  sys::Clock& clock;
  const ApiHooks& hooks;
  std::function<size_t()> streams;
  std::function<void()> committed;  // streams have something to read
  std::function<bool()> stopped;
  int64_t now_ms() const { return clock.now_ns() / 1'000'000; }
};

using Handler = Result<Answer> (*)(Backend& b, const Call& c);

// The n-th of the path's {parts} as a number. Error: it is none.
Result<int64_t> id_of(const Call& c, size_t n = 0);

// {"items": [...], "next": N}
template <typename List, typename F>
std::string items_json(const List& list, F json, int64_t next = 0) {
  std::string items = "[";
  for (const auto& item : list) append(items, {items.size() > 1 ? "," : "", json(item)});
  return Data().raw("items", items + "]").number("next", next).take();
}

// The page of a whole list whose items have names of their own: `limit` of those behind the one that
// `after` names, and "next", the last one's name, while there are more. Error: none has that name.
template <typename List, typename Name, typename F>
Result<Answer> named_page(const Call& c, const List& list, Name name, F json) {
  const std::string after = c.text("after");
  auto at = list.begin();
  while (!after.empty() && at != list.end() && name(*at) != after) ++at;
  if (!after.empty() && at == list.end()) {
    return Error("after: that is gone; begin anew", Code::kInvalidArgument);
  }
  if (!after.empty()) ++at;
  std::string items = "[", next;
  for (int left = c.limit(); left > 0 && at != list.end(); --left, ++at) {
    append(items, {items.size() > 1 ? "," : "", json(*at)});
    next = name(*at);
  }
  if (at == list.end()) next.clear();
  return Answer{Data().raw("items", items + "]").text("next", next).take()};
}

// Stores a setting and takes it into the running configuration; removes one likewise. Error: all
// is as it was, or the error says that it is not.
Status take_setting(Backend& b, const Call& c, const Setting& made);
Result<Answer> remove_setting(Backend& b, const Call& c, std::string_view kind,
                              std::string_view name);

// Answers with what the running configuration has of it: the item of its name in `list`, a member of
// Config or a function that gives one, as `json` writes it.
template <typename List, typename F>
Result<Answer> put_setting(Backend& b, const Call& c, const Setting& made, List list, F json) {
  TRY(take_setting(b, c, made));
  const auto config = b.hooks.config();
  for (const auto& item : std::invoke(list, *config)) {
    if (item.name == made.name) return Answer{json(*config, item)};
  }
  return Error("another change was faster", Code::kUnavailable);
}

}  // namespace pintle::lookout
