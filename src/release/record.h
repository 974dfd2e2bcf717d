// A stored release, and its bytes: the JSON of Helm 3 and 4 (spec helm4-cli §4.2), gzipped and
// base64 in a Secret. Fields we do not know are kept and written back. Pure. Bounded: an inflated
// record of more than 256 MB is an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/manifest.h"
#include "value/value.h"

namespace pintle::release {

// A time as the record holds it: its own text, so that what another program wrote comes back as it
// was; "" is the zero time.
struct Time {
  std::string text;      // RFC 3339, up to nanoseconds, with zone
  int64_t unix_ns = 0;   // 0 with empty text
  bool zero() const { return text.empty(); }
};
Time time_at(int64_t unix_ns);  // UTC... as time.Now() of the machine's zone prints it

struct HookRun {
  Time started_at, completed_at;
  std::string phase;  // "" Unknown Running Succeeded Failed
};

struct StoredHook : Hook {
  HookRun last_run;
};

struct Record {
  std::string name, namespace_;
  int version = 0;  // revision
  std::string status;  // "deployed", "pending-install" ...
  std::string description, notes;
  Time first_deployed, last_deployed, deleted;
  value::Value chart;   // {metadata lock templates values schema schemamodtime files modtime}
  value::Value config;  // user values; nil: none
  std::string manifest;
  std::vector<StoredHook> hooks;
  std::string apply_method;  // "ssa", "csa", "" (Helm 3)
  std::map<std::string, std::string> labels;  // not in the JSON; system labels may be among them
  value::Value unknown;  // fields of a newer writer, {path: value} as read; nil: none
};

enum class Writer : uint8_t { kHelm4, kHelm3 };

Result<std::string> encode_json(const Record& record, Writer writer);
Result<Record> decode_json(std::string_view json);
// base64(gzip(json)), and back; text that is not gzipped is taken as it is.
Result<std::string> pack(const Record& record, Writer writer);
Result<Record> unpack(std::string_view packed);

// "sh.helm.release.v1.NAME.vREVISION"
std::string record_key(std::string_view name, int revision);

}  // namespace pintle::release
