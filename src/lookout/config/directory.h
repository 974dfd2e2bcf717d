// The directory's pieces (people.h) as a configuration's file and the API spell them. A key that is
// missing keeps what the piece has. Errors are Section's. Inside this room only; pure.
#pragma once

#include <string>

#include "lookout/config/section.h"
#include "lookout/people.h"

namespace pintle::lookout {

Status read_person(Section& s, Person& p);
Status read_owners(Section& s, Owners& o);
Status read_oncall(Section& s, OnCall& o);

// With contacts, or with the kinds of them that there are only ("mail": "***").
std::string person_json(const Person& p, bool with_contacts);
std::string owners_json(const Owners& o);
std::string oncall_json(const OnCall& o);

}  // namespace pintle::lookout
