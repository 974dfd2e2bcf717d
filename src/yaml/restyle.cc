// One pass over the lines with a stack of open blocks; each knows its column in the text and in
// what is printed. Comments wait until the next line with content says whose they are.
#include "yaml/restyle.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "yaml/emit.h"
#include "yaml/restyle_flow.h"
#include "yaml/yaml.h"

namespace pintle::yaml {
namespace {

struct Line {
  size_t indent = 0;
  std::string text;  // without indentation and trailing blanks; "" for a blank line
  std::string raw;   // as it was, for block scalars
};

struct Block {
  bool list = false;
  size_t from = 0;  // column in the text
  size_t to = 0;    // column in what is printed
};

std::vector<Line> lines_of(std::string_view document) {
  std::vector<Line> lines;
  for (std::string_view raw : split(document, "\n")) {
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    const size_t indent = std::min(raw.find_first_not_of(' '), raw.size());
    std::string_view text = raw.substr(indent);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    lines.push_back({indent, std::string(text), std::string(raw)});
  }
  return lines;
}

bool is_item(std::string_view s) { return s == "-" || s.starts_with("- "); }

class Restyler {
 public:
  explicit Restyler(std::string_view document) : lines_(lines_of(document)) {}

  bool run() {
    for (at_ = 0; at_ < lines_.size();) {
      const Line& line = lines_[at_];
      if (line.text.empty() || line.text[0] == '#') {
        ++at_;
        continue;
      }
      if (line.text[0] == '\t' || line.text == "---" || line.text.starts_with("--- ")) return false;
      if (line.text.starts_with('%') || line.text == "..." || !content()) return false;
      gap_ = at_;
    }
    comments(lines_.size(), kNone, 0);
    return !out_.empty() && !stack_.empty();
  }
  std::string take() { return std::move(out_); }
  bool has_folded() const { return has_folded_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // ---- comments ----

  void write_comment(std::string_view text, size_t indent) {
    for (std::string_view line : split(text, "\n")) {
      if (!line.empty()) out_.append(indent, ' ').append(line);
      out_ += '\n';
    }
  }

  // A comment of what came before: at the column of the block it stands in.
  void foot(std::string_view text, size_t column) {
    size_t indent = 0;
    for (const Block& b : stack_) {
      if (b.from <= column) indent = b.to;
    }
    write_comment(text, indent);
    foot_indent_ = indent;
  }

  // What lies between gap_ and `end`, before content at column `next` printed at `indent`.
  void comments(size_t end, size_t next, size_t indent) {
    const size_t open = stack_.empty() ? 0 : stack_.back().from;
    std::string text;
    size_t start = 0, column = 0;
    bool first_empty = true, recent_empty = false;
    const bool at_end = next == kNone;
    for (size_t i = gap_; i < end; ++i) {
      const Line& line = lines_[i];
      if (line.text.empty()) {
        if (!recent_empty && !text.empty()) {
          const bool adjacent = start == gap_ && !after_key_ && gap_ > 0;
          if (first_empty && (adjacent || column < open)) {
            if (before_item(end)) {
              of_first_key_ = text;  // go-yaml gives it to the first key of the next item
            } else {
              foot(text, column);
            }
            text.clear();
          } else {
            text += '\n';
          }
        }
        first_empty = false;
        recent_empty = true;
        continue;
      }
      if (!text.empty() && line.indent < open && line.indent != column) {
        foot(text, column);
        text.clear();
      }
      if (text.empty()) {
        start = i;
        column = line.indent;
      } else {
        text += '\n';
      }
      text += line.text;
      recent_empty = false;
    }
    if (at_end) {
      while (text.ends_with('\n')) text.pop_back();
      if (text.empty()) return;
      if (start == gap_ && !after_key_) return foot(text, column);
      out_ += '\n';
      return write_comment(text, 0);  // the document's
    }
    if (!text.empty() && next < open && next != column) {
      foot(text, column);
      text.clear();
    }
    if (foot_indent_ == indent) out_ += '\n';
    foot_indent_ = kNone;
    if (!text.empty()) write_comment(text, indent);
  }

  // Whether the content at `line` is an item with a key on its line.
  bool before_item(size_t line) const {
    return line < lines_.size() && is_item(lines_[line].text) && lines_[line].text.size() > 2 &&
           key_of(trim_blanks(std::string_view(lines_[line].text).substr(2)));
  }

  // ---- structure ----

  // The block that content at this column belongs to, opened when it is new.
  bool enter(size_t column, bool item) {
    while (!stack_.empty()) {
      const Block& top = stack_.back();
      if (top.from < column || (top.from == column && (top.list == item || item))) break;
      stack_.pop_back();
    }
    if (!stack_.empty() && stack_.back().from == column && stack_.back().list == item) return true;
    if (stack_.empty()) {
      if (!out_.empty() && printed_) return false;
      next_to_ = 0;
    } else {
      if (!after_key_) return false;  // a scalar's second line
      next_to_ = stack_.back().to + (item && !stack_.back().list ? 0 : 2);
    }
    fresh_ = true;
    pending_ = {item, column, next_to_};
    return true;
  }

  bool content() {
    Line& line = lines_[at_];
    const bool item = is_item(line.text);
    if (after_key_ && !item && !stack_.empty() && line.indent > stack_.back().from &&
        !key_of(line.text)) {
      return value_below(line.text);
    }
    fresh_ = false;
    // Comments are placed by the blocks that were open before this line.
    const std::vector<Block> before = stack_;
    if (!enter(line.indent, item)) return false;
    const size_t to = fresh_ ? pending_.to : stack_.back().to;
    std::vector<Block> now = stack_;
    stack_ = before;
    comments(at_, line.indent, to);
    stack_ = std::move(now);
    if (fresh_) stack_.push_back(pending_);
    printed_ = true;
    out_.append(to, ' ');
    if (!entry(line.indent, line.text)) return false;
    if (!of_first_key_.empty()) {
      if (after_key_) return false;
      foot(std::exchange(of_first_key_, ""), stack_.back().from);
    }
    return true;
  }

  // A key's value on the next line moves up to it.
  bool value_below(const std::string& text) {
    for (size_t i = gap_; i < at_; ++i) {
      if (!lines_[i].text.empty()) return false;
    }
    if (after_comment_) return false;
    out_.back() = ' ';
    return value(text, stack_.back().from, stack_.back().to);
  }

  // An item or a key with its value, whose text starts at this column.
  bool entry(size_t column, std::string text) {
    while (is_item(text)) {
      const size_t skip = std::min(text.find_first_not_of(' ', 1), text.size());
      out_ += '-';
      if (skip == text.size()) return end_line("", true);
      if (text[skip] == '#') return end_line(text.substr(skip), true);
      out_ += ' ';
      text = text.substr(skip);
      column += skip;
      if (!is_item(text) && !key_of(text)) {
        return value(text, stack_.back().from, stack_.back().to);
      }
      stack_.push_back({is_item(text), column, stack_.back().to + 2});
    }
    const auto key = key_of(text);
    if (!key) return false;
    if (!key->merge) {
      out_ += key->text;
    } else {
      out_ += "!!merge <<";
    }
    out_ += ':';
    const std::string rest(trim_blanks(std::string_view(text).substr(key->size)));
    if (rest.empty()) return end_line("", true);
    if (rest[0] == '#') return end_line(rest, true);
    out_ += ' ';
    return value(rest, stack_.back().from, stack_.back().to);
  }

  bool end_line(std::string_view comment, bool key_only) {
    if (!comment.empty()) out_.append(" ").append(comment);
    out_ += '\n';
    after_key_ = key_only;
    after_comment_ = !comment.empty();
    ++at_;
    return true;
  }

  // ---- values: text behind "key: " or "- " of a block at column `from`, printed at `to` ----

  bool value(std::string text, size_t from, size_t to) {
    while (text[0] == '&' || text[0] == '!') {
      const size_t end = std::min(text.find(' '), text.size());
      out_.append(text, 0, end);
      text = std::string(trim_blanks(std::string_view(text).substr(end)));
      if (text.empty()) return end_line("", true);
      if (text[0] == '#') return end_line(text, true);
      out_ += ' ';
    }
    switch (text[0]) {
      case '|':
      case '>': return block_scalar(text, from, to);
      case '"':
      case '\'':
      case '[':
      case '{': return collected(text, from, to);
      case '#':
      case '?': return false;
      default: return plain(text, from);
    }
  }

  // A scalar in quotes or a flow collection, which may go on over lines.
  bool collected(std::string text, size_t from, size_t to) {
    std::string printed;
    for (;;) {
      const FlowEnd end = print_flow(text, static_cast<int>(to) + 2, printed);
      if (end.state == FlowState::kBad) return false;
      if (end.state == FlowState::kDone) {
        const std::string_view rest = trim_blanks(std::string_view(text).substr(end.size));
        if (!rest.empty() && rest[0] != '#') return false;
        out_ += printed;
        return end_line(rest, false);
      }
      if (++at_ == lines_.size()) return false;
      const Line& next = lines_[at_];
      if (!next.text.empty() && next.indent <= from && from > 0) return false;
      text += '\n';
      text += next.text;
      printed.clear();
    }
  }

  bool plain(const std::string& text, size_t from) {
    const size_t comment = text.find(" #");
    std::string_view shown = std::string_view(text).substr(0, comment);
    while (shown.ends_with(' ')) shown.remove_suffix(1);
    out_ += shown;
    if (comment != text.npos) return end_line(trim_blanks(std::string_view(text).substr(comment)), false);
    // More lines of it, joined as they are read.
    while (at_ + 1 < lines_.size()) {
      const Line& next = lines_[at_ + 1];
      if (next.text.empty() || next.indent <= from || next.text[0] == '#') break;
      if (is_item(next.text) && stack_.back().from == next.indent) break;
      if (next.text.find(": ") != next.text.npos || next.text.find(" #") != next.text.npos) return false;
      out_ += ' ';
      out_ += next.text;
      ++at_;
    }
    return end_line("", false);
  }

  bool block_scalar(std::string_view header, size_t from, size_t to) {
    const bool literal = header[0] == '|';
    char chomp = ' ';
    size_t hint = 0;
    for (char c : header.substr(1)) {
      if (c == '+' || c == '-') {
        chomp = c;
      } else if (c >= '1' && c <= '9') {
        hint = static_cast<size_t>(c - '0');
      } else {
        return false;
      }
    }
    if (!literal && hint) return false;
    // A block at the top has its scalars at any column but 0.
    size_t indent = hint ? from + hint : 0, i = at_ + 1;
    std::string text;
    size_t kept = 0;  // of `text`, up to the last line with content
    for (; i < lines_.size(); ++i) {
      const std::string& raw = lines_[i].raw;
      const size_t own = std::min(raw.find_first_not_of(' '), raw.size());
      if (own == raw.size() && (indent == 0 || own <= indent)) {
        text += '\n';
        continue;
      }
      if (indent == 0 && own > from) indent = own;
      if (indent == 0 || own < indent) break;
      text.append(raw, indent).append("\n");
      kept = text.size();
    }
    const bool ends = i == lines_.size();
    if (chomp == '+') {
      if (ends && !text.empty()) text.pop_back();  // the last "line" is no line
    } else {
      const bool cut = ends && !lines_.back().text.empty();  // no line break at the very end
      text.resize(kept);
      if ((chomp == '-' || cut) && !text.empty()) text.pop_back();
    }
    if (!literal && !unfold(header, at_ + 1, i, text)) return false;
    at_ = i - 1;
    if (!analyze(text, true).literal_allowed) {
      write_double(out_, text, {});
    } else if (literal) {
      write_literal(out_, text, static_cast<int>(to) + 2, 2);
      if (out_.ends_with('\n')) out_.pop_back();
    } else {
      folded(text, to + 2);
      if (out_.ends_with('\n')) out_.pop_back();
    }
    return end_line("", false);
  }

  // The value of a folded scalar, as the reader has it.
  bool unfold(std::string_view header, size_t begin, size_t end, std::string& text) {
    std::string document = cat("- ", header, "\n");
    for (size_t i = begin; i < end; ++i) document += cat(" ", lines_[i].raw, "\n");
    const auto list = read_list(document);
    if (!list || list->items().size() != 1 || !list->items()[0].is_string()) return false;
    text = list->items()[0].as_string();
    return true;
  }

  void folded(std::string_view s, size_t indent) {
    has_folded_ = true;
    out_ += '>';
    if (s[0] == ' ' || s[0] == '\n') out_ += '2';
    if (!s.ends_with('\n')) {
      out_ += '-';
    } else if (s == "\n" || s.ends_with("\n\n")) {
      out_ += '+';
    }
    out_ += '\n';
    bool breaks = true, leading = true;
    // go-yaml looks at the start of the text where it means what follows the break.
    const size_t first = s.find_first_not_of('\n');
    const bool doubles = first != s.npos && s[first] != ' ' && s[first] != '\t';
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i] == '\n') {
        if (!breaks && !leading && doubles) out_ += '\n';
        out_ += '\n';
        breaks = true;
        continue;
      }
      if (breaks) {
        out_.append(indent, ' ');
        leading = s[i] == ' ' || s[i] == '\t';
      }
      out_ += s[i];
      breaks = false;
    }
  }

  std::vector<Line> lines_;
  std::string out_;
  std::vector<Block> stack_;
  Block pending_;
  size_t at_ = 0;
  size_t gap_ = 0;              // first line behind the last content
  size_t next_to_ = 0;
  size_t foot_indent_ = kNone;  // of a comment that wants a blank line before its sibling
  bool after_key_ = false;      // the last line ended with "key:" or "-"
  bool after_comment_ = false;  // and a comment
  std::string of_first_key_;    // a comment that goes behind the first key of the item to come
  bool fresh_ = false, printed_ = false, has_folded_ = false;
};

// JSON with every run of line breaks as one.
std::string squeezed(std::string json) {
  for (size_t before = 0; before != json.size();) {
    before = json.size();
    json = replace_all(json, "\\n\\n", "\\n");
  }
  return json;
}

}  // namespace

std::optional<std::string> restyle(std::string_view document) {
  Restyler restyler(document);
  if (!restyler.run()) return std::nullopt;
  std::string out = restyler.take();
  const auto before = to_json(document), after = to_json(out);
  if (!before || !after) return std::nullopt;
  // A folded text gains line breaks in go-yaml's hands.
  const bool same = restyler.has_folded() ? squeezed(*before) == squeezed(*after)
                                          : *before == *after;
  if (!same) return std::nullopt;
  return out;
}

}  // namespace pintle::yaml
