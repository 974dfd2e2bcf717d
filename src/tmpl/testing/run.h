// One text executed as template "t", with the testing functions. For this room's tests.
#pragma once

#include <string>
#include <string_view>

#include "tmpl/tmpl.h"

namespace pintle::tmpl {

// The output, or "ERR " and the error's text.
std::string run(std::string_view text, const value::Value& data = {}, Options options = {});

// {a: 1.0, m: {k: v, n: null}, l: [1.0, two, null], s: str, i: 7 (int), q: [p, o] ([]string)}
value::Value sample();

}  // namespace pintle::tmpl
