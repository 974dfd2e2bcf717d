// ProcessDependencies of helm pkg/chart/v2/util. Two walks over the tree of charts: the first
// instantiates and disables subcharts, from the root down; the second imports values, children
// first.
//
// Helm coalesces the *root's* values again for every subchart that has dependencies, with the
// subchart's defaults laid over the root's keys; conditions, tags, warnings and errors all follow
// from that, so it is done here too (coalesce.h makes it cheap).
#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "chart/coalesce.h"
#include "chart/values.h"
#include "semver/semver.h"
#include "tmpl/print.h"

namespace pintle::chart {

using value::Str;
using value::Type;
using value::Value;

namespace {

bool compatible(const std::string& range, const std::string& version) {
  auto v = semver::parse(version);
  if (!v) return false;
  auto c = semver::Constraints::parse(range);
  return c && c->check(*v);
}

bool names(const Dependency& dependency, const Chart& chart) {
  return dependency.name == chart.name() &&
         compatible(dependency.version, chart.metadata.version);
}

class Dependencies {
 public:
  explicit Dependencies(const ValuesOptions& options) : options_(options) {}

  // Instantiates, then keeps what tags and conditions leave enabled.
  Status enable(Chart& chart, const Value& values, const std::string& path) {
    if (!chart.metadata.has_dependencies) return ok();
    instantiate(chart);
    auto& wanted = chart.metadata.dependencies;
    for (auto& d : wanted) d.enabled = true;
    Value coalesced = TRY(Coalescer(options_).run(chart, values, false));
    apply_tags(wanted, coalesced);
    apply_conditions(wanted, coalesced, path);

    std::set<std::string> disabled;
    for (const auto& d : wanted) {
      if (!d.enabled) disabled.insert(d.name);
    }
    std::erase_if(chart.dependencies,
                  [&](const auto& c) { return disabled.contains(c->name()); });
    std::erase_if(wanted, [&](const auto& d) { return disabled.contains(d.name); });
    for (auto& child : chart.dependencies) {
      TRY(enable(*child, coalesced, path + child->name() + "."));
    }
    chart.metadata.has_dependencies = !wanted.empty();
    return ok();
  }

  Status import_values(Chart& chart) {
    for (auto& child : chart.dependencies) TRY(import_values(*child));
    if (!chart.metadata.has_dependencies) return ok();
    Coalescer pass(options_);
    Value all = TRY(pass.run(chart, Value::nil(), true));
    Value imported = Value::map(pass.make());
    for (auto& d : chart.metadata.dependencies) import_from(d, pass, all, imported);
    // The parent's own values win over what it imports.
    Coalescer last(options_);
    last.merge_tables(*last.own(all), imported, true, false);
    chart.values = all;
    return ok();
  }

 private:
  void warn(std::string_view message, LogAttrs attrs, std::string helm3_text) const {
    if (!options_.log) return;
    if (options_.helm3) {
      options_.log("INFO", helm3_text);
    } else {
      options_.log("WARN", message, attrs);
    }
  }

  // Subcharts no dependency names stay; then one instance for each dependency, under its alias.
  static void instantiate(Chart& chart) {
    auto loaded = std::move(chart.dependencies);
    auto& wanted = chart.metadata.dependencies;
    std::vector<size_t> uses(loaded.size(), 0);
    std::vector<size_t> chosen(wanted.size(), loaded.size());
    std::vector<bool> named(loaded.size(), false);
    for (size_t i = 0; i < wanted.size(); ++i) {
      for (size_t j = 0; j < loaded.size(); ++j) {
        if (!names(wanted[i], *loaded[j])) continue;
        named[j] = true;
        if (chosen[i] == loaded.size()) {
          chosen[i] = j;
          ++uses[j];
        }
      }
    }
    chart.dependencies.clear();
    for (size_t j = 0; j < loaded.size(); ++j) {
      if (!named[j]) chart.add_dependency(std::move(loaded[j]));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (size_t j = chosen[i]; j != loaded.size()) {
        auto instance = --uses[j] == 0 ? std::move(loaded[j]) : loaded[j]->clone();
        if (!wanted[i].alias.empty()) instance->metadata.name = wanted[i].alias;
        chart.add_dependency(std::move(instance));
      }
      if (!wanted[i].alias.empty()) wanted[i].name = wanted[i].alias;
    }
  }

  void apply_tags(std::vector<Dependency>& wanted, const Value& values) const {
    auto tags = table(values, "tags");
    if (!tags) return;
    for (auto& d : wanted) {
      bool any_true = false, any_false = false;
      for (const auto& tag : d.tags) {
        const Value* v = tags->get(tag);
        if (v == nullptr) continue;
        if (v->is(Type::kBool)) {
          (v->as_bool() ? any_true : any_false) = true;
        } else {
          warn("returned non-bool value", {{"tag", tag}, {"chart", d.name}},
               "dependencies.go:95: Warning: Tag '" + tag + "' for chart " + d.name +
                   " returned non-bool value");
        }
      }
      d.enabled = any_true || !any_false;
    }
  }

  // The first path of the list that holds a bool decides.
  void apply_conditions(std::vector<Dependency>& wanted, const Value& values,
                        const std::string& path) const {
    for (auto& d : wanted) {
      std::string_view rest = trim_space(d.condition);
      while (!rest.empty()) {
        size_t comma = rest.find(',');
        std::string condition(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (condition.empty()) continue;
        auto v = path_value(values, path + condition);
        if (!v) continue;
        if (v->is(Type::kBool)) {
          d.enabled = v->as_bool();
          break;
        }
        warn("returned non-bool value", {{"path", condition}, {"chart", d.name}},
             "dependencies.go:64: Warning: Condition path '" + condition + "' for chart " + d.name +
                 " returned non-bool value");
      }
    }
  }

  // Lays what one dependency exports into `imported`, and spells its import-values out.
  void import_from(Dependency& d, Coalescer& pass, Value& all, Value& imported) const {
    std::vector<Value> spelled;
    for (const auto& wish : d.import_values) {
      std::string child, parent = ".";
      if (wish.is(Type::kMap)) {
        child = printed(wish.get("child"));
        parent = printed(wish.get("parent"));
      } else if (wish.is_string()) {
        child = "exports." + std::string(wish.as_string());
      } else {
        continue;
      }
      value::MapBuilder pair;
      pair.add("child", value::str(child));
      pair.add("parent", value::str(parent));
      spelled.push_back(Value::map(pair.finish(), Type::kStringMap));

      std::string path = d.name + "." + child;
      auto found = table(all, path);
      if (!found) {
        if (wish.is(Type::kMap)) {
          warn("ImportValues missing table from chart",
               {{"chart", d.name}, {"error", found.error().text()}},
               "dependencies.go:270: Warning: ImportValues missing table from chart " + d.name +
                   ": " + found.error().text());
        } else {
          warn("ImportValues missing table", {{"error", found.error().text()}},
               "dependencies.go:287: Warning: ImportValues missing table: " +
                   found.error().text());
        }
        continue;
      }
      Value source = own_path(pass, all, path);
      if (source.length() == 0) source = Value::map(pass.make());
      pass.merge_tables(*imported.as_map(), at_path(pass, parent, source), true, true);
    }
    d.import_values = std::move(spelled);
  }

  static std::string printed(const Value* v) {
    std::string out;
    tmpl::print_value(out, v != nullptr ? *v : Value::nil());
    return out;
  }

  // The table at a path that exists, every map on the way made the pass's own.
  static Value own_path(Coalescer& pass, Value& top, std::string_view dotted) {
    Value* at = &top;
    pass.own(*at);
    for (;;) {
      size_t dot = dotted.find('.');
      at = at->as_map()->find(dotted.substr(0, dot));
      pass.own(*at);
      if (dot == std::string_view::npos) return *at;
      dotted.remove_prefix(dot + 1);
    }
  }

  // {a: {b: data}} for "a.b"; data itself for ".".
  static Value at_path(Coalescer& pass, std::string_view path, Value data) {
    if (path == ".") return data;
    for (;;) {
      size_t dot = path.rfind('.');
      auto holder = pass.make();
      holder->set(Str(dot == std::string_view::npos ? path : path.substr(dot + 1)),
                  std::move(data));
      data = Value::map(holder);
      if (dot == std::string_view::npos) return data;
      path = path.substr(0, dot);
    }
  }

  const ValuesOptions& options_;
};

}  // namespace

Status process_dependencies(Chart& chart, const Value& values, const ValuesOptions& options) {
  Dependencies work(options);
  TRY(work.enable(chart, values, ""));
  return work.import_values(chart);
}

}  // namespace pintle::chart
