// What the lint rule groups share. Internal to action/lint*.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "action/lint.h"
#include "chart/chart.h"
#include "value/value.h"

namespace pintle::action {

// What is wrong, or nothing.
using Finding = std::optional<std::string>;

class Linter {
 public:
  // disk: the chart's (an archive is looked at in memory); directory: absolute.
  Linter(Context& c, sys::Disk& d, std::string dir, const value::Value& v, const LintOptions& o)
      : context(c), disk(d), directory(std::move(dir)), values(v), options(o) {}

  Context& context;
  sys::Disk& disk;
  const std::string directory;
  const value::Value& values;
  const LintOptions& options;
  std::vector<LintMessage> messages;

  // Notes the finding; true when there is none.
  bool check(Severity severity, std::string_view path, Finding finding);
  // The chart as the rules load it. Helm loads it anew for every group, and what loading logs comes
  // out every time; we load once and only repeat the log.
  const Result<std::unique_ptr<chart::Chart>>& load();

 private:
  struct LogLine {
    std::string level, message;
    LogAttrs attrs;
  };
  std::optional<Result<std::unique_ptr<chart::Chart>>> loaded_;
  std::vector<LogLine> load_log_;
};

void lint_chartfile(Linter& linter);
void lint_values(Linter& linter);
void lint_templates(Linter& linter);
void lint_dependencies(Linter& linter);
void lint_crds(Linter& linter);

// The fields of a Kubernetes object the rules look at.
struct ObjectHead {
  std::string api_version, kind, name;
};
// Calls `each` for every document of a manifest (YAML, or JSON when it starts with '{'); null ones
// are left out. Returns why the first bad document is bad (apimachinery's YAMLOrJSONDecoder).
Finding each_object(std::string_view manifest, const std::function<void(const ObjectHead&)>& each);

// "object name does not conform to Kubernetes naming requirements: ...", by the kind's rule.
Finding check_object_name(const ObjectHead& object);
// "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob".
Finding check_deprecation(const ObjectHead& object, const render::KubeVersion& kube_version);

// asaskevich/govalidator: IsEmail, IsURL, IsRequestURL.
bool is_email(std::string_view s);
bool is_url(std::string_view s);
bool is_request_url(std::string_view s);

}  // namespace pintle::action
