#include "lookout/api/openapi.h"

#include <map>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/routes.h"
#include "lookout/api/schemas.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

std::string role_name(Role role) {
  return role == Role::kAdmin     ? "admin"
         : role == Role::kOperate ? "operate"
         : role == Role::kInlet   ? "inlet"
                                  : "read";
}

// next: the type of where a page goes on.
std::string content_json(std::string_view gives, std::string_view next = "number") {
  if (gives.find('/') != std::string_view::npos) {
    const bool json = gives == "application/json";
    return cat("{", json::quoted(gives), ":{\"schema\":", type_json(json ? "any" : "text"), "}}");
  }
  std::string schema = type_json(gives);
  if (gives.starts_with('[')) {
    schema = cat("{\"type\":\"object\",\"required\":[\"items\"],\"properties\":{\"items\":", schema,
                 ",\"next\":{\"type\":\"", next == "text" ? "string" : "integer", "\",\"description\":",
                 json::quoted("what `after` is for the page that follows"),
                 "},\"more\":{\"type\":\"boolean\",\"description\":",
                 json::quoted("not all was looked at: go on at `next`, however few items there are"),
                 "}}}");
  }
  return cat("{\"application/json\":{\"schema\":", schema, "}}");
}

std::string parameter_json(std::string_view name, std::string_view in, std::string_view type,
                           std::string_view meaning) {
  return Data()
      .text("name", name)
      .text("in", in)
      .raw("required", in == "path" ? "true" : "false")
      .text("description", meaning)
      .raw("schema", type_json(type))
      .take();
}

std::string parameters_json(const ApiRoute& r) {
  std::vector<std::string> out;
  for (const std::string_view part : split(r.path, "/")) {
    if (!part.starts_with('{')) continue;
    const std::string_view name = part.substr(1, part.size() - 2);
    const bool number = name == "id" || name == "sequence";
    out.push_back(parameter_json(name, "path", number ? "number" : "text", ""));
  }
  for (const std::string_view name : split(r.query, " ")) {
    if (const auto p = query_field(name)) out.push_back(parameter_json(p->name, "query", p->type, p->meaning));
  }
  return cat("[", join(out, ","), "]");
}

std::string operation_json(const ApiRoute& r) {
  Data out;
  out.text("operationId", r.id).text("summary", r.summary);
  out.raw("parameters", parameters_json(r));
  if (!r.takes.empty()) {
    out.raw("requestBody", cat("{\"content\":", content_json(r.takes), "}"));
  }
  const std::string also =
      r.also == 0 ? "" : cat("\"", r.also, "\":{\"description\":\"it is not so\",\"content\":",
                             content_json(r.gives), "},");
  const bool named = r.query.find("after:text") != std::string_view::npos;
  out.raw("responses",
          cat("{\"", r.status, "\":{\"description\":\"done\",\"content\":",
              content_json(r.gives, named ? "text" : "number"),
              "},", also, "\"default\":{\"description\":\"what is wrong\",\"content\":",
              content_json(r.gives.starts_with("Horizon") ? "HorizonError" : "Error"), "}}"));
  if (r.role == Role::kNone) {
    out.raw("security", "[]");
  } else {
    out.text("x-role", role_name(r.role));
  }
  return out.take();
}

std::string make_document() {
  std::map<std::string_view, Data> paths;
  for (const ApiRoute& r : routes()) paths[r.path].raw(to_lower(r.method), operation_json(r));
  Data all_paths, all_schemas;
  for (auto& [path, methods] : paths) all_paths.raw(path, methods.take());
  for (const Schema& s : schemas()) all_schemas.raw(s.name, schema_json(s));
  return Data()
      .text("openapi", "3.1.0")
      .raw("info",
           Data()
               .text("title", "lookout")
               .text("description",
                     "What is released in which cluster, and who is told. Pages go on at "
                     "`next`; errors are {\"error\": TEXT}; x-role is the least role of the "
                     "token (inlet: that role, operate or admin).")
               .text("version", "1")
               .take())
      .raw("security", R"([{"bearer":[]},{"basic":[]}])")
      .raw("paths", all_paths.take())
      .raw("components",
           Data()
               .raw("schemas", all_schemas.take())
               .raw("securitySchemes", R"({"bearer":{"type":"http","scheme":"bearer"},)"
                                       R"("basic":{"type":"http","scheme":"basic"}})")
               .take())
      .take();
}

}  // namespace

const std::string& openapi_json() {
  static const std::string document = make_document();
  return document;
}

}  // namespace pintle::lookout
