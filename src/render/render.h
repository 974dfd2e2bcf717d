// chart + values -> rendered files: joins chart, tmpl and funcs (helm pkg/engine).
// One Set for the chart and all its subcharts, parsed once; one VM runs every file in Helm's order.
// Not thread-safe: values are shared with the chart and changed by templates (`set`). The chart must
// outlive the render values: what templates put there may point at its files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "chart/chart.h"
#include "release/manifest.h"
#include "value/value.h"

namespace pintle::render {

struct KubeVersion {
  std::string version = "v1.37.0", major = "1", minor = "37";
  std::string normalized;  // what String() prints; empty: version
};

struct Capabilities {
  KubeVersion kube_version;
  std::vector<std::string> api_versions;
  std::string helm_version = "v4.3.1", git_commit, git_tree_state, go_version,
              kube_client_version = "v1.37";
};
Capabilities default_capabilities();  // no cluster
// --kube-version: "[v]X.Y[.Z...][suffix]". Errors: "could not parse \"x\" as version", "illegal
// version string \"1\"". Helm 3 drops the suffix, Helm 4 keeps it in `version`.
Result<KubeVersion> parse_kube_version(std::string_view text, bool helm3 = false);

struct ReleaseOptions {
  std::string name, namespace_;
  int revision = 1;
  bool is_install = true, is_upgrade = false;
};

// What templates may ask of the world. Empty functions: lookup gives {}, DNS gives "".
struct Environment {
  std::function<Result<value::Value>(std::string_view api_version, std::string_view kind,
                                     std::string_view ns, std::string_view name)> lookup;
  std::function<std::string(std::string_view host)> resolve_host;
};

struct Options {
  bool strict = false;  // missingkey=error
  bool lint = false;    // fail/required do not fail
  bool helm3 = false;   // raw Go error texts, struct .Chart
  Environment environment;
  Log log;  // what fail and required say under lint
};

// ToRenderValues: {Chart, Capabilities, Release, Values} with values coalesced and checked against
// the schemas (schema errors as Helm words them).
struct ValuesOptions {
  bool skip_schema = false;
  bool helm3 = false;
  std::function<Result<std::string>(const std::string& url)> schema_loader;
  Log log;  // warnings of coalescing
};
Result<value::Value> render_values(const chart::Chart& chart, const value::Value& user_values,
                                   const ReleaseOptions& release, const Capabilities& capabilities,
                                   const ValuesOptions& options = {});

// ValidateAgainstSchema: the chart's schema and its subcharts' on their parts of the values.
Status validate_values(const chart::Chart& chart, const value::Value& values,
                       const std::function<Result<std::string>(const std::string& url)>& loader);

// A chart that makes certificates waits for their keys longest. If one of these files names a
// function that makes some, the search for two keys begins, in the background; few charts do, and one
// that then makes none has used an idle processor for some milliseconds. Call it as soon as a chart's
// files are there, before all else of them.
void expect_keys(const std::vector<chart::File>& files);

// Engine.Render: every file not starting with '_', by full path, in path order. The error text is
// Helm's (parse error at (...), multi-line execution errors).
Result<std::vector<release::RenderedFile>> render(const chart::Chart& chart,
                                                  const value::Value& render_values,
                                                  const Options& options = {});
// The same into `out`, which after an error holds what was rendered before it. `rendered` hears of
// each file as soon as it is there.
Status render(const chart::Chart& chart, const value::Value& render_values, const Options& options,
              std::vector<release::RenderedFile>& out,
              const std::function<void(const release::RenderedFile& file)>& rendered);

}  // namespace pintle::render
