// What a file seems to be: net/http's DetectContentType over its first 512 bytes, padded with NUL
// as Helm pads them. For the error text about a chart file that is no archive.
#pragma once

#include <string_view>

namespace pintle::chart {

std::string_view content_type(std::string_view data);

}  // namespace pintle::chart
