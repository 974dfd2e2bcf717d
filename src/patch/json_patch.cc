// RFC 6902 as evanphx/json-patch v4 does it, quirks kept: `replace` of a missing map key adds it, a
// missing member tests equal to null, indices may be negative, what stands before the first slash
// is not read. One deep copy of the document is then changed in place. Copies are counted as the API
// server counts them (3 MiB in all), so a short patch cannot make a huge object.
#include <charconv>

#include "base/gotext.h"
#include "json/json.h"
#include "patch/patch.h"

namespace pintle::patch {
namespace {

using value::Value;

constexpr int64_t kCopyLimit = 3 << 20;
constexpr std::string_view kMissing = "missing value";

Error failed(std::string text) { return Error(Code::kFailedPrecondition, std::move(text)); }

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

std::string decode_key(std::string_view part) {
  std::string out;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1')) {
      out += part[++i] == '0' ? '~' : '/';
    } else {
      out += part[i];
    }
  }
  return out;
}

// strconv.Atoi
Result<int64_t> index_of(std::string_view key) {
  std::string_view digits = key.starts_with('+') ? key.substr(1) : key;
  int64_t n = 0;
  const bool sign = digits.starts_with('-') && key.starts_with('+');
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  const std::string head = "strconv.Atoi: parsing " + quote(key) + ": ";
  if (sign || error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return failed(head + "invalid syntax");
  }
  if (error != std::errc()) return failed(head + "value out of range");
  return n;
}

// The index in a list of `size`, negative ones counted from its end.
Result<size_t> place_of(int64_t index, size_t size, bool at_end) {
  const auto limit = static_cast<int64_t>(size);
  if (index > limit || (index == limit && !at_end) || index < -limit - (at_end ? 1 : 0)) {
    return failed("Unable to access invalid index: " + std::to_string(index) +
                  ": invalid index referenced");
  }
  if (index < 0) index += limit + (at_end ? 1 : 0);
  return static_cast<size_t>(index);
}

// A container and the key in it; container null: the path leads nowhere.
struct Spot {
  Value* container = nullptr;
  std::string key;
};

Result<Value*> get(Value& container, std::string_view key) {
  if (container.is_map()) return container.as_map() ? container.as_map()->find(key) : nullptr;
  auto& items = container.as_list()->items;
  return &items[TRY(place_of(TRY(index_of(key)), items.size(), false))];
}

Status add(Spot& spot, Value v) {
  if (spot.container->is_map()) {
    spot.container->as_map()->set(value::Str(spot.key), std::move(v));
    return ok();
  }
  auto& items = spot.container->as_list()->items;
  if (spot.key == "-") {
    items.push_back(std::move(v));
    return ok();
  }
  const auto index = index_of(spot.key);
  if (!index) {
    return failed("value was not a proper array index: " + quoted(spot.key) + ": " +
                  index.error().text());
  }
  const size_t at = TRY(place_of(*index, items.size(), true));
  items.insert(items.begin() + static_cast<ptrdiff_t>(at), std::move(v));
  return ok();
}

Status remove(Spot& spot) {
  if (spot.container->is_map()) {
    if (spot.container->as_map()->erase(spot.key)) return ok();
    return failed("Unable to remove nonexistent key: " + spot.key + ": " + std::string(kMissing));
  }
  auto& items = spot.container->as_list()->items;
  const size_t at = TRY(place_of(TRY(index_of(spot.key)), items.size(), false));
  items.erase(items.begin() + static_cast<ptrdiff_t>(at));
  return ok();
}

// Null maps and lists of Go's kind get a body, so that there is something to change.
bool is_container(Value& v) {
  if (v.is_map() && !v.as_map()) v = Value::map(value::make_map());
  if (v.is_list() && !v.as_list()) v = Value::list_of({});
  return v.is_map() || v.is_list();
}

Spot find(Value& root, std::string_view path) {
  size_t slash = path.find('/');
  if (slash == path.npos || !is_container(root)) return {};
  Value* at = &root;
  path.remove_prefix(slash + 1);
  while ((slash = path.find('/')) != path.npos) {
    auto next = get(*at, decode_key(path.substr(0, slash)));
    if (!next || !*next || !is_container(**next)) return {};
    at = *next;
    path.remove_prefix(slash + 1);
  }
  return {at, decode_key(path)};
}

struct Patcher {
  Value document;
  int64_t copied = 0;

  Status apply(const Value& operation);
  Status change(std::string_view op, const Value& operation);
  Status transfer(std::string_view op, const Value& operation);
  Status test(const Value& operation);
};

// The member that must be a string. `what`: "path" or "from".
Result<std::string> text_of(const Value& operation, std::string_view what) {
  const Value* v = operation.get(what);
  if (!v || v->is_nil()) {
    return failed(std::string(what == "path" ? "operation missing path field: "
                                             : "operation, missing from field: ") +
                  std::string(kMissing));
  }
  if (!v->is_string()) return failed(json::type_error(*v, "string").text());
  return std::string(v->as_string());
}

Value value_of(const Value& operation) {
  const Value* v = operation.get("value");
  return v ? value::deep_copy(*v) : Value::nil();
}

Status Patcher::change(std::string_view op, const Value& operation) {
  const std::string name(op);
  const auto path = text_of(operation, "path");
  if (!path) {
    return failed(name + " operation failed to decode path: " +
                  (op == "replace" ? path.error().text() : std::string(kMissing)));
  }
  if (op == "replace" && path->empty()) {
    Value v = value_of(operation);
    if (!is_container(v)) {
      return failed("replace operation value must be object or array: %!w(<nil>)");
    }
    document = std::move(v);
    return ok();
  }
  Spot spot = find(document, *path);
  if (!spot.container) {
    const std::string shown = op == "replace" ? *path : "\"" + *path + "\"";
    return failed(name + " operation does not apply: doc is missing path: " + shown + ": " +
                  std::string(kMissing));
  }
  Status done = ok();
  if (op == "replace") {
    const auto found = get(*spot.container, spot.key);
    if (!found) {
      return failed("replace operation does not apply: doc is missing key: " + *path + ": " +
                    std::string(kMissing));
    }
    if (*found) {
      **found = value_of(operation);
    } else {
      done = add(spot, value_of(operation));
    }
  } else {
    done = op == "add" ? add(spot, value_of(operation)) : remove(spot);
  }
  if (done) return done;
  return failed("error in " + name + " for path: " + quoted(*path) + ": " + done.error().text());
}

Status Patcher::transfer(std::string_view op, const Value& operation) {
  const std::string name(op);
  const bool move = op == "move";
  const auto from = text_of(operation, "from");
  if (!from) return failed(name + " operation failed to decode from: " + from.error().text());
  Spot source = find(document, *from);
  if (!source.container) {
    return failed(name + " operation does not apply: doc is missing from path: " + *from + ": " +
                  std::string(kMissing));
  }
  const auto found = get(*source.container, source.key);
  if (!found) {
    return failed("error in " + name + (move ? " for path: " + quoted(source.key)
                                             : " for from: " + quoted(*from)) +
                  ": " + found.error().text());
  }
  Value v = *found ? **found : Value::nil();
  if (move) {
    if (auto done = remove(source); !done) {
      return failed("error in move for path: " + quoted(source.key) + ": " + done.error().text());
    }
  }
  const auto path = text_of(operation, "path");
  if (!path) {
    return failed(name + " operation failed to decode path: " +
                  (move ? path.error().text() : std::string(kMissing)));
  }
  Spot target = find(document, *path);
  if (!target.container) {
    return failed(name + " operation does not apply: doc is missing destination path: " + *path +
                  ": " + std::string(kMissing));
  }
  if (!move) {
    copied += static_cast<int64_t>(TRY(json::write(v)).size());
    if (copied > kCopyLimit) {
      return failed("Unable to complete the copy, the accumulated size increase of copy is " +
                    std::to_string(copied) + ", exceeding the limit " + std::to_string(kCopyLimit));
    }
    v = value::deep_copy(v);
  }
  const auto done = add(target, std::move(v));
  if (done) return ok();
  return failed((move ? "error in move for path: " + quoted(*path) + ": "
                      : "error while adding value during copy: ") +
                done.error().text());
}

Status Patcher::test(const Value& operation) {
  const auto path = text_of(operation, "path");
  if (!path) return failed("test operation failed to decode path: " + path.error().text());
  const Value wanted = value_of(operation);
  const Value* found = &document;
  if (!path->empty()) {
    Spot spot = find(document, *path);
    if (!spot.container) {
      return failed("test operation does not apply: is missing path: " + *path + ": " +
                    std::string(kMissing));
    }
    const auto member = get(*spot.container, spot.key);
    if (!member) {
      return failed("error in test for path: " + quoted(*path) + ": " + member.error().text());
    }
    found = *member;
  }
  if (found ? value::deep_equal(*found, wanted) : wanted.is_nil()) return ok();
  return failed("testing value " + *path + " failed: test failed");
}

Status Patcher::apply(const Value& operation) {
  const Value* op = operation.get("op");
  const std::string kind = op && op->is_string() ? std::string(op->as_string()) : "unknown";
  if (kind == "add" || kind == "remove" || kind == "replace") return change(kind, operation);
  if (kind == "move" || kind == "copy") return transfer(kind, operation);
  if (kind == "test") return test(operation);
  return failed("Unexpected kind: " + kind);
}

}  // namespace

Result<Value> json_patch(const Value& document, const Value& operations) {
  if (!operations.is_list() && !operations.is_nil()) {
    return Error(Code::kInvalidArgument, json::type_error(operations, "jsonpatch.Patch").text());
  }
  for (const Value& operation : operations.items()) {
    if (!operation.is_map() && !operation.is_nil()) {
      return Error(Code::kInvalidArgument,
                   json::type_error(operation, "jsonpatch.Operation").text());
    }
  }
  Patcher patcher{value::deep_copy(document)};
  for (const Value& operation : operations.items()) TRY(patcher.apply(operation));
  return patcher.document;
}

}  // namespace pintle::patch
