#include "lookout/audit.h"

#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/masking.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostText = 2000;

std::string cut(const std::string& json) {
  if (json.size() <= kMostText) return json;
  return json::quoted(cut_text(json, kMostText));
}

}  // namespace

std::map<std::string, std::string> members_of(std::string_view json) {
  std::map<std::string, std::string> out;
  const auto read = json::read(json, {json::Numbers::kExact});
  if (!read || !read->is_map() || read->as_map() == nullptr) return out;
  for (const auto& [name, v] : *read->as_map()) {
    if (auto text = json::write(v, {.escape_html = false})) out.emplace(name.view(), std::move(*text));
  }
  return out;
}

std::optional<AuditChange> change_of(std::string_view kind, std::string_view name,
                                     const AuditPiece& before, const AuditPiece& after) {
  const auto was = members_of(before.whole), is = members_of(after.whole);
  const auto was_shown = members_of(before.shown), is_shown = members_of(after.shown);
  std::set<std::string> names;
  for (const auto* members : {&was, &is}) {
    for (const auto& [member, text] : *members) names.insert(member);
  }
  std::string fields = "[";
  for (const std::string& member : names) {
    const auto old = was.find(member), fresh = is.find(member);
    if (old != was.end() && fresh != is.end() && old->second == fresh->second) continue;
    Data field;
    field.text("field", member);
    const auto show = [&](std::string_view when, const auto& shown) {
      if (const auto it = shown.find(member); it != shown.end()) field.raw(when, cut(it->second));
    };
    show("before", was_shown);
    show("after", is_shown);
    append(fields, {fields.size() > 1 ? "," : "", field.take()});
  }
  const bool added = before.whole.empty(), removed = after.whole.empty();
  if (fields.size() == 1 && !added && !removed) return std::nullopt;
  return AuditChange{std::string(kind), std::string(name),
                     added     ? "added"
                     : removed ? "removed"
                               : "changed",
                     fields + "]"};
}

std::string hidden_members(std::string_view json) {
  Data out;
  for (const auto& [member, text] : members_of(json)) {
    if (member == "name") {
      out.raw(member, text);
    } else {
      out.text(member, kMasked);
    }
  }
  return out.take();
}

}  // namespace pintle::lookout
