#include "cel/function.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/gotext.h"

namespace pintle::cel {
namespace {

// Reads one signature; the rows are ours, so a bad one is a bug.
class Reader {
 public:
  Reader(std::string_view s, Types& types) : x_rest(s), x_types(types) {}

  Overload overload() {
    Overload o;
    if (!x_rest.starts_with("->")) {
      o.parameters.push_back(type());
      if (take(".(")) {
        o.member = true;
        while (!take(")")) {
          take(", ");
          o.parameters.push_back(type());
        }
      } else {
        while (take(", ")) o.parameters.push_back(type());
      }
      take(" ");
    }
    CHECK(take("-> "));
    o.result = type();
    CHECK(x_rest.empty());
    o.variables = x_names.size();
    return o;
  }

 private:
  bool take(std::string_view s) {
    if (!x_rest.starts_with(s)) return false;
    x_rest.remove_prefix(s.size());
    return true;
  }
  TypePtr type() {
    const size_t end = std::min(x_rest.find_first_of("(), "), x_rest.find(".("));
    const std::string_view name = x_rest.substr(0, end);
    x_rest.remove_prefix(name.size());
    if (name.size() == 1) {
      size_t id = x_names.find(name);
      if (id == std::string::npos) {
        id = x_names.size();
        x_names += name;
      }
      return x_types.variable(id);
    }
    Kind kind = Kind::kNull;
    while (type_text(scalar(kind)) != name) {
      kind = static_cast<Kind>(static_cast<int>(kind) + 1);
      CHECK(kind != Kind::kParam);
    }
    std::vector<TypePtr> params;
    if (take("(")) {
      do params.push_back(type());
      while (take(", "));
      CHECK(take(")"));
    }
    return params.empty() ? scalar(kind) : x_types.make(kind, std::move(params));
  }

  std::string_view x_rest;
  Types& x_types;
  std::string x_names;
};

struct Registry {
  Types types;
  std::map<std::string, Function, std::less<>> functions;
};

const Registry& registry() {
  static const Registry* const all = [] {
    auto* out = new Registry;
    for (auto rows : {operator_rows(), conversion_rows(), string_rows(), text_format_rows(), list_rows(),
 regex_rows(), time_rows(), optional_rows(), url_rows(), quantity_rows(),
                      ip_rows(), semver_rows(), named_format_rows()}) {
      for (const Row& row : rows) {
        Function& f = out->functions[std::string(row.name)];
        f.name = row.name;
        f.is_operator = row.name.find('_') != std::string_view::npos || row.name == "@in" || row.name == "size";
        Overload o = Reader(row.signature, out->types).overload();
        o.run = row.run;
        o.cost = row.cost;
        f.overloads.push_back(std::move(o));
      }
    }
    return out;
  }();
  return *all;
}

}  // namespace

const Function* function_named(std::string_view name) {
  const auto& all = registry().functions;
  auto found = all.find(name.starts_with('.') ? name.substr(1) : name);
  return found == all.end() ? nullptr : &found->second;
}

bool fits(Arena& arena, const Val& v, TypePtr t) {
  if (t->kind == Kind::kDyn || t->kind == Kind::kParam) return true;
  if (v.kind != t->kind) return false;
  if (v.is(Kind::kList)) return v.list->size == 0 || fits(arena, item(arena, *v.list, 0), t->params[0]);
  if (v.is(Kind::kOptional)) return !v.inner || fits(arena, *v.inner, t->params[0]);
  return true;  // a map's keys and values are looked at by whoever asks for them
}

}  // namespace pintle::cel
