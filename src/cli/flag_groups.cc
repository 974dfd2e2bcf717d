#include "cli/flag_groups.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "cli/completers.h"
#include "sys/process.h"

namespace pintle::cli {

void bind_values(Flags& f, action::UserValues& o, bool helm3) {
  f.list("values", o.files, "specify values in a YAML file or a URL (can specify multiple)", 'f');
  f.array("set", o.values,
          "set values on the command line (can specify multiple or separate values with commas: "
          "key1=val1,key2=val2)");
  f.array("set-string", o.string_values,
          "set STRING values on the command line (can specify multiple or separate values with "
          "commas: key1=val1,key2=val2)");
  f.array("set-file", o.file_values,
          "set values from respective files specified via the command line (can specify multiple "
          "or separate values with commas: key1=path1,key2=path2)");
  f.array("set-json", o.json_values,
          helm3 ? "set JSON values on the command line (can specify multiple or separate values "
                  "with commas: key1=jsonval1,key2=jsonval2)"
                : "set JSON values on the command line (can specify multiple or separate values "
                  "with commas: key1=jsonval1,key2=jsonval2 or using json format: {\"key1\": "
                  "jsonval1, \"key2\": \"jsonval2\"})");
  f.array("set-literal", o.literal_values, "set a literal STRING value on the command line");
}

void bind_chart_path(Flags& f, ChartPathFlags& o, const Env& env) {
  o.keyring = default_keyring(env);
  f.string("version", o.version,
           "specify a version constraint for the chart version to use. This constraint can be a "
           "specific tag (e.g. 1.1.1) or it may reference a valid range (e.g. ^2.0.0). If this is "
           "not specified, the latest version is used")
      .complete(version_of_chart);
  f.boolean("verify", o.verify, "verify the package before using it");
  f.string("keyring", o.keyring, "location of public keys used for verification");
  f.string("repo", o.repo, "chart repository url where to locate the requested chart");
  f.string("username", o.username, "chart repository username where to locate the requested chart");
  f.string("password", o.password, "chart repository password where to locate the requested chart");
  f.string("cert-file", o.cert_file, "identify HTTPS client using this SSL certificate file");
  f.string("key-file", o.key_file, "identify HTTPS client using this SSL key file");
  f.boolean("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
            "skip tls certificate checks for the chart download");
  f.boolean("plain-http", o.plain_http, "use insecure HTTP connections for the chart download");
  f.string("ca-file", o.ca_file,
           "verify certificates of HTTPS-enabled servers using this CA bundle");
  f.boolean("pass-credentials", o.pass_credentials, "pass credentials to all domains");
}

void bind_connection(Flags& f, ConnectionFlags& o) {
  f.string("username", o.username, "chart repository username where to locate the requested chart");
  f.string("password", o.password, "chart repository password where to locate the requested chart");
  f.string("cert-file", o.cert_file, "identify HTTPS client using this SSL certificate file");
  f.string("key-file", o.key_file, "identify HTTPS client using this SSL key file");
  f.boolean("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
            "skip tls certificate checks for the chart download");
  f.boolean("plain-http", o.plain_http, "use insecure HTTP connections for the chart download");
  f.string("ca-file", o.ca_file,
           "verify certificates of HTTPS-enabled servers using this CA bundle");
}

// --- --wait ---

namespace {

Status set_wait(void* target, bool, std::string_view text) {
  WaitFlag& o = *static_cast<WaitFlag*>(target);
  if (text == "watcher" || text == "hookOnly" || text == "legacy") {
    o.strategy = text;
  } else if (text == "true") {
    o.log("WARN",
          "--wait=true is deprecated (boolean value) and can be replaced with "
          "--wait=watcher");
    o.strategy = "watcher";
  } else if (text == "false") {
    o.log("WARN",
          "--wait=false is deprecated (boolean value) and can be replaced with "
          "--wait=hookOnly");
    o.strategy = "hookOnly";
  } else {
    return Error(Code::kInvalidArgument, cat("invalid wait input ", quote(text),
                                             ". Valid inputs are watcher, hookOnly, and legacy"));
  }
  return ok();
}

}  // namespace

void bind_wait(Flags& f, WaitFlag& o, const Session& s, std::string_view helm3_usage) {
  if (s.helm3()) {
    f.boolean("wait", o.helm3, helm3_usage);
    return;
  }
  o.log = s.log;
  f.custom("wait", "WaitStrategy", o.strategy, &o, set_wait,
           "wait until resources are ready (up to --timeout). Use '--wait' alone for 'watcher' "
           "strategy, or specify one of: 'watcher', 'hookOnly', 'legacy'. Default when flag is "
           "omitted: 'hookOnly'.")
      .when_bare("watcher");
}

// --- --dry-run ---

void bind_dry_run(Flags& f, DryRunFlag& o, bool helm3, std::string_view helm3_usage) {
  if (helm3) {
    f.string("dry-run", o.text, helm3_usage).when_bare("client");
    return;
  }
  o.text = "none";
  f.string("dry-run", o.text,
           "simulates the operation without persisting changes. Must be one of: \"none\" "
           "(default), \"client\", or \"server\". '--dry-run=none' executes the operation "
           "normally and persists changes (no simulation). '--dry-run=client' simulates the "
           "operation client-side only and avoids cluster connections. '--dry-run=server' "
           "simulates the operation on the server, requiring cluster connectivity.")
      .when_bare("unset");
}

namespace {

Result<DryRun> helm3_dry_run(std::string_view v) {
  if (v == "client" || v == "true") return DryRun::kClient;
  if (v == "server") return DryRun::kServer;
  if (v.empty() || v == "false" || v == "none") return DryRun::kNone;
  return Error(Code::kInvalidArgument,
               "Invalid dry-run flag. Flag must one of the following: false, true, none, client, "
               "server");
}

}  // namespace

Result<DryRun> dry_run(const DryRunFlag& o, const Session& s, bool of_template) {
  const std::string& v = o.text;
  if (s.helm3()) return helm3_dry_run(v);
  const auto refused = [&](std::string_view allowed) {
    return Error(Code::kInvalidArgument,
                 cat("invalid dry-run value (", quote(v), "). Must be ", allowed));
  };
  if (v == "unset") {
    s.log("WARN", "--dry-run is deprecated and should be replaced with '--dry-run=client'");
    return DryRun::kClient;
  }
  if (v == "client") return DryRun::kClient;
  if (v == "server") return DryRun::kServer;
  if (v == "none" && !of_template) return DryRun::kNone;
  if (v == "none") return refused("\"server\" or \"client\"");
  const auto boolean = parse_bool(v);
  if (!boolean) return refused("\"none\", \"server\", or \"client\"");
  if (of_template && !*boolean) return refused("\"server\" or \"client\"");
  s.log("WARN",
        cat("boolean '--dry-run=", v, "' flag is deprecated and must be replaced with '--dry-run=",
            *boolean ? "client" : "none", "'"));
  return *boolean ? DryRun::kClient : DryRun::kNone;
}

// --- --post-renderer ---

namespace {

// Helm 3: a program; the last one named counts.
Status look_up_program(PostRenderFlag& o, std::string_view name) {
  const auto path = sys::look_path(std::string(name), o.session->env.get("PATH"));
  if (!path) return Error::wrap(cat("unable to find binary at ", name), path.error());
  o.name = TRY(sys::absolute(o.session->env.disk, *path));
  return ok();
}

Status set_post_renderer(void* target, bool, std::string_view text) {
  PostRenderFlag& o = *static_cast<PostRenderFlag*>(target);
  if (text.empty()) return ok();
  if (!o.name.empty() && !o.session->helm3()) {
    return Error(Code::kInvalidArgument, "cannot specify --post-renderer flag more than once");
  }
  if (o.session->helm3()) return look_up_program(o, text);
  o.name = text;
  for (const Plugin& p : TRY(find_plugins(*o.session, "postrenderer/v1"))) {
    if (p.name != o.name) continue;
    o.plugin = p;
    return ok();
  }
  return Error(Code::kNotFound, cat("plugin: {Name:", o.name, " Type:postrenderer/v1} not found"));
}

Status add_post_renderer_arg(void* target, bool, std::string_view text) {
  static_cast<PostRenderFlag*>(target)->args.emplace_back(text);
  return ok();
}

}  // namespace

void bind_post_renderer(Flags& f, PostRenderFlag& o, const Session& s) {
  o.session = &s;
  f.custom("post-renderer", "postRendererString", "", &o, set_post_renderer,
           s.helm3() ? "the path to an executable to be used for post rendering. If it exists in "
                       "$PATH, the binary will be used, otherwise it will try to look for the "
                       "executable at the given path"
                     : "the name of a postrenderer type plugin to be used for post rendering. If "
                       "it exists, the plugin will be used");
  f.custom("post-renderer-args", "postRendererArgsSlice", "[]", &o, add_post_renderer_arg,
           "an argument to the post-renderer (can specify multiple)");
}

void bind_revision(Flags& f, int64_t& revision, std::string_view usage) {
  f.integer("revision", revision, usage).complete(revision_of_release);
}

// --- install and template ---

namespace {

Candidates install_version(Session& s, const void*, std::span<const std::string> args,
                           std::string_view) {
  const Flag* generated = s.flags.find("generate-name");
  const size_t wanted = *static_cast<const bool*>(generated->target) ? 1 : 2;
  return args.size() == wanted ? complete_versions(s, args[wanted - 1]) : Candidates{{}, kNoFiles};
}

}  // namespace

void bind_install(Flags& f, InstallFlags& o, const Session& s, bool of_template) {
  const bool helm3 = s.helm3();
  f.boolean("create-namespace", o.create_namespace, "create the release namespace if not present");
  if (helm3) {
    f.boolean("force", o.force_replace, "force resource updates through a replacement strategy");
    f.boolean("atomic", o.rollback_on_failure,
              "if set, the installation process deletes the installation on failure. The --wait "
              "flag will be set automatically if --atomic is used");
  } else {
    f.boolean("force-replace", o.force_replace, "force resource updates by replacement");
    f.boolean("force", o.force_replace, "deprecated").deprecate("use --force-replace instead");
    f.boolean("force-conflicts", o.force_conflicts,
              "if set server-side apply will force changes against conflicts");
    f.boolean("server-side", o.server_side,
              "object updates run in the server instead of the client");
    f.boolean("rollback-on-failure", o.rollback_on_failure,
              "if set, Helm will rollback (uninstall) the installation upon failure. The --wait "
              "flag will be default to \"watcher\" if --rollback-on-failure is set");
    f.boolean("atomic", o.rollback_on_failure, "deprecated")
        .deprecate("use --rollback-on-failure instead");
    f.exclusive("force-replace force-conflicts");
    f.exclusive("force force-conflicts");
  }
  f.boolean("no-hooks", o.no_hooks, "prevent hooks from running during install");
  f.boolean("replace", o.replace,
            helm3 ? "re-use the given name, only if that name is a deleted release which remains "
                    "in the history. This is unsafe in production"
                  : "reuse the given name, only if that name is a deleted release which remains "
                    "in the history. This is unsafe in production");
  f.duration("timeout", o.timeout,
             "time to wait for any individual Kubernetes operation (like Jobs for hooks)");
  bind_wait(f, o.wait, s,
            "if set, will wait until all Pods, PVCs, Services, and minimum number of Pods of a "
            "Deployment, StatefulSet, or ReplicaSet are in a ready state before marking the "
            "release as successful. It will wait for as long as --timeout");
  f.boolean("wait-for-jobs", o.wait_for_jobs,
            "if set and --wait enabled, will wait until all Jobs have been completed before "
            "marking the release as successful. It will wait for as long as --timeout");
  f.boolean("generate-name", o.generate_name, "generate the name (and omit the NAME parameter)",
            'g');
  f.string("name-template", o.name_template, "specify template used to name the release");
  f.string("description", o.description, "add a custom description");
  f.boolean("devel", o.devel,
            "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is "
            "set, this is ignored");
  f.boolean("dependency-update", o.dependency_update,
            "update dependencies if they are missing before installing the chart");
  f.boolean("disable-openapi-validation", o.disable_openapi_validation,
            "if set, the installation process will not validate rendered templates against the "
            "Kubernetes OpenAPI Schema");
  f.boolean("skip-crds", o.skip_crds,
            "if set, no CRDs will be installed. By default, CRDs are installed if not already "
            "present");
  f.boolean("skip-schema-validation", o.skip_schema_validation,
            "if set, disables JSON schema validation");
  f.pairs("labels", o.labels,
          "Labels that would be added to release metadata. Should be divided by comma.", 'l');
  f.boolean("enable-dns", o.enable_dns, "enable DNS lookups when rendering templates");
  f.boolean("take-ownership", o.take_ownership,
            "if set, install will ignore the check for helm annotations and take ownership of the "
            "existing resources");
  Flag& sub_notes = f.boolean("render-subchart-notes", o.render_subchart_notes,
                              "if set, render subchart notes along with the parent");
  Flag& hide_notes = f.boolean("hide-notes", o.hide_notes,
                               "if set, do not show notes in install output. Does not affect "
                               "presence in chart metadata");
  if (of_template && !helm3) {
    for (Flag* flag : {&sub_notes, &hide_notes}) {
      flag->hide().deprecate(
          "this flag has no effect for 'helm template' and will be removed in Helm 5");
    }
  }
  bind_values(f, o.values, helm3);
  bind_chart_path(f, o.chart, s.env);
  f.find("version")->complete(install_version);
  bind_post_renderer(f, o.post_renderer, s);
  if (of_template && !helm3) {
    o.dry_run.text = "client";
    f.string("dry-run", o.dry_run.text,
             "simulates the operation either client-side or server-side. Must be either: "
             "\"client\", or \"server\". '--dry-run=client simulates the operation client-side "
             "only and avoids cluster connections. '--dry-run=server' simulates/validates the "
             "operation on the server, requiring cluster connectivity.")
        .when_bare("unset");
  } else {
    bind_dry_run(f, o.dry_run, helm3,
                 "simulate an install. If --dry-run is set with no option being specified or as "
                 "'--dry-run=client', it will not attempt cluster connections. Setting "
                 "'--dry-run=server' allows attempting cluster connections.");
  }
}

Candidates complete_install(Session& s, const InstallFlags& o, std::span<const std::string> args,
                            std::string_view word) {
  const size_t before = o.generate_name ? 0 : 1;
  return args.size() == before ? complete_charts(s, word, true) : Candidates{{}, kNoFiles};
}

}  // namespace pintle::cli
