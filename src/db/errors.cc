#include "db/errors.h"

#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "db/trouble.h"

namespace pintle::db {

namespace {

Code sqlite_code(int result, std::string_view text) {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
    case SQLITE_INTERRUPT: return Code::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Code::kDataLoss;
    case SQLITE_CONSTRAINT:
      return text.find("UNIQUE") != text.npos || text.find("PRIMARY KEY") != text.npos
                 ? Code::kAlreadyExists
                 : Code::kInvalidArgument;
    default: return Code::kInternal;
  }
}

// The state (SQLSTATE) itself is out of reach: its accessor lives in the library that SOCI loads.
Code category_code(const soci::soci_error& e) {
  switch (e.get_error_category()) {
    case soci::soci_error::connection_error:
    case soci::soci_error::system_error:
    case soci::soci_error::unknown_transaction_state:
    case soci::soci_error::no_privilege: return Code::kUnavailable;
    case soci::soci_error::constraint_violation: return Code::kAlreadyExists;
    case soci::soci_error::invalid_statement: return Code::kInternal;
    default: return Code::kUnavailable;
  }
}

Trouble sqlite_trouble(int result) {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return Trouble::kLocked;
    case SQLITE_FULL: return Trouble::kFull;
    case SQLITE_READONLY: return Trouble::kReadOnly;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN: return Trouble::kLost;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Trouble::kDamaged;
    default: return Trouble::kOther;
  }
}

// By PostgreSQL's words, which its server may have in another language: then it is kOther.
Trouble postgres_trouble(const soci::soci_error& e, std::string_view text) {
  static constexpr std::pair<std::string_view, Trouble> kWords[] = {
      {"No space left on device", Trouble::kFull},
      {"disk full", Trouble::kFull},
      {"read-only transaction", Trouble::kReadOnly},
      {"deadlock detected", Trouble::kConflict},
      {"could not serialize", Trouble::kConflict},
      {"lock timeout", Trouble::kLocked},
      {"could not obtain lock", Trouble::kLocked},
      {"server closed the connection", Trouble::kLost},
      {"terminating connection", Trouble::kLost},
      {"onnection", Trouble::kLost},
      {"could not connect", Trouble::kLost},
      {"could not receive data", Trouble::kLost},
      {"could not send data", Trouble::kLost},
      {"the database system is", Trouble::kLost},
      {"invalid page", Trouble::kDamaged}};
  for (const auto& [words, trouble] : kWords) {
    if (text.find(words) != text.npos) return trouble;
  }
  return e.get_error_category() == soci::soci_error::connection_error ? Trouble::kLost
                                                                       : Trouble::kOther;
}

Error with(Error error, Trouble trouble) {
  error.set_detail(std::make_unique<TroubleDetail>(trouble));
  return error;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

Status guarded(const std::string& where, const std::function<void()>& body) {
  try {
    body();
    return ok();
  } catch (const soci::sqlite3_soci_error& e) {
    std::string text = one_line(e.get_error_message());
    return with(Error(sqlite_code(e.result(), text), where + ": " + text),
                sqlite_trouble(e.result()));
  } catch (const soci::soci_error& e) {
    const std::string text = one_line(e.get_error_message());
    return with(Error(category_code(e), where + ": " + text), postgres_trouble(e, text));
  } catch (const std::bad_alloc&) {
    return Error(Code::kResourceExhausted, where + ": out of memory");
  } catch (const std::exception& e) {
    return Error(Code::kInternal, where + ": " + one_line(e.what()));
  }
}

}  // namespace pintle::db
