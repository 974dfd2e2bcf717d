// Pieces: what a configuration's file holds and the API takes as JSON, too: read by the same keys,
// with the same checks, from either. A key that is missing keeps what the piece has. Errors are
// Section's. Inside this room only; pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lookout/config/config.h"
#include "lookout/config/section.h"

namespace pintle::lookout {

// A name that stands in keys, paths, labels of metrics and file names.
bool good_name(std::string_view name);

// kubeconfig is left as written: in a file it is a path, through the API the text itself.
Status read_region(Section& s, RegionConfig& r);
// Files whose texts belong into a subscription.
struct SecretFiles {
  std::string secret;                          // a path; "": none
  std::map<std::string, std::string> options;  // by option: "ca", "certificate", "key"
};

// Options given anew take what is masked in them from those the piece has (sinks/masking.h). With
// `files` the keys of files that hold secrets are known, too (secret_file; options.ca_file, .key_file,
// .certificate_file); the sink is then not checked when one is given.
Status read_subscription(Section& s, const std::vector<Rule>& rules, Subscription& out,
                         SecretFiles* files = nullptr);
// Of the configuration: the rules, and whether there is an archive.
Status read_policy(Section& s, const Config& config, CleaningPolicy& p);
// Changes the rule of that name where it stands; a new one is put at `at`, which moves behind it.
// Its name is given back.
Result<std::string> read_rule_into(Section& s, std::vector<Rule>& rules, size_t& at);

}  // namespace pintle::lookout
