// Checks of custom objects against their schema, in the order and words of kube-openapi's validator.
// Where Go walks a map at random, keys go in byte order here. Cost: linear in the object, times the
// alternatives of anyOf, oneOf and not; those nest at most as deep as the schema, which is bounded.
#include <cmath>
#include <map>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_formats.h"
#include "drydock/custom_nodes.h"
#include "drydock/custom_schema.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

std::string go_text(const Value& v) {  // as a field error shows a value
  if (v.is_string()) return quote(v.as_string());
  if (v.is(value::Type::kFloat64)) {
    std::string out;
    append_float_v(out, v.as_double());
    return out;
  }
  auto written = json::write(v);
  return written ? *written : "null";
}
std::string number_text(double d) {
  std::string out;
  append_float_v(out, d);
  return out;
}

bool is_number(const Value& v) {
  return v.is_int() || v.is_uint() || v.is(value::Type::kFloat64);
}
double real(const Value& v) {
  if (v.is(value::Type::kFloat64)) return v.as_double();
  return v.is_uint() ? static_cast<double>(v.as_uint()) : static_cast<double>(v.as_int());
}

std::string_view type_name(const Value& v) {
  if (v.is_nil()) return "null";
  if (v.is_string()) return "string";
  if (v.is(value::Type::kBool)) return "boolean";
  if (v.is_map()) return "object";
  if (v.is_list()) return "array";
  return v.is(value::Type::kFloat64) ? "number" : "integer";
}

bool equal(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return real(a) == real(b);
  if (type_name(a) != type_name(b)) return false;
  if (a.is_list()) {
    auto x = a.items(), y = b.items();
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!equal(x[i], y[i])) return false;
    }
    return true;
  }
  if (a.is_map()) {
    Entries x = entries_of(&a), y = entries_of(&b);
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i].key.view() != y[i].key.view() || !equal(x[i].value, y[i].value)) return false;
    }
    return true;
  }
  return a.is_string() ? a.as_string() == b.as_string() : go_text(a) == go_text(b);
}

// Errors of one subtree, and how many checks it passed: the alternative that matches best speaks.
struct Outcome {
  std::vector<Cause> causes;
  int matches = 0;
  bool valid() const { return causes.empty(); }
  void merge(Outcome other) {
    for (Cause& c : other.causes) causes.push_back(std::move(c));
    matches += other.matches;
  }
};

std::string field_of(std::string_view path) {
  std::string_view field = path.starts_with('.') ? path.substr(1) : path;
  return field.empty() ? "<nil>" : std::string(field);
}

class Validator {
 public:
  struct Here {
    const std::string& path;
    Outcome& out;
    void invalid(const std::string& value, const std::string& what) {
      out.causes.push_back({"FieldValueInvalid",
                            "Invalid value: " + value + ": " + path + " in body " + what,
                            field_of(path)});
    }
    void not_of_type(std::string_view type, std::string_view got) {
      out.causes.push_back({"FieldValueTypeInvalid",
                            "Invalid value: " + quote(got) + ": " + path +
                                " in body must be of type " + std::string(type) + ": " +
                                quote(got),
                            field_of(path)});
    }
    void add(std::string reason, std::string message) {
      out.causes.push_back({std::move(reason), std::move(message), field_of(path)});
    }
  };

  Outcome run(const Value& v, const CustomSchema& s, const std::string& path) {
    Outcome out;
    Here here{path, out};
    check_type(v, s, here);
    if (!v.is_nil()) {
      check_alternatives(v, s, here);
      if (v.is_string()) check_string(v, s, here);
      if (is_number(v)) check_number(v, s, here);
      if (v.is_list()) check_list(v, s, here);
    }
    check_enum(v, s, here);
    if (v.is_map()) check_object(v, s, here);
    if (out.valid()) ++out.matches;
    return out;
  }

  void check_type(const Value& v, const CustomSchema& s, Here& here) {
    std::string_view got = type_name(v);
    if (s.int_or_string) {
      bool fits = v.is_string() || (is_number(v) && real(v) == std::floor(real(v))) ||
                  (v.is_nil() && s.nullable);
      if (!fits) here.not_of_type("integer,string", got);
      return;
    }
    if (s.type.empty() || s.type == got || (v.is_nil() && s.nullable)) return;
    if (s.type == "number" && got == "integer") return;
    if (s.type == "integer" && got == "number" && real(v) == std::floor(real(v))) return;
    // A format stands for the type, and a value's Go type for its JSON type.
    const bool sized = s.type == "integer" && (s.format == "int32" || s.format == "int64");
    if (sized && got == "boolean") here.not_of_type(s.format, "");
    else if (sized && got == "number") here.not_of_type(s.format, "float64");
    else here.not_of_type(s.type, got);
    if (s.type == "integer" && got == "number") no_integer(s, here);
  }

  static void no_integer(const CustomSchema& s, Here& here) {
    const bool sized = s.format == "int32" || s.format == "int64";
    here.out.causes.push_back({"FieldValueInvalid",
                               cat("Invalid value: \"\": Checked value must be of type integer ",
                                   sized ? "with format " + s.format : "(default format)", " in ", here.path),
                               "<nil>"});
  }

  void check_alternatives(const Value& v, const CustomSchema& s, Here& here) {
    auto schema_error = [&](const std::string& what) {
      here.out.causes.push_back(
          {"FieldValueInvalid", "Invalid value: \"\": " + quote(here.path) + " " + what, "<nil>"});
    };
    auto best = [](Outcome& kept, bool& any, Outcome next) {
      if (!any || next.matches > kept.matches) kept = std::move(next);
      any = true;
    };
    if (!s.any_of.empty()) {
      Outcome kept;
      bool any = false, passed = false;
      for (const auto& option : s.any_of) {
        Outcome next = run(v, *option, here.path);
        if ((passed = next.valid())) break;
        best(kept, any, std::move(next));
      }
      if (!passed) {
        schema_error("must validate at least one schema (anyOf)");
        here.out.merge(std::move(kept));
      }
    }
    if (!s.one_of.empty()) {
      Outcome kept;
      bool any = false;
      int passed = 0;
      for (const auto& option : s.one_of) {
        Outcome next = run(v, *option, here.path);
        if (next.valid()) {
          ++passed;
        } else if (passed == 0) {
          best(kept, any, std::move(next));
        }
      }
      if (passed != 1) {
        schema_error("must validate one and only one schema (oneOf). " +
                     (passed == 0 ? std::string("Found none valid")
                                  : "Found " + std::to_string(passed) + " valid alternatives"));
        if (passed == 0) here.out.merge(std::move(kept));
      }
    }
    size_t passed = 0;
    for (const auto& part : s.all_of) {
      Outcome next = run(v, *part, here.path);
      if (next.valid()) ++passed;
      here.out.merge(std::move(next));
    }
    if (passed != s.all_of.size()) {
      schema_error("must validate all the schemas (allOf)" +
                   std::string(passed == 0 ? ". None validated" : ""));
    }
    if (s.negated && run(v, *s.negated, here.path).valid()) {
      schema_error("must not validate the schema (not)");
    }
  }

  void check_string(const Value& v, const CustomSchema& s, Here& here) {
    std::string_view t = v.as_string();
    auto runes = static_cast<int64_t>(rune_count(t));
    if (s.max_length && runes > *s.max_length) {
      here.add("FieldValueTooLong", "Too long: may not be more than " +
                                        std::to_string(*s.max_length) +
                                        (*s.max_length == 1 ? " byte" : " bytes"));
    } else if (s.min_length && runes < *s.min_length) {
      here.invalid(quote(t), "should be at least " + std::to_string(*s.min_length) + " chars long");
    } else if (s.regex && s.regex->ok() && !re2::RE2::PartialMatch({t.data(), t.size()}, *s.regex)) {
      here.invalid(quote(t), "should match '" + s.pattern + "'");
    }
    bool textual = s.type.empty() || s.type == "string";
    if (textual && !s.format.empty() && !matches_format(s.format, t)) {
      here.out.causes.push_back({"FieldValueTypeInvalid",
                                 "Invalid value: " + quote(t) + ": " + here.path +
                                     " in body must be of type " + s.format + ": " + quote(t),
                                 field_of(here.path)});
    }
  }

  void check_number(const Value& v, const CustomSchema& s, Here& here) {
    double n = real(v);
    if (s.multiple_of && *s.multiple_of > 0) {
      double times = n / *s.multiple_of;
      if (std::abs(times - std::round(times)) > 1e-9 * std::max(1.0, std::abs(times))) {
        here.invalid(go_text(v), "should be a multiple of " + number_text(*s.multiple_of));
      }
    }
    if (s.maximum && (s.exclusive_maximum ? n >= *s.maximum : n > *s.maximum)) {
      here.invalid(go_text(v),
                   std::string(s.exclusive_maximum ? "should be less than "
                                                   : "should be less than or equal to ") +
                       bound(v, *s.maximum));
    }
    if (s.minimum && (s.exclusive_minimum ? n <= *s.minimum : n < *s.minimum)) {
      here.invalid(go_text(v),
                   std::string(s.exclusive_minimum ? "should be greater than "
                                                   : "should be greater than or equal to ") +
                       bound(v, *s.minimum));
    }
    bool integer = s.type == "integer" && !s.int_or_string;
    if (integer && s.format == "int32" && (n > 2147483647.0 || n < -2147483648.0)) no_integer(s, here);
  }
  static std::string bound(const Value& v, double limit) {
    if (!v.is(value::Type::kFloat64) && std::abs(limit) < 9e18) {
      return std::to_string(static_cast<int64_t>(limit));
    }
    return number_text(limit);
  }

  void check_list(const Value& v, const CustomSchema& s, Here& here) {
    auto list = v.items();
    if (s.items) {
      for (size_t i = 0; i < list.size(); ++i) {
        here.out.merge(run(list[i], *s.items, here.path + "[" + std::to_string(i) + "]"));
      }
    }
    auto size = static_cast<int64_t>(list.size());
    if (s.min_items && size < *s.min_items) {
      here.invalid(std::to_string(size),
                   "should have at least " + std::to_string(*s.min_items) + " items");
    }
    if (s.max_items && size > *s.max_items) too_many(size, *s.max_items, here);
    if (s.unique && duplicates(list).size() > 0) {
      here.invalid("\"\"", "shouldn't contain duplicates");
    }
  }
  static void too_many(int64_t size, int64_t most, Here& here) {
    here.add("FieldValueTooMany", "Too many: " + std::to_string(size) + ": must have at most " +
                                      std::to_string(most) + (most == 1 ? " item" : " items"));
  }

  void check_enum(const Value& v, const CustomSchema& s, Here& here) {
    if (s.allowed.empty() || (v.is_nil() && s.nullable)) return;
    std::string names;
    for (const Value& a : s.allowed) {
      if (equal(a, v)) return;
      names += (names.empty() ? "" : ", ") + quote(a.is_string() ? a.as_string() : go_text(a));
    }
    here.add("FieldValueNotSupported",
             "Unsupported value: " + go_text(v) + ": supported values: " + names);
  }

  void check_object(const Value& v, const CustomSchema& s, Here& here) {
    auto size = static_cast<int64_t>(v.length());
    if (s.min_properties && size < *s.min_properties) {
      here.invalid(std::to_string(size),
                   "should have at least " + std::to_string(*s.min_properties) + " properties");
    }
    if (s.max_properties && size > *s.max_properties) too_many(size, *s.max_properties, here);
    for (const auto& entry : entries_of(&v)) {
      std::string key(entry.key.view());
      if (const CustomSchema* below = s.property(key)) {
        here.out.merge(run(entry.value, *below, here.path.empty() ? key : here.path + "." + key));
      } else if (s.additional) {
        here.out.merge(run(entry.value, *s.additional, here.path + "." + key));
      }
    }
    for (const std::string& key : s.required) {
      if (!v.get(key)) {
        here.out.causes.push_back(
            {"FieldValueRequired", "Required value", field_of(here.path + "." + key)});
      }
    }
  }

  // Indexes of the first repetition of each value that stands more than once.
  static std::vector<size_t> duplicates(std::span<const Value> list) {
    std::map<std::string, int> seen;
    std::vector<size_t> out;
    for (size_t i = 0; i < list.size(); ++i) {
      if (++seen[go_text(list[i])] == 2) out.push_back(i);
    }
    return out;
  }
};

std::string child(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

void check_list_keys(const Value& v, const CustomSchema& s, const std::string& path,
                     std::vector<Cause>& causes) {
  auto duplicate = [&](size_t i, const Value& shown) {
    causes.push_back({"FieldValueDuplicate", "Duplicate value: " + go_text(shown),
                      path + "[" + std::to_string(i) + "]"});
  };
  auto list = v.items();
  if (s.list_type == "set") {
    for (size_t i : Validator::duplicates(list)) duplicate(i, list[i]);
  }
  if (s.list_type != "map") return;
  std::vector<Value> keys;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_map() && !list[i].is_nil()) {
      causes.push_back({"FieldValueInvalid",
                        "Invalid value: " + go_text(list[i]) +
                            ": must be an object for an array of list-type map",
                        path + "[" + std::to_string(i) + "]"});
      return;
    }
    Value key = empty_map();
    for (const std::string& name : s.list_keys) {
      if (const Value* found = list[i].get(name)) put(key, name, *found);
    }
    keys.push_back(std::move(key));
  }
  for (size_t i : Validator::duplicates(keys)) duplicate(i, keys[i]);
}

void check_lists(const Value& v, const CustomSchema& s, const std::string& path,
                 std::vector<Cause>& causes) {
  if (v.is_list()) {
    check_list_keys(v, s, path, causes);
    if (!s.items) return;
    size_t i = 0;
    for (const Value& item : v.items()) {
      check_lists(item, *s.items, path + "[" + std::to_string(i++) + "]", causes);
    }
    return;
  }
  for (const auto& entry : entries_of(&v)) {
    std::string_view key = entry.key.view();
    if (const CustomSchema* below = s.property(key)) {
      check_lists(entry.value, *below, child(path, key), causes);
    } else if (s.additional) {
      check_lists(entry.value, *s.additional, path + "[" + std::string(key) + "]", causes);
    }
  }
}

void check_embedded(const Value& v, const CustomSchema& s, const std::string& path, bool root,
                    std::vector<Cause>& causes) {
  if (v.is_map() && s.embedded && !root) {
    for (std::string_view key : {"apiVersion", "kind"}) {
      const Value* found = v.get(key);
      std::string field = child(path, key);
      if (!found) {
        causes.push_back({"FieldValueRequired", "Required value", field});
      } else if (!found->is_string()) {
        causes.push_back({"FieldValueInvalid",
                          "Invalid value: " + go_text(*found) + ": must be a string", field});
      } else if (found->as_string().empty()) {
        causes.push_back({"FieldValueInvalid", "Invalid value: \"\": must not be empty", field});
      }
    }
  }
  if (v.is_list() && s.items) {
    size_t i = 0;
    for (const Value& item : v.items()) {
      check_embedded(item, *s.items, path + "[" + std::to_string(i++) + "]", false, causes);
    }
  }
  for (const auto& entry : entries_of(&v)) {
    std::string_view key = entry.key.view();
    if (const CustomSchema* below = s.property(key)) {
      check_embedded(entry.value, *below, child(path, key), false, causes);
    } else if (s.additional) {
      check_embedded(entry.value, *s.additional, path + "[" + std::string(key) + "]", false, causes);
    }
  }
}

}  // namespace

void validate_custom(const Value& object, const CustomSchema* schema, std::vector<Cause>& causes) {
  if (!schema) return;
  for (Cause& c : Validator().run(object, *schema, "").causes) causes.push_back(std::move(c));
  check_embedded(object, *schema, "", true, causes);
  check_lists(object, *schema, "", causes);
}

}  // namespace pintle::drydock
