// What the server serves: kinds, their resources, scopes and versions. Aggregated discovery (two
// requests), or the legacy one (one more per group version) from servers that know no other. Kept on
// disk in kubectl's cache directory: look-ups trust it for six hours, as kubectl does, and ask the
// server when a kind is not in it; `refresh` always asks, with ETags.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/url.h"
#include "kube/cluster.h"
#include "kube/rest.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::kube {

struct Resource {
  std::string group, version, kind, plural;
  bool namespaced = true;
};

class Discovery {
 public:
  // `cache_directory`: kubectl's "~/.kube/cache"; "": no cache on disk.
  Discovery(Rest& rest, std::string cache_directory, sys::Disk& disk, sys::Clock& clock)
      : rest_(rest), cache_directory_(std::move(cache_directory)), disk_(disk), clock_(clock) {}

  // Error: kNotFound, `no matches for kind "X" in version "Y"`.
  Result<Resource> find(std::string_view group, std::string_view version, std::string_view kind);
  void invalidate() { fresh_ = false; }
  // "v1", "apps/v1", then "v1/Pod", "apps/v1/Deployment", sorted.
  Result<std::vector<std::string>> api_versions();

 private:
  struct Part {  // one of the two answers
    std::string etag, body;
  };
  Status load(bool ask);
  Status fetch(std::string_view path, Part& part, bool& changed);
  Status fetch_legacy(std::string_view path, Part& part);
  Status parse(const Part& part);
  std::string cache_file() const;
  bool read_cache();
  void write_cache();
  const Resource* look(std::string_view group, std::string_view version, std::string_view kind) const;

  Rest& rest_;
  const std::string cache_directory_;
  sys::Disk& disk_;
  sys::Clock& clock_;
  bool loaded_ = false;
  bool fresh_ = false;  // asked the server in this run
  Part core_, groups_;
  std::vector<Resource> resources_;
  std::vector<std::string> group_versions_;
};

// "/apis/apps/v1/namespaces/x/deployments" + "/name" when there is one.
std::string object_path(const Object& object, std::string_view name);
std::string collection_path(std::string_view group, std::string_view version,
                            std::string_view plural, bool namespaced, std::string_view ns);

}  // namespace pintle::kube
