#include "action/lint.h"

#include <algorithm>

#include "action/lint_rules.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/printable.h"
#include "base/strings.h"
#include "chart/load.h"
#include "sys/memory_disk.h"

namespace pintle::action {
namespace {

constexpr size_t kMaxArchive = 256 << 20;

bool is_archive(std::string_view path) {
  return path.ends_with(".tgz") || path.ends_with(".tar.gz");
}

// chartutil.Expand, into memory. Returns the chart's directory there.
Result<std::string> expand(sys::MemoryDisk& disk, std::string_view tgz) {
  std::vector<chart::File> files = TRY(chart::read_archive(tgz));
  std::string name;
  for (const chart::File& file : files) {
    if (file.name != "Chart.yaml") continue;
    const auto metadata = chart::parse_metadata(file.data);
    if (!metadata) return Error::wrap("cannot load Chart.yaml", metadata.error());
    name = metadata->name;
  }
  const auto refuse = [](std::string text) {
    return Error(Code::kInvalidArgument, std::move(text));
  };
  if (name.empty()) return refuse("chart name not specified");
  if (name == "." || name == "..")
    return refuse(cat("chart name ", quote(name), " is not allowed"));
  if (path::base(name) != name) {
    return refuse(cat("chart name ", quote(name), " must not contain path separators"));
  }
  const std::string root = path::join({TRY(disk.make_temp_dir("helm-lint")), name});
  for (const chart::File& file : files) {
    const std::string path = path::join({root, file.name});
    TRY(disk.make_dirs(path::dir(path)));
    TRY(disk.write_shared(path, {file.data.owner(), file.data.view()}, 0644));
  }
  return root;
}

Error unable(std::string_view to_what, const Error& why) {
  return Error::wrap(cat("unable to ", to_what), why);
}

Result<std::vector<LintMessage>> run_rules(Context& context, sys::Disk& disk,
                                           const std::string& directory, const value::Value& values,
                                           const LintOptions& options) {
  if (const auto info = disk.stat(path::join({directory, "Chart.yaml"})); !info) {
    return unable("check Chart.yaml file in chart", info.error());
  }
  Linter linter(context, disk, TRY(sys::absolute(disk, directory)), values, options);
  lint_chartfile(linter);
  lint_values(linter);
  lint_templates(linter);
  lint_dependencies(linter);
  lint_crds(linter);
  return std::move(linter.messages);
}

Result<std::vector<LintMessage>> lint_chart(Context& context, const std::string& path,
                                            const value::Value& values,
                                            const LintOptions& options) {
  if (!is_archive(path)) return run_rules(context, context.disk, path, values, options);
  std::string bytes;
  if (auto read = context.disk.read_file(path, kMaxArchive); read) {
    bytes = std::move(*read);
  } else {
    return unable("open tarball", read.error());
  }
  sys::MemoryDisk memory;
  const auto directory = expand(memory, bytes);
  std::string().swap(bytes);  // assignment would keep the buffer
  if (!directory) return unable("extract tarball", directory.error());
  return run_rules(context, memory, *directory, values, options);
}

void walk_charts(sys::Disk& disk, const std::string& directory, std::vector<std::string>& found) {
  const auto entries = disk.read_dir(directory);
  if (!entries) return;
  for (const sys::FileInfo& entry : *entries) {
    const std::string path = path::join({directory, entry.name});
    if (entry.name == "Chart.yaml") {
      found.push_back(directory);
    } else if (is_archive(path)) {
      found.push_back(path);
    }
    if (entry.is_directory()) walk_charts(disk, path, found);
  }
}

}  // namespace

std::string LintMessage::line() const {
  constexpr std::string_view kNames[] = {"UNKNOWN", "INFO", "WARNING", "ERROR"};
  return cat("[", kNames[static_cast<size_t>(severity)], "] ", path, ": ", text);
}

bool LintReport::has_warnings_or_errors() const {
  return !errors.empty() || std::any_of(messages.begin(), messages.end(),
                                        [](const auto& m) { return m.severity > Severity::kInfo; });
}

bool Linter::check(Severity severity, std::string_view path, Finding finding) {
  if (!finding) return true;
  messages.push_back({severity, std::string(path), *std::move(finding)});
  return false;
}

const Result<std::unique_ptr<chart::Chart>>& Linter::load() {
  if (loaded_) {
    for (const LogLine& line : load_log_) context.log(line.level, line.message, line.attrs);
    return *loaded_;
  }
  chart::LoadOptions load;
  load.direct = true;
  load.helm3 = context.helm3;
  load.log = [this](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    load_log_.push_back({std::string(level), std::string(message), attrs});
    context.log(level, message, attrs);
  };
  return loaded_.emplace(chart::load(disk, directory, load));
}

LintReport lint(Context& context, const std::string& path, const value::Value& values,
                const LintOptions& options) {
  LintReport report;
  auto messages = lint_chart(context, path, values, options);
  if (!messages) {
    report.errors.push_back(messages.error().text());
    return report;
  }
  report.messages = std::move(*messages);
  const Severity tolerance = options.strict ? Severity::kWarning : Severity::kError;
  for (const LintMessage& message : report.messages) {
    if (message.severity >= tolerance) report.errors.push_back(message.text);
  }
  return report;
}

std::vector<std::string> lint_paths(Context& context, const std::vector<std::string>& paths,
                                    bool with_subcharts) {
  std::vector<std::string> all = paths;
  if (!with_subcharts) return all;
  for (const std::string& path : paths) {
    walk_charts(context.disk, path::join({path, "charts"}), all);
  }
  return all;
}

LintSummary lint_all(Context& context, const std::vector<std::string>& paths,
                     const value::Value& values, bool with_subcharts, bool quiet,
                     const LintOptions& options) {
  LintSummary summary;
  bool any_trouble = false;
  const std::vector<std::string> all = lint_paths(context, paths, with_subcharts);
  for (const std::string& path : all) {
    const LintReport report = lint(context, path, values, options);
    const bool trouble = report.has_warnings_or_errors();
    any_trouble |= trouble;
    if (quiet && !trouble) continue;
    append(summary.text, {"==> Linting ", path, "\n"});
    if (report.messages.empty()) {
      for (const std::string& error : report.errors) append(summary.text, {"Error ", error, "\n"});
    }
    for (const LintMessage& message : report.messages) {
      if (quiet && message.severity <= Severity::kInfo) continue;
      append(summary.text, {message.line(), "\n"});
    }
    if (!report.errors.empty()) ++summary.failed;
    summary.text += '\n';
  }
  summary.text = printable(summary.text);
  summary.summary = cat(all.size(), " chart(s) linted, ", summary.failed, " chart(s) failed");
  if (summary.failed == 0 && (!quiet || any_trouble)) append(summary.text, {summary.summary, "\n"});
  return summary;
}

}  // namespace pintle::action
