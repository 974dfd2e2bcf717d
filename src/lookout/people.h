// People: whom a message concerns, found when it is sent: who set a change off, who owns what it
// happened to, who is on call. Plain data, one function. Pure; thread-safe.
//
// A subscription's `whom` is a list of texts; each is rendered as a template over the event, and
// each word of what comes out (between blanks and commas) is one of
//   trigger      who changed it, as the event's data says ("who")
//   owners       of the first row of owners that fits the event: its people, and its channel
//   oncall       who is on duty now, whatever the duty; oncall:DUTY for that one
//   a name       of a person, or another name of theirs (any case)
//   a contact    of the kind the sink uses: an address, a number, an id
// A contact that stands in the configuration is taken as it is. What comes from a cluster may name
// people, but a mail address of nobody's is taken only within the domain that the sender has:
// whoever may write into a cluster does not choose who reads our mail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lookout/filter.h"
#include "lookout/manner.h"

namespace pintle::lookout {

struct StoredEvent;

struct Person {
  std::string name;
  std::vector<std::string> aliases = {};  // as clusters and labels call them
  std::string mail = {};
  std::string dingtalk = {};  // mobile number
  std::string feishu = {};    // open_id
  std::string wecom = {};     // userid, or mobile number
  std::string slack = {};     // member id
  bool of_api = false;
  bool operator==(const Person&) const = default;
};

struct Owners {
  std::string name;
  Filter match = {};  // regions, namespaces, releases, labels, kinds, types; environments are not known
  std::vector<std::string> people = {};
  std::string channel = {};  // of Slack
  bool of_api = false;
};

// In force from from_ms to to_ms (0: open). Of those of one duty the first that is in force for some
// time only has it, else the first in force: so somebody stands in for a week.
struct OnCall {
  std::string name, duty = {};  // duty "": the name
  std::vector<std::string> people = {};
  int64_t since_ms = 0, turn_ms = 0;  // one after the other, so long each; 0: all of them
  int64_t from_ms = 0, to_ms = 0;
  bool of_api = false;
};

struct Directory {
  std::vector<Person> people;
  std::vector<Owners> owners;
  std::vector<OnCall> oncall;
};

// What a sink calls people by.
struct ContactKind {
  std::string_view name;       // "mail": for messages
  std::string Person::*member;
  std::string_view option;     // its list of contacts among the sink's options: "to", "mention"
  bool (*is_one)(std::string_view word);  // a contact that may stand for itself
  bool channels = false;       // it has channels beside
};

struct Recipients {
  std::vector<std::string> contacts;  // each once, in the order of `whom`; at most kMostContacts
  std::string channel;                // "": the sink's own
  bool fixed = false;                 // the sink's own list is told, too
  std::string story;                  // whom each word found, and whom not: for the attempt
};
inline constexpr size_t kMostContacts = 100;

// `home`: the sender's mail domain, "" without one.
Recipients resolve(const Directory& directory, const Manner& manner, const ContactKind& kind,
                   const StoredEvent& event, std::string_view home, int64_t now_ms);

// null: nobody has this name.
const Person* find_person(const Directory& directory, std::string_view name);
// Whose turn it is.
std::vector<std::string> on_duty(const OnCall& schedule, int64_t now_ms);

bool is_mailbox(std::string_view text);
bool is_mobile(std::string_view text);  // digits, perhaps with '+' in front
bool is_feishu_id(std::string_view text);
bool is_slack_id(std::string_view text);

}  // namespace pintle::lookout
