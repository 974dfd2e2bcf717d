// format.named('dns1123Label').value().validate(text). What the formats demand is told by whoever
// runs the program (Formats): they belong to the API, not to the language.
#include <algorithm>

#include "cel/function.h"
#include "cel/things.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", 30},        {"dns1123Subdomain", 60},       {"dns1035Label", 30},
    {"qualifiedName", 60},       {"dns1123LabelPrefix", 30},     {"dns1123SubdomainPrefix", 60},
    {"dns1035LabelPrefix", 30},  {"labelValue", 40},             {"uri", 1103},
    {"uuid", 71},                {"byte", 84},                   {"date", 75},
    {"datetime", 75}};

Val made(Arena& a, const NamedFormat& f) {
  FormatThing out;
  out.format = &f;
  return Val::of(Kind::kFormat, a.keep(std::move(out)));
}
template <size_t I>
Val constant(Arena& a, Args) {
  return made(a, kFormats[I]);
}

Val named(Arena& a, Args v) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const NamedFormat& f) { return f.name == v[0].view(); });
  return found == std::end(kFormats) ? Val::optional(nullptr) : a.some(made(a, *found));
}

Val validate(Arena& a, Args v) {
  const NamedFormat& format = *thing<FormatThing>(v[0]).format;
  std::vector<Val> complaints;
  if (a.formats) {
    for (const std::string& c : a.formats(format.name, v[1].view())) complaints.push_back(a.copy(c));
  }
  return complaints.empty() ? Val::optional(nullptr) : a.some(a.list(complaints));
}

constexpr std::string_view kFormat = "-> kubernetes.NamedFormat";
constexpr Row kRows[] = {
    {"format.dns1123Label", kFormat, constant<0>},
    {"format.dns1123Subdomain", kFormat, constant<1>},
    {"format.dns1035Label", kFormat, constant<2>},
    {"format.qualifiedName", kFormat, constant<3>},
    {"format.dns1123LabelPrefix", kFormat, constant<4>},
    {"format.dns1123SubdomainPrefix", kFormat, constant<5>},
    {"format.dns1035LabelPrefix", kFormat, constant<6>},
    {"format.labelValue", kFormat, constant<7>},
    {"format.uri", kFormat, constant<8>},
    {"format.uuid", kFormat, constant<9>},
    {"format.byte", kFormat, constant<10>},
    {"format.date", kFormat, constant<11>},
    {"format.datetime", kFormat, constant<12>},
    {"format.named", "string -> optional_type(kubernetes.NamedFormat)", named},
    {"validate", "kubernetes.NamedFormat.(string) -> optional_type(list(string))", validate, Cost::kFormat},
};

}  // namespace

std::span<const Row> named_format_rows() { return kRows; }

}  // namespace pintle::cel
