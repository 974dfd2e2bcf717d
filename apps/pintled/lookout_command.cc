#include "lookout_command.h"

#include "base/log.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/config/config.h"
#include "lookout/lookout.h"
#include "lookout/rules/rules.h"
#include "output.h"
#include "signals.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::pintled {

const std::string_view kLookoutHelp =
    R"(Watch clusters and tell what is released in them.

It stores every Event and every release of its regions once, recognises what they mean by rules, and
sends it to whoever has subscribed. Its API and status page are where the configuration's "listen"
says. SIGTERM stops it, in ten seconds at most, SIGHUP reads the configuration anew.

Usage:
  pintled lookout --config FILE [flags]
  pintled lookout check-config FILE
  pintled lookout rules test FILE [EVENT-FILE]
  pintled lookout --print-config

Commands:
  check-config   say whether a configuration is good, and what is wrong
  rules test     say whether the rules of a file are good, and what they (and the default ones) make
                 of Events: a JSON file with one Event, a list of them, or one a line

Flags:
      --config FILE    the configuration
      --debug          log what happens with each watch too
      --print-config   print an example configuration with comments
  -h, --help           show this help
)";

namespace {

constexpr int64_t kGraceMs = 5000, kLongestStopMs = 9000;
constexpr size_t kMaxFile = 256 << 20;

int usage(std::string_view text) {
  return fail(kUsage, cat(text, "\nRun 'pintled lookout --help' for usage."));
}

// Each finding on a line of its own.
int fail_each(std::string_view findings) {
  for (const std::string_view finding : split(findings, "\n")) (void)fail(1, finding);
  return 1;
}

int check_config(const std::string& file) {
  const auto config = lookout::load_config(file, sys::real_disk());
  if (!config) return fail_each(config.error().text());
  say(cat(file, " is good: ", config->regions.size(), " regions, ", config->subscriptions.size(),
          " subscriptions, ", config->rules.size(), " rules\n"));
  return 0;
}

// The JSON objects of a text: one, a list, {"items": []} as kubectl prints it, or one a line.
std::vector<std::string> events_of(std::string_view text) {
  std::vector<std::string> out;
  const auto add = [&](const value::Value& v) {
    if (auto json = json::write(v)) out.push_back(std::move(*json));
  };
  if (const auto whole = json::read(text, {json::Numbers::kExact})) {
    const value::Value* items = whole->get("items");
    const value::Value& list = items != nullptr ? *items : *whole;
    if (!list.is_list()) {
      add(list);
    } else {
      for (const value::Value& item : list.items()) add(item);
    }
    return out;
  }
  for (const std::string_view line : split(text, "\n")) {
    if (!line.empty()) out.emplace_back(line);
  }
  return out;
}

int rules_test(const std::string& file, const std::string& events_file) {
  auto& disk = sys::real_disk();
  const auto text = disk.read_file(file, kMaxFile);
  if (!text) return fail(1, text.error().text());
  auto rules = lookout::parse_rules(*text, file);
  if (!rules) return fail_each(rules.error().text());
  const size_t count = rules->size();
  const auto compiled = lookout::Rules::compile(std::move(*rules));
  if (!compiled) return fail(1, cat(file, ": ", compiled.error().text()));
  say(cat(file, " is good: ", count, " rules with the default ones\n"));
  if (events_file.empty()) return 0;
  const auto events = disk.read_file(events_file, kMaxFile);
  if (!events) return fail(1, events.error().text());
  size_t seen = 0, matched = 0;
  for (const std::string& json : events_of(*events)) {
    const auto event = lookout::parse_kube_event(json);
    if (!event) {
      warn(cat("event ", seen + 1, ": ", event.error().text(), "\n"));
      continue;
    }
    ++seen;
    const auto hit = compiled->match(*event, "cluster", "region", {});
    matched += hit.rule != nullptr ? 1 : 0;
    say(cat(event->involved.kind, " ", event->involved.name_space, "/", event->involved.name, " ",
            event->reason, ": ",
            hit.rule != nullptr ? cat(hit.rule->type, " (", hit.rule->name, ")") : "-", "\n"));
  }
  say(cat(seen, " events, ", matched, " recognised\n"));
  return 0;
}

int serve(const std::string& file, bool debug) {
  auto& disk = sys::real_disk();
  auto config = lookout::load_config(file, disk);
  if (!config) return fail_each(config.error().text());
  keep_memory_close();
  raise_descriptor_limit();
  const sigset_t signals = block_signals({SIGINT, SIGTERM, SIGHUP});
  const Log log = [debug](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    if (level != "DEBUG" || debug) warn(slog_line(level, message, attrs) + "\n");
  };
  auto service = lookout::Lookout::start({std::move(*config), log}, disk, sys::real_environ());
  if (!service) return fail(1, service.error().text());
  say(cat("lookout is ready at ", (*service)->url(), "\n"));
  while (next_signal(signals) == SIGHUP) {
    auto next = lookout::load_config(file, disk);
    const Status taken = next ? (*service)->reload(std::move(*next)) : Status(next.error());
    if (!taken)
      log("ERROR", "the configuration stays as it was", {{"error", taken.error().text()}});
  }
  end_within(kLongestStopMs, [log] {
    log("ERROR", "the stop is cut short; what was heard and not stored is heard again", {});
  });
  (*service)->stop(kGraceMs);
  return 0;
}

}  // namespace

int lookout_command(const std::vector<std::string>& args) {
  std::string config;
  bool debug = false;
  if (!args.empty() && args[0] == "check-config") {
    if (args.size() != 2) return usage("\"pintled lookout check-config\" takes one file");
    return check_config(args[1]);
  }
  if (!args.empty() && args[0] == "rules") {
    if (args.size() < 3 || args.size() > 4 || args[1] != "test") {
      return usage("want: pintled lookout rules test FILE [EVENT-FILE]");
    }
    return rules_test(args[2], args.size() == 4 ? args[3] : "");
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--help" || arg == "-h") {
      say(kLookoutHelp);
      return 0;
    }
    if (arg == "--print-config") {
      say(lookout::example_config());
      return 0;
    }
    if (arg == "--debug") {
      debug = true;
    } else if (arg.starts_with("--config=")) {
      config = arg.substr(9);
    } else if (arg == "--config") {
      if (++i == args.size()) return usage("flag needs an argument: --config");
      config = args[i];
    } else {
      return usage(arg.starts_with("-")
                       ? cat("unknown flag: ", arg)
                       : cat("unknown command \"", arg, "\" for \"pintled lookout\""));
    }
  }
  if (config.empty()) return usage("--config FILE is wanted");
  return serve(config, debug);
}

}  // namespace pintle::pintled
