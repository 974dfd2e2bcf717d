#include "drydock/body_text.h"

#include <set>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {

std::string summary_of(std::string_view body) {
  constexpr size_t kShown = 30;
  if (body.empty()) return "<empty>";
  const std::string_view start = body.substr(0, kShown);
  return cat(body[0] == '{' ? std::string(start) : crypt::hex(start), body.size() > kShown ? " ..." : "");
}

std::vector<std::string> strict_complaints(std::string_view s, const std::vector<std::string>& unknown) {
  // The text has been read once already, so it is well-formed; only keys and nesting matter here.
  struct Frame {
    bool map;
    std::set<std::string, std::less<>> keys;
    std::string path;  // of the container
    size_t index = 0;
  };
  const std::set<std::string, std::less<>> not_known(unknown.begin(), unknown.end());
  std::set<std::string, std::less<>> said;
  std::vector<std::string> out;
  std::vector<Frame> stack;
  std::string key;
  bool expects_key = false;
  auto child_path = [&]() -> std::string {
    if (stack.empty()) return "";
    const Frame& f = stack.back();
    if (!f.map) return cat(f.path, "[", f.index, "]");
    return f.path.empty() ? key : cat(f.path, ".", key);
  };
  for (size_t i = 0; i < s.size(); ++i) {
    switch (s[i]) {
      case '{': case '[': {
        bool map = s[i] == '{';
        std::string path = child_path();
        stack.push_back({map, {}, std::move(path)});
        expects_key = map;
        break;
      }
      case '}': case ']':
        if (!stack.empty()) stack.pop_back();
        expects_key = false;
        break;
      case ',':
        if (stack.empty()) break;
        expects_key = stack.back().map;
        if (!stack.back().map) ++stack.back().index;
        break;
      case '"': {
        size_t start = i++;
        while (i < s.size() && s[i] != '"') i += s[i] == '\\' ? 2 : 1;
        if (!expects_key || stack.empty()) break;
        expects_key = false;
        auto text = json::read(s.substr(start, i + 1 - start));
        key = text && text->is_string() ? std::string(text->as_string()) : "";
        const bool again = !stack.back().keys.insert(key).second;
        if (!again && not_known.empty()) break;
        std::string path = child_path();
        const bool strange = not_known.contains(path);
        if ((again || strange) && said.insert(path).second) {
          out.push_back(cat(strange ? "unknown field " : "duplicate field ", quote(path)));
        }
        break;
      }
      default: break;
    }
  }
  // Of fields that only stand in a patch's outcome, in the order of the outcome.
  for (const std::string& path : unknown) {
    if (!said.contains(path)) out.push_back(cat("unknown field ", quote(path)));
  }
  return out;
}

std::string_view number_at(std::string_view s, std::string_view path) {
  // As strict_complaints walks; only the end of the path matters.
  struct Frame {
    bool map;
    std::string path;
    size_t index = 0;
  };
  std::vector<Frame> stack;
  std::string key;
  bool expects_key = false;
  auto here = [&]() -> std::string {
    if (stack.empty()) return "";
    const Frame& f = stack.back();
    if (!f.map) return cat(f.path, "[", f.index, "]");
    return f.path.empty() ? key : cat(f.path, ".", key);
  };
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '{' || c == '[') {
      std::string at_frame = here();
      stack.push_back({c == '{', std::move(at_frame)});
      expects_key = c == '{';
    } else if (c == '}' || c == ']') {
      if (!stack.empty()) stack.pop_back();
      expects_key = false;
    } else if (c == ',' && !stack.empty()) {
      expects_key = stack.back().map;
      if (!expects_key) ++stack.back().index;
    } else if (c == '"') {
      const size_t start = i++;
      while (i < s.size() && s[i] != '"') i += s[i] == '\\' ? 2 : 1;
      if (!expects_key) continue;
      expects_key = false;
      const auto read = json::read(s.substr(start, i + 1 - start));
      key = read && read->is_string() ? std::string(read->as_string()) : "";
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      const size_t end = s.find_first_not_of("+-.0123456789eE", i);
      const std::string_view literal = s.substr(i, end == s.npos ? s.npos : end - i);
      if (here() == path) return literal;
      i += literal.size() - 1;
    }
  }
  return "";
}

std::vector<std::string> duplicate_yaml_keys(std::string_view yaml) {
  std::vector<std::string> out;
  const auto strict = yaml::read_strict(yaml);
  if (strict) return out;
  const std::string why = strict.error().text();
  for (std::string_view line : split(why, "\n")) {
    if (line.starts_with("  line ")) out.emplace_back(trim_space(line));
  }
  return out;
}

}  // namespace pintle::drydock
