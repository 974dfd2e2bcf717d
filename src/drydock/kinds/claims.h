// A claim's spec stands in PersistentVolumeClaims, StatefulSets and ephemeral volumes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void default_claim_spec(Value& spec);
void validate_claim_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes);
// Known ones, and ReadWriteOncePod by itself; `detail` of there being none.
void validate_access_modes(const Value& spec, std::string_view detail, const std::string& path,
                           std::vector<Cause>& causes);
// hostPath, nfs, csi and the others pods and PersistentVolumes share; what stands at `path`.
void validate_volume_source(std::string_view kind, const Value& source, const std::string& path,
                            std::vector<Cause>& causes);

}  // namespace pintle::drydock
