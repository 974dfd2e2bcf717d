// The chart inside a record: what Helm marshals of chart.Chart, and back as far as it is needed.
#include "base/strings.h"
#include "chart/timestamp.h"
#include "crypt/crypt.h"
#include "release/record.h"
#include "yaml/yaml.h"

namespace pintle::release {

using value::Value;

namespace {

Value time_value(int64_t unix_ns) {
  return value::str(unix_ns == chart::kUnknownTime
                        ? "0001-01-01T00:00:00Z"
                        : chart::format_rfc3339(unix_ns, 0));
}

// null for no files at all, as Go marshals a nil slice.
Value files_value(const std::vector<std::shared_ptr<const chart::File>>& files, Writer writer) {
  if (files.empty()) return Value::nil();
  std::vector<Value> items;
  for (const auto& file : files) {
    auto one = value::make_map();
    one->set("data", value::str(crypt::base64_encode(file->data)));
    if (writer == Writer::kHelm4 && file->mod_time != chart::kUnknownTime) {
      one->set("modtime", time_value(file->mod_time));
    }
    one->set("name", value::str(file->name));
    items.push_back(Value::map(one));
  }
  return Value::list_of(std::move(items));
}

Value lock_value(const chart::Lock& lock) {
  auto out = value::make_map();
  Value dependencies;
  if (lock.has_dependencies) {
    std::vector<Value> items;
    for (const chart::Dependency& d : lock.dependencies) {
      items.push_back(chart::dependency_value(d));
    }
    dependencies = Value::list_of(std::move(items));
  }
  out->set("dependencies", std::move(dependencies));
  out->set("digest", value::str(lock.digest));
  out->set("generated", value::str(lock.generated));
  return Value::map(out);
}

}  // namespace

Value stored_chart(const chart::Chart& chart, Writer writer) {
  auto out = value::make_map();
  out->set("files", files_value(chart.files, writer));
  out->set("lock", chart.lock ? lock_value(*chart.lock) : Value::nil());
  out->set("metadata", chart.has_metadata ? chart::metadata_value(chart.metadata) : Value::nil());
  out->set("schema", chart.has_schema ? value::str(crypt::base64_encode(chart.schema))
                                      : Value::nil());
  out->set("templates", files_value(chart.templates, writer));
  out->set("values", chart.values);
  if (writer == Writer::kHelm4) {
    out->set("schemamodtime", time_value(chart.schema_mod_time));
    if (chart.mod_time != chart::kUnknownTime) out->set("modtime", time_value(chart.mod_time));
  }
  return Value::map(out);
}

chart::Chart loaded_chart(const Value& stored) {
  chart::Chart out;
  if (const Value* metadata = stored.get("metadata"); metadata && metadata->is_map()) {
    // Through text: one reader of metadata is enough.
    if (const auto text = yaml::write(*metadata)) {
      if (auto read = chart::parse_metadata(*text)) {
        out.metadata = std::move(*read);
        out.has_metadata = true;
      }
    }
  }
  if (const Value* values = stored.get("values"); values && values->is_map()) out.values = *values;
  return out;
}

std::string_view chart_text(const Record& record, std::string_view field) {
  const Value* metadata = record.chart.get("metadata");
  const Value* v = metadata ? metadata->get(field) : nullptr;
  return v && v->is_string() ? v->as_string() : std::string_view();
}

namespace {

bool has_metadata(const Record& record) {
  const Value* metadata = record.chart.get("metadata");
  return metadata && metadata->is_map();
}

}  // namespace

std::string chart_label(const Record& record) {
  if (!has_metadata(record)) return "MISSING";
  return cat(chart_text(record, "name"), "-", chart_text(record, "version"));
}

std::string app_version(const Record& record) {
  return has_metadata(record) ? std::string(chart_text(record, "appVersion")) : "MISSING";
}

}  // namespace pintle::release
