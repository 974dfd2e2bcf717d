#include "lookout/track/release_payload.h"

#include <set>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "informer/scan.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "sys/gzip.h"

namespace pintle::lookout {
namespace {

using informer::Scan;
using informer::string_at;
using informer::unquoted;

constexpr size_t kMaxInflated = 16 << 20;
constexpr size_t kMaxImages = 50;
constexpr size_t kTextLimit = 4 << 10;
constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";

// base64 of base64 (a Secret) or base64 alone (a ConfigMap) of gzip of JSON.
Result<std::string> payload_json(std::string_view text, bool secret) {
  std::string packed(text);
  if (secret) packed = TRY(crypt::base64_decode(packed));
  std::string raw = TRY(crypt::base64_decode(packed));
  if (!std::string_view(raw).starts_with(kGzipMagic)) return raw;
  return sys::gunzip(raw, kMaxInflated);
}

std::string images_of(std::string_view manifest) {
  std::set<std::string, std::less<>> found;
  std::string out = "[";
  for (std::string_view line : split(manifest, "\n")) {
    line = trim_space(line);
    if (line.starts_with("- ")) line = trim_space(line.substr(2));
    if (!line.starts_with("image:") || found.size() >= kMaxImages) continue;
    line = trim_space(line.substr(6));
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) {
      line = line.substr(1, line.find(line.front(), 1) - 1);
    }
    if (line.empty() || !found.emplace(line).second) continue;
    append(out, {out.size() > 1 ? "," : "", json::quoted(clean_text(line, 512))});
  }
  return out + "]";
}

void add(Data& data, std::string_view name, const std::string& text) {
  data.text(name, clean_text(text, kTextLimit));
}

Status summarise(std::string_view json, Data& data) {
  Scan s(json);
  if (!s.open('{')) return Error("the payload is no JSON object", Code::kDataLoss);
  for (std::string_view key; s.member(key);) {
    const std::string_view value = s.take();
    if (key == "name") add(data, "name", unquoted(value).value_or(""));
    if (key == "namespace") add(data, "namespace", unquoted(value).value_or(""));
    if (key == "info") {
      for (const std::string_view field : {"description", "first_deployed", "last_deployed"}) {
        add(data, field, string_at(value, {field}));
      }
    }
    if (key == "chart") {
      add(data, "chart", string_at(value, {"metadata", "name"}));
      add(data, "chart_version", string_at(value, {"metadata", "version"}));
      add(data, "app_version", string_at(value, {"metadata", "appVersion"}));
    }
    if (key == "config" && value != "null") {
      data.text("values_digest", crypt::hex(crypt::sha256(value)));
    }
    if (key == "manifest") data.raw("images", images_of(unquoted(value).value_or("")));
  }
  if (!s.ok()) return Error("the payload is broken JSON", Code::kDataLoss);
  return ok();
}

// The elements of managedFields, each without fieldsV1.
std::string trimmed_managers(std::string_view list) {
  std::string out = "[";
  Scan s(list);
  if (!s.open('[')) return "[]";
  while (s.element()) {
    if (out.size() > 1) out += ',';
    Scan entry(s.take());
    if (!entry.open('{')) {
      out += "{}";
      continue;
    }
    char before = '{';
    for (std::string_view key; entry.member(key);) {
      const std::string_view value = entry.take();
      if (key == "fieldsV1") continue;
      append(out, {std::string_view(&before, 1), "\"", key, "\":", value});
      before = ',';
    }
    out += before == '{' ? "{}" : "}";
  }
  return s.ok() ? out + "]" : "[]";
}

// `json` without what `drop` names at its top, managedFields trimmed, and `extra` members added.
Result<std::string> rewritten(std::string_view json, std::string_view drop,
                              std::string_view extra) {
  std::string out = "{";
  Scan s(json);
  if (!s.open('{')) return Error("the object is no JSON object", Code::kDataLoss);
  const auto member = [&](std::string_view key, std::string_view value) {
    append(out, {out.size() == 1 ? "" : ",", "\"", key, "\":", value});
  };
  for (std::string_view key; s.member(key);) {
    if (key == drop) {
      s.skip();
      continue;
    }
    if (key != "metadata" || s.peek() != '{') {
      member(key, s.take());
      continue;
    }
    std::string metadata = "{";
    s.open('{');
    for (std::string_view inner; s.member(inner);) {
      const std::string_view value = s.take();
      append(metadata, {metadata.size() > 1 ? "," : "", "\"", inner, "\":"});
      metadata += inner == "managedFields" ? trimmed_managers(value) : std::string(value);
    }
    member(key, metadata + "}");
  }
  if (!s.ok() || !s.at_end()) return Error("the object is broken JSON", Code::kDataLoss);
  append(out, {extra.empty() || out == "{" ? "" : ",", extra, "}"});
  return out;
}

}  // namespace

Result<std::string> trim_managed_fields(std::string json) { return rewritten(json, {}, {}); }

Result<std::string> condense_release(std::string json) {
  const std::string status = string_at(json, {"metadata", "labels", "status"});
  const std::string owner = string_at(json, {"metadata", "labels", "owner"});
  std::string extra;
  if (const auto packed = informer::value_at(json, {"data", "release"});
      packed && owner == "helm" && status != "superseded") {
    Data data;
    const bool secret = string_at(json, {"kind"}) == "Secret" || !string_at(json, {"type"}).empty();
    auto payload = payload_json(unquoted(*packed).value_or(""), secret);
    const Status read = payload ? summarise(*payload, data) : Status(payload.error());
    if (!read) data.text("broken", clean_text(read.error().text(), kTextLimit));
    extra = cat("\"condensed\":", data.take());
  }
  return rewritten(json, "data", extra);
}

}  // namespace pintle::lookout
