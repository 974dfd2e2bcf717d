// The escapes behind html, js and urlquery (text/template/funcs.go, net/url). Pure.
#pragma once

#include <string>
#include <string_view>

namespace pintle::tmpl {

std::string html_escape(std::string_view s);
std::string js_escape(std::string_view s);

}  // namespace pintle::tmpl
