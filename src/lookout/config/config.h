// Config: lookout.toml as plain data. Unknown keys, wrong types, bad durations, patterns and networks,
// and files that are not there or do not fit are errors that name the key and its line, all of them at
// once, each on a line of the error's text; nothing starts half.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/clean/policy.h"
#include "lookout/deliver/guard.h"
#include "lookout/people.h"
#include "lookout/rules/rules.h"
#include "lookout/store.h"
#include "lookout/track/tracker.h"
#include "sys/disk.h"

namespace pintle::lookout {

struct RegionConfig {
  std::string name, environment;
  std::string kubeconfig, context;  // kubeconfig "in-cluster": the pod's account
  std::string kubeconfig_text = {};  // given through the API, instead of a file
  std::vector<std::string> namespaces;  // empty: all
  // How long its API server keeps Events (--event-ttl): who was away for longer may have missed some.
  int64_t event_ttl_ms = 3'600'000;
  bool of_api = false;
  int64_t memory_mb = 0;  // it may hold; 0: no limit
  bool enabled = true;  // false: it is not watched; what is stored of it stays
  bool operator==(const RegionConfig&) const = default;
};

struct TokenConfig {
  std::string name, sha256;  // of the token: hex
  std::string role;          // "inlet", "read", "operate", "admin"
};

struct Config {
  std::string listen = "127.0.0.1:8090";
  std::string database = "sqlite:lookout.db";
  std::string secret_key_file;       // made when missing, mode 0600
  // Where the Leases are that divide the regions among lookouts; "": this one has all.
  std::string share_namespace;
  std::vector<RegionConfig> regions;
  std::vector<Subscription> subscriptions;  // kept in step with the database by name
  Directory directory;
  std::vector<Rule> rules;                  // the default ones with the configuration's changes
  std::set<std::string> rules_of_file, rules_of_api;  // which have been changed or added, and where
  std::vector<TokenConfig> tokens;
  std::vector<CleaningPolicy> cleaning;
  std::string archive;  // the folder of what cleaning archives; "": there is none
  GuardOptions guard;
  TrackerOptions tracker;
  bool raw_events = true;  // store kubernetes.event for every Event
};

// `path` is for messages; relative paths inside are of its directory. parse_config looks at no file;
// load_config reads secrets from theirs and looks whether kubeconfigs have what they must.
Result<Config> parse_config(std::string_view toml, std::string_view path);
Result<Config> load_config(const std::string& path, sys::Disk& disk);
// Rules alone, for `pintled lookout rules test`: the default ones with what the text changes.
Result<std::vector<Rule>> parse_rules(std::string_view toml, std::string_view path);
// The commented example, `pintled lookout --print-config`.
std::string_view example_config();

}  // namespace pintle::lookout
