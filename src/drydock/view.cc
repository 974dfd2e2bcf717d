#include "drydock/view.h"

#include "base/check.h"
#include "base/strings.h"
#include "drydock/convert.h"
#include "drydock/custom_resources.h"
#include "drydock/kinds.h"
#include "drydock/printers/cells.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

// The text without its opening head, from "metadata" on, in the view's version.
std::string body_of(const View& view, const Object& object, uint64_t version, bool with_head) {
  std::string head =
      with_head ? cat("{\"kind\":", json::quoted(view.resource->kind), ",\"apiVersion\":",
                      json::quoted(view.resource->api_version()), ",")
                : "{";
  if (needs_conversion(*view.resource)) {
    Value tree = tree_in(*view.resource, object);
    ObjectPtr shown = encode_object(tree, version ? version : object.version, {});
    return head.append(shown->tail());
  }
  if (version == 0) return head.append(object.tail());
  return head.append(std::string_view(with_version(object, version)).substr(object.metadata));
}

std::string partial_head(const View& view) {
  return cat("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/", view.meta_version,
             "\",\"metadata\":");
}

std::string partial(const View& view, const Object& object, uint64_t version) {
  if (version == 0) return cat(partial_head(view), object.metadata_text(), "}");
  Object renamed = object;
  renamed.json = with_version(object, version);
  renamed.metadata_end += static_cast<uint32_t>(renamed.json.size() - object.json.size());
  return cat(partial_head(view), renamed.metadata_text(), "}");
}

const std::vector<Column>& common_columns() {
  static const std::vector<Column> kColumns = {
      {"Name", "string", "name",
       "Name must be unique within a namespace. Is required when creating resources, although some "
       "resources may allow a client to request the generation of an appropriate name automatically. "
       "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
       "updated. More info: "
       "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
       0},
      {"Created At", "date", "",
       "CreationTimestamp is a timestamp representing the server time when this object was created. "
       "It is not guaranteed to be set in happens-before order across separate operations. Clients "
       "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
       "system. Read-only. Null for lists. More info: "
       "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
       0}};
  return kColumns;
}

const KindRules* rules_for(const View& view) {
  if (view.resource->custom()) return nullptr;
  return rules_of(view.resource->group, view.resource->kind);
}

std::string columns_text(const View& view) {
  const KindRules* rules = rules_for(view);
  std::vector<Column> columns = common_columns();
  if (rules && rules->columns) {
    columns.pop_back();
    columns.insert(columns.end(), rules->columns().begin(), rules->columns().end());
  }
  if (view.resource->custom()) {
    columns.pop_back();
    for (CustomColumn c : custom_columns(*view.resource)) {
      if (c.description.empty()) c.description = cat("Custom resource definition column (in JSONPath format): ", c.json_path);
      columns.push_back(std::move(c));
    }
  }
  std::string out = "[";
  for (const Column& c : columns) {
    if (out.size() > 1) out += ',';
    append(out, {"{\"name\":", json::quoted(c.name), ",\"type\":", json::quoted(c.type), ",\"format\":", json::quoted(c.format),
                 ",\"description\":", json::quoted(c.description), ",\"priority\":", std::to_string(c.priority), "}"});
  }
  return out + "]";
}

// kubectl's mark of the class that is taken when none is asked for.
std::string_view default_mark(const Resource& resource, const Value& tree) {
  auto says = [&](std::string_view key) { return text(tree, "metadata", "annotations", key) == "true"; };
  bool marked = (resource.kind == "StorageClass" && (says("storageclass.kubernetes.io/is-default-class") ||
                                                     says("storageclass.beta.kubernetes.io/is-default-class"))) ||
                (resource.kind == "IngressClass" && says("ingressclass.kubernetes.io/is-default-class"));
  return marked ? " (default)" : "";
}

std::string row_text(World& world, const View& view, const Object& object, uint64_t version) {
  const KindRules* rules = rules_for(view);
  std::string out = "{\"cells\":[";
  Value tree = parse_object(object);
  if (view.resource->custom()) {
    out += json::quoted(object.name);
    for (const CustomColumn& column : custom_columns(*view.resource)) {
      Value cell = custom_cell(tree, column);
      if (column.type == "date" && cell.is_string()) cell = make(age_of(world, cell.as_string()));
      out += ',';
      if (!json::append(out, cell)) out += "null";
    }
  } else if (rules && rules->cells) {
    out += json::quoted(cat(object.name, default_mark(*view.resource, tree)));
    for (const Value& cell : rules->cells(world, tree)) {
      out += ',';
      if (!json::append(out, cell)) out += "null";
    }
  } else {
    append(out, {json::quoted(object.name), ",", json::quoted(text(tree, "metadata", "creationTimestamp"))});
  }
  out += "]";
  if (view.included == Included::kMetadata) append(out, {",\"object\":", partial(view, object, version)});
  if (view.included == Included::kObject) append(out, {",\"object\":", body_of(view, object, version, true)});
  return out + "}";
}

std::string table_head(const View& view, const std::string& meta, bool headers) {
  return cat("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/", view.meta_version, "\",\"metadata\":", meta,
             ",\"columnDefinitions\":", headers ? columns_text(view) : std::string("null"), ",\"rows\":[");
}

std::string list_meta_text(const ListMeta& meta) {
  if (meta.version == 0) return "{}";  // of an object that is stored nowhere
  std::string out = cat("{\"resourceVersion\":\"", meta.version, "\"");
  if (!meta.next.empty()) append(out, {",\"continue\":", json::quoted(meta.next)});
  if (meta.remaining > 0) append(out, {",\"remainingItemCount\":", std::to_string(meta.remaining)});
  return out + "}";
}

}  // namespace

std::string go_type_of(const Resource& resource) {
  if (resource.custom()) return "unstructured.Unstructured";
  std::string_view package = resource.group.empty() ? "core" : std::string_view(resource.group).substr(0, resource.group.find('.'));
  return cat(package, ".", resource.kind);
}

Value tree_in(const Resource& resource, const Object& object) {
  Value tree = parse_object(object);
  convert_from_stored(resource, tree);
  return tree;
}

void to_stored(const Resource& from, const Resource& stored, Value& object) {
  convert_to_stored(from, stored, object);
}

std::string show(World& world, const View& view, const Object& object, uint64_t version, bool table_headers) {
  switch (view.form) {
    case Form::kObject: return body_of(view, object, version, true);
    case Form::kPartial: return partial(view, object, version);
    case Form::kTable: break;
  }
  uint64_t shown = version ? version : object.version;
  return cat(table_head(view, list_meta_text({shown, "", -1}), table_headers),
             row_text(world, view, object, version), "]}");
}

std::vector<std::string> show_list(World& world, const View& view, const std::vector<ObjectPtr>& objects,
                                   const ListMeta& meta) {
  constexpr size_t kPiece = 256 << 10;  // what one frame of the answer holds, about
  std::vector<std::string> out;
  std::string piece;
  std::string meta_text = list_meta_text(meta);
  switch (view.form) {
    case Form::kTable: piece = table_head(view, meta_text, true); break;
    case Form::kPartial:
      piece = cat("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/", view.meta_version,
                  "\",\"metadata\":", meta_text, ",\"items\":[");
      break;
    case Form::kObject:
      piece = cat("{\"kind\":", json::quoted(cat(view.resource->kind, "List")), ",\"apiVersion\":",
                  json::quoted(view.resource->api_version()), ",\"metadata\":", meta_text, ",\"items\":[");
      break;
  }
  bool first = true;
  for (const ObjectPtr& o : objects) {
    if (!first) piece += ',';
    first = false;
    switch (view.form) {
      case Form::kTable: piece += row_text(world, view, *o, 0); break;
      case Form::kPartial: append(piece, {partial_head(view), o->metadata_text(), "}"}); break;
      case Form::kObject:
        // Typed lists leave out what the list says already; lists of custom resources do not.
        if (!view.resource->custom() && !needs_conversion(*view.resource)) {
          append(piece, {"{", o->tail()});
        } else {
          piece += body_of(view, *o, 0, view.resource->custom());
        }
        break;
    }
    if (piece.size() >= kPiece) {
      out.push_back(std::move(piece));
      piece.clear();
    }
  }
  piece += "]}";
  out.push_back(std::move(piece));
  return out;
}

}  // namespace pintle::drydock
