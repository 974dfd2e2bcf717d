// Controllers: small level-triggered loops, as in kube-controller-manager, each in its own file under
// controllers/. The runner gives each a queue of keys: a change of a watched object is mapped to keys,
// equal keys wait once, a failed reconcile returns after a growing delay. All run on one thread under
// the machinery's lock; time is the World's, so a stepped clock runs a rollout at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/world.h"

namespace pintle::drydock {

struct Watched {
  std::string_view group, plural;
  // Keys to reconcile after `object` (its last state, for a deletion) changed.
  std::vector<Key> (*keys)(World& world, const value::Value& object, bool deleted);
};

struct Controller {
  std::string_view name;  // "deployment-controller": also the field manager and event component
  std::vector<Watched> watches;
  // Brings the world towards what `key` asks for. A delay in ns: call again then, even unprompted.
  Result<std::optional<int64_t>> (*reconcile)(World& world, const Key& key);
};

const std::vector<const Controller*>& all_controllers();

// The common map: the object itself.
std::vector<Key> key_of_self(World& world, const value::Value& object, bool deleted);
// The controlling owner, when it is of this kind.
std::vector<Key> key_of_owner(const value::Value& object, std::string_view group, std::string_view kind,
                              std::string_view plural);

}  // namespace pintle::drydock
