#include "patch/field_set.h"

#include <algorithm>

#include "base/gotext.h"
#include "json/json.h"

namespace pintle::patch {
namespace {

using value::Value;

bool is_number(const Value& v) { return v.is_int() || v.is_uint() || v.is(value::Type::kFloat64); }

double as_number(const Value& v) {
  if (v.is(value::Type::kFloat64)) return v.as_double();
  return v.is_uint() ? static_cast<double>(v.as_uint()) : static_cast<double>(v.as_int());
}

int rank(const Value& v) {
  if (is_number(v)) return 0;
  if (v.is_string()) return 1;
  if (v.is(value::Type::kBool)) return 2;
  if (v.is_list()) return 3;
  return v.is_map() ? 4 : 5;
}

template <typename T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_maps(const Value& a, const Value& b) {
  size_t n = std::min(a.length(), b.length());
  auto x = n ? a.as_map()->begin() : decltype(a.as_map()->begin()){};
  auto y = n ? b.as_map()->begin() : x;
  for (size_t i = 0; i < n; ++i, ++x, ++y) {
    if (int c = x->key.view().compare(y->key.view())) return c < 0 ? -1 : 1;
    if (int c = compare_values(x->value, y->value)) return c;
  }
  return order(a.length(), b.length());
}

std::string value_text(const Value& v) {
  if (v.is_string()) return quote(v.as_string());
  if (v.is(value::Type::kFloat64)) {
    std::string out;
    append_float_v(out, v.as_double());
    return out;
  }
  auto written = json::write(v, {.escape_html = false});
  return written ? *written : "null";
}

bool less(const PathElement& a, const PathElement& b) { return compare(a, b) < 0; }

template <typename List>
auto find_in(List& list, const PathElement& element) {
  return std::lower_bound(list.begin(), list.end(), element,
                          [](const auto& item, const PathElement& e) {
                            if constexpr (requires { item.element; }) {
                              return less(item.element, e);
                            } else {
                              return less(item, e);
                            }
                          });
}

void append_step(std::string& out, const PathElement& e) {
  auto append = [&out](const Value& v) {
    // A key is a scalar read from JSON: it can always be written.
    if (auto written = json::write(v)) out += *written;
  };
  switch (e.kind) {
    case PathElement::Kind::kField:
      out += "f:" + e.name;
      return;
    case PathElement::Kind::kValue:
      out += "v:";
      append(e.keys[0].second);
      return;
    case PathElement::Kind::kIndex:
      out += "i:";
      append(e.keys[0].second);
      return;
    case PathElement::Kind::kKeys:
      break;
  }
  out += "k:{";
  for (size_t i = 0; i < e.keys.size(); ++i) {
    if (i) out += ',';
    json::append_string(out, e.keys[i].first);
    out += ':';
    append(e.keys[i].second);
  }
  out += '}';
}

// nullopt: a kind of step that is not known, to be skipped.
Result<std::optional<PathElement>> read_step(std::string_view key) {
  if (key.size() < 2) return Error("key must be 2 characters long:");
  if (key[1] != ':') return Error("missing colon: " + std::string(key));
  std::string_view rest = key.substr(2);
  constexpr json::ReadOptions kExact{.numbers = json::Numbers::kExact};
  switch (key[0]) {
    case 'f':
      return std::optional(PathElement::field(rest));
    case 'v':
      return std::optional(PathElement::of_value(TRY(json::read(rest, kExact))));
    case 'i': {
      ParseError error;
      int64_t i = parse_int(rest, 10, 64, &error);
      if (error != ParseError::kNone) {
        return Error("strconv.Atoi: parsing " + quote(rest) + ": invalid syntax");
      }
      return std::optional(PathElement::index(i));
    }
    case 'k': {
      Value map = TRY(json::read(rest, kExact));
      if (!map.is_map()) return Error("expected a map of keys: " + std::string(key));
      std::vector<std::pair<std::string, Value>> keys;
      for (const auto& entry : *map.as_map()) {
        keys.emplace_back(entry.key.view(), entry.value);
      }
      return std::optional(PathElement::of_keys(std::move(keys)));
    }
  }
  return std::optional<PathElement>();
}

}  // namespace

int compare_values(const Value& a, const Value& b) {
  if (int c = order(rank(a), rank(b))) return c;
  if (is_number(a)) {
    if (a.is_int() && b.is_int()) return order(a.as_int(), b.as_int());
    return order(as_number(a), as_number(b));
  }
  if (a.is_string()) return order(a.as_string(), b.as_string());
  if (a.is(value::Type::kBool)) return order(a.as_bool(), b.as_bool());
  if (a.is_map()) return compare_maps(a, b);
  auto x = a.items(), y = b.items();
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (int c = compare_values(x[i], y[i])) return c;
  }
  return order(x.size(), y.size());
}

bool equal_values(const Value& a, const Value& b) { return compare_values(a, b) == 0; }

PathElement PathElement::field(std::string_view name) {
  PathElement e;
  e.name = name;
  return e;
}
PathElement PathElement::of_keys(std::vector<std::pair<std::string, Value>> keys) {
  PathElement e;
  e.kind = Kind::kKeys;
  e.keys = std::move(keys);
  std::sort(e.keys.begin(), e.keys.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return e;
}
PathElement PathElement::of_value(Value v) {
  PathElement e;
  e.kind = Kind::kValue;
  e.keys.emplace_back("", std::move(v));
  return e;
}
PathElement PathElement::index(int64_t i) {
  PathElement e = of_value(Value::int64(i));
  e.kind = Kind::kIndex;
  return e;
}

std::string PathElement::text() const {
  switch (kind) {
    case Kind::kField:
      return "." + name;
    case Kind::kValue:
      return "[=" + value_text(keys[0].second) + "]";
    case Kind::kIndex:
      return "[" + value_text(keys[0].second) + "]";
    case Kind::kKeys:
      break;
  }
  std::string out = "[";
  for (const auto& [key, v] : keys) {
    if (out.size() > 1) out += ',';
    out += key + "=" + value_text(v);
  }
  return out + "]";
}

int compare(const PathElement& a, const PathElement& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == PathElement::Kind::kField) return order(a.name, b.name);
  for (size_t i = 0; i < std::min(a.keys.size(), b.keys.size()); ++i) {
    if (int c = order(a.keys[i].first, b.keys[i].first)) return c;
    if (int c = compare_values(a.keys[i].second, b.keys[i].second)) return c;
  }
  return order(a.keys.size(), b.keys.size());
}

std::string text_of(const Path& path) {
  std::string out;
  for (const PathElement& e : path) out += e.text();
  return out;
}

Path fields_path(std::initializer_list<std::string_view> names) {
  Path out;
  for (std::string_view name : names) out.push_back(PathElement::field(name));
  return out;
}

bool FieldSet::has_member(const PathElement& e) const {
  auto at = find_in(members_, e);
  return at != members_.end() && compare(*at, e) == 0;
}

const FieldSet* FieldSet::below(const PathElement& e) const {
  auto at = find_in(children_, e);
  return at != children_.end() && compare(at->element, e) == 0 ? &at->set : nullptr;
}

bool FieldSet::has(const Path& path) const {
  if (path.empty()) return false;
  const FieldSet* set = this;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    set = set->below(path[i]);
    if (!set) return false;
  }
  return set->has_member(path.back());
}

void FieldSet::insert_member(const PathElement& e) {
  auto at = find_in(members_, e);
  if (at == members_.end() || compare(*at, e) != 0) members_.insert(at, e);
}

FieldSet& FieldSet::descend(const PathElement& e) {
  auto at = find_in(children_, e);
  if (at == children_.end() || compare(at->element, e) != 0) {
    at = children_.insert(at, Child{e, {}});
  }
  return at->set;
}

void FieldSet::insert(const Path& path) {
  if (path.empty()) return;
  FieldSet* set = this;
  for (size_t i = 0; i + 1 < path.size(); ++i) set = &set->descend(path[i]);
  set->insert_member(path.back());
}

void FieldSet::add_child(PathElement element, FieldSet set) {
  if (!set.empty()) children_.push_back(Child{std::move(element), std::move(set)});
}

void FieldSet::each(const std::function<void(const Path&)>& visit) const {
  Path prefix;
  each(prefix, visit);
}

void FieldSet::each(Path& prefix, const std::function<void(const Path&)>& visit) const {
  for (const PathElement& e : members_) {
    prefix.push_back(e);
    visit(prefix);
    prefix.pop_back();
  }
  for (const Child& child : children_) {
    prefix.push_back(child.element);
    child.set.each(prefix, visit);
    prefix.pop_back();
  }
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet out;
  std::set_union(members_.begin(), members_.end(), other.members_.begin(), other.members_.end(),
                 std::back_inserter(out.members_), less);
  size_t i = 0, j = 0;
  while (i < children_.size() || j < other.children_.size()) {
    int c = i == children_.size()         ? 1
            : j == other.children_.size() ? -1
                                          : compare(children_[i].element, other.children_[j].element);
    if (c < 0) {
      out.children_.push_back(children_[i++]);
    } else if (c > 0) {
      out.children_.push_back(other.children_[j++]);
    } else {
      out.add_child(children_[i].element, children_[i].set.united(other.children_[j].set));
      ++i, ++j;
    }
  }
  return out;
}

FieldSet FieldSet::intersected(const FieldSet& other) const {
  FieldSet out;
  std::set_intersection(members_.begin(), members_.end(), other.members_.begin(),
                        other.members_.end(), std::back_inserter(out.members_), less);
  for (const Child& child : children_) {
    if (const FieldSet* match = other.below(child.element)) {
      out.add_child(child.element, child.set.intersected(*match));
    }
  }
  return out;
}

FieldSet FieldSet::subtracted(const FieldSet& other, bool deep) const {
  FieldSet out;
  std::set_difference(members_.begin(), members_.end(), other.members_.begin(),
                      other.members_.end(), std::back_inserter(out.members_), less);
  for (const Child& child : children_) {
    if (deep && other.has_member(child.element)) continue;
    const FieldSet* match = other.below(child.element);
    out.add_child(child.element, match ? child.set.subtracted(*match, deep) : child.set);
  }
  return out;
}
FieldSet FieldSet::without(const FieldSet& other) const { return subtracted(other, false); }
FieldSet FieldSet::without_deep(const FieldSet& other) const { return subtracted(other, true); }

FieldSet FieldSet::with_named_fields(const Type* type) const {
  FieldSet out;
  out.members_ = members_;
  for (const Child& child : children_) {
    const Type* below = nullptr;
    if (child.element.kind == PathElement::Kind::kField && type) {
      if (const Field* field = type->field(child.element.name)) {
        out.insert_member(child.element);
        below = field->type;
      } else {
        below = type->element;
      }
    } else if (child.element.kind == PathElement::Kind::kKeys && type) {
      below = type->element;
    }
    out.add_child(child.element, child.set.with_named_fields(below));
  }
  return out;
}

bool FieldSet::operator==(const FieldSet& other) const {
  return std::equal(members_.begin(), members_.end(), other.members_.begin(), other.members_.end(),
                    [](const auto& a, const auto& b) { return compare(a, b) == 0; }) &&
         std::equal(children_.begin(), children_.end(), other.children_.begin(),
                    other.children_.end(), [](const Child& a, const Child& b) {
                      return compare(a.element, b.element) == 0 && a.set == b.set;
                    });
}

Value write_fields(const FieldSet& set) {
  value::MapBuilder out;
  auto step = [](const PathElement& e) {
    std::string text;
    append_step(text, e);
    return value::Str(text);
  };
  for (const PathElement& e : set.members()) {
    if (!set.below(e)) out.add(step(e), Value::map(value::make_map()));
  }
  for (const FieldSet::Child& child : set.children()) {
    Value below = write_fields(child.set);
    if (set.has_member(child.element)) {
      below.as_map()->set(value::Str("."), Value::map(value::make_map()));
    }
    out.add(step(child.element), std::move(below));
  }
  return Value::map(out.finish());
}

Result<FieldSet> read_fields(const Value& fields) {
  FieldSet out;
  if (fields.is_nil()) return out;
  if (!fields.is_map()) return Error("fields must be an object");
  if (!fields.as_map()) return out;
  for (const auto& entry : *fields.as_map()) {
    if (entry.key.view() == ".") continue;
    auto step = TRY(read_step(entry.key.view()));
    if (!step) continue;
    FieldSet below = TRY(read_fields(entry.value));
    // A step with nothing below it is a member; with something, only when it says so.
    if (below.empty() || entry.value.get(".")) out.insert_member(*step);
    if (!below.empty()) out.descend(*step) = std::move(below);
  }
  return out;
}

}  // namespace pintle::patch
