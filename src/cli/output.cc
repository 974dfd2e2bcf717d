#include "cli/output.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/completers.h"
#include "json/json.h"

namespace pintle::cli {
namespace {

Status set_format(void* target, bool, std::string_view text) {
  Format& format = *static_cast<Format*>(target);
  if (text == "table") {
    format = Format::kTable;
  } else if (text == "json") {
    format = Format::kJson;
  } else if (text == "yaml") {
    format = Format::kYaml;
  } else {
    return Error(Code::kInvalidArgument, "invalid format type");
  }
  return ok();
}

struct Range {
  char32_t first, last;
};
// Combining marks and joiners take no column; East Asian wide and emoji two (go-runewidth's tables,
// as far as names and descriptions of charts reach).
constexpr Range kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                {0x2028, 0x202E}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
                                {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
constexpr Range kDoubleWidth[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},  {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

bool within(char32_t r, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges, [r](const Range& x) { return x.first <= r && r <= x.last; });
}

size_t rune_width(char32_t r) {
  if (r < 0x20 || (r >= 0x7F && r < 0xA0)) return 0;
  if (r < 0x300) return 1;
  if (within(r, kZeroWidth)) return 0;
  return within(r, kDoubleWidth) ? 2 : 1;
}

// The length of an escape sequence at the start of text: ESC [ ... letter.
size_t escape_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  size_t n = 2;
  while (n < text.size() && (text[n] == ';' || (text[n] >= '0' && text[n] <= '9'))) ++n;
  return n < text.size() ? n + 1 : 0;
}

// strutil.Resize: padded on the right, or cut so that "..." ends within the width.
std::string resized(std::string_view text, size_t width) {
  const size_t have = display_width(text);
  std::string out(text);
  if (have <= width) {
    out.append(width - have, ' ');
    return out;
  }
  out.clear();
  size_t w = 0;
  while (!text.empty()) {
    const Rune r = decode_rune(text);
    text.remove_prefix(static_cast<size_t>(r.size));
    append_rune(out, r.value);
    const size_t n = rune_width(r.value);
    if (static_cast<ptrdiff_t>(w + n) >= static_cast<ptrdiff_t>(width) - 3) break;
    w += n;
  }
  return out + "...";
}

std::vector<std::string> split_copies(std::string_view text) {
  std::vector<std::string> out;
  for (std::string_view line : split(text, "\n")) out.emplace_back(line);
  return out;
}

// As uitable lays a cell out: cut as a whole when its lines together are wider than the column.
std::vector<std::string> cell_lines(std::string_view cell, size_t width) {
  if (width == 0) return split_copies(cell);
  std::vector<std::string> lines = split_copies(resized(cell, width));
  for (std::string& line : lines) line = resized(line, width);
  return lines;
}

}  // namespace

void bind_output(Flags& flags, Format& target) {
  flags
      .custom("output", "format", "table", &target, set_format,
              "prints the output in the specified format. Allowed values: table, json, yaml", 'o')
      .complete(output_formats);
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    if (const size_t n = escape_length(text)) {
      text.remove_prefix(n);
      continue;
    }
    const Rune r = decode_rune(text);
    text.remove_prefix(static_cast<size_t>(r.size));
    width += rune_width(r.value);
  }
  return width;
}

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      for (std::string_view line : split(row[i], "\n")) {
        size_t width = display_width(line);
        if (max_width_ != 0) width = std::min(width, max_width_);
        widths[i] = std::max(widths[i], width);
      }
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 1;
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(cell_lines(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (size_t y = 0; y < height; ++y) {
      if (!out.empty()) out += '\n';
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += '\t';
        out += y < cells[i].size() ? cells[i][y] : std::string(std::max<size_t>(widths[i], 1), ' ');
      }
    }
  }
  return out;
}

JsonObject& JsonObject::add_raw(std::string_view name, std::string_view json) {
  text_ += text_.empty() ? '{' : ',';
  json::append_string(text_, name);
  text_ += ':';
  text_ += json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::string_view text) {
  std::string quoted;
  json::append_string(quoted, text);
  return add_raw(name, quoted);
}

std::string json_array(const std::vector<std::string>& items) {
  return "[" + join(items, ",") + "]";
}

bool use_color(const Env& env, const Settings& settings) {
  if (settings.color == "never" || !env.get("NO_COLOR").empty()) return false;
  if (settings.color == "always") return true;
  return env.out_is_terminal && env.get("TERM") != "dumb";
}

}  // namespace pintle::cli
