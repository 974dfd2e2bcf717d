// Everything outside resources: legacy and aggregated discovery, version, health, openapi's index.
// Discovery is built from the catalog at each request; an ETag spares clients the bytes.

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/openapi.h"
#include "drydock/rest.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& s : items) append(out, {out.size() > 1 ? "," : "", json::quoted(s)});
  return out + "]";
}

// StorageVersionHash: eight bytes of the SHA-256 of the stored kind's name.
std::string version_hash(const Resource& r) {
  std::string gvk = cat(r.group, "/", r.version, "/", r.kind);
  return crypt::base64_encode(crypt::sha256(gvk).substr(0, 8));
}

std::string legacy_resources(const Catalog& catalog, std::string_view group, std::string_view version) {
  std::string list = "[";
  auto add = [&](const Resource& r, std::string_view sub, std::string_view kind, std::string_view kind_group,
                 std::string_view kind_version, const std::vector<std::string>& verbs) {
    append(list, {list.size() > 1 ? "," : "", "{\"name\":", json::quoted(sub.empty() ? r.plural : cat(r.plural, "/", sub)),
                  ",\"singularName\":", json::quoted(sub.empty() ? r.singular : ""), ",\"namespaced\":",
                  r.namespaced ? "true" : "false"});
    if (!kind_group.empty()) append(list, {",\"group\":", json::quoted(kind_group)});
    if (!kind_version.empty()) append(list, {",\"version\":", json::quoted(kind_version)});
    append(list, {",\"kind\":", json::quoted(kind), ",\"verbs\":", quoted_list(verbs)});
    if (sub.empty()) {
      if (!r.short_names.empty()) append(list, {",\"shortNames\":", quoted_list(r.short_names)});
      if (!r.categories.empty()) append(list, {",\"categories\":", quoted_list(r.categories)});
      if (std::find(verbs.begin(), verbs.end(), "list") != verbs.end()) {
        append(list, {",\"storageVersionHash\":", json::quoted(version_hash(r))});
      }
    }
    list += "}";
  };
  for (const ResourcePtr& r : catalog.all()) {
    if (r->group != group || r->version != version) continue;
    add(*r, "", r->kind, "", "", r->verbs);
    for (const Subresource& s : subresources_of(*r)) {
      bool own = s.group == r->group && s.version == r->version;
      add(*r, s.name, s.kind, own ? "" : s.group, own ? "" : s.version, s.verbs);
    }
  }
  std::string gv = group.empty() ? std::string(version) : cat(group, "/", version);
  std::string head = group.empty() ? "{\"kind\":\"APIResourceList\"" : "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\"";
  return cat(head, ",\"groupVersion\":", json::quoted(gv), ",\"resources\":", list, "]}\n");
}

// Groups in order, each with its versions.
std::vector<std::pair<std::string, std::vector<std::string>>> groups_of(const Catalog& catalog) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const ResourcePtr& r : catalog.all()) {
    auto it = std::find_if(out.begin(), out.end(), [&](const auto& g) { return g.first == r->group; });
    if (it == out.end()) it = out.insert(out.end(), {r->group, {}});
    auto& versions = it->second;
    if (std::find(versions.begin(), versions.end(), r->version) == versions.end()) versions.push_back(r->version);
  }
  return out;
}

std::string group_text(const std::string& name, const std::vector<std::string>& versions, bool alone) {
  auto version = [&](const std::string& v) {
    return cat("{\"groupVersion\":", json::quoted(cat(name, "/", v)), ",\"version\":", json::quoted(v), "}");
  };
  std::string list;
  for (const std::string& v : versions) append(list, {list.empty() ? "" : ",", version(v)});
  return cat(alone ? "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," : "{", "\"name\":", json::quoted(name),
             ",\"versions\":[", list, "],\"preferredVersion\":", version(versions[0]), "}");
}

std::string aggregated(const Catalog& catalog, bool core, std::string_view discovery_version) {
  std::string items;
  for (const auto& [group, versions] : groups_of(catalog)) {
    if (group.empty() != core) continue;
    std::string list;
    for (const std::string& version : versions) {
      std::string resources;
      for (const ResourcePtr& r : catalog.all()) {
        if (r->group != group || r->version != version) continue;
        auto kind = [](std::string_view g, std::string_view v, std::string_view k) {
          return cat("{\"group\":", json::quoted(g), ",\"version\":", json::quoted(v), ",\"kind\":", json::quoted(k), "}");
        };
        std::string subs;
        for (const Subresource& s : subresources_of(*r)) {
          append(subs, {subs.empty() ? "" : ",", "{\"subresource\":", json::quoted(s.name), ",\"responseKind\":",
                        kind(s.group, s.version, s.kind), ",\"verbs\":", quoted_list(s.verbs), "}"});
        }
        bool custom = r->custom();
        append(resources, {resources.empty() ? "" : ",", "{\"resource\":", json::quoted(r->plural), ",\"responseKind\":",
                           kind(custom ? r->group : "", custom ? r->version : "", r->kind), ",\"scope\":",
                           r->namespaced ? "\"Namespaced\"" : "\"Cluster\"", ",\"singularResource\":",
                           json::quoted(r->singular), ",\"verbs\":", quoted_list(r->verbs)});
        if (!r->short_names.empty()) append(resources, {",\"shortNames\":", quoted_list(r->short_names)});
        if (!r->categories.empty()) append(resources, {",\"categories\":", quoted_list(r->categories)});
        if (!subs.empty()) append(resources, {",\"subresources\":[", subs, "]"});
        resources += "}";
      }
      append(list, {list.empty() ? "" : ",", "{\"version\":", json::quoted(version), ",\"resources\":[", resources,
                    "],\"freshness\":\"Current\"}"});
    }
    append(items, {items.empty() ? "" : ",", "{\"metadata\":{", group.empty() ? "" : cat("\"name\":", json::quoted(group)),
                   "},\"versions\":[", list, "]}"});
  }
  return cat("{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/", discovery_version,
             "\",\"metadata\":{},\"items\":[", items, "]}\n");
}

constexpr std::string_view kVersion =
    "{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n  \"emulationMajor\": \"1\",\n  \"emulationMinor\": \"36\",\n"
    "  \"minCompatibilityMajor\": \"1\",\n  \"minCompatibilityMinor\": \"35\",\n  \"gitVersion\": \"v1.36.3\",\n"
    "  \"gitCommit\": \"\",\n  \"gitTreeState\": \"clean\",\n  \"buildDate\": \"1970-01-01T00:00:00Z\",\n"
    "  \"goVersion\": \"go1.26.8\",\n  \"compiler\": \"gc\",\n  \"platform\": \"linux/amd64\"\n}";

httpd::Response with_etag(const ApiRequest& r, std::string body, std::string_view type) {
  std::string tag = crypt::hex(crypt::sha512(body));
  std::transform(tag.begin(), tag.end(), tag.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  tag = cat('"', tag, '"');
  httpd::Response out;
  if (r.http->header("If-None-Match") == tag) {
    out.status = 304;
  } else {
    out = text_response(200, std::move(body), type);
  }
  out.headers.push_back({"Etag", tag});
  out.headers.push_back({"Vary", "Accept"});
  return out;
}

// v2 or v2beta1 where the client accepts aggregated discovery and would take it first.
std::string_view wants_aggregated(const httpd::Request& http) {
  std::string_view accept = http.header("Accept");
  for (std::string_view part : split(accept, ",")) {
    if (part.find("as=APIGroupDiscoveryList") == std::string_view::npos) {
      if (part.find("application/json") != std::string_view::npos) return "";
      continue;
    }
    if (part.find("protobuf") != std::string_view::npos) continue;
    return part.find("v=v2beta1") != std::string_view::npos ? "v2beta1" : "v2";
  }
  return "";
}

httpd::Response root_paths(const Catalog& catalog) {
  std::vector<std::string> paths = {"/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3",
                                    "/readyz", "/version"};
  for (const auto& [group, versions] : groups_of(catalog)) {
    if (group.empty()) continue;
    paths.push_back(cat("/apis/", group));
    for (const std::string& v : versions) paths.push_back(cat("/apis/", group, "/", v));
  }
  std::sort(paths.begin(), paths.end());
  return text_response(200, cat("{\"paths\":", quoted_list(paths), "}\n"));
}

httpd::Response health(const ApiRequest& r) {
  static constexpr std::string_view kChecks[] = {"ping", "log", "etcd"};
  const bool one = r.path.size() == 2 && std::find(std::begin(kChecks), std::end(kChecks), r.path[1]) != std::end(kChecks);
  if (r.path.size() > 1 && !one) return plain_not_found();
  if (!httpd::find(r.query, "verbose")) return text_response(200, "ok", "text/plain; charset=utf-8");
  return text_response(200, cat("[+]ping ok\n[+]log ok\n[+]etcd ok\n", r.path[0], " check passed\n"),
                       "text/plain; charset=utf-8");
}

}  // namespace

Result<httpd::Response> serve_discovery(Rest& rest, const ApiRequest& r) {
  auto catalog = rest.machine.catalog();
  const auto& p = r.path;
  if (p.empty()) return root_paths(*catalog);
  const bool open_slash = r.http->path.ends_with('/') && p[0] != "api" && p[0] != "apis" && p[0] != "version";
  if (open_slash) return plain_not_found();
  if (p[0] == "healthz" || p[0] == "livez" || p[0] == "readyz") return health(r);
  if (p[0] == "openapi") return serve_openapi(*catalog, r);
  if (p[0] != "api" && p[0] != "apis" && p[0] != "version") return plain_not_found();
  if (r.http->method != "GET") {
    return status_error(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
  }
  if (p[0] == "version" && p.size() == 1) return text_response(200, std::string(kVersion));
  if (p[0] == "version") return plain_not_found();
  bool core = p[0] == "api";
  if (p.size() == 1) {
    if (std::string_view version = wants_aggregated(*r.http); !version.empty()) {
      return with_etag(r, aggregated(*catalog, core, version),
                       cat("application/json;g=apidiscovery.k8s.io;v=", version, ";as=APIGroupDiscoveryList"));
    }
    if (core) {
      return text_response(200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":["
                                "{\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":\"127.0.0.1\"}]}\n");
    }
    std::string groups;
    for (const auto& [group, versions] : groups_of(*catalog)) {
      if (!group.empty()) append(groups, {groups.empty() ? "" : ",", group_text(group, versions, false)});
    }
    return text_response(200, cat("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[", groups, "]}\n"));
  }
  if (core && p.size() == 2 && p[1] == "v1") return text_response(200, legacy_resources(*catalog, "", "v1"));
  if (!core && p.size() == 2) {
    for (const auto& [group, versions] : groups_of(*catalog)) {
      if (group == p[1] && !group.empty()) return text_response(200, group_text(group, versions, true) + "\n");
    }
  }
  if (!core && p.size() == 3 && catalog->has_version(p[1], p[2])) {
    return text_response(200, legacy_resources(*catalog, p[1], p[2]));
  }
  const bool known = core ? p.size() == 2 : p.size() == 3 && catalog->has_group(p[1]);
  if (known) return status_error(404, "NotFound", "the server could not find the requested resource");
  return plain_not_found();
}

}  // namespace pintle::drydock
