// What the chat robots have in common: a JSON body of text, an answer that is 200 with an error
// code inside. Inside the sinks only. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lookout/sinks/options.h"

namespace pintle::lookout {

http::Request post_json(std::string url, std::string body);

// Judges {"<code>": 0} as success, and one of `limited` as "too fast": nothing for so long.
Verdict judge_code(const http::Response& r, std::string_view code, std::string_view message,
                   std::initializer_list<int64_t> limited, int64_t wait_ms);

// Options and secret of a robot: keys it knows, formats, and a URL in either.
struct Robot {
  SinkOptions options;
  std::string url;
  std::string key;  // to sign with; "": none
};
Result<Robot> read_robot(const Subscription& s, std::initializer_list<std::string_view> formats);
// What was read is sound: its template and its URL (which a secret that is not known may hold).
Status check_robot(const Result<Robot>& robot, const Subscription& s);

// Text from a cluster without what the robots' mark-up would act on (<at ...>, links, images).
std::string escape_angles(std::string_view text);

}  // namespace pintle::lookout
