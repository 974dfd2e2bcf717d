#pragma once

#include <string>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

// Of a Job, and of a CronJob's template.
void validate_job_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes);
void job_validate(const Value& object, const Value* old, std::vector<Cause>& causes);

}  // namespace pintle::drydock
