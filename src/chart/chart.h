// A chart in memory: metadata, templates, files, default values, schema, subcharts. Plain data.
// Chart API v1 and v2 (helm.sh pkg/chart/v2). Built by chart/load.h; values by chart/values.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace pintle::chart {

// A modification time nobody knows. Times are unix nanoseconds.
constexpr int64_t kUnknownTime = INT64_MIN;

struct Maintainer {
  std::string name, email, url;
};

struct Dependency {
  std::string name, version, repository, condition;
  std::vector<std::string> tags;
  bool enabled = false;
  std::vector<value::Value> import_values;
  std::string alias;
};

struct Metadata {
  std::string name, home;
  std::vector<std::string> sources;
  std::string version, description;
  std::vector<std::string> keywords;
  std::vector<Maintainer> maintainers;
  std::string icon, api_version, condition, tags, app_version;
  bool deprecated = false;
  bool has_annotations = false;  // Go: nil map or not
  std::map<std::string, std::string> annotations;
  std::string kube_version;
  bool has_dependencies = false;
  std::vector<Dependency> dependencies;
  std::string type;
  // Where the lists held their first null (dropped here): an error at validation.
  std::optional<size_t> null_dependency, null_maintainer;
};

struct Lock {
  std::string generated;  // RFC 3339, as Go's time.Time prints itself
  int64_t generated_ns = kUnknownTime;
  std::string digest;
  bool has_dependencies = true;  // Go: nil slice or not
  std::vector<Dependency> dependencies;
};

// A file's bytes: its own, or a part of the unpacked archive it came from, which it keeps alive.
class FileData {
 public:
  FileData() = default;
  FileData(std::string own)  // NOLINT: a file made in memory
      : owner_(std::make_shared<const std::string>(std::move(own))), view_(*owner_) {}
  FileData(const char* own) : FileData(std::string(own)) {}  // NOLINT
  FileData(std::shared_ptr<const std::string> archive, std::string_view part)
      : owner_(std::move(archive)), view_(part) {}

  std::string_view view() const { return view_; }
  const std::shared_ptr<const std::string>& owner() const { return owner_; }
  operator std::string_view() const { return view_; }  // NOLINT
  size_t size() const { return view_.size(); }
  friend bool operator==(const FileData& a, std::string_view b) { return a.view_ == b; }

 private:
  std::shared_ptr<const std::string> owner_;  // shared: by the files of one archive
  std::string_view view_;
};

struct File {
  std::string name;  // path inside the chart, '/' separated
  FileData data;
  int64_t mod_time = kUnknownTime;
};

// A chart owns its subcharts. Copying copies everything but is rare (aliases share file texts).
struct Chart {
  Metadata metadata;
  bool has_metadata = false;
  std::optional<Lock> lock;
  std::vector<std::shared_ptr<const File>> raw;        // its own files in order, charts/ left out
  std::vector<std::shared_ptr<const File>> templates;  // shared: an alias is the same text again
  std::vector<std::shared_ptr<const File>> files;      // .Files
  value::Value values = value::Value::map(nullptr);  // defaults; a nil map: there are none, nor values.yaml
  std::string schema;
  bool has_schema = false;
  int64_t mod_time = kUnknownTime, schema_mod_time = kUnknownTime;  // of Chart.yaml, of the schema
  Chart* parent = nullptr;
  std::vector<std::unique_ptr<Chart>> dependencies;

  const std::string& name() const { return metadata.name; }
  bool is_root() const { return parent == nullptr; }
  std::string full_path() const;                      // ChartFullPath: root/charts/sub/charts/..
  std::string dotted_path() const;                    // ChartPath: root.sub...
  void add_dependency(std::unique_ptr<Chart> child);  // sets parent
  std::unique_ptr<Chart> clone() const;
};

struct Crd {
  std::string name;      // "crds/x.yaml"
  std::string filename;  // "root/charts/sub/crds/x.yaml"
  std::shared_ptr<const File> file;
};
// CRDObjects: the chart's own crds/*.{yaml,yml,json} in file order, then its subcharts' by their
// order.
std::vector<Crd> crds(const Chart& chart);

// StampModTimes: every file of the chart and its subcharts, and the lock, get this unix second.
void stamp(Chart& chart, int64_t seconds);

// Metadata.Validate (prefix "validation: "), after sanitising strings in place.
Status validate(Metadata& metadata);
Status validate(Chart& chart);

// Chart.yaml text <-> Metadata. Keys are matched as encoding/json does (any case), numbers and
// booleans become strings. Error: sigs yaml's and encoding/json's texts, naming the key.
Result<Metadata> parse_metadata(std::string_view yaml_text);
// requirements.yaml: over what Chart.yaml said.
Status parse_metadata_into(std::string_view yaml_text, Metadata& metadata);
// UnmarshalStrict: also unknown and duplicate keys are errors.
Status check_metadata_strictly(std::string_view yaml_text);
value::Value metadata_value(const Metadata& metadata);  // JSON names, empty ones omitted
Result<std::string> metadata_yaml(const Metadata& metadata);
value::Value dependency_value(const Dependency& dependency);

// Chart.lock text <-> Lock; a text that says null is no lock.
Result<std::optional<Lock>> parse_lock(std::string_view yaml_text);
Result<std::string> lock_yaml(const Lock& lock);

}  // namespace pintle::chart
