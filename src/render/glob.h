// gobwas/glob 0.2.3 with '/' as separator, as .Files.Glob uses it. Inside this room only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pintle::render {

// `*` a run without '/', `**` any run, `?` one character but '/', `[abc]` `[a-c]` `[!x]` one
// character, `{a,b}` alternatives (they nest), `\` takes the next character literally.
// Matching simulates an automaton: time is pattern times name, whatever the pattern.
class Glob {
 public:
  static std::optional<Glob> compile(std::string_view pattern);  // nullopt: a bad pattern
  bool match(std::string_view name) const;

 private:
  friend class GlobParser;
  enum class Op : uint8_t { kChar, kOneOf, kRange, kSingle, kRun, kSplit, kMatch };
  struct State {
    Op op;
    bool negated = false;           // kOneOf, kRange
    bool separators = false;        // kRun: '/' too
    char32_t low = 0, high = 0;     // kChar (low), kRange
    std::vector<char32_t> set = {}; // kOneOf
    std::vector<size_t> next = {};  // kSplit: several; else one
  };
  bool takes(const State& s, char32_t r) const;
  void add(std::vector<size_t>& active, std::vector<bool>& seen, size_t state) const;

  std::vector<State> states_;
  size_t start_ = 0;
};

}  // namespace pintle::render
