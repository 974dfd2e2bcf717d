// apimachinery's ListOptions validation, in its order and words.
#include "drydock/list_query.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/custom_schema.h"
#include "drydock/kinds.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

Result<int64_t> number_parameter(const ApiRequest& r, std::string_view name) {
  const std::string* given = httpd::find(r.query, name);
  if (!given) return 0;
  const std::string_view text = *given;
  ParseError error;
  int64_t n = parse_int(text, 10, 64, &error);
  if (error == ParseError::kNone) return n;
  return bad_request(cat("strconv.ParseInt: parsing ", quote(text), ": ",
                         error == ParseError::kRange ? "value out of range" : "invalid syntax"));
}

Status check_fields_known(const Resource& resource, const FieldSelector& fields) {
  std::vector<std::string_view> known = {"metadata.name"};
  if (resource.namespaced) known.push_back("metadata.namespace");
  const KindRules* rules = resource.custom() ? nullptr : rules_of(resource.group, resource.kind);
  if (resource.custom()) {
    for (const std::string& path : resource.custom_version->selectable) known.push_back(std::string_view(path).substr(1));
  }
  bool special = rules && rules->selectable;
  if (special) {
    for (std::string_view f : rules->selectable()) known.push_back(f);
  }
  for (const FieldRequirement& r : fields.all) {
    if (std::find(known.begin(), known.end(), r.field) != known.end()) continue;
    if (resource.kind == "Job") return bad_request(cat("field label ", quote(r.field), " not supported for Job"));
    if (special || resource.custom()) return bad_request(cat("field label not supported: ", r.field));
    return bad_request(cat(quote(r.field), " is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
  }
  return ok();
}

}  // namespace

std::string version_error(std::string_view text, ParseError error) {
  return cat("resourceVersion: Invalid value: ", quote(text), ": strconv.ParseUint: parsing ", quote(text), ": ",
             error == ParseError::kRange ? "value out of range" : "invalid syntax");
}

Result<ListQuery> read_list_query(const ApiRequest& r, const Resource& resource, bool watch) {
  ListQuery q;
  q.limit = TRY(number_parameter(r, "limit"));
  q.timeout_seconds = TRY(number_parameter(r, "timeoutSeconds"));
  auto labels = parse_label_selector(r.parameter("labelSelector"));
  if (!labels) return bad_request(labels.error().text());
  q.labels = std::move(*labels);
  auto fields = parse_field_selector(r.parameter("fieldSelector"));
  if (!fields) return bad_request(fields.error().text());
  q.fields = std::move(*fields);
  if (!r.name.empty()) q.fields.all.push_back({"metadata.name", r.name, true});
  q.version_text = r.parameter("resourceVersion");
  q.match = r.parameter("resourceVersionMatch");
  q.next = r.parameter("continue");
  q.bookmarks = r.flag("allowWatchBookmarks");
  if (httpd::find(r.query, "sendInitialEvents")) q.initial_events = r.flag("sendInitialEvents");

  std::vector<Cause> causes;
  auto forbid = [&](std::string_view field, std::string_view why) {
    causes.push_back({"FieldValueForbidden", cat("Forbidden: ", why), std::string(field)});
  };
  auto unsupported = [&](std::string_view supported) {
    causes.push_back({"FieldValueNotSupported", cat("Unsupported value: ", quote(q.match), ": supported values: ", supported),
                      "resourceVersionMatch"});
  };
  if (watch) {
    const bool newer = q.match == "NotOlderThan";
    if (q.initial_events && !newer) {
      forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!q.match.empty() && !q.initial_events) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!q.match.empty() && !newer) unsupported("\"NotOlderThan\"");
    // A watch from nowhere starts with the state, as if it had asked for that.
    const bool from_state = !q.initial_events && (q.version_text.empty() || q.version_text == "0");
    if ((!q.match.empty() || from_state) && !q.next.empty()) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
  } else {
    if (!q.match.empty()) {
      if (q.version_text.empty()) {
        forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
      }
      if (!q.next.empty()) forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
      if (q.match != "Exact" && q.match != "NotOlderThan") unsupported("\"Exact\", \"NotOlderThan\", \"\"");
      if (q.match == "Exact" && q.version_text == "0") {
        forbid("resourceVersionMatch", "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
      }
    }
    if (q.initial_events) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (!causes.empty()) return invalid("meta.k8s.io", "ListOptions", "", std::move(causes));
  TRY(check_fields_known(resource, q.fields));
  if (!q.version_text.empty()) {
    ParseError error;
    q.version = parse_uint(q.version_text, 10, 64, &error);
    if (error != ParseError::kNone) {
      if (watch) return status_error(500, "", version_error(q.version_text, error));
      return bad_request(cat("invalid resource version: ", version_error(q.version_text, error)));
    }
  }
  return q;
}

Result<Continue> read_continue(std::string_view token) {
  auto refuse = [](std::string_view why) {
    return bad_request(cat("invalid continue token: continue key is not valid: ", why));
  };
  // RawURLEncoding: no padding, its own two letters; the place of the first byte that does not fit.
  std::string padded(token);
  for (size_t i = 0; i < padded.size(); ++i) {
    char& c = padded[i];
    const bool fits = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!fits) return refuse(cat("illegal base64 data at input byte ", i));
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  if (padded.size() % 4 == 1) return refuse(cat("illegal base64 data at input byte ", padded.size() - 1));
  while (padded.size() % 4) padded += '=';
  auto decoded = crypt::base64_decode(padded);
  if (!decoded) return refuse(decoded.error().text());
  auto v = json::read(*decoded, {.numbers = json::Numbers::kExact});
  if (!v) return refuse(v.error().text());
  if (!v->is_nil() && !v->is_map()) return refuse(json::type_error(*v, "storage.continueToken").text());
  const std::string_view version = text(*v, "v"), start = text(*v, "start");
  if (version != "meta.k8s.io/v1") return refuse(cat("server does not recognize this encoded version ", version));
  const int64_t at = number(*v, "rv");
  if (at == 0) return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start.empty()) return refuse("encoded start key empty (version meta.k8s.io/v1)");
  for (std::string_view part : split(start.starts_with('/') ? start.substr(1) : start, "/")) {
    if (part.empty() || part == "." || part == "..") return refuse(start);  // no way out of the list's keys
  }
  return Continue{at < 0 ? 0 : static_cast<uint64_t>(at), std::string(start)};
}

}  // namespace pintle::drydock
