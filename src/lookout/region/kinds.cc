// Which kinds a region watches besides those that every cluster has: Argo's while their definitions
// exist, in the version that is served.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/region/region.h"
#include "lookout/region/watch.h"
#include "lookout/track/release_payload.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kArgoRetryMs = 2'000;
constexpr std::string_view kFirstVersion = "v1alpha1";

// Kubernetes' order of versions: v2 before v1 before v1beta2 before v1alpha1 before other words.
std::tuple<int, int64_t, int64_t> rank_of(std::string_view version) {
  int64_t major = 0, minor = 0;
  if (!version.starts_with('v')) return {0, 0, 0};
  const char* const end = version.data() + version.size();
  const auto [at, bad] = std::from_chars(version.data() + 1, end, major);
  if (bad != std::errc()) return {0, 0, 0};
  const std::string_view rest(at, static_cast<size_t>(end - at));
  if (rest.empty()) return {3, major, 0};
  const int level = rest.starts_with("beta") ? 2 : rest.starts_with("alpha") ? 1 : 0;
  const size_t word = level == 2 ? 4 : 5;
  if (level == 0) return {0, 0, 0};
  std::from_chars(rest.data() + word, end, minor);
  return {level, major, minor};
}

// The one to watch of those that a definition serves; "": none.
std::string served_version(std::string_view definition) {
  const auto object = json::read(definition, {json::Numbers::kExact});
  if (!object) return "";
  std::string best;
  const value::Value* versions = value_at(*object, {"spec", "versions"});
  for (const value::Value& v :
       versions != nullptr ? versions->items() : std::span<const value::Value>()) {
    const std::string_view name = text_at(v, {"name"});
    if (name.empty() || !flag_at(v, {"served"})) continue;
    if (best.empty() || rank_of(best) < rank_of(name)) best = name;
  }
  return best;
}

}  // namespace

Status WatchedRegion::watch_definition(std::string_view name) {
  auto watch = std::make_unique<Watch>();
  Watch& w = *watch;
  w.name = kDefinitions;
  w.checkpoint = cat(kDefinitions, '/', name);
  w.resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  w.resource.kind = "CustomResourceDefinition";
  w.resource.field_selector = cat("metadata.name=", name);
  std::string& wanted = name == kRollouts ? rollouts_version_ : applications_version_;
  informer::InformerOptions options;
  options.keep_text = false;
  options.reflector.keep_place = true;
  options.on_error = [this, &w, &wanted](const Error& e) {
    on_error(w, e);
    if (!w.denied && !w.absent) return;
    {
      Lock held(mutex_);
      if (wanted.empty()) wanted = kFirstVersion;
    }
    poke();
  };
  w.informer = TRY(shared_.factory.informer(rest(), w.resource, std::move(options)));
  w.registration = TRY(w.informer->add_handler(
      [this, &w, &wanted](const informer::Change& c) {
        w.denied = w.absent = w.unknown_user = false;
        if (!c.object) return informer::Take::kTaken;
        const bool there = c.kind != informer::Change::Kind::kDelete;
        {
          Lock held(mutex_);
          wanted = there ? served_version(c.object->text()) : "";
        }
        poke();
        return informer::Take::kTaken;
      },
      {.bookmarks = true}));
  Lock held(mutex_);
  watches_.push_back(std::move(watch));
  return ok();
}

void WatchedRegion::drop_watch(std::string_view resource) {
  std::vector<std::unique_ptr<Watch>> gone;
  {
    Lock held(mutex_);
    for (auto it = watches_.begin(); it != watches_.end();) {
      if ((*it)->name == resource) {
        gone.push_back(std::move(*it));
        it = watches_.erase(it);
      } else {
        ++it;
      }
    }
  }
  for (const auto& w : gone) shared_.factory.remove(rest(), w->resource);
}

void WatchedRegion::care_for_argo() {
  for (const std::string_view resource : {kRollouts, kApplications}) {
    const bool rollouts = resource == kRollouts;
    std::string wanted;
    bool there = false, waits = false, other = false;
    {
      Lock held(mutex_);
      wanted = rollouts ? rollouts_version_ : applications_version_;
      for (const auto& w : watches_) {
        if (w->name != resource) continue;
        there = true;
        waits = waits || w->absent;
        other = other || w->resource.version != wanted;
      }
    }
    if (there && other) drop_watch(resource);
    if (!wanted.empty() && (!there || other)) {
      const Status added = watch_everywhere("argoproj.io", wanted, rollouts ? "rollouts" : "applications",
                                            rollouts ? "Rollout" : "Application", "", "");
      if (added) shared_.factory.start();
      continue;
    }
    // A definition is there before its resource is served.
    if (wanted.empty() || !waits || now_ms() - argo_tried_ms_ <= kArgoRetryMs) continue;
    Lock held(mutex_);
    const bool readable = std::any_of(watches_.begin(), watches_.end(), [](const auto& w) {
      return w->name == kDefinitions && !w->denied && !w->absent;
    });
    argo_tried_ms_ = now_ms();
    for (const auto& w : watches_) {
      if (readable && w->name == resource) w->informer->retry_now();
    }
  }
}

}  // namespace pintle::lookout
