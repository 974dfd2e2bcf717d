// World: what kinds' rules and simulated controllers see of the server. Every call happens on the
// thread that holds the machinery's lock; values belong to the caller and are never shared (the store
// keeps encoded text, see store.h). Errors are ApiError details (api_error.h) as a client would get.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/resource.h"
#include "value/value.h"

namespace pintle::drydock {

struct Key {
  std::string group, plural, ns, name;
  auto operator<=>(const Key&) const = default;
};

class World {
 public:
  virtual ~World() = default;
  virtual int64_t now_ns() = 0;  // the server's clock, which tests may step
  virtual std::string now() = 0;  // RFC 3339, seconds, UTC: metav1.Time
  virtual std::string random_suffix(size_t n) = 0;  // of "bcdfghjklmnpqrstvwxz2456789"
  virtual std::string new_uid() = 0;
  virtual ResourcePtr resource(std::string_view group, std::string_view plural) = 0;  // null: none
  virtual std::vector<ResourcePtr> resources() = 0;  // the stored version of each
  virtual std::string ca_certificate() = 0;          // PEM, as kube-root-ca.crt publishes it
  virtual int64_t pod_start_ms() = 0;                // Options::pod_start_ms
  // The field manager of the writes that follow; the runner sets each controller's own.
  virtual void act_as(std::string_view manager) = 0;
  // The objects that name this uid in their ownerReferences (Runner::dependents).
  virtual std::vector<Key> dependents(std::string_view uid) = 0;

  // The stored version of the resource. get: kNotFound.
  virtual Result<value::Value> get(const Key& key) = 0;
  virtual std::vector<value::Value> list(std::string_view group, std::string_view plural,
                                         std::string_view ns,  // "": all
                                         std::string_view label_selector = "") = 0;
  // As a client would: defaults, validation, managed fields, a watch event.
  virtual Result<value::Value> create(std::string_view group, std::string_view plural,
                                      value::Value object) = 0;
  // subresource "", "status" or "scale" (the whole object) as a client's; "binding" (pods) and "finalize" (namespaces) store the
  // object as given. An object equal to the stored one is written nowhere. kAborted: the object
  // carries another resourceVersion than the stored one (none: not compared).
  virtual Result<value::Value> update(std::string_view group, std::string_view plural,
                                      value::Value object, std::string_view subresource = "") = 0;
  // grace_seconds < 0: the object's own (pods: terminationGracePeriodSeconds); 0: at once.
  virtual Status remove(const Key& key, std::string_view propagation = "Background",
                        int64_t grace_seconds = -1) = 0;

  // Kubernetes Event about an object; repeats are counted as client-go's recorder does.
  virtual void event(const value::Value& about, std::string_view type, std::string_view reason,
                     std::string_view message, std::string_view component) = 0;
};

}  // namespace pintle::drydock
