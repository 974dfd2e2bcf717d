#include "fixtures.h"

#include <fstream>
#include <string>

#include "base/strings.h"
#include "chart/timestamp.h"
#include "json/json.h"

namespace pintle::clitest {
namespace {

using value::Value;

constexpr int64_t kSecond = 1'000'000'000;

constexpr std::string_view kMockRelease = R"({
  "info": {
    "first_deployed": "1977-09-02T22:04:05Z", "last_deployed": "1977-09-02T22:04:05Z",
    "description": "Release mock", "status": "deployed", "notes": "Some mock release notes!"
  },
  "chart": {
    "metadata": {
      "name": "foo", "version": "0.1.0-beta.1", "appVersion": "1.0",
      "annotations": {"category": "web-apps", "supported": "true"},
      "dependencies": [
        {"name": "cool-plugin", "version": "1.0.0", "repository": "https://coolplugin.io/charts",
         "condition": "coolPlugin.enabled", "enabled": true},
        {"name": "crds", "version": "2.7.1", "condition": "crds.enabled", "repository": ""}
      ]
    },
    "templates": [{
      "name": "templates/foo.tpl",
      "data": "YXBpVmVyc2lvbjogdjEKa2luZDogU2VjcmV0Cm1ldGFkYXRhOgogIG5hbWU6IGZpeHR1cmUK"
    }]
  },
  "config": {"name": "value"},
  "manifest": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: fixture\n",
  "hooks": [{
    "name": "pre-install-hook", "kind": "Job", "path": "pre-install-hook.yaml",
    "manifest": "apiVersion: v1\nkind: Job\nmetadata:\n  annotations:\n    \"helm.sh/hook\": pre-install\n",
    "events": ["pre-install"], "last_run": {"phase": ""}
  }],
  "version": 1, "namespace": "default"
})";

// The versions of testUpgradeChart by their placeholders.
struct UpgradeChart {
  std::string_view placeholder, version;
};
constexpr UpgradeChart kUpgradeCharts[] = {{"${ch}", "0.1.2"}, {"${ch2}", "0.1.3"}};

// "FirstDeployed" -> "first_deployed", or "firstDeployed" inside a chart.
std::string json_name(std::string_view go_name, bool in_chart) {
  std::string out;
  for (const char c : go_name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !in_chart && !out.empty()) out += '_';
    out += upper && (out.empty() || !in_chart) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

Value to_json_names(const Value& v, bool in_chart) {
  if (v.is_list()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(to_json_names(item, in_chart));
    return Value::list_of(std::move(items));
  }
  if (!v.is_map()) return v;
  if (const Value* seconds = v.get("unix")) {
    const auto ns = static_cast<int64_t>(seconds->as_double()) * kSecond;
    return value::str(chart::format_rfc3339(ns, 0));
  }
  auto out = value::make_map();
  for (const auto& [key, item] : *v.as_map()) {
    out->set(value::Str(json_name(key.view(), in_chart)),
             to_json_names(item, in_chart || key.view() == "Chart"));
  }
  return Value::map(out);
}

Value upgrade_chart(std::string_view placeholder) {
  auto metadata = value::make_map();
  metadata->set("apiVersion", value::str("v1"));
  metadata->set("name", value::str("testUpgradeChart"));
  metadata->set("description", value::str("A Helm chart for Kubernetes"));
  for (const UpgradeChart& chart : kUpgradeCharts) {
    if (chart.placeholder == placeholder) metadata->set("version", value::str(chart.version));
  }
  auto out = value::make_map();
  out->set("metadata", Value::map(metadata));
  return Value::map(out);
}

Result<release::Record> mock(const Value& fields) {
  release::Record out = TRY(release::decode_json(kMockRelease));
  const auto text = [&](std::string_view name, std::string& to) {
    if (const Value* v = fields.get(name)) to = v->as_string();
  };
  text("Name", out.name);
  text("Namespace", out.namespace_);
  text("Status", out.status);
  if (const Value* v = fields.get("Version")) out.version = static_cast<int>(v->as_double());
  if (const Value* v = fields.get("Chart")) out.chart = upgrade_chart(v->as_string());
  if (const Value* labels = fields.get("Labels")) {
    for (const auto& [key, v] : *labels->as_map()) {
      out.labels[std::string(key)] = std::string(v.as_string());
    }
  }
  return out;
}

}  // namespace

Result<std::vector<release::Record>> read_releases(const Value& rows) {
  std::vector<release::Record> out;
  for (const Value& row : rows.items()) {
    const Value* mocked = row.get("mock");
    out.push_back(
        TRY(mocked ? mock(*mocked) : release::from_value(to_json_names(row, false))));
  }
  return out;
}

void write_upgrade_chart(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory / "testUpgradeChart");
  std::ofstream(directory / "testUpgradeChart/Chart.yaml")
      << "apiVersion: v1\ndescription: A Helm chart for Kubernetes\nname: testUpgradeChart\n"
         "version: 0.1.3\n";
}

}  // namespace pintle::clitest
