#include "cli/flags.h"

#include <algorithm>

#include "base/gotext.h"

namespace pintle::cli {
namespace {

Error usage_error(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

// pflag's guess for an unknown flag without '=': the next word, unless it looks like a flag, is its
// value (but a lone last word is dropped with it).
void skip_unknown_value(std::span<const std::string>& rest) {
  if (rest.empty() || rest[0].starts_with('-')) return;
  rest = rest.subspan(1);
}

// %q of the byte as a rune: 'x', '\\'', 'Ã'.
std::string quoted_byte(char c) {
  std::string text;
  if (c == '\'' || c == '\\') text = '\\';
  append_rune(text, static_cast<unsigned char>(c));
  return "'" + text + "'";
}

bool default_is_zero(const Flag& flag) {
  const std::string& d = flag.default_text;
  switch (flag.kind) {
    case Flag::Kind::kBool:
      return d == "false" || d.empty();
    case Flag::Kind::kNumber:
      return d == "0";
    case Flag::Kind::kDuration:
      return d == "0" || d == "0s";
    case Flag::Kind::kString:
      return d.empty();
    case Flag::Kind::kList:
      return d == "[]";
    case Flag::Kind::kOther:
      break;
  }
  return d == "false" || d == "<nil>" || d.empty() || d == "0";
}

// A back-quoted word in the usage names the value; otherwise the type does.
std::pair<std::string, std::string> name_and_usage(const Flag& flag) {
  std::string usage(flag.usage);
  const size_t open = usage.find('`');
  if (open != std::string::npos) {
    const size_t close = usage.find('`', open + 1);
    if (close != std::string::npos) {
      std::string name = usage.substr(open + 1, close - open - 1);
      usage = usage.substr(0, open) + name + usage.substr(close + 1);
      return {name, usage};
    }
  }
  if (flag.type == "bool") return {"", usage};
  return {std::string(flag.type), usage};
}

std::vector<std::string_view> words(std::string_view group) {
  std::vector<std::string_view> out;
  while (!group.empty()) {
    const size_t space = std::min(group.find(' '), group.size());
    out.push_back(group.substr(0, space));
    group.remove_prefix(std::min(space + 1, group.size()));
  }
  return out;
}

}  // namespace

Flag& Flags::add(Flag flag) { return flags_.emplace_back(std::move(flag)); }

void Flags::end_of_globals() {
  for (Flag& flag : flags_) flag.global = true;
}

Flag* Flags::find(std::string_view name) {
  for (Flag& flag : flags_) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

Flag* Flags::find_shorthand(char c) {
  for (Flag& flag : flags_) {
    if (c != 0 && flag.shorthand == c) return &flag;
  }
  return nullptr;
}

std::vector<const Flag*> Flags::sorted() const {
  std::vector<const Flag*> out;
  out.reserve(flags_.size());
  for (const Flag& flag : flags_) out.push_back(&flag);
  std::ranges::sort(out, {}, &Flag::name);
  return out;
}

Status Flags::assign(Flag& flag, std::string_view value, Parsed& out) {
  if (Status set = flag.set(flag.target, !flag.changed, value); !set) {
    std::string name = "--" + std::string(flag.name);
    if (flag.shorthand != 0) name = std::string("-") + flag.shorthand + ", " + name;
    return Error::with_cause(
        "invalid argument " + quote(value) + " for " + quote(name) + " flag: " + set.error().text(),
        set.error());
  }
  flag.changed = true;
  if (!flag.deprecated.empty()) {
    out.deprecations += "Flag --" + std::string(flag.name) + " has been deprecated, ";
    out.deprecations += flag.deprecated;
    out.deprecations += '\n';
  }
  return ok();
}

Status Flags::parse_long(std::string_view arg, std::span<const std::string>& rest, bool unknown_ok,
                         Parsed& out) {
  std::string_view name = arg.substr(2);
  if (name.empty() || name[0] == '-' || name[0] == '=') {
    return usage_error("bad flag syntax: " + std::string(arg));
  }
  const size_t equals = name.find('=');
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? name.substr(equals + 1) : std::string_view();
  name = name.substr(0, equals);
  Flag* flag = find(name);
  if (!flag) {
    if (name == "help") {
      out.help = true;
    } else if (!unknown_ok) {
      return usage_error("unknown flag: --" + std::string(name));
    } else if (!has_value) {
      skip_unknown_value(rest);
    }
    return ok();
  }
  if (has_value) return assign(*flag, value, out);
  if (!flag->bare.empty()) return assign(*flag, flag->bare, out);
  if (rest.empty()) return usage_error("flag needs an argument: --" + std::string(name));
  const std::string& next = rest[0];
  rest = rest.subspan(1);
  return assign(*flag, next, out);
}

Status Flags::parse_short(std::string_view arg, std::span<const std::string>& rest, bool unknown_ok,
                          Parsed& out) {
  for (std::string_view group = arg.substr(1); !group.empty() && !out.help;) {
    const char c = group[0];
    Flag* flag = find_shorthand(c);
    const bool has_value = group.size() > 2 && group[1] == '=';
    const auto rune = [&] { return quoted_byte(c) + " in -" + std::string(group); };
    if (!flag) {
      if (c == 'h') {
        out.help = true;
      } else if (!unknown_ok) {
        return usage_error("unknown shorthand flag: " + rune());
      } else if (has_value) {
        return ok();
      } else {
        skip_unknown_value(rest);
      }
      group.remove_prefix(1);
      continue;
    }
    if (has_value) return assign(*flag, group.substr(2), out);
    if (!flag->bare.empty()) {
      TRY(assign(*flag, flag->bare, out));
      group.remove_prefix(1);
      continue;
    }
    if (group.size() > 1) return assign(*flag, group.substr(1), out);
    if (rest.empty()) return usage_error("flag needs an argument: " + rune());
    const std::string& next = rest[0];
    rest = rest.subspan(1);
    return assign(*flag, next, out);
  }
  return ok();
}

Result<Flags::Parsed> Flags::parse(std::span<const std::string> args, bool unknown_ok) {
  Parsed out;
  while (!args.empty() && !out.help) {
    const std::string& arg = args[0];
    args = args.subspan(1);
    if (arg.size() < 2 || arg[0] != '-') {
      out.args.push_back(arg);
    } else if (arg == "--") {
      out.dashed = true;
      out.args.insert(out.args.end(), args.begin(), args.end());
      break;
    } else if (arg[1] == '-') {
      TRY(parse_long(arg, args, unknown_ok, out));
    } else {
      TRY(parse_short(arg, args, unknown_ok, out));
    }
  }
  return out;
}

Status Flags::check_groups() const {
  auto groups = groups_;
  std::ranges::sort(groups);
  for (std::string_view group : groups) {
    std::vector<std::string_view> set;
    for (std::string_view name : words(group)) {
      const Flag* flag = const_cast<Flags*>(this)->find(name);
      if (flag && flag->changed) set.push_back(name);
    }
    if (set.size() < 2) continue;
    std::ranges::sort(set);
    std::string all;
    for (std::string_view name : set) {
      if (!all.empty()) all += ' ';
      all += name;
    }
    return usage_error("if any flags in the group [" + std::string(group) +
                       "] are set none of the others can be; [" + all + "] were all set");
  }
  return ok();
}

void Flags::hide_excluded() {
  for (std::string_view group : groups_) {
    for (std::string_view name : words(group)) {
      const Flag* flag = find(name);
      if (!flag || !flag->changed) continue;
      for (std::string_view other : words(group)) {
        if (other != name) {
          if (Flag* excluded = find(other)) excluded->hidden = true;
        }
      }
    }
  }
}

std::string flag_usages(std::span<const Flag* const> flags) {
  struct Line {
    std::string left, right;
  };
  std::vector<Line> lines;
  size_t width = 0;
  for (const Flag* flag : flags) {
    if (flag->hidden || !flag->deprecated.empty()) continue;
    auto [value_name, usage] = name_and_usage(*flag);
    std::string left = "      --";
    if (flag->shorthand != 0) left = std::string("  -") + flag->shorthand + ", --";
    left += flag->name;
    if (!value_name.empty()) left += " " + value_name;
    if (!flag->bare.empty() && !(flag->kind == Flag::Kind::kBool && flag->bare == "true")) {
      left += flag->kind == Flag::Kind::kString ? "[=\"" + std::string(flag->bare) + "\"]"
                                                : "[=" + std::string(flag->bare) + "]";
    }
    if (!default_is_zero(*flag)) {
      usage +=
          " (default " +
          (flag->kind == Flag::Kind::kString ? quote(flag->default_text) : flag->default_text) +
          ")";
    }
    width = std::max(width, left.size());
    lines.push_back({std::move(left), std::move(usage)});
  }
  std::string out;
  for (Line& line : lines) {
    out += line.left;
    out.append(width - line.left.size() + 3, ' ');
    for (char c : line.right) {
      out += c;
      if (c == '\n') out.append(width + 3, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace pintle::cli
