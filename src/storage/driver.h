// Driver: where release records live. One file per driver: secret, configmap, memory. The rest of the
// program sees this interface only. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/record.h"

namespace pintle::storage {

using Labels = std::map<std::string, std::string>;

// What a record's labels tell without decoding it.
struct Head {
  std::string name, namespace_, status;
  int version = 0;
  Labels labels;
};

class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::string_view name() const = 0;  // "Secret", "ConfigMap", "Memory"
  // Errors: "release: not found" (kNotFound), "release: already exists" (kAlreadyExists), the server's.
  virtual Result<release::Record> get(std::string_view name, int version) = 0;
  virtual Status create(const release::Record& record) = 0;
  virtual Status update(const release::Record& record) = 0;
  virtual Result<release::Record> remove(std::string_view name, int version) = 0;
  // Heads of every record the selector matches, without fetching what they hold where the server can
  // leave it out.
  virtual Result<std::vector<Head>> heads(const Labels& equal) = 0;
  // Whole records; undecodable ones are passed over with a DEBUG line. Empty is no error here.
  virtual Result<std::vector<release::Record>> query(const Labels& equal) = 0;
};

}  // namespace pintle::storage
