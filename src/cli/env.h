// Env: the world one run of the program sees. Made in apps/pintle from the real process, faked in
// tests, where whole commands run in-process. Plain references; the owner outlives the run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/http.h"
#include "sys/clock.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::cli {

struct ClusterWorld;
struct Settings;

// Where text goes. The real stdout keeps everything until the end (or until stderr is written, so
// that the two keep their order on a terminal).
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
  virtual void flush() {}
};

// What `version` shows: the Helm that pintle is compatible with, never pintle's own version.
struct Build {
  std::string version = "v4.3.1";
  std::string git_commit = {}, git_tree_state = {};
  std::string go_version = "go1.26.8";
  std::string kube_client_version = "v1.37";
  std::string kube_version = "v1.37.0";  // default of .Capabilities.KubeVersion
  bool helm3 = false;                    // behave as Helm 3.22
  std::string pintle = {};               // our own version

  static Build helm4() { return {}; }
  static Build helm3_22();
};

struct Env {
  std::string program;  // argv[0]
  Sink& out;
  Sink& err;  // errors, warnings about flags, completion's last line
  Sink& log;  // slog lines; stderr too, but tests that compare cobra's own output leave it out
  sys::Disk& disk;
  sys::Clock& clock;
  const sys::Environ& environ;
  Build build = Build::helm4();
  bool out_is_terminal = false;
  // Shows a picture on the terminal that stderr is, instead of the last one (Screen::show); any
  // thread. Empty without a terminal.
  std::function<void(std::string_view picture)> draw = {};
  bool in_is_pipe = false, in_is_terminal = false;
  bool children_share_output = false;  // plugins write straight to the process's own streams
  std::function<Result<std::string>()> read_stdin = {};
  // Another cluster than the kubeconfig's (cluster.h): records of that namespace, "" for all.
  std::function<Result<std::unique_ptr<ClusterWorld>>(const Settings&, const std::string& ns)>
      open_cluster = {};
  // From the first call on, interrupts set these instead of ending the program. Empty: they end it.
  std::function<const http::Interrupts*()> catch_interrupts = {};

  std::string get(const std::string& name) const { return environ.get(name); }  // "" when unset
  bool has(const std::string& name) const { return environ.find(name).has_value(); }
};

}  // namespace pintle::cli
