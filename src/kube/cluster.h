// Cluster: what Helm's actions ask of Kubernetes (helm pkg/kube). An interface because tests and
// client-only modes have one that only prints. One thread at a time, except `cancel`led waits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "http/http.h"
#include "value/value.h"

namespace pintle::kube {

struct Version {
  std::string git_version, major, minor;
};

// One object of a manifest, mapped to where the server keeps it.
struct Object {
  value::Value tree;  // as in the manifest, namespace defaulted
  std::string group, version, kind, plural;
  bool namespaced = true;
  std::string ns, name;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};
using Objects = std::vector<Object>;

enum class Propagation : uint8_t { kBackground, kForeground, kOrphan };

struct ApplyOptions {
  bool server_side = true;
  bool force_conflicts = false;
  bool force_replace = false;
  bool dry_run = false;            // server dry run
  bool validate = true;            // fieldValidation=Strict
  bool upgrade_managers = false;   // migrate client-side managers first (spec 3.3)
  bool three_way_unstructured = false;  // --take-ownership without server-side apply
  const http::Cancel* cancel = nullptr;  // ends requests under way
};

struct UpdateReport {
  Objects created, updated, deleted;
};

enum class WaitStrategy : uint8_t { kHookOnly, kWatcher, kLegacy };

// What is not ready yet, for the live view and the explanation of a failed wait.
struct NotReady {
  std::string kind, ns, name, status, message;
  std::string path;      // where the server keeps it
  std::string selector;  // of its pods, for what has any
};

struct WaitOptions {
  WaitStrategy strategy = WaitStrategy::kWatcher;
  int64_t timeout_ms = 300'000;
  bool jobs = false;  // --wait-for-jobs
  const http::Cancel* cancel = nullptr;
  // Called on this thread whenever the picture changes.
  std::function<void(const std::vector<NotReady>&)> progress = {};
};

class Cluster {
 public:
  virtual ~Cluster() = default;
  virtual Status reachable() = 0;  // "kubernetes cluster unreachable: ..."
  virtual Result<Version> version() = 0;
  virtual Result<std::vector<std::string>> api_versions() = 0;  // "apps/v1", "apps/v1/Deployment"
  virtual void invalidate_discovery() = 0;
  // From now on every request ends when this is set; null: none does. What cleans up after an
  // interrupted action calls it with null.
  virtual void interrupt_by(const http::Cancel*) {}

  // Manifest stream -> objects in order; v1 Lists flattened. Error names the kind that is unknown
  // (`resource mapping not found for name: ... no matches for kind "X" in version "Y"`).
  virtual Result<Objects> build(std::string_view manifest, bool validate) = 0;

  virtual Result<value::Value> get(const Object& object) = 0;  // NotFound: is_not_found(error)
  virtual Result<Objects> create(const Objects& objects, const ApplyOptions& options) = 0;
  // `report` is filled as far as it came, also when the call fails.
  virtual Status update(const Objects& original, const Objects& target, const ApplyOptions& options,
                        UpdateReport& report) = 0;
  // NotFound is not an error; all are tried, errors are collected.
  virtual std::vector<Error> remove(const Objects& objects, Propagation propagation, Objects& removed) = 0;

  virtual Status wait(const Objects& objects, const WaitOptions& options) = 0;
  virtual Status wait_for_delete(const Objects& objects, const WaitOptions& options) = 0;
  // Hooks and tests: until each has succeeded or failed (spec 2.6).
  virtual Status watch_until_ready(const Objects& objects, const WaitOptions& options) = 0;

  // Templates' lookup: the object, its list when name is "", {} when there is none.
  virtual Result<value::Value> lookup(std::string_view api_version, std::string_view kind,
                                      std::string_view ns, std::string_view name) = 0;
  // Pods by name or label selector, and a container's log ("": the only one).
  virtual Result<std::vector<value::Value>> pods(std::string_view ns, std::string_view label_selector) = 0;
  virtual Status pod_log(std::string_view ns, std::string_view pod, std::string_view container,
                         const std::function<bool(std::string_view)>& piece) = 0;
  // Objects as `status --show-resources` prints them: the server's Table answers, by kind.
  virtual Result<value::Value> table(const Object& object) = 0;
  // The pods of a selector as one list, or one table.
  virtual Result<value::Value> pod_list(std::string_view ns, std::string_view label_selector,
                                        bool table) = 0;
};

}  // namespace pintle::kube
