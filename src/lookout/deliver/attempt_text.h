// What an attempt may keep of an answer or an error: clean, short, without the subscription's
// secrets. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/http.h"
#include "lookout/deliver/guard.h"
#include "lookout/store.h"

namespace pintle::lookout {

// Status line, headers and the body's start: at most 4 KiB.
std::string response_text(const http::Response& response, const Subscription& s);
// "198.51.100.7 port 443": who answered, or else whoever would have been asked.
std::string peer_text(const Target& target, const std::string& answered_from);
// An error's text without the URL, which may hold a token.
std::string error_text(const Error& error, const http::Request& request, const Subscription& s);
// What a sink found wrong.
std::string reason_text(std::string why, const Subscription& s);

}  // namespace pintle::lookout
