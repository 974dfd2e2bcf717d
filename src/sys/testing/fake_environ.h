// FakeEnviron: variables a test sets.
#pragma once

#include <map>

#include "sys/environ.h"

namespace pintle::sys {

class FakeEnviron : public Environ {
 public:
  std::map<std::string, std::string> vars;

  std::optional<std::string> find(const std::string& name) const override {
    const auto it = vars.find(name);
    if (it == vars.end()) return std::nullopt;
    return it->second;
  }
  std::vector<std::pair<std::string, std::string>> all() const override {
    return {vars.begin(), vars.end()};
  }
};

}  // namespace pintle::sys
