// The texts toYaml gave for maps it wrote twice: charts write the same map again and again (a
// checksum of .Values or the same labels in every template). A map's text is known until any map
// is changed in place: functions that do so call changed(). What render changes between templates,
// a chart's scope, is never kept: it is told by its key Subcharts. 64 maps and their texts are kept
// alive at most. One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "value/value.h"

namespace pintle::funcs {

class YamlTexts {
 public:
  const value::Str* find(const value::Value& map) const {
    const Slot& slot = slots_[index(map)];
    bool known = slot.changes == changes_ && slot.map.type() == map.type();
    return known && slot.map.as_map() == map.as_map() ? &slot.text : nullptr;
  }
  void wrote(const value::Value& map, const value::Str& text) {
    Slot& slot = slots_[index(map)];
    if (std::exchange(slot.written, map.as_map()) != map.as_map() || holds_scope(map)) return;
    slot.map = map;
    slot.text = text;
    slot.changes = changes_;
  }
  void changed() { ++changes_; }

 private:
  struct Slot {
    const value::Map* written = nullptr;  // last; it may be gone
    value::Value map;
    value::Str text;
    uint64_t changes = 0;
  };
  static bool holds_scope(const value::Value& v) {
    if (v.is_list()) return std::ranges::any_of(v.items(), holds_scope);
    if (!v.is_map() || !v.as_map()) return false;
    return std::ranges::any_of(*v.as_map(), [](const value::Map::Entry& e) {
      return e.key.view() == "Subcharts" || holds_scope(e.value);
    });
  }
  static size_t index(const value::Value& map) {
    return reinterpret_cast<uintptr_t>(map.as_map()) / alignof(std::max_align_t) % kSlots;
  }
  static constexpr size_t kSlots = 64;
  std::array<Slot, kSlots> slots_;
  uint64_t changes_ = 0;
};

}  // namespace pintle::funcs
