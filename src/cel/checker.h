// Types: every name is declared, every call has an overload that fits. Pure.
#pragma once

#include "cel/node.h"

namespace pintle::cel {

struct CheckedNames {
  bool old_self = false;  // oldSelf is looked at
  uint32_t slots = kFirstLocalSlot;  // that variables need
};

// Fills in types, slots and functions. The types live in `types` and may be thrown away afterwards.
CheckedNames check(Ast& ast, const Schema& self, bool optional_old, Types& types, Errors& errors);

}  // namespace pintle::cel
