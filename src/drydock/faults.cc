#include "drydock/faults.h"

#include <algorithm>

namespace pintle::drydock {
namespace {

// splitmix64: small, and equal everywhere.
uint64_t next(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

bool Faults::fires(const Fault& fault, std::string_view method, std::string_view path,
                   std::string_view user_agent, bool watch) {
  if (fault.count == 0) return false;
  if (!fault.method.empty() && fault.method != method) return false;
  if (!path.starts_with(fault.path_prefix)) return false;
  if (user_agent.find(fault.user_agent) == std::string_view::npos) return false;
  if (fault.watch && *fault.watch != watch) return false;
  return fault.probability >= 1 ||
         static_cast<double>(next(dice_) >> 11) * 0x1p-53 < fault.probability;
}

Action Faults::decide(std::string_view method, std::string_view path, std::string_view user_agent,
                      bool watch) {
  if (!any_.load(std::memory_order_relaxed)) return {};
  const Lock hold(lock_);
  for (Fault& fault : faults_) {
    if (!fires(fault, method, path, user_agent, watch)) continue;
    ++fault.fired;
    if (fault.count) --*fault.count;
    return {fault.effect, fault.latency_ms, fault.status, fault.retry_after_seconds, fault.message};
  }
  return {};
}

uint64_t Faults::add(Fault fault) {
  const Lock hold(lock_);
  fault.id = next_id_++;
  fault.fired = 0;
  faults_.push_back(std::move(fault));
  any_ = true;
  return faults_.back().id;
}

bool Faults::remove(uint64_t id) {
  const Lock hold(lock_);
  const bool found = std::erase_if(faults_, [&](const Fault& f) { return f.id == id; }) > 0;
  any_ = !faults_.empty();
  return found;
}

void Faults::clear() {
  const Lock hold(lock_);
  faults_.clear();
  any_ = false;
}

std::vector<Fault> Faults::all() const {
  const Lock hold(lock_);
  return faults_;
}

}  // namespace pintle::drydock
