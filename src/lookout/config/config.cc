#include "lookout/config/config.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "kube/config.h"
#include "lookout/config/directory.h"
#include "lookout/config/pieces.h"
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

class NoVariables : public sys::Environ {
 public:
  std::optional<std::string> find(const std::string&) const override { return std::nullopt; }
  std::vector<std::pair<std::string, std::string>> all() const override { return {}; }
};

// What is wrong with a region's kubeconfig: at which key, and why.
std::optional<Rules::Fault> kubeconfig_fault(const RegionConfig& r, sys::Disk& disk) {
  const NoVariables none;
  kube::ConfigFlags flags;
  flags.kubeconfig = r.kubeconfig;
  const auto whole = kube::load_kubeconfig(flags, disk, none);
  if (!whole) return Rules::Fault{"kubeconfig", whole.error().text()};
  const std::string& name = r.context.empty() ? whole->current : r.context;
  if (name.empty()) return Rules::Fault{"context", "want one: the kubeconfig has no current-context"};
  const bool there = std::any_of(whole->contexts.begin(), whole->contexts.end(),
                                 [&](const kube::KubeContext& c) { return c.name == name; });
  if (!there) {
    return Rules::Fault{r.context.empty() ? "kubeconfig" : "context",
                        cat("the kubeconfig has no context \"", name, "\"")};
  }
  flags.context = r.context;
  const auto config = kube::client_config(flags, disk, none);
  if (!config) return Rules::Fault{"kubeconfig", config.error().text()};
  if (config->token_file.empty()) return std::nullopt;
  const auto token = disk.read_file(config->token_file, kMaxSecret);
  if (token) return std::nullopt;
  return Rules::Fault{"kubeconfig", cat("its tokenFile: ", token.error().text())};
}

// What all readers of a file's tables share. disk: null where files are not looked at.
struct Reading {
  std::string_view path;
  sys::Disk* disk;
  Config& out;
};

void read_region_of_file(Section& s, const Reading& reading) {
  RegionConfig& r = reading.out.regions.emplace_back();
  (void)read_region(s, r);
  if (r.kubeconfig.empty()) {
    s.want(false, "kubeconfig", "want a file, or \"in-cluster\" for the pod's own account");
  } else if (r.kubeconfig != "in-cluster") {
    r.kubeconfig = beside(reading.path, r.kubeconfig);
    if (reading.disk == nullptr) return;
    if (const auto f = kubeconfig_fault(r, *reading.disk)) s.want(false, f->key, f->why);
  }
}

// The texts of those files into the subscription.
Status take_secrets(const SecretFiles& files, const Reading& reading, Subscription& out) {
  if (!files.secret.empty()) {
    out.secret = TRY(reading.disk->read_file(beside(reading.path, files.secret), kMaxSecret));
    while (out.secret.ends_with('\n')) out.secret.pop_back();
  }
  if (files.options.empty()) return ok();
  const value::Value options = TRY(json::read(out.options, {json::Numbers::kExact}));
  value::MapBuilder all;
  if (options.is_map() && options.as_map() != nullptr) {
    for (const auto& [name, v] : *options.as_map()) all.add(name, v);
  }
  for (const auto& [name, file] : files.options) {
    if (options.get(name) != nullptr) {
      return Error(cat("there are ", name, " and ", name, "_file"), Code::kInvalidArgument);
    }
    const auto text = reading.disk->read_file(beside(reading.path, file), kMaxSecret);
    if (!text) return Error::wrap(cat(name, "_file"), text.error());
    all.add(value::Str(name), value::str(*text));
  }
  out.options = TRY(json::write(value::Value::map(all.finish()), {.escape_html = false}));
  return ok();
}

void read_subscription_of_file(Section& s, const Reading& reading) {
  Subscription& out = reading.out.subscriptions.emplace_back();
  SecretFiles files;
  const Status read = read_subscription(s, reading.out.rules, out, &files);
  if ((files.secret.empty() && files.options.empty()) || reading.disk == nullptr) return;
  if (const Status taken = take_secrets(files, reading, out); !taken) {
    return s.want(false, files.secret.empty() ? "options" : "secret_file", taken.error().text());
  }
  if (!read) return;
  if (const Status checked = find_sink(out.sink_kind)->check(out); !checked) {
    s.want(false, "options", checked.error().text());
  }
}

void read_token(Section& s, TokenConfig& t) {
  s.text("name", t.name);
  s.text("sha256", t.sha256);
  s.text("role", t.role);
  const bool hex =
      t.sha256.size() == 64 && t.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  s.want(!t.name.empty(), "name", "a token must have a name");
  s.want(hex, "sha256", "want the token's SHA-256 in 64 lower-case hex digits");
  static constexpr std::string_view kRoles[] = {"inlet", "read", "operate", "admin"};
  s.want(std::find(std::begin(kRoles), std::end(kRoles), t.role) != std::end(kRoles), "role",
         "want \"inlet\", \"read\", \"operate\" or \"admin\"");
  (void)s.end();
}

void read_guard(Section& s, GuardOptions& guard) {
  s.texts("allow", guard.allow);
  s.texts("deny", guard.deny);
  s.numbers("ports", guard.ports, 1, 65'535);
  const auto check = [&](std::string_view key, const GuardOptions& one) {
    const Status good = check_guard_options(one);
    if (!good) s.wrong(key, without_prefix(good.error().text(), cat(key, ": ")));
  };
  for (const std::string& entry : guard.allow) check("allow", {{entry}, {}, {443}});
  for (const std::string& entry : guard.deny) check("deny", {{}, {entry}, {443}});
  (void)s.end();
}

// Names that are there twice; `key` holds them.
class Names {
 public:
  explicit Names(std::string_view key = "name") : key_(key) {}
  void take(Section& s, const std::string& name) {
    if (name.empty() || names_.insert(name).second) return;
    s.wrong(key_, cat("there are two ", key_ == "name" ? "named \"" : "of \"", name, "\""));
  }

 private:
  const std::string_view key_;
  std::set<std::string> names_;
};

// New rules stand in their order before the default ones, so that they win.
void read_rules_into(Section& top, Config& config) {
  size_t at = 0;
  Names names;
  for (Section& s : top.tables("rules")) {
    const auto name = read_rule_into(s, config.rules, at);
    if (!name) continue;
    names.take(s, *name);
    config.rules_of_file.insert(*name);
  }
}

template <typename T>
void read_named(Section& top, std::string_view key, std::vector<T>& list,
                Status (*read)(Section&, T&)) {
  Names names;
  for (Section& s : top.tables(key)) {
    (void)read(s, list.emplace_back());
    names.take(s, list.back().name);
  }
}

void read_directory(Section& top, Directory& out) {
  read_named(top, "people", out.people, read_person);
  read_named(top, "owners", out.owners, read_owners);
  read_named(top, "oncall", out.oncall, read_oncall);
}

void read_top(Section& top, std::string_view path, Config& out) {
  top.text("listen", out.listen);
  top.text("database", out.database);
  top.text("secret_key_file", out.secret_key_file);
  top.text("archive", out.archive);
  out.archive = beside(path, out.archive);
  top.flag("raw_events", out.raw_events);
  top.duration("stuck_after", out.tracker.stuck_ms);
  top.duration("settle_within", out.tracker.settle_ms);
  top.duration("group_within", out.tracker.group_ms);
  top.want(out.tracker.stuck_ms > 0, "stuck_after", "want more than nothing");
  if (out.secret_key_file.empty()) out.secret_key_file = "lookout.key";
  out.secret_key_file = beside(path, out.secret_key_file);
  const std::string_view file = without_prefix(out.database, "sqlite:");
  const bool sqlite = file.size() < out.database.size();
  top.want((sqlite && !file.empty()) || out.database.starts_with("postgresql://") ||
               out.database.starts_with("postgres://"),
           "database", "want \"sqlite:PATH\" or \"postgresql://USER@HOST/NAME\"");
  if (sqlite && file != ":memory:") out.database = cat("sqlite:", beside(path, std::string(file)));
  const size_t colon = out.listen.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? std::string_view() : std::string_view(out.listen).substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string_view::npos;
  top.want(digits && atoi(port.data()) <= 65'535, "listen", "want HOST:PORT");
  const bool loopback = out.listen.starts_with("127.") || out.listen.starts_with("localhost:") ||
                        out.listen.starts_with("[::1]:");
  top.want(loopback || top.has("tokens"), "listen",
           "other machines reach this address: there must be [[tokens]]");
}

// Tables that say nothing of others come first; what a rule tells, policies and subscriptions name.
void read_tables(Section& top, const Reading& reading) {
  Config& out = reading.out;
  if (auto s = top.table("share")) {
    s->text("namespace", out.share_namespace);
    s->want(good_name(out.share_namespace), "namespace", "want where the Leases are");
    (void)s->end();
    top.want(out.share_namespace.empty() || !out.database.starts_with("sqlite:"), "database",
             "a file is one lookout's; [share] wants a \"postgresql:\"");
  }
  if (auto s = top.table("guard")) read_guard(*s, out.guard);
  Names regions, tokens, subscriptions, policies("type");
  for (Section& s : top.tables("regions")) {
    read_region_of_file(s, reading);
    regions.take(s, out.regions.back().name);
  }
  for (Section& s : top.tables("tokens")) {
    read_token(s, out.tokens.emplace_back());
    tokens.take(s, out.tokens.back().name);
  }
  out.rules = Rules::defaults();
  read_rules_into(top, out);
  for (Section& s : top.tables("cleaning")) {
    CleaningPolicy p;
    (void)read_policy(s, out, p);
    policies.take(s, p.name);
    out.cleaning.push_back(std::move(p));
  }
  read_directory(top, out.directory);
  for (Section& s : top.tables("subscriptions")) {
    read_subscription_of_file(s, reading);
    subscriptions.take(s, out.subscriptions.back().name);
  }
}

Result<Config> read_config(std::string_view toml, std::string_view path, sys::Disk* disk) {
  const SectionText text = TRY(SectionText::toml(toml, path));
  Section top = text.top();
  Config out;
  read_top(top, path, out);
  read_tables(top, {path, disk, out});
  (void)top.end();
  TRY(text.findings());
  return out;
}

}  // namespace

Result<Config> parse_config(std::string_view toml, std::string_view path) {
  return read_config(toml, path, nullptr);
}

Result<std::vector<Rule>> parse_rules(std::string_view toml, std::string_view path) {
  const SectionText text = TRY(SectionText::toml(toml, path));
  Section top = text.top();
  Config out;
  out.rules = Rules::defaults();
  read_rules_into(top, out);
  (void)top.end();
  TRY(text.findings());
  return std::move(out.rules);
}

Result<Config> load_config(const std::string& path, sys::Disk& disk) {
  return read_config(TRY(disk.read_file(path, kMaxFile)), path, &disk);
}

}  // namespace pintle::lookout
