// Object: one stored object as the JSON text it is served as, and the few facts that select it.
// Immutable once made, shared by the store, the history, lists and watches of all threads.
//
// The text is {"kind":..,"apiVersion":..,"metadata":{..},..}: kind and version can be replaced, the
// resource version exchanged and the metadata cut out without parsing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "drydock/selectors.h"
#include "value/value.h"

namespace pintle::drydock {

struct Object {
  std::string ns, name, uid;
  uint64_t version = 0;
  Pairs labels, fields;  // `fields`: what field selectors may ask beyond name and namespace
  std::string json;
  uint32_t metadata = 0, metadata_end = 0;  // `"metadata":` .. the byte after its value
  uint32_t rv = 0;                          // the digits' place in json

  std::string_view metadata_text() const;  // {...}
  std::string_view tail() const;           // from `"metadata":` to the end
};
using ObjectPtr = std::shared_ptr<const Object>;

std::string key_of(std::string_view ns, std::string_view name);  // "ns/name"; "name" without ns

// Sets metadata.resourceVersion in `value` (0: there is none yet) and encodes it.
ObjectPtr encode_object(value::Value& value, uint64_t version, Pairs fields);
// The text with another resource version in it.
std::string with_version(const Object& object, uint64_t version);
value::Value parse_object(const Object& object);

}  // namespace pintle::drydock
