// Routes: every path of the API in one table, with who may call it. The server finds its handlers
// here, and the OpenAPI document is made of it. Pure; thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lookout/api/call.h"
#include "lookout/api/schemas.h"

namespace pintle::lookout {

// Where a handler runs: on an I/O thread, which must not wait; where the database may be waited for;
// where others may be, or for much of it.
enum class Place : uint8_t { kIo, kDatabase, kSlow };

struct ApiRoute {
  std::string_view method, path;  // "/deliveries/{id}/resend"
  Role role;                      // the least that may; kNone: anybody, without a token
  std::string_view id, summary;
  std::string_view query;  // schemas.h's parameters: NAME, or NAME:TYPE where it is another, with spaces between
  std::string_view takes;  // the body's schema; "": there is none
  int status;              // of a good answer
  std::string_view gives;  // a schema, "[Schema]" for a page of them, or a media type
  Handler handler;         // null: the event stream
  Place place = Place::kDatabase;
  int also = 0;            // a status that has such a body, too
  bool always = false;     // is answered while the database is silent, too: see Call::silent
};

std::span<const ApiRoute> routes();

struct RouteMatch {
  const ApiRoute* route = nullptr;
  std::vector<std::string> names;  // what stands for the {parts}
  std::string methods;             // without a route: those the path has; "": no such path
};
RouteMatch find_route(std::string_view method, const std::vector<std::string>& path);

// The parameter that a word of a route's query stands for. nullopt: there is none.
std::optional<SchemaField> query_field(std::string_view word);

// The query's names and values. Errors name the parameter.
Status check_query(const ApiRoute& route, const httpd::Query& query);

}  // namespace pintle::lookout
