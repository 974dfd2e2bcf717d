// The functions templates can call: Sprig 3.3.0 and Helm 4.3.1's own, 233 names with text/template's
// builtins (which live in tmpl). One file per family, one sorted table.
// Pure except where a row's family says so: random, time, DNS and lookup go through Env.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "funcs/yaml_texts.h"
#include "value/func.h"
#include "value/value.h"

namespace pintle::funcs {

// Every function, sorted by name. Built at first use; thread-safe.
std::span<const value::FuncDef> table();

// The world behind impure functions. Put it in Vm::set_user; without one the defaults below hold.
struct Env {
  bool lint = false;  // required gives "", fail gives ""
  // lookup: empty means "no cluster": an empty map.
  std::function<Result<value::Value>(std::string_view api_version, std::string_view kind,
                                     std::string_view ns, std::string_view name)>
      lookup;
  // getHostByName: empty means DNS is off: "".
  std::function<std::string(std::string_view host)> resolve_host;
  // now(): unix nanoseconds; empty: the system clock.
  std::function<int64_t()> now_ns;
  Log log;  // what required and fail say under lint
  YamlTexts* yaml_texts = nullptr;  // of this rendering; null: nothing is kept
};
// The Env of the running template, or the default one.
const Env& env(const value::Call& call);

// required and fail wrap their message in these; render finds them in the error text.
inline constexpr std::string_view kErrStart = "HELM_ERR_START";
inline constexpr std::string_view kErrEnd = "HELM_ERR_END";

}  // namespace pintle::funcs
