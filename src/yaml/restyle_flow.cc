#include "yaml/restyle_flow.h"

#include "yaml/emit.h"
#include "yaml/yaml.h"

namespace pintle::yaml {
namespace {

constexpr int kMaxDepth = 100;

class Flow {
 public:
  Flow(std::string_view s, int indent, std::string& out) : s_(s), indent_(indent), out_(out) {}

  FlowEnd node(int depth) {
    if (at_ == s_.size()) return more();
    if (depth > kMaxDepth) return bad();
    switch (s_[at_]) {
      case '"':
      case '\'': return quoted();
      case '[': return collection(']', depth);
      case '{': return collection('}', depth);
      default: return plain();
    }
  }
  FlowEnd done() const { return {FlowState::kDone, at_}; }

 private:
  static FlowEnd bad() { return {FlowState::kBad}; }
  static FlowEnd more() { return {FlowState::kMore}; }
  void skip_blanks() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\n' || s_[at_] == '\t')) ++at_;
  }

  FlowEnd quoted() {
    const char quote = s_[at_];
    size_t end = at_ + 1;
    for (;; ++end) {
      if (end >= s_.size()) return more();
      if (quote == '"' && s_[end] == '\\') {
        ++end;
      } else if (s_[end] == quote) {
        if (quote == '"' || end + 1 >= s_.size() || s_[end + 1] != '\'') break;
        ++end;
      }
    }
    const auto value = read(s_.substr(at_, end + 1 - at_));
    if (!value || !value->is_string()) return bad();
    const std::string_view text = value->as_string();
    if (quote == '\'' && analyze(text, true).single_allowed) {
      write_single(out_, text, {.indent = indent_});
    } else {
      write_double(out_, text, {.indent = indent_});
    }
    at_ = end + 1;
    return done();
  }

  FlowEnd plain() {
    const size_t begin = at_;
    while (at_ < s_.size()) {
      const char c = s_[at_];
      if (c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == '\n') break;
      if (c == '#' || c == '&' || c == '*' || c == '!' || c == '?') return bad();
      if (c == ':' && (at_ + 1 == s_.size() || s_[at_ + 1] == ' ' || s_[at_ + 1] == ',' ||
                       s_[at_ + 1] == '}' || s_[at_ + 1] == ']')) {
        break;
      }
      ++at_;
    }
    const std::string_view text = trim_blanks(s_.substr(begin, at_ - begin));
    if (text.empty()) return bad();
    out_ += text;
    return done();
  }

  FlowEnd collection(char close, int depth) {
    out_ += s_[at_++];
    for (bool first = true;; first = false) {
      skip_blanks();
      if (at_ == s_.size()) return more();
      if (s_[at_] == close) break;
      if (!first) {
        if (s_[at_] != ',') return bad();
        ++at_;
        skip_blanks();
        if (at_ == s_.size()) return more();
        if (s_[at_] == close) break;
        out_ += ", ";
      }
      if (const FlowEnd end = node(depth + 1); end.state != FlowState::kDone) return end;
      skip_blanks();
      if (at_ == s_.size()) return more();
      if (close == ']') continue;
      if (s_[at_] != ':') return bad();
      ++at_;
      out_ += ':';
      skip_blanks();
      if (at_ == s_.size()) return more();
      if (s_[at_] == ',' || s_[at_] == close) continue;
      out_ += ' ';
      if (const FlowEnd end = node(depth + 1); end.state != FlowState::kDone) return end;
    }
    out_ += close;
    ++at_;
    return done();
  }

  std::string_view s_;
  size_t at_ = 0;
  int indent_;
  std::string& out_;
};

}  // namespace

std::string_view trim_blanks(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::optional<Key> key_of(std::string_view line) {
  Key key;
  size_t end = 0;
  const auto ends_here = [&] {
    return end < line.size() && line[end] == ':' && (end + 1 == line.size() || line[end + 1] == ' ');
  };
  if (line[0] == '"' || line[0] == '\'') {
    const FlowEnd quoted = print_flow(line, 0, key.text);
    if (quoted.state != FlowState::kDone) return std::nullopt;
    end = quoted.size;
    while (end < line.size() && line[end] == ' ') ++end;
    if (!ends_here()) return std::nullopt;
  } else {
    constexpr std::string_view kNoKey = "[]{}|>&*!%@`#";
    if (kNoKey.find(line[0]) != kNoKey.npos || line.starts_with("? ")) return std::nullopt;
    while (end < line.size() && !ends_here()) {
      if (line[end] == '#' && end > 0 && line[end - 1] == ' ') return std::nullopt;
      ++end;
    }
    if (end == line.size()) return std::nullopt;
    key.text = trim_blanks(line.substr(0, end));
    key.merge = key.text == "<<";
  }
  key.size = end + 1;
  return key;
}

FlowEnd print_flow(std::string_view text, int indent, std::string& out) {
  return Flow(text, indent, out).node(0);
}

}  // namespace pintle::yaml
