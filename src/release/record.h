// A stored release, and its bytes: the JSON of Helm 3 and 4 (spec helm4-cli §4.2), gzipped and
// base64 in a Secret. Fields we do not know are kept and written back. Pure. Bounded: an inflated
// record of more than 256 MB is an error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "chart/chart.h"
#include "release/manifest.h"
#include "value/value.h"

namespace pintle::release {

// A time as the record holds it: its own text, so that what another program wrote comes back as it
// was; "" is the zero time.
struct Time {
  std::string text;     // RFC 3339, up to nanoseconds, with zone
  int64_t unix_ns = 0;  // 0 with empty text
  bool zero() const { return text.empty(); }
};
Time time_at(int64_t unix_ns);  // in the machine's zone, as time.Now() is stored

struct HookRun {
  Time started_at, completed_at;
  std::string phase;  // "" Unknown Running Succeeded Failed
};

struct StoredHook : Hook {
  HookRun last_run;
  value::Value unknown;  // as in Record
};

struct Record {
  std::string name, namespace_;
  int version = 0;     // revision
  std::string status;  // "deployed", "pending-install" ...
  std::string description, notes;
  int rollback_revision = 0;  // what a rollback went back to; 0: no rollback
  Time first_deployed, last_deployed, deleted;
  // {metadata lock templates values schema schemamodtime files modtime} with JSON names; nil: none.
  value::Value chart;
  value::Value config;  // user values; nil: none
  std::string manifest;
  std::vector<StoredHook> hooks;
  std::string apply_method;                   // "ssa", "csa", "" (Helm 3)
  std::map<std::string, std::string> labels;  // not in the JSON; system labels may be among them
  value::Value resources;  // live objects by "v1/Pod"; only in what `status` prints
  // Fields of a newer writer, by name: of the record and of its info. nil: none.
  value::Value unknown, unknown_info;
};

bool is_pending(std::string_view status);  // pending-install, -upgrade, -rollback

// "sh.helm.release.v1.NAME.vREVISION"
std::string record_key(std::string_view name, int revision);

// ---- the chart in a record ----

enum class Writer : uint8_t { kHelm4, kHelm3 };

// What is stored of a chart: no subcharts, files as base64.
value::Value stored_chart(const chart::Chart& chart, Writer writer);
// Metadata and default values of a stored chart; no files.
chart::Chart loaded_chart(const value::Value& stored);
// "NAME-VERSION" and the application's version; "MISSING" without metadata.
std::string chart_label(const Record& record);
std::string app_version(const Record& record);
// A text of the chart's metadata: "name", "version" ... "" when absent.
std::string_view chart_text(const Record& record, std::string_view field);

// One dependency as JSON, in Go's field order.
Result<std::string> dependency_json(const chart::Dependency& dependency);

// ---- the bytes ----

// The JSON in Go's field order.
Result<std::string> encode_json(const Record& record, Writer writer);
// The same as a tree, for YAML.
value::Value to_value(const Record& record, Writer writer);
// Error: encoding/json's texts; a field of the wrong type.
Result<Record> decode_json(std::string_view json);
Result<Record> from_value(const value::Value& tree);
// base64(gzip(json)), and back; text that is not gzipped is taken as it is.
Result<std::string> pack(const Record& record, Writer writer);
Result<Record> unpack(std::string_view packed);

}  // namespace pintle::release
