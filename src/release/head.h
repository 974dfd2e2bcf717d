// The head of a manifest as Helm reads it: apiVersion, kind, metadata's name and annotations.
// Inside this room only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::release {

struct Head {
  std::string api_version, kind, name;
  std::map<std::string, std::string> annotations;
};

// yaml.Unmarshal into SimpleHead: keys match in any case, scalars become text, null is nothing.
// Errors in the words of encoding/json, with the Go type's name of Helm 4 or 3.
Result<Head> parse_head(std::string_view document, bool helm3);

// A file's documents, each with its head, in order; after an error there are no more.
struct Documents {
  std::vector<std::string_view> texts;
  std::vector<Result<Head>> heads;
};
Documents read_documents(std::string_view file, bool helm3);

}  // namespace pintle::release
