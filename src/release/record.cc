// Records as text. Decoding keeps what it does not know (beside the record and inside the chart's
// tree); encoding walks the tree along a table of Go's field order, unknown fields last. So a record
// that Helm wrote comes back byte for byte, and one of a newer Helm loses nothing.
#include "release/record.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/strings.h"
#include "chart/timestamp.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "sys/clock.h"
#include "sys/gzip.h"

namespace pintle::release {

using value::Type;
using value::Value;

namespace {

constexpr size_t kMaxInflated = 256u << 20;
constexpr std::string_view kZeroTime = "0001-01-01T00:00:00Z";

// ---- field order ----

// A Go struct: its fields in order, and what is inside them (also inside the items of a list).
struct Shape {
  struct Field {
    std::string_view name;
    const Shape* inside = nullptr;
  };
  std::span<const Field> fields;
};

constexpr Shape::Field kFileFields[] = {{"name"}, {"data"}, {"modtime"}};
constexpr Shape kFile{kFileFields};
constexpr Shape::Field kDependencyFields[] = {
    {"name"}, {"version"}, {"repository"}, {"condition"}, {"tags"}, {"enabled"}, {"import-values"},
    {"alias"}};
constexpr Shape kDependency{kDependencyFields};
constexpr Shape::Field kLockFields[] = {{"generated"}, {"digest"}, {"dependencies", &kDependency}};
constexpr Shape kLock{kLockFields};
constexpr Shape::Field kMaintainerFields[] = {{"name"}, {"email"}, {"url"}};
constexpr Shape kMaintainer{kMaintainerFields};
constexpr Shape::Field kMetadataFields[] = {
    {"name"},        {"home"},        {"sources"},   {"version"},
    {"description"}, {"keywords"},    {"maintainers", &kMaintainer},
    {"icon"},        {"apiVersion"},  {"condition"}, {"tags"},
    {"appVersion"},  {"deprecated"},  {"annotations"}, {"kubeVersion"},
    {"dependencies", &kDependency},   {"type"}};
constexpr Shape kMetadata{kMetadataFields};
constexpr Shape::Field kChartFields[] = {
    {"metadata", &kMetadata}, {"lock", &kLock}, {"templates", &kFile}, {"values"},
    {"schema"}, {"schemamodtime"}, {"files", &kFile}, {"modtime"}};
constexpr Shape kChart{kChartFields};
constexpr Shape::Field kRunFields[] = {{"started_at"}, {"completed_at"}, {"phase"}};
constexpr Shape kRun{kRunFields};
constexpr Shape::Field kHookFields[] = {
    {"name"},   {"kind"},   {"path"},   {"manifest"}, {"events"}, {"last_run", &kRun},
    {"weight"}, {"delete_policies"}, {"output_log_policies"}};
constexpr Shape kHook{kHookFields};
constexpr Shape::Field kInfoFields[] = {
    {"first_deployed"}, {"last_deployed"}, {"deleted"}, {"description"}, {"status"},
    {"rollback_revision"}, {"notes"}, {"resources"}};
constexpr Shape kInfo{kInfoFields};
constexpr Shape::Field kRecordFields[] = {
    {"name"}, {"info", &kInfo}, {"chart", &kChart}, {"config"}, {"manifest"}, {"hooks", &kHook},
    {"version"}, {"namespace"}, {"apply_method"}};
constexpr Shape kRecord{kRecordFields};

Status append_shaped(std::string& out, const Value& v, const Shape* shape) {
  if (shape == nullptr) return json::append(out, v);
  if (v.is_list() && v.as_list() != nullptr) {
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!std::exchange(first, false)) out += ',';
      TRY(append_shaped(out, item, shape));
    }
    out += ']';
    return ok();
  }
  if (!v.is_map() || v.as_map() == nullptr) return json::append(out, v);
  out += '{';
  bool first = true;
  const auto field = [&](std::string_view name, const Value& item, const Shape* inside) -> Status {
    if (!std::exchange(first, false)) out += ',';
    json::append_string(out, name);
    out += ':';
    return append_shaped(out, item, inside);
  };
  for (const Shape::Field& f : shape->fields) {
    if (const Value* item = v.get(f.name)) TRY(field(f.name, *item, f.inside));
  }
  for (const auto& [key, item] : *v.as_map()) {
    const bool known = std::ranges::find(shape->fields, key.view(), &Shape::Field::name) !=
                       shape->fields.end();
    if (!known) TRY(field(key.view(), item, nullptr));
  }
  out += '}';
  return ok();
}

// ---- to a tree ----

// A struct whose empty fields stay away.
class Fields {
 public:
  explicit Fields(const Value& unknown) {
    if (!unknown.is_map() || unknown.as_map() == nullptr) return;
    for (const auto& [key, v] : *unknown.as_map()) map_->set(key, v);
  }
  Fields& set(std::string_view name, Value v) {
    map_->set(value::Str(name), std::move(v));
    return *this;
  }
  Fields& text(std::string_view name, const std::string& s) {
    return s.empty() ? *this : set(name, value::str(s));
  }
  Fields& number(std::string_view name, int64_t n) {
    return n == 0 ? *this : set(name, Value::int64(n));
  }
  Fields& texts(std::string_view name, const std::vector<std::string>& list) {
    return list.empty() ? *this : set(name, Value::strings(list));
  }
  // Helm 3 spells the zero time "", Helm 4 leaves it out.
  Fields& time(std::string_view name, const Time& t, Writer writer) {
    if (t.zero() && writer == Writer::kHelm4) return *this;
    return set(name, value::str(t.text));
  }
  Value take() { return Value::map(map_); }

 private:
  Ref<value::Map> map_ = value::make_map();
};

Value hook_value(const StoredHook& hook, Writer writer) {
  Fields run(Value::nil());
  run.time("started_at", hook.last_run.started_at, writer)
      .time("completed_at", hook.last_run.completed_at, writer)
      .set("phase", value::str(hook.last_run.phase));
  Fields out(hook.unknown);
  out.text("name", hook.name).text("kind", hook.kind).text("path", hook.path);
  out.text("manifest", hook.manifest).texts("events", hook.events).set("last_run", run.take());
  out.number("weight", hook.weight).texts("delete_policies", hook.delete_policies);
  out.texts("output_log_policies", hook.output_log_policies);
  return out.take();
}

// Go writes every field of a chart, whatever the record held.
Value complete_chart(const Value& chart, Writer writer) {
  Fields out(chart);
  for (std::string_view name : {"metadata", "lock", "templates", "values", "schema", "files"}) {
    if (chart.get(name) == nullptr) out.set(name, Value::nil());
  }
  if (writer == Writer::kHelm4 && chart.get("schemamodtime") == nullptr) {
    out.set("schemamodtime", value::str(kZeroTime));
  }
  return out.take();
}

// ---- from a tree ----

// Takes the fields it is asked for; what remains is unknown. The first mismatch is the error.
class Reader {
 public:
  Reader(const Value& map, std::string_view type) : map_(map), type_(type) {
    if (!map.is_map()) error_ = json::type_error(map, type);
  }

  void text(std::string_view name, std::string& out) {
    const Value* v = take(name);
    if (v == nullptr || v->is_nil()) return;
    if (v->is_string()) {
      out = v->as_string();
    } else {
      mismatch(*v, name, "string");
    }
  }
  void number(std::string_view name, int64_t& out) {
    const Value* v = take(name);
    if (v == nullptr || v->is_nil()) return;
    if (v->is_int()) {
      out = v->as_int();
    } else if (v->is(Type::kFloat64) && v->as_double() == std::floor(v->as_double()) &&
               std::abs(v->as_double()) < 9e15) {
      out = static_cast<int64_t>(v->as_double());
    } else {
      mismatch(*v, name, "int");
    }
  }
  void revision(std::string_view name, int& out) {
    int64_t n = 0;
    number(name, n);
    if (n > INT32_MAX || n < INT32_MIN) {
      mismatch(Value::number(static_cast<double>(n)), name, "int");
    } else {
      out = static_cast<int>(n);
    }
  }
  void texts(std::string_view name, std::vector<std::string>& out) {
    const Value* v = take(name);
    if (v == nullptr || v->is_nil()) return;
    if (!v->is_list()) return mismatch(*v, name, "[]string");
    for (const Value& item : v->items()) {
      if (!item.is_string()) return mismatch(item, name, "string");
      out.emplace_back(item.as_string());
    }
  }
  void time(std::string_view name, Time& out) {
    std::string text;
    this->text(name, text);
    if (text.empty()) return;
    const auto parsed = chart::parse_rfc3339(text);
    if (!parsed) return fail(parsed.error());
    if (parsed->text == kZeroTime) return;
    out = {parsed->text, parsed->unix_ns};
  }
  // null when absent or null
  const Value* inside(std::string_view name) {
    const Value* v = take(name);
    return v == nullptr || v->is_nil() ? nullptr : v;
  }
  void map(std::string_view name, Value& out) {
    const Value* v = inside(name);
    if (v == nullptr) return;
    if (!v->is_map()) return mismatch(*v, name, "map[string]interface {}");
    out = *v;
  }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  Status status() const { return error_ ? Status(*error_) : ok(); }
  Value unknown() const {
    if (!map_.is_map() || map_.as_map() == nullptr) return Value::nil();
    value::MapBuilder rest;
    for (const auto& [key, v] : *map_.as_map()) {
      if (std::ranges::find(taken_, key.view()) == taken_.end()) rest.add(key, v);
    }
    return rest.size() == 0 ? Value::nil() : Value::map(rest.finish());
  }

 private:
  const Value* take(std::string_view name) {
    taken_.push_back(name);
    return map_.get(name);
  }
  void mismatch(const Value& v, std::string_view name, std::string_view go_type) {
    const std::string what = json::type_error(v, go_type).text();
    const std::string_view kind = without_suffix(what, cat("Go value of type ", go_type));
    fail(Error(Code::kInvalidArgument,
               cat(kind, "Go struct field ", type_, ".", name, " of type ", go_type)));
  }

  const Value& map_;
  std::string_view type_;
  std::vector<std::string_view> taken_;
  std::optional<Error> error_;
};

Result<StoredHook> read_hook(const Value& v) {
  StoredHook hook;
  Reader in(v, "Hook");
  in.text("name", hook.name);
  in.text("kind", hook.kind);
  in.text("path", hook.path);
  in.text("manifest", hook.manifest);
  in.texts("events", hook.events);
  in.number("weight", hook.weight);
  in.texts("delete_policies", hook.delete_policies);
  in.texts("output_log_policies", hook.output_log_policies);
  if (const Value* run = in.inside("last_run")) {
    Reader ran(*run, "HookExecution");
    ran.time("started_at", hook.last_run.started_at);
    ran.time("completed_at", hook.last_run.completed_at);
    ran.text("phase", hook.last_run.phase);
    if (const Status read = ran.status(); !read) in.fail(read.error());
  }
  TRY(in.status());
  hook.unknown = in.unknown();
  return hook;
}

Status read_info(const Value& v, Record& out) {
  Reader in(v, "Info");
  in.time("first_deployed", out.first_deployed);
  in.time("last_deployed", out.last_deployed);
  in.time("deleted", out.deleted);
  in.text("description", out.description);
  in.text("status", out.status);
  in.revision("rollback_revision", out.rollback_revision);
  in.text("notes", out.notes);
  in.map("resources", out.resources);
  out.unknown_info = in.unknown();
  return in.status();
}

}  // namespace

Time time_at(int64_t unix_ns) {
  return {chart::format_rfc3339(unix_ns, sys::local_offset_seconds(unix_ns)), unix_ns};
}

bool is_pending(std::string_view status) {
  return status == "pending-install" || status == "pending-upgrade" || status == "pending-rollback";
}

std::string record_key(std::string_view name, int revision) {
  return cat("sh.helm.release.v1.", name, ".v", revision);
}

Value to_value(const Record& r, Writer writer) {
  Fields info(r.unknown_info);
  info.time("first_deployed", r.first_deployed, writer);
  info.time("last_deployed", r.last_deployed, writer).time("deleted", r.deleted, writer);
  info.text("description", r.description).text("status", r.status);
  info.number("rollback_revision", r.rollback_revision).text("notes", r.notes);
  if (r.resources.length() > 0) info.set("resources", r.resources);

  Fields out(r.unknown);
  out.text("name", r.name).set("info", info.take());
  if (r.chart.is_map()) out.set("chart", complete_chart(r.chart, writer));
  if (r.config.length() > 0) out.set("config", r.config);
  out.text("manifest", r.manifest);
  if (!r.hooks.empty()) {
    std::vector<Value> hooks;
    for (const StoredHook& hook : r.hooks) hooks.push_back(hook_value(hook, writer));
    out.set("hooks", Value::list_of(std::move(hooks)));
  }
  out.number("version", r.version).text("namespace", r.namespace_);
  out.text("apply_method", r.apply_method);
  return out.take();
}

Result<std::string> encode_json(const Record& record, Writer writer) {
  std::string out;
  TRY(append_shaped(out, to_value(record, writer), &kRecord));
  return out;
}

Result<std::string> dependency_json(const chart::Dependency& dependency) {
  std::string out;
  TRY(append_shaped(out, chart::dependency_value(dependency), &kDependency));
  return out;
}

Result<Record> from_value(const Value& tree) {
  Record out;
  Reader in(tree, "Release");
  in.text("name", out.name);
  if (const Value* info = in.inside("info")) {
    if (const Status read = read_info(*info, out); !read) in.fail(read.error());
  }
  in.map("chart", out.chart);
  in.map("config", out.config);
  in.text("manifest", out.manifest);
  if (const Value* hooks = in.inside("hooks")) {
    if (!hooks->is_list()) in.fail(json::type_error(*hooks, "[]*v1.Hook"));
    for (const Value& item : hooks->items()) {
      if (item.is_nil()) continue;
      auto hook = read_hook(item);
      if (!hook) {
        in.fail(hook.error());
        break;
      }
      out.hooks.push_back(std::move(*hook));
    }
  }
  in.revision("version", out.version);
  in.text("namespace", out.namespace_);
  in.text("apply_method", out.apply_method);
  TRY(in.status());
  out.unknown = in.unknown();
  return out;
}

Result<Record> decode_json(std::string_view json) { return from_value(TRY(json::read(json))); }

Result<std::string> pack(const Record& record, Writer writer) {
  sys::GzipHeader best;
  best.best = true;
  return crypt::base64_encode(sys::gzip(TRY(encode_json(record, writer)), best));
}

Result<Record> unpack(std::string_view packed) {
  std::string bytes = TRY(crypt::base64_decode(packed));
  if (bytes.size() > 3 && bytes.starts_with("\x1f\x8b\x08")) {
    bytes = TRY(sys::gunzip(bytes, kMaxInflated));
  }
  return decode_json(bytes);
}

}  // namespace pintle::release
