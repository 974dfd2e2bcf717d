// Tree to program. Inside this room only.
#pragma once

#include <functional>

#include "tmpl/program.h"
#include "tmpl/stack_limit.h"

namespace pintle::tmpl {

// Number of a template name; names not defined yet get one too.
using NameId = std::function<uint32_t(std::string_view)>;

std::unique_ptr<Program> compile(const ListNode& root, const NameId& id, Arena& arena);

}  // namespace pintle::tmpl
