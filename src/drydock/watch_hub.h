// WatchHub: the open watches, found by what they look at, so that a write touches only those that
// may care; and frames, each encoded once per shape and shared by every watch that gets it.
//
// Every call under the machinery's lock. A reader that falls kMaxQueued behind is cut: it comes back
// and starts from its last version, as after any broken connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drydock/store.h"
#include "drydock/view.h"
#include "httpd/httpd.h"

namespace pintle::drydock {

struct Watch {
  View view;
  std::string shelf;  // "group/plural"
  std::string ns;     // "": all
  LabelSelector labels;
  FieldSelector fields;
  std::string user_agent;
  // shared_ptr: the connection and the hub both hold it until one lets go.
  std::shared_ptr<httpd::Exchange> exchange;
  bool bookmarks = false;
  bool silent = false;     // a fault: sends nothing more
  bool half_open = false;  // and does not end
  int64_t ends_at = 0;     // monotonic ns
  int64_t next_bookmark = 0;
  size_t allowance = 0;    // bytes of initial events, which no reader can be blamed for
  std::atomic<bool> closed = false;

  bool wants(const Object& o) const {
    return (ns.empty() || o.ns == ns) && labels.matches(o.labels) && fields.matches(o.ns, o.name, o.fields);
  }
};

class WatchHub {
 public:
  static constexpr size_t kMaxQueued = 16 << 20;

  // shared_ptr: the exchange's close callback holds it beyond the hub's forgetting.
  void add(std::shared_ptr<Watch> watch);
  // Sends one change to those who see it.
  void publish(World& world, const StoredChange& change);
  // One change to one watch (history, initial events); false: it is gone.
  bool send(World& world, Watch& watch, const StoredChange& change);
  bool send(Watch& watch, httpd::Frame frame);
  // Ends what is over, sends bookmarks that are due, forgets the closed.
  void tick(int64_t monotonic_ns, uint64_t version);
  void end_all();  // cuts every watch
  void end_shelf(std::string_view shelf);  // ends the watches of a resource that is served no more
  size_t size() const { return x_size; }
  void each(const std::function<void(Watch&)>& visit);

 private:
  using List = std::vector<std::shared_ptr<Watch>>;
  struct Encoded {
    std::string shape;
    httpd::Frame frame;
  };
  httpd::Frame encoded(World& world, Watch& watch, const StoredChange& change, std::vector<Encoded>& cache);
  std::unordered_map<std::string, List> x_lists;  // shelf, namespace and name, each may be ""
  size_t x_size = 0;
};

httpd::Frame bookmark(const View& view, uint64_t version, bool initial_end);

}  // namespace pintle::drydock
