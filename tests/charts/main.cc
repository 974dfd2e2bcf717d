// charts [--verbose] [--filter PREFIX]... [--pintle PATH] DIR
//
// Runs the recorded cases of DIR (cases.json, charts/, goldens/) with the pintle program and holds
// standard output, exit code and standard error against the recording; where Helm's own output
// varies, as far as the recording says it is stable. Each case runs in a directory of its own, with
// empty homes and no KUBECONFIG. Prints the id of each failing case (--verbose: the first
// difference); the last line is the result; exit code 0 only when nothing failed.
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
  fs::path dir;
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

Result<Recording> recording(const Settings& settings, const Value& c) {
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
    out.out = TRY(sys::gunzip(read_file(settings.dir / "goldens" / golden), kMaxGolden));
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

Result<Run> run_case(const Settings& settings, const Value& c, const std::string& chart_file) {
  Scratch scratch;
  fs::path work = scratch.path / "work", home = scratch.path / "home";
  fs::create_directories(work);
  fs::create_directories(home);
  fs::path chart = fs::absolute(settings.dir / "charts" / chart_file);
  if (fs::is_directory(chart)) {
    fs::copy(chart, work / chart_file, fs::copy_options::recursive);
  } else {
    fs::create_symlink(chart, work / chart_file);
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

std::string check_case(const Settings& settings, const Value& c, const std::string& chart_file) {
  auto want = recording(settings, c);
  if (!want) return "  golden: " + want.error().text();
  auto got = run_case(settings, c, chart_file);
  if (!got) return "  " + got.error().text();
  return difference(*want, *got);
}

int usage() {
  std::fprintf(stderr,
               "usage: charts [--verbose] [--filter PREFIX]... [--pintle PATH] DIR\n");
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
    } else if (arg.starts_with("--") || !settings.dir.empty()) {
      return usage();
    } else {
      settings.dir = arg;
    }
  }
  if (settings.dir.empty()) return usage();
  settings.pintle = fs::absolute(settings.pintle).string();

  auto document = json::read(read_file(settings.dir / "cases.json"));
  if (!document || document->get("cases") == nullptr || document->get("charts") == nullptr) {
    std::fprintf(stderr, "%s: no cases\n", (settings.dir / "cases.json").c_str());
    return 1;
  }
  std::map<std::string, std::string> chart_files;
  for (const auto& chart : document->get("charts")->items()) {
    chart_files[text(chart, "id")] = text(chart, "file");
  }
  int passed = 0, failed = 0;
  for (const auto& c : document->get("cases")->items()) {
    std::string id = text(c, "id");
    auto starts = [&](const std::string& f) { return id.starts_with(f); };
    if (!settings.filters.empty() &&
        !std::any_of(settings.filters.begin(), settings.filters.end(), starts)) {
      continue;
    }
    std::string why = check_case(settings, c, chart_files[text(c, "chart")]);
    if (why.empty()) {
      ++passed;
      continue;
    }
    ++failed;
    std::printf("FAIL %s\n", id.c_str());
    if (settings.verbose) std::printf("%s\n", why.c_str());
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pintle::charts

int main(int argc, char** argv) { return pintle::charts::run(argc, argv); }
