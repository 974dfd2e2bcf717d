#include "lookout/deliver/recipients.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr size_t kToldLimit = 2 << 10;

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

// The options with one of them set to another value.
std::string with_option(const value::Value& options, std::string_view name, value::Value to) {
  value::MapBuilder out;
  for (const auto& [key, v] : *options.as_map()) out.add(key, v);
  out.add(value::Str(name), std::move(to));
  auto text = json::write(value::Value::map(out.finish()), {.escape_html = false});
  return text ? *text : "{}";
}

value::Value read_options(const Subscription& s) {
  auto read = json::read(s.options, {json::Numbers::kExact});
  return read && read->is_map() && read->as_map() != nullptr ? std::move(*read) : value::Value();
}

const ContactKind* contacts_of(const Subscription& s) {
  const SinkKind* sink = s.manner.whom.empty() ? nullptr : find_sink(s.sink_kind);
  return sink == nullptr ? nullptr : sink->contacts;
}

}  // namespace

void find_recipients(Claimed& claimed, const Directory& directory, int64_t now_ms) {
  Subscription& s = claimed.subscription;
  const ContactKind* known = contacts_of(s);
  const value::Value options = read_options(s);
  if (known == nullptr || !options.is_map()) return;
  ContactKind kind = *known;
  // Who posts to one place only has no channel to choose.
  kind.channels = kind.channels && !text_at(options, {"channel"}).empty();
  const std::string_view from = text_at(options, {"from"});
  const std::string home(from.substr(std::min(from.find('@'), from.size() - 1) + 1));
  claimed.to = resolve(directory, s.manner, kind, claimed.event, home, now_ms);
  if (!claimed.to.channel.empty()) {
    s.options = with_option(options, "channel", value::str(claimed.to.channel));
  }
}

std::vector<Claimed> addressed(std::span<const Claimed> events) {
  std::vector<Claimed> out(events.begin(), events.end());
  Subscription& to = out[0].subscription;
  const ContactKind* kind = contacts_of(to);
  const value::Value options = read_options(to);
  if (kind == nullptr || !options.is_map()) return out;
  std::vector<std::string> all;
  bool fixed = false;
  for (const Claimed& c : events) {
    for (const std::string& contact : c.to.contacts) add_once(all, contact);
    fixed = fixed || c.to.fixed;
  }
  if (const value::Value* own = options.get(kind->option); fixed && own != nullptr && own->is_list()) {
    for (const value::Value& contact : own->items()) {
      if (contact.is_string()) add_once(all, std::string(contact.as_string()));
    }
  }
  std::vector<value::Value> list;
  for (const std::string& contact : all) list.push_back(value::str(contact));
  to.options = with_option(options, kind->option, value::Value::list_of(std::move(list)));
  return out;
}

std::string told_text(std::span<const Claimed> events) {
  std::vector<std::string> all;
  for (const Claimed& c : events) {
    if (!c.to.story.empty()) add_once(all, c.to.story);
  }
  return clean_text(join(all, "\n"), kToldLimit);
}

}  // namespace pintle::lookout
