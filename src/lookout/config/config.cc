#include "lookout/config/config.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "lookout/rules/catalog.h"
#include "lookout/config/rules_toml.h"
#include "lookout/config/section.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMaxFile = 4 << 20;
constexpr size_t kMaxSecret = 64 << 10;

std::string beside(std::string_view config, const std::string& path) {
  if (path.empty() || path.starts_with('/')) return path;
  const size_t slash = config.rfind('/');
  return slash == std::string_view::npos ? path : cat(config.substr(0, slash + 1), path);
}

// A name that stands in keys, labels of metrics and file names.
bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

Status read_region(Section& s, std::string_view path, RegionConfig& r) {
  s.text("name", r.name);
  s.text("environment", r.environment);
  s.text("kubeconfig", r.kubeconfig);
  s.text("context", r.context);
  s.texts("namespaces", r.namespaces);
  TRY(s.end());
  if (!good_name(r.name)) return s.error("name", "want letters, digits, '-', '_' and '.'");
  if (r.kubeconfig.empty()) {
    return s.error("kubeconfig", "want a file, or \"in-cluster\" for the pod's own account");
  }
  if (r.kubeconfig != "in-cluster") r.kubeconfig = beside(path, r.kubeconfig);
  return ok();
}

Status read_subscription(Section& s, std::string_view path, Config& config) {
  Subscription out;
  s.text("name", out.name);
  s.texts("types", out.filter.types);
  s.texts("regions", out.filter.regions);
  s.texts("environments", out.filter.environments);
  s.texts("namespaces", out.filter.namespaces);
  s.texts("kinds", out.filter.kinds);
  s.texts("reasons", out.filter.reasons);
  s.texts("releases", out.filter.releases);
  s.labels("labels", out.filter.labels);
  s.severity("min_severity", out.filter.min_severity);
  s.text("sink", out.sink_kind);
  s.text("order_by", out.order_by);
  s.flag("enabled", out.enabled);
  s.text("secret", out.secret);
  std::string secret_file;
  s.text("secret_file", secret_file);
  out.sink_public = "{}";
  if (auto options = s.table("options")) out.sink_public = options->rest_as_json();
  TRY(s.end());
  if (!good_name(out.name)) return s.error("name", "want letters, digits, '-', '_' and '.'");
  static constexpr std::string_view kOrders[] = {"subject", "release", "region", "subscription"};
  if (std::find(std::begin(kOrders), std::end(kOrders), out.order_by) == std::end(kOrders)) {
    return s.error("order_by", "want \"subject\", \"release\", \"region\" or \"subscription\"");
  }
  for (const std::string& type : out.filter.types) {
    if (!known_type_pattern(type, config.rules)) {
      return s.error("types", cat("no event is of type \"", type, "\""));
    }
  }
  const SinkKind* sink = find_sink(out.sink_kind);
  if (sink == nullptr) {
    return s.error("sink", cat("want one of: ", join(sink_names(), ", ")));
  }
  if (!secret_file.empty() && !out.secret.empty()) {
    return s.error("secret_file", "there is a secret already");
  }
  if (!secret_file.empty()) {
    config.secret_files[out.name] = beside(path, secret_file);
  } else if (const Status checked = sink->check(out); !checked) {
    return s.error("options", checked.error().text());
  }
  config.subscriptions.push_back(std::move(out));
  return ok();
}

Status read_token(Section& s, TokenConfig& t) {
  s.text("name", t.name);
  s.text("sha256", t.sha256);
  s.text("role", t.role);
  TRY(s.end());
  const bool hex =
      t.sha256.size() == 64 && t.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (t.name.empty()) return s.error("name", "a token must have a name");
  if (!hex) return s.error("sha256", "want the token's SHA-256 in 64 lower-case hex digits");
  if (t.role != "read" && t.role != "operate" && t.role != "admin") {
    return s.error("role", "want \"read\", \"operate\" or \"admin\"");
  }
  return ok();
}

// A rule of a known name changes that one, where it stands; others come first, so that they win.
Status read_rules_into(Section& top, std::vector<Rule>& rules) {
  std::vector<Rule> added;
  for (Section& s : top.tables("rules")) {
    std::string name;
    s.text("name", name);
    const auto known =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
    if (known != rules.end()) {
      TRY(read_rule(s, *known));
    } else {
      Rule rule;
      TRY(read_rule(s, rule));
      added.push_back(std::move(rule));
    }
  }
  rules.insert(rules.begin(), added.begin(), added.end());
  return ok();
}

template <typename T>
Status unique_names(const std::vector<T>& list, std::string_view path, std::string_view what) {
  std::set<std::string_view> names;
  for (const T& item : list) {
    if (names.insert(item.name).second) continue;
    return Error(cat(path, ": ", what, ": there are two named \"", item.name, "\""),
                 Code::kInvalidArgument);
  }
  return ok();
}

}  // namespace

Result<Config> parse_config(std::string_view toml, std::string_view path) {
  const TomlText text = TRY(TomlText::read(toml, path));
  Section top = text.top();
  Config out;
  top.text("listen", out.listen);
  top.text("database", out.database);
  top.text("secret_key_file", out.secret_key_file);
  top.flag("raw_events", out.raw_events);
  top.duration("stuck_after", out.tracker.stuck_ms);
  top.duration("settle_within", out.tracker.settle_ms);
  if (out.secret_key_file.empty()) out.secret_key_file = "lookout.key";
  out.secret_key_file = beside(path, out.secret_key_file);
  if (out.database.starts_with("sqlite:") && out.database != "sqlite::memory:") {
    out.database = cat("sqlite:", beside(path, out.database.substr(7)));
  }

  for (Section& s : top.tables("regions")) {
    TRY(read_region(s, path, out.regions.emplace_back()));
  }
  for (Section& s : top.tables("tokens")) TRY(read_token(s, out.tokens.emplace_back()));
  for (Section& s : top.tables("cleaning")) {
    CleaningPolicy& p = out.cleaning.emplace_back();
    s.text("type", p.type);
    s.duration("keep", p.keep_ms);
    TRY(s.end());
    if (p.type.empty()) return s.error("type", "want a type of events, or \"*\"");
    if (p.keep_ms <= 0) return s.error("keep", "want how long they are kept, as \"14d\"");
  }
  if (auto s = top.table("guard")) {
    s->texts("allow", out.guard.allow);
    s->texts("deny", out.guard.deny);
    s->numbers("ports", out.guard.ports, 1, 65'535);
    TRY(s->end());
  }
  out.rules = Rules::defaults();
  TRY(read_rules_into(top, out.rules));
  for (Section& s : top.tables("subscriptions")) TRY(read_subscription(s, path, out));
  TRY(top.end());

  TRY(unique_names(out.regions, path, "regions"));
  TRY(unique_names(out.subscriptions, path, "subscriptions"));
  TRY(unique_names(out.tokens, path, "tokens"));
  const size_t colon = out.listen.rfind(':');
  if (colon == std::string::npos || colon + 1 == out.listen.size()) {
    return top.error("listen", "want HOST:PORT");
  }
  const bool loopback = out.listen.starts_with("127.") || out.listen.starts_with("localhost:") ||
                        out.listen.starts_with("[::1]:");
  if (!loopback && out.tokens.empty()) {
    return top.error("listen", "other machines reach this address: there must be [[tokens]]");
  }
  if (auto compiled = Rules::compile(out.rules); !compiled) {
    return Error(cat(path, ": ", compiled.error().text()), Code::kInvalidArgument);
  }
  return out;
}

Result<std::vector<Rule>> parse_rules(std::string_view toml, std::string_view path) {
  const TomlText text = TRY(TomlText::read(toml, path));
  Section top = text.top();
  std::vector<Rule> rules = Rules::defaults();
  TRY(read_rules_into(top, rules));
  TRY(top.end());
  TRY(Rules::compile(rules));
  return rules;
}

Result<Config> load_config(const std::string& path, sys::Disk& disk) {
  const std::string text = TRY(disk.read_file(path, kMaxFile));
  Config out = TRY(parse_config(text, path));
  for (Subscription& s : out.subscriptions) {
    const auto file = out.secret_files.find(s.name);
    if (file == out.secret_files.end()) continue;
    auto secret = disk.read_file(file->second, kMaxSecret);
    if (!secret) return Error::wrap(cat("subscription \"", s.name, "\""), secret.error());
    while (secret->ends_with('\n')) secret->pop_back();
    s.secret = std::move(*secret);
    if (const Status checked = find_sink(s.sink_kind)->check(s); !checked) {
      return Error::wrap(cat(path, ": subscription \"", s.name, "\""), checked.error());
    }
  }
  return out;
}

}  // namespace pintle::lookout
