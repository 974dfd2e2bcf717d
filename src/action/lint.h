// helm lint: the rules of helm pkg/chart/v2/lint, one file per rule group (lint_chartfile,
// lint_values, lint_templates, lint_dependencies, lint_crds), run in this order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "action/context.h"
#include "base/result.h"
#include "render/render.h"
#include "value/value.h"

namespace pintle::action {

enum class Severity : uint8_t { kUnknown, kInfo, kWarning, kError };

struct LintMessage {
  Severity severity = Severity::kUnknown;
  std::string path;  // "Chart.yaml", "templates/x.yaml", the chart's directory ...
  std::string text;

  std::string line() const;  // "[WARNING] templates/: directory does not exist"
};

struct LintOptions {
  bool strict = false;  // warnings fail too
  std::string namespace_;
  bool skip_schema = false;
  std::optional<render::KubeVersion> kube_version;
  // Fetches documents that schemas refer to; empty: they cannot be had.
  std::function<Result<std::string>(const std::string& url)> schema_loader;
};

struct LintReport {
  std::vector<LintMessage> messages;
  // What makes the chart fail: texts of the messages at or above the tolerance, or the one error
  // that kept the chart from being linted (then `messages` is empty; Helm prints "Error TEXT").
  std::vector<std::string> errors;

  bool has_warnings_or_errors() const;
};

// Lints one chart: a directory, or a .tgz / .tar.gz archive. `values` is a map (never changed).
LintReport lint(Context& context, const std::string& path, const value::Value& values,
                const LintOptions& options = {});

// --with-subcharts: `paths` followed by every chart found under each one's charts/ directory (a
// directory with a Chart.yaml, an archive), in walking order.
std::vector<std::string> lint_paths(Context& context, const std::vector<std::string>& paths,
                                    bool with_subcharts);

// `helm lint`: everything that goes to stdout, and how many charts failed. With failures the last
// line ("N chart(s) linted, M chart(s) failed") is the command's error, not part of `text`.
struct LintSummary {
  std::string text;
  std::string summary;
  int failed = 0;
};
LintSummary lint_all(Context& context, const std::vector<std::string>& paths,
                     const value::Value& values, bool with_subcharts, bool quiet,
                     const LintOptions& options = {});

}  // namespace pintle::action
