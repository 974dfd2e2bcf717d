// What a list or watch asks for (ListOptions). Pure, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "base/gotext.h"
#include "drydock/request.h"
#include "drydock/selectors.h"

namespace pintle::drydock {

struct ListQuery {
  LabelSelector labels;
  FieldSelector fields;
  int64_t limit = 0, timeout_seconds = 0;
  std::string version_text, match, next;
  uint64_t version = 0;  // of version_text
  bool bookmarks = false;
  std::optional<bool> initial_events;
};

// Errors: 400 of what cannot be read, 422 of what does not go together, 500 of a watch's version.
Result<ListQuery> read_list_query(const ApiRequest& request, const Resource& resource, bool watch);
// Where the next page starts: after this key, in the state of that version (0: now).
struct Continue {
  uint64_t version = 0;
  std::string start;
};
// The token is base64 of JSON. Error: 400, in the words of the store's decoder.
Result<Continue> read_continue(std::string_view token);
// The complaint about a resourceVersion that is no number.
std::string version_error(std::string_view text, ParseError error);

}  // namespace pintle::drydock
