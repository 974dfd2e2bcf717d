#include "drydock/go_struct.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

bool upper(char c) { return c >= 'A' && c <= 'Z'; }

// The leading capitals become small, but for the last where a word follows: GMSAName is gmsaName.
std::string key_of(std::string_view name) {
  size_t capitals = 0;
  while (capitals < name.size() && upper(name[capitals])) ++capitals;
  const size_t small = capitals > 1 && capitals < name.size() ? capitals - 1 : capitals;
  std::string out(name);
  for (size_t i = 0; i < small; ++i) out[i] = static_cast<char>(out[i] - 'A' + 'a');
  return out;
}

}  // namespace

std::string go_struct(const Value* object, std::string_view fields) {
  if (!object) return "null";
  std::string out = "{";
  while (!fields.empty()) {
    const size_t end = fields.find_first_of("=,{");
    const std::string_view name = fields.substr(0, end);
    fields.remove_prefix(name.size());
    std::string_view absent = "null", inner;
    if (fields.starts_with('=')) {
      absent = fields.substr(1, fields.find(',') == fields.npos ? fields.npos : fields.find(',') - 1);
      fields.remove_prefix(1 + absent.size());
    } else if (fields.starts_with('{')) {
      size_t depth = 0, i = 0;
      do {
        depth += fields[i] == '{' ? 1 : 0;
        depth -= fields[i] == '}' ? 1 : 0;
      } while (depth > 0 && ++i < fields.size());
      inner = fields.substr(1, i - 1);
      fields.remove_prefix(i + 1);
    }
    if (fields.starts_with(',')) fields.remove_prefix(1);
    const Value* v = at(*object, key_of(name));
    append(out, {out.size() > 1 ? "," : "", quote(name), ":"});
    if (!inner.empty()) out += go_struct(v, inner);
    else if (v) out += json::write(*v).value_or("null");
    else out += absent;
  }
  return out + "}";
}

}  // namespace pintle::drydock
