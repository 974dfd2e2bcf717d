#include "lookout/rules/rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";
constexpr int64_t kPatternMemory = 1 << 20;
constexpr int kMaxGroups = 9;

bool one_of(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool any(std::string_view pattern) { return pattern.empty() || pattern == "*"; }

struct Piece {
  std::string text;         // as it stands
  std::string placeholder;  // or what to put here
  int group = 0;            // of the pattern: {match1} is 1
};

using Faults = std::vector<Rules::Fault>;

std::vector<Piece> pieces_of(const Rule& rule, Faults& faults) {
  static const std::set<std::string_view> kKnown = {"cluster", "uid",    "namespace", "kind",
                                                    "name",    "reason", "type",      "generation",
                                                    "event",   "count"};
  std::vector<Piece> out;
  std::string_view rest = rule.dedup;
  while (!rest.empty()) {
    const size_t open = rest.find('{');
    if (open != 0) out.push_back({std::string(rest.substr(0, open)), {}, 0});
    if (open == std::string_view::npos) break;
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos) {
      faults.push_back({"dedup", "a \"{\" is not closed"});
      return out;
    }
    const std::string_view name = rest.substr(open + 1, close - open - 1);
    int group = 0;
    if (name.size() == 6 && name.starts_with("match") && name[5] >= '1' && name[5] <= '9') {
      group = name[5] - '0';
    } else if (!kKnown.contains(name)) {
      faults.push_back({"dedup", cat("unknown placeholder {", name, "}")});
    }
    out.push_back({{}, std::string(name), group});
    rest.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

struct Rules::Compiled {
  struct One {
    std::vector<std::unique_ptr<RE2>> patterns;
    std::vector<Piece> dedup;
    bool by_generation = false;
  };
  static One read(const Rule& rule, Faults& faults);
  std::vector<Rule> rules;
  std::vector<One> compiled;  // beside `rules`
  // "KIND/REASON" -> places in `rules`, ascending; an empty kind or reason stands for any.
  std::unordered_map<std::string, std::vector<size_t>> places;
};

Rules::Rules(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Rules::~Rules() = default;
Rules::Rules(Rules&&) noexcept = default;
Rules& Rules::operator=(Rules&&) noexcept = default;
const std::vector<Rule>& Rules::rules() const { return compiled_->rules; }

// One rule, and what is wrong with it.
Rules::Compiled::One Rules::Compiled::read(const Rule& rule, Faults& faults) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  One one;
  bool good = true;
  for (const std::string& pattern : rule.messages) {
    auto re = std::make_unique<RE2>(pattern, options);
    good = good && re->ok();
    if (!re->ok()) faults.push_back({"messages", cat("\"", pattern, "\": ", re->error())});
    one.patterns.push_back(std::move(re));
  }
  one.dedup = pieces_of(rule, faults);
  for (const Piece& p : one.dedup) {
    if (p.placeholder == "generation") one.by_generation = true;
    const bool has_group =
        p.group == 0 || !good || (!one.patterns.empty() &&
                         std::all_of(one.patterns.begin(), one.patterns.end(), [&](auto& re) {
                           return re->NumberOfCapturingGroups() >= p.group;
                         }));
    if (has_group) continue;
    faults.push_back({"dedup", cat("{", p.placeholder, "}: a pattern has no such group")});
  }
  if (rule.type.empty()) faults.push_back({"type", "it has none"});
  return one;
}

std::vector<Rules::Fault> Rules::faults_of(const Rule& rule) {
  Faults faults;
  (void)Compiled::read(rule, faults);
  return faults;
}

Result<Rules> Rules::compile(std::vector<Rule> rules) {
  auto out = std::make_unique<Compiled>();
  std::set<std::string> names;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.name.empty())
      return Error(cat("rule ", i + 1, ": name: it has none"), Code::kInvalidArgument);
    Faults faults;
    if (!names.insert(rule.name).second) faults.push_back({"name", "there are two of this name"});
    out->compiled.push_back(Compiled::read(rule, faults));
    if (!faults.empty()) {
      return Error(cat("rule \"", rule.name, "\": ", faults[0].key, ": ", faults[0].why),
                   Code::kInvalidArgument);
    }
    if (rule.off) continue;
    const std::vector<std::string> none = {""};
    for (const std::string& reason : rule.reasons.empty() ? none : rule.reasons) {
      auto& places = out->places[cat(any(rule.kind) ? "" : rule.kind, '/', reason)];
      if (places.empty() || places.back() != i) places.push_back(i);
    }
  }
  out->rules = std::move(rules);
  return Rules(std::move(out));
}

Rules::Hit Rules::match(const KubeEvent& event, std::string_view cluster_uid,
                        std::string_view region, const std::map<std::string, std::string>& labels,
                        std::string_view generation) const {
  std::vector<size_t> places;
  for (const std::string& key :
       {cat(event.involved.kind, '/', event.reason), cat(event.involved.kind, '/'),
        cat('/', event.reason), std::string("/")}) {
    const auto found = compiled_->places.find(key);
    if (found == compiled_->places.end()) continue;
    places.insert(places.end(), found->second.begin(), found->second.end());
  }
  std::sort(places.begin(), places.end());

  const std::string_view message = without_prefix(event.message, kCombined);
  for (const size_t place : places) {
    const Rule& rule = compiled_->rules[place];
    const Compiled::One& one = compiled_->compiled[place];
    if (!any(rule.group) && rule.group != event.involved.group) continue;
    if (!any(rule.version) && rule.version != event.involved.version) continue;
    if (!rule.event_type.empty() && rule.event_type != event.type) continue;
    if (event.count < rule.min_count) continue;
    if (!one_of(rule.namespaces, event.involved.name_space) ||
        !one_of(rule.components, event.component) || !one_of(rule.regions, region)) {
      continue;
    }
    const bool labelled =
        std::all_of(rule.labels.begin(), rule.labels.end(), [&](const auto& wanted) {
          const auto found = labels.find(wanted.first);
          return found != labels.end() && found->second == wanted.second;
        });
    if (!labelled) continue;
    re2::StringPiece groups[kMaxGroups + 1];
    const auto fits = [&](const std::unique_ptr<RE2>& re) {
      return re->Match(re2::StringPiece(message.data(), message.size()), 0, message.size(),
                       rule.anchored ? RE2::ANCHOR_BOTH : RE2::UNANCHORED, groups,
                       std::min(re->NumberOfCapturingGroups(), kMaxGroups) + 1);
    };
    if (!one.patterns.empty() && std::none_of(one.patterns.begin(), one.patterns.end(), fits)) {
      continue;
    }
    Hit hit{&rule, {}, {}};
    if (groups[1].data() != nullptr) hit.detail = std::string(groups[1]);
    if (one.by_generation && generation.empty()) return hit;
    if (rule.dedup.empty()) {
      hit.dedup_key = cat(cluster_uid, '/', event.uid, '/', rule.type);
      return hit;
    }
    const std::string count = cat(event.count);
    for (const Piece& p : one.dedup) {
      if (p.placeholder.empty()) {
        hit.dedup_key += p.text;
      } else if (p.group != 0) {
        hit.dedup_key.append(groups[p.group].data() ? groups[p.group].data() : "",
                             groups[p.group].size());
      } else {
        const std::string_view name = p.placeholder;
        hit.dedup_key += name == "cluster"     ? cluster_uid
                         : name == "uid"       ? std::string_view(event.involved.uid)
                         : name == "namespace" ? std::string_view(event.involved.name_space)
                         : name == "kind"      ? std::string_view(event.involved.kind)
                         : name == "name"      ? std::string_view(event.involved.name)
                         : name == "reason"    ? std::string_view(event.reason)
                         : name == "type"      ? std::string_view(rule.type)
                         : name == "event"     ? std::string_view(event.uid)
                         : name == "count"     ? std::string_view(count)
                                               : generation;
      }
    }
    return hit;
  }
  return {};
}

}  // namespace pintle::lookout
