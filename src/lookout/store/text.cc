#include "lookout/store/text.h"

#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "value/value.h"

namespace pintle::lookout {

namespace {

struct ListKey {
  std::string_view name;
  std::vector<std::string> Filter::*list;
};
constexpr ListKey kLists[] = {
    {"types", &Filter::types},           {"regions", &Filter::regions},
    {"environments", &Filter::environments}, {"namespaces", &Filter::namespaces},
    {"kinds", &Filter::kinds},           {"reasons", &Filter::reasons},
    {"releases", &Filter::releases},     {"reason_patterns", &Filter::reason_patterns},
    {"scopes", &Filter::scopes},
};

void append_key(std::string& out, std::string_view key) {
  if (out.size() > 1) out += ',';
  json::append_string(out, key, false);
  out += ':';
}

Error wrong(std::string_view key, std::string_view what) {
  return Error(Code::kInvalidArgument, std::string(key) + ": " + std::string(what));
}

Status read_labels_of(const value::Value& v, std::map<std::string, std::string>& out) {
  if (!v.is_map()) return wrong("labels", "must be an object");
  if (v.as_map() == nullptr) return ok();
  for (const auto& [key, text] : *v.as_map()) {
    if (!text.is_string()) return wrong("labels", "values must be texts");
    out.emplace(key.view(), text.as_string());
  }
  return ok();
}

}  // namespace

std::string filter_json(const Filter& filter) {
  std::string out = "{";
  for (const ListKey& key : kLists) {
    const std::vector<std::string>& list = filter.*key.list;
    if (list.empty()) continue;
    append_key(out, key.name);
    out += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      json::append_string(out, list[i], false);
    }
    out += ']';
  }
  if (filter.min_severity != Severity::kInfo) {
    append_key(out, "min_severity");
    json::append_string(out, severity_name(filter.min_severity), false);
  }
  if (!filter.selector.empty()) {
    append_key(out, "selector");
    json::append_string(out, filter.selector, false);
  }
  if (!filter.labels.empty()) {
    append_key(out, "labels");
    out += labels_json(filter.labels);
  }
  return out + "}";
}

Result<Filter> read_filter(std::string_view json) {
  value::Value v = TRY(json::read(json));
  if (!v.is_map() || v.as_map() == nullptr) return wrong("filter", "must be an object");
  Filter out;
  for (const auto& [name, entry] : *v.as_map()) {
    std::string_view key = name.view();
    if (key == "labels") {
      TRY(read_labels_of(entry, out.labels));
      continue;
    }
    if (key == "min_severity") {
      const auto severity = severity_of(entry.is_string() ? entry.as_string() : "");
      if (!severity) return wrong(key, "must be info, warning or error");
      out.min_severity = *severity;
      continue;
    }
    if (key == "selector") {
      if (!entry.is_string()) return wrong(key, "must be a text");
      out.selector = entry.as_string();
      continue;
    }
    const ListKey* list = nullptr;
    for (const ListKey& candidate : kLists) {
      if (candidate.name == key) list = &candidate;
    }
    if (list == nullptr) return wrong(key, "no such key in a filter");
    if (!entry.is_list()) return wrong(key, "must be a list of texts");
    for (const value::Value& item : entry.items()) {
      if (!item.is_string()) return wrong(key, "must be a list of texts");
      (out.*list->list).emplace_back(item.as_string());
    }
  }
  return out;
}

std::string labels_json(const std::map<std::string, std::string>& labels) {
  std::string out = "{";
  for (const auto& [key, text] : labels) {
    append_key(out, key);
    json::append_string(out, text, false);
  }
  return out + "}";
}

std::map<std::string, std::string> read_labels(std::string_view json) {
  std::map<std::string, std::string> out;
  if (json == "{}") return out;
  Result<value::Value> v = json::read(json);
  if (v && !read_labels_of(*v, out)) out.clear();
  return out;
}

std::string index_key(std::string_view key) {
  constexpr size_t kLongest = 250;
  if (key.size() <= kLongest) return std::string(key);
  return "sha256:" + crypt::hex(crypt::sha256(key));
}

}  // namespace pintle::lookout
