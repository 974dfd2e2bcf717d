// encoding/csv's reader for one record, as pflag uses it on "a,b" flag values: quotes, doubled
// quotes, newlines inside quotes, blank lines skipped, Go's error texts.
#include "cli/flags.h"

namespace pintle::cli {
namespace {

struct Lines {
  std::string_view rest;
  int number = 0;

  // One line with its newline, "\r\n" made "\n"; false at the end.
  bool next(std::string& line) {
    if (rest.empty()) return false;
    const size_t nl = rest.find('\n');
    line = rest.substr(0, nl == std::string_view::npos ? nl : nl + 1);
    rest.remove_prefix(line.size());
    ++number;
    if (nl == std::string_view::npos) {
      if (line.back() == '\r') line.pop_back();
    } else if (line.size() >= 2 && line[line.size() - 2] == '\r') {
      line.erase(line.size() - 2, 1);
    }
    return true;
  }
};

Error parse_error(int start, int line, size_t column, std::string_view what) {
  std::string text;
  if (start != line) text = "record on line " + std::to_string(start) + "; ";
  text +=
      "parse error on line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
  text += what;
  return Error(Code::kInvalidArgument, std::move(text));
}

constexpr std::string_view kBareQuote = "bare \" in non-quoted-field";
constexpr std::string_view kQuote = "extraneous or missing \" in quoted-field";

}  // namespace

Result<Strings> parse_csv(std::string_view text) {
  Lines lines{text};
  std::string line;
  do {
    if (!lines.next(line)) return Error("EOF");
  } while (line == "\n");

  const int start = lines.number;
  Strings fields;
  size_t at = 0;
  for (;;) {
    std::string field;
    if (at >= line.size() || line[at] != '"') {
      const size_t comma = line.find(',', at);
      size_t end = comma == std::string::npos ? line.size() : comma;
      if (comma == std::string::npos && end > at && line[end - 1] == '\n') --end;
      field = line.substr(at, end - at);
      const size_t quote = field.find('"');
      if (quote != std::string::npos) {
        return parse_error(start, lines.number, at + quote + 1, kBareQuote);
      }
      fields.push_back(std::move(field));
      if (comma == std::string::npos) return fields;
      at = comma + 1;
      continue;
    }
    ++at;
    for (bool open = true; open;) {
      const size_t quote = line.find('"', at);
      if (quote == std::string::npos) {
        const size_t columns = line.size();
        field.append(line, at);
        if (!lines.next(line)) {
          return parse_error(start, lines.number, columns + 1, kQuote);
        }
        at = 0;
        continue;
      }
      field.append(line, at, quote - at);
      at = quote + 1;
      const std::string_view after = std::string_view(line).substr(at);
      if (after.starts_with('"')) {
        field += '"';
        ++at;
      } else if (after.starts_with(',')) {
        ++at;
        open = false;
      } else if (after.empty() || after == "\n") {
        fields.push_back(std::move(field));
        return fields;
      } else {
        return parse_error(start, lines.number, at, kQuote);
      }
    }
    fields.push_back(std::move(field));
  }
}

}  // namespace pintle::cli
