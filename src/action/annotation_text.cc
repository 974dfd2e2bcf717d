#include "action/annotation_text.h"

#include <vector>

#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kMetadata = "metadata:";
constexpr std::string_view kAnnotations = "  annotations:";

Lines lines_of(std::string_view document) {
  Lines out;
  for (std::string_view line : split(document, "\n")) out.emplace_back(line);
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::string text_of(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out.append(line).append("\n");
  return out;
}

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The first line at or behind `from` that is not below a key at `column`.
size_t end_of(const Lines& lines, size_t from, size_t column) {
  size_t end = from;
  for (size_t i = from; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (indent_of(lines[i]) <= column) break;
    end = i + 1;
  }
  return end;
}

// The line of the key that `prefix` holds, in [from, to).
std::optional<size_t> find_key(const Lines& lines, std::string_view prefix, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    if (lines[i].starts_with(prefix) &&
        (lines[i].size() == prefix.size() || lines[i][prefix.size()] == ' ')) {
      return i;
    }
  }
  return std::nullopt;
}

// Whether a key's value is on the lines below (or there is none).
bool opens_block(std::string_view line, std::string_view prefix) {
  return line.size() == prefix.size() || line.substr(prefix.size()).starts_with(" #");
}

// Puts an entry into the flow map that ends the line.
bool add_to_flow(std::string& line, std::string_view entry) {
  if (!line.ends_with('}')) return false;
  line.insert(line.size() - 1, line.ends_with("{}") ? std::string(entry) : cat(", ", entry));
  return true;
}

void insert(Lines& lines, size_t at, std::string line) {
  lines.insert(lines.begin() + static_cast<long>(at), std::move(line));
}

void erase(Lines& lines, size_t at) { lines.erase(lines.begin() + static_cast<long>(at)); }

}  // namespace

bool set_annotation(std::string& document, std::string_view key, std::string_view value) {
  Lines lines = lines_of(document);
  const std::string entry = cat(key, ": '", replace_all(value, "'", "''"), "'");
  auto metadata = find_key(lines, kMetadata, 0, lines.size());
  if (!metadata) {
    metadata = lines.size();
    lines.emplace_back(kMetadata);
  }
  if (!opens_block(lines[*metadata], kMetadata)) {
    std::string& line = lines[*metadata];
    if (line.find("annotations") != line.npos) return false;
    if (!add_to_flow(line, cat("annotations: {", entry, "}"))) return false;
  } else {
    const size_t end = end_of(lines, *metadata + 1, 0);
    const auto annotations = find_key(lines, kAnnotations, *metadata + 1, end);
    if (!annotations) {
      insert(lines, end, std::string(kAnnotations));
      insert(lines, end + 1, cat("    ", entry));
    } else if (opens_block(lines[*annotations], kAnnotations)) {
      insert(lines, end_of(lines, *annotations + 1, 2), cat("    ", entry));
    } else if (!add_to_flow(lines[*annotations], entry)) {
      return false;
    }
  }
  document = text_of(lines);
  return true;
}

std::optional<std::string> clear_annotation(std::string& document, std::string_view key) {
  Lines lines = lines_of(document);
  const auto metadata = find_key(lines, kMetadata, 0, lines.size());
  if (!metadata) return std::nullopt;
  const size_t end = end_of(lines, *metadata + 1, 0);
  const std::string block = cat("    ", key, ":");
  const std::string flow = cat(key, ": ");
  for (size_t i = *metadata; i < end; ++i) {
    std::string& line = lines[i];
    const bool own_line = line.starts_with(block);
    const size_t at = own_line ? 4 : line.find(flow);
    if (at == line.npos) continue;
    size_t stop = line.size();
    if (!own_line) {
      const char quote = line[at + flow.size()];
      const bool quoted = quote == '\'' || quote == '"';
      stop = quoted ? line.find(quote, at + flow.size() + 1) : line.find_first_of(",}", at);
      if (stop == line.npos) return std::nullopt;
      stop += quoted;
    }
    const auto map = yaml::read_map(std::string_view(line).substr(at, stop - at));
    const value::Value* value = map ? map->get(key) : nullptr;
    if (!value || !value->is_string()) return std::nullopt;
    std::string text(value->as_string());
    if (own_line) {
      erase(lines, i);
      const auto annotations = find_key(lines, kAnnotations, *metadata + 1, i);
      if (annotations && end_of(lines, *annotations + 1, 2) == *annotations + 1) {
        erase(lines, *annotations);
      }
      if (end_of(lines, *metadata + 1, 0) == *metadata + 1) lines[*metadata] = "metadata: {}";
    } else {
      line.erase(at, stop - at);
      for (std::string_view left : {", annotations: {}", "annotations: {}, ", "annotations: {}"}) {
        const size_t empty = line.find(left);
        if (empty == line.npos) continue;
        line.erase(empty, left.size());
        break;
      }
      line = replace_all(replace_all(line, ", }", "}"), "{, ", "{");
      if (line.find_first_not_of(' ') == line.npos) erase(lines, i);
    }
    document = text_of(lines);
    return text;
  }
  return std::nullopt;
}

}  // namespace pintle::action
