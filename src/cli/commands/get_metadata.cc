#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "cli/release_status.h"
#include "json/json.h"

namespace pintle::cli {
namespace {

struct Options {
  Format output = Format::kTable;
  int64_t revision = 0;
};

void bind(Flags& f, Options& o) {
  bind_output(f, o.output);
  bind_revision(f, o.revision, "specify release revision");
}

std::string equals_list(const std::map<std::string, std::string>& pairs) {
  std::string out;
  for (const auto& [key, v] : pairs) append(out, {out.empty() ? "" : ",", key, "=", v});
  return out;
}

std::string method_text(const std::string& method) {
  if (method.empty()) return "client-side apply (defaulted)";
  if (method == "csa") return "client-side apply";
  if (method == "ssa") return "server-side apply";
  return cat("unknown (", quote(method), ")");
}

std::string dependency_names(const chart::Metadata& metadata) {
  Strings names;
  for (const chart::Dependency& d : metadata.dependencies) names.push_back(d.name);
  std::ranges::sort(names);
  return join(names, ",");
}

std::string page(const release::Record& r, const chart::Metadata& metadata,
                 const std::string& deployed_at, bool helm3) {
  std::string out =
      cat("NAME: ", r.name, "\nCHART: ", metadata.name, "\nVERSION: ", metadata.version,
          "\nAPP_VERSION: ", metadata.app_version,
          "\nANNOTATIONS: ", equals_list(metadata.annotations), "\n");
  if (!helm3) append(out, {"LABELS: ", equals_list(r.labels), "\n"});
  append(out, {"DEPENDENCIES: ", dependency_names(metadata), "\nNAMESPACE: ", r.namespace_,
               "\nREVISION: ", std::to_string(r.version), "\nSTATUS: ", r.status,
               "\nDEPLOYED_AT: ", deployed_at, "\n"});
  if (!helm3) append(out, {"APPLY_METHOD: ", method_text(r.apply_method), "\n"});
  return out;
}

Result<std::string> text_map(const std::map<std::string, std::string>& pairs) {
  auto map = value::make_map();
  for (const auto& [key, v] : pairs) map->set(value::Str(key), value::str(v));
  return json::write(value::Value::map(map));
}

Result<std::string> json_text(const release::Record& r, const chart::Metadata& metadata,
                              const std::string& deployed_at, bool helm3) {
  JsonObject out;
  out.add("name", r.name).add("chart", metadata.name).add("version", metadata.version);
  out.add("appVersion", metadata.app_version);
  if (!metadata.annotations.empty()) {
    out.add_raw("annotations", TRY(text_map(metadata.annotations)));
  }
  if (!helm3 && !r.labels.empty()) out.add_raw("labels", TRY(text_map(r.labels)));
  if (!metadata.dependencies.empty()) {
    Strings items;
    for (const chart::Dependency& d : metadata.dependencies) {
      items.push_back(TRY(release::dependency_json(d)));
    }
    out.add_raw("dependencies", json_array(items));
  }
  out.add("namespace", r.namespace_).add_raw("revision", std::to_string(r.version));
  out.add("status", r.status).add("deployedAt", deployed_at);
  if (!helm3 && !r.apply_method.empty()) out.add("applyMethod", r.apply_method);
  return out.close();
}

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto record =
      TRY(action::content(context, s.args[0], static_cast<int>(o.revision)));
  const chart::Metadata metadata = release::loaded_chart(record.chart).metadata;
  const std::string deployed_at = go_time_text(record.last_deployed, "2006-01-02T15:04:05Z07:00");
  if (o.output == Format::kTable) {
    s.print(page(record, metadata, deployed_at, s.helm3()));
    return ok();
  }
  s.print(TRY(structured(o.output, TRY(json_text(record, metadata, deployed_at, s.helm3())))));
  return ok();
}

}  // namespace

constinit const Command kGetMetadata =
    define<Options, bind, run>({.use = "metadata RELEASE_NAME",
                                .brief = "This command fetches metadata for a given release",
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
