// Store: the objects of one resource by key, with indexes. Thread-safe: readers share a lock for
// the time of a lookup and get pointers, never references; objects are immutable.
//
// Guarantees: a batch and a replace are seen whole or not at all. Objects of equal key and
// resourceVersion are not exchanged: a relist of what has not changed leaves the store as it is.
// Index values without objects are removed. The uid is no identity here: an object deleted and made
// again may be seen as one update (compare the uids).
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "informer/object.h"

namespace pintle::informer {

using IndexFunction = std::function<std::vector<std::string>(const Object&)>;
std::vector<std::string> namespace_index(const Object& o);

class Store {
 public:
  ObjectPtr get(std::string_view key) const;  // null when absent
  std::vector<ObjectPtr> list() const;
  std::vector<ObjectPtr> by_index(const std::string& index, const std::string& value) const;
  std::vector<std::string> index_values(const std::string& index) const;
  size_t size() const;
  size_t bytes() const { return bytes_; }  // of the objects and their places, roughly
  std::string version() const;  // of the last object, bookmark or list applied

  // May come later: it indexes what is there. Errors: the name is taken (kAlreadyExists), stopped.
  Status add_index(std::string name, IndexFunction function);
  void stop() { stopped_ = true; }  // no more indexes

  struct Write {
    ObjectPtr object;  // null: delete `key`
    std::string key;
  };
  // The former object of each write, null when there was none. One lock for all.
  std::vector<ObjectPtr> apply(const std::vector<Write>& writes, std::string_view version);

  struct Replaced {
    std::vector<ObjectPtr> gone;  // were here and are not in the list
    struct Changed {
      size_t at;         // in the list
      ObjectPtr before;  // null: new
    };
    std::vector<Changed> changed;  // in list order
    size_t unchanged = 0;
  };
  // `anew`: equal versions may be other states, so only what is held itself is unchanged.
  Replaced replace(const std::vector<ObjectPtr>& objects, std::string_view version,
                   bool anew = false);
  // Only the deletes of a replace: what has none of these keys goes.
  std::vector<ObjectPtr> retain(const std::vector<ObjectPtr>& objects, std::string_view version);

 private:
  struct Index {
    IndexFunction function;
    std::unordered_map<std::string, std::unordered_set<const Object*>> values;
  };
  void index(const Object& o, bool add) REQUIRES(mutex_);
  std::vector<ObjectPtr> erase_others(const std::vector<ObjectPtr>& objects) REQUIRES(mutex_);
  ObjectPtr put(ObjectPtr o) REQUIRES(mutex_);  // the former one
  ObjectPtr erase(std::string_view key) REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  // Keys live in the objects.
  std::unordered_map<std::string_view, ObjectPtr> objects_ GUARDED_BY(mutex_);
  std::map<std::string, Index> indexes_ GUARDED_BY(mutex_);
  std::string version_ GUARDED_BY(mutex_);
  std::atomic<bool> stopped_{false};
  std::atomic<size_t> bytes_{0};  // changed with mutex_ held
};

}  // namespace pintle::informer
