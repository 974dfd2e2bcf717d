// Cleaning policies: how long what is stored stays, and how much of it.
//
// Each row goes by one policy. An event's is, of those that fit it, the most particular: its own
// type before "pod.*" before "*", and of one type that which asks for more of kinds, reasons and
// namespaces; so "*" is the default rule, and takes nothing that has a policy of its own. Of the
// other tables (kTables) it is the one named like it, else "*". Rows without a policy stay.
//
// Never removed, whatever they say: deliveries that wait or are leased, and their events; the newest
// state of an object that exists. What is given up goes by the policy "dead" alone, and its event
// stays as long. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::lookout {

struct CleaningPolicy {
  std::string name;  // its type where the configuration gives none
  std::string type;  // of events: "kubernetes.event", "pod.*", "*"; or one of kTables
  std::vector<std::string> kinds, reasons, namespaces;  // of the event; empty: all
  int64_t keep_ms = 0;    // 0: however old
  int64_t keep_rows = 0;  // the newest ones; 0: however many
  bool archive = false;   // what goes is written to a file first
  bool of_api = false;
  bool operator==(const CleaningPolicy&) const = default;
};

// "dead": deliveries given up; "delivery": those that succeeded or were cancelled, while their
// events stay; "attempt": of finished deliveries; "observation": the states; "gap"; "audit": who
// changed the configuration, of which a year is kept where no policy says otherwise.
inline constexpr std::string_view kTables[] = {"dead",        "delivery", "attempt",
                                               "observation", "gap",      "audit"};
bool is_table(std::string_view type);

using Policies = std::vector<const CleaningPolicy*>;

// Of the policies those that may take an event of this type, the most particular first, and none
// behind the first that takes them all.
Policies policies_of(std::string_view type, const std::vector<CleaningPolicy>& all);
bool takes(const CleaningPolicy& p, std::string_view kind, std::string_view reason,
           std::string_view name_space);
// Of a table; null: nothing of it goes.
const CleaningPolicy* policy_of_table(std::string_view table,
                                      const std::vector<CleaningPolicy>& all);

}  // namespace pintle::lookout
