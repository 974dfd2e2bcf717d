#include "drydock/write_options.h"

#include <cstdio>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/tree.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr size_t kManagerBytes = 128;

void validate_dry_run(const std::vector<std::string>& given, std::vector<Cause>& causes) {
  bool known = true;
  std::vector<std::string> shown;
  for (const std::string& d : given) {
    known = known && d == "All";
    shown.push_back(quote(d));
  }
  if (known) return;
  causes.push_back({"FieldValueNotSupported",
                    cat("Unsupported value: [", join(shown, ","), "]: supported values: \"All\""), "dryRun"});
}

std::vector<std::string> dry_runs(const ApiRequest& r) {
  std::vector<std::string> out;
  for (const auto& [key, value] : r.query) {
    if (key == "dryRun") out.push_back(value);
  }
  return out;
}

// A manager is named by the client's program where the query names none.
std::string manager_of(const ApiRequest& r) {
  std::string_view manager = r.parameter("fieldManager");
  if (manager.empty()) {
    manager = r.http->header("User-Agent");
    manager = manager.substr(0, manager.find('/'));
  }
  if (manager.empty()) manager = "unknown";
  return std::string(manager.substr(0, kManagerBytes));
}

// The decoder's words for a field of the wrong type.
Status check_types(const Value& body) {
  struct Typed {
    const Value* value;
    std::string_view field, type;
  };
  const Value* preconditions = at(body, "preconditions");
  std::vector<Typed> all = {{at(body, "gracePeriodSeconds"), "gracePeriodSeconds", "int64"},
                            {preconditions, "preconditions", "v1.Preconditions"},
                            {at(body, "preconditions", "uid"), "preconditions.uid", "types.UID"},
                            {at(body, "preconditions", "resourceVersion"), "preconditions.resourceVersion", "string"},
                            {at(body, "orphanDependents"), "orphanDependents", "bool"},
                            {at(body, "propagationPolicy"), "propagationPolicy", "v1.DeletionPropagation"},
                            {at(body, "dryRun"), "dryRun", "[]string"}};
  for (const Value& d : items(body, "dryRun")) all.push_back({&d, "dryRun", "string"});
  for (const Typed& t : all) {
    if (!t.value) continue;
    const Value& v = *t.value;
    const bool fits = t.type == "int64"              ? v.is_int()
                      : t.type == "v1.Preconditions" ? v.is_map()
                      : t.type == "bool"             ? v.is(value::Type::kBool)
                      : t.type == "[]string"         ? v.is_list()
                                                     : v.is_string();
    if (fits) continue;
    std::string_view what = v.is_string() ? "string" : v.is_map() ? "object" : v.is_list() ? "array"
                            : v.is(value::Type::kBool) ? "bool" : "number";
    const bool numeral = what == "number" && t.type == "int64";
    return bad_request(cat("json: cannot unmarshal ", what, numeral ? cat(" ", json::write(v).value_or("")) : "",
                           " into Go struct field ", t.field.find('.') == t.field.npos ? "DeleteOptions." : "Preconditions.",
                           t.field, " of type ", t.type));
  }
  return ok();
}

Result<Value> read_delete_body(const ApiRequest& r) {
  Value body = TRY(decode_any(*r.http));
  // Every group and version has its own DeleteOptions, all of one form.
  const std::string_view kind = text(body, "kind"), version = text(body, "apiVersion");
  if (!kind.empty() && kind != "DeleteOptions") {
    return bad_request(cat("no kind ", quote(kind), " is registered for version ", quote(version.empty() ? "v1" : version),
                           " in scheme \"pkg/runtime/scheme.go:111\""));
  }
  TRY(check_types(body));
  return body;
}

}  // namespace

void validate_field_manager(std::string_view manager, std::string_view path, std::vector<Cause>& causes) {
  if (manager.size() > kManagerBytes) {
    causes.push_back({"FieldValueTooLong", cat("Too long: may not be more than ", kManagerBytes, " bytes"), std::string(path)});
  }
  for (size_t i = 0; i < manager.size();) {
    const Rune rune = decode_rune(manager.substr(i));
    if (!is_print(rune.value)) {
      char point[16];
      std::snprintf(point, sizeof point, "U+%04X", static_cast<unsigned>(rune.value));
      causes.push_back({"FieldValueInvalid",
                        cat("Invalid value: ", quote(manager), ": invalid character ", point, " (at position ", i, ")"),
                        std::string(path)});
    }
    i += rune.size;
  }
}

Result<WriteOptions> read_write_options(const ApiRequest& r, std::string_view kind, bool is_apply) {
  WriteOptions out;
  std::vector<Cause> causes;
  const std::string_view manager = r.parameter("fieldManager");
  if (is_apply && manager.empty()) {
    causes.push_back({"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"});
  }
  if (!is_apply && kind == "PatchOptions" && httpd::find(r.query, "force")) {
    causes.push_back({"FieldValueForbidden", "Forbidden: may not be specified for non-apply patch", "force"});
  }
  validate_field_manager(manager, "fieldManager", causes);
  const std::vector<std::string> dry = dry_runs(r);
  validate_dry_run(dry, causes);
  const std::string_view validation = r.parameter("fieldValidation");
  if (validation == "Strict") out.validation = FieldValidation::kStrict;
  else if (validation == "Ignore") out.validation = FieldValidation::kIgnore;
  else if (!validation.empty() && validation != "Warn") {
    causes.push_back({"FieldValueNotSupported",
                      cat("Unsupported value: ", quote(validation), ": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""),
                      "fieldValidation"});
  }
  if (!causes.empty()) return invalid("meta.k8s.io", kind, "", std::move(causes));
  out.force = r.flag("force");
  out.context.manager = manager_of(r);
  out.context.subresource = r.subresource;
  out.context.dry_run = !dry.empty();
  out.context.warnings = r.warnings;
  return out;
}

Result<DeleteOptions> read_delete_options(const ApiRequest& r) {
  DeleteOptions out;
  std::vector<std::string> dry;
  const std::string* policy = httpd::find(r.query, "propagationPolicy");
  std::string propagation = policy ? *policy : "";
  bool has_policy = policy != nullptr;
  const std::string* orphan = httpd::find(r.query, "orphanDependents");
  bool has_orphan = orphan != nullptr, orphans = r.flag("orphanDependents");
  if (!r.http->body.empty()) {
    const Value body = TRY(read_delete_body(r));
    out.preconditions.uid = text(body, "preconditions", "uid");
    out.preconditions.version = text(body, "preconditions", "resourceVersion");
    out.grace_seconds = number_or(-1, body, "gracePeriodSeconds");
    propagation = text(body, "propagationPolicy");
    has_policy = has(body, "propagationPolicy");
    has_orphan = has(body, "orphanDependents");
    orphans = flag(body, "orphanDependents");
    for (const Value& d : items(body, "dryRun")) dry.emplace_back(d.is_string() ? d.as_string() : "");
  } else {
    dry = dry_runs(r);
    if (const std::string* grace = httpd::find(r.query, "gracePeriodSeconds")) {
      ParseError error;
      out.grace_seconds = parse_int(*grace, 10, 64, &error);
      if (error != ParseError::kNone) {
        return bad_request(cat("strconv.ParseInt: parsing ", quote(*grace), ": ",
                               error == ParseError::kRange ? "value out of range" : "invalid syntax"));
      }
    }
  }
  std::vector<Cause> causes;
  if (has_orphan && has_policy) {
    causes.push_back({"FieldValueInvalid",
                      cat("Invalid value: ", quote(propagation), ": orphanDependents and deletionPropagation cannot be both set"),
                      "propagationPolicy"});
  }
  if (has_policy && propagation != "Background" && propagation != "Foreground" && propagation != "Orphan") {
    causes.push_back({"FieldValueNotSupported",
                      cat("Unsupported value: ", quote(propagation),
                          ": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""),
                      "propagationPolicy"});
  }
  validate_dry_run(dry, causes);
  if (!causes.empty()) return invalid("meta.k8s.io", "DeleteOptions", "", std::move(causes));
  out.propagation = has_orphan ? (orphans ? "Orphan" : "Background") : propagation;
  out.dry_run = !dry.empty();
  if (out.grace_seconds < -1) out.grace_seconds = 1;  // a negative grace is as short as can be
  return out;
}

}  // namespace pintle::drydock
