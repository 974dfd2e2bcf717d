// Label selectors as Kubernetes writes them: requirements between commas, each one of
// a=b, a==b, a!=b, a in (b, c), a notin (b, c), a, !a. != and notin also fit what lacks the label
// (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::lookout {

struct LabelRequirement {
  std::string key;
  bool wanted = true;                // false: != notin !
  bool any = false;                  // the label alone: a, !a
  std::vector<std::string> values;
};
using LabelSelector = std::vector<LabelRequirement>;

// Error: says what is expected where. "" fits everything.
Result<LabelSelector> read_selector(std::string_view text);
bool selects(const LabelSelector& selector, const std::map<std::string, std::string>& labels);

}  // namespace pintle::lookout
