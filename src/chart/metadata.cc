// Chart.yaml, requirements.yaml and Chart.lock: text to structs and back, and the rules a chart's
// metadata must keep (helm pkg/chart/v2/metadata.go, dependency.go).
#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/chart.h"
#include "chart/go_struct.h"
#include "chart/timestamp.h"
#include "semver/semver.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

using value::Value;

void read_dependency(GoStruct& in, const Value& v, Dependency& d) {
  in.object(v, "Dependency",
            {{"name", [&](const Value& x) { in.text(x, d.name); }},
             {"version", [&](const Value& x) { in.text(x, d.version); }},
             {"repository", [&](const Value& x) { in.text(x, d.repository); }},
             {"condition", [&](const Value& x) { in.text(x, d.condition); }},
             {"tags", [&](const Value& x) { in.texts(x, d.tags); }},
             {"enabled", [&](const Value& x) { in.flag(x, d.enabled); }},
             {"import-values", [&](const Value& x) { in.any_list(x, d.import_values); }},
             {"alias", [&](const Value& x) { in.text(x, d.alias); }}});
}

void read_maintainer(GoStruct& in, const Value& v, Maintainer& m) {
  in.object(v, "Maintainer",
            {{"name", [&](const Value& x) { in.text(x, m.name); }},
             {"email", [&](const Value& x) { in.text(x, m.email); }},
             {"url", [&](const Value& x) { in.text(x, m.url); }}});
}

void read_dependencies(GoStruct& in, const Value& v, std::vector<Dependency>& out, bool* present,
                       std::optional<size_t>* first_null) {
  in.objects(
      v, "Dependency", first_null, present, [&] { out.clear(); },
      [&](const Value& item) { read_dependency(in, item, out.emplace_back()); });
}

void read_metadata(GoStruct& in, const Value& v, Metadata& m) {
  const auto text = [&in](std::string& out) {
    return [&in, &out](const Value& x) { in.text(x, out); };
  };
  in.object(
      v, "Metadata",
      {{"name", text(m.name)},
       {"home", text(m.home)},
       {"sources", [&](const Value& x) { in.texts(x, m.sources); }},
       {"version", text(m.version)},
       {"description", text(m.description)},
       {"keywords", [&](const Value& x) { in.texts(x, m.keywords); }},
       {"maintainers",
        [&](const Value& list) {
          in.objects(
              list, "Maintainer", &m.null_maintainer, nullptr, [&] { m.maintainers.clear(); },
              [&](const Value& x) { read_maintainer(in, x, m.maintainers.emplace_back()); });
        }},
       {"icon", text(m.icon)},
       {"apiVersion", text(m.api_version)},
       {"condition", text(m.condition)},
       {"tags", text(m.tags)},
       {"appVersion", text(m.app_version)},
       {"deprecated", [&](const Value& x) { in.flag(x, m.deprecated); }},
       {"annotations", [&](const Value& x) { in.text_map(x, m.annotations, &m.has_annotations); }},
       {"kubeVersion", text(m.kube_version)},
       {"dependencies",
        [&](const Value& x) {
          read_dependencies(in, x, m.dependencies, &m.has_dependencies, &m.null_dependency);
        }},
       {"type", text(m.type)}});
}

Error invalid(std::string text) {
  return {Code::kInvalidArgument, "validation: " + std::move(text)};
}

// White space becomes a space, what cannot be printed goes: names reach terminals.
void sanitize(std::string& s) {
  const auto plain = [](char c) { return c >= ' ' && c < 0x7f; };
  if (std::all_of(s.begin(), s.end(), plain)) return;
  std::string clean;
  for (std::string_view rest = s; !rest.empty();) {
    const Rune r = decode_rune(rest);
    rest.remove_prefix(static_cast<size_t>(r.size));
    if (is_space(r.value)) {
      clean += ' ';
    } else if (is_print(r.value)) {
      append_rune(clean, r.value);
    }
  }
  s = std::move(clean);
}

bool is_alias(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Status validate_dependencies(Metadata& m) {
  std::set<std::string> names;
  for (size_t i = 0; i < m.dependencies.size(); ++i) {
    if (m.null_dependency == i) break;
    Dependency& d = m.dependencies[i];
    for (std::string* s : {&d.name, &d.version, &d.repository, &d.condition}) sanitize(*s);
    for (std::string& tag : d.tags) sanitize(tag);
    if (!is_alias(d.alias)) {
      return invalid(cat("dependency ", quote(d.name), " has disallowed characters in the alias"));
    }
    const std::string& key = d.alias.empty() ? d.name : d.alias;
    if (!names.insert(key).second) {
      return invalid("more than one dependency with name or alias " + quote(key));
    }
  }
  if (m.null_dependency) return invalid("dependencies must not contain empty or null nodes");
  return ok();
}

// A struct under construction as JSON sees it: keys with empty values can be left out.
class Json {
 public:
  void set(const char* key, Value v) { map_->set(key, std::move(v)); }
  void text(const char* key, const std::string& s) {
    if (!s.empty()) set(key, value::str(s));
  }
  void texts(const char* key, const std::vector<std::string>& list) {
    if (!list.empty()) set(key, strings(list));
  }
  static Value strings(const std::vector<std::string>& list) {
    std::vector<Value> items;
    for (const std::string& s : list) items.push_back(value::str(s));
    return Value::list_of(std::move(items));
  }
  Value take() { return Value::map(map_); }

 private:
  Ref<value::Map> map_ = value::make_map();
};

Value dependency_list(const std::vector<Dependency>& dependencies) {
  std::vector<Value> items;
  for (const Dependency& d : dependencies) items.push_back(dependency_value(d));
  return Value::list_of(std::move(items));
}

}  // namespace

Status parse_metadata_into(std::string_view yaml_text, Metadata& metadata) {
  const Value tree = TRY(yaml::read_exact(yaml_text));
  GoStruct in("v2");
  read_metadata(in, tree, metadata);
  return in.status();
}

Result<Metadata> parse_metadata(std::string_view yaml_text) {
  Metadata metadata;
  TRY(parse_metadata_into(yaml_text, metadata));
  return metadata;
}

Status check_metadata_strictly(std::string_view yaml_text) {
  const Value tree = TRY(yaml::read_strict(yaml_text));
  Metadata metadata;
  GoStruct in("v2", true);
  read_metadata(in, tree, metadata);
  return in.status();
}

Result<std::optional<Lock>> parse_lock(std::string_view yaml_text) {
  const Value tree = TRY(yaml::read_exact(yaml_text));
  if (tree.is_nil()) return std::optional<Lock>();
  Lock lock;
  lock.has_dependencies = false;
  lock.generated = "0001-01-01T00:00:00Z";
  std::optional<size_t> first_null;
  GoStruct in("v2");
  in.object(tree, "Lock",
            {{"generated",
              [&](const Value& x) {
                if (x.is_nil()) return;
                if (!x.is_string())
                  return in.fail("Time.UnmarshalJSON: input is not a JSON string");
                const auto time = parse_rfc3339(x.as_string());
                if (!time) return in.fail(time.error().text());
                lock.generated = time->text;
                lock.generated_ns = time->unix_ns;
              }},
             {"digest", [&](const Value& x) { in.text(x, lock.digest); }},
             {"dependencies", [&](const Value& x) {
                read_dependencies(in, x, lock.dependencies, &lock.has_dependencies, &first_null);
              }}});
  TRY(in.status());
  if (first_null) {
    return Error(Code::kInvalidArgument, "dependencies must not contain empty or null nodes");
  }
  return std::optional(std::move(lock));
}

Result<std::string> lock_yaml(const Lock& lock) {
  Json json;
  json.set("dependencies",
           lock.has_dependencies ? dependency_list(lock.dependencies) : Value::nil());
  json.set("digest", value::str(lock.digest));
  json.set("generated", value::str(lock.generated));
  return yaml::write(json.take());
}

Value dependency_value(const Dependency& d) {
  Json json;
  json.set("name", value::str(d.name));
  json.text("version", d.version);
  json.set("repository", value::str(d.repository));
  json.text("condition", d.condition);
  json.texts("tags", d.tags);
  if (d.enabled) json.set("enabled", Value::boolean(true));
  if (!d.import_values.empty()) json.set("import-values", Value::list_of(d.import_values));
  json.text("alias", d.alias);
  return json.take();
}

Value metadata_value(const Metadata& m) {
  Json json;
  json.text("name", m.name);
  json.text("home", m.home);
  json.texts("sources", m.sources);
  json.text("version", m.version);
  json.text("description", m.description);
  json.texts("keywords", m.keywords);
  std::vector<Value> maintainers;
  for (const Maintainer& one : m.maintainers) {
    Json person;
    person.text("name", one.name);
    person.text("email", one.email);
    person.text("url", one.url);
    maintainers.push_back(person.take());
  }
  if (!maintainers.empty()) json.set("maintainers", Value::list_of(std::move(maintainers)));
  json.text("icon", m.icon);
  json.text("apiVersion", m.api_version);
  json.text("condition", m.condition);
  json.text("tags", m.tags);
  json.text("appVersion", m.app_version);
  if (m.deprecated) json.set("deprecated", Value::boolean(true));
  if (!m.annotations.empty()) {
    auto annotations = value::make_map();
    for (const auto& [key, text] : m.annotations) annotations->set(key, value::str(text));
    json.set("annotations", Value::map(annotations));
  }
  json.text("kubeVersion", m.kube_version);
  if (!m.dependencies.empty()) json.set("dependencies", dependency_list(m.dependencies));
  json.text("type", m.type);
  return json.take();
}

Result<std::string> metadata_yaml(const Metadata& metadata) {
  return yaml::write(metadata_value(metadata));
}

Status validate(Metadata& m) {
  for (std::string* s : {&m.name, &m.description, &m.home, &m.icon, &m.condition, &m.tags,
                         &m.app_version, &m.kube_version}) {
    sanitize(*s);
  }
  for (std::string& s : m.sources) sanitize(s);
  for (std::string& s : m.keywords) sanitize(s);

  if (m.api_version.empty()) return invalid("chart.metadata.apiVersion is required");
  if (m.name.empty()) return invalid("chart.metadata.name is required");
  if (m.name == "." || m.name == "..") {
    return invalid(cat("chart.metadata.name ", quote(m.name), " is not allowed"));
  }
  if (m.name != path::base(m.name)) {
    return invalid(cat("chart.metadata.name ", quote(m.name), " is invalid"));
  }
  if (m.version.empty()) return invalid("chart.metadata.version is required");
  if (!semver::parse(m.version)) {
    return invalid(cat("chart.metadata.version ", quote(m.version), " is invalid"));
  }
  if (!m.type.empty() && m.type != "application" && m.type != "library") {
    return invalid("chart.metadata.type must be application or library");
  }
  for (Maintainer& one : m.maintainers) {
    for (std::string* s : {&one.name, &one.email, &one.url}) sanitize(*s);
  }
  if (m.null_maintainer) return invalid("maintainers must not contain empty or null nodes");
  return validate_dependencies(m);
}

Status validate(Chart& chart) {
  if (!chart.has_metadata) return invalid("chart.metadata is required");
  return validate(chart.metadata);
}

}  // namespace pintle::chart
