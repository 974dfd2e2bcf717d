// Slash-separated paths as Go's path and path/filepath treat them on Linux. Pure text; no disk.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::path {

std::string clean(std::string_view p);  // path.Clean: "" gives "."
std::string join(
    std::initializer_list<std::string_view> parts);  // path.Join: "" when all are empty
std::string_view base(std::string_view p);           // path.Base; "" gives ".", "/" gives "/"
std::string dir(std::string_view p);                 // path.Dir
std::string_view ext(std::string_view p);            // path.Ext, with the dot
inline bool is_abs(std::string_view p) { return !p.empty() && p[0] == '/'; }
// filepath.Abs with the working directory given.
std::string absolute(std::string_view p, std::string_view working_dir);

// filepath.Match: * ? [a-z] [^x] \x; '*' and '?' stop at '/'. Error: "syntax error in pattern".
// Found only where matching reaches the fault, as in Go.
Result<bool> match(std::string_view pattern, std::string_view name);

}  // namespace pintle::path
