#include "lookout/track/release_payload.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/gotext.h"
#include "base/protobuf.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "informer/scan.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/track/managers.h"
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

// base64 of base64 (a Secret) or base64 alone (a ConfigMap) of gzip of the payload.
Result<std::string> unpacked(std::string_view text, bool secret) {
  std::string packed(text);
  if (secret) packed = TRY(crypt::base64_decode(packed));
  std::string raw = TRY(crypt::base64_decode(packed));
  if (!std::string_view(raw).starts_with(kGzipMagic)) return raw;
  return sys::gunzip(raw, kMaxInflated);
}

std::string images_of(std::string_view manifest) {
  std::set<std::string, std::less<>> found;
  std::string out = "[";
  while (!manifest.empty() && found.size() < kMaxImages) {
    std::string_view line = trim_space(manifest.substr(0, manifest.find('\n')));
    manifest.remove_prefix(std::min(manifest.find('\n'), manifest.size() - 1) + 1);
    if (line.starts_with("- ")) line = trim_space(line.substr(2));
    if (!line.starts_with("image:")) continue;
    line = trim_space(line.substr(6));
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'')) {
      line = line.substr(1, line.find(line.front(), 1) - 1);
    }
    if (line.empty() || !found.emplace(line).second) continue;
    append(out, {out.size() > 1 ? "," : "", json::quoted(clean_text(line, 512))});
  }
  return out + "]";
}

// How many Rollouts of Argo it has, as Helm writes manifests: a document for each object.
int64_t rollouts_in(std::string_view manifest) {
  int64_t found = 0;
  bool kind = false, group = false;
  const auto end_document = [&] {
    found += kind && group ? 1 : 0;
    kind = group = false;
  };
  for (std::string_view line : split(manifest, "\n")) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.starts_with("---")) end_document();
    kind = kind || line == "kind: Rollout" || line == "kind: \"Rollout\"";
    group = group || line.starts_with("apiVersion: argoproj.io/") ||
            line.starts_with("apiVersion: \"argoproj.io/");
  }
  end_document();
  return found;
}

struct Content {
  std::string name, name_space, chart, chart_version, app_version, description;
  std::string values, manifest;
};

std::string summary(const Content& c) {
  Data data;
  const auto add = [&](std::string_view name, std::string_view text) {
    data.text(name, clean_text(text, kTextLimit));
  };
  add("name", c.name);
  add("namespace", c.name_space);
  add("chart", c.chart);
  add("chart_version", c.chart_version);
  add("app_version", c.app_version);
  add("description", c.description);
  if (!c.values.empty()) data.text("values_digest", crypt::hex(crypt::sha256(c.values)));
  if (!c.manifest.empty()) {
    data.raw("images", images_of(c.manifest));
    if (const int64_t rollouts = rollouts_in(c.manifest); rollouts > 0) data.number("rollouts", rollouts);
  }
  return data.take();
}

Result<Content> read_helm3(std::string_view json) {
  Content c;
  Scan s(json);
  if (!s.open('{')) return Error("the payload is no JSON object", Code::kDataLoss);
  for (std::string_view key; s.member(key);) {
    const std::string_view value = s.take();
    if (key == "name") c.name = unquoted(value).value_or("");
    if (key == "namespace") c.name_space = unquoted(value).value_or("");
    if (key == "info") c.description = string_at(value, {"description"});
    if (key == "chart") {
      c.chart = string_at(value, {"metadata", "name"});
      c.chart_version = string_at(value, {"metadata", "version"});
      c.app_version = string_at(value, {"metadata", "appVersion"});
    }
    if (key == "config" && value != "null") c.values = value;
    if (key == "manifest") c.manifest = unquoted(value).value_or("");
  }
  if (!s.ok()) return Error("the payload is broken JSON", Code::kDataLoss);
  return c;
}

// A text of hapi.release.Release by the numbers of the fields that lead to it.
using Helm2Path = std::array<uint8_t, 3>;  // 0: none more
struct Helm2Field {
  Helm2Path path;
  std::string Content::*text;
};
constexpr Helm2Field kHelm2[] = {
    {{1}, &Content::name},
    {{2, 5}, &Content::description},       // info.Description
    {{3, 1, 1}, &Content::chart},          // chart.metadata.name
    {{3, 1, 4}, &Content::chart_version},  // chart.metadata.version
    {{3, 1, 13}, &Content::app_version},   // chart.metadata.appVersion
    {{4, 1}, &Content::values},            // config.raw
    {{5}, &Content::manifest},
    {{8}, &Content::name_space},
};

// False: malformed. `at`: the numbers that led here.
bool read_message(std::string_view message, Helm2Path at, size_t depth, Content& c) {
  ProtobufReader r(message);
  while (r.next()) {
    if (r.field() > UINT8_MAX) continue;
    at[depth] = static_cast<uint8_t>(r.field());
    bool leads_on = false;
    for (const Helm2Field& f : kHelm2) {
      if (!std::equal(at.begin(), at.begin() + depth + 1, f.path.begin())) continue;
      const bool ends = depth + 1 == f.path.size() || f.path[depth + 1] == 0;
      if (ends) c.*f.text = r.bytes();
      leads_on = leads_on || !ends;
    }
    if (leads_on && !read_message(r.bytes(), at, depth + 1, c)) return false;
  }
  return r.ok();
}

Result<Content> read_helm2(std::string_view message) {
  Content c;
  if (!read_message(message, {}, 0, c) || c.name.empty()) {
    return Error("the payload is no release of Helm 2", Code::kDataLoss);
  }
  return c;
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
  const auto label = [&](std::string_view name) {
    return string_at(json, {"metadata", "labels", name});
  };
  const bool helm2 = label("OWNER") == "TILLER", helm3 = label("owner") == "helm";
  const bool superseded = label(helm2 ? "STATUS" : "status") == (helm2 ? "SUPERSEDED" : "superseded");
  std::string extra;
  if (const auto packed = informer::value_at(json, {"data", "release"});
      packed && (helm2 || helm3) && !superseded) {
    const bool secret = string_at(json, {"kind"}) == "Secret" || !string_at(json, {"type"}).empty();
    const auto read = [&]() -> Result<std::string> {
      const std::string payload = TRY(unpacked(unquoted(*packed).value_or(""), secret));
      return summary(TRY(helm2 ? read_helm2(payload) : read_helm3(payload)));
    };
    const auto content = read();
    extra = cat("\"condensed\":",
                content ? *content
                        : Data().text("broken", clean_text(content.error().text(), kTextLimit)).take());
  }
  return rewritten(json, "data", extra);
}

}  // namespace pintle::lookout
