// The keywords that speak of one type of value: objects, arrays, strings, numbers.
#include <algorithm>

#include "base/gotext.h"
#include "schema/validator.h"

namespace pintle::schema {
namespace {

using value::List;
using value::Map;
using value::Value;

std::vector<std::string_view> find_missing(const Value& object, const List* names) {
  std::vector<std::string_view> out;
  for (const Value& name : names->items) {
    if (name.is_string() && !object.get(name.as_string())) out.push_back(name.as_string());
  }
  return out;
}

}  // namespace

bool Validator::check_object(Frame& f) {
  const Node& n = *f.node;
  const Value& object = *f.value;
  const auto size = static_cast<int64_t>(object.length());
  if (n.more) {
    const auto& k = *n.more;
    if (k.min_properties && size < *k.min_properties &&
        !fail(f, [&] { return text::limit("minProperties", size, *k.min_properties); })) {
      return false;
    }
    if (k.max_properties && size > *k.max_properties &&
        !fail(f, [&] { return text::limit("maxProperties", size, *k.max_properties); })) {
      return false;
    }
  }
  if (n.required) {
    const auto missing = find_missing(object, n.required);
    if (!missing.empty() && !fail(f, [&] { return text::missing(missing); })) return false;
  }
  if (n.more && !check_dependents(f, n.more->dependencies)) return false;
  if (object.length() > 0 && !check_properties(f)) return false;
  if (!n.more) return true;
  return check_property_names(f) && check_dependents(f, n.more->dependent_schemas) &&
         check_dependents(f, n.more->dependent_required);
}

bool Validator::check_properties(Frame& f) {
  const Node& n = *f.node;
  const Map& object = *f.value->as_map();
  std::vector<std::string_view> refused;
  auto next = n.properties ? n.properties.names->begin() : object.end();
  const auto last = n.properties ? n.properties.names->end() : object.end();
  size_t i = 0;
  for (const auto& entry : object) {
    bool evaluated = false;
    if (n.properties) {  // both are sorted by name
      next = std::lower_bound(next, last, entry.key.view(), [](const auto& e, std::string_view k) {
        return e.key.view() < k;
      });
      if (next != last && next->key == entry.key) {
        evaluated = true;
        const auto at = static_cast<size_t>(next - n.properties.names->begin());
        if (!add_part(f, n.properties.nodes[at], entry)) return false;
      }
    }
    if (n.more) {
      for (const Pattern& p : n.more->patterns) {
        if (!p.regex->matches(entry.key)) continue;
        evaluated = true;
        if (!add_part(f, p.node, entry)) return false;
      }
    }
    if (!evaluated && n.additional_properties.kind != Additional::kAbsent) {
      evaluated = true;
      if (n.additional_properties.kind == Additional::kForbidden) {
        if (!f.findings) return false;
        refused.push_back(entry.key);
      } else if (n.additional_properties.node &&
                 !add_part(f, n.additional_properties.node, entry)) {
        return false;
      }
    }
    if (evaluated) f.open.remove(i);
    ++i;
  }
  return refused.empty() || fail(f, [&] { return text::additional_properties(refused); });
}

bool Validator::check_property_names(Frame& f) {
  const Node* names = f.node->more->property_names;
  if (!names || f.value->length() == 0) return true;
  for (const auto& entry : *f.value->as_map()) {
    // A run of its own: neither location nor dynamic scope reach into it.
    const Value name = Value::string(entry.key);
    Frame sub;
    sub.scope = sub.node = names;
    sub.metaschema = f.metaschema;
    sub.value = &name;
    Finding finding;
    if (ask(Frame(), sub, f.findings ? &finding : nullptr)) continue;
    if (!fail(f, [&] { return text::property_name(entry.key); }, ungroup(std::move(finding)))) {
      return false;
    }
  }
  return true;
}

bool Validator::check_dependents(Frame& f, const std::vector<Dependency>& all) {
  for (const Dependency& d : all) {
    if (!f.value->get(d.property)) continue;
    if (d.node) {
      if (!add_self(f, d.node)) return false;
      continue;
    }
    const auto missing = find_missing(*f.value, d.names);
    if (!missing.empty() && !fail(f, [&] { return text::missing_for(d.property, missing); })) {
      return false;
    }
  }
  return true;
}

bool Validator::check_array(Frame& f) {
  const Node& n = *f.node;
  const auto size = static_cast<int64_t>(f.value->length());
  if (n.more) {
    const auto& k = *n.more;
    if (k.min_items && size < *k.min_items &&
        !fail(f, [&] { return text::limit("minItems", size, *k.min_items); })) {
      return false;
    }
    if (k.max_items && size > *k.max_items &&
        !fail(f, [&] { return text::limit("maxItems", size, *k.max_items); })) {
      return false;
    }
    if (k.unique_items) {
      const auto twins = find_duplicates(f.value->items());
      if (twins &&
          !fail(f, [&] { return text::equal_items(twins->first, twins->second); })) {
        return false;
      }
    }
  }
  return check_items(f) && (!n.more || !n.more->contains || check_contains(f));
}

bool Validator::check_items(Frame& f) {
  const Node& n = *f.node;
  const size_t size = f.value->length();
  size_t i = 0;
  for (const Node* node : n.rest().first_items) {
    if (i == size) break;
    if (!add_part(f, node, i++)) return false;
  }
  const Additional& more = n.rest().additional_items;
  if (more.kind == Additional::kForbidden && i < size) {
    return fail(f, [&] { return text::additional_items(size - i); });
  }
  const Node* node = n.items ? n.items : more.node;
  for (; node && i < size; ++i) {
    if (!add_part(f, node, i)) return false;
  }
  return true;
}

bool Validator::check_contains(Frame& f) {
  const auto& k = *f.node->more;
  Findings causes;
  std::vector<size_t> matched;
  for (size_t i = 0; i < f.value->length(); ++i) {
    Finding finding;
    if (ask_part(f, k.contains, i, f.findings ? &finding : nullptr)) {
      matched.push_back(i);
      if (f.node->draft == Draft::k2020) f.open.remove(i);
    } else if (f.findings) {
      causes.push_back(std::move(finding));
    }
  }
  const auto count = static_cast<int64_t>(matched.size());
  if (k.min_contains) {
    if (count < *k.min_contains &&
        !fail(f, [&] { return text::too_few_contained(matched, *k.min_contains); },
              std::move(causes))) {
      return false;
    }
  } else if (matched.empty() &&
             !fail(f, [] { return "no items match contains schema"; }, std::move(causes))) {
    return false;
  }
  return !k.max_contains || count <= *k.max_contains ||
         fail(f, [&] { return text::too_many_contained(matched, *k.max_contains); });
}

bool Validator::check_string(Frame& f) {
  const auto& k = *f.node->more;
  const std::string_view s = f.value->as_string();
  if (k.min_length || k.max_length) {
    const auto length = static_cast<int64_t>(rune_count(s));
    if (k.min_length && length < *k.min_length &&
        !fail(f, [&] { return text::limit("minLength", length, *k.min_length); })) {
      return false;
    }
    if (k.max_length && length > *k.max_length &&
        !fail(f, [&] { return text::limit("maxLength", length, *k.max_length); })) {
      return false;
    }
  }
  return !k.pattern || k.pattern->matches(s) ||
         fail(f, [&] { return text::bad_pattern(s, k.pattern->pattern()); });
}

bool Validator::check_number(Frame& f) {
  const auto& k = *f.node->more;
  if (!k.minimum && !k.maximum && !k.exclusive_minimum && !k.exclusive_maximum && !k.multiple_of) {
    return true;
  }
  const auto n = Decimal::of(*f.value);
  // What Helm says when the library trips over a number beyond big.Rat.
  if (!n) return abort("runtime error: invalid memory address or nil pointer dereference");
  auto bound = [&](std::string_view keyword, const Decimal& want) {
    return fail(f, [&] { return text::limit(keyword, *n, want); });
  };
  if (k.minimum && n->compare(*k.minimum) < 0 && !bound("minimum", *k.minimum)) return false;
  if (k.maximum && n->compare(*k.maximum) > 0 && !bound("maximum", *k.maximum)) return false;
  if (k.exclusive_minimum && n->compare(*k.exclusive_minimum) <= 0 &&
      !bound("exclusiveMinimum", *k.exclusive_minimum)) {
    return false;
  }
  if (k.exclusive_maximum && n->compare(*k.exclusive_maximum) >= 0 &&
      !bound("exclusiveMaximum", *k.exclusive_maximum)) {
    return false;
  }
  if (!k.multiple_of) return true;
  if (k.multiple_of->compare(Decimal()) == 0) return abort("division by zero");
  return n->is_multiple_of(*k.multiple_of) || bound("multipleOf", *k.multiple_of);
}

bool Validator::check_format(Frame& f) {
  const auto& k = *f.node->more;
  const std::string_view s = f.value->as_string();
  std::string why;
  if (k.regex_format) {
    const auto& re = compiler_.regexes().get(s);
    if (re) return true;
    why = re.error().text();
  } else {
    auto good = k.format->check(s);
    if (good) return true;
    why = good.error().text();
  }
  return fail(f, [&] {
    return text::bad_format(*f.value, k.regex_format ? "regex" : k.format->name, why);
  });
}

}  // namespace pintle::schema
