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
  s.want(!rule.name.empty(), "name", "a rule must have a name");
  s.want(rule.event_type.empty() || rule.event_type == "Normal" || rule.event_type == "Warning",
         "event_type", "want \"Normal\" or \"Warning\"");
  for (const Rules::Fault& f : Rules::faults_of(rule)) s.want(false, f.key, f.why);
  return s.end();
}

Result<std::vector<Rule>> read_rules(std::string_view toml, std::string_view path) {
  const SectionText text = TRY(SectionText::toml(toml, path));
  Section top = text.top();
  std::vector<Rule> out;
  for (Section& s : top.tables("rules")) (void)read_rule(s, out.emplace_back());
  (void)top.end();
  TRY(text.findings());
  return out;
}

}  // namespace pintle::lookout
