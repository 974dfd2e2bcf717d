// Flags: what a command line may carry, and the parser for it, as pflag 1.0.10 does it: the same
// grammar (groups of shorthands, --flag value, --flag=value, "--"), error texts and help lines.
//
// A command binds its flags to fields of its own options struct; the fields' values at that moment
// are the defaults. Targets must outlive the Flags. Only the chosen command's flags are ever bound.
// Names, usages and type names are borrowed: literals in practice.
// Source of the behaviour: spf13/pflag flag.go, spf13/cobra flag_groups.go.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::cli {

struct Session;

struct Duration {
  int64_t ns = 0;
};
using Strings = std::vector<std::string>;
using Pairs = std::map<std::string, std::string>;

// What a completion function answers: candidates ("value\tdescription") and a directive.
enum Directive : int {
  kDefault = 0,
  kError = 1,
  kNoSpace = 2,
  kNoFiles = 4,
  kFilterExtensions = 8,
  kFilterDirectories = 16,
  kKeepOrder = 32,
};
struct Candidates {
  std::vector<std::string> items;
  int directive = kDefault;
};
// `options` is the command's own options struct, flags already parsed into it.
using Completer = Candidates (*)(Session& session, const void* options,
                                 std::span<const std::string> args, std::string_view word);

struct Flag {
  enum class Kind : uint8_t { kBool, kNumber, kDuration, kString, kList, kOther };
  // Parses text into the target. `first`: nothing has been set on this flag before.
  using Set = Status (*)(void* target, bool first, std::string_view text);

  std::string_view name;
  char shorthand = 0;
  Kind kind = Kind::kOther;
  std::string_view type = {};  // as help shows it: "string", "stringArray", "WaitStrategy"
  std::string_view usage = {};
  std::string default_text = {};
  std::string_view bare = {};        // the value of `--flag` alone; empty: a value is required
  std::string_view deprecated = {};  // "use --x instead"
  bool hidden = false;
  bool global = false;   // inherited from the root command
  bool changed = false;  // set on the command line
  Completer completer = nullptr;
  void* target = nullptr;
  Set set = nullptr;

  Flag& hide() { return hidden = true, *this; }
  Flag& deprecate(std::string_view why) { return deprecated = why, *this; }
  Flag& complete(Completer c) { return completer = c, *this; }
  Flag& when_bare(std::string_view value) { return bare = value, *this; }
};

class Flags {
 public:
  Flag& boolean(std::string_view name, bool& target, std::string_view usage, char shorthand = 0);
  Flag& integer(std::string_view name, int64_t& target, std::string_view usage, char shorthand = 0);
  Flag& count(std::string_view name, uint64_t& target, std::string_view usage);  // uint
  Flag& real(std::string_view name, float& target, std::string_view usage);      // float32
  Flag& duration(std::string_view name, Duration& target, std::string_view usage);
  Flag& string(std::string_view name, std::string& target, std::string_view usage,
               char shorthand = 0);
  // Comma-separated (CSV) and repeatable.
  Flag& list(std::string_view name, Strings& target, std::string_view usage, char shorthand = 0);
  // Repeatable, taken as it stands.
  Flag& array(std::string_view name, Strings& target, std::string_view usage, char shorthand = 0);
  Flag& pairs(std::string_view name, Pairs& target, std::string_view usage, char shorthand = 0);
  Flag& custom(std::string_view name, std::string_view type, std::string default_text, void* target,
               Flag::Set set, std::string_view usage, char shorthand = 0);

  // None of these may be set together with another of them: "force-replace force-conflicts".
  void exclusive(std::string_view group) { groups_.push_back(group); }

  Flag* find(std::string_view name);
  Flag* find_shorthand(char c);
  std::vector<const Flag*> sorted() const;  // by name

  // Flags bound from here on are the command's own, those before it the global ones.
  void end_of_globals();
  size_t size() const { return flags_.size(); }

  struct Parsed {
    Strings args;
    std::string deprecations;  // "Flag --x has been deprecated, ...\n" per use
    bool help = false;         // an undefined --help or -h was met; parsing stopped there
    bool dashed = false;       // "--" was met
  };
  // `unknown_ok`: skips flags it does not know, with their values as pflag guesses them.
  Result<Parsed> parse(std::span<const std::string> args, bool unknown_ok = false);
  Status check_groups() const;
  // A flag of a group that another member excludes is hidden from completion.
  void hide_excluded();

  // The options struct bound here, kept alive with the flags.
  template <typename T>
  T& own() {
    auto box = std::make_shared<T>();
    owned_.push_back(box);
    return *box;
  }

 private:
  Flag& add(Flag flag);
  Status assign(Flag& flag, std::string_view value, Parsed& out);
  Status parse_long(std::string_view arg, std::span<const std::string>& rest, bool unknown_ok,
                    Parsed& out);
  Status parse_short(std::string_view arg, std::span<const std::string>& rest, bool unknown_ok,
                     Parsed& out);

  std::deque<Flag> flags_;  // references stay good while more are added
  std::vector<std::string_view> groups_;
  std::vector<std::shared_ptr<void>> owned_;  // of any type, hence shared_ptr's deleter
};

// pflag's FlagUsages: one aligned line per shown flag, in the order given.
std::string flag_usages(std::span<const Flag* const> flags);

// strconv.ParseBool; time.ParseDuration and Duration.String, error texts included.
Result<bool> parse_bool(std::string_view text);
Result<Duration> parse_duration(std::string_view text);
std::string duration_text(Duration d);
// encoding/csv, one record.
Result<Strings> parse_csv(std::string_view line);

}  // namespace pintle::cli
