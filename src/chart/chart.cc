#include "chart/chart.h"

#include <algorithm>

#include "base/path.h"
#include "chart/timestamp.h"

namespace pintle::chart {
namespace {

bool same_letters(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(),
                    [](char x, char y) { return tolower(static_cast<uint8_t>(x)) == y; });
}

bool is_manifest(std::string_view name) {
  const std::string_view ext = path::ext(name);
  return same_letters(ext, ".yaml") || same_letters(ext, ".yml") || same_letters(ext, ".json");
}

void collect_crds(const Chart& chart, std::vector<Crd>& out) {
  for (const auto& file : chart.files) {
    if (!file->name.starts_with("crds/") || !is_manifest(file->name)) continue;
    out.push_back({file->name, path::join({chart.full_path(), file->name}), file});
  }
  for (const auto& child : chart.dependencies) collect_crds(*child, out);
}

}  // namespace

std::string Chart::full_path() const {
  return parent ? parent->full_path() + "/charts/" + name() : name();
}

std::string Chart::dotted_path() const {
  return parent ? parent->dotted_path() + "." + name() : name();
}

void Chart::add_dependency(std::unique_ptr<Chart> child) {
  child->parent = this;
  dependencies.push_back(std::move(child));
}

std::unique_ptr<Chart> Chart::clone() const {
  auto copy = std::make_unique<Chart>();
  copy->metadata = metadata;
  copy->has_metadata = has_metadata;
  copy->lock = lock;
  copy->raw = raw;
  copy->templates = templates;
  copy->files = files;
  copy->values = value::deep_copy(values);
  copy->schema = schema;
  copy->has_schema = has_schema;
  copy->mod_time = mod_time;
  copy->schema_mod_time = schema_mod_time;
  for (const auto& child : dependencies) copy->add_dependency(child->clone());
  return copy;
}

std::vector<Crd> crds(const Chart& chart) {
  std::vector<Crd> out;
  collect_crds(chart, out);
  return out;
}

void stamp(Chart& chart, int64_t seconds) {
  const int64_t ns = seconds * 1'000'000'000;
  chart.mod_time = ns;
  if (!chart.schema.empty()) chart.schema_mod_time = ns;
  if (chart.lock) {
    chart.lock->generated_ns = ns;
    chart.lock->generated = format_rfc3339(ns);
  }
  for (auto* list : {&chart.raw, &chart.templates, &chart.files}) {
    for (auto& file : *list) {
      auto stamped = std::make_shared<File>(*file);
      stamped->mod_time = ns;
      file = std::move(stamped);
    }
  }
  for (const auto& child : chart.dependencies) stamp(*child, seconds);
}

}  // namespace pintle::chart
