// How the store spells in text columns what is no text: filters, labels, long keys.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lookout/filter.h"

namespace pintle::lookout {

// {"types": ["release.*"], "min_severity": "warning", "labels": {"team": "a"}}: only what is set.
std::string filter_json(const Filter& filter);
// Errors name the key: unknown ones, wrong types, no such severity.
Result<Filter> read_filter(std::string_view json);

std::string labels_json(const std::map<std::string, std::string>& labels);
std::map<std::string, std::string> read_labels(std::string_view json);  // broken: none

// A key as it may be in an index (PostgreSQL's entries end at 2.7 KB): long ones by their SHA-256.
std::string index_key(std::string_view key);

}  // namespace pintle::lookout
