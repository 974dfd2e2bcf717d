// ConfigMap and Secret.
#include "crypt/crypt.h"
#include "drydock/kinds/families.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr size_t kMaxData = 1024 * 1024;

size_t decoded_size(std::string_view base64) {
  size_t n = base64.size() / 4 * 3;
  if (base64.ends_with("==")) return n - 2;
  return base64.ends_with('=') ? n - 1 : n;
}

void secret_defaults(Value& object) {
  default_to(object, "type", "Opaque");
  Entries clear = entries(object, "stringData");
  if (!clear.empty()) {
    Value& data = ensure(object, "data");
    for (const auto& e : clear) {
      if (e.value.is_string()) put(data, e.key, crypt::base64_encode(e.value.as_string()));
    }
  }
  drop(object, "stringData");
}

void keys_of(const Value& object, std::string_view field, std::vector<Cause>& causes) {
  for (const auto& e : entries(object, field)) {
    for (const std::string& m : is_config_key(e.key)) {
      invalid_value(causes, keyed(field, e.key), e.key.view(), m);
    }
  }
}

void frozen(const Value& object, const Value* old, std::initializer_list<std::string_view> fields,
            std::vector<Cause>& causes) {
  if (!old || !flag(*old, "immutable")) return;
  if (!flag(object, "immutable")) {
    forbidden_field(causes, "immutable", "field is immutable when `immutable` is set");
  }
  for (std::string_view f : fields) {
    if (!same(at(object, f), at(*old, f))) {
      forbidden_field(causes, std::string(f), "field is immutable when `immutable` is set");
    }
  }
}

void config_map_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  size_t total = 0;
  for (const auto& e : entries(object, "data")) {
    for (const std::string& m : is_config_key(e.key)) {
      invalid_value(causes, keyed("data", e.key), e.key.view(), m);
    }
    if (has(object, "binaryData", e.key)) {
      invalid_value(causes, keyed("data", e.key), e.key.view(), "duplicate of key present in binaryData");
    }
    total += e.value.is_string() ? e.value.as_string().size() : 0;
  }
  keys_of(object, "binaryData", causes);
  for (const auto& e : entries(object, "binaryData")) {
    total += e.value.is_string() ? decoded_size(e.value.as_string()) : 0;
  }
  if (total > kMaxData) too_long(causes, "[]", kMaxData);
  frozen(object, old, {"data", "binaryData"}, causes);
}

struct TypeKeys {
  std::string_view type;
  std::initializer_list<std::string_view> keys;
};

void json_data(const Value& secret, std::string_view key, std::vector<Cause>& causes) {
  auto bytes = crypt::base64_decode(text(secret, "data", key));
  auto read = bytes ? json::read(*bytes) : Result<Value>(bytes.error());
  if (!read) invalid_value(causes, keyed("data", key), "<secret contents redacted>", read.error().text());
}

void secret_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  size_t total = 0;
  keys_of(object, "data", causes);
  for (const auto& e : entries(object, "data")) {
    total += e.value.is_string() ? decoded_size(e.value.as_string()) : 0;
  }
  if (total > kMaxData) too_long(causes, "data", kMaxData);
  std::string_view type = text(object, "type");
  const TypeKeys kNeeded[] = {{"kubernetes.io/tls", {"tls.crt", "tls.key"}},
                              {"kubernetes.io/ssh-auth", {"ssh-privatekey"}},
                              {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}},
                              {"kubernetes.io/dockercfg", {".dockercfg"}}};
  for (const TypeKeys& row : kNeeded) {
    if (row.type != type) continue;
    for (std::string_view key : row.keys) {
      if (!has(object, "data", key)) required(causes, keyed("data", key));
      else if (key[0] == '.') json_data(object, key, causes);
    }
  }
  if (type == "kubernetes.io/service-account-token" &&
      text(object, "metadata", "annotations", "kubernetes.io/service-account.name").empty()) {
    required(causes, "metadata.annotations[kubernetes.io/service-account.name]");
  }
  if (type == "kubernetes.io/basic-auth" && !has(object, "data", "username") &&
      !has(object, "data", "password")) {
    required(causes, "data[username]");
    required(causes, "data[password]");
  }
  if (old) immutable(causes, "type", at(object, "type"), at(*old, "type"));
  frozen(object, old, {"data"}, causes);
}

std::vector<std::string_view> secret_fields() { return {"type"}; }

}  // namespace

void add_config_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "ConfigMap", .validate = config_map_validate});
  out.push_back({.group = "", .kind = "Secret", .defaults = secret_defaults,
                 .validate = secret_validate, .selectable = secret_fields});
}

}  // namespace pintle::drydock
