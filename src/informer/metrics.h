// Counters of one informer as plain data (client-go's reflector and informer metrics).
#pragma once

#include <cstdint>
#include <string>

namespace pintle::informer {

struct Counters {
  // Reflector.
  uint64_t lists = 0, list_items = 0, list_failures = 0;
  int64_t list_ns = 0;              // all lists together
  uint64_t watches = 0, short_watches = 0, watch_items = 0, watch_bookmarks = 0, watch_failures = 0;
  int64_t watch_ns = 0;
  uint64_t watch_list_fallbacks = 0;
  uint64_t expired = 0;             // 410: lists, watches and frames
  uint64_t backoffs = 0;
  uint64_t skipped_frames = 0;      // of another kind, without metadata, unknown type, too long
  uint64_t transform_failures = 0;
  std::string last_version;         // the reflector's resourceVersion
  std::string last_error;           // why a list or watch ended; "" when a list came, or a watch was answered, since
  // Informer.
  uint64_t added = 0, updated = 0, deleted = 0, unchanged = 0, resynced = 0, tombstones = 0;
  uint64_t handler_failures = 0;    // a handler threw
  uint64_t pauses = 0;              // decoding held up by full handlers
  size_t queued = 0, objects = 0, bytes = 0;  // bytes: that the objects take
  std::string store_version;
};

}  // namespace pintle::informer
