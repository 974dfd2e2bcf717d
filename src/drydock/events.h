// Events: how they are counted, and when they go.
//
// EventMemory is the memory of client-go's recorder: the same words about the same object raise the
// count of the Event that says them; from the tenth different message of one kind within ten minutes
// on, one Event stands for all that follow. EventAges knows which Event was last written when, so that
// expiry looks at what is due and at nothing else.
// Limits: the memory keeps the last 4,096 to 8,192 of each, as the recorder's caches; what is forgotten
// is said by a new Event. Cost: a map look-up per event; an entry (about 150 bytes) per write within the
// time to live; expiry is linear in what expires.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace pintle::drydock {

// A map that forgets what was not asked for among its last entries. Two halves: when the young one is
// full it becomes the old one, and the old one goes.
template <typename V>
class Recent {
 public:
  explicit Recent(size_t half = 4096) : x_half(half) {}
  V* find(const std::string& key) {
    if (auto it = x_young.find(key); it != x_young.end()) return &it->second;
    auto it = x_old.find(key);
    if (it == x_old.end()) return nullptr;
    V value = std::move(it->second);
    x_old.erase(it);
    return &put(key, std::move(value));
  }
  V& put(const std::string& key, V value) {
    if (x_young.size() >= x_half) {
      x_old = std::move(x_young);
      x_young.clear();
    }
    return x_young[key] = std::move(value);
  }
  size_t size() const { return x_young.size() + x_old.size(); }

 private:
  size_t x_half;
  std::unordered_map<std::string, V> x_young, x_old;
};

class EventMemory {
 public:
  struct Said {
    std::string key;      // for named()
    std::string message;  // may be marked as combined
    std::string name;     // of the Event that says it already; "": none known
  };
  // `about` is the object's uid.
  Said say(std::string_view about, std::string_view type, std::string_view reason, std::string_view component,
           std::string_view message, int64_t now_ns);
  void named(const std::string& key, std::string name) { x_names.put(key, std::move(name)); }

 private:
  struct Similar {
    std::set<std::string, std::less<>> messages;
    int64_t last_ns = 0;
  };
  Recent<std::string> x_names;
  Recent<Similar> x_similar;
};

class EventAges {
 public:
  struct Due {
    std::string ns, name;
    uint64_t version;  // the write that is due; a later one has an entry of its own
  };
  // In the order of time; an earlier time than the last counts as that.
  void written(int64_t now_ns, std::string_view ns, std::string_view name, uint64_t version);
  // The oldest entry, when it was written before `limit_ns`.
  std::optional<Due> take(int64_t limit_ns);

 private:
  struct Entry {
    int64_t ns_written;
    Due what;
  };
  std::deque<Entry> x_entries;
};

}  // namespace pintle::drydock
