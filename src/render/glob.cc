#include "render/glob.h"

#include <algorithm>

#include "base/gotext.h"

namespace pintle::render {

// Builds states back to front: a piece of pattern is compiled knowing the state that follows it.
class GlobParser {
 public:
  using Op = Glob::Op;
  using State = Glob::State;

  // nullopt-like: false when the pattern is bad. Runes are decoded first; gobwas refuses U+FFFD
  // and stops at NUL.
  bool decode(std::string_view pattern) {
    while (!pattern.empty()) {
      Rune r = decode_rune(pattern);
      if (r.value == 0xfffd) return false;
      if (r.value == 0) break;
      runes_.push_back(r.value);
      pattern.remove_prefix(static_cast<size_t>(r.size));
    }
    return true;
  }

  bool parse(Glob& out) {
    std::vector<Piece> pieces;
    if (!sequence(pieces, 0)) return false;
    states_ = &out.states_;
    size_t end = add({.op = Op::kMatch});
    out.start_ = emit(pieces, end);
    return true;
  }

 private:
  struct Piece {
    State state;
    std::vector<std::vector<Piece>> alternatives = {};  // of {a,b}
  };
  static constexpr int kMaxNesting = 1000;

  bool at_end() const { return at_ == runes_.size(); }

  bool sequence(std::vector<Piece>& out, int level) {
    while (!at_end()) {
      char32_t r = runes_[at_];
      if (level > 0 && (r == ',' || r == '}')) return true;
      ++at_;
      if (r == '{') {
        if (level >= kMaxNesting || !alternatives(out, level + 1)) return false;
      } else if (r == '[') {
        if (!range(out)) return false;
      } else if (r == '?') {
        out.push_back({{.op = Op::kSingle}, {}});
      } else if (r == '*') {
        bool super = !at_end() && runes_[at_] == '*';
        if (super) ++at_;
        out.push_back({{.op = Op::kRun, .separators = super}, {}});
      } else {
        if (r == '\\') {
          if (at_end()) return true;
          r = runes_[at_++];
        }
        out.push_back({{.op = Op::kChar, .low = r}, {}});
      }
    }
    return true;
  }

  bool alternatives(std::vector<Piece>& out, int level) {
    Piece any{{.op = Op::kSplit}, {}};
    for (;;) {
      any.alternatives.emplace_back();
      if (!sequence(any.alternatives.back(), level)) return false;
      if (at_end()) break;  // an open brace closes itself at the end
      if (runes_[at_++] == '}') break;
    }
    out.push_back(std::move(any));
    return true;
  }

  // After "[": [!]x-y] or [!]text]
  bool range(std::vector<Piece>& out) {
    State s{.op = Op::kOneOf};
    if (!at_end() && runes_[at_] == '!') {
      s.negated = true;
      ++at_;
    }
    if (at_end()) return false;
    if (at_ + 1 < runes_.size() && runes_[at_ + 1] == '-') {
      if (at_ + 2 >= runes_.size()) return false;
      s.op = Op::kRange;
      s.low = runes_[at_];
      s.high = runes_[at_ + 2];
      at_ += 3;
      if (s.high < s.low) return false;
    } else {
      while (!at_end() && runes_[at_] != ']') {
        if (runes_[at_] == '\\' && ++at_ == runes_.size()) return false;
        s.set.push_back(runes_[at_++]);
      }
      if (s.set.empty()) return false;
    }
    if (at_end() || runes_[at_] != ']') return false;
    ++at_;
    out.push_back({std::move(s), {}});
    return true;
  }

  size_t add(State s) {
    states_->push_back(std::move(s));
    return states_->size() - 1;
  }

  size_t emit(std::vector<Piece>& pieces, size_t next) {
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it) {
      if (it->alternatives.empty()) {
        it->state.next = {next};
      } else {
        for (auto& branch : it->alternatives) it->state.next.push_back(emit(branch, next));
      }
      next = add(std::move(it->state));
    }
    return next;
  }

  std::vector<char32_t> runes_;
  size_t at_ = 0;
  std::vector<State>* states_ = nullptr;
};

std::optional<Glob> Glob::compile(std::string_view pattern) {
  Glob out;
  GlobParser parser;
  if (!parser.decode(pattern) || !parser.parse(out)) return std::nullopt;
  return out;
}

bool Glob::takes(const State& s, char32_t r) const {
  switch (s.op) {
    case Op::kChar: return r == s.low;
    case Op::kSingle: return r != '/';
    case Op::kRun: return s.separators || r != '/';
    case Op::kRange: return (r >= s.low && r <= s.high) != s.negated;
    case Op::kOneOf: return (std::find(s.set.begin(), s.set.end(), r) != s.set.end()) != s.negated;
    case Op::kSplit:
    case Op::kMatch: return false;
  }
  return false;
}

// A run may be empty: with it, what follows it is active too.
void Glob::add(std::vector<size_t>& active, std::vector<bool>& seen, size_t state) const {
  if (seen[state]) return;
  seen[state] = true;
  const State& s = states_[state];
  if (s.op != Op::kSplit) active.push_back(state);
  if (s.op == Op::kSplit || s.op == Op::kRun) {
    for (size_t n : s.next) add(active, seen, n);
  }
}

bool Glob::match(std::string_view name) const {
  std::vector<size_t> active, following;
  std::vector<bool> seen(states_.size());
  add(active, seen, start_);
  while (!name.empty()) {
    Rune r = decode_rune(name);
    name.remove_prefix(static_cast<size_t>(r.size));
    following.clear();
    seen.assign(states_.size(), false);
    for (size_t i : active) {
      const State& s = states_[i];
      if (takes(s, r.value)) add(following, seen, s.op == Op::kRun ? i : s.next[0]);
    }
    active.swap(following);
  }
  return std::any_of(active.begin(), active.end(),
                     [&](size_t i) { return states_[i].op == Op::kMatch; });
}

}  // namespace pintle::render
