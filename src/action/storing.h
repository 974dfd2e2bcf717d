// Writing the record of a revision when the server may not answer: errors that leave the user in
// doubt get a Hint. Internal to this room.
#pragma once

#include "action/context.h"

namespace pintle::action {

// The first record of a new revision.
Status store(Context& context, const release::Record& record);

// The error of an action whose revision was to be marked as failed then: `why`, with a Hint when
// `stored`, that write's outcome, says that it stays pending.
Error marked_failed(const Error& why, const Status& stored, const release::Record& record);

}  // namespace pintle::action
