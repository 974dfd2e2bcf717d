#include "lookout/config/config.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
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

Status read_region_of_file(Section& s, std::string_view path, RegionConfig& r) {
  TRY(read_region(s, r));
  if (r.kubeconfig.empty()) {
    return s.error("kubeconfig", "want a file, or \"in-cluster\" for the pod's own account");
  }
  if (r.kubeconfig != "in-cluster") r.kubeconfig = beside(path, r.kubeconfig);
  return ok();
}

Status read_subscription_of_file(Section& s, std::string_view path, Config& config) {
  Subscription out;
  std::string secret_file;
  TRY(read_subscription(s, config.rules, out, &secret_file));
  if (!secret_file.empty()) config.secret_files[out.name] = beside(path, secret_file);
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

// New rules stand in their order before the default ones, so that they win.
Status read_rules_into(Section& top, Config& config) {
  size_t at = 0;
  for (Section& s : top.tables("rules")) {
    config.rules_of_file.insert(TRY(read_rule_into(s, config.rules, at)));
  }
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
  const SectionText text = TRY(SectionText::toml(toml, path));
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

  if (auto s = top.table("share")) {
    s->text("namespace", out.share_namespace);
    TRY(s->end());
    if (out.share_namespace.empty()) return s->error("namespace", "want where the Leases are");
    if (out.database.starts_with("sqlite:")) {
      return top.error("database", "a file is one lookout's; [share] wants a \"postgresql:\"");
    }
  }
  for (Section& s : top.tables("regions")) {
    TRY(read_region_of_file(s, path, out.regions.emplace_back()));
  }
  for (Section& s : top.tables("tokens")) TRY(read_token(s, out.tokens.emplace_back()));
  if (auto s = top.table("guard")) {
    s->texts("allow", out.guard.allow);
    s->texts("deny", out.guard.deny);
    s->numbers("ports", out.guard.ports, 1, 65'535);
    TRY(s->end());
  }
  out.rules = Rules::defaults();
  TRY(read_rules_into(top, out));
  for (Section& s : top.tables("cleaning")) {
    TRY(read_policy(s, out.rules, out.cleaning.emplace_back()));
  }
  for (Section& s : top.tables("subscriptions")) TRY(read_subscription_of_file(s, path, out));
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
  const SectionText text = TRY(SectionText::toml(toml, path));
  Section top = text.top();
  Config out;
  out.rules = Rules::defaults();
  TRY(read_rules_into(top, out));
  TRY(top.end());
  TRY(Rules::compile(out.rules));
  return std::move(out.rules);
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
