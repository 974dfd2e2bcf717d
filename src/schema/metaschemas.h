// The published metaschemas of the five drafts, without their titles, comments and defaults.
#pragma once

#include <string_view>

namespace pintle::schema {

// The text behind a URL under http(s)://json-schema.org/; empty when there is none.
std::string_view metaschema(std::string_view url);
// True for every URL under http(s)://json-schema.org/: such documents are not validated themselves.
bool is_metaschema_site(std::string_view url);

}  // namespace pintle::schema
