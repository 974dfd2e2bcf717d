// The table of sinks, and how an answer is judged by its status.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/gotext.h"
#include "base/strings.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMaxRetryAfterMs = 3'600'000;

constexpr std::string_view kOutcomes[] = {"ok", "retry", "dead", "gone"};

const SinkKind* const kSinks[] = {&kDingtalk, &kEmail, &kFeishu, &kFile,    &kHarbor, &kKafka,
                                  &kNats,     &kSlack, &kStdout, &kWebhook, &kWecom};

// "Sun, 06 Nov 1994 08:49:37 GMT" as unix seconds.
std::optional<int64_t> http_date(std::string_view s) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto number = [&](size_t at, size_t n) {
    int v = -1;
    const std::string_view part = s.substr(at, n);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), v);
    return error == std::errc() && end == part.data() + part.size() ? v : -1;
  };
  if (s.size() != 29 || s.substr(25) != " GMT") return std::nullopt;
  const size_t month = kMonths.find(s.substr(8, 3));
  const int day = number(5, 2), year = number(12, 4), h = number(17, 2), m = number(20, 2),
            second = number(23, 2);
  if (month == kMonths.npos || month % 3 != 0 || day < 1 || year < 1970 || h < 0 || m < 0 ||
      second < 0) {
    return std::nullopt;
  }
  using namespace std::chrono;
  const sys_days date = std::chrono::year(year) /
                        std::chrono::month(static_cast<unsigned>(month / 3 + 1)) /
                        std::chrono::day(static_cast<unsigned>(day));
  return date.time_since_epoch().count() * int64_t{86400} + h * 3600 + m * 60 + second;
}

// Seconds, or a date, which is read against the answer's own Date.
int64_t retry_after_ms(const http::Response& r) {
  const std::string_view text = trim_space(r.header("retry-after"));
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty()) return 0;
  if (end != text.data() + text.size() || error == std::errc::result_out_of_range) {
    const auto at = http_date(text), now = http_date(trim_space(r.header("date")));
    if (error == std::errc::result_out_of_range) return kMaxRetryAfterMs;
    seconds = at && now ? *at - *now : 0;
  }
  return std::clamp<int64_t>(seconds, 0, kMaxRetryAfterMs / 1000) * 1000;
}

}  // namespace

std::string_view outcome_name(Outcome o) { return kOutcomes[static_cast<size_t>(o)]; }

const SinkKind* find_sink(std::string_view name) {
  const auto it = std::find_if(std::begin(kSinks), std::end(kSinks),
                               [&](const SinkKind* s) { return s->name == name; });
  return it == std::end(kSinks) ? nullptr : *it;
}

std::vector<std::string_view> sink_names() {
  std::vector<std::string_view> out;
  for (const SinkKind* s : kSinks) out.push_back(s->name);
  return out;
}

Verdict judge_status(const http::Response& r) {
  Verdict v;
  v.status = r.status;
  if (r.status >= 200 && r.status < 300) return v;
  v.why = cat("the receiver answered ", r.status);
  switch (r.status) {
    case 408:
    case 425:
      v.outcome = Outcome::kRetry;
      break;
    case 429:
      v.outcome = Outcome::kRetry;
      break;
    case 410:
      v.outcome = Outcome::kDisable;
      break;
    default:
      v.outcome = r.status >= 400 && r.status < 500 ? Outcome::kDead : Outcome::kRetry;
      v.alive = v.outcome == Outcome::kDead;
  }
  if (r.status >= 300 && r.status < 400) v.why += ", a redirect, which is not followed";
  if (v.outcome == Outcome::kRetry) v.retry_after_ms = retry_after_ms(r);
  return v;
}

}  // namespace pintle::lookout
