#include "kube/live.h"

#include "base/strings.h"

namespace pintle::kube {

const value::Value* at(const value::Value& root, Keys path) {
  const value::Value* v = &root;
  for (std::string_view key : path) {
    if (!(v = v->get(key))) return nullptr;
  }
  return v;
}

int64_t number(const value::Value& root, Keys path, int64_t fallback) {
  const value::Value* v = at(root, path);
  if (!v) return fallback;
  if (v->is_int()) return v->as_int();
  if (v->is_uint()) return static_cast<int64_t>(v->as_uint());
  return fallback;
}

std::string_view text(const value::Value& root, Keys path, std::string_view fallback) {
  const value::Value* v = at(root, path);
  return v && v->is_string() ? v->as_string() : fallback;
}

std::span<const value::Value> items(const value::Value& root, Keys path) {
  const value::Value* v = at(root, path);
  return v ? v->items() : std::span<const value::Value>();
}

const value::Value* condition(const value::Value& o, std::string_view type) {
  for (const value::Value& c : items(o, {"status", "conditions"})) {
    if (text(c, {"type"}) == type) return &c;
  }
  return nullptr;
}

bool condition_is(const value::Value& o, std::string_view type, std::string_view status) {
  const value::Value* c = condition(o, type);
  return c && text(*c, {"status"}) == status;
}

std::string selector_text(const value::Value& labels) {
  std::string out;
  if (!labels.as_map()) return out;
  for (const auto& [key, v] : *labels.as_map()) {
    append(out, {out.empty() ? "" : ",", key.view(), "=", v.is_string() ? v.as_string() : ""});
  }
  return out;
}

}  // namespace pintle::kube
