// Checks that kinds with addresses share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"

namespace pintle::drydock {

// An address that something may be reached at: neither loopback nor link-local nor unspecified.
void validate_endpoint_ip(std::string_view ip, const std::string& path, std::vector<Cause>& causes);

}  // namespace pintle::drydock
