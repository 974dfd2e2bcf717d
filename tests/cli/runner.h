// One recorded command line and how it is run (helm4-cli.md 8.2, 8.3).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "release/record.h"
#include "value/value.h"

namespace pintle::clitest {

struct Case {
  std::string id;  // number and name
  std::string command, golden, kind, source;
  bool want_error = false;
  int repeat = 1;
  std::map<std::string, std::string> environ;
  std::vector<release::Record> releases;  // that are there when it starts
  // Each "" or absent when the case does not say.
  std::string expect, expect_error, expect_error_regex, expect_file, expect_contains,
      expect_not_contains;
};

Result<Case> read_case(const value::Value& row, size_t index);

struct Outcome {
  std::string skip;     // why it was not run
  std::string failure;  // what is wrong; "" when all is as recorded
  std::string want, got;
};

// Our own recordings of Helm's answers (recorded/helm-VERSION.json): arguments, environment, the
// files in the working directory, exit code, both streams apart, and files as they are afterwards;
// long texts as "sha256:HEX".
struct Recording {
  std::vector<std::string> args;
  std::map<std::string, std::string> environ, files, files_after;
  int code = 0;
  std::string out, err;
};
Recording read_recording(const value::Value& row);
Outcome run_recording(const Recording& r, bool helm3);

Outcome run_case(const Case& c, const std::filesystem::path& testdata);

}  // namespace pintle::clitest
