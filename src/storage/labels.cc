#include <algorithm>
#include <array>
#include <string>

#include "storage/driver.h"

namespace pintle::storage {

namespace {

constexpr std::string_view kSystemLabels[] = {"name",    "owner",     "status",
                                              "version", "createdAt", "modifiedAt"};

struct ReleaseNotFound : ErrorDetail {};

}  // namespace

bool is_system_label(std::string_view name) {
  return std::ranges::find(kSystemLabels, name) != std::end(kSystemLabels);
}

Labels object_labels(const release::Record& record, std::string_view time_label, int64_t seconds) {
  // Labels that came with the record win over the new time: an upgrade inherits the times of the
  // revision before, as in Helm.
  Labels out = {{std::string(time_label), std::to_string(seconds)}};
  for (const auto& [key, v] : record.labels) out[key] = v;
  out["name"] = record.name;
  out["owner"] = "helm";
  out["status"] = record.status;
  out["version"] = std::to_string(record.version);
  return out;
}

Labels without_system_labels(const Labels& labels) {
  Labels out = labels;
  std::erase_if(out, [](const auto& label) { return is_system_label(label.first); });
  return out;
}

Error release_not_found() {
  Error error(Code::kNotFound, "release: not found");
  error.set_detail(std::make_unique<ReleaseNotFound>());
  return error;
}

Error release_exists() { return {Code::kAlreadyExists, "release: already exists"}; }

bool is_not_found(const Error& error) { return error.find<ReleaseNotFound>() != nullptr; }

}  // namespace pintle::storage
