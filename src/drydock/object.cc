#include "drydock/object.h"

#include <charconv>

#include "base/check.h"
#include "base/strings.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr json::WriteOptions kPlain{.escape_html = true, .indent = {}};

void write_value(std::string& out, const Value& v) {
  // Trees come from the readers, which hold neither NaN nor more than the writer's depth.
  CHECK(json::append(out, v, kPlain).has_value());
}

void write_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  json::append_string(out, key);
  out += ':';
}

}  // namespace

std::string_view Object::metadata_text() const {
  size_t start = metadata + std::string_view("\"metadata\":").size();
  return std::string_view(json).substr(start, metadata_end - start);
}

std::string_view Object::tail() const { return std::string_view(json).substr(metadata); }

std::string key_of(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : cat(ns, "/", name);
}

ObjectPtr encode_object(Value& value, uint64_t version, Pairs fields) {
  auto out = std::make_shared<Object>();
  out->ns = namespace_of(value);
  out->name = name_of(value);
  out->uid = uid_of(value);
  out->version = version;
  out->fields = std::move(fields);
  for (const auto& e : entries(value, "metadata", "labels")) {
    if (e.value.is_string()) out->labels.emplace_back(e.key.view(), e.value.as_string());
  }
  Value& meta = ensure(value, "metadata");
  if (version > 0) put(meta, "resourceVersion", cat(version));
  else drop(meta, "resourceVersion");

  std::string& json = out->json;
  json = "{";
  write_key(json, "kind");
  json::append_string(json, text(value, "kind"));
  write_key(json, "apiVersion");
  json::append_string(json, text(value, "apiVersion"));
  json += ',';
  out->metadata = static_cast<uint32_t>(json.size());
  json += "\"metadata\":{";
  for (const auto& e : entries_of(&meta)) {
    write_key(json, e.key.view());
    if (e.key.view() == "resourceVersion") {
      out->rv = static_cast<uint32_t>(json.size()) + 1;
    }
    write_value(json, e.value);
  }
  json += '}';
  out->metadata_end = static_cast<uint32_t>(json.size());
  for (const auto& e : entries_of(&value)) {
    std::string_view key = e.key.view();
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    write_key(json, key);
    write_value(json, e.value);
  }
  json += '}';
  json.shrink_to_fit();
  return out;
}

std::string with_version(const Object& object, uint64_t version) {
  std::string_view text = object.json;
  size_t end = text.find('"', object.rv);
  return cat(text.substr(0, object.rv), version, text.substr(end));
}

Value parse_object(const Object& object) {
  auto v = json::read(object.json, {.numbers = json::Numbers::kExact});
  CHECK(v.has_value());  // we wrote it
  return std::move(*v);
}

}  // namespace pintle::drydock
