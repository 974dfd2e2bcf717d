// What a write's query (and a deletion's body) asks for: CreateOptions, UpdateOptions, PatchOptions and
// DeleteOptions, checked as apimachinery's validation does. Pure functions, thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "drydock/decode.h"
#include "drydock/machine.h"
#include "drydock/request.h"

namespace pintle::drydock {

struct WriteOptions {
  WriteContext context;
  FieldValidation validation = FieldValidation::kWarn;
  bool force = false;
};

// `kind`: "CreateOptions", "UpdateOptions" or "PatchOptions". Error: 422.
Result<WriteOptions> read_write_options(const ApiRequest& request, std::string_view kind, bool is_apply = false);
// From the body, or without one from the query. Errors: 400, 415, 422.
Result<DeleteOptions> read_delete_options(const ApiRequest& request);

// Of managedFields entries, too.
void validate_field_manager(std::string_view manager, std::string_view path, std::vector<Cause>& causes);

}  // namespace pintle::drydock
