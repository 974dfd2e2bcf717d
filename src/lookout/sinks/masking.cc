#include "lookout/sinks/masking.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

using value::Value;

constexpr size_t kShortestSecret = 6;
constexpr size_t kLongWord = 20;

Value read_object(std::string_view options) {
  auto read = json::read(options, {json::Numbers::kExact});
  return read && read->is_map() && read->as_map() != nullptr ? std::move(*read) : Value();
}

std::string write(const Value& v) {
  auto text = json::write(v, {.escape_html = false});
  return text ? *text : "{}";
}

// The URL's start with its host, and what is behind it.
std::pair<std::string_view, std::string_view> parts_of(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == url.npos) return {"", url};
  const size_t end = url.find_first_of("/?#", scheme + 3);
  return end == url.npos ? std::pair(url, std::string_view())
                         : std::pair(url.substr(0, end), url.substr(end));
}

// What a URL is made of may be a plain word, or a token.
bool may_be_token(std::string_view word) {
  const bool odd = std::any_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  });
  return word.size() >= kLongWord || (word.size() >= kShortestSecret && odd);
}

template <typename F>
Value each(const Value& map, F change) {
  value::MapBuilder out;
  for (const auto& [name, v] : *map.as_map()) out.add(name, change(name.view(), v));
  return Value::map(out.finish());
}

Error wrong(std::string_view key, std::string_view why) {
  return Error(Code::kInvalidArgument, cat(key, ": ", why));
}

}  // namespace

std::string masked_url(std::string_view url) {
  const auto [host, rest] = parts_of(url);
  if (rest.empty() || rest == "/") return std::string(url);
  return host.empty() ? std::string(kMasked) : cat(host, "/", kMasked);
}

std::string masked_options(std::string_view options) {
  const Value read = read_object(options);
  if (!read.is_map()) return "{}";
  return write(each(read, [](std::string_view name, const Value& v) -> Value {
    if (name == "url" && v.is_string()) return value::str(masked_url(v.as_string()));
    if (name == "key" && v.is_string() && !v.as_string().empty()) return value::str(kMasked);
    if (name == "headers" && v.is_map() && v.as_map() != nullptr) {
      return each(v, [](std::string_view, const Value&) { return value::str(kMasked); });
    }
    return v;
  }));
}

Result<std::string> unmasked_options(std::string_view given, std::string_view before) {
  const Value now = read_object(given), old = read_object(before);
  if (!now.is_map()) return std::string(given);  // whoever reads it next says what is wrong
  const std::string_view new_url = text_at(now, {"url"}), old_url = text_at(old, {"url"});
  const bool same_host = parts_of(new_url).first == parts_of(old_url).first;
  if (new_url.ends_with(cat("/", kMasked)) && new_url != masked_url(old_url)) {
    return wrong("url", "is masked, and is not the one before: send the whole");
  }
  Status fine = ok();
  // A value that is masked stands for the one before, at the same host.
  const auto kept = [&](std::string_view key, const Value& v, const Value* was) -> Value {
    if (!v.is_string() || v.as_string() != kMasked) return v;
    if (was != nullptr && same_host) return *was;
    fine = wrong(key, was == nullptr ? "is masked, and there was none before"
                                     : "is masked: send it whole to another host");
    return v;
  };
  const Value* old_headers = value_at(old, {"headers"});
  const Value out = each(now, [&](std::string_view name, const Value& v) -> Value {
    if (name == "url" && new_url == masked_url(old_url)) return *value_at(old, {"url"});
    if (name == "key") return kept(name, v, value_at(old, {"key"}));
    if (name == "headers" && v.is_map() && v.as_map() != nullptr) {
      return each(v, [&](std::string_view header, const Value& text) {
        return kept(cat("headers: ", header), text,
                    old_headers != nullptr ? old_headers->get(header) : nullptr);
      });
    }
    return v;
  });
  TRY(std::move(fine));
  return write(out);
}

std::vector<std::string> secrets_in(std::string_view options, std::string_view secret) {
  std::vector<std::string> out;
  const auto words = [&](std::string_view text, std::string_view between, bool all) {
    while (!text.empty()) {
      const size_t end = text.find_first_of(between);
      const std::string_view word = text.substr(0, end);
      const bool counts = word.size() >= kShortestSecret && word.find("://") == word.npos;
      if (counts && (all || may_be_token(word))) out.emplace_back(word);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  };
  words(secret, " \t\r\n,;?&=", true);
  const Value read = read_object(options);
  const std::string_view behind = parts_of(text_at(read, {"url"})).second;
  const size_t query = std::min(behind.find('?'), behind.size());
  words(behind.substr(0, query), "/", false);
  words(behind.substr(query), "?&=#", false);
  for (const auto& [name, value] : texts_at(read, {"headers"})) words(value, " \t,;", true);
  if (const auto key = text_at(read, {"key"}); !key.empty()) out.emplace_back(key);
  // The longest first: one may be a part of another.
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return out;
}

std::string without_secrets(std::string text, std::string_view options, std::string_view secret) {
  for (const std::string& word : secrets_in(options, secret)) {
    text = replace_all(text, word, kMasked);
  }
  return text;
}

}  // namespace pintle::lookout
