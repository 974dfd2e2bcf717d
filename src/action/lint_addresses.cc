// E-mail addresses and URLs as asaskevich/govalidator judges them. Its expressions are long and
// slow to compile; what nearly everybody writes is recognised by hand first.
#include <algorithm>
#include <string>

#include "action/lint_rules.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "regex/regex.h"

namespace pintle::action {
namespace {

bool is_alnum(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_letter_ascii(char32_t c) { return is_alnum(c) && c > '9'; }
// The letters beyond ASCII that addresses may have.
bool is_wide(char32_t c) {
  return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) || (c >= 0xFDF0 && c <= 0xFFEF);
}

std::u32string runes(std::string_view s) {
  std::u32string out;
  while (!s.empty()) {
    const Rune r = decode_rune(s);
    out += r.value;
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return out;
}

bool is_dot_atom(const std::u32string& s) {
  constexpr std::u32string_view kSigns = U"!#$%&'*+-/=?^_`{|}~";
  bool after_dot = true;
  for (char32_t c : s) {
    if (c == '.' && after_dot) return false;
    after_dot = c == '.';
    if (!after_dot && !is_alnum(c) && !is_wide(c) && kSigns.find(c) == kSigns.npos) return false;
  }
  return !after_dot;
}

constexpr std::string_view kWide = "\\x{00A0}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFEF}";

bool is_quoted_local(std::string_view s) {
  const std::string blank = "(((\\x20|\\x09)*(\\x0d\\x0a))?(\\x20|\\x09)+)?";
  const auto regex = regex::Regex::compile(
      cat("^\\x22(", blank, "(([\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\x21\\x23-\\x5b\\x5d-\\x7e",
          kWide, "])|(\\([\\x01-\\x09\\x0b\\x0c\\x0d-\\x7f]|[", kWide, "])))*", blank, "\\x22$"));
  return regex && (*regex)->matches(s);
}

// Labels may hold dots themselves, so that only the ends and the last part are strict.
bool is_mail_domain(std::u32string s) {
  if (s.ends_with(U'.')) s.pop_back();
  const size_t dot = s.rfind(U'.');
  if (dot == s.npos || dot == 0 || dot + 1 == s.size()) return false;
  const auto letter = [](char32_t c) { return is_letter_ascii(c) || is_wide(c); };
  const auto end = [](char32_t c) { return is_alnum(c) || is_wide(c); };
  const auto middle = [&](char32_t c) {
    return end(c) || c == '-' || c == '.' || c == '_' || c == '~';
  };
  return end(s[0]) && end(s[dot - 1]) && letter(s[dot + 1]) && letter(s.back()) &&
         std::all_of(s.begin(), s.end(), middle);
}

// http(s)://host[/...] with a host of plain labels: a URL without asking the expression.
bool is_plain_url(std::string_view s) {
  const size_t scheme = s.starts_with("https://") ? 8 : s.starts_with("http://") ? 7 : 0;
  if (scheme == 0) return false;
  const size_t slash = std::min(s.find('/', scheme), s.size());
  const auto graphic = [](char c) { return c > ' ' && c < 0x7f && c != '%'; };
  if (!std::all_of(s.begin(), s.end(), graphic)) return false;
  const auto labels = split(s.substr(scheme, slash - scheme), ".");
  if (labels.size() < 2) return false;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string_view label = labels[i];
    const bool last = i + 1 == labels.size();
    if (label.size() < 2 || !is_alnum(static_cast<uint8_t>(label.front())) ||
        !is_alnum(static_cast<uint8_t>(label.back())) || label.find("--") != label.npos) {
      return false;
    }
    for (char c : label) {
      if (!is_alnum(static_cast<uint8_t>(c)) && (last || c != '-')) return false;
      if (last && c <= '9') return false;
    }
  }
  return true;
}

bool matches_url_expression(std::string_view s) {
  constexpr std::string_view kUrl =
      R"(^((ftp|tcp|udp|wss?|https?):\/\/)?(\S+(:\S*)?@)?)"
      R"(((([1-9]\d?|1\d\d|2[01]\d|22[0-3]|24\d|25[0-5])(\.(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])){2})"
      R"((?:\.([0-9]\d?|1\d\d|2[0-4]\d|25[0-5]))|(\[(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|)"
      R"(([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|)"
      R"(([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|)"
      R"(([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|)"
      R"(([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|)"
      R"(([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|)"
      R"([0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:)|)"
      R"(fe80:(:[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]{1,}|)"
      R"(::(ffff(:0{1,4}){0,1}:){0,1}((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])\.){3,3})"
      R"((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])|)"
      R"(([0-9a-fA-F]{1,4}:){1,4}:((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])\.){3,3})"
      R"((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9]))\])|)"
      R"((([a-zA-Z0-9]([a-zA-Z0-9-_]+)?[a-zA-Z0-9]([-\.][a-zA-Z0-9]+)*)|)"
      R"((((www\.)|([a-zA-Z0-9]+([-_\.]?[a-zA-Z0-9])*[a-zA-Z0-9]\.[a-zA-Z0-9]+))?))?)"
      R"((([a-zA-Z\x{00a1}-\x{ffff}0-9]+-?-?)*[a-zA-Z\x{00a1}-\x{ffff}0-9]+))"
      R"((?:\.([a-zA-Z\x{00a1}-\x{ffff}]{1,}))?))\.?(:(\d{1,5}))?((\/|\?|#)[^\s]*)?$)";
  const auto regex = regex::Regex::compile(kUrl);
  return regex && (*regex)->matches(s);
}

}  // namespace

bool is_email(std::string_view s) {
  const size_t at = s.rfind('@');
  if (at == s.npos) return false;
  const std::string_view local = s.substr(0, at);
  const bool good_local =
      local.starts_with('"') ? is_quoted_local(local) : is_dot_atom(runes(local));
  return good_local && is_mail_domain(runes(s.substr(at + 1)));
}

bool is_url(std::string_view s) {
  constexpr size_t kMaxRunes = 2083, kMinBytes = 3;
  if (rune_count(s) >= kMaxRunes || s.size() <= kMinBytes || s.starts_with('.')) return false;
  if (is_plain_url(s)) return true;
  const bool bare_port = s.find(':') != s.npos && s.find("://") == s.npos;
  const auto url = parse_url(bare_port ? cat("http://", s) : std::string(s));
  if (!url || url->host.starts_with('.')) return false;
  if (url->host.empty() && !url->path.empty() && url->path.find('.') == std::string::npos) {
    return false;
  }
  return matches_url_expression(s);
}

bool is_request_url(std::string_view s) {
  const auto url = parse_url(s);
  return url && url->absolute();
}

}  // namespace pintle::action
