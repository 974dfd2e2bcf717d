// The rules of keywords.h, applied: could a metaschema object to this value?
#pragma once

#include "schema/keywords.h"
#include "schema/regex_cache.h"
#include "value/value.h"

namespace pintle::schema {

// True when `v`, the value of a keyword in `parent`, surely satisfies the rule. Subschemas in it
// are only looked at from outside (object or boolean); the caller walks them.
bool surely_valid(const value::Value& v, Rule rule, Draft draft, const value::Value& parent,
                  RegexCache& regexes);

}  // namespace pintle::schema
