#include "informer/delta_queue.h"

#include <unordered_set>

namespace pintle::informer {

void DeltaQueue::push(Delta delta) {
  if (!closed_) deltas_.push_back(std::move(delta));
}

std::vector<Delta> DeltaQueue::pop() {
  std::vector<Delta> batch;
  std::unordered_set<std::string_view> keys;
  while (!deltas_.empty() && batch.size() < kBatch) {
    Delta& d = deltas_.front();
    const bool replace = d.kind == Delta::Kind::kReplaced;
    if (replace && !batch.empty()) break;
    if (d.object && !keys.insert(d.object->key()).second) break;
    batch.push_back(std::move(d));
    deltas_.pop_front();
    synced_ = synced_ || replace;
    if (replace) break;
  }
  return batch;
}

}  // namespace pintle::informer
