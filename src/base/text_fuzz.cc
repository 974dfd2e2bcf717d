// Go's text conventions on arbitrary bytes: what is read must print and read again.
#include <cstdlib>

#include "base/gotext.h"
#include "base/url.h"

namespace {

using namespace pintle;

void must(bool held) {
  if (!held) std::abort();
}

void fuzz_quotes(std::string_view s) {
  must(unquote(quote(s)) == s);
  std::string ascii;
  append_quoted(ascii, s, true);
  must(unquote(ascii) == s);
  if (auto plain = unquote(s)) must(unquote(quote(*plain)) == *plain);
}

void fuzz_numbers(std::string_view s) {
  ParseError error;
  int64_t n = parse_int(s, 0, 64, &error);
  if (error == ParseError::kNone) must(parse_int(std::to_string(n), 10, 64, nullptr) == n);
  auto d = parse_float(s);
  if (!d || *d != *d) return;
  std::string text;
  append_float(text, *d, 'g', -1);
  must(parse_float(text) == *d);
  append_float(text, *d, 'x', 3);
}

void fuzz_urls(std::string_view s) {
  auto url = parse_url(s);
  if (!url) return;
  auto again = parse_url(url->text());
  if (again) must(again->text() == url->text());
  (void)resolve_url(*url, *url).text();
  (void)url->hostname();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view s(reinterpret_cast<const char*>(data), size);
  fuzz_quotes(s);
  fuzz_numbers(s);
  fuzz_urls(s);
  (void)parse_ip(s);
  must(rune_count(s) <= s.size());
  must(valid_utf8(to_upper(s)) || !valid_utf8(s));
  must(trim_space(s).size() <= s.size());
  return 0;
}
