// Settings: the regions, cleaning policies, rules, people, owners and duties that the API has made, kept in the database on
// top of the configuration's file. What the file names is the file's: a setting of the same name is
// passed over, and the API refuses to make one. Pure; thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "base/log.h"
#include "lookout/config/config.h"
#include "lookout/store.h"

namespace pintle::lookout {

inline constexpr std::string_view kRegionSetting = "region", kPolicySetting = "cleaning",
                                  kRuleSetting = "rule", kPersonSetting = "person",
                                  kOwnersSetting = "owners", kOncallSetting = "oncall";

// One of the API's pieces as it is kept, checked against `config`, which it is not part of yet.
// Errors name the key; kAlreadyExists: the file has one of that name.
Result<Setting> region_setting(std::string_view json, const Config& config,
                               const RegionConfig* before = nullptr);  // not null: it is changed
Result<Setting> policy_setting(std::string_view json, const Config& config);
Result<Setting> rule_setting(std::string_view json, const Config& config);
// One of that name that the API has made is changed: what is missing, or masked, stays.
Result<Setting> person_setting(std::string_view json, const Config& config);
Result<Setting> owners_setting(std::string_view json, const Config& config);
Result<Setting> oncall_setting(std::string_view json, const Config& config);

// As they are kept: JSON, without credentials.
std::string region_text(const RegionConfig& r);
std::string policy_text(const CleaningPolicy& p);

// The file's configuration with them. One that no longer fits is left out and logged.
Config with_settings(Config file, const std::vector<Setting>& settings, const Log& log);

}  // namespace pintle::lookout
