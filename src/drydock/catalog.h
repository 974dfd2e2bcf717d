// Catalog: every resource the server serves right now, in discovery's order. Built-in ones come from
// one generated table; custom ones come and go with their definitions.
//
// A catalog is immutable; a change makes a new one, so a request reads one catalog throughout without
// a lock. Cost of a look-up: one hash of "group/version/plural".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drydock/resource.h"

namespace pintle::drydock {

struct Subresource {
  std::string name, group, version, kind;
  std::vector<std::string> verbs;
};
// Built-in ones from the table; of custom resources status and scale.
std::vector<Subresource> subresources_of(const Resource& resource);

// Where a resource's objects are kept: events.k8s.io shares the core group's.
struct Place {
  std::string group, plural;
};
Place place_of(const Resource& resource);

class Catalog {
 public:
  static std::shared_ptr<const Catalog> built_in();  // one for the process, made at the first call
  // With these custom resources instead of the present ones; of versions not served only their store.
  std::shared_ptr<const Catalog> with_custom(std::vector<ResourcePtr> custom) const;

  const std::vector<ResourcePtr>& all() const { return x_all; }
  ResourcePtr find(std::string_view group, std::string_view version, std::string_view plural) const;
  // The version objects are stored in; null: none.
  ResourcePtr stored(std::string_view group, std::string_view plural) const;
  bool has_group(std::string_view group) const;
  bool has_version(std::string_view group, std::string_view version) const;

 private:
  static std::shared_ptr<const Catalog> from_table();
  void index();
  std::vector<ResourcePtr> x_all;
  size_t x_built_in = 0;
  std::unordered_map<std::string, ResourcePtr> x_by_name;  // "group/version/plural", "group//plural"
};

}  // namespace pintle::drydock
