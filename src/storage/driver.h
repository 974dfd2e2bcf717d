// Driver: where release records live. One file per driver: secrets, configmaps, memory. The rest of
// the program sees this interface only. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "kube/rest.h"
#include "release/record.h"
#include "sys/clock.h"

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
  // Errors: "release: not found" (is_not_found), "release: already exists", the server's behind
  // "get: failed to get KEY: " and kin.
  virtual Result<release::Record> get(std::string_view name, int version) = 0;
  virtual Status create(const release::Record& record) = 0;
  virtual Status update(const release::Record& record) = 0;
  virtual Status remove(std::string_view name, int version) = 0;
  // Heads of every record whose labels equal these, without fetching what the records hold where
  // the server can leave it out. Empty is no error.
  virtual Result<std::vector<Head>> heads(const Labels& equal) = 0;
  // Whole records; undecodable ones are passed over with a DEBUG line. Empty is no error.
  virtual Result<std::vector<release::Record>> query(const Labels& equal) = 0;
  // The records of these heads, in their order, undecodable ones left out.
  virtual Result<std::vector<release::Record>> fetch(const std::vector<Head>& heads) = 0;
  // What is being written when the user interrupts is waited for, but only so long; null: always.
  virtual void interrupt_by(const http::Interrupts*) {}
};

struct DriverOptions {
  std::string namespace_;  // "": all of them, for reading
  release::Writer writer = release::Writer::kHelm4;
  Log log;
};

// Records in Secrets or ConfigMaps, over a connection that outlives the driver.
std::unique_ptr<Driver> secrets(kube::Rest& rest, sys::Clock& clock, DriverOptions options);
std::unique_ptr<Driver> config_maps(kube::Rest& rest, sys::Clock& clock, DriverOptions options);
// Records in this process, `records` from the start: for tests, and for HELM_DRIVER=memory.
std::unique_ptr<Driver> memory(std::string namespace_);
Result<std::unique_ptr<Driver>> memory(std::string namespace_,
                                       const std::vector<release::Record>& records);

// The labels an object carries for a record: its own, then what Helm knows of it.
Labels object_labels(const release::Record& record, std::string_view time_label, int64_t seconds);
// All but name, owner, status, version, createdAt, modifiedAt.
Labels without_system_labels(const Labels& labels);
bool is_system_label(std::string_view name);

Error release_not_found();
Error release_exists();
bool is_not_found(const Error& error);  // release_not_found, however wrapped

}  // namespace pintle::storage
