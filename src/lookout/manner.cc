#include "lookout/manner.h"

#include <algorithm>
#include <chrono>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/config/section.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kSecondMs = 1000, kMinuteMs = 60 * kSecondMs, kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int kMostZoneMin = 14 * 60;
constexpr size_t kMostDelays = 50, kMostWhom = 50;

constexpr std::pair<std::string_view, FallBack> kFallBacks[] = {
    {"nobody", FallBack::kNobody}, {"unknown", FallBack::kUnknown}, {"always", FallBack::kAlways}};

constexpr std::string_view kOnceFields[] = {"type", "region", "cluster", "namespace", "release",
                                            "revision", "kind", "name", "reason"};

// "HH:MM"; -1: it is none.
int minutes_of(std::string_view text) {
  const auto two = [&](size_t at) {
    const bool digits = text[at] >= '0' && text[at] <= '9' && text[at + 1] >= '0' && text[at + 1] <= '9';
    return digits ? (text[at] - '0') * 10 + (text[at + 1] - '0') : 99;
  };
  if (text.size() != 5 || text[2] != ':' || two(0) > 23 || two(3) > 59) return -1;
  return two(0) * 60 + two(3);
}

std::string clock_text(int minutes) {
  const auto two = [](int n) { return cat(n < 10 ? "0" : "", n); };
  return cat(two(minutes / 60), ":", two(minutes % 60));
}

// "22:00-07:00" or "22:00-07:00 +08:00".
bool read_quiet(std::string_view text, QuietHours& q) {
  if (text.empty()) {
    q.from_min = q.to_min = q.zone_min = 0;
    return true;
  }
  if (text.size() != 11 && text.size() != 18) return false;
  q.from_min = minutes_of(text.substr(0, 5));
  q.to_min = minutes_of(text.substr(6, 5));
  q.zone_min = text.size() == 18 ? minutes_of(text.substr(13)) : 0;
  const bool fine = text[5] == '-' && q.from_min >= 0 && q.to_min >= 0 && q.set() &&
                    q.zone_min >= 0 && q.zone_min <= kMostZoneMin &&
                    (text.size() == 11 || (text[11] == ' ' && (text[12] == '+' || text[12] == '-')));
  if (fine && text.size() == 18 && text[12] == '-') q.zone_min = -q.zone_min;
  return fine;
}

std::string quiet_text(const QuietHours& q) {
  if (!q.set()) return "";
  std::string out = cat(clock_text(q.from_min), "-", clock_text(q.to_min));
  if (q.zone_min != 0) {
    append(out, {q.zone_min < 0 ? " -" : " +", clock_text(std::abs(q.zone_min))});
  }
  return out;
}

std::string field_of(std::string_view field, const Event& e, std::string_view region,
                     std::string_view cluster_uid) {
  if (field == "type") return e.type;
  if (field == "region") return std::string(region);
  if (field == "cluster") return std::string(cluster_uid);
  if (field == "namespace") {
    return e.release_namespace.empty() ? e.subject.name_space : e.release_namespace;
  }
  if (field == "release") return e.release;
  if (field == "revision") return cat(e.revision);
  if (field == "kind") return e.subject.kind;
  if (field == "name") return e.subject.name;
  return e.reason;
}

void check(Section& s, const Manner& m) {
  s.want(m.whom.size() <= kMostWhom, "whom", cat("want ", kMostWhom, " at most"));
  for (const std::string& text : m.whom) {
    const Status fine = check_template(text);
    s.want(fine.has_value(), "whom", fine ? "" : fine.error().text());
  }
  s.want(m.retry_ms.size() <= kMostDelays, "retry", cat("want ", kMostDelays, " at most"));
  for (const int64_t delay : m.retry_ms) {
    s.want(delay >= kSecondMs && delay <= 7 * kDayMs, "retry", "want 1s to 7d each");
  }
  const auto within = [](int64_t ms, int64_t least, int64_t most) {
    return ms == 0 || (ms >= least && ms <= most);
  };
  s.want(within(m.give_up_ms, kMinuteMs, 30 * kDayMs), "give_up", "want 1m to 30d");
  s.want(within(m.disable_after_ms, kMinuteMs, 365 * kDayMs), "disable_after", "want 1m to 365d");
  s.want(within(m.digest_ms, 10 * kSecondMs, kDayMs), "digest", "want 10s to 1d");
  for (const std::string& field : m.once_per) {
    const bool known = std::find(std::begin(kOnceFields), std::end(kOnceFields), field) != std::end(kOnceFields);
    s.want(known, "once_per", cat("want some of: ", join(std::span(kOnceFields), ", ")));
  }
}

std::string durations_json(const std::vector<int64_t>& list) {
  std::vector<std::string> texts;
  for (const int64_t ms : list) texts.push_back(duration_text(ms));
  return json_list(texts);
}

}  // namespace

void read_manner(Section& s, Manner& m) {
  std::string fall_back, quiet = quiet_text(m.quiet);
  s.texts("whom", m.whom);
  s.text("fall_back", fall_back);
  s.durations("retry", m.retry_ms);
  s.duration("give_up", m.give_up_ms);
  s.duration("disable_after", m.disable_after_ms);
  s.text("quiet", quiet);
  s.severity("quiet_but", m.quiet.but);
  s.duration("digest", m.digest_ms);
  s.texts("once_per", m.once_per);
  if (!fall_back.empty()) {
    const auto* known = std::find_if(std::begin(kFallBacks), std::end(kFallBacks),
                                     [&](const auto& f) { return f.first == fall_back; });
    s.want(known != std::end(kFallBacks), "fall_back", "want \"nobody\", \"unknown\" or \"always\"");
    if (known != std::end(kFallBacks)) m.fall_back = known->second;
  }
  s.want(read_quiet(quiet, m.quiet), "quiet",
         "want hours as \"22:00-07:00\", of UTC, or \"22:00-07:00 +08:00\"");
  check(s, m);
}

void write_manner(Data& out, const Manner& m, bool all) {
  if (all || !m.whom.empty()) out.raw("whom", json_list(m.whom));
  if (all || m.fall_back != FallBack::kNobody) {
    out.text("fall_back", kFallBacks[static_cast<size_t>(m.fall_back)].first);
  }
  if (all || !m.retry_ms.empty()) out.raw("retry", durations_json(m.retry_ms));
  if (all || m.give_up_ms != 0) out.text("give_up", duration_text(m.give_up_ms));
  if (m.disable_after_ms != 0) out.text("disable_after", duration_text(m.disable_after_ms));
  if (all || m.quiet.set()) out.raw("quiet", json::quoted(quiet_text(m.quiet)));
  if (all || m.quiet.but != Severity::kError) out.text("quiet_but", severity_name(m.quiet.but));
  if (all || m.digest_ms != 0) out.text("digest", duration_text(m.digest_ms));
  if (all || !m.once_per.empty()) out.raw("once_per", json_list(m.once_per));
}

std::string manner_json(const Manner& m) {
  Data out;
  write_manner(out, m, false);
  return out.take();
}

Result<Manner> read_manner(std::string_view json) {
  Manner out;
  if (json == "{}") return out;
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  read_manner(top, out);
  TRY(top.end());
  return out;
}

int64_t quiet_until_ms(const QuietHours& q, int64_t now_ms) {
  if (!q.set()) return 0;
  const int64_t there = now_ms + q.zone_min * kMinuteMs;
  const int64_t of_day = there % kDayMs;
  const int64_t from = q.from_min * kMinuteMs, to = q.to_min * kMinuteMs;
  const bool over_midnight = from > to;
  const bool quiet = over_midnight ? of_day >= from || of_day < to : of_day >= from && of_day < to;
  if (!quiet) return 0;
  const int64_t left = to - of_day;
  return now_ms + (left > 0 ? left : left + kDayMs);
}

std::string once_key(const Manner& m, int64_t subscription, const Event& e,
                     std::string_view region, std::string_view cluster_uid) {
  if (m.once_per.empty()) return "";
  std::string all;
  for (const std::string& field : m.once_per) {
    const std::string value = field_of(field, e, region, cluster_uid);
    append(all, {field, "=", cat(value.size()), ":", value, "\n"});
  }
  return cat("once/", subscription, "/", crypt::hex(crypt::sha256(all)));
}

}  // namespace pintle::lookout
