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

  // The stored version of the resource. get: kNotFound.
  virtual Result<value::Value> get(const Key& key) = 0;
  virtual std::vector<value::Value> list(std::string_view group, std::string_view plural,
                                         std::string_view ns,  // "": all
                                         std::string_view label_selector = "") = 0;
  // As a client would: defaults, validation, managed fields, a watch event.
  virtual Result<value::Value> create(std::string_view group, std::string_view plural,
                                      value::Value object) = 0;
  // subresource "" or "status". An object equal to the stored one is written nowhere.
  virtual Result<value::Value> update(std::string_view group, std::string_view plural,
                                      value::Value object, std::string_view subresource = "") = 0;
  virtual Status remove(const Key& key, std::string_view propagation = "Background") = 0;

  // Kubernetes Event about an object; repeats are counted as client-go's recorder does.
  virtual void event(const value::Value& about, std::string_view type, std::string_view reason,
                     std::string_view message, std::string_view component) = 0;
};

}  // namespace pintle::drydock
