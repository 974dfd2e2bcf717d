#include "chart/kube_tables.h"

#include <algorithm>
#include <tuple>

namespace pintle::chart {
namespace {

#include "chart/kube_tables_data.inc"

}  // namespace

std::span<const std::string_view> default_api_versions() { return kDefaultApiVersions; }

const Deprecation* find_deprecation(std::string_view api_version, std::string_view kind) {
  const auto key = std::tie(api_version, kind);
  const auto* row = std::lower_bound(
      std::begin(kDeprecations), std::end(kDeprecations), key,
      [](const Deprecation& d, const auto& k) { return std::tie(d.api_version, d.kind) < k; });
  if (row == std::end(kDeprecations) || row->api_version != api_version || row->kind != kind) {
    return nullptr;
  }
  return row;
}

}  // namespace pintle::chart
