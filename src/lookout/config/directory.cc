#include "lookout/config/directory.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/config/pieces.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/masking.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kGoodName =
    "want letters, digits, '-', '_' and '.', a letter or digit first";
constexpr size_t kMostNames = 1000;

struct Contact {
  std::string_view key;
  std::string Person::*member;
  bool (*fine)(std::string_view);
  std::string_view want;
};

bool is_userid(std::string_view text) {
  return text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < 0x7f && c != '<' && c != '>' && c != '"' && c != ',';
         });
}

constexpr Contact kContacts[] = {
    {"mail", &Person::mail, is_mailbox, "want an address"},
    {"dingtalk", &Person::dingtalk, is_mobile, "want a mobile number"},
    {"feishu", &Person::feishu, is_feishu_id, "want an open_id: ou_..."},
    {"wecom", &Person::wecom, is_userid, "want a userid, or a mobile number"},
    {"slack", &Person::slack, is_slack_id, "want a member id: U..."},
};

std::string time_or_none(int64_t ms) { return ms == 0 ? "" : time_text(ms); }

std::string_view source_of(bool of_api) { return of_api ? "api" : "config"; }

}  // namespace

Status read_person(Section& s, Person& p) {
  s.skip("source");
  s.text("name", p.name);
  s.texts("aliases", p.aliases);
  for (const Contact& c : kContacts) {
    std::string given = p.*c.member;
    s.text(c.key, given);
    if (given != kMasked) p.*c.member = std::move(given);
  }
  s.want(good_name(p.name), "name", kGoodName);
  s.want(p.aliases.size() <= kMostNames, "aliases", "these are too many");
  for (const Contact& c : kContacts) {
    const std::string& contact = p.*c.member;
    s.want(contact.empty() || c.fine(contact), c.key, c.want);
  }
  return s.end();
}

Status read_owners(Section& s, Owners& o) {
  s.skip("source");
  s.text("name", o.name);
  s.texts("types", o.match.types);
  s.texts("regions", o.match.regions);
  s.texts("namespaces", o.match.namespaces);
  s.texts("releases", o.match.releases);
  s.texts("kinds", o.match.kinds);
  s.labels("labels", o.match.labels);
  s.text("selector", o.match.selector);
  s.texts("people", o.people);
  s.text("channel", o.channel);
  s.want(good_name(o.name), "name", kGoodName);
  s.want(!o.people.empty() || !o.channel.empty(), "people", "want some, or a channel");
  s.want(o.people.size() <= kMostNames, "people", "these are too many");
  if (const Status fine = compile(o.match); !fine) {
    s.want(false, "selector", without_prefix(fine.error().text(), "selector: "));
  }
  return s.end();
}

Status read_oncall(Section& s, OnCall& o) {
  s.skip("source");
  s.text("name", o.name);
  s.text("duty", o.duty);
  s.texts("people", o.people);
  s.time("since", o.since_ms);
  s.duration("turn", o.turn_ms);
  s.time("from", o.from_ms);
  s.time("to", o.to_ms);
  s.want(good_name(o.name), "name", kGoodName);
  s.want(o.duty.empty() || good_name(o.duty), "duty", kGoodName);
  s.want(!o.people.empty(), "people", "want some");
  s.want(o.people.size() <= kMostNames, "people", "these are too many");
  s.want(o.turn_ms == 0 || o.since_ms != 0, "since", "want when the first turn began");
  s.want(o.turn_ms == 0 || o.turn_ms >= 60'000, "turn", "want 1m at least");
  s.want(o.to_ms == 0 || o.to_ms > o.from_ms, "to", "want a time after from");
  return s.end();
}

std::string person_json(const Person& p, bool with_contacts) {
  Data out;
  out.text("name", p.name).text("source", source_of(p.of_api)).raw("aliases", json_list(p.aliases));
  for (const Contact& c : kContacts) {
    const std::string& contact = p.*c.member;
    out.text(c.key, with_contacts || contact.empty() ? std::string_view(contact) : kMasked);
  }
  return out.take();
}

std::string owners_json(const Owners& o) {
  return Data()
      .text("name", o.name)
      .text("source", source_of(o.of_api))
      .raw("types", json_list(o.match.types))
      .raw("regions", json_list(o.match.regions))
      .raw("namespaces", json_list(o.match.namespaces))
      .raw("releases", json_list(o.match.releases))
      .raw("kinds", json_list(o.match.kinds))
      .raw("labels", json_map(o.match.labels))
      .text("selector", o.match.selector)
      .raw("people", json_list(o.people))
      .text("channel", o.channel)
      .take();
}

std::string oncall_json(const OnCall& o) {
  return Data()
      .text("name", o.name)
      .text("source", source_of(o.of_api))
      .text("duty", o.duty)
      .raw("people", json_list(o.people))
      .text("since", time_or_none(o.since_ms))
      .text("turn", o.turn_ms == 0 ? "" : duration_text(o.turn_ms))
      .text("from", time_or_none(o.from_ms))
      .text("to", time_or_none(o.to_ms))
      .take();
}

}  // namespace pintle::lookout
