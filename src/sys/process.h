// Running other programs: plugins, post-renderers, editors. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pintle::sys {

struct Command {
  std::vector<std::string> argv;  // argv[0]: a path, or a name looked up in PATH
  // The whole environment; nullopt: ours.
  std::optional<std::vector<std::pair<std::string, std::string>>> environ;
  std::string working_dir;           // "": ours
  std::optional<std::string> input;  // nullopt: our standard input
  bool capture = true;               // collect output; otherwise it goes where ours goes
  int64_t timeout_ms = 0;            // 0: none
  size_t max_output = 64 << 20;      // per stream; more kills the program
  bool with_terminal = false;        // captured, but in our process group: it may ask the user
  std::function<void(std::string_view piece)> on_err = {};  // stderr as it comes, instead of collected
  std::function<bool()> stop = {};   // asked ten times a second; true kills the program
};

struct Finished {
  int exit_code = 0;  // 128 + signal when a signal ended it
  bool timed_out = false;  // or stopped
  bool too_much = false;  // max_output was passed
  std::string out, err;
};

// How many bytes of memory this process holds now; 0: not known. Costs some microseconds.
size_t resident_memory();

// Runs to the end. A captured program gets a process group of its own, which is killed whole on
// timeout or too much output; one with the terminal is killed alone. Error: os/exec's text (`exec: "x": executable file not found in $PATH`,
// "fork/exec /x: no such file or directory").
Result<Finished> run(const Command& command);

int process_id();

// exec.LookPath.
Result<std::string> look_path(const std::string& name, std::string_view path_variable);

}  // namespace pintle::sys
