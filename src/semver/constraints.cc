// Constraints: groups joined by "||"; the comparators of a group (comma or white space between
// them) must all hold. A comparator is an operator, optional white space and a version whose parts
// may be wildcards.
//
// Masterminds decides the syntax with four regular expressions; their alternatives never overlap
// (operators hold no version characters), so greedy scanning gives the same matches:
//   - "a - b" is first rewritten to ">= a, <= b " in the whole text, before splitting at "||";
//   - a version segment is any run of [0-9|xX*]: "1|2" scans and then fails as a version, and "||"
//     splits before anything else is looked at;
//   - "no prerelease unless asked" is decided once per group: one comparator with a prerelease
//     opens the whole group.
//
// `dirty` says a part was a wildcard or missing. For a wildcard major the version is 0.0.0 and
// neither minor_dirty nor patch_dirty is set, which is why "*" behaves as ">= 0.0.0".
#include <algorithm>

#include "base/gotext.h"
#include "semver/scan.h"
#include "semver/semver.h"

namespace pintle::semver {
namespace {

enum class Op : uint8_t {
  kTildeOrEqual,
  kNotEqual,
  kGreater,
  kLess,
  kGreaterEqual,
  kLessEqual,
  kTilde,
  kCaret
};

struct OpName {
  std::string_view text;
  Op op;
};
constexpr OpName kOps[] = {
    // longer ones first: the scan takes the first that fits
    {"!=", Op::kNotEqual},    {">=", Op::kGreaterEqual}, {"=>", Op::kGreaterEqual},
    {"<=", Op::kLessEqual},   {"=<", Op::kLessEqual},    {"~>", Op::kTilde},
    {"=", Op::kTildeOrEqual}, {">", Op::kGreater},       {"<", Op::kLess},
    {"~", Op::kTilde},        {"^", Op::kCaret},         {"", Op::kTildeOrEqual},
};

struct Comparator {
  Version con;
  std::string orig;  // as written, without the operator
  std::string_view op_text;
  Op op = Op::kTildeOrEqual;
  bool dirty = false, minor_dirty = false, patch_dirty = false;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
bool in_segment(char c) {
  return is_number_char(c) || c == '|' || c == 'x' || c == 'X' || c == '*';
}
bool is_wildcard(std::string_view s) { return s == "x" || s == "X" || s == "*"; }
size_t skip_blanks(std::string_view s, size_t i) {
  while (i < s.size() && is_blank(s[i])) ++i;
  return i;
}

// "a - b" at s[i], after optional white space; bytes matched, 0 for none.
size_t match_range(std::string_view s, size_t i, std::string_view* low, std::string_view* high) {
  Parts ignored;
  size_t start = skip_blanks(s, i);
  size_t n = scan_version(s.substr(start), in_segment, &ignored);
  if (n == 0) return 0;
  size_t dash = skip_blanks(s, start + n);
  if (dash == start + n || dash >= s.size() || s[dash] != '-') return 0;
  size_t second = skip_blanks(s, dash + 1);
  if (second == dash + 1) return 0;
  size_t m = scan_version(s.substr(second), in_segment, &ignored);
  if (m == 0) return 0;
  *low = s.substr(start, n);
  *high = s.substr(second, m);
  return skip_blanks(s, second + m) - i;
}

std::string rewrite_ranges(std::string_view text) {
  std::string out(text);
  if (text.find('-') == std::string_view::npos) return out;
  for (size_t i = 0; i < text.size();) {
    std::string_view low, high;
    size_t n = match_range(text, i, &low, &high);
    if (n == 0) {
      ++i;
      continue;
    }
    std::string both = ">= ";
    both.append(low).append(", <= ").append(high).append(" ");
    // The first occurrence, which an earlier equal range may have left before this one.
    if (size_t at = out.find(text.substr(i, n)); at != std::string::npos) {
      out.replace(at, n, both);
    }
    i += n;
  }
  return out;
}

Error improper(std::string_view group) {
  return Error("improper constraint: " + quote(group), Code::kInvalidArgument);
}

Result<Comparator> make_comparator(const OpName& op, std::string_view written, const Parts& p) {
  Comparator c;
  c.orig = written;
  c.op = op.op;
  c.op_text = op.text;
  std::string version(written);
  std::string dashed(p.prerelease_dashed);
  if (is_wildcard(p.major)) {
    version = "0.0.0" + dashed;
    c.dirty = true;
  } else if (p.minor.empty() || is_wildcard(p.minor)) {
    version = std::string(p.major) + ".0.0" + dashed;
    c.dirty = c.minor_dirty = true;
  } else if (p.patch.empty() || is_wildcard(p.patch)) {
    version = std::string(p.major) + "." + std::string(p.minor) + ".0" + dashed;
    c.dirty = c.patch_dirty = true;
  }
  auto con = parse(version);
  if (!con) return Error("constraint parser error", Code::kInvalidArgument);
  c.con = *std::move(con);
  return c;
}

// Separators are white space or a comma followed by white space; one must stand between two
// comparators, none after the last but white space.
Result<std::vector<Comparator>> parse_group(std::string_view group) {
  struct Raw {
    const OpName* op;
    std::string_view written;
    Parts parts;
  };
  std::vector<Raw> raws;
  size_t i = skip_blanks(group, 0);
  while (true) {
    Raw raw{};
    size_t version_at = 0, n = 0;
    for (const OpName& op : kOps) {
      if (!group.substr(i).starts_with(op.text)) continue;
      version_at = skip_blanks(group, i + op.text.size());
      n = scan_version(group.substr(version_at), in_segment, &raw.parts);
      raw.op = &op;
      break;
    }
    if (n == 0) return improper(group);
    raw.written = group.substr(version_at, n);
    raws.push_back(raw);
    size_t after = skip_blanks(group, version_at + n);
    if (after == group.size()) break;
    bool comma = group[after] == ',';
    if (!comma && after == version_at + n) return improper(group);
    i = comma ? skip_blanks(group, after + 1) : after;
  }
  std::vector<Comparator> out;
  out.reserve(raws.size());
  for (const Raw& raw : raws) out.push_back(TRY(make_comparator(*raw.op, raw.written, raw.parts)));
  return out;
}

// One check; on failure *why (when not null) becomes Masterminds' sentence.
class Check {
 public:
  Check(const Version& v, const Comparator& c, std::string* why) : v_(v), c_(c), why_(why) {}

  bool run() const {
    switch (c_.op) {
      case Op::kTildeOrEqual:
        if (c_.dirty) return tilde();
        return order() == 0 || fail("is not equal to");
      case Op::kNotEqual:
        return !equal() || fail("is equal to");
      case Op::kGreater:
        return greater() || fail("is less than or equal to");
      case Op::kLess:
        return order() < 0 || fail("is greater than or equal to");
      case Op::kGreaterEqual:
        return order() >= 0 || fail("is less than");
      case Op::kLessEqual:
        return less_equal() || fail("is greater than");
      case Op::kTilde:
        return tilde();
      case Op::kCaret:
        return caret();
    }
    return false;
  }

  bool fail(std::string_view verb, std::string_view tail = {}) const {
    if (why_ != nullptr) {
      *why_ = quote(v_.text());
      why_->append(" ").append(verb).append(" ").append(quote(c_.orig)).append(tail);
    }
    return false;
  }

 private:
  int order() const { return compare(v_, c_.con); }

  bool equal() const {
    if (!c_.dirty) return order() == 0;
    if (c_.con.major != v_.major) return false;
    if (c_.con.minor != v_.minor && !c_.minor_dirty) return false;
    if (c_.minor_dirty) return true;
    if (c_.con.patch != v_.patch && !c_.patch_dirty) return false;
    if (c_.patch_dirty) return compare_prerelease(v_.prerelease, c_.con.prerelease) == 0;
    return order() == 0;
  }

  bool greater() const {
    if (!c_.dirty) return order() > 0;
    if (v_.major != c_.con.major) return v_.major > c_.con.major;
    if (c_.minor_dirty) return false;
    if (c_.patch_dirty) return v_.minor > c_.con.minor;
    return order() > 0;
  }

  bool less_equal() const {
    if (!c_.dirty) return order() <= 0;
    if (v_.major > c_.con.major) return false;
    return !(v_.major == c_.con.major && v_.minor > c_.con.minor && !c_.minor_dirty);
  }

  bool tilde() const {
    if (order() < 0) return fail("is less than");
    bool zero = c_.con.major == 0 && c_.con.minor == 0 && c_.con.patch == 0;
    if (zero && !c_.minor_dirty && !c_.patch_dirty) return true;
    if (v_.major != c_.con.major) return fail("does not have same major version as");
    if (v_.minor != c_.con.minor && !c_.minor_dirty) {
      return fail("does not have same major and minor version as");
    }
    return true;
  }

  bool caret() const {
    if (order() < 0) return fail("is less than");
    if (c_.con.major > 0 || c_.minor_dirty) {
      return v_.major == c_.con.major || fail("does not have same major version as");
    }
    if (v_.major > 0) return fail("does not have same major version as");
    if (c_.con.minor > 0 || c_.patch_dirty) {
      return v_.minor == c_.con.minor ||
             fail("does not have same minor version as",
                  ". Expected minor versions to match when constraint major version is 0");
    }
    if (v_.minor > 0) return fail("does not have same minor version as");
    return v_.patch == c_.con.patch ||
           fail("does not equal",
                ". Expect version and constraint to equal when major and minor versions are 0");
  }

  const Version& v_;
  const Comparator& c_;
  std::string* why_;
};

}  // namespace

struct Constraints::Rep {
  struct Group {
    std::vector<Comparator> comparators;
    bool takes_prereleases = false;
  };
  std::vector<Group> groups;
};

Constraints::Constraints(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
Constraints::~Constraints() = default;
Constraints::Constraints(Constraints&&) noexcept = default;
Constraints& Constraints::operator=(Constraints&&) noexcept = default;

Result<Constraints> Constraints::parse(std::string_view text) {
  if (text.size() > kMaxConstraintLength) {
    return Error("constraint string is too long (max 512 bytes)", Code::kInvalidArgument);
  }
  const std::string rewritten = rewrite_ranges(text);
  std::vector<std::string_view> pieces;
  for (std::string_view rest = rewritten;;) {
    size_t bars = rest.find("||");
    pieces.push_back(rest.substr(0, bars));
    if (bars == std::string_view::npos) break;
    rest.remove_prefix(bars + 2);
  }
  if (pieces.size() > kMaxConstraintGroups) {
    return Error("too many constraint groups (max 32)", Code::kInvalidArgument);
  }
  auto rep = std::make_unique<Rep>();
  for (std::string_view piece : pieces) {
    Rep::Group group;
    group.comparators = TRY(parse_group(piece));
    group.takes_prereleases =
        std::any_of(group.comparators.begin(), group.comparators.end(),
                    [](const Comparator& c) { return !c.con.prerelease.empty(); });
    rep->groups.push_back(std::move(group));
  }
  return Constraints(std::move(rep));
}

bool Constraints::check(const Version& v) const {
  return std::any_of(rep_->groups.begin(), rep_->groups.end(), [&](const Rep::Group& group) {
    if (!v.prerelease.empty() && !group.takes_prereleases) return false;
    return std::all_of(group.comparators.begin(), group.comparators.end(),
                       [&](const Comparator& c) { return Check(v, c, nullptr).run(); });
  });
}

bool Constraints::validate(const Version& v, std::vector<std::string>* reasons) const {
  std::vector<std::string> found;
  bool prerelease_said = false;
  for (const Rep::Group& group : rep_->groups) {
    bool good = true;
    for (const Comparator& c : group.comparators) {
      if (!v.prerelease.empty() && !group.takes_prereleases) {
        good = false;
        if (!prerelease_said) {
          found.push_back(quote(v.text()) +
                          " is a prerelease version and the constraint is only looking for "
                          "release versions");
          prerelease_said = true;
        }
        continue;
      }
      std::string why;
      if (!Check(v, c, &why).run()) {
        found.push_back(std::move(why));
        good = false;
      }
    }
    if (good) {
      if (reasons != nullptr) reasons->clear();
      return true;
    }
  }
  if (reasons != nullptr) *reasons = std::move(found);
  return false;
}

std::string Constraints::text() const {
  std::string out;
  for (const Rep::Group& group : rep_->groups) {
    if (&group != rep_->groups.data()) out += " || ";
    for (const Comparator& c : group.comparators) {
      if (&c != group.comparators.data()) out += ' ';
      out.append(c.op_text).append(c.orig);
    }
  }
  return out;
}

}  // namespace pintle::semver
