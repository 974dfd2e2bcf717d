#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/release_status.h"
#include "tmpl/tmpl.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command prints a human readable collection of information about the
notes, hooks, supplied values, and generated manifest file of the given release.)";

// JSON's name of a field -> Go's: "first_deployed" -> "FirstDeployed".
std::string go_name(std::string_view json_name) {
  if (json_name == "apiVersion") return "APIVersion";
  if (json_name == "url") return "URL";
  if (json_name == "schemamodtime") return "SchemaModTime";
  if (json_name == "modtime") return "ModTime";
  std::string out;
  bool upper = true;
  for (const char c : json_name) {
    if (c == '_' || c == '-') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

// Values and annotations keep the names their authors gave them.
bool is_plain_map(std::string_view name) {
  return name == "values" || name == "config" || name == "annotations" || name == "resources";
}

Ref<value::Map> go_names(const value::Value& object) {
  auto out = value::make_map();
  for (const auto& [key, v] : *object.as_map()) {
    value::Value item = v;
    if (!is_plain_map(key.view()) && v.is_map() && v.as_map() != nullptr) {
      item = value::Value::map(go_names(v));
    } else if (v.is(value::Type::kList)) {
      std::vector<value::Value> items;
      for (const value::Value& x : v.items()) {
        const bool object_inside = x.is_map() && x.as_map() != nullptr;
        items.push_back(object_inside ? value::Value::map(go_names(x)) : x);
      }
      item = value::Value::list_of(std::move(items));
    }
    out->set(value::Str(go_name(key.view())), std::move(item));
  }
  return out;
}

struct Options {
  int64_t revision = 0;
  std::string format;
};

void bind(Flags& f, Options& o) {
  bind_revision(f, o.revision, "get the named release with revision");
  f.string("template", o.format, "go template for formatting the output, eg: {{.Release.Name}}");
}

// The release as Go templates see it: the fields of Go's structs.
value::Value template_data(const release::Record& record) {
  auto release = go_names(release::to_value(record, release::Writer::kHelm4));
  auto labels = value::make_map();
  for (const auto& [key, text] : record.labels) labels->set(value::Str(key), value::str(text));
  release->set("Labels", value::Value::map(labels));
  auto data = value::make_map();
  data->set("Release", value::Value::map(release));
  return value::Value::map(data);
}

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto record =
      TRY(action::content(context, s.args[0], static_cast<int>(o.revision)));
  if (o.format.empty()) {
    const StatusView whole = {.debug = true, .metadata = true, .description = !s.helm3()};
    s.print(TRY(status_page(s, record, whole)));
    return ok();
  }
  tmpl::Set set({});
  TRY(set.parse("_", o.format));
  tmpl::Vm vm(set, {});
  std::string out;
  const Status done = vm.execute("_", template_data(record), out);
  s.print(out);
  return done;
}

}  // namespace

constinit const Command kGetAll =
    define<Options, bind, run>({.use = "all RELEASE_NAME",
                                .brief = "download all information for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
