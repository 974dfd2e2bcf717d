#include "lookout/fields.h"

#include <charconv>
#include <cmath>

#include "base/strings.h"
#include "json/json.h"
#include "kube/time.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

constexpr size_t kLabelLimit = 4 << 10;
constexpr size_t kMaxLabels = 256;
constexpr std::string_view kSeverities[] = {"info", "warning", "error"};

}  // namespace

const value::Value* value_at(const value::Value& v, Path path) {
  const value::Value* at = &v;
  for (const std::string_view step : path) {
    if (at = at->get(step); at == nullptr) return nullptr;
  }
  return at;
}

std::string_view text_at(const value::Value& v, Path path) {
  const value::Value* at = value_at(v, path);
  return at != nullptr && at->is_string() ? at->as_string() : std::string_view();
}

int64_t number_at(const value::Value& v, Path path) {
  const value::Value* at = value_at(v, path);
  if (at == nullptr) return 0;
  if (at->is_int()) return at->as_int();
  if (at->is_uint()) return static_cast<int64_t>(std::min<uint64_t>(at->as_uint(), INT64_MAX));
  if (at->is(value::Type::kFloat64)) {
    const double d = at->as_double();
    return std::abs(d) < 9e18 ? static_cast<int64_t>(d) : 0;
  }
  int64_t out = 0;
  if (at->is_string()) {
    const std::string_view s = at->as_string();
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
    if (error != std::errc() || end != s.data() + s.size()) return 0;
  }
  return out;
}

bool flag_at(const value::Value& v, Path path) {
  const value::Value* at = value_at(v, path);
  return at != nullptr && at->is(value::Type::kBool) && at->as_bool();
}

int64_t time_at(const value::Value& v, Path path) { return time_ms(text_at(v, path)); }

std::map<std::string, std::string> texts_at(const value::Value& v, Path path) {
  std::map<std::string, std::string> out;
  const value::Value* at = value_at(v, path);
  if (at == nullptr || !at->is_map() || at->as_map() == nullptr) return out;
  for (const auto& [key, text] : *at->as_map()) {
    if (out.size() >= kMaxLabels) break;
    if (!text.is_string()) continue;
    out.emplace(clean_text(key.view(), kLabelLimit), clean_text(text.as_string(), kLabelLimit));
  }
  return out;
}

int64_t time_ms(std::string_view rfc3339) {
  // Years that nanoseconds in 64 bits cannot hold are no times of a cluster.
  if (rfc3339.size() < 20 || rfc3339 < "1970" || rfc3339 >= "2200") return 0;
  const auto ns = kube::parse_time(rfc3339);
  return ns && *ns > 0 ? *ns / 1'000'000 : 0;
}

Subject subject_of(const value::Value& object, std::string_view group, std::string_view kind) {
  Subject s;
  const std::string_view api = text_at(object, {"apiVersion"});
  const size_t slash = api.find('/');
  s.group =
      slash == std::string_view::npos ? std::string(group) : clean_text(api.substr(0, slash), 253);
  s.version = clean_text(slash == std::string_view::npos ? api : api.substr(slash + 1), 63);
  const std::string_view own = text_at(object, {"kind"});
  s.kind = clean_text(own.empty() ? kind : own, 253);
  s.name_space = clean_text(text_at(object, {"metadata", "namespace"}), 253);
  s.name = clean_text(text_at(object, {"metadata", "name"}), 253);
  s.uid = clean_text(text_at(object, {"metadata", "uid"}), 253);
  return s;
}

std::string subject_json(const Subject& s) {
  return Data()
      .text("group", s.group)
      .text("version", s.version)
      .raw("kind", json::quoted(s.kind))
      .raw("namespace", json::quoted(s.name_space))
      .raw("name", json::quoted(s.name))
      .text("uid", s.uid)
      .take();
}

std::string_view severity_name(Severity s) { return kSeverities[static_cast<size_t>(s)]; }

std::optional<Severity> severity_of(std::string_view name) {
  for (const Severity s : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
    if (severity_name(s) == name) return s;
  }
  return std::nullopt;
}

std::string json_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& s : items) append(out, {out.size() > 1 ? "," : "", json::quoted(s)});
  return out + "]";
}

std::string json_map(const std::map<std::string, std::string>& texts) {
  std::string out = "{";
  for (const auto& [name, text] : texts) {
    append(out, {out.size() > 1 ? "," : "", json::quoted(name), ":", json::quoted(text)});
  }
  return out + "}";
}

Data& Data::text(std::string_view name, std::string_view value) {
  return value.empty() ? *this : raw(name, json::quoted(clean_text(value)));
}

Data& Data::number(std::string_view name, int64_t value) {
  return value == 0 ? *this : raw(name, cat(value));
}

Data& Data::raw(std::string_view name, std::string_view json) {
  append(out_, {out_.size() > 1 ? "," : "", json::quoted(name), ":", json});
  return *this;
}

std::string Data::take() {
  out_ += '}';
  return std::move(out_);
}

}  // namespace pintle::lookout
