// toYaml, fromJson, toToml and their kin: values to text and back.
//
// The plain forms swallow errors as Helm's do (""; an "Error" key; a list of the error's text), the
// must forms report them.
#include <string>

#include "base/count.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/funcs.h"
#include "funcs/objects.h"
#include "json/json.h"
#include "toml/toml.h"
#include "value/func.h"
#include "yaml/yaml.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::FuncDef;
using value::Str;
using value::Value;

bool give_text(Call& c, std::string_view text) { return c.give(Value::string(Str(text))); }

std::string_view trim_newline(std::string_view s) {
  if (!s.empty() && s.back() == '\n') s.remove_suffix(1);
  return s;
}

// A map that holds the error's text beside what had been read before it.
bool give_error_map(Call& c, const Error& e, const Value& partial = {}) {
  auto m = partial.is_map() && partial.as_map() != nullptr ? partial.map_ref() : value::make_map();
  m->set(Str("Error"), value::str(e.text()));
  return c.give(Value::map(std::move(m)));
}

bool give_error_list(Call& c, const Error& e) {
  return c.give(Value::list_of({value::str(e.text())}));
}

constexpr size_t kBytesWrittenInAStep = 2;

Result<Str> yaml_of(Call& c) {
  YamlTexts* texts = c[0].is_map() && c[0].length() > 0 ? env(c).yaml_texts : nullptr;
  if (texts) {
    if (const Str* known = texts->find(c[0])) return *known;
  }
  Str text(trim_newline(TRY(yaml::write(c[0]))));
  if (texts) texts->wrote(c[0], text);
  c.steps = text.size() / kBytesWrittenInAStep;
  return text;
}

// No mistake of the chart's, which the plain forms pass over.
template <typename Text>
bool too_large(const Result<Text>& text) {
  return !text && text.error().code() == Code::kOutOfRange;
}

bool to_yaml(Call& c) {
  auto text = yaml_of(c);
  if (too_large(text)) return c.fail(text.error());
  return c.give(Value::string(text ? std::move(*text) : Str()));
}

bool must_to_yaml(Call& c) {
  auto text = yaml_of(c);
  return text ? c.give(Value::string(std::move(*text))) : c.fail(text.error());
}

bool to_yaml_pretty(Call& c) {
  auto text = yaml::write_v3(c[0]);
  if (too_large(text)) return c.fail(text.error());
  return give_text(c, text ? trim_newline(*text) : "");
}

// Reads argument 0, or says that it has too many values; both take time by its length. Commas and
// brackets in JSON's strings count too: no text of a chart has a million.
constexpr size_t kStepsToParseAByte = 3, kMaxJsonValues = size_t{1} << 20;

std::string_view source(Call& c) {
  const std::string_view text = c[0].as_string();
  c.steps = text.size() * kStepsToParseAByte;
  return text;
}
template <typename Read>
Result<Value> read_source(Call& c, Read read) {
  const std::string_view text = source(c);
  if (more_than(text, ",[{=\n", kMaxJsonValues)) return Error("document has too many values");
  return read(text);
}

bool from_yaml(Call& c) {
  auto v = yaml::read_map(source(c));
  return v ? c.give(std::move(*v)) : give_error_map(c, v.error());
}

bool from_yaml_array(Call& c) {
  auto v = yaml::read_list(source(c));
  return v ? c.give(std::move(*v)) : give_error_list(c, v.error());
}

bool give_json(Call& c, json::WriteOptions options, bool must) {
  options.max_bytes = kMaxBytes;
  auto text = json::write(c[0], options);
  if (!text && (must || too_large(text))) return c.fail(text.error());
  return give_text(c, text ? std::string_view(*text) : "");
}

bool to_json(Call& c) { return give_json(c, {}, false); }
bool must_to_json(Call& c) { return give_json(c, {}, true); }
bool to_pretty_json(Call& c) { return give_json(c, {.indent = "  "}, false); }
bool must_to_pretty_json(Call& c) { return give_json(c, {.indent = "  "}, true); }
bool to_raw_json(Call& c) { return give_json(c, {.escape_html = false}, true); }

bool from_json(Call& c) {
  Value partial;
  auto v = read_source(c, [&](std::string_view text) { return json::read_map(text, &partial); });
  return v ? c.give(std::move(*v)) : give_error_map(c, v.error(), partial);
}

bool from_json_array(Call& c) {
  auto v = read_source(c, [](std::string_view text) { return json::read_list(text); });
  return v ? c.give(std::move(*v)) : give_error_list(c, v.error());
}

bool must_from_json(Call& c) {
  auto v = read_source(c, [](std::string_view text) { return json::read(text); });
  return v ? c.give(std::move(*v)) : c.fail(v.error());
}

// BurntSushi's zones for times without one; their names show where such a time is printed.
struct LocalZones {
  const Zone* date_time;
  const Zone* date;
  const Zone* time;
};
const LocalZones& local_zones() {
  static const LocalZones zones = {Zone::fixed("datetime-local", 0), Zone::fixed("date-local", 0),
                                   Zone::fixed("time-local", 0)};
  return zones;
}

// Go reads "1:2:3" where "15:04:05" is asked for; TOML does not.
bool same_separators(std::string_view text, std::string_view layout) {
  for (size_t i = 0; i < layout.size(); ++i) {
    char l = layout[i];
    if (l == '.' || l == 'Z') return true;
    bool digit = l >= '0' && l <= '9';
    if (!digit && (i >= text.size() || text[i] != l)) return false;
  }
  return true;
}

std::optional<Value> read_toml_time(std::string_view text) {
  const LocalZones& local = local_zones();
  const struct {
    std::string_view layout;
    const Zone* zone;
  } kinds[] = {
      {"2006-01-02T15:04:05.999999999Z07:00", Zone::local()},
      {"2006-01-02T15:04:05.999999999", local.date_time},
      {"2006-01-02", local.date},
      {"15:04:05.999999999", local.time},
      {"2006-01-02T15:04Z07:00", Zone::local()},
      {"2006-01-02T15:04", local.date_time},
      {"15:04", local.time},
  };
  for (const auto& k : kinds) {
    auto t = parse_time(k.layout, text, k.zone);
    if (!t) continue;
    if (!same_separators(text, k.layout)) return std::nullopt;
    return make_time(*t);
  }
  return std::nullopt;
}

std::optional<std::string> write_toml_object(const Value& v) {
  if (const Time* t = time_of(v)) {
    const LocalZones& local = local_zones();
    if (t->zone == local.date_time) return t->format("2006-01-02T15:04:05.999999999");
    if (t->zone == local.date) return t->format("2006-01-02");
    if (t->zone == local.time) return t->format("15:04:05.999999999");
    return t->format("2006-01-02T15:04:05.999999999Z07:00");
  }
  if (duration_of(v)) {
    std::string text;
    v.as_object()->print(text, false);
    return toml::quote(text);
  }
  Value plain = v.as_object()->plain();
  if (plain.is_string()) return toml::quote(plain.as_string());
  return std::nullopt;
}

bool give_toml(Call& c, bool must) {
  // The encoder asks the value for its type before it looks at anything else.
  if (c[0].is_nil()) return c.fail("reflect: call of reflect.Value.Type on zero Value");
  auto text = toml::write(c[0], write_toml_object);
  if (!text && (must || too_large(text))) return c.fail(text.error());
  return give_text(c, text ? *text : text.error().text());
}

bool to_toml(Call& c) { return give_toml(c, false); }
bool must_to_toml(Call& c) { return give_toml(c, true); }

bool from_toml(Call& c) {
  auto v = read_source(
      c, [](std::string_view text) { return toml::read_map(text, read_toml_time); });
  return v ? c.give(std::move(*v)) : give_error_map(c, v.error());
}

constexpr FuncDef kRows[] = {
    {"fromJson", "s", from_json},
    {"fromJsonArray", "s", from_json_array},
    {"fromToml", "s", from_toml},
    {"fromYaml", "s", from_yaml},
    {"fromYamlArray", "s", from_yaml_array},
    {"mustFromJson", "s", must_from_json},
    {"mustToJson", "v", must_to_json},
    {"mustToPrettyJson", "v", must_to_pretty_json},
    {"mustToRawJson", "v", to_raw_json},
    {"mustToToml", "v", must_to_toml},
    {"mustToYaml", "v", must_to_yaml},
    {"toJson", "v", to_json},
    {"toPrettyJson", "v", to_pretty_json},
    {"toRawJson", "v", to_raw_json},
    {"toToml", "v", to_toml},
    {"toYaml", "v", to_yaml},
    {"toYamlPretty", "v", to_yaml_pretty},
};

}  // namespace

Family encoding_family() { return kRows; }

}  // namespace pintle::funcs
