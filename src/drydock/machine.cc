#include "drydock/machine.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/custom_resources.h"
#include "drydock/object_meta.h"
#include "drydock/tree.h"

namespace pintle::drydock {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

const patch::Type* type_of(const Resource& r) { return r.custom_types ? r.custom_types->root() : r.type; }

Value copied(const Value& v) { return value::deep_copy(v); }

Status check_version_text(std::string_view version) {
  ParseError error = ParseError::kNone;
  if (!version.empty()) parse_uint(version, 10, 64, &error);
  if (error == ParseError::kNone) return ok();
  return status_error(500, "", cat("strconv.ParseUint: parsing ", quote(version), ": ",
                                   error == ParseError::kRange ? "value out of range" : "invalid syntax"));
}

// Where an API server would keep the object in etcd; some error texts show it.
std::string storage_key(const Resource& r, std::string_view ns, std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kSpecial[] = {
      {"replicationcontrollers", "controllers"}, {"endpoints", "services/endpoints"}, {"nodes", "minions"},
      {"services", "services/specs"}, {"ingresses", "ingress"}};
  std::string folder = r.plural;
  for (const auto& [plural, path] : kSpecial) {
    if (r.plural == plural && !r.custom()) folder = path;
  }
  if (r.custom() || r.group == kDefinitionGroup || r.group == "apiregistration.k8s.io") folder = cat(r.group, "/", r.plural);
  return cat("/", folder, "/", ns.empty() ? "" : cat(ns, "/"), name);
}

// An update that names the uid of another object than is stored; `stored` is empty where there is none.
Error other_uid(const Resource& r, const Value& object, std::string_view wanted, std::string_view stored, bool dry_run) {
  return conflict(r.group, r.plural, name_of(object),
                  cat("StorageError: invalid object, Code: 4, Key: ", dry_run ? "" : "/registry",
                      storage_key(r, namespace_of(object), name_of(object)),
                      ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ", wanted,
                      ", UID in object meta: ", stored));
}

}  // namespace

Pairs selectable_of(const Resource& resource, const Value& object) {
  Pairs out;
  if (resource.custom()) {
    for (const std::string& path : resource.custom_version->selectable) {
      const Value* v = at_path(object, path);
      std::string value;
      if (v && v->is_string()) value = v->as_string();
      else if (v && v->is(value::Type::kBool)) value = v->as_bool() ? "true" : "false";
      else if (v && v->is_int()) value = cat(v->as_int());
      out.emplace_back(path.substr(1), std::move(value));
    }
    return out;
  }
  const KindRules* rules = rules_of(resource.group, resource.kind);
  if (!rules || !rules->selectable) return out;
  for (std::string_view path : rules->selectable()) {
    const Value* v = &object;
    for (std::string_view part : split(path, ".")) v = v ? v->get(part) : nullptr;
    std::string value;
    if (v && v->is_string()) value = v->as_string();
    else if (v && v->is(value::Type::kBool)) value = v->as_bool() ? "true" : "false";
    else if (v && v->is_int()) value = cat(v->as_int());
    out.emplace_back(path, std::move(value));
  }
  return out;
}

Machine::Machine(const Options& options)
    : x_options(options),
      x_clock(options.clock ? options.clock : &sys::real_clock()),
      x_catalog(Catalog::built_in()),
      x_store(options.history),
      x_runner(options.controllers ? all_controllers() : server_controllers()) {}

Machine::~Machine() { stop_runner(); }

int64_t Machine::now_ns() { return x_clock->now_ns() + x_stepped; }
std::string Machine::now() { return time_text(now_ns()); }
std::string Machine::new_uid() { return crypt::uuid_v4(); }

std::string Machine::random_suffix(size_t n) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  for (size_t i = 0; i < n; ++i) out += kLetters[crypt::random_below(kLetters.size())];
  return out;
}

ResourcePtr Machine::resource(std::string_view group, std::string_view plural) {
  return catalog()->stored(group, plural);
}

std::vector<ResourcePtr> Machine::resources() {
  auto catalog = this->catalog();
  std::vector<ResourcePtr> out;
  for (const ResourcePtr& r : catalog->all()) {
    Place place = place_of(*r);
    ResourcePtr stored = catalog->stored(r->group, r->plural);
    if (r->custom() && std::find(out.begin(), out.end(), stored) == out.end()) out.push_back(stored);
    else if (!r->custom() && place.group == r->group && stored == r) out.push_back(r);
  }
  return out;
}

void Machine::define(std::string_view name, const Value* definition) {
  std::vector<ResourcePtr> made;
  if (definition) made = custom_resources(*definition);
  auto known = x_custom.find(name);
  if (made.empty() && known == x_custom.end()) return;
  if (made.empty()) {
    const Resource& gone = *known->second.front();
    x_hub.end_shelf(cat(gone.group, "/", gone.plural));
    x_custom.erase(known);
  }
  else x_custom[std::string(name)] = std::move(made);
  std::vector<ResourcePtr> all;
  for (const auto& [_, resources] : x_custom) all.insert(all.end(), resources.begin(), resources.end());
  std::atomic_store(&x_catalog, catalog()->with_custom(std::move(all)));
}

void Machine::load_definitions() {
  for (const Value& v : list(kDefinitionGroup, kDefinitionPlural, "", "")) define(name_of(v), &v);
}

// ---- writes ----

Status Machine::check_namespace(const Resource& resource, const Value& object) {
  if (!resource.namespaced) return ok();
  std::string_view ns = namespace_of(object);
  ObjectPtr found = x_store.find("", "namespaces", "", ns);
  if (!found) return not_found("", "namespaces", ns);
  const std::string* phase = find_pair(found->fields, "status.phase");
  bool terminating = phase ? *phase == "Terminating" : has(parse_object(*found), "metadata", "deletionTimestamp");
  if (!terminating) return ok();
  Error error = forbidden(resource.group, resource.plural, name_of(object),
                          cat("unable to create new content in namespace ", ns, " because it is being terminated"));
  ApiError detail = *error.find<ApiError>();
  detail.causes.push_back({"NamespaceTerminating", cat("namespace ", ns, " is being terminated"), "metadata.namespace"});
  return api_error(error.text(), std::move(detail));
}

void Machine::publish(const StoredChange& change, const Resource& resource, const Value* before, const Value* after) {
  Place place = place_of(resource);
  static constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED"};
  x_truth.append(change.version, kTypes[static_cast<int>(change.type)],
                 {place.group, place.plural, change.object->ns, change.object->name});
  if (place.group == kDefinitionGroup && place.plural == kDefinitionPlural) {
    define(change.object->name, after);
  }
  if (x_disk) x_disk->append(change);
  x_hub.publish(*this, change);
  x_runner.changed(*this, {place.group, place.plural, before, after});
  x_wake.notify_one();
}

ObjectPtr Machine::store_object(const Resource& resource, Value& object, const Value* before) {
  Place place = place_of(resource);
  ObjectPtr made = encode_object(object, x_store.next_version(), selectable_of(resource, object));
  StoredChange change = x_store.put(place.group, place.plural, made);
  if (place.plural == "events" && place.group.empty()) {
    x_event_ages.written(now_ns(), made->ns, made->name, made->version);
  }
  publish(change, resource, before, &object);
  return made;
}

ObjectPtr Machine::drop_object(const Resource& resource, const Value& last) {
  Place place = place_of(resource);
  const StoredChange* removed = x_store.remove(place.group, place.plural, namespace_of(last), name_of(last));
  if (!removed) return nullptr;
  StoredChange change = *removed;
  const KindRules* rules = rules_of(resource.group, resource.kind);
  if (rules && rules->removed && !resource.custom()) rules->removed(*this, last);
  publish(change, resource, &last, nullptr);
  return change.object;
}

Result<ObjectPtr> Machine::create_object(const ResourcePtr& resource, Value object, const WriteContext& context) {
  TRY(check_disk());
  const KindRules* rules = resource->custom() ? nullptr : rules_of(resource->group, resource->kind);
  Value& meta = ensure(object, "metadata");
  if (std::string_view uid = uid_of(object); context.by_update && !uid.empty()) {
    return other_uid(*resource, object, uid, "", context.dry_run);
  }
  bool generated = name_of(object).empty() && !text(meta, "generateName").empty();
  if (generated) {
    std::string base(text(meta, "generateName"));
    if (base.size() > 58) base.resize(58);
    put(meta, "name", cat(base, random_suffix(5)));
  }
  TRY(check_namespace(*resource, object));
  if (has(meta, "resourceVersion") && !text(meta, "resourceVersion").empty()) {
    return status_error(500, "", "resourceVersion should not be set on objects to be created");
  }
  for (std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion", "uid"}) {
    drop(meta, key);
  }
  if (rules && rules->defaults) rules->defaults(object);
  bool has_status = std::find(resource->subresources.begin(), resource->subresources.end(), "status") !=
                    resource->subresources.end();
  if (has_status) drop(object, "status");
  // Not `meta`: the defaults may have moved the object's entries.
  Value& final_meta = ensure(object, "metadata");
  put(final_meta, "uid", new_uid());
  put(final_meta, "creationTimestamp", now());
  bool counts = resource->custom() || (rules && rules->generation);
  if (counts) put(final_meta, "generation", 1);
  if (!context.apply) {
    drop(final_meta, "managedFields");
    object = TRY(patch::update(Value(), object, type_of(*resource),
                               {context.manager, resource->api_version(), now(), context.subresource}));
  }
  if (rules && rules->create) TRY(rules->create(*this, object));
  std::vector<Cause> causes;
  validate_object_meta(resource->group, resource->kind, resource->namespaced, object, causes);
  if (rules && rules->validate) rules->validate(object, nullptr, causes);
  if (resource->custom()) validate_custom_object(*resource, object, nullptr, causes, context.warnings);
  if (!causes.empty()) return invalid(resource->group, resource->kind, name_of(object), std::move(causes));
  Place place = place_of(*resource);
  if (x_store.find(place.group, place.plural, namespace_of(object), name_of(object))) {
    return already_exists(resource->group, resource->plural, name_of(object));
  }
  TRY(check_quota(*resource, object));
  if (context.dry_run) {
    if (rules && rules->removed) rules->removed(*this, object);
    return encode_object(object, 0, {});
  }
  return store_object(*resource, object, nullptr);
}

Result<ObjectPtr> Machine::update_object(const ResourcePtr& resource, Value object, const WriteContext& context) {
  TRY(check_disk());
  const KindRules* rules = resource->custom() ? nullptr : rules_of(resource->group, resource->kind);
  Place place = place_of(*resource);
  std::string name(name_of(object)), ns(namespace_of(object));
  ObjectPtr live_object = x_store.find(place.group, place.plural, ns, name);
  if (!live_object) return not_found(resource->group, resource->plural, name);
  std::string version(text(object, "metadata", "resourceVersion"));
  TRY(check_version_text(version));
  if (!version.empty() && version != cat(live_object->version)) {
    return conflict(resource->group, resource->plural, name,
                    "the object has been modified; please apply your changes to the latest version and try again");
  }
  std::string_view uid = uid_of(object);
  if (!uid.empty() && uid != live_object->uid && !context.patch) {
    return other_uid(*resource, object, uid, live_object->uid, context.dry_run);
  }
  Value live = parse_object(*live_object);
  bool main = context.subresource.empty() || context.subresource == "scale";
  bool raw = context.subresource == "binding" || context.subresource == "finalize";
  Value& meta = ensure(object, "metadata");
  if (main && rules && rules->defaults) rules->defaults(object);
  if (context.subresource == "status") {
    // Of a status update only the status counts, and the metadata other clients may write through it.
    Value next = copied(live);
    copy_entry(next, object, "status");
    put(next, "metadata", copied(meta));
    const bool deployment = resource->group == "apps" && resource->kind == "Deployment";
    if (deployment) copy_entry(ensure(next, "metadata"), *live.get("metadata"), "labels");
    object = std::move(next);
  } else if (main && std::find(resource->subresources.begin(), resource->subresources.end(), "status") !=
                         resource->subresources.end()) {
    copy_entry(object, live, "status");
  }
  Value& next_meta = ensure(object, "metadata");
  const Value& live_meta = *live.get("metadata");
  for (std::string_view key : {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                               "generation", "resourceVersion", "namespace", "name", "selfLink"}) {
    copy_entry(next_meta, live_meta, key);
  }
  if (unset(next_meta, "uid")) copy_entry(next_meta, live_meta, "uid");  // or else it is a change
  if (main && rules && rules->update) TRY(rules->update(*this, object, live));
  if (!context.apply) {
    object = TRY(patch::update(live, object, type_of(*resource),
                               {context.manager, resource->api_version(), now(), raw ? "" : context.subresource}));
  }
  bool counts = resource->custom() || (rules && rules->generation);
  if (main && counts) {
    const bool deployment = resource->group == "apps" && resource->kind == "Deployment";  // its annotations count
    auto without = [](const Value& v) {
      Value out = copied(v);
      drop(out, "metadata");
      drop(out, "status");
      return out;
    };
    const bool noted = deployment && !same(at(object, "metadata", "annotations"), at(live, "metadata", "annotations"));
    if (noted || !value::deep_equal(without(object), without(live))) {
      put(ensure(object, "metadata"), "generation", number(live, "metadata", "generation") + 1);
    }
  }
  std::vector<Cause> causes;
  if (main) validate_object_meta_update(object, live, causes);
  if (main && rules && rules->validate) rules->validate(object, &live, causes);
  if (context.subresource == "status" && rules && rules->validate_status) rules->validate_status(object, causes);
  if (resource->custom()) validate_custom_object(*resource, object, &live, causes, context.warnings);
  if (!causes.empty()) return invalid(resource->group, resource->kind, name, std::move(causes));

  // Managed fields alone do not change when nothing else did: their times would.
  auto essence = [](const Value& v) {
    Value out = copied(v);
    for (Value& entry : elements(out, "metadata", "managedFields")) drop(entry, "time");
    return out;
  };
  if (value::deep_equal(essence(object), essence(live))) return live_object;
  if (context.dry_run) return encode_object(object, live_object->version, {});
  bool deleting = has(object, "metadata", "deletionTimestamp");
  bool released = items(object, "metadata", "finalizers").empty() && items(object, "spec", "finalizers").empty();
  if (!deleting && resource->group.empty() && resource->plural == "namespaces") released = false;
  if (deleting && released && number(object, "metadata", "deletionGracePeriodSeconds") == 0) {
    drop_object(*resource, object);
    return encode_object(object, x_store.version(), {});
  }
  return store_object(*resource, object, &live);
}

Result<Removed> Machine::remove_object(const ResourcePtr& resource, std::string_view ns, std::string_view name,
                                       const DeleteOptions& options) {
  TRY(check_disk());
  Place place = place_of(*resource);
  ObjectPtr found = x_store.find(place.group, place.plural, ns, name);
  if (!found) return not_found(resource->group, resource->plural, name);
  const Preconditions& want = options.preconditions;
  if (!want.uid.empty() && want.uid != found->uid) {
    return conflict(resource->group, resource->kind, name,
                    cat("the UID in the precondition (", want.uid, ") does not match the UID in record (", found->uid,
                        "). The object might have been deleted and then recreated"));
  }
  if (!want.version.empty() && want.version != cat(found->version)) {
    return conflict(resource->group, resource->kind, name,
                    cat("the ResourceVersion in the precondition (", want.version,
                        ") does not match the ResourceVersion in record (", found->version,
                        "). The object might have been modified"));
  }
  bool is_namespace = place.group.empty() && place.plural == "namespaces";
  if (is_namespace && (name == "default" || name == "kube-system" || name == "kube-public")) {
    return forbidden("", "namespaces", name, "this namespace may not be deleted");
  }
  Value live = parse_object(*found);
  Value object = copied(live);
  Value& meta = ensure(object, "metadata");
  bool pod = place.group.empty() && place.plural == "pods";
  const KindRules* rules = resource->custom() ? nullptr : rules_of(resource->group, resource->kind);
  if (rules && rules->removing && !has(meta, "deletionTimestamp")) rules->removing(*this, object);
  int64_t grace = 0;
  if (pod) {
    grace = options.grace_seconds >= 0 ? options.grace_seconds : number_or(30, object, "spec", "terminationGracePeriodSeconds");
    std::string_view phase = text(object, "status", "phase");
    if (text(object, "spec", "nodeName").empty() || phase == "Succeeded" || phase == "Failed") grace = 0;
  }
  std::vector<Value> finalizers;
  for (const Value& f : items(object, "metadata", "finalizers")) {
    std::string_view s = f.is_string() ? f.as_string() : "";
    bool stale = (s == "orphan" || s == "foregroundDeletion") && !options.propagation.empty();
    if (!stale) finalizers.push_back(f);
  }
  if (options.propagation == "Orphan") finalizers.push_back(make("orphan"));
  if (options.propagation == "Foreground") finalizers.push_back(make("foregroundDeletion"));
  bool held = !finalizers.empty() || (is_namespace && !items(object, "spec", "finalizers").empty());
  bool was_deleting = has(meta, "deletionTimestamp");
  if (!held && grace == 0) {
    ObjectPtr last = options.dry_run ? found : drop_object(*resource, live);
    if (!pod) return Removed{last, true};
    // Of a pod the answer shows that its time was cut short.
    put(meta, "deletionTimestamp", now());
    put(meta, "deletionGracePeriodSeconds", 0);
    if (number(meta, "generation") > 0) put(meta, "generation", number(meta, "generation") + 1);
    return Removed{encode_object(object, last->version, {}), true};
  }
  if (finalizers.empty()) drop(meta, "finalizers");
  else put(meta, "finalizers", Value::list_of(std::move(finalizers)));
  if (!was_deleting || grace < number(meta, "deletionGracePeriodSeconds")) {
    put(meta, "deletionTimestamp", time_text(now_ns() + grace * kSecond));
    const bool definition = place.group == kDefinitionGroup && place.plural == kDefinitionPlural;
    if (!definition) put(meta, "deletionGracePeriodSeconds", grace);
    if (!definition && number(meta, "generation") > 0) put(meta, "generation", number(meta, "generation") + 1);
  }
  if (is_namespace) put(ensure(object, "status"), "phase", "Terminating");
  if (value::deep_equal(object, live)) return Removed{found, false};
  if (options.dry_run) return Removed{encode_object(object, found->version, {}), false};
  return Removed{store_object(*resource, object, &live), false};
}

// ---- World: as a controller sees it ----

Result<Value> Machine::get(const Key& key) {
  ObjectPtr found = x_store.find(key.group, key.plural, key.ns, key.name);
  if (!found) return not_found(key.group, key.plural, key.name);
  return parse_object(*found);
}

std::vector<Value> Machine::list(std::string_view group, std::string_view plural, std::string_view ns,
                                 std::string_view label_selector) {
  std::vector<Value> out;
  auto selector = parse_label_selector(label_selector);
  if (!selector) return out;
  x_store.each(group, plural, ns, "", [&](const ObjectPtr& o) {
    if (selector->matches(o->labels)) out.push_back(parse_object(*o));
    return true;
  });
  return out;
}

Result<Value> Machine::create(std::string_view group, std::string_view plural, Value object) {
  ResourcePtr r = resource(group, plural);
  if (!r) return not_found(group, plural, name_of(object));
  put(object, "kind", r->kind);
  put(object, "apiVersion", r->api_version());
  ObjectPtr made = TRY(create_object(r, std::move(object), {.manager = x_acting, .subresource = ""}));
  return parse_object(*made);
}

Result<Value> Machine::update(std::string_view group, std::string_view plural, Value object,
                              std::string_view subresource) {
  ResourcePtr r = resource(group, plural);
  if (!r) return not_found(group, plural, name_of(object));
  WriteContext context{.manager = x_acting, .subresource = std::string(subresource)};
  ObjectPtr made = TRY(update_object(r, std::move(object), context));
  return parse_object(*made);
}

Status Machine::remove(const Key& key, std::string_view propagation, int64_t grace_seconds) {
  ResourcePtr r = resource(key.group, key.plural);
  if (!r) return not_found(key.group, key.plural, key.name);
  DeleteOptions options;
  options.grace_seconds = grace_seconds;
  if (propagation != "Background") options.propagation = propagation;
  TRY(remove_object(r, key.ns, key.name, options));
  return ok();
}

// ---- the thread ----

Status Machine::step(int64_t ns) {
  if (ns < 0) return Error(Code::kInvalidArgument, "the clock goes forward only");
  Lock held(x_lock);  // so that the thread looks before it sleeps, or is woken
  x_stepped += ns;
  x_wake.notify_one();
  return ok();
}

void Machine::start_runner() {
  Lock held(x_lock);
  load_definitions();
  for (const ResourcePtr& r : resources()) {
    std::vector<Value> present = list(r->group, r->plural, "", "");
    for (const Value& v : present) x_runner.changed(*this, {r->group, r->plural, nullptr, &v});
  }
  note_stored_events();
  x_thread = std::thread([this] { run(); });
}

void Machine::stop_runner() {
  {
    Lock held(x_lock);
    x_stop = true;
  }
  x_wake.notify_all();
  if (x_thread.joinable()) x_thread.join();
}

void Machine::run() {
  Lock held(x_lock);
  while (!x_stop) {
    size_t done = x_runner.run_due(*this, 20);
    x_acting = "kube-controller-manager";
    done += expire_events(100);
    x_hub.tick(monotonic_ns(), x_store.version());
    if (done > 0) {  // let requests in between
      held.unlock();
      std::this_thread::yield();
      held.lock();
      continue;
    }
    int64_t wait = kSecond;
    if (auto due = x_runner.next_due_ns()) wait = std::min(wait, *due - now_ns());
    if (wait > 0) x_wake.wait_for(x_lock, std::chrono::nanoseconds(wait));
  }
}

}  // namespace pintle::drydock
