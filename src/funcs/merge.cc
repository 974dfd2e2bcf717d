#include "funcs/merge.h"

#include "base/strings.h"
#include "funcs/convert.h"

namespace pintle::funcs {

using value::Kind;
using value::Map;
using value::Value;

namespace {

constexpr size_t kMaxLooked = size_t{1} << 22;

Status merge_level(Map& dst, const Map& src, Overwrite overwrite, int depth,
                   size_t& looked);

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

Status merge_level(Map& dst, const Map& src, Overwrite overwrite, int depth,
                   size_t& looked) {
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
    if (theirs.is_nil()) {
      if (win) dst.set(entry.key, theirs);
      continue;
    }
    bool keep = false;
    if (ours != nullptr && !ours->is_nil()) {
      Value mine = *ours;
      TRY(merge_pair(mine, theirs, overwrite, depth, looked));
      // Asked after the merge: an empty map filled by it stays ours.
      keep = !empty(mine) && (!win || (mine.is_map() && theirs.is_map()));
    }
    if (!keep) dst.set(entry.key, theirs);
  }
  return ok();
}

}  // namespace

Status merge_maps(Map& dst, const Map& src, Overwrite overwrite, size_t& looked) {
  return merge_level(dst, src, overwrite, 0, looked);
}

}  // namespace pintle::funcs
