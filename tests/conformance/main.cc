// conformance [--verbose] [--filter PREFIX]... [--expected FILE] FILE.json|FOLDER...
//
// Runs recorded cases (an object with `meta`, `fixtures`, `cases`; meta.schema says what each field
// is) and prints the id of each failing one: FILE:NAME. A folder means its *.json files of that
// format. --filter keeps cases whose id or name starts with PREFIX; --verbose shows the first
// difference and each skip. Cases named in expected.txt (one `ID  reason` per line) are skipped with
// that reason; one that passes nonetheless is a failure of the list. The last line is the result;
// exit code 0 only when nothing failed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "case.h"
#include "json/json.h"

namespace pintle::conformance {
namespace {

namespace fs = std::filesystem;

struct Settings {
  bool verbose = false;
  std::vector<std::string> filters;
  std::map<std::string, std::string> expected_failures;  // id -> reason
  std::vector<std::string> inputs;
};

struct Tally {
  int passed = 0, failed = 0, skipped = 0;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_case_file(const value::Value& v) {
  const value::Value* cases = v.get("cases");
  return v.get("meta") != nullptr && cases != nullptr && cases->is_list();
}

bool selected(const Settings& settings, const std::string& id, std::string_view name) {
  if (settings.filters.empty()) return true;
  return std::any_of(settings.filters.begin(), settings.filters.end(), [&](const auto& f) {
    return id.starts_with(f) || name.starts_with(f);
  });
}

void run_one(const Settings& settings, const Case& c, const std::string& id, Tally& tally) {
  auto known = settings.expected_failures.find(id);
  Outcome outcome = run_case(c);
  if (known != settings.expected_failures.end()) {
    outcome = outcome.kind == Outcome::Kind::kPass
                  ? Outcome::fail("  listed as an expected failure, but passes")
                  : Outcome::skip(known->second);
  }
  switch (outcome.kind) {
    case Outcome::Kind::kPass: ++tally.passed; return;
    case Outcome::Kind::kSkip:
      ++tally.skipped;
      std::printf("SKIP %s: %s\n", id.c_str(), outcome.detail.c_str());
      return;
    case Outcome::Kind::kFail:
      ++tally.failed;
      std::printf("FAIL %s\n", id.c_str());
      if (settings.verbose) std::printf("%s\n", outcome.detail.c_str());
  }
}

// false: not a case file.
bool run_file(const Settings& settings, const fs::path& path, Tally& tally) {
  auto document = json::read(read_file(path));
  if (!document) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), document.error().text().c_str());
    return false;
  }
  if (!is_case_file(*document)) return false;
  const value::Value none;
  const value::Value* fixtures = document->get("fixtures");
  for (const auto& fields : document->get("cases")->items()) {
    Case c{*document->get("meta"), fixtures != nullptr ? *fixtures : none, fields};
    std::string name(c.text("name"));
    std::string id = path.filename().string() + ":" + name;
    if (selected(settings, id, name)) run_one(settings, c, id, tally);
  }
  return true;
}

std::map<std::string, std::string> read_expected(const fs::path& path) {
  std::map<std::string, std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    size_t space = line.find_first_of(" \t");
    size_t reason = line.find_first_not_of(" \t", space);
    out[line.substr(0, space)] = reason == std::string::npos ? "no reason given" : line.substr(reason);
  }
  return out;
}

int usage() {
  std::fprintf(stderr,
               "usage: conformance [--verbose] [--filter PREFIX]... [--expected FILE] "
               "FILE.json|FOLDER...\n");
  return 2;
}

int run(int argc, char** argv) {
  Settings settings;
  settings.expected_failures = read_expected(PINTLE_EXPECTED_FAILURES);
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--verbose") {
      settings.verbose = true;
    } else if (arg == "--filter" && i + 1 < argc) {
      settings.filters.emplace_back(argv[++i]);
    } else if (arg == "--expected" && i + 1 < argc) {
      settings.expected_failures = read_expected(argv[++i]);
    } else if (arg.starts_with("--")) {
      return usage();
    } else {
      settings.inputs.push_back(arg);
    }
  }
  if (settings.inputs.empty()) return usage();

  setenv("TZ", "UTC", 1);  // the recordings' local zone
  Tally tally;
  for (const auto& input : settings.inputs) {
    if (!fs::is_directory(input)) {
      if (!run_file(settings, input, tally)) {
        std::fprintf(stderr, "%s: not a file of cases\n", input.c_str());
        ++tally.failed;
      }
      continue;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(input)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) run_file(settings, file, tally);
  }
  std::printf("%d passed, %d failed, %d skipped\n", tally.passed, tally.failed, tally.skipped);
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pintle::conformance

int main(int argc, char** argv) { return pintle::conformance::run(argc, argv); }
