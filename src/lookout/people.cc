#include "lookout/people.h"

#include <algorithm>
#include <map>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr size_t kStoryLimit = 1 << 10;

bool equal_fold(std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != ',' && c != '\t' && c != '\n' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, ""));
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

class Finder {
 public:
  Finder(const Directory& directory, const ContactKind& kind, const StoredEvent& event,
         std::string_view home, int64_t now_ms)
      : directory_(directory), kind_(kind), event_(event), home_(home), now_ms_(now_ms) {}

  // `ours`: the word stands in the configuration; else a cluster has said it.
  void word(std::string_view word, bool ours) {
    if (word == "trigger") return trigger();
    if (word == "owners") return owners();
    if (word == "oncall") return oncall("");
    if (word.starts_with("oncall:")) return oncall(word.substr(7));
    begin(word);
    add(word, ours);
  }
  void nothing(std::string_view text, std::string_view why) {
    begin(text);
    miss(why);
  }
  bool missed() const { return missed_; }
  Recipients take() { return std::move(out_); }

 private:
  void trigger() {
    begin("trigger");
    const auto data = json::read(event_.event.data);
    const std::string who(data ? text_at(*data, {"who"}) : "");
    if (who.empty()) return miss("the event does not say who");
    add(who, false);
  }
  void owners() {
    begin("owners");
    for (const Owners& o : directory_.owners) {
      if (!matches(o.match, event_.event, event_.region, "")) continue;
      append(out_.story, {"(", o.name, ") "});
      for (const std::string& name : o.people) add(name, true);
      if (kind_.channels && !o.channel.empty()) {
        if (out_.channel.empty()) out_.channel = o.channel;
        tell(o.channel);
      }
      return;
    }
    miss("it has none");
  }
  void oncall(std::string_view duty) {
    begin(duty.empty() ? "oncall" : cat("oncall:", duty));
    std::map<std::string_view, const OnCall*> on;  // by duty
    for (const OnCall& o : directory_.oncall) {
      const std::string_view its = o.duty.empty() ? o.name : o.duty;
      const bool in_force = o.from_ms <= now_ms_ && (o.to_ms == 0 || now_ms_ < o.to_ms);
      if (!in_force || (!duty.empty() && its != duty)) continue;
      const OnCall*& has = on[its];
      if (has == nullptr || (is_limited(o) && !is_limited(*has))) has = &o;
    }
    for (const auto& [its, o] : on) {
      for (const std::string& person : on_duty(*o, now_ms_)) add(person, true);
    }
    if (on.empty()) miss("nobody is on duty now");
  }
  static bool is_limited(const OnCall& o) { return o.from_ms != 0 || o.to_ms != 0; }

  void add(std::string_view word, bool ours) {
    if (const Person* p = find_person(directory_, word)) {
      const std::string& contact = p->*kind_.member;
      if (contact.empty()) return miss(cat(p->name, " has no ", kind_.name));
      return put(p->name, contact);
    }
    if (!kind_.is_one(word)) return miss(cat("nobody is known as ", word));
    const bool abroad = kind_.member == &Person::mail && !ours &&
                        (home_.empty() || !equal_fold(word.substr(word.find('@') + 1), home_));
    if (abroad) return miss(cat(word, " is nobody's, and of another domain"));
    put("", word);
  }
  void put(std::string_view name, std::string_view contact) {
    tell(name.empty() ? std::string(contact) : cat(name, " <", contact, ">"));
    auto& all = out_.contacts;
    if (all.size() < kMostContacts && std::find(all.begin(), all.end(), contact) == all.end()) {
      all.emplace_back(contact);
    }
  }

  void begin(std::string_view word) {
    append(out_.story, {out_.story.empty() ? "" : "; ", word, ": "});
    first_ = true;
  }
  void tell(std::string_view what) {
    append(out_.story, {first_ ? "" : ", ", what});
    first_ = false;
  }
  void miss(std::string_view why) {
    tell(why);
    missed_ = true;
  }

  const Directory& directory_;
  const ContactKind& kind_;
  const StoredEvent& event_;
  const std::string_view home_;
  const int64_t now_ms_;
  Recipients out_;
  bool first_ = true, missed_ = false;
};

bool all_of_text(std::string_view text, bool (*fine)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), fine);
}

}  // namespace

const Person* find_person(const Directory& directory, std::string_view name) {
  const auto it = std::find_if(
      directory.people.begin(), directory.people.end(), [&](const Person& p) {
        return equal_fold(p.name, name) || (!p.mail.empty() && equal_fold(p.mail, name)) ||
               std::any_of(p.aliases.begin(), p.aliases.end(),
                           [&](const std::string& a) { return equal_fold(a, name); });
      });
  return it == directory.people.end() ? nullptr : &*it;
}

std::vector<std::string> on_duty(const OnCall& schedule, int64_t now_ms) {
  if (schedule.turn_ms <= 0 || schedule.people.empty()) return schedule.people;
  const auto n = static_cast<int64_t>(schedule.people.size());
  const int64_t passed = now_ms - schedule.since_ms;
  if (passed < 0) return {schedule.people[0]};
  return {schedule.people[static_cast<size_t>(passed / schedule.turn_ms % n)]};
}

Recipients resolve(const Directory& directory, const Manner& manner, const ContactKind& kind,
                   const StoredEvent& event, std::string_view home, int64_t now_ms) {
  Finder finder(directory, kind, event, home, now_ms);
  for (const std::string& text : manner.whom) {
    const bool ours = text.find("{{") == std::string::npos;
    const auto rendered = ours ? Result<std::string>(text) : render_template(text, event);
    if (!rendered) {
      finder.nothing(text, rendered.error().text());
      continue;
    }
    const auto words = words_of(*rendered);
    if (words.empty()) finder.nothing(text, "says nothing");
    for (const std::string& word : words) finder.word(word, ours);
  }
  const bool missed = finder.missed();
  Recipients out = finder.take();
  const bool nobody = out.contacts.empty() && out.channel.empty();
  out.fixed = nobody || manner.fall_back == FallBack::kAlways ||
              (missed && manner.fall_back == FallBack::kUnknown);
  if (out.fixed) out.story += nobody ? "; so the sink's own list" : "; and the sink's own list";
  out.story = clean_text(out.story, kStoryLimit);
  return out;
}

bool is_mailbox(std::string_view address) {
  const size_t at = address.find('@');
  return at != address.npos && at > 0 && at + 1 < address.size() && address.size() <= 254 &&
         address.find('@', at + 1) == address.npos &&
         std::all_of(address.begin(), address.end(), [](char c) {
           return c > ' ' && c < 0x7f && c != '<' && c != '>' && c != ',' && c != '"' && c != '\\' &&
                  c != ';' && c != ':' && c != '(' && c != ')';
         });
}

bool is_mobile(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return text.size() >= 5 && text.size() <= 20 &&
         all_of_text(text, [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

bool is_feishu_id(std::string_view text) {
  return (text.starts_with("ou_") || text.starts_with("on_")) && text.size() <= 128 &&
         all_of_text(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '_' || c == '-';
         });
}

bool is_slack_id(std::string_view text) {
  return (text.starts_with('U') || text.starts_with('W')) && text.size() >= 8 &&
         text.size() <= 32 && all_of_text(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

}  // namespace pintle::lookout
