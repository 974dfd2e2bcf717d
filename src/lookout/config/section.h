// Section: one table of a TOML configuration, or one object of a request's JSON, read key by key
// into plain variables. What is missing leaves its variable alone; what is wrong is remembered, and
// end() returns it with the keys that nobody asked for, all in one error; SectionText::findings() has
// that of all sections of a text. A finding reads `PATH:LINE: TABLE.KEY: why`, the line being that of
// the key where it stands on a line of its own, and findings stand on lines of their own. Of a request
// they are `KEY: why`, with "; " between. Inside this room only; pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"
#include "value/value.h"

namespace pintle::lookout {

class Section;

// The text a section is read from; it must outlive its sections.
class SectionText {
 public:
  // Error: of the reader, with the path in front.
  static Result<SectionText> toml(std::string_view text, std::string_view path);
  // Error: no JSON object.
  static Result<SectionText> json(std::string_view text);
  Section top() const;
  // What was found wrong in any section so far, by line.
  Status findings() const;

 private:
  friend class Section;
  struct Finding {
    int line;
    std::string text;
  };
  static Status joined(std::vector<Finding> findings, std::string_view between);
  // Shared with the sections, which are handed around by value.
  std::shared_ptr<std::vector<Finding>> found_ = std::make_shared<std::vector<Finding>>();
  std::string_view text_;  // empty: lines mean nothing to who wrote it
  std::string path_;
  std::string_view table_ = "an object";
  value::Value tree_;
};

class Section {
 public:
  void text(std::string_view key, std::string& out);
  void texts(std::string_view key, std::vector<std::string>& out);
  void labels(std::string_view key, std::map<std::string, std::string>& out);
  void flag(std::string_view key, bool& out);
  void number(std::string_view key, int64_t& out, int64_t least, int64_t most);
  void numbers(std::string_view key, std::vector<int>& out, int least, int most);
  void duration(std::string_view key, int64_t& ms);  // "90s", "1h30m", "14d"
  void durations(std::string_view key, std::vector<int64_t>& ms);
  void time(std::string_view key, int64_t& ms);  // RFC 3339
  void severity(std::string_view key, Severity& out);
  std::vector<Section> tables(std::string_view key);   // of [[key]]
  std::optional<Section> table(std::string_view key);  // of [key]
  bool has(std::string_view key) const;
  void skip(std::string_view key) { ask(key); }  // it may stand there and means nothing
  // The keys nobody has asked for yet, as a JSON object's text: they are asked for by this.
  std::string rest_as_json();

  Error error(std::string_view key, std::string_view why) const;
  void wrong(std::string_view key, std::string_view why);
  // wrong() unless it holds, or the key was found wrong before.
  void want(bool holds, std::string_view key, std::string_view why);
  Status end();

 private:
  friend class SectionText;
  Section(const SectionText& source, const value::Value& tree, std::string name, int index);
  const value::Value* ask(std::string_view key);
  int line_of(std::string_view key) const;

  const SectionText* source_;
  value::Value tree_;
  std::string name_;  // "regions", "" for the top
  int index_;         // of [[name]]; -1: [name]
  std::set<std::string, std::less<>> asked_;
  std::set<std::string, std::less<>> wrong_;
  std::vector<SectionText::Finding> found_;
};

// "1h30m", "300ms", "14d"; nullopt: no such duration, or more than a hundred years.
std::optional<int64_t> duration_ms(std::string_view text);
std::string duration_text(int64_t ms);  // in the largest unit that is whole

}  // namespace pintle::lookout
