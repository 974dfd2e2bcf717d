// The words of an HTTP status, as Go's http.StatusText has them.
#pragma once

#include <string_view>

namespace pintle::http {

// "Not Found" of 404; "" when unknown.
std::string_view status_text(int status);

}  // namespace pintle::http
