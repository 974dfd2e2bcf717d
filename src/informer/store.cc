#include "informer/store.h"

#include "base/strings.h"

namespace pintle::informer {
namespace {

constexpr size_t kPlaceBytes = 64;  // a node of the map and the pointer's counts

}  // namespace

std::vector<std::string> namespace_index(const Object& o) { return {std::string(o.name_space())}; }

ObjectPtr Store::get(std::string_view key) const {
  ReadLock held(mutex_);
  const auto it = objects_.find(key);
  return it == objects_.end() ? nullptr : it->second;
}

std::vector<ObjectPtr> Store::list() const {
  ReadLock held(mutex_);
  std::vector<ObjectPtr> out;
  out.reserve(objects_.size());
  for (const auto& [key, o] : objects_) out.push_back(o);
  return out;
}

std::vector<ObjectPtr> Store::by_index(const std::string& index, const std::string& value) const {
  ReadLock held(mutex_);
  std::vector<ObjectPtr> out;
  const auto i = indexes_.find(index);
  if (i == indexes_.end()) return out;
  const auto v = i->second.values.find(value);
  if (v == i->second.values.end()) return out;
  out.reserve(v->second.size());
  for (const Object* o : v->second) out.push_back(objects_.find(o->key())->second);
  return out;
}

std::vector<std::string> Store::index_values(const std::string& index) const {
  ReadLock held(mutex_);
  std::vector<std::string> out;
  if (const auto i = indexes_.find(index); i != indexes_.end()) {
    for (const auto& [value, objects] : i->second.values) out.push_back(value);
  }
  return out;
}

size_t Store::size() const {
  ReadLock held(mutex_);
  return objects_.size();
}

std::string Store::version() const {
  ReadLock held(mutex_);
  return version_;
}

Status Store::add_index(std::string name, IndexFunction function) {
  WriteLock held(mutex_);
  if (stopped_) return Error(Code::kFailedPrecondition, "informer has already stopped");
  if (indexes_.contains(name)) {
    return Error(Code::kAlreadyExists, cat("indexer conflict: ", name));
  }
  Index& index = indexes_[std::move(name)];
  index.function = std::move(function);
  for (const auto& [key, o] : objects_) {
    for (auto& value : index.function(*o)) index.values[std::move(value)].insert(o.get());
  }
  return ok();
}

void Store::index(const Object& o, bool add) {
  for (auto& [name, index] : indexes_) {
    for (auto& value : index.function(o)) {
      if (add) {
        index.values[std::move(value)].insert(&o);
      } else if (const auto at = index.values.find(value); at != index.values.end()) {
        at->second.erase(&o);
        if (at->second.empty()) index.values.erase(at);
      }
    }
  }
}

ObjectPtr Store::erase(std::string_view key) {
  const auto it = objects_.find(key);
  if (it == objects_.end()) return nullptr;
  ObjectPtr before = std::move(it->second);
  objects_.erase(it);  // before the object: the map's key lives in it
  bytes_ -= before->footprint() + kPlaceBytes;
  index(*before, false);
  return before;
}

ObjectPtr Store::put(ObjectPtr o) {
  ObjectPtr before = erase(o->key());
  index(*o, true);
  bytes_ += o->footprint() + kPlaceBytes;
  const std::string_view key = o->key();
  objects_.emplace(key, std::move(o));
  return before;
}

std::vector<ObjectPtr> Store::apply(const std::vector<Write>& writes, std::string_view version) {
  WriteLock held(mutex_);
  std::vector<ObjectPtr> before;
  before.reserve(writes.size());
  for (const Write& w : writes) before.push_back(w.object ? put(w.object) : erase(w.key));
  if (!version.empty()) version_ = version;
  return before;
}

std::vector<ObjectPtr> Store::erase_others(const std::vector<ObjectPtr>& objects) {
  std::unordered_set<std::string_view> listed;
  listed.reserve(objects.size());
  for (const ObjectPtr& o : objects) listed.insert(o->key());
  std::vector<ObjectPtr> gone;
  for (const auto& [key, o] : objects_) {
    if (!listed.contains(key)) gone.push_back(o);
  }
  for (const ObjectPtr& o : gone) erase(o->key());
  return gone;
}

std::vector<ObjectPtr> Store::retain(const std::vector<ObjectPtr>& objects,
                                     std::string_view version) {
  WriteLock held(mutex_);
  if (!version.empty()) version_ = version;
  return erase_others(objects);
}

Store::Replaced Store::replace(const std::vector<ObjectPtr>& objects, std::string_view version,
                               bool anew) {
  WriteLock held(mutex_);
  Replaced r;
  r.gone = erase_others(objects);
  for (size_t i = 0; i < objects.size(); ++i) {
    const ObjectPtr& o = objects[i];
    const auto it = objects_.find(o->key());
    const bool same = it != objects_.end() &&
                      (it->second == o || (!anew && !o->resource_version().empty() &&
                                           it->second->resource_version() == o->resource_version() &&
                                           it->second->uid() == o->uid()));
    if (same) {
      ++r.unchanged;
    } else {
      r.changed.push_back({i, put(o)});
    }
  }
  if (!version.empty()) version_ = version;
  return r;
}

}  // namespace pintle::informer
