// Context: the world an action may touch, handed in by whoever runs it (cli, tiller, a test).
// Plain references; the owner outlives every call. One thread at a time per Context.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "http/http.h"
#include "kube/cluster.h"
#include "storage/driver.h"
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

  // Only for what touches releases: where objects and records live.
  kube::Cluster* cluster = nullptr;
  storage::Driver* releases = nullptr;
  // Set when the user wants out: a running install, upgrade or rollback ends as failed.
  const http::Cancel* cancel = nullptr;
  // Set when the user does not want to wait either for what puts things in order after that.
  const http::Cancel* give_up = nullptr;
  // Told what a wait waits for.
  std::function<void(const std::vector<kube::NotReady>&)> progress = {};

  release::Writer writer() const {
    return helm3 ? release::Writer::kHelm3 : release::Writer::kHelm4;
  }
};

}  // namespace pintle::action
