// Sprig's regular expressions. Finding, splitting and replacing go by Go's rules for empty matches,
// and replacements expand $1, ${1}, $name and $$ as Go does (the longest name).
//
// RE2 never matches a byte that is not UTF-8; Go takes each such byte for U+FFFD. Such subjects are
// searched in a copy with U+FFFD put in, and offsets are mapped back.
#include <re2/re2.h>

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/regex_compile.h"
#include "sys/thread_time.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Type;
using value::Value;

namespace {

using re2::RE2;
using re2::StringPiece;

class Subject {
 public:
  explicit Subject(std::string_view s) : original_(s), searched_(s) {
    if (valid_utf8(s)) return;
    while (!s.empty()) {
      Rune r = decode_rune(s);
      append_rune(patched_, r.value);
      origin_.resize(patched_.size(), static_cast<uint32_t>(original_.size() - s.size()));
      s.remove_prefix(static_cast<size_t>(r.size));
    }
    origin_.push_back(static_cast<uint32_t>(original_.size()));
    searched_ = patched_;
  }
  std::string_view text() const { return searched_; }
  // What of the original lies between two offsets in text().
  std::string_view cut(size_t from, size_t to) const {
    if (origin_.empty()) return original_.substr(from, to - from);
    return original_.substr(origin_[from], origin_[to] - origin_[from]);
  }
  bool search(const RE2& re, size_t from, StringPiece* groups, int n) const {
    return re.Match(StringPiece(searched_.data(), searched_.size()), from, searched_.size(),
                    RE2::UNANCHORED, groups, n);
  }
  size_t offset(StringPiece group) const {
    return static_cast<size_t>(group.data() - searched_.data());
  }

 private:
  std::string_view original_, searched_;
  std::string patched_;
  std::vector<uint32_t> origin_;  // of every byte of patched_; empty when nothing was patched
};

struct Match {
  size_t begin, end;
};

// One search is linear in the text, but finding all matches may search the rest of it each time:
// how far RE2 looked it does not tell, so that is bounded by this thread's processor time.
class Patience {
 public:
  bool over() {
    if (++looked_ % 16 == 0 && sys::thread_time_ns() - start_ > kLongest) over_ = true;
    return over_;
  }
  bool fail(Call& c) const { return c.fail("the regular expression takes too long"); }
  bool was_over() const { return over_; }

 private:
  static constexpr int64_t kLongest = 1'000'000'000;
  int64_t start_ = sys::thread_time_ns();
  uint32_t looked_ = 0;
  bool over_ = false;
};

// regexp.FindAllStringIndex: empty matches next to the match before are left out.
std::vector<Match> find_all(const RE2& re, const Subject& subject, int64_t limit,
                            Patience& patience) {
  std::vector<Match> out;
  std::string_view s = subject.text();
  size_t at = 0, previous_end = std::string_view::npos;
  StringPiece group;
  while ((limit < 0 || static_cast<int64_t>(out.size()) < limit) && at <= s.size() &&
         subject.search(re, at, &group, 1)) {
    Match m{subject.offset(group), subject.offset(group) + group.size()};
    bool accept = true;
    if (m.end == at) {
      accept = m.begin != previous_end;
      at += at < s.size() ? static_cast<size_t>(decode_rune(s.substr(at)).size) : 1;
    } else {
      at = m.end;
    }
    previous_end = m.end;
    if (accept) out.push_back(m);
    if (out.size() > kMaxItems || patience.over()) break;
  }
  return out;
}

Value list_or_nil(std::vector<Value> items) {
  if (items.empty()) return Value::list(nullptr, Type::kStringList);
  return Value::list_of(std::move(items), Type::kStringList);
}

// ---- replacement templates ----

struct Reference {
  std::string_view name;
  int number = -1;  // -1: by name
  std::string_view rest;
};

// The name after a '$'; false: none, the '$' is text.
bool read_reference(std::string_view s, Reference& out) {
  bool brace = s.starts_with('{');
  if (brace) s.remove_prefix(1);
  size_t i = 0;
  while (i < s.size()) {
    Rune r = decode_rune(s.substr(i));
    if (!is_letter(r.value) && !is_digit(r.value) && r.value != '_') break;
    i += static_cast<size_t>(r.size);
  }
  if (i == 0) return false;
  out.name = s.substr(0, i);
  if (brace) {
    if (i >= s.size() || s[i] != '}') return false;
    ++i;
  }
  out.rest = s.substr(i);
  out.number = 0;
  for (char c : out.name) {
    if (c < '0' || c > '9' || out.number >= 100'000'000) {
      out.number = -1;
      break;
    }
    out.number = out.number * 10 + (c - '0');
  }
  if (out.name[0] == '0' && out.name.size() > 1) out.number = -1;
  return true;
}

class Replacer {
 public:
  Replacer(const RE2& re, std::string_view replacement, bool literal)
      : re_(re), replacement_(replacement), groups_(1) {
    literal_ = literal || replacement.find('$') == replacement.npos;
    if (!literal_) groups_.resize(static_cast<size_t>(re.NumberOfCapturingGroups()) + 1);
  }

  // regexp.ReplaceAllString; false: the result grows too large, or it takes too long.
  bool run(std::string_view s, std::string& out, Patience& patience) {
    Subject subject(s);
    size_t size = subject.text().size(), at = 0, last_end = 0;
    while (at <= size &&
           subject.search(re_, at, groups_.data(), static_cast<int>(groups_.size()))) {
      size_t begin = subject.offset(groups_[0]), end = begin + groups_[0].size();
      out.append(subject.cut(last_end, begin));
      // An empty match right behind another match is not replaced.
      if (end > last_end || begin == 0) expand(subject, out);
      if (out.size() > kMaxBytes || patience.over()) return false;
      last_end = end;
      auto width = static_cast<size_t>(decode_rune(subject.text().substr(at)).size);
      if (at + width > end) {
        at += width;
      } else if (at + 1 > end) {
        ++at;  // behind the end of the text
      } else {
        at = end;
      }
    }
    out.append(subject.cut(last_end, size));
    return out.size() <= kMaxBytes;
  }

 private:
  void put_group(const Subject& subject, size_t i, std::string& out) {
    if (i >= groups_.size() || groups_[i].data() == nullptr) return;
    size_t begin = subject.offset(groups_[i]);
    out.append(subject.cut(begin, begin + groups_[i].size()));
  }

  void expand(const Subject& subject, std::string& out) {
    if (literal_) {
      out.append(replacement_);
      return;
    }
    std::string_view rest = replacement_;
    for (size_t dollar; (dollar = rest.find('$')) != rest.npos;) {
      out.append(rest.substr(0, dollar));
      rest.remove_prefix(dollar + 1);
      if (rest.starts_with('$')) {
        out.push_back('$');
        rest.remove_prefix(1);
        continue;
      }
      Reference ref;
      if (!read_reference(rest, ref)) {
        out.push_back('$');
        continue;
      }
      rest = ref.rest;
      if (ref.number >= 0) {
        put_group(subject, static_cast<size_t>(ref.number), out);
      } else {
        const auto& names = re_.NamedCapturingGroups();
        if (auto it = names.find(std::string(ref.name)); it != names.end()) {
          put_group(subject, static_cast<size_t>(it->second), out);
        }
      }
    }
    out.append(rest);
  }

  const RE2& re_;
  std::string_view replacement_;
  bool literal_;
  std::vector<StringPiece> groups_;
};

// ---- the functions ----

// What compiling an expression and going through a text once take at most, so that the same chart is
// charged the same on every machine: some 4 bytes a step for a program of 4 instructions, dearer as
// it grows (RE2's automata make a state of up to all of them for a byte).
constexpr uint64_t kStepsOfAnInstruction = 4;
uint64_t steps_to_search(size_t program, size_t bytes) {
  return program * kStepsOfAnInstruction + bytes * (program + 4) / 32;
}

// Compiles argument 0 and calls body(re). kMust returns a compile error; the others panic with it.
enum class OnBad { kMust, kPanic };

template <OnBad kOnBad, typename Body>
bool with_regex(Call& c, Body body) {
  auto re = compile_regex(c[0].as_string());
  if (re) {
    c.steps += steps_to_search((*re)->size(), c[1].str().size());
    return body((*re)->re2());
  }
  if (kOnBad == OnBad::kMust) return c.fail(re.error());
  return c.fail(must_compile_panic(c[0].as_string(), re.error()));
}

bool matches(const RE2& re, std::string_view s) {
  return Subject(s).search(re, 0, nullptr, 0);
}

bool regex_match(Call& c) {  // a bad pattern matches nothing
  auto re = compile_regex(c[0].as_string());
  if (re) c.steps += steps_to_search((*re)->size(), c[1].str().size());
  return c.give(Value::boolean(re && matches((*re)->re2(), c[1].as_string())));
}
bool must_regex_match(Call& c) {
  return with_regex<OnBad::kMust>(c, [&](const RE2& re) {
    return c.give(Value::boolean(matches(re, c[1].as_string())));
  });
}

template <OnBad kOnBad>
bool regex_find(Call& c) {
  return with_regex<kOnBad>(c, [&](const RE2& re) {
    Subject subject(c[1].as_string());
    StringPiece group;
    if (!subject.search(re, 0, &group, 1)) return c.give(value::str(""));
    size_t begin = subject.offset(group);
    return c.give(value::str(subject.cut(begin, begin + group.size())));
  });
}

template <OnBad kOnBad>
bool regex_find_all(Call& c) {
  return with_regex<kOnBad>(c, [&](const RE2& re) {
    Subject subject(c[1].as_string());
    std::vector<Value> out;
    Patience patience;
    for (Match m : find_all(re, subject, c[2].as_int(), patience)) {
      out.push_back(value::str(subject.cut(m.begin, m.end)));
    }
    if (patience.was_over()) return patience.fail(c);
    if (out.size() > kMaxItems) return fail_items(c);
    return c.give(list_or_nil(std::move(out)));
  });
}

template <OnBad kOnBad>
bool regex_split(Call& c) {
  return with_regex<kOnBad>(c, [&](const RE2& re) {
    int64_t limit = c[2].as_int();
    std::vector<Value> out;
    if (limit == 0) return c.give(list_or_nil({}));
    if (!c[0].str().empty() && c[1].str().empty()) {
      return c.give(list_or_nil({value::str("")}));
    }
    Subject subject(c[1].as_string());
    size_t begin = 0, end = 0, size = subject.text().size();
    Patience patience;
    for (Match m : find_all(re, subject, limit, patience)) {
      if (limit > 0 && static_cast<int64_t>(out.size()) == limit - 1) break;
      end = m.begin;
      if (m.end != 0) out.push_back(value::str(subject.cut(begin, end)));
      begin = m.end;
    }
    if (patience.was_over()) return patience.fail(c);
    if (end != size) out.push_back(value::str(subject.cut(begin, size)));
    if (out.size() > kMaxItems) return fail_items(c);
    return c.give(Value::list_of(std::move(out), Type::kStringList));
  });
}

template <OnBad kOnBad, bool kLiteral>
bool regex_replace(Call& c) {
  return with_regex<kOnBad>(c, [&](const RE2& re) {
    std::string out;
    Patience patience;
    if (!Replacer(re, c[2].as_string(), kLiteral).run(c[1].as_string(), out, patience)) {
      return patience.was_over() ? patience.fail(c) : fail_size(c);
    }
    return c.give(value::str(out));
  });
}

bool regex_quote_meta(Call& c) {
  std::string out;
  for (char ch : c[0].as_string()) {
    if (std::string_view("\\.+*?()|[]{}^$").find(ch) != std::string_view::npos) out.push_back('\\');
    out.push_back(ch);
  }
  return c.give(value::str(out));
}

constexpr size_t kMaxBroken = size_t{4} << 20;  // of text that is not UTF-8

// What took far longer than steps_to_search says, by going through a long text again and again, is
// charged by this thread's processor time, which other work on the machine does not change.
template <value::NativeFn kFn>
bool charged(Call& c) {
  constexpr size_t kLong = 1024;
  const size_t size = c[1].str().size();
  if (size < kLong) return kFn(c);
  if (size > kMaxBroken && !valid_utf8(c[1].as_string())) return fail_size(c);
  const int64_t start = sys::thread_time_ns();
  const bool good = kFn(c);
  const auto took = static_cast<uint64_t>(sys::thread_time_ns() - start);
  c.steps = std::max(c.steps, took * kStepsInAMillisecond / 1'000'000);
  return good;
}

constexpr auto kMust = OnBad::kMust;
constexpr auto kPanic = OnBad::kPanic;
constexpr FuncDef kRows[] = {
    {"mustRegexFind", "ss", charged<regex_find<kMust>>},
    {"mustRegexFindAll", "ssi", charged<regex_find_all<kMust>>},
    {"mustRegexMatch", "ss", charged<must_regex_match>},
    {"mustRegexReplaceAll", "sss", charged<regex_replace<kMust, false>>},
    {"mustRegexReplaceAllLiteral", "sss", charged<regex_replace<kMust, true>>},
    {"mustRegexSplit", "ssi", charged<regex_split<kMust>>},
    {"regexFind", "ss", charged<regex_find<kPanic>>},
    {"regexFindAll", "ssi", charged<regex_find_all<kPanic>>},
    {"regexMatch", "ss", charged<regex_match>},
    {"regexQuoteMeta", "s", regex_quote_meta},
    {"regexReplaceAll", "sss", charged<regex_replace<kPanic, false>>},
    {"regexReplaceAllLiteral", "sss", charged<regex_replace<kPanic, true>>},
    {"regexSplit", "ssi", charged<regex_split<kPanic>>},
};

}  // namespace

Family regex_family() { return kRows; }

}  // namespace pintle::funcs
