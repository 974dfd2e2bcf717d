#include "compare.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::charts {

namespace {

using Lines = std::vector<std::string_view>;

std::string_view line_at(const Lines& lines, size_t i) {
  return i < lines.size() ? lines[i] : std::string_view("<end>");
}

std::string differing_line(std::string_view stream, const Lines& want, const Lines& got,
                           size_t at) {
  return cat("  ", stream, " line ", at + 1, "\n    want ", quote(line_at(want, at)),
             "\n    got  ", quote(line_at(got, at)));
}

std::string compare_lines(std::string_view stream, const Lines& want, const Lines& got) {
  for (size_t i = 0; i < std::max(want.size(), got.size()); ++i) {
    if (i >= want.size() || i >= got.size() || want[i] != got[i]) {
      return differing_line(stream, want, got, i);
    }
  }
  return "";
}

std::string compare_volatile(const Recording& want, const Lines& a, const Lines& b) {
  if (a.size() != b.size()) {
    return cat("  stdout has ", b.size(), " lines, not ", a.size(), "\n",
               compare_lines("stdout", a, b));
  }
  size_t i = 0;
  for (auto [first, last] : *want.volatile_lines) {
    for (; i + 1 < first && i < a.size(); ++i) {
      if (a[i] != b[i]) return differing_line("stdout", a, b, i);
    }
    i = std::max(i, last);
  }
  for (; i < a.size(); ++i) {
    if (a[i] != b[i]) return differing_line("stdout", a, b, i);
  }
  return "";
}

}  // namespace

std::string difference(const Recording& want, const Run& got) {
  if (want.exit != got.exit) {
    return cat("  exit ", got.exit, ", not ", want.exit, "; stderr ", quote(got.err),
               ", not ", quote(want.err));
  }
  if (want.err_deterministic && want.err != got.err) {
    return compare_lines("stderr", split(want.err, "\n"), split(got.err, "\n"));
  }
  if (want.deterministic) {
    if (want.out == got.out) return "";
    return compare_lines("stdout", split(want.out, "\n"), split(got.out, "\n"));
  }
  Lines a = split(want.out, "\n"), b = split(got.out, "\n");
  if (want.volatile_lines) return compare_volatile(want, a, b);
  if (!want.unordered) return "";
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return compare_lines("sorted stdout", a, b);
}

}  // namespace pintle::charts
