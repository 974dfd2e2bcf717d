// --cert-file, --key-file and --ca-file are read before a command starts, whether a registry will be
// asked or not.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/command.h"

namespace pintle::cli {

struct TlsFiles {
  const std::string& certificate;
  const std::string& key;
  const std::string& ca;
  bool insecure;
};

// From flags that name them (ChartPathFlags, ConnectionFlags).
template <typename Flags>
TlsFiles tls_files(const Flags& f) {
  return {f.cert_file, f.key_file, f.ca_file, f.insecure_skip_tls_verify};
}

// Error: "missing registry client: can't create TLS config for client: ...", with every cause in
// Helm 4, the first in Helm 3.
Status check_tls_files(const Session& s, const TlsFiles& files);

}  // namespace pintle::cli
