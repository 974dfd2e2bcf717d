// ResourceQuota and LimitRange.
#include <algorithm>
#include <map>
#include <set>

#include "cel/quantity.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/resource_names.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void validate_scopes(const Value& object, std::vector<Cause>& causes) {
  Entries hard = entries(object, "spec", "hard");
  auto scopes = items(object, "spec", "scopes");
  if (scopes.empty()) return;
  const Value& shown = *at(object, "spec", "scopes");
  std::set<std::string_view> seen;
  for (const Value& scope : scopes) {
    if (!is_quota_scope(as_text(scope))) invalid_value(causes, "spec.scopes", shown, "unsupported scope");
    for (const auto& e : hard) {
      if (!scope_fits(as_text(scope), e.key)) {
        invalid_value(causes, "spec.scopes", shown, "unsupported scope applied to resource");
      }
    }
    seen.insert(as_text(scope));
  }
  for (std::string_view scope : {"BestEffort", "Terminating"}) {
    if (seen.contains(scope) && seen.contains(cat("Not", scope))) {
      invalid_value(causes, "spec.scopes", shown, "conflicting scopes");
    }
  }
}

void quota_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  Entries hard = entries(object, "spec", "hard");
  for (const auto& e : hard) {
    const std::string here = keyed("spec.hard", e.key);
    validate_quota_resource_name(e.key, here, causes);
    validate_quantity(e.key, e.value, here, causes);
  }
  validate_scopes(object, causes);
  if (old) immutable(causes, "spec.scopes", at(object, "spec", "scopes"), at(*old, "spec", "scopes"));
}

void limit_range_defaults(Value& object) {
  for (Value& item : elements(object, "spec", "limits")) {
    if (text(item, "type") != "Container") continue;
    auto fill = [&](std::string_view to, std::string_view from) {
      for (const auto& e : entries(item, from)) {
        value::Str key = e.key;
        Value copy = e.value;
        if (!has(item, to, key)) put_value(ensure(item, to), key, std::move(copy));
      }
    };
    fill("default", "max");
    fill("defaultRequest", "default");
    fill("defaultRequest", "min");
  }
}

// One without a name gets its uid for it.
Status limit_range_create(World& world, Value& object) {
  if (name_of(object).empty()) put(ensure(object, "metadata"), "name", world.new_uid());
  return ok();
}

// One resource's bounds within one limit.
struct Bounds {
  const Value& limit;
  std::string_view key;
  const std::string& path;
  std::vector<Cause>& causes;

  std::optional<cel::Quantity> of(std::string_view field) const { return cel::parse_quantity(text(limit, field, key)); }
  // `small` may not be above `large`; the complaint is about `about`, and shows `blamed`.
  void ordered(std::string_view small, std::string_view small_name, std::string_view large, std::string_view large_name,
               std::string_view about, std::string_view blamed) const {
    const auto low = of(small), high = of(large);
    if (!low || !high || low->nano <= high->nano) return;
    invalid_value(causes, keyed(child(path, about), key), text(limit, blamed, key),
                  cat(small_name, " value ", text(limit, small, key), " is greater than ", large_name, " value ",
                      text(limit, large, key)));
  }
};

void bounds(const Value& limit, std::string_view key, const std::string& path, std::vector<Cause>& causes) {
  const Bounds b{limit, key, path, causes};
  b.ordered("min", "min", "max", "max", "min", "min");
  b.ordered("min", "min", "defaultRequest", "default request", "defaultRequest", "defaultRequest");
  b.ordered("defaultRequest", "default request", "max", "max", "defaultRequest", "defaultRequest");
  b.ordered("defaultRequest", "default request", "default", "default limit", "defaultRequest", "defaultRequest");
  b.ordered("min", "min", "default", "default", "default", "min");
  b.ordered("default", "default", "max", "max", "default", "max");
  const std::string_view ratio = text(limit, "maxLimitRequestRatio", key);
  if (const auto q = cel::parse_quantity(ratio); q && q->nano < 1'000'000'000) {
    invalid_value(causes, keyed(path + ".maxLimitRequestRatio", key), ratio, cat("ratio ", ratio, " is less than 1"));
  }
}

void limit_range_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  std::set<std::string_view> types;
  size_t i = 0;
  for (const Value& limit : items(object, "spec", "limits")) {
    const std::string here = element("spec.limits", i++);
    const std::string_view type = text(limit, "type");
    const bool standard = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
    if (const auto bad = is_label_key(type); !bad.empty()) {
      complain(causes, here + ".type", type, bad);
    } else if (!standard && type.find('/') == std::string_view::npos) {
      invalid_value(causes, here + ".type", type, "must be a standard limit type or fully qualified");
    }
    if (!types.insert(type).second) duplicate(causes, here + ".type", make(type));
    std::set<std::string_view> keys;
    for (std::string_view field : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
      if (type == "Pod" && field.starts_with("default")) {
        if (entries(limit, field).empty()) continue;
        forbidden_field(causes, child(here, field), "may not be specified when `type` is 'Pod'");
        continue;
      }
      for (const auto& e : entries(limit, field)) {
        const std::string at_key = keyed(child(here, field), e.key);
        if (type == "Pod" || type == "Container") validate_container_resource_name(e.key, at_key, causes);
        else validate_resource_name(e.key, at_key, causes);
        keys.insert(e.key);
      }
    }
    if (type == "PersistentVolumeClaim" && !has(limit, "min", "storage") && !has(limit, "max", "storage")) {
      required(causes, here + ".limits", "either minimum or maximum storage value is required, but neither was provided");
    }
    for (std::string_view key : keys) bounds(limit, key, here, causes);
  }
}

}  // namespace

void add_quota_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "ResourceQuota", .create = drop_status, .update = keep_status,
                 .validate = quota_validate});
  out.push_back({.group = "", .kind = "LimitRange", .defaults = limit_range_defaults,
                 .create = limit_range_create, .validate = limit_range_validate});
}

}  // namespace pintle::drydock
