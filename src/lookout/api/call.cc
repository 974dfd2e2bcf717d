#include "lookout/api/call.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/strings.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kUsualRows = 100, kMostRows = 1000;

// Null: it is removed.
Status write_setting(Backend& b, const Call& c, std::string_view kind, std::string_view name,
                     const Setting* to) {
  return to != nullptr ? b.store.put_setting(*to, c.by) : b.store.remove_setting(kind, name, c.by);
}

Status change_setting(Backend& b, const Call& c, std::string_view kind, std::string_view name,
                      const Setting* to) {
  std::optional<Setting> before;
  for (Setting& s : TRY(b.store.settings())) {
    if (s.kind == kind && s.name == name) before = std::move(s);
  }
  TRY(write_setting(b, c, kind, name, to));
  Status taken = b.hooks.changed(kind == kRegionSetting ? name : "");
  if (taken) return taken;
  const Status undone = write_setting(b, c, kind, name, before ? &*before : nullptr);
  if (undone) return taken;
  return Error(cat(taken.error().text(), "; it is stored all the same: ", undone.error().text()),
               taken.error().code());
}

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

Status take_setting(Backend& b, const Call& c, const Setting& made) {
  return change_setting(b, c, made.kind, made.name, &made);
}

Result<Answer> remove_setting(Backend& b, const Call& c, std::string_view kind,
                              std::string_view name) {
  TRY(change_setting(b, c, kind, name, nullptr));
  return Answer{};
}

}  // namespace pintle::lookout
