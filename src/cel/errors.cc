#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/node.h"

namespace pintle::cel {
namespace {

constexpr size_t kMost = 100, kLongestLine = 16384;

}  // namespace

void Errors::add(size_t at, std::string message) { x_errors.push_back({at, std::move(message)}); }

std::string Errors::shown(const One& e) const {
  if (e.at == kNowhere) return cat("ERROR: <input>:-1:0: ", e.message);
  const std::string_view before = x_source.substr(0, std::min(e.at, x_source.size()));
  const size_t newline = before.rfind('\n');
  const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view lead = before.substr(start);
  std::string out = cat("ERROR: <input>:", line, ":", rune_count(lead) + 1, ": ", e.message);
  std::string snippet(x_source.substr(start, x_source.find('\n', start) - start));
  if (rune_count(snippet) > kLongestLine) return out;
  std::replace(snippet.begin(), snippet.end(), '\t', ' ');
  out += "\n | " + snippet + "\n | ";
  for (std::string_view rest = lead; !rest.empty();) {
    const Rune r = decode_rune(rest);
    out += r.size > 1 ? "\uff0e" : ".";
    rest.remove_prefix(static_cast<size_t>(r.size));
  }
  const std::string_view after = x_source.substr(before.size());
  return out + (decode_rune(after).size > 1 ? "\uff3e" : "^");
}

std::string Errors::text() const {
  std::vector<One> sorted(x_errors.begin(), x_errors.begin() + static_cast<ptrdiff_t>(std::min(kMost, x_errors.size())));
  std::stable_sort(sorted.begin(), sorted.end(), [](const One& a, const One& b) { return a.at < b.at; });
  std::string out;
  for (const One& e : sorted) out += (out.empty() ? "" : "\n") + shown(e);
  if (x_errors.size() > kMost) out += cat("\n", x_errors.size() - kMost, " more errors were truncated");
  return out;
}

}  // namespace pintle::cel
