#include "drydock/controller_runner.h"

#include <algorithm>

namespace pintle::drydock {
namespace {

constexpr int64_t kFirstDelay = 5'000'000;  // 5 ms
constexpr int kMaxDoublings = 11;           // about 10 s

std::vector<std::string> owner_uids(const value::Value* object) {
  std::vector<std::string> uids;
  if (!object) return uids;
  const value::Value* meta = object->get("metadata");
  const value::Value* owners = meta ? meta->get("ownerReferences") : nullptr;
  if (!owners) return uids;
  for (const value::Value& owner : owners->items()) {
    const value::Value* uid = owner.get("uid");
    if (uid && uid->is_string()) uids.emplace_back(uid->as_string());
  }
  std::sort(uids.begin(), uids.end());
  return uids;
}

std::string text_at(const value::Value& map, std::string_view field) {
  const value::Value* v = map.get(field);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

}  // namespace

Runner::Runner(std::vector<const Controller*> controllers) : x_controllers(std::move(controllers)) {}

void Runner::changed(World& world, const Change& change) {
  index_owners(change);
  int64_t now = world.now_ns();
  for (size_t i = 0; i < x_controllers.size(); ++i) {
    for (const Watched& watched : x_controllers[i]->watches) {
      bool wanted = watched.plural == "*" ||
                    (watched.plural == change.plural && watched.group == change.group);
      if (!wanted) continue;
      for (Key& key : watched.keys(world, change)) add({i, std::move(key)}, now);
    }
  }
}

void Runner::add(Item item, int64_t due) {
  auto [it, fresh] = x_waiting.try_emplace(std::move(item), Waiting{due, x_turn});
  Waiting& waiting = it->second;
  if (!fresh) {
    if (waiting.due <= due) return;
    x_queue.erase({{waiting.due, waiting.turn}, &it->first});
    waiting = {due, x_turn};
  }
  ++x_turn;
  x_queue.insert({{waiting.due, waiting.turn}, &it->first});
}

size_t Runner::run_due(World& world, size_t limit) {
  size_t done = 0;
  for (; done < limit && !x_queue.empty(); ++done) {
    auto first = x_queue.begin();
    if (first->first.first > world.now_ns()) break;
    auto it = x_waiting.find(*first->second);
    x_queue.erase(first);
    Item item = it->first;
    x_waiting.erase(it);

    const Controller& controller = *x_controllers[item.controller];
    world.act_as(controller.manager);
    Result<Again> again = controller.reconcile(world, item.key);
    if (again) {
      x_failures.erase(item);
      if (*again) add(std::move(item), world.now_ns() + **again);
      continue;
    }
    int failures = std::min(x_failures[item]++, kMaxDoublings);
    add(std::move(item), world.now_ns() + (kFirstDelay << failures));
  }
  return done;
}

std::optional<int64_t> Runner::next_due_ns() const {
  if (x_queue.empty()) return std::nullopt;
  return x_queue.begin()->first.first;
}

void Runner::index_owners(const Change& change) {
  std::vector<std::string> before = owner_uids(change.before);
  std::vector<std::string> after = owner_uids(change.after);
  if (before == after) return;
  const value::Value* meta = change.object().get("metadata");
  if (!meta) return;
  Key key{std::string(change.group), std::string(change.plural), text_at(*meta, "namespace"),
          text_at(*meta, "name")};
  for (const std::string& uid : before) {
    auto it = x_dependents.find(uid);
    if (it == x_dependents.end()) continue;
    it->second.erase(key);
    if (it->second.empty()) x_dependents.erase(it);
  }
  for (const std::string& uid : after) x_dependents[uid].insert(key);
}

std::vector<Key> Runner::dependents(std::string_view uid) const {
  auto it = x_dependents.find(std::string(uid));
  if (it == x_dependents.end()) return {};
  return {it->second.begin(), it->second.end()};
}

}  // namespace pintle::drydock
