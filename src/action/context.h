// Context: the world an action may touch, handed in by whoever runs it (cli, tiller, a test).
// Plain references; the owner outlives every call. One thread at a time per Context.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::action {

struct Context {
  sys::Disk& disk;
  sys::Clock& clock;
  Log log = {};  // slog lines
  // Text the action prints while it works (Helm's `out`); the cli sends it to stdout.
  std::function<void(std::string_view)> out = [](std::string_view) {};
  bool debug = false;
  bool helm3 = false;  // Helm 3.22 behaviour where it differs
  // cli.EnvSettings
  std::string repository_config = {}, repository_cache = {}, content_cache = {};
};

}  // namespace pintle::action
