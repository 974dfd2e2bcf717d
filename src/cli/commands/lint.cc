#include "action/lint.h"

#include "cli/commands/commands.h"
#include "cli/flag_groups.h"
#include "cli/progress.h"
#include "cli/schema_documents.h"
#include "cli/session.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command takes a path to a chart and runs a series of tests to verify that
the chart is well-formed.

If the linter encounters things that will cause the chart to fail installation,
it will emit [ERROR] messages. If it encounters issues that break with convention
or recommendation, it will emit [WARNING] messages.)";

struct Options {
  action::UserValues values;
  std::string kube_version;
  bool quiet = false;
  bool skip_schema_validation = false;
  bool strict = false;
  bool with_subcharts = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_values(f, o.values, s.helm3());
  f.string("kube-version", o.kube_version,
           "Kubernetes version used for capabilities and deprecation checks");
  f.boolean("quiet", o.quiet, "print only warnings and errors");
  f.boolean("skip-schema-validation", o.skip_schema_validation,
            "if set, disables JSON schema validation");
  f.boolean("strict", o.strict, "fail on lint warnings");
  f.boolean("with-subcharts", o.with_subcharts, "lint dependent charts");
}

Status run(Session& s, const Options& o) {
  std::optional<render::KubeVersion> kube;
  if (!o.kube_version.empty()) {
    auto parsed = render::parse_kube_version(o.kube_version, s.helm3());
    if (!parsed) {
      return Error::wrap("invalid kube version '" + o.kube_version + "'", parsed.error());
    }
    kube = std::move(*parsed);
  }
  action::Context context = action_context(s);
  const Strings paths = s.args.empty() ? Strings{"."} : s.args;  // Helm 3 only: see args
  const value::Value values = TRY(user_values(s, context, o.values));
  const action::LintOptions options{.strict = o.strict,
                                    .namespace_ = current_namespace(s.env, s.settings),
                                    .skip_schema = o.skip_schema_validation,
                                    .kube_version = std::move(kube),
                                    .schema_loader = schema_documents(s.env, s.log)};
  auto progress = std::make_unique<Progress>(s, "linting");
  const auto report = action::lint_all(context, paths, values, o.with_subcharts, o.quiet, options);
  progress.reset();
  s.print(report.text);
  if (report.failed > 0) return Error(report.summary);
  return ok();
}

}  // namespace

constinit const Command kLint =
    define<Options, bind, run>({.use = "lint PATH",
                                .brief = "examine a chart for possible issues",
                                .text = kText,
                                .args = ArgsRule::at_least_in_helm4(1),
                                .needs = Needs::kFiles});

}  // namespace pintle::cli
