#include "funcs/merge.h"

#include <iterator>
#include <vector>

#include "base/strings.h"
#include "funcs/convert.h"

namespace pintle::funcs {

using value::Kind;
using value::Map;
using value::Value;

namespace {

constexpr size_t kMaxLooked = size_t{1} << 22;

Status merge_level(Map& dst, const Map& src, Overwrite overwrite, int depth, size_t& looked);

// What mergo does inside the pair before it decides about the entry as a whole.
Status merge_pair(const Value& dst, const Value& src, Overwrite overwrite, int depth,
                   size_t& looked) {
  if (dst.is_map() && src.is_map()) {
    if (dst.as_map() && src.as_map()) {
      TRY(merge_level(*dst.as_map(), *src.as_map(), overwrite, depth + 1, looked));
    }
    return ok();
  }
  if (overwrite == Overwrite::kNo && value::kind(dst) == Kind::kPtr &&
      (src.is_map() || value::kind(src) == Kind::kStruct)) {
    return Error("src and dst must be of same type");
  }
  return ok();
}

// What dst has no key for goes to `added`, in order.
Status merge_entries(Map& dst, const Map& src, Overwrite overwrite, int depth, size_t& looked,
                     std::vector<Map::Entry>& added) {
  if (depth > kMaxDepth) return Error(cat("maps are nested deeper than ", kMaxDepth, " levels"));
  // Maps may hold one another twice, level by level.
  looked += src.size();
  if (looked > kMaxLooked) return Error(cat("maps have more than ", kMaxLooked, " entries"));
  bool win = overwrite == Overwrite::kYes;
  // By index and by copy: src may be dst itself, or lie below it.
  for (size_t i = 0; i < src.size(); ++i) {
    const Map::Entry entry = src.begin()[static_cast<ptrdiff_t>(i)];
    const Value& theirs = entry.value;
    const Value* ours = dst.find(entry.key);
    if (theirs.is_nil() && !win) continue;
    if (ours == nullptr) {
      added.push_back(entry);
      continue;
    }
    bool keep = false;
    if (!theirs.is_nil() && !ours->is_nil()) {
      Value mine = *ours;
      TRY(merge_pair(mine, theirs, overwrite, depth, looked));
      // Asked after the merge: an empty map filled by it stays ours.
      keep = !empty(mine) && (!win || (mine.is_map() && theirs.is_map()));
    }
    if (!keep) dst.set(entry.key, theirs);
  }
  return ok();
}

// Sets many at once: one by one each would move what lies behind it.
void set_all(Map& map, std::vector<Map::Entry> more) {
  constexpr size_t kFew = 8;
  auto& entries = map.entries();
  if (more.size() <= kFew || map.empty() || entries.back().key < more.front().key) {
    for (Map::Entry& e : more) map.set(std::move(e.key), std::move(e.value));
    return;
  }
  std::vector<Map::Entry> merged;
  merged.reserve(entries.size() + more.size());
  auto mine = entries.begin();
  for (Map::Entry& e : more) {
    while (mine != entries.end() && mine->key < e.key) merged.push_back(std::move(*mine++));
    if (mine != entries.end() && mine->key == e.key) ++mine;
    merged.push_back(std::move(e));
  }
  std::move(mine, entries.end(), std::back_inserter(merged));
  entries = std::move(merged);
}

Status merge_level(Map& dst, const Map& src, Overwrite overwrite, int depth, size_t& looked) {
  std::vector<Map::Entry> added;
  Status merged = merge_entries(dst, src, overwrite, depth, looked, added);
  set_all(dst, std::move(added));
  return merged;
}

}  // namespace

Status merge_maps(Map& dst, const Map& src, Overwrite overwrite, size_t& looked) {
  return merge_level(dst, src, overwrite, 0, looked);
}

}  // namespace pintle::funcs
