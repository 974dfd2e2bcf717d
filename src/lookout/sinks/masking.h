// Masking: what of a sink's options is secret, and how it is shown. Behind the host of a URL may be
// a token (all robots have it there), so path and query are; the values of headers; the key of a
// client's certificate. Shown they are "***". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::lookout {

inline constexpr std::string_view kMasked = "***";

// Options as anybody may see them; "{}" for what is no JSON object. Masking twice changes nothing.
std::string masked_options(std::string_view options);
// "https://host:port/***"; as it is when there is nothing behind the host.
std::string masked_url(std::string_view url);

// Options as they were given, what is masked in them taken from those before. Errors name the key:
// masked, and nothing was there before; or another host is to get what only the one before had.
Result<std::string> unmasked_options(std::string_view given, std::string_view before);

// What must not stand in a log or an attempt: the secret's words, and what is masked above.
std::vector<std::string> secrets_in(std::string_view options, std::string_view secret);
std::string without_secrets(std::string text, std::string_view options, std::string_view secret);

}  // namespace pintle::lookout
