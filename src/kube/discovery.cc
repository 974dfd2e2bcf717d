#include "kube/discovery.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "json/json.h"

namespace pintle::kube {
namespace {

constexpr int64_t kMaxAge = 6LL * 3600 * 1'000'000'000;
constexpr size_t kMaxCache = 64u << 20;
constexpr std::string_view kAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

std::span<const value::Value> items_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v ? v->items() : std::span<const value::Value>();
}

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : cat(group, "/", version);
}

Error no_match(std::string_view group, std::string_view version, std::string_view kind) {
  return Error(Code::kNotFound, cat("no matches for kind ", quote(kind), " in version ",
                                    quote(group_version(group, version))));
}

}  // namespace

std::string collection_path(std::string_view group, std::string_view version,
                            std::string_view plural, bool namespaced, std::string_view ns) {
  std::string out = group.empty() ? cat("/api/", version) : cat("/apis/", group, "/", version);
  if (namespaced && !ns.empty()) append(out, {"/namespaces/", query_escape(ns)});
  append(out, {"/", plural});
  return out;
}

std::string object_path(const Object& o, std::string_view name) {
  std::string out = collection_path(o.group, o.version, o.plural, o.namespaced, o.ns);
  if (!name.empty()) append(out, {"/", replace_all(query_escape(name), "+", "%20")});
  return out;
}

std::string Discovery::cache_file() const {
  std::string host = rest_.server();
  if (const size_t at = host.find("://"); at != std::string::npos) host.erase(0, at + 3);
  for (char& c : host) {  // kubectl's name for a host's directory
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '(' || c == ')' || c == '/' || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return path::join({cache_directory_, "discovery", host, "pintle.json"});
}

bool Discovery::read_cache() {
  if (cache_directory_.empty()) return false;
  const auto text = disk_.read_file(cache_file(), kMaxCache);
  if (!text) return false;
  const auto tree = json::read(*text, {json::Numbers::kExact});
  if (!tree) return false;
  const value::Value* saved = tree->get("saved");
  const auto part = [&](std::string_view name, Part& to) {
    const value::Value* v = tree->get(name);
    if (v) to = {text_at(*v, "etag"), text_at(*v, "body")};
  };
  part("api", core_);
  part("apis", groups_);
  resources_.clear();
  group_versions_.clear();
  if (core_.body.empty() || groups_.body.empty() || !parse(core_) || !parse(groups_)) {
    core_ = groups_ = {};
    return false;
  }
  const int64_t age = saved && saved->is_int() ? clock_.now_ns() - saved->as_int() : kMaxAge;
  return age >= 0 && age < kMaxAge;
}

void Discovery::write_cache() {
  if (cache_directory_.empty()) return;
  const auto part = [](const Part& p) {
    auto map = value::make_map();
    map->set("etag", value::str(p.etag));
    map->set("body", value::str(p.body));
    return value::Value::map(map);
  };
  auto map = value::make_map();
  map->set("saved", value::Value::int64(clock_.now_ns()));
  map->set("api", part(core_));
  map->set("apis", part(groups_));
  const auto text = json::write(value::Value::map(map), {.escape_html = false});
  const std::string file = cache_file();
  // A cache that cannot be written costs requests, nothing else.
  if (text && disk_.make_dirs(path::dir(file), 0750)) (void)disk_.write_file(file, *text, 0640);
}

Status Discovery::parse(const Part& part) {
  auto tree = json::read(part.body, {json::Numbers::kExact});
  if (!tree) return std::move(tree).error();
  for (const value::Value& item : items_at(*tree, "items")) {
    const value::Value* metadata = item.get("metadata");
    const std::string group = metadata ? text_at(*metadata, "name") : "";
    for (const value::Value& version : items_at(item, "versions")) {
      const std::string name = text_at(version, "version");
      group_versions_.push_back(group_version(group, name));
      for (const value::Value& r : items_at(version, "resources")) {
        const value::Value* kind = r.get("responseKind");
        if (!kind || text_at(*kind, "kind").empty()) continue;
        resources_.push_back({group, name, text_at(*kind, "kind"), text_at(r, "resource"),
                              text_at(r, "scope") == "Namespaced"});
      }
    }
  }
  return ok();
}

Status Discovery::fetch(std::string_view path, Part& part, bool& changed) {
  Call call;
  call.path = std::string(path);
  call.accept = std::string(kAccept);
  call.if_none_match = part.etag;
  auto response = rest_.call(call);
  if (!response) {
    if (is_not_found(response.error())) {  // a server without core or without groups
      part = {"", "{\"items\":[]}"};
      changed = true;
      return ok();
    }
    return std::move(response).error();
  }
  if (response->status == 304) return ok();
  changed = true;
  if (response->header("content-type").find("APIGroupDiscoveryList") == std::string_view::npos) {
    return fetch_legacy(path, part);
  }
  part = {std::string(response->header("etag")), std::move(response->body)};
  return ok();
}

// Asks each group version for its resources and writes what an aggregating server would have said.
Status Discovery::fetch_legacy(std::string_view path, Part& part) {
  const auto get = [&](std::string p) -> Result<value::Value> {
    Call call;
    call.path = std::move(p);
    return decode(TRY(rest_.call(call)));
  };
  const value::Value list = TRY(get(std::string(path)));
  std::vector<value::Value> groups;
  const auto add = [&](const std::string& group, const std::vector<std::string>& versions) {
    std::vector<value::Value> out;
    for (const std::string& version : versions) {
      // One broken aggregated API must not hide the others, as in client-go.
      const auto answer = get(cat(path, group.empty() ? "" : "/", group, "/", version));
      if (!answer) continue;
      std::vector<value::Value> resources;
      for (const value::Value& r : items_at(*answer, "resources")) {
        if (text_at(r, "name").find('/') != std::string::npos) continue;
        auto kind = value::make_map();
        kind->set("kind", value::str(text_at(r, "kind")));
        auto map = value::make_map();
        map->set("resource", value::str(text_at(r, "name")));
        map->set("responseKind", value::Value::map(kind));
        const value::Value* namespaced = r.get("namespaced");
        const bool is = namespaced && namespaced->is(value::Type::kBool) && namespaced->as_bool();
        map->set("scope", value::str(is ? "Namespaced" : "Cluster"));
        if (const value::Value* verbs = r.get("verbs")) map->set("verbs", *verbs);
        resources.push_back(value::Value::map(map));
      }
      auto map = value::make_map();
      map->set("version", value::str(version));
      map->set("resources", value::Value::list_of(std::move(resources)));
      out.push_back(value::Value::map(map));
    }
    auto metadata = value::make_map();
    metadata->set("name", value::str(group));
    auto map = value::make_map();
    map->set("metadata", value::Value::map(metadata));
    map->set("versions", value::Value::list_of(std::move(out)));
    groups.push_back(value::Value::map(map));
  };
  if (path == "/api") {
    std::vector<std::string> versions;
    for (const value::Value& v : items_at(list, "versions")) {
      if (v.is_string()) versions.emplace_back(v.as_string());
    }
    add("", versions);
  }
  for (const value::Value& g : items_at(list, "groups")) {
    std::vector<std::string> versions;
    for (const value::Value& v : items_at(g, "versions")) versions.push_back(text_at(v, "version"));
    add(text_at(g, "name"), versions);
  }
  auto root = value::make_map();
  root->set("items", value::Value::list_of(std::move(groups)));
  part = {"", TRY(json::write(value::Value::map(root)))};
  return ok();
}

Status Discovery::load(bool ask) {
  if (!loaded_) {
    const bool trusted = read_cache();
    loaded_ = !core_.body.empty();
    if (trusted && !ask) return ok();
    ask = true;
  }
  if (!ask || fresh_) return ok();
  bool changed = false;
  TRY(fetch("/api", core_, changed));
  TRY(fetch("/apis", groups_, changed));
  fresh_ = loaded_ = true;
  if (changed) {
    resources_.clear();
    group_versions_.clear();
    TRY(parse(core_));
    TRY(parse(groups_));
  }
  write_cache();
  return ok();
}

const Resource* Discovery::look(std::string_view group, std::string_view version,
                                std::string_view kind) const {
  for (const Resource& r : resources_) {
    if (r.kind == kind && r.group == group && r.version == version) return &r;
  }
  return nullptr;
}

Result<Resource> Discovery::find(std::string_view group, std::string_view version,
                                 std::string_view kind) {
  TRY(load(false));
  if (const Resource* r = look(group, version, kind)) return *r;
  if (!fresh_) {
    TRY(load(true));
    if (const Resource* r = look(group, version, kind)) return *r;
  }
  return no_match(group, version, kind);
}

Result<std::vector<std::string>> Discovery::api_versions() {
  TRY(load(true));
  std::vector<std::string> out = group_versions_;
  for (const Resource& r : resources_) out.push_back(cat(group_version(r.group, r.version), "/", r.kind));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace pintle::kube
