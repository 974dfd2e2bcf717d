// Output: the three formats of -o, tables, and colour (helm pkg/cli/output, gosuri/uitable).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/env.h"
#include "cli/flags.h"
#include "cli/settings.h"
#include "value/value.h"

namespace pintle::cli {

enum class Format : uint8_t { kTable, kJson, kYaml };

// -o, --output.
void bind_output(Flags& flags, Format& target);

// Rows of cells: every column as wide as its widest cell, tabs between, one newline at the end of
// each row. Cells wider than max_width (0: no limit) are cut with "...".
class Table {
 public:
  explicit Table(size_t max_width = 0) : max_width_(max_width) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;  // without the last newline, as uitable's String

 private:
  size_t max_width_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns a text takes on a terminal (escape sequences none, wide runes two).
size_t display_width(std::string_view text);

// A JSON object whose members keep the order of Go's struct.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text);
  JsonObject& add_raw(std::string_view name, std::string_view json);
  const std::string& text() const { return text_; }  // without the closing brace
  std::string close() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};
std::string json_array(const std::vector<std::string>& items);

// Whether to colour what goes to stdout. NO_COLOR beats even --color always, as in Helm's library.
bool use_color(const Env& env, const Settings& settings);

}  // namespace pintle::cli
