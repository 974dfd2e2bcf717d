// What applying and making strategic merge patches share: the directives, how a field merges, and
// the lists' order rules (apimachinery strategicpatch). Inside the room only.
//
// The trees given to `merge_map` are changed and shared into the result: callers hand deep copies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "patch/schema.h"
#include "value/value.h"

namespace pintle::patch {

using Items = std::vector<value::Value>;

// Few types hold themselves (a CRD's schema); no object nests them this deep.
inline constexpr int kMaxMergeDepth = 1000;

inline constexpr std::string_view kDirective = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList";
inline constexpr std::string_view kOrderPrefix = "$setElementOrder";

// How a member of an object merges. `type`: of the member, for lists of their elements.
struct Merge {
  const Type* type = nullptr;
  bool merge = false;
  bool retain_keys = false;
  std::string_view key;
};
// Errors as the look-up in Go's structs words them.
Result<Merge> struct_merge(const Type* type, std::string_view member);
Result<Merge> list_merge(const Type* type, std::string_view member);

// JSON's kinds, as Go's types tell them apart.
enum class Kind : uint8_t { kNil, kBool, kInteger, kNumber, kString, kList, kMap };
Kind kind_of(const value::Value& v);

Error no_merge_key(const value::Value& map, std::string_view key);
Error bad_type(std::string_view expected, const value::Value& actual);
inline constexpr std::string_view kGoMap = "map[string]interface {}";
inline constexpr std::string_view kGoList = "[]interface {}";

// The one kind of all elements. Errors: different kinds, lists of lists, no element at all.
Result<Kind> element_kind(std::span<const value::Value> a, std::span<const value::Value> b = {});

// Puts `list` in the order of `order`; items with `$patch: delete` go last.
Result<Items> in_order(Items list, std::span<const value::Value> order, std::string_view key,
                       bool maps);

// Of equal scalars the first stays; the list's last item takes the place of each later one.
void drop_duplicates(Items& list);

struct MergeOptions {
  bool merge_lists = true;      // false: directives are kept, as between two halves of a patch
  bool ignore_nulls = true;     // nulls that meet nothing are dropped, else kept
};
Result<value::Value> merge_map(value::Value original, value::Value patch, const Type* type,
                               MergeOptions options);

value::Map& body(value::Value& map);  // gives a nil map a body

}  // namespace pintle::patch
