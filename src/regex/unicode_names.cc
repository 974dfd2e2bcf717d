// How Go looks up the name in \p{...}: by its letters alone, whatever their case.
#include "regex/unicode_names.h"

#include <utility>

namespace pintle::regex {
namespace {

constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {
    {"Closepunctuation", "Pe"},   {"Cntrl", "Cc"},
    {"Combiningmark", "M"},       {"Connectorpunctuation", "Pc"},
    {"Control", "Cc"},            {"Currencysymbol", "Sc"},
    {"Dashpunctuation", "Pd"},    {"Decimalnumber", "Nd"},
    {"Digit", "Nd"},              {"Enclosingmark", "Me"},
    {"Finalpunctuation", "Pf"},   {"Format", "Cf"},
    {"Initialpunctuation", "Pi"}, {"Letter", "L"},
    {"Letternumber", "Nl"},       {"Lineseparator", "Zl"},
    {"Lowercaseletter", "Ll"},    {"Mark", "M"},
    {"Mathsymbol", "Sm"},         {"Modifierletter", "Lm"},
    {"Modifiersymbol", "Sk"},     {"Nonspacingmark", "Mn"},
    {"Number", "N"},              {"Openpunctuation", "Ps"},
    {"Other", "C"},               {"Otherletter", "Lo"},
    {"Othernumber", "No"},        {"Otherpunctuation", "Po"},
    {"Othersymbol", "So"},        {"Paragraphseparator", "Zp"},
    {"Privateuse", "Co"},         {"Punct", "P"},
    {"Punctuation", "P"},         {"Separator", "Z"},
    {"Spaceseparator", "Zs"},     {"Spacingmark", "Mc"},
    {"Surrogate", "Cs"},          {"Symbol", "S"},
    {"Titlecaseletter", "Lt"},    {"Uppercaseletter", "Lu"},
};

// Scripts whose names are more than one capital letter and small ones behind it.
constexpr std::string_view kScripts[] = {
    "Anatolian_Hieroglyphs", "Bassa_Vah", "Canadian_Aboriginal", "Caucasian_Albanian",
    "Cypro_Minoan", "Dives_Akuru", "Egyptian_Hieroglyphs", "Gunjala_Gondi", "Hanifi_Rohingya",
    "Imperial_Aramaic", "Inscriptional_Pahlavi", "Inscriptional_Parthian", "Kayah_Li",
    "Khitan_Small_Script", "Linear_A", "Linear_B", "Masaram_Gondi", "Meetei_Mayek",
    "Mende_Kikakui", "Meroitic_Cursive", "Meroitic_Hieroglyphs", "Nag_Mundari", "New_Tai_Lue",
    "Nyiakeng_Puachue_Hmong", "Ol_Chiki", "Old_Hungarian", "Old_Italic", "Old_North_Arabian",
    "Old_Permic", "Old_Persian", "Old_Sogdian", "Old_South_Arabian", "Old_Turkic", "Old_Uyghur",
    "Pahawh_Hmong", "Pau_Cin_Hau", "Phags_Pa", "Psalter_Pahlavi", "SignWriting", "Sora_Sompeng",
    "Syloti_Nagri", "Tai_Le", "Tai_Tham", "Tai_Viet", "Warang_Citi", "Zanabazar_Square",
};

// First letter upper case, the others lower, no separators.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    if (out.empty()) {
      out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    } else {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
  }
  return out;
}

}  // namespace

std::string re2_class_name(std::string_view name) {
  const std::string_view negation = name.substr(0, name.starts_with('^') ? 1 : 0);
  const std::string wanted = folded(name.substr(negation.size()));
  std::string out(negation);
  for (const auto& [long_name, short_name] : kLongNames) {
    if (wanted == long_name) return out.append(short_name);
  }
  for (const std::string_view script : kScripts) {
    if (wanted == folded(script)) return out.append(script);
  }
  return out.append(wanted);
}

}  // namespace pintle::regex
