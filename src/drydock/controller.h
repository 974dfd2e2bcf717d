// Controllers: small level-triggered loops, as in kube-controller-manager, each in its own file under
// controllers/. The runner (controller_runner.h) gives each a queue of keys: a change of a watched
// object is mapped to keys, equal keys wait once, a failed reconcile returns after a growing delay.
// All run on one thread under the machinery's lock; time is the World's, so a stepped clock runs a
// rollout at once. A controller holds no state: what it needs to know is in the objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/world.h"

namespace pintle::drydock {

// One write, seen during the call only. `before` null: created; `after` null: gone.
struct Change {
  std::string_view group, plural;
  const value::Value* before = nullptr;
  const value::Value* after = nullptr;
  const value::Value& object() const { return after ? *after : *before; }
};

struct Watched {
  std::string_view group, plural;  // plural "*": every resource
  // Keys to reconcile after this change.
  std::vector<Key> (*keys)(World& world, const Change& change);
};

// A delay in ns: reconcile again then, even unprompted. None: only after a change.
using Again = std::optional<int64_t>;

struct Controller {
  std::string_view name;  // "deployment-controller": also the event component
  std::vector<Watched> watches;
  // Brings the world towards what `key` asks for. The object may be gone: then clean up.
  Result<Again> (*reconcile)(World& world, const Key& key);
  std::string_view manager = "kube-controller-manager";  // of its writes' managed fields
};

const std::vector<const Controller*>& all_controllers();
// Of these only what an API server does by itself.
const std::vector<const Controller*>& server_controllers();

}  // namespace pintle::drydock
