// Documents that a values.schema.json refers to by `$ref`: Helm fetches them, so do we.
#pragma once

#include "base/log.h"
#include "cli/env.h"
#include "schema/schema.h"

namespace pintle::cli {

// Reads regular files of 32 MiB at most and asks the network (15 s a document and 60 s in all,
// proxies of the environment) unless PINTLE_OFFLINE is true. The HTTP client is made at the first
// such reference. The loader must not outlive `env`.
schema::Loader schema_documents(const Env& env, Log log);

}  // namespace pintle::cli
