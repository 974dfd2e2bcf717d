#include "kube/apply.h"

#include <chrono>
#include <optional>
#include <thread>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "kube/discovery.h"
#include "kube/parallel.h"
#include "patch/patch.h"

namespace pintle::kube {
namespace {

constexpr size_t kWidth = 16;
constexpr int kConflictTries = 5;
constexpr std::string_view kManager = "fieldManager=helm";

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

// "apps/v1, Kind=Deployment" as Go prints a GroupVersionKind.
std::string kind_text(const Object& o) { return cat(o.group, "/", o.version, ", Kind=", o.kind); }

std::string dry_run(const ApplyOptions& options) { return options.dry_run ? "dryRun=All&" : ""; }

std::string validation(const ApplyOptions& options) {
  return cat("&fieldValidation=", options.validate ? "Strict" : "Ignore");
}

// retry.DefaultRetry: five tries, 10 ms apart and a little more.
template <typename Step, typename Again>
auto retried(Step step, Again again) {
  for (int attempt = 1;; ++attempt) {
    auto result = step();
    if (result || attempt == kConflictTries || !again(result.error())) return result;
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + attempt));
  }
}

bool quota_conflict(const Error& e) {
  return is_conflict(e) &&
         e.text().find("Operation cannot be fulfilled on resourcequotas") != std::string::npos &&
         e.text().find("the object has been modified") != std::string::npos;
}

Result<Call> apply_call(const Object& o, const ApplyOptions& options) {
  Call call;
  call.method = "PATCH";
  call.path = object_path(o, o.name);
  call.query = cat(dry_run(options), kManager, validation(options),
                   "&force=", options.force_conflicts ? "true" : "false");
  call.content_type = "application/apply-patch+yaml";
  call.body = TRY(json::write(o.tree, {.escape_html = false})) + "\n";
  call.cancel = options.cancel;
  return call;
}

Result<Call> post_call(const Object& o, const ApplyOptions& options) {
  Call call;
  call.method = "POST";
  call.path = object_path(o, "");
  call.query = cat(dry_run(options), kManager);
  call.body = TRY(json::write(o.tree, {.escape_html = false}));
  call.cancel = options.cancel;
  return call;
}

Error apply_error(const Object& o, Error e) {
  const auto* status = e.find<ApiStatus>();
  const std::string what = cat(o.ns, "/", o.name, " ", kind_text(o));
  if (status && status->code == 415) return Error::wrap("server-side apply not available on the server", std::move(e));
  if (is_conflict(e)) return Error::wrap("conflict occurred while applying object " + what, std::move(e));
  return Error::wrap("server-side apply failed for object " + what, std::move(e));
}

// Sends what creates an object; the call was made before, because trees stay on one thread.
Status send_create(Rest& rest, const Object& o, const Call& call, bool server_side) {
  auto again = [&](const Error& e) { return server_side ? quota_conflict(e) : is_conflict(e); };
  auto sent = retried([&] { return rest.call(call); }, again);
  if (sent) return ok();
  return server_side ? apply_error(o, std::move(sent).error()) : std::move(sent).error();
}

Status create_one(Rest& rest, const Object& o, const ApplyOptions& options) {
  const Call call = TRY(options.server_side ? apply_call(o, options) : post_call(o, options));
  return send_create(rest, o, call, options.server_side);
}

bool same(const Object& a, const Object& b) {
  return a.name == b.name && a.ns == b.ns && a.kind == b.kind && a.group == b.group;
}

const Object* find_same(const Objects& in, const Object& o) {
  for (const Object& other : in) {
    if (same(other, o)) return &other;
  }
  return nullptr;
}

Result<http::Response> patch_call(Rest& rest, const Object& o, std::string_view type,
                                  const value::Value& patch, std::string query,
                                  const http::Cancel* cancel) {
  Call call;
  call.method = "PATCH";
  call.path = object_path(o, o.name);
  call.query = std::move(query);
  call.content_type = std::string(type);
  call.body = TRY(json::write(patch, {.escape_html = false}));
  call.cancel = cancel;
  return rest.call(call);
}

Status upgrade_managers(Rest& rest, const Object& o, value::Value live, const ApplyOptions& options) {
  bool stale = false;
  return retried(
      [&]() -> Status {
        if (stale) live = TRY(get_object(rest, o));
        stale = true;
        const value::Value patch = TRY(managers_patch(live));
        if (patch.is_nil()) return ok();
        auto sent = patch_call(rest, o, "application/json-patch+json", patch,
                               cat(dry_run(options), kManager, validation(options)),
                               options.cancel);
        if (sent) return ok();
        Error e = std::move(sent).error();
        if (is_conflict(e)) return e;
        return Error::wrap(cat("failed to patch object to upgrade CSA field manager ", o.ns, "/",
                               o.name, " ", kind_text(o)),
                           std::move(e));
      },
      [](const Error& e) { return is_conflict(e); });
}

Status replace(Rest& rest, const Object& o, const value::Value& live, const ApplyOptions& options) {
  value::Value tree = value::deep_copy(o.tree);
  const value::Value* meta = live.get("metadata");
  const value::Value* version = meta ? meta->get("resourceVersion") : nullptr;
  const value::Value* to = tree.get("metadata");
  if (version && to && to->as_map()) to->as_map()->set("resourceVersion", *version);
  Call call;
  call.method = "PUT";
  call.path = object_path(o, o.name);
  call.query = cat(dry_run(options), kManager, validation(options));
  call.body = TRY(json::write(tree, {.escape_html = false}));
  call.cancel = options.cancel;
  auto sent = rest.call(call);
  if (!sent) return Error::wrap("failed to replace object", std::move(sent).error());
  return ok();
}

// The server cannot read what a strategic patch makes of an object, for instance a number where a
// text belongs. Helm, which knows the types, sends a merge patch for such a manifest, and that is
// refused in words that name the field.
bool unreadable(const Error& error) {
  const auto* status = error.find<ApiStatus>();
  return status && status->code == 422 &&
         status->message.find("patch: Invalid value: \"map[") != std::string::npos;
}

Status patch_client_side(Rest& rest, const Object& o, const value::Value& old,
                         const value::Value& live, const ApplyOptions& options) {
  const patch::Type* type = patch::type_of(o.group, o.version, o.kind);
  const bool old_crd = o.group == "apiextensions.k8s.io" && o.version == "v1beta1";
  const bool structured = type && !old_crd;
  const auto merge = [&]() -> Result<value::Value> {
    if (options.three_way_unstructured) return patch::create_three_way_merge_patch(old, o.tree, live);
    return patch::create_merge_patch(old, o.tree);
  };
  auto patch = structured ? patch::create_three_way_patch(old, o.tree, live, type, true) : merge();
  if (!patch) return Error::wrap("failed to create patch", std::move(patch).error());
  if (patch->length() == 0) return ok();
  const auto send = [&](bool strategic) {
    return patch_call(rest, o,
                      strategic ? "application/strategic-merge-patch+json"
                                : "application/merge-patch+json",
                      *patch, cat(dry_run(options), kManager), options.cancel);
  };
  auto sent = send(structured);
  if (!sent && structured && unreadable(sent.error())) {
    patch = merge();
    if (!patch) return Error::wrap("failed to create patch", std::move(patch).error());
    sent = send(false);
  }
  if (sent) return ok();
  return Error::wrap(cat("cannot patch ", quote(o.name), " with kind ", o.kind),
                     std::move(sent).error());
}

Error joined(const std::vector<Error>& errors, std::string_view separator) {
  if (errors.size() == 1) return errors[0];
  std::string text;
  for (const Error& e : errors) append(text, {text.empty() ? "" : separator, e.text()});
  return Error::with_cause(std::move(text), errors[0]);
}

Call delete_call(const Object& o, Propagation propagation) {
  static constexpr const char* kNames[] = {"Background", "Foreground", "Orphan"};
  Call call;
  call.method = "DELETE";
  call.path = object_path(o, o.name);
  call.body = cat(R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":")",
                  kNames[static_cast<int>(propagation)], "\"}\n");
  return call;
}

Status send_delete(Rest& rest, const Call& call) {
  auto sent = retried([&] { return rest.call(call); }, is_conflict);
  if (!sent) return std::move(sent).error();
  return ok();
}

// [begin, end) of the run of equal kinds that starts at `begin`.
size_t run_end(const Objects& objects, size_t begin) {
  size_t end = begin;
  while (end < objects.size() && objects[end].kind == objects[begin].kind) ++end;
  return end;
}

bool kept(const value::Value& live) {
  const value::Value* meta = live.get("metadata");
  const value::Value* notes = meta ? meta->get("annotations") : nullptr;
  return notes && text_at(*notes, "helm.sh/resource-policy") == "keep";
}

Status update_one(Rest& rest, const Object& o, const Object* original, const value::Value& live,
                  const ApplyOptions& options) {
  if (options.force_replace) return replace(rest, o, live, options);
  if (!options.server_side) {
    return patch_client_side(rest, o, original ? original->tree : live, live, options);
  }
  if (options.upgrade_managers) TRY(upgrade_managers(rest, o, live, options));
  auto sent = rest.call(TRY(apply_call(o, options)));
  if (!sent) return apply_error(o, std::move(sent).error());
  return ok();
}

Status check(const ApplyOptions& o) {
  const auto bad = [](const char* text) { return Error(Code::kInvalidArgument, text); };
  if (!o.server_side && o.force_conflicts && !o.force_replace) {
    return bad("invalid client update option(s): forceConflicts enabled when serverSideApply disabled");
  }
  if (o.three_way_unstructured && o.server_side) {
    return bad("invalid operation: cannot use three-way merge for unstructured and server-side apply together");
  }
  if (o.force_conflicts && o.force_replace) {
    return bad("invalid operation: cannot use force conflicts and force replace together");
  }
  if (o.server_side && o.force_replace) {
    return bad("invalid operation: cannot use server-side apply and force replace together");
  }
  return ok();
}

}  // namespace

Result<value::Value> get_object(Rest& rest, const Object& object) {
  Call call;
  call.path = object_path(object, object.name);
  return decode(TRY(rest.call(call)));
}

Result<Objects> create_objects(Rest& rest, const Objects& objects, const ApplyOptions& options) {
  if (objects.empty()) return Error(Code::kInvalidArgument, "no objects visited");
  if (!options.server_side && options.force_conflicts) {
    return Error(Code::kInvalidArgument,
                 "invalid client create option(s): forceConflicts enabled when serverSideApply disabled");
  }
  std::vector<Error> errors;
  for (size_t begin = 0; begin < objects.size();) {
    const size_t end = run_end(objects, begin);
    std::vector<Call> calls;
    for (size_t i = begin; i < end; ++i) {
      const Object& o = objects[i];
      calls.push_back(TRY(options.server_side ? apply_call(o, options) : post_call(o, options)));
    }
    std::vector<std::optional<Error>> failed(end - begin);
    parallel(end - begin, kWidth, [&](size_t i) {
      auto sent = send_create(rest, objects[begin + i], calls[i], options.server_side);
      if (!sent) failed[i] = std::move(sent).error();
    });
    for (auto& e : failed) {
      if (e) errors.push_back(std::move(*e));
    }
    begin = end;
  }
  if (!errors.empty()) return joined(errors, "\n");
  return objects;
}

Status update_objects(Rest& rest, const Log& log, const Objects& original, const Objects& target,
                      const ApplyOptions& options, UpdateReport& report) {
  TRY(check(options));
  std::vector<Error> errors;
  for (const Object& o : target) {
    if (options.cancel && options.cancel->cancelled()) {
      return Error(Code::kCancelled, "context canceled");
    }
    auto live = get_object(rest, o);
    if (!live) {
      if (!is_not_found(live.error())) {
        return Error::wrap("could not get information about the resource", std::move(live).error());
      }
      report.created.push_back(o);
      if (auto made = create_one(rest, o, options); !made) {
        return Error::wrap("failed to create resource", std::move(made).error());
      }
      continue;
    }
    const Object* before = find_same(original, o);
    if (!before) {
      log("WARN",
          "resource exists on cluster but not in original release, using cluster state as baseline",
          {{"namespace", o.ns}, {"name", o.name}, {"kind", o.kind}});
    }
    auto done = update_one(rest, o, before, *live, options);
    if (!done) errors.push_back(std::move(done).error());
    report.updated.push_back(o);
  }
  if (!errors.empty()) return joined(errors, " && ");
  for (const Object& o : original) {
    if (find_same(target, o)) continue;
    auto live = get_object(rest, o);
    if (!live || kept(*live)) continue;
    auto gone = send_delete(rest, delete_call(o, Propagation::kBackground));
    if (gone) {
      report.deleted.push_back(o);
    } else if (!is_not_found(gone.error())) {
      errors.push_back(Error::wrap(cat("failed to delete resource namespace=", o.ns, ", name=",
                                       o.name, ", kind=", o.kind),
                                   std::move(gone).error()));
    }
  }
  if (!errors.empty()) return joined(errors, " && ");
  return ok();
}

std::vector<Error> remove_objects(Rest& rest, const Objects& objects, Propagation propagation,
                                  Objects& removed) {
  if (objects.empty()) {
    return {Error(Code::kNotFound, "object not found, skipping delete: no objects visited")};
  }
  std::vector<Error> errors;
  for (size_t begin = 0; begin < objects.size();) {
    const size_t end = run_end(objects, begin);
    std::vector<Call> calls;
    for (size_t i = begin; i < end; ++i) calls.push_back(delete_call(objects[i], propagation));
    std::vector<std::optional<Error>> failed(end - begin);
    parallel(end - begin, kWidth, [&](size_t i) {
      auto sent = send_delete(rest, calls[i]);
      if (!sent && !is_not_found(sent.error())) failed[i] = std::move(sent).error();
    });
    for (size_t i = begin; i < end; ++i) {
      if (failed[i - begin]) {
        errors.push_back(std::move(*failed[i - begin]));
      } else {
        removed.push_back(objects[i]);
      }
    }
    begin = end;
  }
  return errors;
}

}  // namespace pintle::kube
