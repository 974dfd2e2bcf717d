#include "action/template.h"

#include <algorithm>
#include <set>

#include "action/post_render.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/printable.h"
#include "base/strings.h"
#include "chart/values.h"
#include "funcs/funcs.h"
#include "release/heads_ahead.h"
#include "semver/semver.h"
#include "tmpl/tmpl.h"

namespace pintle::action {
namespace {

Status check_kube_version(const chart::Chart& chart, const render::KubeVersion& kube, bool helm3) {
  const std::string& wanted = chart.metadata.kube_version;
  if (wanted.empty()) return ok();
  const std::string& have = kube.normalized.empty() ? kube.version : kube.normalized;
  const auto version = semver::parse(have);
  const auto constraint = semver::Constraints::parse(wanted);
  if (version && constraint && constraint->check(*version)) return ok();
  return Error(Code::kFailedPrecondition,
               cat("chart requires kubeVersion: ", wanted,
                   " which is incompatible with Kubernetes ", helm3 ? have : kube.version));
}

// Writes documents below a directory, the first one of a file anew, later ones behind it.
class Writer {
 public:
  Writer(Context& context, std::string directory)
      : context_(context), directory_(std::move(directory)) {}

  Status write(const std::string& name, std::string_view content, bool append = false) {
    const std::string path = directory_ + "/" + name;
    TRY(context_.disk.make_dirs(path::dir(path), 0755));
    std::string text;
    release::append_source(text, name, content);
    if (!written_.insert(name).second) append = true;
    TRY(append ? context_.disk.append_file(path, text, 0600)
               : context_.disk.write_file(path, text, 0666));
    context_.out(cat("wrote ", printable(path), "\n"));
    return ok();
  }
  bool exists(const std::string& name) {
    return context_.disk.stat(directory_ + "/" + name).has_value();
  }

 private:
  Context& context_;
  std::string directory_;
  std::set<std::string> written_;
};

std::string release_directory(const ClientInstallOptions& options) {
  return options.use_release_name ? path::join({options.output_dir, options.release_name})
                                  : options.output_dir;
}

bool blank(std::string_view text) { return trim_space(text).empty(); }

// The files as they are, for a look at what could not be parsed.
std::string everything(const std::vector<release::RenderedFile>& files) {
  std::string out;
  for (const release::RenderedFile& file : files) {
    if (!blank(file.content)) release::append_source(out, file.path, file.content);
  }
  return out;
}

Status add_crds(Context& context, const chart::Chart& chart, const ClientInstallOptions& options,
                std::string& manifest) {
  Writer writer(context, options.output_dir);
  for (const chart::Crd& crd : chart::crds(chart)) {
    if (options.output_dir.empty()) {
      release::append_source(manifest, crd.filename, crd.file->data);
    } else {
      TRY(writer.write(crd.filename, crd.file->data));
    }
  }
  return ok();
}

// Leaves room for the hooks, which `helm template` shows behind: a text this large is copied once.
Status add_manifests(Context& context, const std::vector<release::Manifest>& manifests,
                     const ClientInstallOptions& options, const std::vector<release::Hook>& hooks,
                     std::string& manifest) {
  constexpr size_t kSourceLine = 16;
  Writer writer(context, release_directory(options));
  if (options.output_dir.empty()) {
    size_t size = manifest.size() + 1;
    for (const release::Hook& h : hooks) size += h.manifest.size() + h.path.size() + kSourceLine;
    for (const release::Manifest& m : manifests) size += m.content.size() + m.name.size() + kSourceLine;
    manifest.reserve(size);
  }
  for (const release::Manifest& m : manifests) {
    if (!options.output_dir.empty()) {
      TRY(writer.write(std::string(m.name), m.content));
    } else if (options.hide_secret && m.kind == "Secret" && m.api_version == "v1") {
      append(manifest,
             {"---\n# Source: ", m.name, "\n# HIDDEN: The Secret output has been suppressed\n"});
    } else {
      release::append_source(manifest, m.name, m.content);
    }
  }
  return ok();
}

Error post_render_error(const Error& cause) {
  return Error::wrap("error while running post render on files", cause);
}

// The path below the chart in a document's "# Source: chart/path" line; "" without one.
std::string_view source_path(std::string_view document) {
  constexpr std::string_view kMark = "# Source: ";
  for (size_t at = document.find(kMark); at != std::string_view::npos;
       at = document.find(kMark, at + 1)) {
    const std::string_view rest = document.substr(at + kMark.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return {};
    if (slash == 0) continue;
    const std::string_view line = rest.substr(slash + 1);
    const std::string_view path = line.substr(0, line.find('\n'));
    if (!path.empty()) return path;
  }
  return {};
}

Result<std::string> only(std::string_view text, const std::vector<std::string>& patterns,
                         const ClientRelease& release, const Context& context) {
  const auto documents = release::split_manifests(text, context.helm3);
  std::string out;
  for (const std::string& pattern : patterns) {
    bool missing = true;
    for (std::string_view document : documents) {
      const std::string_view source = source_path(document);
      if (source.empty()) continue;
      const auto matched = path::match(pattern, source);
      if (!matched || !*matched) continue;
      append(out, {"---\n", document, "\n"});
      missing = false;
    }
    if (!missing) continue;
    if (release.error && context.debug) return *release.error;
    return Error(Code::kNotFound, cat("could not find template ", pattern, " in chart"));
  }
  return out;
}

constexpr std::string_view kNamePattern =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

// One part of a name between dots: alphanumeric at both ends, '-' inside.
bool good_label(std::string_view label) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !label.empty() && plain(label.front()) && plain(label.back()) &&
         std::ranges::all_of(label, [&](char c) { return plain(c) || c == '-'; });
}

// --name-template: Sprig's functions, no data.
Result<std::string> name_from_template(const std::string& text) {
  tmpl::Set set(funcs::table());
  TRY(set.parse("name-template", text));
  tmpl::Vm vm(set, {});
  std::string out;
  TRY(vm.execute("name-template", value::Value::nil(), out));
  return out;
}

}  // namespace

Status check_labels(const std::map<std::string, std::string>& labels) {
  const bool taken = std::ranges::any_of(
      labels, [](const auto& label) { return storage::is_system_label(label.first); });
  if (!taken) return ok();
  return Error(Code::kInvalidArgument,
               "user supplied labels contains system reserved label name. System labels: [name "
               "owner status version createdAt modifiedAt]");
}

Result<value::Value> values_to_render(Context& context, const chart::Chart& chart,
                                      const value::Value& values,
                                      const render::ReleaseOptions& release,
                                      const ClientInstallOptions& options) {
  render::ValuesOptions checking;
  checking.skip_schema = options.skip_schema;
  checking.helm3 = context.helm3;
  checking.schema_loader = options.schema_loader;
  checking.log = context.log;
  return render::render_values(chart, values, release, options.capabilities, checking);
}

Status render_resources(Context& context, const chart::Chart& chart,
                        const value::Value& render_values, const ClientInstallOptions& options,
                        ClientRelease& out) {
  TRY(check_kube_version(chart, options.capabilities.kube_version, context.helm3));
  render::Options engine;
  engine.helm3 = context.helm3;
  engine.log = context.log;
  engine.environment = options.environment;
  std::vector<release::RenderedFile> files;  // outlives what reads them ahead
  release::HeadsAhead ahead(context.helm3);
  TRY(render::render(chart, render_values, engine, files, [&](const release::RenderedFile& file) {
    if (!options.post_render && !release::is_notes(file.path)) ahead.add(file.content);
  }));
  out.notes = release::take_notes(files, chart.name(), options.subchart_notes);
  if (options.post_render && !context.helm3) {
    files = TRY(post_render_files(files, options.post_render));
  }
  auto sorted =
      release::sort_manifests(files, release::Order::kInstall, context.helm3, context.log, &ahead);
  if (!sorted) {
    out.manifest = everything(files);
    out.notes.clear();
    return sorted.error();
  }
  out.hooks = std::move(sorted->hooks);
  if (options.include_crds) TRY(add_crds(context, chart, options, out.manifest));
  TRY(add_manifests(context, sorted->manifests, options, out.hooks, out.manifest));
  if (options.post_render && context.helm3) {
    auto changed = options.post_render(out.manifest);
    if (!changed) return post_render_error(changed.error());
    out.manifest = std::move(*changed);
  }
  return ok();
}

Result<ClientRelease> client_install(Context& context, chart::Chart& chart,
                                     const value::Value& values,
                                     const ClientInstallOptions& options) {
  const auto logged = [&](std::string_view what, const Error& cause) {
    if (context.helm3) return cause;
    context.log("ERROR", what, {{"error", cause.text()}});
    return Error::wrap(what, cause);
  };
  if (const Status name = validate_release_name(options.release_name); !name) {
    return logged("release name check failed",
                  Error::wrap(cat("release name ", quote(options.release_name)), name.error()));
  }
  const chart::ValuesOptions coalescing{.log = context.log, .helm3 = context.helm3};
  if (const Status done = chart::process_dependencies(chart, values, coalescing); !done) {
    return logged("chart dependencies processing failed", done.error());
  }
  const render::ReleaseOptions release{.name = options.release_name,
                                       .namespace_ = options.namespace_,
                                       .is_install = !options.is_upgrade,
                                       .is_upgrade = options.is_upgrade};
  const value::Value render_values =
      TRY(values_to_render(context, chart, values, release, options));
  TRY(check_labels(options.labels));

  ClientRelease out;
  if (const Status done = render_resources(context, chart, render_values, options, out); !done) {
    out.error = done.error();
  }
  return out;
}

Result<std::string> template_text(Context& context, ClientRelease release,
                                  const ClientInstallOptions& options,
                                  const TemplateOptions& shown) {
  std::string text = std::move(release.manifest);  // it may be most of this program's memory
  const std::string_view trimmed = trim_space(text);
  const auto front = static_cast<size_t>(trimmed.data() - text.data());
  text.resize(front + trimmed.size());
  text.erase(0, front);
  text += '\n';
  Writer writer(context, release_directory(options));
  for (const release::Hook& hook : release.hooks) {
    if (shown.no_hooks) break;
    if (shown.skip_tests && std::ranges::find(hook.events, "test") != hook.events.end()) continue;
    if (options.output_dir.empty()) {
      release::append_source(text, hook.path, hook.manifest);
    } else {
      TRY(writer.write(hook.path, hook.manifest, writer.exists(hook.path)));
    }
  }
  if (shown.show_only.empty()) return text;
  return only(text, shown.show_only, release, context);
}

Result<NameAndChart> name_and_chart(Context& context, const std::vector<std::string>& args,
                                    const NameOptions& options) {
  const auto refuse = [](std::string text) {
    return Error(Code::kInvalidArgument, std::move(text));
  };
  if (args.size() > 2) {
    return refuse(cat("expected at most two arguments, unexpected arguments: ",
                      join(std::span(args).subspan(2), ", ")));
  }
  if (args.size() == 2) {
    if (options.generate) {
      return refuse("cannot set --generate-name and also specify a name");
    }
    if (!options.name_template.empty()) {
      return refuse("cannot set --name-template and also specify a name");
    }
    return NameAndChart{args[0], args[1]};
  }
  if (!options.name_template.empty()) {
    return NameAndChart{TRY(name_from_template(options.name_template)), args[0]};
  }
  if (!options.fixed_name.empty()) return NameAndChart{options.fixed_name, args[0]};
  if (!options.generate) return refuse("must either provide a name or specify --generate-name");
  std::string_view base = path::base(args[0]);
  if (base == ".") base = "chart";
  base = base.substr(0, base.find('.'));
  return NameAndChart{cat(base, "-", context.clock.now_ns() / 1'000'000'000), args[0]};
}

Status check_installable(const chart::Chart& chart) {
  const std::string& type = chart.metadata.type;
  if (type.empty() || type == "application") return ok();
  return Error(Code::kFailedPrecondition, cat(type, " charts are not installable"));
}

Status validate_release_name(std::string_view name) {
  if (name.empty()) return Error(Code::kInvalidArgument, "no name provided");
  const auto labels = split(name, ".");
  if (name.size() <= 53 && std::ranges::all_of(labels, good_label)) return ok();
  return Error(Code::kInvalidArgument, cat("invalid release name, must match regex ", kNamePattern,
                                           " and the length must not be longer than 53"));
}

}  // namespace pintle::action
