#include "sys/environ.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace pintle::sys {
namespace {

class RealEnviron : public Environ {
 public:
  std::optional<std::string> find(const std::string& name) const override {
    const char* value = ::getenv(name.c_str());
    if (!value) return std::nullopt;
    return value;
  }

  std::vector<std::pair<std::string, std::string>> all() const override {
    std::vector<std::pair<std::string, std::string>> out;
    for (char** entry = ::environ; entry && *entry; ++entry) {
      const std::string_view row = *entry;
      const size_t equals = row.find('=');
      if (equals != row.npos) out.emplace_back(row.substr(0, equals), row.substr(equals + 1));
    }
    return out;
  }
};

}  // namespace

const Environ& real_environ() {
  static const RealEnviron instance;
  return instance;
}

std::string home_dir(const Environ& environ) { return environ.get("HOME"); }

}  // namespace pintle::sys
