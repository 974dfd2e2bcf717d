#include "base/gotext.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "tmpl/tmpl.h"
#include "value/value.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Show the version for Helm.

This will print a representation of the version of Helm.
The output will look something like this:

version.BuildInfo{Version:"v3.2.1", GitCommit:"fe51cd1e31e6a202cba7dead9552a6d418ded79a", GitTreeState:"clean", GoVersion:"go1.13.10"}

- Version is the semantic version of the release.
- GitCommit is the SHA for the commit that this version was built from.
- GitTreeState is "clean" if there are no local code changes when this binary was
  built, and "dirty" if the binary was built from locally modified code.
- GoVersion is the version of Go that was used to compile Helm.

When using the --template flag the following properties are available to use in
the template:

- .Version contains the semantic version of Helm
- .GitCommit is the git commit
- .GitTreeState is the state of the git tree when Helm was built
- .GoVersion contains the version of Go that Helm was compiled with

For example, --template='Version: {{.Version}}' outputs 'Version: v3.2.1'.)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
Show the version for Helm.

This will print a representation the version of Helm.
The output will look something like this:

version.BuildInfo{Version:"v3.2.1", GitCommit:"fe51cd1e31e6a202cba7dead9552a6d418ded79a", GitTreeState:"clean", GoVersion:"go1.13.10"}

- Version is the semantic version of the release.
- GitCommit is the SHA for the commit that this version was built from.
- GitTreeState is "clean" if there are no local code changes when this binary was
  built, and "dirty" if the binary was built from locally modified code.
- GoVersion is the version of Go that was used to compile Helm.

When using the --template flag the following properties are available to use in
the template:

- .Version contains the semantic version of Helm
- .GitCommit is the git commit
- .GitTreeState is the state of the git tree when Helm was built
- .GoVersion contains the version of Go that Helm was compiled with

For example, --template='Version: {{.Version}}' outputs 'Version: v3.2.1'.)";

// version.BuildInfo, as templates see it.
struct BuildInfo : value::Object {
  explicit BuildInfo(const Build& b) {
    fields = {{"Version", b.version},
              {"GitCommit", b.git_commit},
              {"GitTreeState", b.git_tree_state},
              {"GoVersion", b.go_version}};
    if (!b.helm3) fields.emplace_back("KubeClientVersion", b.kube_client_version);
  }
  std::vector<std::pair<std::string_view, std::string>> fields;

  std::string_view go_type() const override { return "version.BuildInfo"; }
  value::Kind kind() const override { return value::Kind::kStruct; }
  std::string_view kind_name() const override { return "struct"; }
  value::Value field(std::string_view name) const override {
    for (const auto& [key, text] : fields) {
      if (key == name) return value::str(text);
    }
    return value::Value::invalid();
  }
  void print(std::string& out, bool) const override {
    out += '{';
    for (size_t i = 0; i < fields.size(); ++i) append(out, {i > 0 ? " " : "", fields[i].second});
    out += '}';
  }
  // %#v
  std::string source() const {
    std::string out = "version.BuildInfo{";
    for (size_t i = 0; i < fields.size(); ++i) {
      append(out, {i > 0 ? ", " : "", fields[i].first, ":", quote(fields[i].second)});
    }
    return out + "}";
  }
};

struct Options {
  bool brief = false;
  bool own = false;     // --pintle
  bool client = false;  // Helm 3's -c, without effect
  std::string format;
};

void bind(Flags& f, Options& o, const Session& s) {
  f.boolean("short", o.brief, "print the version number");
  f.string("template", o.format, "template for version string format");
  f.boolean("pintle", o.own, "print the version of pintle itself").hide();
  if (s.helm3()) {
    f.boolean("client", o.client, "for backwards compatibility", 'c').hide();
  }
}

std::string short_version(const Build& b) {
  if (b.git_commit.size() < 7) return b.version;
  return cat(b.version, "+g", std::string_view(b.git_commit).substr(0, 7));
}

Status run(Session& s, const Options& o) {
  const Build& build = s.env.build;
  if (o.own) {
    s.print(cat("pintle ", build.pintle, ", compatible with Helm ", build.version, "\n"));
    return ok();
  }
  const auto info = Ref<BuildInfo>::make(build);
  if (!o.format.empty()) {
    tmpl::Set set({});
    TRY(set.parse("_", o.format));
    tmpl::Vm vm(set, {});
    std::string out;
    const Status done = vm.execute("_", value::Value::object(info), out);
    s.print(out);
    return done;
  }
  s.print((o.brief ? short_version(build) : info->source()) + "\n");
  return ok();
}

}  // namespace

constinit const Command kVersion =
    define<Options, bind, run>({.use = "version",
                                .brief = "print the helm version information",
                                .text = kText,
                                .brief_helm3 = "print the client version information",
                                .text_helm3 = kTextHelm3,
                                .args = ArgsRule::none(),
                                .complete = nothing_more});

}  // namespace pintle::cli
