// Rules: which Kubernetes Events are business events, as data. The default set is default_rules.cc,
// as TOML (spec: Rollout steps, Argo application health, Pod Pulled, ...); a
// configuration adds to it or replaces single rules by name.
//
// A rule matches when every condition it states does; messages are RE2 patterns, searched for
// unless `anchored`; the prefix "(combined from similar events): " is taken off first. The first
// matching rule in order wins. Thread-safe once compiled. Cost: one map lookup by kind and reason,
// then the patterns of the rules left.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"

namespace pintle::lookout {

struct Rule {
  std::string name;                   // unique
  std::string group, version, kind;   // of the involved object; version "" or "*": any
  std::vector<std::string> reasons;   // empty: any
  std::vector<std::string> messages;  // RE2; empty: any
  bool anchored = false;
  std::string event_type;                                    // "Warning", "Normal", "": any
  std::vector<std::string> namespaces, components, regions;  // empty: any
  std::map<std::string, std::string> labels;                 // of the involved object
  int64_t min_count = 0;
  // What it means.
  std::string type;  // "release.step"
  Severity severity = Severity::kInfo;
  // Key of one business event among repeats, with {cluster} {uid} {namespace} {kind} {name}
  // {reason} {type} {generation} {match1}... and {event} {count} of the Event itself; "": each
  // Event's uid and type are one. Where the generation is not known, every state of the Event is
  // its own.
  std::string dedup;
  bool off = false;
};

// A Kubernetes Event (core/v1 or events.k8s.io/v1) as read.
struct KubeEvent {
  std::string uid, version, name_space, name;
  Subject involved;
  std::string field_path;  // "spec.containers{web}"
  std::string reason, message, type, component, host;
  int64_t count = 1;
  int64_t series_ms = 0, last_ms = 0, event_ms = 0, created_ms = 0;  // 0: not given
  int64_t time_ms() const;  // the first of them that is given, in this order
};
// Error: no Event (broken JSON, no involved object). Texts are cleaned and cut at 32 KiB.
Result<KubeEvent> parse_kube_event(std::string_view json);

class Rules {
 public:
  // What is wrong with one rule: its key and why.
  struct Fault {
    std::string key, why;
  };
  static std::vector<Fault> faults_of(const Rule& rule);
  // Errors name the rule and key: a bad pattern, an unknown placeholder, two rules of one name.
  static Result<Rules> compile(std::vector<Rule> rules);
  static const std::vector<Rule>& defaults();
  ~Rules();
  Rules(Rules&&) noexcept;
  Rules& operator=(Rules&&) noexcept;

  struct Hit {
    const Rule* rule = nullptr;  // null: none matches
    std::string dedup_key;
    std::string detail;  // what the pattern's first group found: a step, an image
  };
  // labels and generation: of the involved object, where they are known.
  Hit match(const KubeEvent& event, std::string_view cluster_uid, std::string_view region,
            const std::map<std::string, std::string>& labels,
            std::string_view generation = {}) const;
  const std::vector<Rule>& rules() const;

 private:
  struct Compiled;
  explicit Rules(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace pintle::lookout
