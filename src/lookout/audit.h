// Audit: who changed what of the configuration, when, and which fields of it: what the API makes, what
// a file brings that is read anew, and what lookout does itself. Secrets are told as changed, never
// shown. Plain data; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::lookout {

// A token's name and role; "file" for the configuration's file.
struct Author {
  std::string name = "lookout";
  std::string role = {};
};

struct AuditChange {
  std::string kind, name;  // "subscription" "deployments"
  std::string verb;        // "added", "changed", "removed"
  std::string fields;      // [{"field": "types", "before": [...], "after": [...]}, ...]
};

struct AuditEntry {
  int64_t id = 0, at_ms = 0;
  Author by;
  AuditChange change;
};

struct AuditQuery {
  int64_t after = 0;          // ids greater than this, ascending
  bool newest_first = false;  // then: smaller than `after` (0: from the end), descending
  std::string kind, name;     // "": any
  int64_t from_ms = 0, to_ms = 0;  // 0: open
  int limit = 100;                 // at most 1000
};

// A piece of the configuration as two JSON objects with the same members: to compare, and to show.
// "": it is not there.
struct AuditPiece {
  std::string whole, shown;
};

// nullopt: they are the same. A member's text is cut at 2000 bytes.
std::optional<AuditChange> change_of(std::string_view kind, std::string_view name,
                                     const AuditPiece& before, const AuditPiece& after);

// A JSON object's members, each as JSON; none of what is no object.
std::map<std::string, std::string> members_of(std::string_view json);

// An object whose members are all secret, but for its name.
std::string hidden_members(std::string_view json);

}  // namespace pintle::lookout
