#include "drydock/controllers/common.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/strings.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

const Value* labels_of(const Value& object) { return at(object, "metadata", "labels"); }

bool satisfies(const Value& requirement, const Value& object) {
  std::string_view op = text(requirement, "operator");
  const Value* labels = labels_of(object);
  const Value* found = labels ? labels->get(text(requirement, "key")) : nullptr;
  if (op == "Exists") return found != nullptr;
  if (op == "DoesNotExist") return found == nullptr;
  bool in = false;
  for (const Value& v : items(requirement, "values")) {
    in |= found && found->is_string() && v.is_string() && v.as_string() == found->as_string();
  }
  return op == "NotIn" ? !in : in;
}

int phase_rank(const Value& pod) {
  std::string_view phase = text(pod, "status", "phase");
  return phase == "Pending" || phase.empty() ? 0 : phase == "Unknown" ? 1 : 2;
}

}  // namespace

Key key_of(std::string_view group, std::string_view plural, const Value& object) {
  return {std::string(group), std::string(plural), std::string(namespace_of(object)),
          std::string(name_of(object))};
}

std::vector<Key> self_key(const Change& change) {
  return {key_of(change.group, change.plural, change.object())};
}

std::vector<Key> owner_keys(const Change& change, std::string_view kind, std::string_view group,
                            std::string_view plural) {
  std::vector<Key> keys;
  for (const Value* object : {change.before, change.after}) {
    const Value* owner = object ? controller_of(*object) : nullptr;
    if (!owner || text(*owner, "kind") != kind) continue;
    std::string_view version = text(*owner, "apiVersion");
    std::string_view owner_group =
        version.find('/') == version.npos ? "" : version.substr(0, version.find('/'));
    if (owner_group != group) continue;
    Key key{std::string(group), std::string(plural), std::string(namespace_of(*object)),
            std::string(text(*owner, "name"))};
    if (keys.empty() || keys.back() != key) keys.push_back(std::move(key));
  }
  return keys;
}

std::vector<Key> keys_in_namespace(World& world, std::string_view group, std::string_view plural,
                                   const Change& change) {
  std::vector<Key> keys;
  for (const Value& object : world.list(group, plural, namespace_of(change.object()))) {
    keys.push_back(key_of(group, plural, object));
  }
  return keys;
}

const Value* controller_of(const Value& object) {
  for (const Value& owner : items(object, "metadata", "ownerReferences")) {
    if (flag(owner, "controller")) return &owner;
  }
  return nullptr;
}

bool controlled_by(const Value& object, const Value& owner) {
  const Value* reference = controller_of(object);
  return reference && text(*reference, "uid") == uid_of(owner);
}

Value owner_reference(const Value& owner, std::string_view api_version, std::string_view kind) {
  Value reference = empty_map();
  put(reference, "apiVersion", api_version);
  put(reference, "kind", kind);
  put(reference, "name", name_of(owner));
  put(reference, "uid", uid_of(owner));
  put(reference, "controller", true);
  put(reference, "blockOwnerDeletion", true);
  return reference;
}

Result<std::vector<Value>> claim(World& world, std::string_view group, std::string_view plural,
                                 const Value& owner, std::string_view api_version,
                                 std::string_view kind) {
  std::vector<Value> mine;
  const Value* selector = at(owner, "spec", "selector");
  for (Value& object : world.list(group, plural, namespace_of(owner))) {
    const Value* controller = controller_of(object);
    bool fits = matches(selector, object);
    if (controller) {
      if (text(*controller, "uid") != uid_of(owner)) continue;
      if (fits || being_deleted(owner)) {
        mine.push_back(std::move(object));
        continue;
      }
      std::vector<Value> kept;
      for (const Value& reference : items(object, "metadata", "ownerReferences")) {
        if (text(reference, "uid") != uid_of(owner)) kept.push_back(reference);
      }
      put(ensure(object, "metadata"), "ownerReferences", Value::list_of(std::move(kept)));
      drop_when_empty(ensure(object, "metadata"), "ownerReferences");
      TRY(world.update(group, plural, std::move(object)));
      continue;
    }
    if (!fits || being_deleted(owner) || being_deleted(object)) continue;
    if (plural == "pods" && pod_finished(object)) continue;
    push(ensure(object, "metadata"), "ownerReferences", owner_reference(owner, api_version, kind));
    mine.push_back(TRY(world.update(group, plural, std::move(object))));
  }
  sort_by_age(mine);
  return mine;
}

bool matches(const Value* selector, const Value& object) {
  if (!selector) return false;
  if (entries(*selector, "matchLabels").empty() && items(*selector, "matchExpressions").empty()) {
    return true;
  }
  const Value* wanted = at(*selector, "matchLabels");
  if (!entries_of(wanted).empty() && !matches_all(wanted, object)) return false;
  for (const Value& requirement : items(*selector, "matchExpressions")) {
    if (!satisfies(requirement, object)) return false;
  }
  return true;
}

bool matches_all(const Value* map, const Value& object) {
  Entries wanted = entries_of(map);
  if (wanted.empty()) return false;
  const Value* labels = labels_of(object);
  for (const auto& [key, value] : wanted) {
    const Value* found = labels ? labels->get(key.view()) : nullptr;
    if (!same(found, &value)) return false;
  }
  return true;
}

Value* find_condition(Value& status, std::string_view type) {
  for (Value& condition : elements(status, "conditions")) {
    if (text(condition, "type") == type) return &condition;
  }
  return nullptr;
}

const Value* find_condition(const Value& status, std::string_view type) {
  return find_condition(const_cast<Value&>(status), type);
}

void drop_condition(Value& status, std::string_view type) {
  std::vector<Value> kept;
  for (const Value& condition : items(status, "conditions")) {
    if (text(condition, "type") != type) kept.push_back(condition);
  }
  put(status, "conditions", Value::list_of(std::move(kept)));
  drop_when_empty(status, "conditions");
}

void drop_when_empty(Value& map, std::string_view key) {
  const Value* v = map.get(key);
  if (v && v->length() == 0) drop(map, key);
}

bool pod_ready(const Value& pod) {
  const Value* status = at(pod, "status");
  const Value* ready = status ? find_condition(*status, "Ready") : nullptr;
  return ready && text(*ready, "status") == "True";
}

bool pod_finished(const Value& pod) {
  std::string_view phase = text(pod, "status", "phase");
  return phase == "Succeeded" || phase == "Failed";
}

bool pod_active(const Value& pod) { return !pod_finished(pod) && !being_deleted(pod); }

bool pod_available(World& world, const Value& pod, int64_t min_ready_seconds, Again* again) {
  if (!pod_ready(pod)) return false;
  if (min_ready_seconds == 0) return true;
  const Value* ready = find_condition(*at(pod, "status"), "Ready");
  int64_t since = parse_time(text(*ready, "lastTransitionTime"));
  int64_t left = since + min_ready_seconds * kSecond - world.now_ns();
  if (left <= 0) return true;
  if (again) lower(*again, left);
  return false;
}

Value pod_from_template(const Value& tmpl, const Value& owner, std::string_view api_version,
                        std::string_view kind) {
  Value pod = empty_map();
  Value& meta = ensure(pod, "metadata");
  put(meta, "namespace", namespace_of(owner));
  put(meta, "generateName", cat(name_of(owner), "-"));
  for (std::string_view field : {"labels", "annotations", "finalizers"}) {
    if (const Value* v = at(tmpl, "metadata", field)) put(meta, field, value::deep_copy(*v));
  }
  put(meta, "ownerReferences", Value::list_of({owner_reference(owner, api_version, kind)}));
  const Value* spec = at(tmpl, "spec");
  put(pod, "spec", spec ? value::deep_copy(*spec) : empty_map());
  return pod;
}

Result<Value> create_pod(World& world, Value pod, const Value& owner, std::string_view component) {
  Result<Value> made = world.create("", "pods", std::move(pod));
  if (made) {
    world.event(owner, "Normal", "SuccessfulCreate", cat("Created pod: ", name_of(*made)), component);
  } else {
    world.event(owner, "Warning", "FailedCreate", cat("Error creating: ", made.error().text()),
                component);
  }
  return made;
}

Status delete_pod(World& world, const Value& pod, const Value& owner, std::string_view component) {
  Status removed = world.remove(key_of("", "pods", pod));
  if (removed) {
    world.event(owner, "Normal", "SuccessfulDelete", cat("Deleted pod: ", name_of(pod)), component);
  } else if (is_gone(removed.error())) {
    return ok();
  }
  return removed;
}

void sort_for_deletion(std::vector<Value>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const Value& a, const Value& b) {
    bool a_placed = has(a, "spec", "nodeName"), b_placed = has(b, "spec", "nodeName");
    if (a_placed != b_placed) return !a_placed;
    if (phase_rank(a) != phase_rank(b)) return phase_rank(a) < phase_rank(b);
    bool a_ready = pod_ready(a), b_ready = pod_ready(b);
    if (a_ready != b_ready) return !a_ready;
    constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
    auto cost = [&](const Value& pod) {
      std::string_view t = text(pod, "metadata", "annotations", kCost);
      int64_t n = 0;
      std::from_chars(t.data(), t.data() + t.size(), n);
      return n;
    };
    if (cost(a) != cost(b)) return cost(a) < cost(b);
    return text(a, "metadata", "creationTimestamp") > text(b, "metadata", "creationTimestamp");
  });
}

int64_t parse_time(std::string_view t) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (t.size() < 20 || std::sscanf(std::string(t.substr(0, 19)).c_str(), "%4d-%2d-%2dT%2d:%2d:%2d",
                                   &year, &month, &day, &hour, &minute, &second) != 6) {
    return 0;
  }
  // Days from the civil calendar, years starting in March.
  int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
  int64_t doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t days = era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
  return (days * 86400 + hour * 3600 + minute * 60 + second) * kSecond;
}

std::string format_time(int64_t unix_ns) {
  int64_t seconds = unix_ns / kSecond, days = seconds / 86400, rest = seconds % 86400;
  int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
  int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
  int64_t year = yoe + era * 400 + (month <= 2);
  char buf[64];
  std::snprintf(buf, sizeof buf, "%04d-%02d-%02dT%02d:%02d:%02dZ", static_cast<int>(year),
                static_cast<int>(month), static_cast<int>(day), static_cast<int>(rest / 3600),
                static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
  return buf;
}

int64_t int_or_percent(const Value* v, int64_t total, bool round_up, int64_t fallback) {
  if (!v) return fallback;
  if (!v->is_string()) return as_number(v, fallback);
  std::string_view t = v->as_string();
  int64_t percent = 0;
  std::from_chars(t.data(), t.data() + t.size(), percent);
  int64_t product = percent * total;
  return round_up ? (product + 99) / 100 : product / 100;
}

void set_count(Value& status, std::string_view field, int64_t n) {
  if (n != 0) {
    put(status, field, n);
  } else {
    drop(status, field);
  }
}

std::string template_hash(const Value& tmpl, std::optional<int64_t> collisions) {
  std::string bytes;
  (void)json::append(bytes, tmpl);
  if (collisions) bytes += cat("#", *collisions);
  uint32_t hash = 2166136261u;
  for (char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string out = std::to_string(hash);
  for (char& c : out) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return out;
}

bool is_gone(const Error& error) { return error.code() == Code::kNotFound; }

Result<bool> write_status(World& world, std::string_view group, std::string_view plural, Value& object,
                          Value status) {
  if (same(at(object, "status"), &status)) return false;
  put(object, "status", std::move(status));
  object = TRY(world.update(group, plural, object, "status"));
  return true;
}

void sort_by_age(std::vector<Value>& objects) {
  std::stable_sort(objects.begin(), objects.end(), [](const Value& a, const Value& b) {
    std::string_view at_a = text(a, "metadata", "creationTimestamp");
    std::string_view at_b = text(b, "metadata", "creationTimestamp");
    return at_a != at_b ? at_a < at_b : name_of(a) < name_of(b);
  });
}

}  // namespace pintle::drydock
