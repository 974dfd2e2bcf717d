// cli PATH... : runs recorded command lines of Helm (helm4-cli-cases.json and its
// helm4-cli-testdata beside it; PATH is the file or its folder) in this process and compares what
// they print, byte for byte. Helm recorded stdout and cobra's stderr as one stream, with a fixed
// clock and the constants of an unstamped build; log lines are not part of it.
//
// --verbose shows the first difference of each failure. The last line is
// "N passed, M failed, K skipped"; exit 0 only when M = 0. Skipped cases need a cluster, releases
// stored in one, or a server, and say so.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/strings.h"
#include "json/json.h"
#include "runner.h"
#include "sys/disk.h"

namespace {

namespace fs = std::filesystem;
using pintle::clitest::Case;
using pintle::clitest::Outcome;

// The first line where two texts part.
void show_difference(const std::string& want, const std::string& got) {
  const auto a = pintle::split(want, "\n");
  const auto b = pintle::split(got, "\n");
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && a[i] == b[i]) continue;
    const std::string x = i < a.size() ? std::string(a[i]) : "(end)";
    const std::string y = i < b.size() ? std::string(b[i]) : "(end)";
    std::printf("    line %zu\n    - %s\n    + %s\n", i + 1, x.c_str(), y.c_str());
    return;
  }
}

bool is_recording(const fs::path& file) {
  const std::string name = file.filename();
  return name.starts_with("helm-") && name.ends_with(".json");
}

std::vector<fs::path> case_files(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename();
    if (name.ends_with("cli-cases.json") || is_recording(entry.path())) {
      files.push_back(entry.path());
    }
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  bool verbose = false;
  std::vector<fs::path> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--verbose") {
      verbose = true;
    } else {
      paths.emplace_back(fs::absolute(argv[i]));
    }
  }
  int passed = 0, failed = 0, skipped = 0;
  std::map<std::string, int> reasons;
  for (const fs::path& path : paths) {
    for (const fs::path& file : case_files(path)) {
      const auto text = pintle::sys::real_disk().read_file(file);
      const auto cases =
          text ? pintle::json::read(*text) : pintle::Result<pintle::value::Value>(text.error());
      if (!cases) {
        std::printf("%s: %s\n", file.c_str(), cases.error().text().c_str());
        ++failed;
        continue;
      }
      const fs::path testdata = file.parent_path() / "helm4-cli-testdata";
      for (size_t i = 0; i < cases->items().size(); ++i) {
        const auto& row = cases->items()[i];
        std::string name, line;
        Outcome outcome;
        if (is_recording(file)) {
          const auto recording = pintle::clitest::read_recording(row);
          name = std::to_string(i);
          line = pintle::join(recording.args, " ");
          const bool helm3 = file.filename().string().starts_with("helm-3.");
          outcome = pintle::clitest::run_recording(recording, helm3);
        } else {
          name = std::to_string(i);
          if (const auto c = pintle::clitest::read_case(row, i)) {
            name = c->id;
            line = c->command;
            outcome = pintle::clitest::run_case(*c, testdata);
          } else {
            outcome.failure = c.error().text();
          }
        }
        if (!outcome.skip.empty()) {
          ++skipped;
          ++reasons[outcome.skip];
        } else if (outcome.failure.empty()) {
          ++passed;
        } else {
          ++failed;
          std::printf("FAIL %s: %s: %s\n", name.c_str(), line.c_str(), outcome.failure.c_str());
          if (verbose) show_difference(outcome.want, outcome.got);
        }
      }
    }
  }
  for (const auto& [reason, n] : reasons) std::printf("skipped %d: %s\n", n, reason.c_str());
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed > 0 ? 0 : 1;
}
