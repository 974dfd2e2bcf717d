// Letter case: Go's strings.ToUpper/ToLower/Title, goutils' Uncapitalize and SwapCase, and
// xstrings 1.5's word splitting for camelcase, snakecase and kebabcase.
//
// snakecase cuts the text into words (a run of digits, of upper case letters, of other letters, of
// connectors, of punctuation, of anything else) and decides at each border whether a connector
// belongs there. Bytes that are not UTF-8 never start or end a word; one at the start of a word
// makes the rest up to it a word of its own.
#include <algorithm>

#include "base/gotext.h"
#include "funcs/convert.h"
#include "funcs/strings_family.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Str;
using value::Value;

namespace {

bool ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// ASCII text in one pass; the argument itself when nothing changes.
template <typename Wide>
bool fold(Call& c, char first, char last, Wide wide) {
  std::string_view s = c[0].as_string();
  if (!ascii(s)) return c.give(value::str(wide(s)));
  auto changes = [&](char ch) { return ch >= first && ch <= last; };
  if (std::none_of(s.begin(), s.end(), changes)) return c.give(c[0]);
  return c.give(Value::string(Str::build(s.size(), [&](char* p) {
    for (char ch : s) *p++ = changes(ch) ? static_cast<char>(ch ^ 0x20) : ch;
  })));
}

bool upper(Call& c) {
  return fold(c, 'a', 'z', [](std::string_view s) { return to_upper(s); });
}
bool lower(Call& c) {
  return fold(c, 'A', 'Z', [](std::string_view s) { return to_lower(s); });
}

// Every rune through map(rune).
template <typename MapRune>
bool map_runes(Call& c, MapRune map) {
  std::string_view s = c[0].as_string();
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    Rune r = decode_rune(s);
    append_rune(out, map(r.value));
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return c.give(value::str(out));
}

// strings.Title's idea of what ends a word.
bool is_separator(char32_t r) {
  if (r < 0x80) {
    return !((r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') ||
             r == '_');
  }
  if (is_letter(r) || is_digit(r)) return false;
  return is_space(r);
}

bool title(Call& c) {
  return map_runes(c, [before = U' '](char32_t r) mutable {
    bool starts = is_separator(before);
    before = r;
    return starts ? to_title(r) : r;
  });
}

bool untitle(Call& c) {
  return map_runes(c, [starts = true](char32_t r) mutable {
    if (is_space(r)) {
      starts = true;
      return r;
    }
    return std::exchange(starts, false) ? to_lower(r) : r;
  });
}

bool swapcase(Call& c) {
  return map_runes(c, [after_space = true](char32_t r) mutable {
    if (is_upper(r) || is_title(r)) {
      after_space = false;
      return to_lower(r);
    }
    if (is_lower(r)) return std::exchange(after_space, false) ? to_title(r) : to_upper(r);
    after_space = is_space(r);
    return r;
  });
}

bool is_connector(char32_t r) { return r == '-' || r == '_' || is_space(r); }

Rune take_rune(std::string_view& s) {
  Rune r = decode_rune(s);
  s.remove_prefix(static_cast<size_t>(r.size));
  return r;
}

// xstrings.ToPascalCase.
bool camelcase(Call& c) {
  std::string_view s = c[0].as_string();
  std::string out;
  char32_t now = 0;
  bool upper_word = false;  // the word began in upper case: its upper case run is lowered
  bool any = !s.empty();
  while (!s.empty()) {
    now = take_rune(s).value;
    if (!is_connector(now)) {
      upper_word = is_upper(now);
      now = to_upper(now);
      break;
    }
    append_rune(out, now);
  }
  if (s.empty()) {  // also a text of connectors alone gets its last one twice
    if (any) append_rune(out, now);
    return c.give(value::str(out));
  }
  while (!s.empty()) {
    char32_t before = now;
    now = take_rune(s).value;
    if (is_connector(before)) {
      if (is_connector(now)) {
        append_rune(out, before);
        continue;
      }
      upper_word = is_upper(now);
      now = to_upper(now);
      continue;
    }
    if (upper_word) {
      if (is_upper(now)) {
        now = to_lower(now);
      } else {
        upper_word = false;
      }
    }
    append_rune(out, before);
  }
  append_rune(out, now);
  return c.give(value::str(out));
}

enum class Word { kInvalid, kNumber, kUpper, kLetters, kConnector, kPunct, kOther };

struct Token {
  Word kind = Word::kInvalid;
  std::string_view text;
};

// Letters that form words; Chinese ones stand each for itself (kOther).
bool is_word_letter(char32_t r) {
  if (!is_letter(r)) return false;
  return !((r >= 0x3400 && r <= 0x4D85) || (r >= 0x4E00 && r <= 0x9FCC) ||
           (r >= 0x20000 && r <= 0x2B81D));
}
bool is_plain_letter(char32_t r) { return is_word_letter(r) && !is_upper(r); }

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view s) : rest_(s) {}
  bool at_end() const { return rest_.empty(); }

  Token next() {
    std::string_view all = rest_;
    if (all.empty()) return {};
    Peek first = peek(0xFFFD);
    if (first.rune == 0xFFFD) {
      rest_.remove_prefix(first.size);
      return {Word::kInvalid, all.substr(0, first.size)};
    }
    rest_.remove_prefix(first.size);
    char32_t r = first.rune;
    Word kind = Word::kOther;
    if (is_connector(r)) {
      kind = Word::kConnector;
      take_while(r, is_connector);
    } else if (is_punct(r)) {
      kind = Word::kPunct;
      take_while(r, is_punct);
    } else if (is_upper(r)) {
      kind = Word::kUpper;
      take_upper_word(r);
    } else if (is_word_letter(r)) {
      kind = Word::kLetters;
      take_while(r, is_plain_letter);
    } else if (is_number(r)) {
      kind = Word::kNumber;
      take_while(r, is_number);
    } else {
      take_while(r, [](char32_t q) {
        return !is_connector(q) && !is_word_letter(q) && !is_number(q) && !is_punct(q);
      });
    }
    return {kind, all.substr(0, all.size() - rest_.size())};
  }

 private:
  struct Peek {
    char32_t rune;
    size_t size;  // with the invalid bytes before it
  };

  // The next valid rune; `before` stands in when only invalid bytes are left.
  Peek peek(char32_t before) const {
    size_t size = 0;
    for (std::string_view s = rest_; !s.empty();) {
      Rune r = take_rune(s);
      size += static_cast<size_t>(r.size);
      if (r.value != 0xFFFD) return {r.value, size};
    }
    return {before, size};
  }

  template <typename Is>
  void take_while(char32_t before, Is is) {
    while (!rest_.empty()) {
      Peek p = peek(before);
      before = p.rune;
      if (!is(p.rune)) return;
      rest_.remove_prefix(p.size);
    }
  }

  // "HTTPServer" is HTTP and Server: the last upper letter goes with the small ones behind it.
  void take_upper_word(char32_t r) {
    if (rest_.empty()) return;
    Peek p = peek(r);
    if (is_upper(p.rune)) {
      std::string_view last = rest_;
      char32_t end = p.rune;
      while (!rest_.empty()) {
        p = peek(end);
        end = p.rune;
        if (!is_upper(p.rune)) break;
        last = rest_;
        rest_.remove_prefix(p.size);
      }
      if (!rest_.empty() && is_word_letter(end)) rest_ = last;
    } else if (is_word_letter(p.rune)) {
      take_while(r, is_plain_letter);
    }
  }

  std::string_view rest_;
};

void append_word(std::string& out, const Token& word, char connector) {
  if (word.kind != Word::kUpper && word.kind != Word::kConnector) {
    out.append(word.text);
    return;
  }
  for (std::string_view s = word.text; !s.empty();) {
    char32_t r = take_rune(s).value;
    if (is_connector(r)) {
      out.push_back(connector);
    } else {
      append_rune(out, is_upper(r) ? to_lower(r) : r);
    }
  }
}

bool joins(Word w) { return w == Word::kConnector || w == Word::kPunct; }
bool continues_number(Word w) { return w == Word::kLetters || w == Word::kNumber; }

// xstrings.ToSnakeCase and ToKebabCase.
bool separate_words(Call& c, char connector) {
  std::string out;
  WordSplitter words(c[0].as_string());
  Token word = words.next();
  auto take_number_tail = [&] {  // "2m3s" stays together
    while (continues_number(word.kind)) {
      append_word(out, word, connector);
      word = words.next();
    }
    if (word.kind != Word::kInvalid && !joins(word.kind)) out.push_back(connector);
  };
  while (!words.at_end()) {
    if (word.kind != Word::kConnector) append_word(out, word, connector);
    Token before = word;
    word = words.next();
    switch (before.kind) {
      case Word::kNumber: take_number_tail(); break;
      case Word::kConnector: append_word(out, before, connector); break;
      case Word::kPunct: break;
      default:
        if (word.kind != Word::kNumber) {
          if (!joins(word.kind)) out.push_back(connector);
          break;
        }
        if (words.at_end()) break;
        Token number = word;
        word = words.next();
        if (word.kind != Word::kLetters) {  // "Bld4Floor": the number ends its word
          append_word(out, number, connector);
          if (!joins(word.kind)) out.push_back(connector);
          break;
        }
        out.push_back(connector);  // "http2xx": the number begins one
        append_word(out, number, connector);
        take_number_tail();
    }
  }
  append_word(out, word, connector);
  return c.give(value::str(out));
}

bool snakecase(Call& c) { return separate_words(c, '_'); }
bool kebabcase(Call& c) { return separate_words(c, '-'); }

constexpr FuncDef kRows[] = {
    {"camelcase", "s", camelcase}, {"kebabcase", "s", kebabcase}, {"lower", "s", lower},
    {"snakecase", "s", snakecase}, {"swapcase", "s", swapcase},   {"title", "s", title},
    {"untitle", "s", untitle},     {"upper", "s", upper},
};

}  // namespace

Family string_case_family() { return kRows; }

}  // namespace pintle::funcs
