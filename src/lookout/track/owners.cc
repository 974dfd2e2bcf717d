// Whose an object is: its own labels and annotations first, else its controller's, up the chain.
// What is gone is remembered for an hour, for Events that come late.
#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "lookout/observe.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kRememberMs = 3'600'000;
constexpr int kMostSteps = 8;

std::string name_key(std::string_view kind, std::string_view space, std::string_view name) {
  return cat(kind, '/', space, '/', name);
}

std::string find(const std::map<std::string, std::string>& m, const char* key) {
  const auto it = m.find(key);
  return it == m.end() ? "" : it->second;
}

// Helm 2 annotates nothing; its charts label.
std::string tiller_release(const std::map<std::string, std::string>& labels) {
  if (find(labels, "heritage") == "Tiller") return find(labels, "release");
  if (find(labels, "app.kubernetes.io/managed-by") != "Tiller") return "";
  return find(labels, "app.kubernetes.io/instance");
}

}  // namespace

std::string Tracker::State::release_key_of(const Seen& seen) {
  std::string name = find(seen.annotations, "meta.helm.sh/release-name");
  std::string space = find(seen.annotations, "meta.helm.sh/release-namespace");
  if (name.empty()) name = tiller_release(seen.labels);
  if (name.empty()) return "";
  return cat(space.empty() ? seen.subject.name_space : space, '/', name);
}

void Tracker::State::see_owner(const Seen& seen) {
  OwnerRecord& o = owners[seen.subject.uid];
  o = {};
  o.labels = seen.labels;
  o.release = find(seen.labels, "app.kubernetes.io/instance");
  o.release_namespace = o.release.empty() ? "" : seen.subject.name_space;
  if (o.release.empty()) {
    o.release = find(seen.annotations, "meta.helm.sh/release-name");
    if (o.release.empty()) o.release = tiller_release(seen.labels);
    o.release_namespace = find(seen.annotations, "meta.helm.sh/release-namespace");
    if (!o.release.empty() && o.release_namespace.empty()) {
      o.release_namespace = seen.subject.name_space;
    }
  }
  if (seen.subject.kind == "Application") {
    o.release = seen.subject.name;
    const std::string_view space = text_at(*seen.object, {"spec", "destination", "namespace"});
    o.release_namespace = space.empty() ? seen.subject.name_space : clean_text(space, 253);
  } else if (seen.subject.kind == "Rollout" && o.release.empty()) {
    o.release = seen.subject.name;
    o.release_namespace = seen.subject.name_space;
  }
  owner_names[name_key(seen.subject.kind, seen.subject.name_space, seen.subject.name)] =
      seen.subject.uid;
  const value::Value* references = value_at(*seen.object, {"metadata", "ownerReferences"});
  if (references == nullptr) return;
  for (const value::Value& r : references->items()) {
    if (!flag_at(r, {"controller"})) continue;
    o.parent = clean_text(text_at(r, {"uid"}), 253);
    const std::string_view kind = text_at(r, {"kind"}), name = text_at(r, {"name"});
    // ReplicaSets are not watched: their names are their controller's with the template's hash.
    if (kind != "ReplicaSet") continue;
    for (const auto& [label, controller] : {std::pair{"rollouts-pod-template-hash", "Rollout"},
                                            {"pod-template-hash", "Deployment"}}) {
      const std::string hash = find(seen.labels, label);
      if (hash.empty() || !name.ends_with(cat("-", hash))) continue;
      const std::string_view owner = name.substr(0, name.size() - hash.size() - 1);
      o.parent_name = name_key(controller, seen.subject.name_space, owner);
      break;
    }
  }
}

void Tracker::State::forget_owner(const Subject& s, int64_t now_ms) {
  const auto it = owners.find(s.uid);
  if (it == owners.end()) return;
  it->second.gone_ms = now_ms;
  gone.emplace_back(now_ms, s.uid);
  const auto named = owner_names.find(name_key(s.kind, s.name_space, s.name));
  if (named != owner_names.end() && named->second == s.uid) owner_names.erase(named);
}

void Tracker::State::forget_gone(int64_t now_ms) {
  while (!gone.empty() && now_ms - gone.front().first > kRememberMs) {
    const auto it = owners.find(gone.front().second);
    if (it != owners.end() && it->second.gone_ms != 0) owners.erase(it);
    gone.pop_front();
  }
}

int64_t Tracker::State::revision_of(const Owner& owner) {
  if (const HelmRelease* h = release_of(cat(owner.name_space, '/', owner.release))) {
    return h->newest.number;
  }
  const auto named = owner_names.find(name_key("Rollout", owner.name_space, owner.release));
  if (named == owner_names.end()) return 0;
  const auto rollout = rollouts.find(named->second);
  return rollout == rollouts.end() ? 0 : std::max<int64_t>(0, atoll(rollout->second.round.c_str()));
}

Owner Tracker::State::owner_of(const Subject& s) const {
  Owner found;
  std::string uid = s.uid;
  if (!owners.contains(uid)) {
    const auto named = owner_names.find(name_key(s.kind, s.name_space, s.name));
    if (named == owner_names.end() || !uid.empty()) return found;
    uid = named->second;
  }
  for (int step = 0; step < kMostSteps; ++step) {
    const auto it = owners.find(uid);
    if (it == owners.end()) break;
    if (step == 0) found.labels = it->second.labels;
    if (!it->second.release.empty()) {
      found.release = it->second.release;
      found.name_space = it->second.release_namespace;
      break;
    }
    uid = it->second.parent;
    if (!owners.contains(uid)) {
      const auto named = owner_names.find(it->second.parent_name);
      if (named == owner_names.end()) break;
      uid = named->second;
    }
  }
  return found;
}

}  // namespace pintle::lookout
