// Walks the program. Errors are values that && and || and folds may absorb; only running out of
// budget ends everything. Cost: each node its price, at most kCallLimit; recursion is as deep as the
// program, which the parser bounds.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "cel/cost.h"
#include "cel/function.h"
#include "cel/library_regex.h"
#include "cel/program.h"
#include "cel/val.h"

namespace pintle::cel {
namespace {

// Go's name of a value's type, where a message shows it.
std::string_view go_name(const Val& v) {
  switch (v.kind) {
    case Kind::kBool: return "types.Bool";
    case Kind::kInt: return "types.Int";
    case Kind::kUint: return "types.Uint";
    case Kind::kDouble: return "types.Double";
    case Kind::kString: return "types.String";
    case Kind::kBytes: return "types.Bytes";
    case Kind::kDuration: return "types.Duration";
    case Kind::kTimestamp: return "types.Timestamp";
    case Kind::kNull: return "types.Null";
    case Kind::kOptional: return "*types.Optional";
    default: return "*types.Type";
  }
}

class Evaluator {
 public:
  Evaluator(const Program::Rep& rep, Arena& arena) : x_nodes(rep.ast.nodes), x_arena(arena), x_slots(rep.slots) {}

  Val run(NodeId root, const Bindings& bindings, const Program::Rep& rep) {
    if (bindings.self) x_slots[kSelfSlot] = view(x_arena, *bindings.self, *rep.schema);
    if (bindings.old_self) x_slots[kOldSelfSlot] = view(x_arena, *bindings.old_self, *rep.schema);
    if (rep.optional_old) {
      Val& old = x_slots[kOldSelfSlot];
      old = bindings.old_self ? x_arena.some(old) : Val::optional(nullptr);
    }
    return eval(root);
  }
  uint64_t cost() const { return x_cost; }
  bool stopped() const { return x_stopped; }

 private:
  Val error(std::string_view text) { return x_arena.error(text); }
  Val no_overload() { return error("no such overload"); }

  void charge(uint64_t cost) {
    x_cost += std::min<uint64_t>(cost, static_cast<uint64_t>(kCallLimit) + 1);
    if (x_cost > static_cast<uint64_t>(kCallLimit) || x_arena.full()) x_stopped = true;
  }

  Val eval(NodeId id) {
    const Node& n = x_nodes[id];
    if (x_stopped) return error("");
    switch (n.op) {
      case Op::kConst:
        return n.value.is(Kind::kString) || n.value.is(Kind::kBytes) ? Val::text(n.text, n.value.kind) : n.value;
      case Op::kIdent: charge(1); return x_slots[n.slot];
      case Op::kSelect: return qualify(n, eval(n.kids[0]), Val::text(n.text), false);
      case Op::kOptSelect: return qualify(n, eval(n.kids[0]), Val::text(x_nodes[n.kids[1]].text), true);
      case Op::kIndex:
      case Op::kOptIndex: {
        const Val operand = eval(n.kids[0]);
        if (operand.is_error()) return operand;
        const Val index = eval(n.kids[1]);
        return index.is_error() ? index : qualify(n, operand, index, n.op == Op::kOptIndex);
      }
      case Op::kHas: return has(n);
      case Op::kAnd: return logic(n, false);
      case Op::kOr: return logic(n, true);
      case Op::kIf: {
        const Val condition = eval(n.kids[0]);
        if (condition.is(Kind::kBool)) return eval(n.kids[condition.b ? 1 : 2]);
        return condition.is_error() ? condition : no_overload();
      }
      case Op::kEqual:
      case Op::kUnequal: return equality(n);
      case Op::kOptOr:
      case Op::kOptOrValue: {
        const Val first = eval(n.kids[0]);
        if (first.is_error()) return first;
        if (!first.is(Kind::kOptional)) return first;
        if (!first.inner) return eval(n.kids[1]);
        return n.op == Op::kOptOr ? first : *first.inner;
      }
      case Op::kList: return list(n);
      case Op::kMap: return map(n);
      case Op::kFold: return fold(n);
      case Op::kBind: {
        const Val value = eval(n.kids[0]);
        x_slots[n.slot] = value;
        return eval(n.kids[1]);
      }
      case Op::kCall: return call(n);
      case Op::kMessage: break;
    }
    return no_overload();
  }

  // ---- parts of values ----

  // The part of `operand` that `key` names; through optionals the result is one.
  Val qualify(const Node&, Val operand, const Val& key, bool optional) {
    if (operand.is_error()) return operand;
    charge(1);
    if (operand.is(Kind::kOptional)) {
      if (!operand.inner) return operand;
      operand = *operand.inner;
      optional = true;
    }
    bool present = false;
    const Val found = part(operand, key, optional, &present);
    if (found.is_error() || !optional) return found;
    return present ? x_arena.some(found) : Val::optional(nullptr);
  }

  Val part(const Val& operand, const Val& key, bool test, bool* present) {
    *present = false;
    if (operand.is(Kind::kMap)) {
      Val out;
      if (!operand.map->raw) charge(operand.map->size / 64);
      *present = find(x_arena, *operand.map, key, &out);
      return *present || test ? out : no_key(key);
    }
    if (operand.is(Kind::kList)) {
      int64_t i = key.i;
      if (key.is(Kind::kDouble)) {
        i = std::abs(key.d) < 9e18 ? static_cast<int64_t>(key.d) : -1;
        if (static_cast<double>(i) != key.d) return error(cat("unsupported index value ", shown(x_arena, key), " in list"));
      } else if (!key.is(Kind::kInt) && !key.is(Kind::kUint)) {
        return error(cat("unsupported index type '", value_type_name(key.kind), "' in list"));
      }
      *present = i >= 0 && static_cast<uint64_t>(i) < operand.list->size;
      if (*present && operand.list->raw && !key.is(Kind::kInt)) {
        return error(cat("unsupported index: ", shown(x_arena, key)));
      }
      if (*present) return item(x_arena, *operand.list, static_cast<size_t>(i));
      return test ? Val() : error(cat("index out of bounds: ", shown(x_arena, key)));
    }
    return test ? Val() : no_key(key);
  }
  Val no_key(const Val& key) { return error(cat("no such key: ", shown(x_arena, key))); }

  Val has(const Node& n) {
    Val operand = eval(n.kids[0]);
    if (operand.is_error()) return operand;
    if (operand.is(Kind::kOptional)) {
      if (!operand.inner) return Val::boolean(false);
      operand = *operand.inner;
    }
    bool present = false;
    const Val found = part(operand, Val::text(n.text), true, &present);
    return found.is_error() ? found : Val::boolean(present);
  }

  // ---- operators ----

  Val logic(const Node& n, bool decisive) {
    Val first_error;
    bool any_error = false;
    for (NodeId k : n.kids) {
      const Val v = eval(k);
      if (x_stopped) return error("");
      if (v.is(Kind::kBool)) {
        if (v.b == decisive) return v;
      } else if (!any_error) {
        first_error = v.is_error() ? v : no_overload();
        any_error = true;
      }
    }
    return any_error ? first_error : Val::boolean(!decisive);
  }

  Val equality(const Node& n) {
    const Val left = eval(n.kids[0]), right = eval(n.kids[1]);
    if (left.is_error()) return left;
    if (right.is_error()) return right;
    charge(price_of_equality(left, right));
    const Val same = equal(x_arena, left, right);
    if (n.op == Op::kEqual || same.is_error()) return n.op == Op::kEqual ? same : Val::boolean(true);
    return Val::boolean(!same.b);
  }

  Val list(const Node& n) {
    std::vector<Val> items;
    items.reserve(n.kids.size());
    bool constant = true;
    for (size_t i = 0; i < n.kids.size(); ++i) {
      Val v = eval(n.kids[i]);
      if (v.is_error()) return v;
      constant = constant && x_nodes[n.kids[i]].op == Op::kConst;
      if (n.optional[i]) {
        if (!v.is(Kind::kOptional)) {
          return error(cat("cannot initialize optional list element from non-optional value ", shown(x_arena, v)));
        }
        if (!v.inner) continue;
        v = *v.inner;
      }
      items.push_back(v);
    }
    if (!constant) charge(kListCost);
    return x_arena.list(items);
  }

  Val map(const Node& n) {
    auto* entries = x_arena.array<Map::Entry>(n.kids.size() / 2);
    Map out{.entries = entries};
    bool constant = true;
    for (size_t i = 0; i + 1 < n.kids.size(); i += 2) {
      const Val key = eval(n.kids[i]);
      if (key.is_error()) return key;
      Val v = eval(n.kids[i + 1]);
      if (v.is_error()) return v;
      constant = constant && x_nodes[n.kids[i]].op == Op::kConst && x_nodes[n.kids[i + 1]].op == Op::kConst;
      if (n.optional[i / 2]) {
        if (!v.is(Kind::kOptional)) {
          return error(cat("cannot initialize optional entry '", shown(x_arena, key), "' from non-optional value ",
                           shown(x_arena, v)));
        }
        if (!v.inner) continue;
        v = *v.inner;
      }
      auto* at = std::find_if(entries, entries + out.size,
                              [&](const Map::Entry& e) { return equal(x_arena, e.key, key).is_true(); });
      *at = {key, v};
      if (at == entries + out.size) ++out.size;
    }
    if (!constant) charge(kMapCost);
    return Val::of(x_arena.make(out));
  }

  // ---- calls ----

  Val call(const Node& n) {
    Val few[4];
    std::vector<Val> many;
    std::span<Val> args(few, std::min<size_t>(n.kids.size(), 4));
    if (n.kids.size() > 4) args = many = std::vector<Val>(n.kids.size());
    for (size_t i = 0; i < args.size(); ++i) {
      args[i] = eval(n.kids[i]);
      if (args[i].is_error()) return args[i];
    }
    const Overload* o = choose(n, args);
    if (!o) return unfit(n, args);
    const bool after = o->cost == Cost::kTwiceResult || o->cost == Cost::kNewList;
    if (!after) charge(price(o->cost, args, Val()));
    if (x_stopped) return error("");
    const Val out = n.regex ? regex_call(x_arena, n.text, *n.regex, args) : o->run(x_arena, args);
    if (after && !out.is_error()) charge(price(o->cost, args, out));
    return out;
  }

  // The overload the checker found, when the values are as it thought, or else any that fits them.
  const Overload* choose(const Node& n, std::span<const Val> args) {
    auto fitting = [&](const Overload& o) {
      if (o.parameters.size() != args.size()) return false;
      for (size_t i = 0; i < args.size(); ++i) {
        if (!fits(x_arena, args[i], o.parameters[i])) return false;
      }
      return true;
    };
    if (n.overload) return fitting(*n.overload) ? n.overload : nullptr;
    for (const Overload& o : n.function->overloads) {
      if (fitting(o)) return &o;
    }
    return nullptr;
  }

  // Operators say their name when their first operand knows no functions at all; most functions name
  // the types they were given.
  Val unfit(const Node& n, std::span<const Val> args) {
    const Function& f = *n.function;
    if (f.is_operator) {
      const Kind first = args[0].kind;
      const bool receives = first == Kind::kString || first == Kind::kDuration || first == Kind::kTimestamp;
      const bool always = receives || f.name == "@in" || f.name == "!_";
      const bool known = always || std::any_of(f.overloads.begin(), f.overloads.end(), [&](const Overload& o) {
        return fits(x_arena, args[0], o.parameters[0]);
      });
      return error(known ? "no such overload" : cat("no such overload: ", f.name));
    }
    for (std::string_view plain : {"contains", "startsWith", "endsWith", "matches", "find"}) {
      if (f.name == plain) return no_overload();
    }
    if (f.name == "flatten") return error(cat("no such overload: ", value_type_name(args[0].kind), ".flatten()"));
    std::string types;
    for (const Val& v : args) types += (types.empty() ? "" : ", ") + std::string(value_type_name(v.kind));
    return error(cat("no such overload: ", f.name, "(", types, ")"));
  }

  // ---- folds ----

  Val fold(const Node& n) {
    const Val range = eval(n.kids[0]);
    if (range.is_error()) return range;
    if (!range.is(Kind::kList) && !range.is(Kind::kMap)) {
      return error(n.text2.empty() ? cat("got '", go_name(range), "', expected iterable type")
                                   : cat("unsupported comprehension range type: ", go_name(range)));
    }
    const bool over_map = range.is(Kind::kMap), two = !n.text2.empty();
    const std::span<const Val> keys = over_map ? keys_of(x_arena, *range.map) : std::span<const Val>();
    const size_t size = over_map ? keys.size() : range.list->size;
    Folded state;
    for (size_t i = 0; i < size && !x_stopped; ++i) {
      Val& first = x_slots[n.slot];
      if (over_map) first = keys[i];
      else first = two ? Val::integer(static_cast<int64_t>(i)) : item(x_arena, *range.list, i);
      if (two) {
        Val& second = x_slots[n.slot + 1];
        if (!over_map) second = item(x_arena, *range.list, i);
        else if (!find(x_arena, *range.map, keys[i], &second)) second = no_key(keys[i]);
      }
      if (!step(n, state)) break;
    }
    return x_stopped ? error("") : finish(n, state);
  }

  struct Folded {
    std::vector<Val> items;
    std::vector<Map::Entry> entries;
    int64_t count = 0;
    Val error;  // the first one, when it is one
    bool decided = false;
  };

  // One element; false: the rest does not matter.
  bool step(const Node& n, Folded& state) {
    auto fail = [&](const Val& v) {
      if (!state.error.is_error()) state.error = v.is_error() ? v : no_overload();
    };
    const bool quantifier = n.fold == Fold::kAll || n.fold == Fold::kExists;
    if (quantifier) charge(n.fold == Fold::kAll ? 3 : 4);
    if (n.filtered) {
      const Val keep = eval(n.kids[1]);
      if (!keep.is(Kind::kBool)) return fail(keep), false;
      if (!keep.b) return true;
    }
    const Val v = eval(n.kids.back());
    if (quantifier) {
      if (!v.is(Kind::kBool)) return fail(v), true;
      state.decided = v.b == (n.fold == Fold::kExists);
      return !state.decided;
    }
    if (v.is_error()) return fail(v), false;
    switch (n.fold) {
      case Fold::kExistsOne:
      case Fold::kFilter:
        if (!v.is(Kind::kBool)) return fail(v), false;
        charge(v.b ? (n.fold == Fold::kFilter ? 13 : 2) : 0);
        if (!v.b) return true;
        ++state.count;
        if (n.fold == Fold::kFilter) state.items.push_back(x_slots[n.slot]);
        return true;
      case Fold::kMap:
        charge(2 + kListCost);
        state.items.push_back(v);
        return true;
      case Fold::kTransformMap:
        charge(3);
        state.entries.push_back({x_slots[n.slot], v});
        return true;
      default: return insert(v, state);
    }
  }

  bool insert(const Val& map, Folded& state) {
    if (!map.is(Kind::kMap)) return state.error = no_overload(), false;
    for (const Val& key : keys_of(x_arena, *map.map)) {
      charge(1 + state.entries.size());  // each key is compared with those before it
      if (x_stopped) return false;
      for (const Map::Entry& e : state.entries) {
        if (!equal(x_arena, e.key, key).is_true()) continue;
        state.error = error(cat("insert failed: key ", shown(x_arena, key), " already exists"));
        return false;
      }
      Map::Entry next{key, {}};
      if (find(x_arena, *map.map, key, &next.value)) state.entries.push_back(next);
    }
    return true;
  }

  Val finish(const Node& n, const Folded& state) {
    if (state.decided) return Val::boolean(n.fold == Fold::kExists);
    if (state.error.is_error()) return state.error;
    switch (n.fold) {
      case Fold::kAll: return Val::boolean(true);
      case Fold::kExists: return Val::boolean(false);
      case Fold::kExistsOne: charge(2); return Val::boolean(state.count == 1);
      case Fold::kMap:
      case Fold::kFilter: return x_arena.list(state.items);
      default: {
        auto* entries = x_arena.array<Map::Entry>(state.entries.size());
        std::copy(state.entries.begin(), state.entries.end(), entries);
        return Val::of(x_arena.make(Map{.entries = entries, .size = state.entries.size()}));
      }
    }
  }

  const std::vector<Node>& x_nodes;
  Arena& x_arena;
  std::vector<Val> x_slots;
  uint64_t x_cost = 0;
  bool x_stopped = false;
};

value::Value outcome(const Val& v) {
  switch (v.kind) {
    case Kind::kBool: return value::Value::boolean(v.b);
    case Kind::kInt: return value::Value::int64(v.i);
    case Kind::kUint: return value::Value::uint64(v.u);
    case Kind::kDouble: return value::Value::number(v.d);
    case Kind::kString: return value::str(v.view());
    default: return {};
  }
}

}  // namespace

Result<void> check_constant(const Program::Rep& rep, NodeId id) {
  Arena arena;
  Evaluator evaluator(rep, arena);
  const Val v = evaluator.run(id, {}, rep);
  if (v.is_error()) return Error(Code::kFailedPrecondition, std::string(v.view()));
  return {};
}

Result<value::Value> evaluate(const Program& program, const Bindings& bindings, Budget& budget) {
  Arena arena;
  arena.formats = bindings.formats;
  Evaluator evaluator(program.rep(), arena);
  const Val v = evaluator.run(program.rep().ast.root, bindings, program.rep());
  budget.left -= static_cast<int64_t>(evaluator.cost());
  if (evaluator.stopped()) return Error(Code::kResourceExhausted, "operation cancelled: actual cost limit exceeded");
  if (v.is_error()) return Error(std::string(v.view()));
  return outcome(v);
}

}  // namespace pintle::cel
