#include "drydock/object_meta.h"

#include <algorithm>

#include "drydock/catalog.h"
#include "drydock/tree.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr size_t kAnnotationBytes = 256 * 1024;

using NameRule = Complaints (*)(std::string_view);

NameRule name_rule(std::string_view group, std::string_view kind) {
  if (group == "rbac.authorization.k8s.io" || group == "apiregistration.k8s.io" ||
      kind == "ClusterTrustBundle" || kind == "CertificateSigningRequest" || (group == "policy" && kind == "PodDisruptionBudget")) {
    return is_path_segment;
  }
  if (group.empty() && kind == "Event") return [](std::string_view) { return Complaints(); };
  if (group.empty() && (kind == "Namespace")) return is_dns1123_label;
  if (group.empty() && kind == "Service") return is_dns1123_label;
  if (group == "apps" && kind == "StatefulSet") return is_dns1123_label;
  return is_dns1123_subdomain;
}

std::string_view text_of(const Value& v) { return v.is_string() ? v.as_string() : std::string_view(); }

// As the API server prints them: in the order of its type's fields.
std::string owners_text(const Value& object) {
  std::string out;
  for (const Value& ref : items(object, "metadata", "ownerReferences")) {
    out += cat(out.empty() ? "[{" : ",{");
    bool first = true;
    for (std::string_view key : {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
      const Value* v = at(ref, key);
      if (!v && (key == "controller" || key == "blockOwnerDeletion")) continue;
      out += cat(first ? "" : ",", quote(key), ":", v ? json::write(*v).value_or("null") : "\"\"");
      first = false;
    }
    out += "}";
  }
  return out.empty() ? "null" : out + "]";
}

void validate_owners(const Value& object, std::vector<Cause>& out) {
  std::string first;
  const std::string path = "metadata.ownerReferences";
  for (const Value& ref : items(object, "metadata", "ownerReferences")) {
    std::string_view version = text(ref, "apiVersion");
    if (version.empty() || version.ends_with('/')) {
      invalid_value(out, path + ".apiVersion", version, "version must not be empty");
    }
    for (std::string_view key : {"kind", "name", "uid"}) {
      if (text(ref, key).empty()) invalid_value(out, child(path, key), "", "must not be empty");
    }
    if (version == "v1" && text(ref, "kind") == "Event") {
      invalid_value(out, path, ref, "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!flag(ref, "controller")) continue;
    std::string name = cat(text(ref, "kind"), "/", text(ref, "name"));
    if (first.empty()) {
      first = name;
    } else {
      invalid_text(out, path, owners_text(object),
                    cat("Only one reference can have Controller set to true. Found \"true\" in "
                        "references for ", first, " and ", name));
    }
  }
}

// Names without a domain are left to the server's own.
bool standard_finalizer(std::string_view f) {
  return f == "kubernetes" || f == "orphan" || f == "foregroundDeletion";
}

void validate_finalizers(const Value& object, bool core, std::vector<Cause>& out) {
  bool orphan = false, foreground = false;
  for (const Value& f : items(object, "metadata", "finalizers")) {
    std::string_view name = text_of(f);
    for (const std::string& m : is_label_key(name)) invalid_value(out, "metadata.finalizers", name, m);
    orphan = orphan || name == "orphan";
    foreground = foreground || name == "foregroundDeletion";
  }
  if (orphan && foreground) {
    invalid_value(out, "metadata.finalizers", *at(object, "metadata", "finalizers"),
                  "finalizer orphan and foregroundDeletion cannot be both set");
  }
  size_t i = 0;
  for (const Value& f : items(object, "metadata", "finalizers")) {
    const std::string here = element("metadata.finalizers", i++);
    if (core && text_of(f).find('/') == std::string_view::npos && !standard_finalizer(text_of(f))) {
      invalid_value(out, here, text_of(f), "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

}  // namespace

void validate_annotations(const Value* annotations, const std::string& path, std::vector<Cause>& out) {
  size_t size = 0;
  for (const auto& e : entries_of(annotations)) {
    std::string key(e.key.view());
    size += key.size() + text_of(e.value).size();
    std::transform(key.begin(), key.end(), key.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    complain(out, path, e.key, is_label_key(key));
  }
  if (size > kAnnotationBytes) too_long(out, path, kAnnotationBytes);
}

void validate_object_meta(std::string_view group, std::string_view kind, bool namespaced,
                          const Value& object, std::vector<Cause>& causes) {
  std::string_view name = name_of(object), ns = namespace_of(object);
  if (std::string generated(text(object, "metadata", "generateName")); !generated.empty()) {
    // A last '-' will not be the last.
    std::string shown = generated;
    if (generated.size() > 1 && generated.ends_with('-')) generated.replace(generated.size() - 2, 2, "a");
    for (const std::string& m : name_rule(group, kind)(generated)) {
      invalid_value(causes, "metadata.generateName", shown, m);
    }
  }
  if (name.empty()) {
    required(causes, "metadata.name", "name or generateName is required");
  } else {
    for (const std::string& m : name_rule(group, kind)(name)) {
      invalid_value(causes, "metadata.name", name, m);
    }
  }
  if (namespaced) {
    if (ns.empty()) required(causes, "metadata.namespace");
    else for (const std::string& m : is_dns1123_label(ns)) {
      invalid_value(causes, "metadata.namespace", ns, m);
    }
  } else if (!ns.empty()) {
    forbidden_field(causes, "metadata.namespace", "not allowed on this type");
  }
  if (const Value* metadata = at(object, "metadata")) non_negative(*metadata, "generation", "metadata", causes);
  validate_labels(at(object, "metadata", "labels"), "metadata.labels", causes);
  validate_annotations(at(object, "metadata", "annotations"), "metadata.annotations", causes);
  validate_owners(object, causes);
  validate_finalizers(object, Catalog::built_in()->has_group(group), causes);
}

void validate_object_meta_update(const Value& object, const Value& old, std::vector<Cause>& causes) {
  if (has(old, "metadata", "deletionTimestamp")) {
    auto before = items(old, "metadata", "finalizers");
    std::vector<std::string> added;
    for (const Value& f : items(object, "metadata", "finalizers")) {
      if (std::none_of(before.begin(), before.end(), [&](const Value& b) { return same(b, f); })) {
        added.emplace_back(text_of(f));
      }
    }
    std::sort(added.begin(), added.end());
    if (!added.empty()) {
      forbidden_field(causes, "metadata.finalizers",
                      cat("no new finalizers can be added if the object is being deleted, found new "
                          "finalizers []string{\"", join(added, "\", \""), "\"}"));
    }
  }
  for (std::string_view key : {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
                               "deletionGracePeriodSeconds"}) {
    immutable(causes, child("metadata", key), at(object, "metadata", key), at(old, "metadata", key));
  }
  validate_labels(at(object, "metadata", "labels"), "metadata.labels", causes);
  validate_annotations(at(object, "metadata", "annotations"), "metadata.annotations", causes);
  validate_owners(object, causes);
}

}  // namespace pintle::drydock
