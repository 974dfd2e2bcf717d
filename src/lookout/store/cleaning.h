// What cleaning finds: old rows, a page at a time, and where the walk goes on. Inside this folder
// only. Idea and cost: cleaning.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/db.h"
#include "lookout/clean/policy.h"

namespace pintle::lookout {

// One table to be walked, or the events of one type; and where that is.
struct CleaningStep {
  std::string table = {};  // "event", one of kTables, or "told"
  std::string type = {};   // of events
  Policies policies = {};  // what may take its rows, the most particular first
  // The place: the last row that was seen. Numbers by table: seq; id; delivery and n; received_ms.
  int64_t id = INT64_MIN, n = 0;
  std::string uid = {}, version = {};
  bool over = false;
};

struct OldRow {
  const CleaningPolicy* policy = nullptr;
  int64_t id = 0;  // seq, id, an attempt's delivery, a state's received_ms
  int64_t n = 0;   // an event's deliveries, an attempt's number
  int64_t event = 0;  // of a delivery, of an attempt's
  std::string cluster_uid = {}, resource = {}, uid = {}, version = {};  // of a state
  bool newest = false;
};

// One walk over all tables. The policies are a copy that the steps point into.
struct CleaningRound {
  std::vector<CleaningPolicy> policies;
  std::vector<CleaningStep> steps;
  size_t at = 0;
  // Of a policy with keep_rows and a table: the newest row beyond them, as (id, n).
  using Cap = std::pair<int64_t, int64_t>;
  std::map<std::pair<const CleaningPolicy*, std::string>, Cap> caps;

  Cap cap(const CleaningPolicy& p, const std::string& table) const {
    const auto it = caps.find({&p, table});
    return it == caps.end() ? Cap(INT64_MIN, INT64_MIN) : it->second;
  }
};

// Which rows the policies are about, and where their caps are.
Status begin_round(db::Session& session, std::vector<CleaningPolicy> policies, CleaningRound& out);
// Up to `look` of the step's next rows: those that may go now.
Result<std::vector<OldRow>> find_old(db::Session& session, const CleaningRound& round,
                                     CleaningStep& step, int64_t now_ms, int look);

}  // namespace pintle::lookout
