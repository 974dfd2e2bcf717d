#include "action/user_values.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "chart/load.h"
#include "chart/strvals.h"
#include "chart/values.h"
#include "json/json.h"

namespace pintle::action {
namespace {

std::string_view url_scheme(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') return text.substr(0, i);
    const bool inner = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!letter(c) && (i == 0 || !inner)) return {};
  }
  return {};
}

Result<std::string> read_source(Context& context, const ValueSources& sources,
                                std::string_view path) {
  if (trim_space(path) == "-") {
    if (sources.read_stdin) return sources.read_stdin();
    return Error(Code::kUnavailable, "there is no standard input to read values from");
  }
  const std::string scheme = to_lower(url_scheme(path));
  if (scheme == "http" || scheme == "https" || scheme == "oci") {
    if (sources.fetch) return sources.fetch(std::string(path));
    return Error(Code::kUnimplemented, cat("cannot fetch ", path));
  }
  return context.disk.read_file(std::string(path));
}

Error in(std::string_view what, const Error& cause) {
  return Error::wrap(cat("failed parsing ", what, " data"), cause);
}

Status set_json(value::Value& base, const std::string& text, bool helm3,
                chart::strvals::Room& room) {
  const std::string_view trimmed = trim_space(text);
  if (!helm3 && trimmed.starts_with('{')) {
    const auto object = json::read_map(trimmed);
    if (!object) {
      return Error(Code::kInvalidArgument, cat("failed parsing --set-json data JSON: ", text));
    }
    base = chart::merge_maps(base, *object);
    return ok();
  }
  if (!chart::strvals::parse_json_into(text, *base.as_map(), helm3, &room)) {
    return Error(Code::kInvalidArgument, cat("failed parsing --set-json data ", text));
  }
  return ok();
}

}  // namespace

Result<value::Value> merge_user_values(Context& context, const UserValues& user,
                                       const ValueSources& sources) {
  namespace strvals = chart::strvals;
  value::Value base = value::Value::map(value::make_map());
  for (const std::string& path : user.files) {
    const std::string text = TRY(read_source(context, sources, path));
    const auto values = chart::load_values(text, context.helm3);
    if (!values) return Error::wrap(cat("failed to parse ", path), values.error());
    base = chart::merge_maps(base, *values);
  }
  strvals::Room room;
  for (const std::string& line : user.json_values) TRY(set_json(base, line, context.helm3, room));
  value::Map& values = *base.as_map();
  const bool helm3 = context.helm3;
  for (const std::string& line : user.values) {
    if (Status s = strvals::parse_into(line, values, helm3, &room); !s) return in("--set", s.error());
  }
  for (const std::string& line : user.string_values) {
    if (Status s = strvals::parse_into_string(line, values, helm3, &room); !s) {
      return in("--set-string", s.error());
    }
  }
  const strvals::FileReader reader = [&](std::string_view path) {
    return read_source(context, sources, path);
  };
  for (const std::string& line : user.file_values) {
    if (Status s = strvals::parse_file_into(line, values, reader, helm3, &room); !s) {
      return in("--set-file", s.error());
    }
  }
  for (const std::string& line : user.literal_values) {
    if (Status s = strvals::parse_literal_into(line, values, helm3, &room); !s) {
      return in("--set-literal", s.error());
    }
  }
  return base;
}

}  // namespace pintle::action
