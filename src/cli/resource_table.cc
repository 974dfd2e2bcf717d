#include "cli/resource_table.h"

#include <algorithm>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/output.h"
#include "json/json.h"

namespace pintle::cli {

using value::Value;

namespace {

constexpr size_t kPadding = 3;

std::string cell_text(const Value& v) {
  if (v.is_string()) return std::string(v.as_string());
  if (v.is_nil()) return "<none>";
  const auto text = json::write(v);
  return text ? *text : "";
}

// text/tabwriter as kubectl sets it up: columns three blanks apart, the last one bare.
std::string laid_out(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], rune_count(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - rune_count(row[i]) + kPadding, ' ');
    }
    out += '\n';
  }
  return out;
}

// The columns a terminal gets by default.
std::vector<size_t> shown_columns(const Value& table, std::vector<std::string>& header) {
  std::vector<size_t> out;
  const Value* columns = table.get("columnDefinitions");
  if (columns == nullptr) return out;
  for (size_t i = 0; i < columns->items().size(); ++i) {
    const Value& column = columns->items()[i];
    const Value* priority = column.get("priority");
    const bool wide = priority && ((priority->is_int() && priority->as_int() > 0) ||
                                   (priority->is(value::Type::kFloat64) &&
                                    priority->as_double() > 0));
    if (wide) continue;
    out.push_back(i);
    const Value* name = column.get("name");
    header.push_back(name && name->is_string() ? to_upper(name->as_string()) : "");
  }
  return out;
}

std::string tables(std::span<const Value> list) {
  std::string out;
  std::vector<std::string> last;
  for (const Value& table : list) {
    std::vector<std::string> header;
    const std::vector<size_t> columns = shown_columns(table, header);
    std::vector<std::vector<std::string>> rows;
    if (header != last) rows.push_back(header);
    last = header;
    if (const Value* answers = table.get("rows")) {
      for (const Value& answer : answers->items()) {
        const Value* cells = answer.get("cells");
        if (cells == nullptr) continue;
        auto& row = rows.emplace_back();
        for (const size_t i : columns) {
          row.push_back(i < cells->items().size() ? cell_text(cells->items()[i]) : "");
        }
      }
    }
    out += laid_out(rows);
  }
  return out;
}

}  // namespace

std::string resource_tables(const Value& resources) {
  std::string out;
  if (!resources.is_map() || resources.as_map() == nullptr) return out;
  for (const auto& [kind, list] : *resources.as_map()) {
    append(out, {"==> ", kind.view(), "\n", tables(list.items()), "\n"});
  }
  return out;
}

}  // namespace pintle::cli
