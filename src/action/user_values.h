// The values a user gives: -f, --set, --set-string, --set-file, --set-json, --set-literal, merged
// in Helm's order whatever their order on the command line (helm pkg/cli/values/options.go).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "action/context.h"
#include "base/result.h"
#include "value/value.h"

namespace pintle::action {

struct UserValues {
  std::vector<std::string> files;  // -f: path, URL or "-"
  std::vector<std::string> values, string_values, file_values, json_values, literal_values;
};

// Where the bytes behind -f and --set-file come from, besides the disk. Empty: a clear error.
struct ValueSources {
  std::function<Result<std::string>()> read_stdin;
  std::function<Result<std::string>(const std::string& url)> fetch;  // http, https, oci
};

// A map. Errors: Helm's ("failed parsing --set data: ...", "failed to parse F: ...").
Result<value::Value> merge_user_values(Context& context, const UserValues& user,
                                       const ValueSources& sources);

}  // namespace pintle::action
