// Environ: the environment variables, read through a seam so that tests bring their own
// (sys/testing/fake_environ.h). Read-only; thread-safe as long as nobody calls setenv.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pintle::sys {

class Environ {
 public:
  virtual ~Environ() = default;
  virtual std::optional<std::string> find(const std::string& name) const = 0;
  virtual std::vector<std::pair<std::string, std::string>> all() const = 0;  // in their order

  std::string get(const std::string& name) const { return find(name).value_or(""); }
};

const Environ& real_environ();

// $HOME, as Helm looks it up on Linux; "" when unset.
std::string home_dir(const Environ& environ);

}  // namespace pintle::sys
