// A release rendered without a cluster: what `helm template` prints, and what `helm install
// --dry-run=client` shows (helm pkg/action/install.go and action.go renderResources,
// pkg/cmd/template.go).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "action/context.h"
#include "base/result.h"
#include "chart/chart.h"
#include "release/manifest.h"
#include "render/render.h"
#include "value/value.h"

namespace pintle::action {

struct ClientInstallOptions {
  std::string release_name, namespace_;
  render::Capabilities capabilities;
  std::map<std::string, std::string> labels;
  bool is_upgrade = false;
  bool include_crds = false;
  bool hide_secret = false;
  bool enable_dns = false;
  bool subchart_notes = false;
  bool skip_schema = false;
  std::string output_dir;         // "": everything into ClientRelease::manifest
  bool use_release_name = false;  // output_dir/<release name>/...
  // Rendered text in, changed text out. Helm 4 sends everything rendered, Helm 3 the sorted
  // manifests only.
  std::function<Result<std::string>(std::string_view)> post_render;
  // Fetches a schema that another one refers to by URL.
  std::function<Result<std::string>(const std::string& url)> schema_loader;
  render::Environment environment;  // what templates may ask of a cluster; empty: nothing
};

struct ClientRelease {
  std::string manifest;
  std::vector<release::Hook> hooks;
  std::string notes;
  // What went wrong while rendering; the manifest then holds what there was to look at.
  std::optional<Error> error;
};

// Changes the chart (dependencies are resolved in it). An error here means nothing was rendered:
// bad names, values against the schema. With output_dir, "wrote PATH" goes to context.out.
Result<ClientRelease> client_install(Context& context, chart::Chart& chart,
                                     const value::Value& values,
                                     const ClientInstallOptions& options);

// The last steps of client_install, for those that have a cluster to ask before and after: the
// chart rendered with these values, notes taken out, post-rendered, sorted. Fills `out`, also when
// it fails half-way.
Status render_resources(Context& context, const chart::Chart& chart,
                        const value::Value& render_values, const ClientInstallOptions& options,
                        ClientRelease& out);
// Error: a name that Helm keeps for itself is among them.
Status check_labels(const std::map<std::string, std::string>& labels);
// ToRenderValues with the options' schema rules.
Result<value::Value> values_to_render(Context& context, const chart::Chart& chart,
                                      const value::Value& values,
                                      const render::ReleaseOptions& release,
                                      const ClientInstallOptions& options);

struct TemplateOptions {
  bool no_hooks = false;
  bool skip_tests = false;
  std::vector<std::string> show_only;  // globs on the path below the chart
};

// The text of a rendered release. Error: "could not find template P in chart", files.
Result<std::string> template_text(Context& context, ClientRelease release,
                                  const ClientInstallOptions& options,
                                  const TemplateOptions& shown);

// What stands after a NAME: flags and arguments to a release name and a chart.
struct NameOptions {
  std::string name_template;
  std::string fixed_name;  // template's "release-name": used when there is no NAME
  bool generate = false;
};
struct NameAndChart {
  std::string name, chart;
};
Result<NameAndChart> name_and_chart(Context& context, const std::vector<std::string>& args,
                                    const NameOptions& options);

// "application" charts only. Error: "library charts are not installable".
Status check_installable(const chart::Chart& chart);

// Error: "no name provided", "invalid release name, must match regex ...".
Status validate_release_name(std::string_view name);

}  // namespace pintle::action
