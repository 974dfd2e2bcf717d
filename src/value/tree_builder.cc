#include "value/tree_builder.h"

#include <algorithm>
#include <iterator>

namespace pintle::value {

size_t sort_unique(Map::Entry* e, size_t n) {
  size_t sorted = 1;
  while (sorted < n && e[sorted - 1].key < e[sorted].key) ++sorted;
  if (sorted >= n) return n;
  constexpr size_t kSmall = 12;
  if (n <= kSmall) {
    for (size_t i = sorted; i < n; ++i) {
      for (size_t k = i; k > 0 && e[k].key < e[k - 1].key; --k) std::swap(e[k], e[k - 1]);
    }
  } else {
    std::stable_sort(e, e + n, [](const auto& a, const auto& b) { return a.key < b.key; });
  }
  size_t kept = 0;
  for (size_t i = 0; i < n; ++i) {
    if (i + 1 < n && e[i].key == e[i + 1].key) continue;
    if (kept != i) e[kept] = std::move(e[i]);
    ++kept;
  }
  return kept;
}

Value TreeBuilder::close_map(size_t start) {
  auto first = entries_.begin() + static_cast<ptrdiff_t>(start);
  size_t n = sort_unique(&*first, entries_.size() - start);
  auto m = Ref<Map>::make();
  m->entries().assign(std::make_move_iterator(first),
                      std::make_move_iterator(first + static_cast<ptrdiff_t>(n)));
  entries_.erase(first, entries_.end());
  return Value::map(std::move(m));
}

Value TreeBuilder::close_list(size_t start) {
  auto first = items_.begin() + static_cast<ptrdiff_t>(start);
  std::vector<Value> items(std::make_move_iterator(first), std::make_move_iterator(items_.end()));
  items_.erase(first, items_.end());
  return Value::list_of(std::move(items));
}

void TreeBuilder::close() {
  Frame f = frames_.back();
  frames_.pop_back();
  if (!f.is_map) {
    add(close_list(f.start));
  } else if (f.start == entries_.size()) {
    add(Value::map(make_map()));
  } else {
    add(close_map(f.start));
  }
}

}  // namespace pintle::value
