#include "drydock/catalog.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

struct Row {
  const char *group, *version, *plural, *singular, *kind;
  bool namespaced;
  const char *verbs, *short_names, *categories, *subresources;
};
constexpr Row kRows[] = {
#include "drydock/resources_data.inc"
};

std::vector<std::string> words(std::string_view text, std::string_view separator = " ") {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (std::string_view w : split(text, separator)) out.emplace_back(w);
  return out;
}

// The stored version where a group serves several.
bool stored_version(const Row& row) {
  return std::string_view(row.plural) != "horizontalpodautoscalers" || std::string_view(row.version) == "v2";
}

std::string name_key(std::string_view group, std::string_view version, std::string_view plural) {
  return cat(group, "/", version, "/", plural);
}

std::vector<Subresource> read_subresources(std::string_view text) {
  std::vector<Subresource> out;
  if (text.empty()) return out;
  for (std::string_view part : split(text, ";")) {
    size_t equals = part.find('='), colon = part.rfind(':');
    Subresource sub;
    sub.name = part.substr(0, equals);
    auto where = split(part.substr(equals + 1, colon - equals - 1), "/");
    sub.group = where[0];
    sub.version = where[1];
    sub.kind = where[2];
    sub.verbs = words(part.substr(colon + 1), ",");
    out.push_back(std::move(sub));
  }
  return out;
}

}  // namespace

std::vector<Subresource> subresources_of(const Resource& resource) {
  if (!resource.custom()) {
    for (const Row& row : kRows) {
      if (row.group == resource.group && row.version == resource.version && row.plural == resource.plural) {
        return read_subresources(row.subresources);
      }
    }
  }
  std::vector<Subresource> out;
  for (const std::string& name : resource.subresources) {
    bool scale = name == "scale";
    out.push_back({name, scale ? "autoscaling" : resource.group, scale ? "v1" : resource.version,
                   scale ? "Scale" : resource.kind, {"get", "patch", "update"}});
  }
  return out;
}

Place place_of(const Resource& resource) {
  if (resource.group == "events.k8s.io") return {"", "events"};
  return {resource.group, resource.plural};
}

std::shared_ptr<const Catalog> Catalog::built_in() {
  static const std::shared_ptr<const Catalog> kBuiltIn = from_table();
  return kBuiltIn;
}

std::shared_ptr<const Catalog> Catalog::from_table() {
  auto catalog = std::make_shared<Catalog>();
  for (const Row& row : kRows) {
    auto r = std::make_shared<Resource>();
    r->group = row.group;
    r->version = row.version;
    r->plural = row.plural;
    r->singular = row.singular;
    r->kind = row.kind;
    r->namespaced = row.namespaced;
    r->verbs = words(row.verbs);
    r->short_names = words(row.short_names);
    r->categories = words(row.categories);
    for (Subresource& sub : read_subresources(row.subresources)) r->subresources.push_back(sub.name);
    r->type = patch::type_of(r->group, r->version, r->kind);
    if (stored_version(row)) {
      catalog->x_by_name.emplace(name_key(r->group, "", r->plural), r);
    }
    catalog->x_all.push_back(std::move(r));
  }
  catalog->x_built_in = catalog->x_all.size();
  catalog->index();
  return catalog;
}

void Catalog::index() {
  for (const ResourcePtr& r : x_all) {
    x_by_name.emplace(name_key(r->group, r->version, r->plural), r);
    x_by_name.emplace(name_key(r->group, "", r->plural), r);
  }
}

std::shared_ptr<const Catalog> Catalog::with_custom(std::vector<ResourcePtr> custom) const {
  auto next = std::make_shared<Catalog>();
  next->x_all.assign(x_all.begin(), x_all.begin() + static_cast<ptrdiff_t>(x_built_in));
  next->x_built_in = x_built_in;
  for (const ResourcePtr& r : next->x_all) {
    if (ResourcePtr s = stored(r->group, r->plural)) next->x_by_name.emplace(name_key(r->group, "", r->plural), s);
  }
  for (ResourcePtr& r : custom) {
    if (r->stored) next->x_by_name.emplace(name_key(r->group, "", r->plural), r);
    if (r->served) next->x_all.push_back(std::move(r));
  }
  next->index();
  return next;
}

ResourcePtr Catalog::find(std::string_view group, std::string_view version, std::string_view plural) const {
  if (version.empty()) return nullptr;
  auto it = x_by_name.find(name_key(group, version, plural));
  return it == x_by_name.end() ? nullptr : it->second;
}

ResourcePtr Catalog::stored(std::string_view group, std::string_view plural) const {
  auto it = x_by_name.find(name_key(group, "", plural));
  return it == x_by_name.end() ? nullptr : it->second;
}

bool Catalog::has_group(std::string_view group) const {
  return std::any_of(x_all.begin(), x_all.end(), [&](const ResourcePtr& r) { return r->group == group; });
}

bool Catalog::has_version(std::string_view group, std::string_view version) const {
  return std::any_of(x_all.begin(), x_all.end(),
                     [&](const ResourcePtr& r) { return r->group == group && r->version == version; });
}

}  // namespace pintle::drydock
