#include "drydock/patch_request.h"

#include "base/strings.h"
#include "drydock/body_text.h"
#include "drydock/tree.h"
#include "json/json.h"
#include "patch/patch.h"

namespace pintle::drydock {

Result<PatchKind> patch_kind(const ApiRequest& r, const Resource& resource) {
  std::string_view type = r.http->header("Content-Type");
  type = type.substr(0, type.find(';'));
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/apply-patch+yaml") return PatchKind::kApply;
  if (type == "application/strategic-merge-patch+json" && !resource.custom()) return PatchKind::kStrategic;
  if (!resource.custom()) return status_error(415, "UnsupportedMediaType", "415: Unsupported Media Type");
  return status_error(415, "UnsupportedMediaType",
                      "the body of the request was in an unknown format - accepted media types include: "
                      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

namespace {

// One {op, from, path, value}: the first three are texts.
Status check_operation(const Value& op, size_t i, std::vector<std::string>& unknown) {
  for (const auto& e : entries_of(&op)) {
    const std::string_view key = e.key;
    if (key == "value") continue;
    if (key != "op" && key != "from" && key != "path") {
      unknown.push_back(cat("[", i, "].", key));
    } else if (!e.value.is_string() && !e.value.is_nil()) {
      const std::string why(json::type_error(e.value, "string").text());
      return Error(Code::kInvalidArgument, cat(why.substr(0, why.find(" into ")), " into Go struct field jsonPatchOp.", key, " of type string"));
    }
  }
  return ok();
}

}  // namespace

Result<Patch> read_patch(const ApiRequest& r, PatchKind kind, FieldValidation validation) {
  constexpr size_t kMaxOperations = 10000;
  Patch out;
  const std::string_view prefix = kind == PatchKind::kStrategic ? "" : "error decoding patch: ";
  auto v = json::read(r.http->body, {.numbers = json::Numbers::kExact});
  if (!v) return bad_request(cat(prefix, v.error().text()));
  out.body = std::move(*v);
  const bool list = kind == PatchKind::kJson;
  if (!out.body.is_nil() && (list ? !out.body.is_list() : !out.body.is_map())) {
    return bad_request(cat(prefix, json::type_error(out.body, list ? "[]handlers.jsonPatchOp" : "map[string]interface {}").text()));
  }
  if (out.body.is_nil() && kind == PatchKind::kMerge) return bad_request("Invalid JSON Patch");
  if (out.body.is_nil()) out.body = list ? empty_list() : empty_map();
  std::vector<std::string> unknown;
  if (list) {
    size_t i = 0;
    for (const Value& op : out.body.items()) {
      if (!op.is_map() && !op.is_nil()) return bad_request(cat(prefix, json::type_error(op, "handlers.jsonPatchOp").text()));
      if (Status s = check_operation(op, i++, unknown); !s) return bad_request(cat(prefix, s.error().text()));
    }
    if (out.body.length() > kMaxOperations) {
      return status_error(413, "RequestEntityTooLarge",
                          cat("The allowed maximum operations in a JSON patch is ", kMaxOperations, ", got ", out.body.length()));
    }
  }
  if (validation == FieldValidation::kIgnore) return out;
  out.complaints = strict_complaints(r.http->body, unknown);
  if (list) {
    for (std::string& s : out.complaints) s = cat("json patch ", s);
  }
  return out;
}

Result<Value> apply_patch(const Value& live, const Value& body, PatchKind kind, const patch::Type* type) {
  if (kind == PatchKind::kMerge) return patch::merge_patch(live, body);
  auto patched = kind == PatchKind::kJson ? patch::json_patch(live, body) : patch::strategic_merge(live, body, type);
  if (patched) return patched;
  const std::string why(patched.error().text());
  if (patched.error().code() == Code::kInternal) return status_error(500, "", why);
  if (kind == PatchKind::kStrategic) return bad_request(why);
  return status_error(422, "Invalid", "the server rejected our request due to an error in our request");
}

}  // namespace pintle::drydock
