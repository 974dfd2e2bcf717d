// The families of functions, one file each; table.cc joins them. Inside this room only.
#pragma once

#include <span>

#include "value/func.h"

namespace pintle::funcs {

using Family = std::span<const value::FuncDef>;

Family crypto_family();      // crypto.cc: hashes, certificates, keys, passwords, random, uuid
Family date_family();        // date.cc: now, date, duration ...
Family dict_family();        // dict.cc: dict, get, set, merge, dig ...
Family encoding_family();    // encoding.cc: toYaml, fromJson, toToml ...
Family helm_family();        // helm.cc: include, tpl, required, fail, lookup, getHostByName
Family list_family();        // list.cc
Family logic_family();       // logic.cc: default, coalesce, ternary, typeOf, deepCopy ...
Family math_family();        // math.cc
Family path_family();        // path.cc: base, dir, urlParse ...
Family regex_family();       // regex.cc
Family semver_family();      // semver.cc
Family string_family();      // strings.cc

}  // namespace pintle::funcs
