#include "cli/chart_search.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "funcs/funcs.h"
#include "semver/semver.h"

namespace pintle::cli {
namespace {

constexpr int kMaxScore = 25;

// How many field separators stand before the match.
int score_of(std::string_view line, size_t at) {
  return static_cast<int>(std::ranges::count(line.substr(0, at), '\v'));
}

// The leftmost match of a Go regular expression, through the template function that has them.
Result<std::optional<size_t>> match_at(const std::string& pattern, const std::string& line) {
  const auto table = funcs::table();
  const auto row = std::ranges::find(table, "mustRegexFind", &value::FuncDef::name);
  const value::Value args[] = {value::str(pattern), value::str(line)};
  value::Call call{.args = args, .count = 2, .machine = nullptr, .ret = {}, .error = nullptr};
  if (!row->fn(call)) return *call.error;
  const std::string_view found = call.ret.is_string() ? call.ret.as_string() : "";
  if (found.empty()) return std::nullopt;
  return line.find(found);
}

bool better(const ChartHit& a, const ChartHit& b) {
  if (a.score != b.score) return a.score < b.score;
  if (a.name != b.name) return a.name < b.name;
  const auto va = semver::parse(a.chart.version);
  const auto vb = semver::parse(b.chart.version);
  if (!va || !vb) return va.has_value() && !vb;
  return semver::compare(*va, *vb) > 0;
}

}  // namespace

void ChartSearch::add(const std::string& repository, const std::vector<IndexedChart>& index,
                      bool all) {
  for (const IndexedChart& chart : index) {
    for (const ChartVersion& version : chart.versions) {
      lines_.push_back({cat(version.name, "\v", repository, "/", version.name, "\v",
                            version.description, "\v", join(version.keywords, " ")),
                        {path::join({repository, chart.name}), 0, version}});
      if (!all) break;
    }
  }
}

Result<std::vector<ChartHit>> ChartSearch::find(std::string_view term, bool regexp) const {
  const std::string pattern = regexp ? std::string(term) : to_lower(term);
  std::vector<ChartHit> hits;
  for (const Line& line : lines_) {
    std::optional<size_t> at = 0;
    std::string lower;
    if (!term.empty()) {
      if (!regexp) lower = to_lower(line.text);
      at = regexp ? TRY(match_at(pattern, line.text)) : lower.find(pattern);
      if (!at || *at == std::string::npos) continue;
    }
    ChartHit hit = line.hit;
    hit.score = term.empty() ? 0 : score_of(regexp ? line.text : lower, *at);
    if (hit.score < kMaxScore) hits.push_back(std::move(hit));
  }
  std::ranges::stable_sort(hits, better);
  return hits;
}

Result<std::vector<ChartHit>> constrain(std::vector<ChartHit> hits, const std::string& constraint,
                                        bool all) {
  auto allowed = semver::Constraints::parse(constraint);
  if (!allowed) return Error::wrap("an invalid version/constraint format", allowed.error());
  std::vector<ChartHit> out;
  std::set<std::string> seen;
  for (ChartHit& hit : hits) {
    if (!all && seen.contains(hit.name)) continue;
    const auto version = semver::parse(hit.chart.version);
    if (!version || !allowed->check(*version)) continue;
    seen.insert(hit.name);
    out.push_back(std::move(hit));
  }
  return out;
}

}  // namespace pintle::cli
