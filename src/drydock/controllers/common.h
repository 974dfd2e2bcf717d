// What several controllers share: owners, selectors, conditions, readiness of pods, times, hashes.
// Behaviour as in kube-controller-manager's controller_utils and component-helpers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/controller.h"
#include "drydock/tree.h"

namespace pintle::drydock {

inline constexpr int64_t kSecond = 1'000'000'000;

inline bool being_deleted(const Value& object) { return has(object, "metadata", "deletionTimestamp"); }

// ---- keys ----
Key key_of(std::string_view group, std::string_view plural, const Value& object);
std::vector<Key> self_key(const Change& change);
// The controlling owner of this kind, before and after the change.
std::vector<Key> owner_keys(const Change& change, std::string_view kind, std::string_view group,
                            std::string_view plural);
// Every object of a resource in the changed object's namespace.
std::vector<Key> keys_in_namespace(World& world, std::string_view group, std::string_view plural,
                                   const Change& change);

// ---- owners ----
const Value* controller_of(const Value& object);  // the ownerReference with controller: true
bool controlled_by(const Value& object, const Value& owner);
Value owner_reference(const Value& owner, std::string_view api_version, std::string_view kind);
// The objects that `owner` controls, oldest first. Orphans that its spec.selector matches are adopted
// and those it no longer matches are released, unless the owner is being deleted.
Result<std::vector<Value>> claim(World& world, std::string_view group, std::string_view plural,
                                 const Value& owner, std::string_view api_version,
                                 std::string_view kind);

// ---- selectors ----
bool matches(const Value* label_selector, const Value& object);  // metav1.LabelSelector; null: none
bool matches_all(const Value* map, const Value& object);         // a plain map; null or empty: none

// ---- conditions ----
Value* find_condition(Value& status, std::string_view type);
const Value* find_condition(const Value& status, std::string_view type);
void drop_condition(Value& status, std::string_view type);
void drop_when_empty(Value& map, std::string_view key);

// ---- pods ----
bool pod_ready(const Value& pod);
bool pod_finished(const Value& pod);              // Succeeded or Failed
bool pod_active(const Value& pod);                // neither finished nor being deleted
// Ready for min_ready seconds. When that is still to come, `again` is lowered to the wait.
bool pod_available(World& world, const Value& pod, int64_t min_ready_seconds, Again* again = nullptr);
// A pod from owner.spec.template, named "<owner>-" and a random suffix.
Value pod_from_template(const Value& tmpl, const Value& owner, std::string_view api_version,
                        std::string_view kind);
// Creates it and records SuccessfulCreate or FailedCreate on the owner.
Result<Value> create_pod(World& world, Value pod, const Value& owner, std::string_view component);
Status delete_pod(World& world, const Value& pod, const Value& owner, std::string_view component);
// kube-controller-manager's order of pods to delete first (ActivePodsWithRanks, without ranks).
void sort_for_deletion(std::vector<Value>& pods);

// ---- small ----
inline void lower(Again& again, int64_t ns) {
  if (!again || ns < *again) again = ns;
}
int64_t parse_time(std::string_view rfc3339);  // unix ns; 0 when it is no time
std::string format_time(int64_t unix_ns);      // RFC 3339, seconds, UTC
int64_t int_or_percent(const Value* v, int64_t total, bool round_up, int64_t fallback);
void set_count(Value& status, std::string_view field, int64_t n);  // omitempty
// FNV-1a of the tree's JSON, in the alphabet of generated names. Equal trees, equal hash; the real
// one hashes Go's memory layout, so names differ from a real cluster's.
std::string template_hash(const Value& tmpl, std::optional<int64_t> collisions);
bool is_gone(const Error& error);  // not found
// Writes object.status when `status` differs from it.
Result<bool> write_status(World& world, std::string_view group, std::string_view plural, Value& object,
                          Value status);
// Objects sorted by creation, then name.
void sort_by_age(std::vector<Value>& objects);

}  // namespace pintle::drydock
