#include "drydock/controllers/revisions.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::drydock {

Result<Revisions> sync_revisions(World& world, const Value& owner, std::string_view kind,
                                 std::string_view hash_label) {
  Revisions revisions;
  for (Value& r : world.list("apps", "controllerrevisions", namespace_of(owner))) {
    if (controlled_by(r, owner)) revisions.all.push_back(std::move(r));
  }
  std::stable_sort(revisions.all.begin(), revisions.all.end(), [](const Value& a, const Value& b) {
    return number(a, "revision") < number(b, "revision");
  });
  const Value* tmpl = at(owner, "spec", "template");
  Value data = empty_map();
  Value copy = tmpl ? value::deep_copy(*tmpl) : empty_map();
  put(copy, "$patch", "replace");
  put(ensure(data, "spec"), "template", copy);

  int64_t next = revisions.all.empty() ? 1 : number(revisions.all.back(), "revision") + 1;
  for (size_t i = 0; i < revisions.all.size(); ++i) {
    if (!same(at(revisions.all[i], "data"), &data)) continue;
    if (i + 1 == revisions.all.size()) return revisions;
    put(revisions.all[i], "revision", next);  // a rollback: the old one becomes the newest
    Value updated = TRY(world.update("apps", "controllerrevisions", revisions.all[i]));
    revisions.all.erase(revisions.all.begin() + static_cast<std::ptrdiff_t>(i));
    revisions.all.push_back(std::move(updated));
    return revisions;
  }
  std::string hash = template_hash(copy, std::nullopt);
  Value revision = empty_map();
  Value& meta = ensure(revision, "metadata");
  put(meta, "name", cat(name_of(owner), "-", hash));
  put(meta, "namespace", namespace_of(owner));
  if (const Value* labels = at(copy, "metadata", "labels")) put(meta, "labels", value::deep_copy(*labels));
  put(ensure(meta, "labels"), hash_label, hash);
  if (const Value* notes = at(owner, "metadata", "annotations")) {
    put(meta, "annotations", value::deep_copy(*notes));
  }
  put(meta, "ownerReferences", Value::list_of({owner_reference(owner, "apps/v1", kind)}));
  put(revision, "data", std::move(data));
  put(revision, "revision", next);
  revisions.all.push_back(TRY(world.create("apps", "controllerrevisions", std::move(revision))));
  return revisions;
}

Status trim_revisions(World& world, const Value& owner, const Revisions& revisions,
                      const std::vector<std::string>& in_use) {
  std::vector<const Value*> idle;
  for (const Value& r : revisions.all) {
    bool used = &r == &revisions.all.back();
    for (const std::string& name : in_use) used |= name_of(r) == name;
    if (!used) idle.push_back(&r);
  }
  int64_t extra = static_cast<int64_t>(idle.size()) - number_or(10, owner, "spec", "revisionHistoryLimit");
  for (int64_t i = 0; i < extra; ++i) {
    Status removed = world.remove(key_of("apps", "controllerrevisions", *idle[static_cast<size_t>(i)]));
    if (!removed && !is_gone(removed.error())) return removed;
  }
  return ok();
}

Value template_of(const Value& revision) {
  const Value* tmpl = at(revision, "data", "spec", "template");
  Value copy = tmpl ? value::deep_copy(*tmpl) : empty_map();
  drop(copy, "$patch");
  return copy;
}

}  // namespace pintle::drydock
