// Object: one Kubernetes object as it was received, immutable and shared.
//
// It keeps the JSON text (after the transform) and knows where its heads are: namespace, name, uid,
// resourceVersion. No tree is built: value::Value belongs to one thread, this to all. Whoever wants
// a tree reads text(). Items of lists of built-in kinds have neither kind nor apiVersion: so the
// server sends them. Cost: the text, its key and about 100 bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::informer {

class Object;
// Shared: the store, every handler's queue and the callers of the store hold the same one.
using ObjectPtr = std::shared_ptr<const Object>;

class Object {
 public:
  // Error: broken JSON, no object, no metadata, no name.
  static Result<ObjectPtr> parse(std::string_view json);
  // The heads of another, without its text (text() is then "").
  static ObjectPtr heads_of(const Object& o);

  std::string_view text() const { return view({0, text_size_}); }
  std::string_view key() const { return view(key_); }  // "namespace/name", or "name"
  std::string_view name_space() const;                 // "" for cluster-wide objects
  std::string_view name() const;
  std::string_view uid() const { return view(uid_); }
  std::string_view resource_version() const { return view(version_); }

  size_t footprint() const { return sizeof(Object) + data_.capacity(); }  // bytes it takes

  // A string inside, "" when it is missing: for index functions. Scans the text up to it.
  std::string field(std::initializer_list<std::string_view> path) const;

  Object() = default;  // for make_shared: use parse

 private:
  struct Span {
    uint32_t at = 0, size = 0;
  };
  std::string_view view(Span s) const { return std::string_view(data_).substr(s.at, s.size); }

  std::string data_;  // the text, then the heads that do not stand in it as they are
  uint32_t text_size_ = 0, namespace_size_ = 0;
  Span key_, uid_, version_;
};

// Called once for each object that comes in (listed or watched), before it is compared or queued;
// never for tombstones or resyncs. Gives the text to keep. It must be pure and quick. An error
// fails a whole list (which is tried again later); a watched object is left out until the next
// list.
using Transform = std::function<Result<std::string>(std::string json)>;

// Leaves out metadata.managedFields: about half of a typical object.
Transform drop_managed_fields();

}  // namespace pintle::informer
