#include "lookout/config/settings.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/config/directory.h"
#include "lookout/config/kubeconfig_text.h"
#include "lookout/config/pieces.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

Error of_file(std::string_view what, std::string_view name) {
  return Error(cat("the configuration's file has the ", what, " \"", name, "\": change it there"),
               Code::kAlreadyExists);
}

template <typename List, typename Name>
auto find_named(List& list, Name member, std::string_view name) {
  return std::find_if(list.begin(), list.end(),
                      [&](const auto& item) { return item.*member == name; });
}

Status take_region(const Setting& s, Config& config) {
  const SectionText text = TRY(SectionText::json(s.value));
  Section top = text.top();
  RegionConfig r;
  TRY(read_region(top, r));
  if (find_named(config.regions, &RegionConfig::name, r.name) != config.regions.end()) {
    return of_file("region", r.name);
  }
  (s.secret == "in-cluster" ? r.kubeconfig : r.kubeconfig_text) = s.secret;
  r.of_api = true;
  config.regions.push_back(std::move(r));
  return ok();
}

Status take_policy(const Setting& s, Config& config) {
  const SectionText text = TRY(SectionText::json(s.value));
  Section top = text.top();
  CleaningPolicy p;
  TRY(read_policy(top, config, p));
  if (find_named(config.cleaning, &CleaningPolicy::name, p.name) != config.cleaning.end()) {
    return of_file("policy", p.name);
  }
  p.of_api = true;
  config.cleaning.push_back(std::move(p));
  return ok();
}

// A rule that makes the others impossible to compile is left out like one that cannot be read.
Status take_rule(const Setting& s, Config& config) {
  const SectionText text = TRY(SectionText::json(s.value));
  Section top = text.top();
  top.skip("source");
  std::vector<Rule> rules = config.rules;
  size_t at = 0;
  const std::string name = TRY(read_rule_into(top, rules, at));
  if (config.rules_of_file.contains(name)) return of_file("rule", name);
  TRY(Rules::compile(rules));
  config.rules = std::move(rules);
  config.rules_of_api.insert(name);
  return ok();
}

// Those of the API stand before the file's: of owners the first that fits has it.
template <typename T>
Status take_directory(const Setting& s, std::vector<T>& list, Status (*read)(Section&, T&),
                      std::string_view what) {
  const SectionText text = TRY(SectionText::json(s.secret));
  Section top = text.top();
  T it;
  TRY(read(top, it));
  const auto there = find_named(list, &T::name, it.name);
  if (there != list.end() && !there->of_api) return of_file(what, it.name);
  it.of_api = true;
  const auto first_of_file =
      std::find_if(list.begin(), list.end(), [](const T& other) { return !other.of_api; });
  list.insert(first_of_file, std::move(it));
  return ok();
}

Status take_person(const Setting& s, Config& config) {
  return take_directory(s, config.directory.people, read_person, "person");
}
Status take_owners(const Setting& s, Config& config) {
  return take_directory(s, config.directory.owners, read_owners, "owners");
}
Status take_oncall(const Setting& s, Config& config) {
  return take_directory(s, config.directory.oncall, read_oncall, "duty");
}

// Kept encrypted: whom to reach how is nobody else's.
template <typename T, typename Write>
Result<Setting> directory_setting(std::string_view json, const std::vector<T>& list,
                                  Status (*read)(Section&, T&), Write write, std::string_view kind,
                                  std::string_view what) {
  const SectionText text = TRY(SectionText::json(json));
  Section names = text.top();
  T it;
  names.text("name", it.name);
  const auto there = find_named(list, &T::name, it.name);
  if (there != list.end() && !there->of_api) return of_file(what, it.name);
  if (there != list.end()) it = *there;
  Section top = text.top();
  TRY(read(top, it));
  return Setting{std::string(kind), it.name, "{}", write(it)};
}

// Rules first: policies may name the types they add.
constexpr struct {
  std::string_view kind;
  Status (*take)(const Setting& s, Config& config);
} kTakers[] = {
    {kRuleSetting, take_rule}, {kRegionSetting, take_region}, {kPolicySetting, take_policy},
    {kPersonSetting, take_person}, {kOwnersSetting, take_owners}, {kOncallSetting, take_oncall}};

}  // namespace

std::string region_text(const RegionConfig& r) {
  return Data()
      .text("name", r.name)
      .text("environment", r.environment)
      .text("context", r.context)
      .raw("namespaces", json_list(r.namespaces))
      .raw("enabled", r.enabled ? "true" : "false")
      .text("event_ttl", cat(r.event_ttl_ms, "ms"))
      .number("memory_mb", r.memory_mb)
      .take();
}

std::string policy_text(const CleaningPolicy& p) {
  Data out;
  out.text("name", p.name).text("type", p.type);
  out.text("keep", p.keep_ms > 0 ? cat(p.keep_ms, "ms") : "").number("keep_rows", p.keep_rows);
  for (const auto& [key, list] : {std::pair{"kinds", &p.kinds},
                                  {"reasons", &p.reasons},
                                  {"namespaces", &p.namespaces}}) {
    if (!list->empty()) out.raw(key, json_list(*list));
  }
  if (p.archive) out.raw("archive", "true");
  return out.take();
}

Result<Setting> region_setting(std::string_view json, const Config& config,
                               const RegionConfig* before) {
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  RegionConfig r = before != nullptr ? *before : RegionConfig{};
  top.skip("source");
  TRY(read_region(top, r));
  if (before != nullptr && r.name != before->name) {
    return top.error("name", "a region keeps its name");
  }
  const auto there = find_named(config.regions, &RegionConfig::name, r.name);
  if (there != config.regions.end() && !there->of_api) return of_file("region", r.name);
  if (there != config.regions.end() && before == nullptr) {
    return Error(cat("there is a region \"", r.name, "\""), Code::kAlreadyExists);
  }
  std::string credentials = r.kubeconfig.empty() ? r.kubeconfig_text : std::move(r.kubeconfig);
  if (credentials.empty()) {
    return top.error("kubeconfig", "want the text of one, or \"in-cluster\"");
  }
  if (credentials != "in-cluster") TRY(client_config_of_text(credentials, r.context));
  return Setting{std::string(kRegionSetting), r.name, region_text(r), std::move(credentials)};
}

Result<Setting> policy_setting(std::string_view json, const Config& config) {
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  top.skip("source");
  CleaningPolicy p;
  TRY(read_policy(top, config, p));
  const auto there = find_named(config.cleaning, &CleaningPolicy::name, p.name);
  if (there != config.cleaning.end() && !there->of_api) return of_file("policy", p.name);
  return Setting{std::string(kPolicySetting), p.name, policy_text(p), ""};
}

Result<Setting> rule_setting(std::string_view json, const Config& config) {
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  top.skip("source");
  std::vector<Rule> rules = config.rules;
  size_t at = 0;
  const std::string name = TRY(read_rule_into(top, rules, at));
  if (config.rules_of_file.contains(name)) return of_file("rule", name);
  TRY(Rules::compile(rules));
  return Setting{std::string(kRuleSetting), name, std::string(json), ""};
}

Result<Setting> person_setting(std::string_view json, const Config& config) {
  return directory_setting(json, config.directory.people, read_person,
                           [](const Person& p) { return person_json(p, true); }, kPersonSetting,
                           "person");
}
Result<Setting> owners_setting(std::string_view json, const Config& config) {
  return directory_setting(json, config.directory.owners, read_owners, owners_json, kOwnersSetting,
                           "owners");
}
Result<Setting> oncall_setting(std::string_view json, const Config& config) {
  return directory_setting(json, config.directory.oncall, read_oncall, oncall_json, kOncallSetting,
                           "duty");
}

Config with_settings(Config out, const std::vector<Setting>& settings, const Log& log) {
  for (const auto& [kind, take] : kTakers) {
    for (const Setting& s : settings) {
      if (s.kind != kind) continue;
      if (const Status taken = take(s, out); !taken) {
        log("WARN", "what the API had made is left out",
            {{"kind", s.kind}, {"name", s.name}, {"error", taken.error().text()}});
      }
    }
  }
  return out;
}

}  // namespace pintle::lookout
