#include "lookout/sinks/body.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "funcs/funcs.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "tmpl/tmpl.h"

namespace pintle::lookout {
namespace {

constexpr size_t kLineLimit = 180;  // of one event among many

// Event::data is made by us; what should be no JSON all the same is told as text.
std::string data_json(const Event& e) { return json::read(e.data) ? e.data : json::quoted(e.data); }

// Template functions without those that make keys or ask the network: an event must be told in
// microseconds.
std::span<const value::FuncDef> functions() {
  static const auto rows = [] {
    std::vector<value::FuncDef> out;
    for (const value::FuncDef& f : funcs::table()) {
      const bool slow = f.name.starts_with("gen") || f.name == "htpasswd" || f.name == "bcrypt" ||
                        f.name == "derivePassword" || f.name == "lookup" ||
                        f.name == "getHostByName" || f.name == "buildCustomCert";
      if (!slow) out.push_back(f);
    }
    return out;
  }();
  return rows;
}

}  // namespace

std::string time_text(int64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> t{milliseconds(unix_ms)};
  const auto day = floor<days>(t);
  const year_month_day date(day);
  const hh_mm_ss clock(t - day);
  std::string out = "0000-00-00T00:00:00.000Z";
  const auto put = [&](size_t at, int n, int64_t v) {
    for (; n > 0; --n, v /= 10)
      out[at + static_cast<size_t>(n) - 1] = static_cast<char>('0' + v % 10);
  };
  put(0, 4, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(11, 2, clock.hours().count());
  put(14, 2, clock.minutes().count());
  put(17, 2, clock.seconds().count());
  put(20, 3, clock.subseconds().count());
  return out;
}

std::string plain_event(const StoredEvent& s) {
  const Event& e = s.event;
  Data w;
  w.raw("sequence", cat(s.sequence))
      .raw("type", json::quoted(e.type))
      .raw("severity", json::quoted(severity_name(e.severity)))
      .raw("time", json::quoted(time_text(e.time_ms)))
      .raw("stored", json::quoted(time_text(s.stored_ms)))
      .raw("region", json::quoted(s.region))
      .text("environment", s.environment)
      .raw("cluster", json::quoted(s.cluster_uid))
      .raw("subject", subject_json(e.subject))
      .raw("release", json::quoted(e.release))
      .raw("releaseNamespace", json::quoted(e.release_namespace))
      .raw("revision", cat(e.revision))
      .raw("reason", json::quoted(e.reason))
      .raw("message", json::quoted(e.message))
      .raw("labels", json_map(e.labels))
      .raw("data", data_json(e));
  return w.take();
}

// What told it, so that it is the same wherever it is computed: the object's state, for an Event of
// the cluster that alone; one state may tell several business events, which differ by their key. What
// has no key has its sequence, and a trial, which has none, its time.
std::string event_id(const StoredEvent& s) {
  const Event& e = s.event;
  const bool seen = !s.observation_uid.empty();
  const std::string state = seen ? cat(s.cluster_uid, "/", s.observation_uid, "/", s.observation_version)
                                 : cat(s.cluster_uid, "/", e.subject.uid);
  if (seen && e.type == "kubernetes.event") return state;
  if (e.dedup_key.empty()) return cat(state, "/", s.sequence != 0 ? s.sequence : s.stored_ms);
  return cat(state, "/", crypt::hex(crypt::sha256(cat(e.type, "\n", e.dedup_key))).substr(0, 12));
}

std::string webhook_id(std::span<const Claimed> told) {
  std::string all = cat(told[0].delivery.subscription_id);
  for (const Claimed& c : told) append(all, {"\n", event_id(c.event)});
  return cat("msg_", crypt::hex(crypt::sha256(all)).substr(0, 32));
}

std::string cloud_event(const StoredEvent& s) {
  const Event& e = s.event;
  Data w;
  w.raw("specversion", json::quoted("1.0"))
      .raw("id", json::quoted(event_id(s)))
      .raw("source", json::quoted(cat("/regions/", s.region)))
      .raw("type", json::quoted(e.type))
      .text("subject", cat(e.subject.name_space, "/", e.subject.kind, "/", e.subject.name))
      .raw("time", json::quoted(time_text(e.time_ms)))
      .raw("datacontenttype", json::quoted("application/json"))
      .raw("sequence", json::quoted(std::to_string(s.sequence)))
      .raw("region", json::quoted(s.region))
      .raw("severity", json::quoted(severity_name(e.severity)))
      .text("release", e.release)
      .raw("data", plain_event(s));
  return w.take();
}

std::string subject_text(const Subject& s) {
  return cat(s.kind, s.kind.empty() ? "" : " ", s.name_space, s.name_space.empty() ? "" : "/",
             s.name);
}

std::string headline(const StoredEvent& s) {
  const Event& e = s.event;
  std::string out = cat(e.type, " ");
  if (e.release.empty()) {
    out += subject_text(e.subject);
  } else {
    append(out, {e.release_namespace, e.release_namespace.empty() ? "" : "/", e.release});
    if (e.revision > 0) out += cat(" revision ", e.revision);
  }
  if (!s.region.empty()) append(out, {" in ", s.region});
  return out;
}

Status check_template(std::string_view text) {
  tmpl::Set set(functions());
  return set.parse("template", text);
}

Result<std::string> render_template(std::string_view text, const StoredEvent& e) {
  const std::string plain = plain_event(e);
  const value::Value data = TRY(json::read(plain, {json::Numbers::kExact}));
  tmpl::Set set(functions());
  TRY(set.parse("template", text));
  tmpl::Options options;
  options.missing_key = tmpl::MissingKey::kZero;
  options.max_output = 256 << 10;
  options.max_steps = 10'000;
  options.max_depth = 100;
  tmpl::Vm vm(set, options);
  std::string out;
  TRY(vm.execute("template", data, out));
  return out;
}

std::string cut_text(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit < 3 ? 0 : limit - 3;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return cat(text.substr(0, end), "...");
}

Result<std::string> message_text(std::span<const Claimed> events, const SinkOptions& options,
                                 size_t limit, Escape escape) {
  std::string out;
  if (!options.title.empty()) out = cat(options.title, "\n");
  if (!options.body.empty()) {
    for (const Claimed& c : events) {
      append(out, {&c == events.data() ? "" : "\n\n", TRY(render_template(options.body, c.event))});
    }
  } else if (events.size() == 1) {
    const Event& e = events[0].event.event;
    out += escape(headline(events[0].event));
    if (!e.reason.empty()) append(out, {"\n", escape(e.reason)});
    if (!e.message.empty()) append(out, {e.reason.empty() ? "\n" : ": ", escape(e.message)});
    append(out, {"\n", time_text(e.time_ms)});
  } else {
    out += cat(events.size(), " events");
    for (const Claimed& c : events) {
      const Event& e = c.event.event;
      const std::string line = cat(time_text(e.time_ms).substr(11, 8), " ", headline(c.event),
                                   e.reason.empty() ? "" : ": ", e.reason);
      append(out, {"\n", cut_text(escape(line), kLineLimit)});
    }
  }
  return cut_text(out, limit);
}

Result<std::string> event_lines(std::span<const Claimed> events, const SinkOptions& options) {
  std::string out;
  for (const Claimed& c : events) {
    if (!options.body.empty()) {
      out += TRY(render_template(options.body, c.event));
    } else {
      out += options.format == "cloudevents" ? cloud_event(c.event) : plain_event(c.event);
    }
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

}  // namespace pintle::lookout
