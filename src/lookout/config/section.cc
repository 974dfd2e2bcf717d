#include "lookout/config/section.h"

#include <algorithm>
#include <charconv>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "toml/toml.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kHundredYears = int64_t{100} * 366 * 86'400'000;
constexpr std::pair<std::string_view, int64_t> kUnits[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// The word before '=' or the name between brackets, without blanks and quotes.
std::string_view trimmed(std::string_view s) {
  s = trim_space(s);
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') s = s.substr(1, s.size() - 2);
  return s;
}

std::string_view header_of(std::string_view line) {  // "[[regions]]  # x" -> "[[regions]]"
  line = trim_space(line);
  if (!line.starts_with('[')) return {};
  const size_t end = line.rfind(']');
  return end == std::string_view::npos ? line : line.substr(0, end + 1);
}

}  // namespace

std::optional<int64_t> duration_ms(std::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  int64_t total = 0;
  while (!text.empty()) {
    int64_t number = 0;
    const auto [at, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || number < 0 || number > kHundredYears) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(at - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789"));
    int64_t scale = 0;
    for (const auto& [name, ms] : kUnits) {
      if (name == unit) scale = ms;
    }
    if (scale == 0 || number > kHundredYears / scale) return std::nullopt;
    total += number * scale;
    if (total > kHundredYears) return std::nullopt;
    text.remove_prefix(unit.size());
  }
  return total;
}

std::string duration_text(int64_t ms) {
  std::string out = "0";
  for (const auto& [name, unit] : kUnits) {
    if (ms != 0 && ms % unit == 0) out = cat(ms / unit, name);
  }
  return out;
}

Result<SectionText> SectionText::toml(std::string_view text, std::string_view path) {
  SectionText out;
  out.text_ = text;
  out.path_ = path;
  out.table_ = "a table";
  auto tree = toml::read_map(
      text, [](std::string_view time) -> std::optional<value::Value> { return value::str(time); });
  if (!tree) {
    return Error(cat(path, ": ", tree.error().text()), Code::kInvalidArgument);
  }
  out.tree_ = std::move(*tree);
  return out;
}

Result<SectionText> SectionText::json(std::string_view text) {
  SectionText out;
  auto tree = json::read(text, {json::Numbers::kExact});
  if (!tree) return Error(tree.error().text(), Code::kInvalidArgument);
  if (!tree->is_map() || tree->as_map() == nullptr) {
    return Error("want a JSON object", Code::kInvalidArgument);
  }
  out.tree_ = std::move(*tree);
  return out;
}

Status SectionText::joined(std::vector<Finding> findings, std::string_view between) {
  if (findings.empty()) return ok();
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  std::string out;
  for (const Finding& f : findings) append(out, {out.empty() ? "" : between, f.text});
  return Error(std::move(out), Code::kInvalidArgument);
}

Status SectionText::findings() const { return joined(*found_, "\n"); }

Section SectionText::top() const { return {*this, tree_, "", -1}; }

Section::Section(const SectionText& source, const value::Value& tree, std::string name, int index)
    : source_(&source), tree_(tree), name_(std::move(name)), index_(index) {}

const value::Value* Section::ask(std::string_view key) {
  asked_.emplace(key);
  return tree_.get(key);
}

bool Section::has(std::string_view key) const { return tree_.get(key) != nullptr; }

void Section::wrong(std::string_view key, std::string_view why) {
  wrong_.emplace(key);
  found_.push_back({line_of(key), error(key, why).text()});
  source_->found_->push_back(found_.back());
}

void Section::want(bool holds, std::string_view key, std::string_view why) {
  if (!holds && !wrong_.contains(key)) wrong(key, why);
}

Error Section::error(std::string_view key, std::string_view why) const {
  const int line = line_of(key);
  std::string where = name_;
  if (index_ >= 0) append(where, {"[", cat(index_), "]"});
  if (!key.empty()) append(where, {where.empty() ? "" : ".", key});
  std::string file = source_->path_;
  if (line > 0) append(file, {":", cat(line)});
  if (!file.empty()) file += ": ";
  return Error(cat(file, where, where.empty() ? "" : ": ", why), Code::kInvalidArgument);
}

int Section::line_of(std::string_view key) const {
  if (source_->text_.empty()) return 0;
  const std::string single = cat("[", name_, "]"), repeated = cat("[[", name_, "]]");
  int line = 0, seen = -1, header = 0;
  bool inside = name_.empty();
  for (const std::string_view text : split(source_->text_, "\n")) {
    ++line;
    if (const std::string_view found = header_of(text); !found.empty()) {
      seen += found == repeated ? 1 : 0;
      inside = index_ < 0 ? found == single : found == repeated && seen == index_;
      if (inside) header = line;
      // [key] and [[key]] of the table itself.
      const std::string below = name_.empty() ? std::string(key) : cat(name_, ".", key);
      if (found == cat("[", below, "]") || found == cat("[[", below, "]]")) return line;
      continue;
    }
    const size_t equals = text.find('=');
    if (inside && equals != std::string_view::npos && trimmed(text.substr(0, equals)) == key) {
      return line;
    }
  }
  return header;
}

void Section::text(std::string_view key, std::string& out) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  if (!v->is_string()) return wrong(key, "want a text");
  out = v->as_string();
}

void Section::texts(std::string_view key, std::vector<std::string>& out) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  if (!v->is_list()) return wrong(key, "want a list of texts");
  std::vector<std::string> read;
  for (const value::Value& item : v->items()) {
    if (!item.is_string()) return wrong(key, "want a list of texts");
    read.emplace_back(item.as_string());
  }
  out = std::move(read);
}

void Section::labels(std::string_view key, std::map<std::string, std::string>& out) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  if (!v->is_map() || v->as_map() == nullptr)
    return wrong(key, cat("want ", source_->table_, " of texts"));
  std::map<std::string, std::string> read;
  for (const auto& [name, item] : *v->as_map()) {
    if (!item.is_string()) return wrong(key, cat("want ", source_->table_, " of texts"));
    read.emplace(name.view(), item.as_string());
  }
  out = std::move(read);
}

void Section::flag(std::string_view key, bool& out) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  if (!v->is(value::Type::kBool)) return wrong(key, "want true or false");
  out = v->as_bool();
}

void Section::number(std::string_view key, int64_t& out, int64_t least, int64_t most) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  if (!v->is_int() || v->as_int() < least || v->as_int() > most) {
    return wrong(key, cat("want a number from ", least, " to ", most));
  }
  out = v->as_int();
}

void Section::numbers(std::string_view key, std::vector<int>& out, int least, int most) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  std::vector<int> read;
  const std::string want = cat("want a list of numbers from ", least, " to ", most);
  if (!v->is_list()) return wrong(key, want);
  for (const value::Value& item : v->items()) {
    if (!item.is_int() || item.as_int() < least || item.as_int() > most) return wrong(key, want);
    read.push_back(static_cast<int>(item.as_int()));
  }
  out = std::move(read);
}

void Section::duration(std::string_view key, int64_t& ms) {
  const value::Value* v = ask(key);
  if (v == nullptr) return;
  const auto read = v->is_string() ? duration_ms(v->as_string()) : std::nullopt;
  if (!read) return wrong(key, "want a duration, as \"90s\", \"1h30m\" or \"14d\"");
  ms = *read;
}

void Section::durations(std::string_view key, std::vector<int64_t>& ms) {
  std::vector<std::string> read;
  for (const int64_t one : ms) read.push_back(duration_text(one));
  texts(key, read);
  std::vector<int64_t> out;
  for (const std::string& text : read) {
    const auto one = duration_ms(text);
    if (!one) return wrong(key, "want durations, as \"90s\", \"1h30m\" or \"14d\"");
    out.push_back(*one);
  }
  ms = std::move(out);
}

void Section::time(std::string_view key, int64_t& ms) {
  std::string read;
  text(key, read);
  if (read.empty()) return;
  const int64_t at = time_ms(read);
  if (at == 0) return wrong(key, "want a time, as \"2026-01-02T09:00:00Z\"");
  ms = at;
}

void Section::severity(std::string_view key, Severity& out) {
  std::string name;
  text(key, name);
  if (name.empty()) return;
  if (const auto named = severity_of(name)) {
    out = *named;
  } else {
    wrong(key, "want \"info\", \"warning\" or \"error\"");
  }
}

std::vector<Section> Section::tables(std::string_view key) {
  std::vector<Section> out;
  const value::Value* v = ask(key);
  if (v == nullptr) return out;
  const std::string name = name_.empty() ? std::string(key) : cat(name_, ".", key);
  if (!v->is_list()) {
    wrong(key, cat("want tables: [[", name, "]]"));
    return out;
  }
  for (const value::Value& item : v->items()) {
    if (!item.is_map()) {
      wrong(key, cat("want tables: [[", name, "]]"));
      return {};
    }
    out.push_back(Section(*source_, item, name, static_cast<int>(out.size())));
  }
  return out;
}

std::optional<Section> Section::table(std::string_view key) {
  const value::Value* v = ask(key);
  if (v == nullptr) return std::nullopt;
  if (!v->is_map()) {
    wrong(key, cat("want ", source_->table_));
    return std::nullopt;
  }
  return Section(*source_, *v, name_.empty() ? std::string(key) : cat(name_, ".", key), -1);
}

std::string Section::rest_as_json() {
  value::MapBuilder rest;
  if (tree_.is_map() && tree_.as_map() != nullptr) {
    for (const auto& [key, item] : *tree_.as_map()) {
      if (asked_.emplace(key.view()).second) rest.add(key, item);
    }
  }
  auto written = json::write(value::Value::map(rest.finish()), {.escape_html = false});
  return written ? *written : "{}";
}

Status Section::end() {
  const size_t known = found_.size();
  if (tree_.is_map() && tree_.as_map() != nullptr) {
    for (const auto& [key, item] : *tree_.as_map()) {
      if (asked_.emplace(key.view()).second) wrong(key.view(), "unknown key");
    }
  }
  // What is missing may be there under a misspelt key: that comes first.
  std::rotate(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(known), found_.end());
  return SectionText::joined(found_, source_->path_.empty() ? "; " : "\n");
}

}  // namespace pintle::lookout
