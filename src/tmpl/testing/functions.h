// A few functions for this room's tests, fuzzer and benchmark: enough to stand for Sprig and Helm.
#pragma once

#include <span>

#include "value/func.h"

namespace pintle::tmpl {

// add dict fail include indent int list need_int nindent set tpl upper
std::span<const value::FuncDef> testing_functions();

}  // namespace pintle::tmpl
