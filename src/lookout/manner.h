// Manner: how a subscription's messages go, beside where to: whom they call, how often they are
// tried, and when they wait. Plain data, with one spelling for the configuration, the API and the
// database.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"

namespace pintle::lookout {

class Data;
class Section;

// When a sink's own list of recipients is told although `whom` stands beside it.
enum class FallBack : uint8_t {
  kNobody,   // nobody of `whom` was found
  kUnknown,  // one of them was not
  kAlways,
};

// From a minute of the day to another, which may be the next day's; equal: never.
struct QuietHours {
  int from_min = 0, to_min = 0;
  int zone_min = 0;  // of the place where it is that time, east of Greenwich
  Severity but = Severity::kError;  // what is as bad as this is told all the same
  bool set() const { return from_min != to_min; }
  bool operator==(const QuietHours&) const = default;
};

struct Manner {
  std::vector<std::string> whom;  // people.h; empty: the sink's own list
  FallBack fall_back = FallBack::kNobody;
  std::vector<int64_t> retry_ms;  // empty: the usual schedule (deliver.h)
  int64_t give_up_ms = 0;         // after the first attempt; 0: 24 h
  QuietHours quiet;
  int64_t digest_ms = 0;          // what happens within so long is told together; 0: at once
  std::vector<std::string> once_per;  // of events alike in these only the first is told
  int64_t disable_after_ms = 0;   // every attempt has failed for so long: it is paused; 0: never
  bool operator==(const Manner&) const = default;
};

// Takes the keys whom, fall_back, retry, give_up, disable_after, quiet, quiet_but, digest and
// once_per, checked;
// those that are missing leave theirs alone. What is wrong is told by the section's end().
void read_manner(Section& s, Manner& m);
// The same keys, into an object: `all` of them, or only what is not as usual.
void write_manner(Data& out, const Manner& m, bool all);

std::string manner_json(const Manner& m);
Result<Manner> read_manner(std::string_view json);

// When the quiet hours around now end; 0: these are none.
int64_t quiet_until_ms(const QuietHours& q, int64_t now_ms);

// What events must be alike in to be told once: "once/ID/DIGEST". "": told always.
std::string once_key(const Manner& m, int64_t subscription, const Event& e,
                     std::string_view region, std::string_view cluster_uid);

}  // namespace pintle::lookout
