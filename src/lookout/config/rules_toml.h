// Rules as TOML: `[[rules]]` with the keys of Rule. Inside this room only; pure.
#pragma once

#include <string_view>
#include <vector>

#include "lookout/rules/rules.h"
#include "lookout/config/section.h"

namespace pintle::lookout {

std::string_view default_rules_text();
// A whole text of rules. Errors name `path`, the line and the key.
Result<std::vector<Rule>> read_rules(std::string_view toml, std::string_view path);
// One table. A key that is missing keeps what `rule` has.
Status read_rule(Section& section, Rule& rule);

}  // namespace pintle::lookout
