// Sprig's list functions. They work on anything reflect calls a slice and never change their
// argument, but for sortAlpha, which sorts a []string in place as Sprig does. The must twins
// return the same errors the others panic with.
//
// has, uniq and without compare with reflect.DeepEqual; uniq of n elements costs n*n/2 of those,
// except for lists of strings alone, which are looked up by hash.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "value/counted.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Type;
using value::Value;

namespace {

// Calls use(elements) when v is a list; fails with `what` and the kind otherwise.
template <typename Use>
bool with_list(Call& c, const Value& v, std::string_view what, Use use) {
  Elements list(v);
  if (list) return use(list.items());
  if (v.is_nil()) return c.fail(std::string(kNilPointer));
  return c.fail(cat(what, value::kind_name(v)));
}

using Items = std::span<const Value>;

bool give_copy(Call& c, Items items) {
  c.copied = true;
  return c.give(Value::list_of(std::vector<Value>(items.begin(), items.end())));
}
bool give_nil_list(Call& c) { return c.give(Value::list(nullptr)); }

bool list(Call& c) { return give_copy(c, c.all()); }

bool append_to(Call& c) {
  return with_list(c, c[0], "Cannot push on type ", [&](Items items) {
    if (items.size() >= kMaxItems) return fail_items(c);
    std::vector<Value> out;
    out.reserve(items.size() + 1);
    out.insert(out.end(), items.begin(), items.end());
    out.push_back(c[1]);
    c.copied = true;
    return c.give(Value::list_of(std::move(out)));
  });
}

bool prepend(Call& c) {
  return with_list(c, c[0], "Cannot prepend on type ", [&](Items items) {
    if (items.size() >= kMaxItems) return fail_items(c);
    std::vector<Value> out;
    out.reserve(items.size() + 1);
    out.push_back(c[1]);
    out.insert(out.end(), items.begin(), items.end());
    c.copied = true;
    return c.give(Value::list_of(std::move(out)));
  });
}

bool concat(Call& c) {
  std::vector<Value> out;
  for (const Value& v : c.all()) {
    Elements list(v);
    if (!list) {
      if (v.is_nil()) return c.fail(std::string(kNilPointer));
      return c.fail(cat("Cannot concat type ", value::kind_name(v), " as list"));
    }
    if (out.size() + list.size() > kMaxItems) return fail_items(c);
    out.insert(out.end(), list.items().begin(), list.items().end());
  }
  if (out.empty()) return give_nil_list(c);
  return c.give(Value::list_of(std::move(out)));
}

bool first(Call& c) {
  return with_list(c, c[0], "Cannot find first on type ", [&](Items items) {
    return c.give(items.empty() ? Value::nil() : items.front());
  });
}

bool last(Call& c) {
  return with_list(c, c[0], "Cannot find last on type ", [&](Items items) {
    return c.give(items.empty() ? Value::nil() : items.back());
  });
}

bool rest(Call& c) {
  return with_list(c, c[0], "Cannot find rest on type ", [&](Items items) {
    return items.empty() ? give_nil_list(c) : give_copy(c, items.subspan(1));
  });
}

bool initial(Call& c) {
  return with_list(c, c[0], "Cannot find initial on type ", [&](Items items) {
    return items.empty() ? give_nil_list(c) : give_copy(c, items.first(items.size() - 1));
  });
}

bool reverse(Call& c) {
  return with_list(c, c[0], "Cannot find reverse on type ", [&](Items items) {
    return c.give(Value::list_of(std::vector<Value>(items.rbegin(), items.rend())));
  });
}

bool compact(Call& c) {
  return with_list(c, c[0], "Cannot compact on type ", [&](Items items) {
    std::vector<Value> out;
    std::copy_if(items.begin(), items.end(), std::back_inserter(out),
                 [](const Value& v) { return !empty(v); });
    return c.give(Value::list_of(std::move(out)));
  });
}

// Comparisons of one call, counted: each may go through whole trees.
class Comparing {
 public:
  explicit Comparing(Call& c) : call_(c) {}
  ~Comparing() { call_.steps = compared_; }
  bool in(Items haystack, const Value& needle) {
    return std::any_of(haystack.begin(), haystack.end(), [&](const Value& v) {
      return compared_ > kMost || value::deep_equal(needle, v, compared_);
    });
  }
  bool give(Value v) {
    if (compared_ > kMost) return call_.fail(cat("more than ", kMost, " comparisons"));
    return call_.give(std::move(v));
  }

 private:
  static constexpr size_t kMost = 10'000'000;
  Call& call_;
  size_t compared_ = 0;
};

bool uniq(Call& c) {
  return with_list(c, c[0], "Cannot find uniq on type ", [&](Items items) {
    Comparing comparing(c);
    std::vector<Value> out;
    std::unordered_set<std::string_view> strings;  // views of `items`, which stay where they are
    for (const Value& v : items) {
      bool is_new = v.is_string() ? strings.insert(v.as_string()).second : !comparing.in(out, v);
      if (is_new) out.push_back(v);
    }
    return comparing.give(Value::list_of(std::move(out)));
  });
}

bool without(Call& c) {
  return with_list(c, c[0], "Cannot find without on type ", [&](Items items) {
    Comparing comparing(c);
    Items omit = c.all().subspan(1);
    std::vector<Value> out;
    std::copy_if(items.begin(), items.end(), std::back_inserter(out),
                 [&](const Value& v) { return !comparing.in(omit, v); });
    return comparing.give(Value::list_of(std::move(out)));
  });
}

bool has(Call& c) {
  if (c[1].is_nil()) return c.give(Value::boolean(false));
  return with_list(c, c[1], "Cannot find has on type ", [&](Items items) {
    Comparing comparing(c);
    return comparing.give(Value::boolean(comparing.in(items, c[0])));
  });
}

// Keeps the list's own type, as reflect.Value.Slice does.
bool slice(Call& c) {
  return with_list(c, c[0], "list should be type of slice or array but ", [&](Items items) {
    if (items.empty()) return c.give(Value::nil());
    auto size = static_cast<int64_t>(items.size());
    int64_t start = c.count > 1 ? to_int64(c[1]) : 0;
    int64_t end = c.count > 2 ? to_int64(c[2]) : size;
    if (start < 0 || end < start || end > size) {
      return c.fail("reflect.Value.Slice: slice index out of bounds");
    }
    if (start == 0 && end == size) return c.give(c[0]);
    auto at = static_cast<size_t>(start), n = static_cast<size_t>(end - start);
    if (c[0].is(Type::kBytes)) return c.give(Value::bytes(c[0].as_string().substr(at, n)));
    Items part = items.subspan(at, n);
    return c.give(Value::list_of(std::vector<Value>(part.begin(), part.end()),
                                 c[0].is_list() ? c[0].type() : Type::kList));
  });
}

bool chunk(Call& c) {
  return with_list(c, c[1], "Cannot chunk type ", [&](Items items) {
    // Sprig computes in float64, which decides what sizes of 0 and below do.
    const char* bad = "runtime error: makeslice: len out of range";
    auto size = static_cast<double>(c[0].as_int());
    auto length = static_cast<double>(items.size());
    double count = std::floor((length - 1) / size) + 1;
    if (!(count >= 0) || std::isinf(count)) return c.fail(bad);
    std::vector<Value> out;
    auto chunks = static_cast<size_t>(count);
    for (size_t i = 0; i < chunks; ++i) {
      double n = size;
      if (i + 1 == chunks) {
        n = std::floor(std::fmod(length, size));
        if (n == 0) n = size;
      }
      if (n < 0) return c.fail(bad);
      auto from = static_cast<size_t>(size) * i;
      Items part = items.subspan(from, static_cast<size_t>(n));
      out.push_back(Value::list_of(std::vector<Value>(part.begin(), part.end())));
    }
    return c.give(Value::list_of(std::move(out), Type::kListList));
  });
}

bool sort_alpha(Call& c) {
  if (!Elements(c[0])) {
    return c.give(Value::list_of({to_string_value(c[0])}, Type::kStringList));
  }
  Value out = to_string_list(c[0]);  // a []string is itself
  constexpr size_t kStepsToSortOne = 14;
  c.steps = out.length() * kStepsToSortOne;
  if (auto* strings = out.as_list()) {
    std::sort(strings->items.begin(), strings->items.end(),
              [](const Value& a, const Value& b) { return a.as_string() < b.as_string(); });
  }
  return c.give(std::move(out));
}

constexpr FuncDef kRows[] = {
    {"append", "vv", append_to},
    {"chunk", "iv", chunk},
    {"compact", "v", compact},
    {"concat", "v*", concat},
    {"first", "v", first},
    {"has", "vv", has},
    {"initial", "v", initial},
    {"last", "v", last},
    {"list", "v*", list},
    {"mustAppend", "vv", append_to},
    {"mustChunk", "iv", chunk},
    {"mustCompact", "v", compact},
    {"mustFirst", "v", first},
    {"mustHas", "vv", has},
    {"mustInitial", "v", initial},
    {"mustLast", "v", last},
    {"mustPrepend", "vv", prepend},
    {"mustPush", "vv", append_to},
    {"mustRest", "v", rest},
    {"mustReverse", "v", reverse},
    {"mustSlice", "vv*", slice},
    {"mustUniq", "v", uniq},
    {"mustWithout", "vv*", without},
    {"prepend", "vv", prepend},
    {"push", "vv", append_to},
    {"rest", "v", rest},
    {"reverse", "v", reverse},
    {"slice", "vv*", slice},
    {"sortAlpha", "v", sort_alpha},
    {"tuple", "v*", list},
    {"uniq", "v", uniq},
    {"without", "vv*", without},
};

}  // namespace

Family list_family() { return kRows; }

}  // namespace pintle::funcs
