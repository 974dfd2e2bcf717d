// Migrate: brings a schema up to date by numbered steps, each in its own transaction and done once,
// also when several processes start at the same time: they take turns.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/db.h"

namespace pintle::db {

// Step n is the n-th of the list, from 1. `sql`: statements, each ended by ';' at the end of a
// line. {id} stands for the type of a numeric primary key that SQLite keeps as the row's own
// number, {text_key} for what makes SQLite keep a table in its text key's order, {bytes} for what
// makes PostgreSQL order a text column by its bytes, as SQLite does.
using Steps = std::span<const std::string_view>;

// Errors: kFailedPrecondition when the database has more steps than these (a newer program's).
Status migrate(Session& session, Steps steps);

}  // namespace pintle::db
