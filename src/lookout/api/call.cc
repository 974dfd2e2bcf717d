#include "lookout/api/call.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kUsualRows = 100, kMostRows = 1000;

}  // namespace

std::string Call::text(std::string_view name) const {
  const std::string* found = httpd::find(query, name);
  return found == nullptr ? "" : *found;
}

int64_t Call::number(std::string_view name) const {
  const std::string found = text(name);
  int64_t out = 0;
  std::from_chars(found.data(), found.data() + found.size(), out);
  return out;
}

bool Call::flag(std::string_view name) const {
  const std::string* found = httpd::find(query, name);
  return found != nullptr && *found != "false" && *found != "0";
}

int Call::limit() const {
  const int64_t asked = httpd::find(query, "limit") == nullptr ? kUsualRows : number("limit");
  return static_cast<int>(std::clamp<int64_t>(asked, 1, kMostRows));
}

Result<int64_t> id_of(const Call& c, size_t n) {
  const std::string& text = c.names.at(n);
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0) {
    return Error("the path's id: want a number", Code::kInvalidArgument);
  }
  return out;
}

Result<Answer> remove_setting(Backend& b, const Call& c, std::string_view kind,
                              std::string_view name) {
  TRY(b.store.remove_setting(kind, name, c.by));
  TRY(b.hooks.changed());
  return Answer{};
}

}  // namespace pintle::lookout
