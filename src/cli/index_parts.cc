// A line that is indented less ends what came before it, whatever that is: within a block, YAML has
// every line of a scalar or of a flow collection indented deeper than the key it belongs to.
#include "cli/index_parts.h"

#include <set>
#include <string>

#include "base/gotext.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

using value::Value;

constexpr size_t kMaxPart = size_t{4} << 20;

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end == text.npos ? text.size() : end + 1);
  text.remove_prefix(line.size());
  return line;
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool says_nothing(std::string_view line) {
  const std::string_view rest = trim_space(line);
  return rest.empty() || rest.starts_with('#');
}

bool is_item(std::string_view line, size_t indent) {
  if (indent_of(line) != indent) return false;
  const std::string_view rest = line.substr(indent);
  return rest.starts_with("- ") || rest == "-\n" || rest == "-\r\n" || rest == "-";
}

class Reader {
 public:
  explicit Reader(const IndexParts& parts) : parts_(parts) {}

  Result<Value> read(std::string_view text) {
    std::string top;
    bool inside = false;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!says_nothing(line) && indent_of(line) == 0) {
        TRY(end_chart());
        inside = trim_space(line) == "entries:";
        if (inside) {
          indent_ = 0;
          continue;
        }
      }
      if (inside) {
        TRY(add_line(line));
      } else if (top.size() + line.size() > kMaxPart) {
        return Error("the index is too large, or not of lines as Helm writes it",
                     Code::kInvalidArgument);
      } else {
        top += line;
      }
    }
    TRY(end_chart());
    return yaml::read_strict(top);
  }

 private:
  Status add_line(std::string_view line) {
    if (says_nothing(line) && block_.empty()) return ok();
    if (indent_ == 0) indent_ = indent_of(line);
    const bool key = !says_nothing(line) && indent_of(line) <= indent_ && !is_item(line, indent_);
    if (key) TRY(end_chart());
    if (key || block_.empty()) {
      block_ = line;
      return ok();
    }
    if (!says_nothing(line)) {
      if (!chart_begun_ && is_item(line, indent_of(line))) {
        TRY(begin_chart());
        item_indent_ = indent_of(line);
      }
      if (chart_begun_ && is_item(line, item_indent_)) TRY(end_row());
    }
    std::string& part = chart_begun_ ? row_ : block_;
    if (part.size() + line.size() > kMaxPart) return at_chart(Error("is too large"));
    part += line;
    return ok();
  }

  Error at_chart(const Error& e) const {
    return Error(cat("entry ", quote(trim_space(std::string_view(block_).substr(0, 256))), ": ", e.text()),
                 Code::kInvalidArgument);
  }

  // The block is "name:" and no more: rows follow, each read by itself.
  Status begin_chart() {
    const auto map = yaml::read_strict(block_);
    if (!map) return at_chart(map.error());
    if (!map->is_map() || map->length() != 1) return at_chart(Error("is no list of versions"));
    chart_begun_ = true;
    return name_chart(map->as_map()->begin()->key.view());
  }

  Status name_chart(std::string_view name) {
    if (!names_.insert(std::string(name)).second) {
      return Error(cat("key ", quote(name), " already set in map"), Code::kInvalidArgument);
    }
    return parts_.begin(name);
  }

  Status end_row() {
    if (row_.empty()) return ok();
    const auto rows = yaml::read_strict(row_);
    row_.clear();
    if (!rows) return at_chart(rows.error());
    for (const Value& row : rows->items()) TRY(parts_.row(row));
    return ok();
  }

  Status end_chart() {
    if (chart_begun_) {
      TRY(end_row());
    } else if (!block_.empty()) {  // a chart in another form
      const auto map = yaml::read_strict(block_);
      if (!map) return at_chart(map.error());
      if (!map->is_map()) return at_chart(Error("is no list of versions"));
      for (const auto& [name, rows] : *map->as_map()) {
        TRY(name_chart(name.view()));
        for (const Value& row : rows.items()) TRY(parts_.row(row));
      }
    }
    chart_begun_ = false;
    block_.clear();
    return ok();
  }

  const IndexParts& parts_;
  std::set<std::string> names_;
  std::string block_;  // the chart's key; all of it where no rows were found
  std::string row_;
  size_t indent_ = 0, item_indent_ = 0;  // of keys, of rows; 0: not known yet
  bool chart_begun_ = false;
};

}  // namespace

Result<Value> read_index_parts(std::string_view text, const IndexParts& parts) {
  return Reader(parts).read(text);
}

}  // namespace pintle::cli
