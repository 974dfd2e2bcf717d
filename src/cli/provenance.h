// Signatures of chart archives (helm pkg/provenance, downloader.VerifyChart).
#pragma once

#include <functional>
#include <string>

#include "cli/command.h"

namespace pintle::cli {

// Checks an archive against its .prov file. Returns the three lines `helm verify` prints.
Result<std::string> verify_chart(Session& s, const std::string& path, const std::string& keyring);

// Signs an archive that was just written: writes the .prov file beside it.
std::function<Status(const std::string& archive)> chart_signer(Session& s, std::string key,
                                                               std::string keyring,
                                                               std::string passphrase_file);

}  // namespace pintle::cli
