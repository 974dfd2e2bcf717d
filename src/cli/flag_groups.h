// Flags that several commands share, with the fields they fill.
#pragma once

#include <optional>
#include <string>

#include "action/user_values.h"
#include "cli/command.h"
#include "cli/plugins.h"

namespace pintle::cli {

// -f, --set and kin.
void bind_values(Flags& f, action::UserValues& o, bool helm3);

// Which chart, and how to reach it.
struct ChartPathFlags {
  std::string version, keyring, repo, username, password, cert_file, key_file, ca_file;
  bool verify = false, insecure_skip_tls_verify = false, plain_http = false;
  bool pass_credentials = false;
};
void bind_chart_path(Flags& f, ChartPathFlags& o, const Env& env);

// How to talk to repositories and registries, where the chart itself is named otherwise.
struct ConnectionFlags {
  std::string username, password, cert_file, key_file, ca_file;
  bool insecure_skip_tls_verify = false, plain_http = false;
};
void bind_connection(Flags& f, ConnectionFlags& o);

// --wait: a strategy in Helm 4, yes or no in Helm 3.
struct WaitFlag {
  std::string strategy = "hookOnly";
  bool helm3 = false;
  Log log;  // for the deprecated boolean values
};
void bind_wait(Flags& f, WaitFlag& o, const Session& s, std::string_view helm3_usage);

enum class DryRun : uint8_t { kNone, kClient, kServer };
// --dry-run as typed; dry_run() says what it means, with Helm's warnings.
struct DryRunFlag {
  std::string text;
};
void bind_dry_run(Flags& f, DryRunFlag& o, bool helm3, std::string_view helm3_usage);
Result<DryRun> dry_run(const DryRunFlag& o, const Session& s, bool of_template);

// --post-renderer: a plugin's name in Helm 4, a program in Helm 3.
struct PostRenderFlag {
  std::string name;
  Strings args;
  std::optional<Plugin> plugin;
  const Session* session = nullptr;
};
void bind_post_renderer(Flags& f, PostRenderFlag& o, const Session& s);

// --revision of the release named on the command line.
void bind_revision(Flags& f, int64_t& revision, std::string_view usage);

// What install and template have in common.
struct InstallFlags {
  action::UserValues values;
  ChartPathFlags chart;
  WaitFlag wait;
  DryRunFlag dry_run;
  PostRenderFlag post_renderer;
  bool create_namespace = false, force_replace = false, force_conflicts = false;
  bool server_side = true, no_hooks = false, replace = false, wait_for_jobs = false;
  bool generate_name = false, devel = false, dependency_update = false;
  bool disable_openapi_validation = false, rollback_on_failure = false, skip_crds = false;
  bool render_subchart_notes = false, skip_schema_validation = false, enable_dns = false;
  bool hide_notes = false, take_ownership = false;
  std::string name_template, description;
  Pairs labels;
  Duration timeout{300'000'000'000};
};
// `of_template`: `helm template` has its own --dry-run, and keeps flags that mean nothing there.
void bind_install(Flags& f, InstallFlags& o, const Session& s, bool of_template);

// The release's name is the first argument unless one is made up; then come charts.
Candidates complete_install(Session& s, const InstallFlags& o, std::span<const std::string> args,
                            std::string_view word);

}  // namespace pintle::cli
