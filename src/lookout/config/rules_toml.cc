#include "lookout/config/rules_toml.h"

#include "base/strings.h"

namespace pintle::lookout {

Status read_rule(Section& s, Rule& rule) {
  s.text("name", rule.name);
  s.text("group", rule.group);
  s.text("version", rule.version);
  s.text("kind", rule.kind);
  s.texts("reasons", rule.reasons);
  s.texts("messages", rule.messages);
  s.flag("anchored", rule.anchored);
  s.text("event_type", rule.event_type);
  s.texts("namespaces", rule.namespaces);
  s.texts("components", rule.components);
  s.texts("regions", rule.regions);
  s.labels("labels", rule.labels);
  s.number("min_count", rule.min_count, 0, 1'000'000'000);
  s.text("type", rule.type);
  s.severity("severity", rule.severity);
  s.text("dedup", rule.dedup);
  s.flag("off", rule.off);
  TRY(s.end());
  if (rule.name.empty()) return s.error("name", "a rule must have a name");
  return ok();
}

Result<std::vector<Rule>> read_rules(std::string_view toml, std::string_view path) {
  const SectionText text = TRY(SectionText::toml(toml, path));
  Section top = text.top();
  std::vector<Rule> out;
  for (Section& s : top.tables("rules")) {
    Rule rule;
    TRY(read_rule(s, rule));
    out.push_back(std::move(rule));
  }
  TRY(top.end());
  return out;
}

}  // namespace pintle::lookout
