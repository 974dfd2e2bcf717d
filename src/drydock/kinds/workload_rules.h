// Checks of the kinds of workloads.cc; of objects and of their status subresources.
#pragma once

#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void deployment_validate(const Value& object, const Value* old, std::vector<Cause>& causes);
void replica_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes);
void daemon_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes);
void stateful_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes);
void controller_validate(const Value& object, const Value* old, std::vector<Cause>& causes);
void deployment_status_validate(const Value& object, std::vector<Cause>& causes);
void replica_set_status_validate(const Value& object, std::vector<Cause>& causes);

}  // namespace pintle::drydock
