// The Loader a program uses: which sources there are for documents a schema refers to, under Helm's
// rules. Files and the network themselves are handed in, so this room touches neither.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "schema/schema.h"

namespace pintle::schema {

inline constexpr size_t kMaxDocumentBytes = 32 << 20;
inline constexpr int kMaxDocuments = 200;  // of one Loader and its copies

struct Sources {
  // Reads a regular file whole; refuses devices, pipes and more than `limit` bytes. Its error is
  // shown as it is: "open P: no such file or directory". Null: file references fail.
  std::function<Result<std::string>(const std::string& path, size_t limit)> read_file;
  // Fetches a URL (15 s, redirects, proxies, at most `limit` bytes). Its error is what Go's client
  // says (`Get "URL": dial tcp ...`), or, when it starts with "HTTP request to ", shown as it is.
  // Null: no client here, told as an unreachable host.
  std::function<Result<std::string>(const std::string& url, size_t limit)> http_get;
  bool offline = false;  // never call http_get
  Log log;               // gets a warning for each urn: reference
};

// http, https and file as above; urn: references are warned of once each and accept anything.
// Errors are Helm's: `no URLLoader registered for "ftp://x"`, `HTTP request failed for U: Get "U":
// ...`. The Loader may be copied; copies share what has been warned of. One thread at a time.
Loader make_loader(Sources sources);

}  // namespace pintle::schema
