#include "release/manifest.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "release/head.h"
#include "release/heads_ahead.h"

namespace pintle::release {

namespace {

constexpr std::string_view kInstallOrder[] = {
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
};
// Not the reverse: webhooks go first, lest they refuse the rest, and Services before workloads.
constexpr std::string_view kUninstallOrder[] = {
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "APIService",
    "Ingress",
    "IngressClass",
    "Service",
    "CronJob",
    "Job",
    "StatefulSet",
    "HorizontalPodAutoscaler",
    "Deployment",
    "ReplicaSet",
    "ReplicationController",
    "Pod",
    "DaemonSet",
    "RoleBindingList",
    "RoleBinding",
    "RoleList",
    "Role",
    "ClusterRoleBindingList",
    "ClusterRoleBinding",
    "ClusterRoleList",
    "ClusterRole",
    "CustomResourceDefinition",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "ConfigMap",
    "SecretList",
    "Secret",
    "ServiceAccount",
    "PodDisruptionBudget",
    "PodSecurityPolicy",
    "LimitRange",
    "ResourceQuota",
    "NetworkPolicy",
    "Namespace",
    "PriorityClass",
};
constexpr int kKnown = static_cast<int>(std::size(kInstallOrder));
static_assert(std::size(kUninstallOrder) == std::size(kInstallOrder));

constexpr std::string_view kEvents[] = {
    "pre-install", "post-install", "pre-delete",    "post-delete", "pre-upgrade",
    "post-upgrade", "pre-rollback", "post-rollback", "test",
};

constexpr std::string_view kHook = "helm.sh/hook";
constexpr std::string_view kWeight = "helm.sh/hook-weight";
constexpr std::string_view kDeletePolicy = "helm.sh/hook-delete-policy";
constexpr std::string_view kOutputLogPolicy = "helm.sh/hook-output-log-policy";
constexpr std::string_view kNotes = "NOTES.txt";

// The event of a name, "" when unknown.
std::string_view event_of(std::string_view name) {
  if (name == "test-success") return "test";
  auto it = std::find(std::begin(kEvents), std::end(kEvents), name);
  return it == std::end(kEvents) ? std::string_view() : *it;
}

const std::string* annotation(const Head& head, std::string_view name) {
  auto it = head.annotations.find(std::string(name));
  return it == head.annotations.end() ? nullptr : &it->second;
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> out;
  for (std::string_view word : split(list, ",")) out.push_back(to_lower(trim_space(word)));
  return out;
}

std::vector<std::string> policies(const Head& head, std::string_view name) {
  const std::string* list = annotation(head, name);
  return list == nullptr ? std::vector<std::string>() : words(*list);
}

int64_t weight(const Head& head) {
  const std::string* text = annotation(head, kWeight);
  if (text == nullptr) return 0;
  ParseError error;
  int64_t n = parse_int(*text, 10, 64, &error);
  return error == ParseError::kNone ? n : 0;
}

// false: an event is unknown.
bool read_events(std::string_view list, std::vector<std::string>& out) {
  for (const auto& word : words(list)) {
    std::string_view event = event_of(word);
    if (event.empty()) return false;
    out.emplace_back(event);
  }
  return true;
}

template <typename T>
void sort_by_kind(std::vector<T>& items, Order order, bool helm3) {
  std::vector<std::pair<int, T*>> ranked;
  for (T& item : items) ranked.emplace_back(kind_rank(item.kind, order, helm3), &item);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first == b.first && a.first == kKnown ? a.second->kind < b.second->kind
                                                   : a.first < b.first;
  });
  std::vector<T> sorted;
  for (const auto& [rank, item] : ranked) sorted.push_back(std::move(*item));
  items = std::move(sorted);
}

}  // namespace

int kind_rank(std::string_view kind, Order order, bool helm3) {
  if (helm3 && kind.ends_with("WebhookConfiguration")) return kKnown;  // unknown to it
  auto& ranks = order == Order::kInstall ? kInstallOrder : kUninstallOrder;
  return static_cast<int>(std::find(std::begin(ranks), std::end(ranks), kind) - std::begin(ranks));
}

Result<Sorted> sort_manifests(const std::vector<RenderedFile>& files, Order order, bool helm3,
                              const Log& log, HeadsAhead* ahead) {
  std::vector<const RenderedFile*> by_path;
  for (const auto& file : files) by_path.push_back(&file);
  std::sort(by_path.begin(), by_path.end(),
            [](const auto* a, const auto* b) { return a->path < b->path; });
  Sorted out;
  for (const RenderedFile* file : by_path) {
    if (path::base(file->path).starts_with('_')) continue;
    auto documents = ahead == nullptr ? std::nullopt : ahead->take(file->content);
    if (!documents) documents = read_documents(file->content, helm3);
    for (size_t i = 0; i < documents->texts.size(); ++i) {
      const std::string_view document = documents->texts[i];
      auto& head = documents->heads[i];
      if (!head) return Error::wrap(cat("YAML parse error on ", file->path), head.error());
      const std::string* hook_events = annotation(*head, kHook);
      if (hook_events == nullptr) {
        out.manifests.push_back({file->path, document, std::move(head->api_version),
                                 std::move(head->kind), std::move(head->name)});
        continue;
      }
      Hook hook;
      if (!read_events(*hook_events, hook.events)) {
        if (helm3) {
          log("INFO", cat("manifest_sorter.go:199: info: skipping unknown hook: ",
                          quote(*hook_events)));
        } else {
          log("INFO", "skipping unknown hooks", {{"hookTypes", *hook_events}});
        }
        continue;
      }
      hook.weight = weight(*head);
      hook.delete_policies = policies(*head, kDeletePolicy);
      hook.output_log_policies = policies(*head, kOutputLogPolicy);
      hook.name = std::move(head->name);
      hook.kind = std::move(head->kind);
      hook.path = file->path;
      hook.manifest = document;
      out.hooks.push_back(std::move(hook));
    }
  }
  sort_by_kind(out.hooks, order, helm3);
  sort_by_kind(out.manifests, order, helm3);
  return out;
}

bool is_notes(std::string_view path) { return path.ends_with(kNotes); }

std::string take_notes(std::vector<RenderedFile>& files, std::string_view chart_name,
                       bool with_subcharts) {
  std::string wanted = path::join({chart_name, "templates", kNotes});
  std::string notes;
  for (const auto& file : files) {
    if (!is_notes(file.path)) continue;
    if (!with_subcharts && file.path != wanted) continue;
    if (!notes.empty()) notes += '\n';
    notes += file.content;
  }
  std::erase_if(files, [](const auto& file) { return is_notes(file.path); });
  return notes;
}

void append_source(std::string& out, std::string_view path, std::string_view content) {
  append(out, {"---\n# Source: ", path, "\n", content, "\n"});
}

}  // namespace pintle::release
