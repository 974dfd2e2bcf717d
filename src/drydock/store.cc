#include "drydock/store.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace pintle::drydock {

const Store::Objects* Store::shelf(std::string_view group, std::string_view plural) const {
  auto it = x_shelves.find(cat(group, "/", plural));
  return it == x_shelves.end() ? nullptr : &it->second;
}

Store::Objects& Store::shelf_for(std::string_view group, std::string_view plural, std::string_view* name) {
  auto it = x_shelves.try_emplace(cat(group, "/", plural)).first;
  *name = it->first;
  return it->second;
}

ObjectPtr Store::find(std::string_view group, std::string_view plural, std::string_view ns,
                      std::string_view name) const {
  const Objects* objects = shelf(group, plural);
  if (!objects) return nullptr;
  auto it = objects->find(key_of(ns, name));
  return it == objects->end() ? nullptr : it->second;
}

void Store::each(std::string_view group, std::string_view plural, std::string_view ns, std::string_view after,
                 const std::function<bool(const ObjectPtr&)>& visit) const {
  const Objects* objects = shelf(group, plural);
  if (!objects) return;
  std::string prefix = ns.empty() ? std::string() : cat(ns, "/");
  auto it = after.empty() ? objects->lower_bound(prefix) : objects->upper_bound(after);
  for (; it != objects->end() && it->first.starts_with(prefix); ++it) {
    if (!visit(it->second)) return;
  }
}

size_t Store::count(std::string_view group, std::string_view plural) const {
  const Objects* objects = shelf(group, plural);
  return objects ? objects->size() : 0;
}

const StoredChange& Store::record(StoredChange change) {
  x_version = change.version;
  x_history.push_back(std::move(change));
  while (x_history.size() > std::max<size_t>(x_limit, 1)) {
    x_compacted = x_history.front().version;
    x_history.pop_front();
  }
  return x_history.back();
}

const StoredChange& Store::put(std::string_view group, std::string_view plural, ObjectPtr object) {
  CHECK(object->version == next_version());
  StoredChange change;
  Objects& objects = shelf_for(group, plural, &change.shelf);
  ObjectPtr& slot = objects[key_of(object->ns, object->name)];
  change.type = slot ? ChangeType::kModified : ChangeType::kAdded;
  if (!slot) ++x_count;
  change.version = object->version;
  change.before = std::move(slot);
  slot = object;
  change.object = std::move(object);
  return record(std::move(change));
}

const StoredChange* Store::remove(std::string_view group, std::string_view plural, std::string_view ns,
                                  std::string_view name) {
  StoredChange change;
  Objects& objects = shelf_for(group, plural, &change.shelf);
  auto it = objects.find(key_of(ns, name));
  if (it == objects.end()) return nullptr;
  change.type = ChangeType::kDeleted;
  change.version = next_version();
  change.object = it->second;
  change.before = std::move(it->second);
  objects.erase(it);
  --x_count;
  return &record(std::move(change));
}

void Store::restore(std::string_view group, std::string_view plural, ObjectPtr object) {
  std::string_view name;
  Objects& objects = shelf_for(group, plural, &name);
  restore_version(object->version);
  objects[key_of(object->ns, object->name)] = std::move(object);
  ++x_count;
}

void Store::restore_version(uint64_t version) {
  x_version = std::max(x_version, version);
  x_compacted = x_version;
}

void Store::each_at(uint64_t version, std::string_view group, std::string_view plural, std::string_view ns,
                    std::string_view after, const std::function<bool(const ObjectPtr&)>& visit) const {
  const std::string wanted = cat(group, "/", plural);
  std::map<std::string, ObjectPtr, std::less<>> then;  // what changed since; null: was not there
  for (auto it = x_history.rbegin(); it != x_history.rend() && it->version > version; ++it) {
    if (it->shelf == wanted) then[key_of(it->object->ns, it->object->name)] = it->before;
  }
  if (then.empty()) return each(group, plural, ns, after, visit);
  const std::string prefix = ns.empty() ? "" : cat(ns, "/");
  auto old = then.upper_bound(after);
  bool more = true;
  // What is gone or was another then stands in the order of its key among what has stayed.
  auto earlier = [&](std::string_view key, bool all) {
    for (; more && old != then.end() && (all || old->first < key); ++old) {
      if (old->second && old->first.starts_with(prefix)) more = visit(old->second);
    }
  };
  each(group, plural, ns, after, [&](const ObjectPtr& o) {
    const std::string key = key_of(o->ns, o->name);
    earlier(key, false);
    if (!more || then.contains(key)) {
      if (more && old != then.end() && old->first == key) {
        if (old->second) more = visit(old->second);
        ++old;
      }
      return more;
    }
    return more = visit(o);
  });
  earlier("", true);
}

bool Store::replay(std::string_view group, std::string_view plural, uint64_t since,
                   const std::function<void(const StoredChange&)>& visit) const {
  if (since < x_compacted) return false;
  std::string shelf = cat(group, "/", plural);
  auto it = std::upper_bound(x_history.begin(), x_history.end(), since,
                             [](uint64_t v, const StoredChange& c) { return v < c.version; });
  for (; it != x_history.end(); ++it) {
    if (it->shelf == shelf) visit(*it);
  }
  return true;
}

uint64_t Store::compact() {
  x_history.clear();
  x_compacted = x_version;
  return x_compacted;
}

}  // namespace pintle::drydock
