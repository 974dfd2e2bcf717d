// What a Program holds. Inside this room only.
#pragma once

#include "cel/cel.h"
#include "cel/node.h"

namespace pintle::cel {

struct Program::Rep {
  Ast ast;
  const Schema* schema = nullptr;
  std::string result_type;
  bool uses_old_self = false, optional_old = false;
  uint32_t slots = 0;
};

// Runs one node that looks at no variable.
Result<void> check_constant(const Program::Rep& rep, NodeId id);

}  // namespace pintle::cel
