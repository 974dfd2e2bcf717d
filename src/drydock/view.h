// View: how a client asked to see objects: in which version, whole, as metadata only, or as the rows
// of a table. Whole objects and metadata are cut from the stored text; a table needs the tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/object.h"
#include "drydock/world.h"

namespace pintle::drydock {

enum class Form : uint8_t { kObject, kPartial, kTable };
enum class Included : uint8_t { kNone, kMetadata, kObject };  // in a table's rows

struct View {
  ResourcePtr resource;
  Form form = Form::kObject;
  bool of_list = false;  // a Partial was asked for by its list's name
  bool yaml = false;
  Included included = Included::kMetadata;
  std::string meta_version = "v1";  // of meta.k8s.io, for tables and metadata
};

// One object; `version`: the resource version to show in place of its own (0: its own).
// World: tables only (ages, cells).
std::string show(World& world, const View& view, const Object& object, uint64_t version = 0,
                 bool table_headers = true);
// A list in pieces: head, items, tail. `rest`: the metadata's continue and remainingItemCount.
struct ListMeta {
  uint64_t version = 0;
  std::string next;
  int64_t remaining = -1;
};
std::vector<std::string> show_list(World& world, const View& view, const std::vector<ObjectPtr>& objects,
                                   const ListMeta& meta);

// The API server's type of the kind, as its error texts show it: "core.ConfigMap".
std::string go_type_of(const Resource& resource);

// An object's tree in the resource's version (converted from the stored one).
value::Value tree_in(const Resource& resource, const Object& object);
// To the stored version; kind and apiVersion are set.
void to_stored(const Resource& from, const Resource& stored, value::Value& object);

}  // namespace pintle::drydock
