#include "lookout/config/pieces.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "lookout/config/rules_toml.h"
#include "lookout/rules/catalog.h"
#include "lookout/sinks/masking.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kOrders[] = {"subject", "release", "region", "subscription"};
constexpr int64_t kMostRows = 1'000'000'000;
constexpr std::string_view kOptionFiles[] = {"ca", "certificate", "key"};
constexpr std::string_view kGoodName =
    "want letters, digits, '-', '_' and '.', a letter or digit first";

bool alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 253 && alphanumeric(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

Status read_region(Section& s, RegionConfig& r) {
  s.text("name", r.name);
  s.text("environment", r.environment);
  s.text("kubeconfig", r.kubeconfig);
  s.text("context", r.context);
  s.texts("namespaces", r.namespaces);
  s.flag("enabled", r.enabled);
  s.duration("event_ttl", r.event_ttl_ms);
  s.want(r.event_ttl_ms >= 1000, "event_ttl", "want a second at least");
  s.number("memory_mb", r.memory_mb, 0, 1 << 20);
  s.want(good_name(r.name), "name", kGoodName);
  std::set<std::string_view> spaces;
  for (const std::string& space : r.namespaces) {
    s.want(good_name(space), "namespaces", cat("\"", space, "\" is none: ", kGoodName));
    s.want(spaces.insert(space).second, "namespaces", cat("\"", space, "\" is there twice"));
  }
  return s.end();
}

Status read_subscription(Section& s, const std::vector<Rule>& rules, Subscription& out,
                         SecretFiles* files) {
  s.text("name", out.name);
  s.texts("types", out.filter.types);
  s.texts("regions", out.filter.regions);
  s.texts("environments", out.filter.environments);
  s.texts("namespaces", out.filter.namespaces);
  s.texts("kinds", out.filter.kinds);
  s.texts("reasons", out.filter.reasons);
  s.texts("reason_patterns", out.filter.reason_patterns);
  s.text("selector", out.filter.selector);
  s.texts("scopes", out.filter.scopes);
  s.texts("releases", out.filter.releases);
  s.labels("labels", out.filter.labels);
  s.severity("min_severity", out.filter.min_severity);
  s.text("sink", out.sink_kind);
  s.text("order_by", out.order_by);
  s.flag("enabled", out.enabled);
  s.text("secret", out.secret);
  if (files != nullptr) s.text("secret_file", files->secret);
  if (auto options = s.table("options")) {
    for (size_t i = 0; files != nullptr && i < std::size(kOptionFiles); ++i) {
      std::string path;
      options->text(cat(kOptionFiles[i], "_file"), path);
      if (!path.empty()) files->options[std::string(kOptionFiles[i])] = path;
    }
    auto whole = unmasked_options(options->rest_as_json(), out.options);
    s.want(whole.has_value(), "options", whole ? "" : whole.error().text());
    if (whole) out.options = std::move(*whole);
  }
  if (out.options.empty()) out.options = "{}";
  read_manner(s, out.manner);
  s.want(good_name(out.name), "name", kGoodName);
  const auto* const order = std::find(std::begin(kOrders), std::end(kOrders), out.order_by);
  s.want(order != std::end(kOrders), "order_by",
         "want \"subject\", \"release\", \"region\" or \"subscription\"");
  for (const std::string& type : out.filter.types) {
    if (!known_type_pattern(type, rules)) s.wrong("types", cat("no event is of type \"", type, "\""));
  }
  if (const Status fine = compile(out.filter); !fine) {
    const std::string_view why = fine.error().text();
    const size_t colon = why.find(": ");
    s.want(false, why.substr(0, colon), why.substr(colon + 2));
  }
  const SinkKind* sink = find_sink(out.sink_kind);
  s.want(sink != nullptr, "sink", cat("want one of: ", join(sink_names(), ", ")));
  const bool of_file = files != nullptr && !(files->secret.empty() && files->options.empty());
  if (files != nullptr && !files->secret.empty()) {
    s.want(out.secret.empty(), "secret_file", "there is a secret already");
  }
  if (sink != nullptr && sink->contacts == nullptr) {
    s.want(out.manner.whom.empty(), "whom", cat("the sink ", sink->name, " calls nobody"));
  }
  if (sink != nullptr && !of_file) {
    if (const Status checked = sink->check(out); !checked) {
      s.want(false, "options", checked.error().text());
    }
  }
  return s.end();
}

Status read_policy(Section& s, const Config& config, CleaningPolicy& p) {
  s.text("name", p.name);
  s.text("type", p.type);
  s.texts("kinds", p.kinds);
  s.texts("reasons", p.reasons);
  s.texts("namespaces", p.namespaces);
  s.duration("keep", p.keep_ms);
  s.number("keep_rows", p.keep_rows, 1, kMostRows);
  s.flag("archive", p.archive);
  if (p.name.empty()) p.name = p.type;
  s.want(p.name == p.type || good_name(p.name), "name", kGoodName);
  s.want(!p.type.empty(), "type", "want a type of events, or \"*\"");
  s.want(is_table(p.type) || known_type_pattern(p.type, config.rules), "type",
         cat("no event is of type \"", p.type, "\""));
  for (const auto& [key, list] : {std::pair{"kinds", &p.kinds},
                                  {"reasons", &p.reasons},
                                  {"namespaces", &p.namespaces}}) {
    s.want(!is_table(p.type) || list->empty(), key, "events have them only");
  }
  s.want(p.keep_ms > 0 || p.keep_rows > 0 || s.has("keep_rows"), "keep",
         "want how long they are kept, as \"14d\"; or keep_rows");
  s.want(!p.archive || !config.archive.empty(), "archive",
         "the configuration's file has no archive = \"FOLDER\"");
  return s.end();
}

Result<std::string> read_rule_into(Section& s, std::vector<Rule>& rules, size_t& at) {
  std::string name;
  s.text("name", name);
  const auto known =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  if (known != rules.end()) {
    TRY(read_rule(s, *known));
  } else {
    Rule rule;
    TRY(read_rule(s, rule));
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(at++), std::move(rule));
  }
  return name;
}

}  // namespace pintle::lookout
