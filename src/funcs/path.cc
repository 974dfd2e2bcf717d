// Paths and URLs: Go's path package (on Linux path/filepath is the same) and net/url.
#include "base/path.h"

#include "base/strings.h"
#include "base/url.h"
#include "funcs/families.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Value;

namespace {

// Cleaning holds every part of a path: no path has a million bytes.
constexpr size_t kMaxPath = size_t{1} << 20;

template <auto kFn>
bool cleaned(Call& c) {
  if (c[0].as_string().size() > kMaxPath) return c.fail("path is too long");
  return c.give(value::str(kFn(c[0].as_string())));
}

bool base(Call& c) { return c.give(value::str(path::base(c[0].as_string()))); }
bool dir(Call& c) { return cleaned<path::dir>(c); }
bool clean(Call& c) { return cleaned<path::clean>(c); }
bool ext(Call& c) { return c.give(value::str(path::ext(c[0].as_string()))); }
bool is_abs(Call& c) { return c.give(Value::boolean(path::is_abs(c[0].as_string()))); }

bool url_parse(Call& c) {
  Result<Url> parsed = parse_url(c[0].as_string());
  if (!parsed) return c.fail("unable to parse url: " + parsed.error().text());
  const Url& url = *parsed;
  auto map = value::make_map();
  map->set("scheme", value::str(url.scheme));
  map->set("host", value::str(url.host));
  map->set("hostname", value::str(url.hostname()));
  map->set("path", value::str(url.path));
  map->set("query", value::str(url.raw_query));
  map->set("opaque", value::str(url.opaque));
  map->set("fragment", value::str(url.fragment));
  map->set("userinfo", value::str(url.userinfo.value_or("")));
  return c.give(Value::map(std::move(map)));
}

// The text under `key`, "" when there is none; false: not a string, and the call has failed.
bool read_part(Call& c, std::string_view key, std::string& out) {
  const Value* v = c[0].get(key);
  if (v == nullptr) return true;
  if (v->is_string()) {
    out = v->as_string();
    return true;
  }
  if (v->is_nil()) {
    return c.fail("runtime error: invalid memory address or nil pointer dereference");
  }
  return c.fail(cat("unable to parse ", key, " key, must be of type string, but ",
                    value::kind_name(*v), " found"));
}

bool url_join(Call& c) {
  Url url;
  std::string userinfo;
  if (!read_part(c, "scheme", url.scheme) || !read_part(c, "host", url.host) ||
      !read_part(c, "path", url.path) || !read_part(c, "query", url.raw_query) ||
      !read_part(c, "opaque", url.opaque) || !read_part(c, "fragment", url.fragment) ||
      !read_part(c, "userinfo", userinfo)) {
    return false;
  }
  if (!userinfo.empty()) {
    Result<Url> parsed = parse_url(cat("proto://", userinfo, "@host"));
    if (!parsed) return c.fail("unable to parse userinfo in dict: " + parsed.error().text());
    url.userinfo = parsed->userinfo;
  }
  return c.give(value::str(url.text()));
}

constexpr FuncDef kRows[] = {
    {"base", "s", base},       {"clean", "s", clean},        {"dir", "s", dir},
    {"ext", "s", ext},         {"isAbs", "s", is_abs},       {"osBase", "s", base},
    {"osClean", "s", clean},   {"osDir", "s", dir},          {"osExt", "s", ext},
    {"osIsAbs", "s", is_abs},  {"urlJoin", "m", url_join},   {"urlParse", "s", url_parse},
};

}  // namespace

Family path_family() { return kRows; }

}  // namespace pintle::funcs
