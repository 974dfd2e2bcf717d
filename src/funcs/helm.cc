// Helm's own functions: include, tpl, required, fail, lookup, getHostByName, and the seam to the
// world (Env) that the impure families share. Behaviour: Helm 4.3.1 pkg/engine/engine.go.
#include <algorithm>

#include "base/gotext.h"
#include "base/printable.h"
#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/funcs.h"
#include "tmpl/tmpl.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Str;
using value::Value;

namespace {

constexpr size_t kMaxNesting = 1000;  // of includes of one name

// The includes under way on this thread, innermost last. Only when there are more than kMaxNesting
// in all can one name be nested too deeply, so a name is counted only then.
thread_local std::vector<Str> including;

class Including {
 public:
  explicit Including(Str name) { including.push_back(std::move(name)); }
  ~Including() { including.pop_back(); }
  Including(const Including&) = delete;
  Including& operator=(const Including&) = delete;
};

tmpl::Vm* machine(Call& c) { return static_cast<tmpl::Vm*>(c.machine); }

bool include(Call& c) {
  if (c.machine == nullptr) return c.give(value::str("not implemented"));
  // The machine's stack, where the arguments lie, may move while the template runs.
  Str name = c[0].str();
  Value data = c[1];
  if (including.size() > kMaxNesting &&
      std::count(including.begin(), including.end(), name) >
          static_cast<ptrdiff_t>(kMaxNesting)) {
    return c.fail(Error::with_cause(cat("rendering template has a nested reference name: ",
                                        name.view(), ": unable to execute template"),
                                    Error("unable to execute template")));
  }
  Including nested(name);
  Result<Value> out = machine(c)->include(name.view(), data);
  if (!out) return c.fail(out.error());
  return c.give(std::move(*out));
}

// Fills "<no value>" holes with nothing, as the engine does with a whole file.
Value without_no_value(const std::string& s) {
  constexpr std::string_view kNoValue = "<no value>";
  if (s.find(kNoValue) == s.npos) return value::str(s);
  return value::str(replace_all(s, kNoValue, ""));
}

bool tpl(Call& c) {
  if (c.machine == nullptr) return c.give(value::str("not implemented"));
  Str text = c[0].str();
  Value data = c[1];
  std::string out;
  Status ran = machine(c)->run_text(text.view(), data, out);
  if (ran) return c.give(without_no_value(out));
  const Error& error = ran.error();
  if (error.find<tmpl::LimitReached>() != nullptr) return c.fail(error);
  auto* where = error.find<tmpl::Location>();
  bool parsing = where != nullptr && where->stage == tmpl::Location::Stage::kParse;
  return c.fail(Error::with_cause(
      cat(parsing ? "cannot parse template " : "error during tpl function execution for ",
          quote(shortened(text.view())), ": ", error.text()),
      error));
}

bool wrapped_failure(Call& c, std::string_view message) {
  return c.fail(cat(kErrStart, shortened(message), kErrEnd));
}

bool required(Call& c) {
  const Value& v = c[1];
  bool missing = v.is_nil();
  if (!missing && !(v.is_string() && v.str().empty())) return c.give(v);
  if (!env(c).lint) return wrapped_failure(c, c[0].as_string());
  env(c).log("WARN", missing ? "missing required value" : "missing required values",
             {{"message", std::string(c[0].as_string())}});
  return c.give(value::str(""));
}

bool fail(Call& c) {
  if (!env(c).lint) return wrapped_failure(c, c[0].as_string());
  env(c).log("INFO", "funcMap fail", {{"message", std::string(c[0].as_string())}});
  return c.give(value::str(""));
}

bool lookup(Call& c) {
  const Env& world = env(c);
  if (world.lint || !world.lookup) return c.give(Value::map(value::make_map()));
  Result<Value> found = Value();
  const auto look = [&] {
    found = world.lookup(c[0].as_string(), c[1].as_string(), c[2].as_string(), c[3].as_string());
  };
  c.machine != nullptr ? machine(c)->bring_in(look) : look();
  if (!found) return c.fail(found.error());
  return c.give(std::move(*found));
}

bool get_host_by_name(Call& c) {
  const Env& world = env(c);
  if (!world.resolve_host) return c.give(value::str(""));
  return c.give(value::str(world.resolve_host(c[0].as_string())));
}

constexpr FuncDef kRows[] = {
    {"fail", "s", fail},       {"getHostByName", "s", get_host_by_name},
    {"include", "sv", include}, {"lookup", "ssss", lookup},
    {"required", "sv", required}, {"tpl", "sv", tpl},
};

}  // namespace

Family helm_family() { return kRows; }

const Env& env(const Call& call) {
  static const Env kDefault;
  if (call.machine == nullptr) return kDefault;
  void* user = static_cast<tmpl::Vm*>(call.machine)->user();
  return user ? *static_cast<const Env*>(user) : kDefault;
}

}  // namespace pintle::funcs
