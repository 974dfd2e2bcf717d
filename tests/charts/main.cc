// charts [--verbose] [--filter PREFIX]... [--pintle PATH] FILE.json|FOLDER...
//
// Runs recorded cases with the pintle program and holds standard output, exit code and standard error
// against the recording; where Helm's own output varies, as far as the recording says it is stable. A
// FILE (of `charts` and `cases`, as cases.json) has charts/ and goldens/ beside it; a FOLDER means its
// *.json files of that format. Each case runs in a directory of its own, with empty homes and no
// KUBECONFIG. Prints the id of each failing case (--verbose: the first difference); the last line is
// the result; exit code 0 only when nothing failed.
// PATH: by default the program of this build, or $PINTLE_BIN.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/strings.h"
#include "compare.h"
#include "json/json.h"
#include "sys/gzip.h"
#include "sys/process.h"
#include "value/value.h"

namespace pintle::charts {
namespace {

namespace fs = std::filesystem;
using value::Type;
using value::Value;

constexpr size_t kMaxGolden = 256 << 20;
constexpr int64_t kTimeoutMs = 120'000;

struct Settings {
  bool verbose = false;
  std::vector<std::string> filters;
  std::string pintle = PINTLE_DEFAULT_BIN;
  std::vector<fs::path> inputs;
};

struct Tally {
  int passed = 0, failed = 0;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string text(const Value& v, std::string_view key) {
  const Value* field = v.get(key);
  return field != nullptr && field->is_string() ? std::string(field->as_string()) : std::string();
}

bool flag(const Value& v, std::string_view key, bool fallback) {
  const Value* field = v.get(key);
  return field != nullptr && field->is(Type::kBool) ? field->as_bool() : fallback;
}

Result<Recording> recording(const fs::path& dir, const Value& c) {
  Recording out;
  if (const Value* code = c.get("exit")) out.exit = static_cast<int>(code->as_double());
  out.err = text(c, "stderr");
  out.deterministic = flag(c, "deterministic", true);
  out.err_deterministic = flag(c, "stderr_deterministic", true);
  const Value* unordered = c.get("unordered");
  out.unordered = unordered != nullptr && value::truth(*unordered);
  if (const Value* ranges = c.get("volatile_lines")) {
    out.volatile_lines.emplace();
    for (const auto& r : ranges->items()) {
      out.volatile_lines->emplace_back(static_cast<size_t>(r.items()[0].as_double()),
                                       static_cast<size_t>(r.items()[1].as_double()));
    }
  }
  if (std::string golden = text(c, "golden"); !golden.empty()) {
    out.out = TRY(sys::gunzip(read_file(dir / "goldens" / golden), kMaxGolden));
  }
  return out;
}

// A directory that goes away with its owner.
struct Scratch {
  fs::path path;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "pintle-charts-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

Result<Run> run_case(const Settings& settings, const fs::path& chart, const Value& c) {
  Scratch scratch;
  fs::path work = scratch.path / "work", home = scratch.path / "home";
  fs::create_directories(work);
  fs::create_directories(home);
  if (fs::is_directory(chart)) {
    fs::copy(chart, work / chart.filename(), fs::copy_options::recursive);
  } else {
    fs::create_symlink(chart, work / chart.filename());
  }
  if (const Value* values = c.get("values")) {
    std::ofstream(work / "values.yaml", std::ios::binary) << values->as_string();
  }
  sys::Command command;
  command.argv = {settings.pintle};
  for (const auto& arg : c.get("args")->items()) command.argv.emplace_back(arg.as_string());
  command.working_dir = work.string();
  command.timeout_ms = kTimeoutMs;
  command.max_output = kMaxGolden;
  command.input = "";
  command.environ.emplace();
  for (const char* name : {"HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"}) {
    command.environ->emplace_back(name, home.string());
  }
  command.environ->emplace_back("TZ", "UTC");
  command.environ->emplace_back("PATH", "/usr/bin:/bin");
  auto finished = TRY(sys::run(command));
  if (finished.timed_out) return Error(Code::kDeadlineExceeded, "did not end in time");
  return Run{finished.exit_code, std::move(finished.out), std::move(finished.err)};
}

std::string check_case(const Settings& settings, const fs::path& dir, const fs::path& chart,
                       const Value& c) {
  auto want = recording(dir, c);
  if (!want) return "  golden: " + want.error().text();
  auto got = run_case(settings, chart, c);
  if (!got) return "  " + got.error().text();
  return difference(*want, *got);
}

bool is_recording(const Value& v) {
  const Value* charts = v.get("charts");
  const Value* cases = v.get("cases");
  return charts != nullptr && charts->is_list() && cases != nullptr && cases->is_list();
}

void run_file(const Settings& settings, const fs::path& file, const Value& document, Tally& tally) {
  const fs::path dir = fs::absolute(file).parent_path();
  std::map<std::string, std::string> chart_files;
  for (const auto& chart : document.get("charts")->items()) {
    chart_files[text(chart, "id")] = text(chart, "file");
  }
  for (const auto& c : document.get("cases")->items()) {
    const std::string id = text(c, "id");
    auto starts = [&](const std::string& f) { return id.starts_with(f); };
    if (!settings.filters.empty() && std::ranges::none_of(settings.filters, starts)) continue;
    const std::string why =
        check_case(settings, dir, dir / "charts" / chart_files[text(c, "chart")], c);
    if (why.empty()) {
      ++tally.passed;
      continue;
    }
    ++tally.failed;
    std::printf("FAIL %s\n", id.c_str());
    if (settings.verbose) std::printf("%s\n", why.c_str());
    std::fflush(stdout);
  }
}

void run_input(const Settings& settings, const fs::path& input, Tally& tally) {
  std::vector<fs::path> files{input};
  if (fs::is_directory(input)) {
    files.clear();
    for (const auto& entry : fs::directory_iterator(input)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
  }
  bool any = false;
  for (const fs::path& file : files) {
    const auto document = json::read(read_file(file));
    if (!document || !is_recording(*document)) continue;
    any = true;
    run_file(settings, file, *document, tally);
  }
  if (any) return;
  ++tally.failed;
  std::printf("FAIL %s: no cases\n", input.c_str());
}

int usage() {
  std::fprintf(stderr,
               "usage: charts [--verbose] [--filter PREFIX]... [--pintle PATH] FILE.json|FOLDER...\n");
  return 2;
}

int run(int argc, char** argv) {
  Settings settings;
  if (const char* bin = std::getenv("PINTLE_BIN")) settings.pintle = bin;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--verbose") {
      settings.verbose = true;
    } else if (arg == "--filter" && i + 1 < argc) {
      settings.filters.emplace_back(argv[++i]);
    } else if (arg == "--pintle" && i + 1 < argc) {
      settings.pintle = argv[++i];
    } else if (arg.starts_with("--")) {
      return usage();
    } else {
      settings.inputs.emplace_back(arg);
    }
  }
  if (settings.inputs.empty()) return usage();
  settings.pintle = fs::absolute(settings.pintle).string();
  Tally tally;
  for (const fs::path& input : settings.inputs) run_input(settings, input, tally);
  std::printf("%d passed, %d failed, 0 skipped\n", tally.passed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pintle::charts

int main(int argc, char** argv) { return pintle::charts::run(argc, argv); }
