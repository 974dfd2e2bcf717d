// Go's fmt over Values. One Printer per call keeps the flags of the verb being printed, as fmt's pp
// does: flags reach the elements of lists and maps and the value shown inside "%!d(string=x)".
//
// A Value remembers its Go type but not whether it sits in an interface, and fmt shows the
// difference: elements of []interface {} and map[string]interface {} are interfaces, so a nil
// element prints <nil> whatever the verb. `element()` is that rule.
//
// Limits: nesting beyond 1,000 prints "..." (values made cyclic by `set`); padding stops once the
// text reaches kMaxPrinted, which callers report as an error. Cost: linear in the text printed.
#include "tmpl/print.h"

#include <charconv>

#include "base/gotext.h"
#include "tmpl/print_verbs.h"

namespace pintle::tmpl {

namespace {

using value::Kind;
using value::Type;
using value::Value;

constexpr int kMaxDepth = 1000;

class Printer {
 public:
  explicit Printer(std::string& out) : f_(out), out_(out) {}

  void arg(const Value& v, char32_t verb);
  void format(std::string_view text, std::span<const Value> args);

 private:
  void value(const Value& v, char32_t verb, int depth);
  void element(const Value& v, Type container, char32_t verb, int depth);
  void list(const Value& v, char32_t verb, int depth);
  void map(const Value& v, char32_t verb, int depth);
  void bytes(std::string_view s, char32_t verb, bool top);
  void object(const Value& v, char32_t verb, int depth);
  void structure(const value::Object& o, std::span<const value::StructField> fields, char32_t verb,
                 int depth);
  void boolean(bool b, char32_t verb, const Value& v);
  void integer(uint64_t u, bool is_signed, char32_t verb, const Value& v);
  void floating(double d, char32_t verb, const Value& v);
  void complex(double re, double im, char32_t verb, const Value& v);
  void string(std::string_view s, char32_t verb, const Value& v);
  void pointer(const Value& v, char32_t verb);
  void bad_verb(const Value& v, char32_t verb);

  Format f_;
  std::string& out_;
  bool erroring_ = false;
};

const void* address(const Value& v) {
  if (v.is_list()) return v.as_list();
  if (v.is_map()) return v.as_map();
  if (v.is(Type::kBytes)) return v.as_string().data();
  if (v.is_object()) return v.as_object();
  return nullptr;
}

void Printer::bad_verb(const Value& v, char32_t verb) {
  erroring_ = true;
  out_ += "%!";
  append_rune(out_, verb);
  out_ += '(';
  if (v.is_nil() || v.is_invalid()) {
    out_ += "<nil>";
  } else {
    out_.append(value::go_type(v));
    out_ += '=';
    arg(v, 'v');
  }
  out_ += ')';
  erroring_ = false;
}

void Printer::arg(const Value& v, char32_t verb) {
  if (v.is_nil() || v.is_invalid()) {
    if (verb == 'T' || verb == 'v') {
      f_.pad("<nil>");
    } else {
      bad_verb(v, verb);
    }
    return;
  }
  if (verb == 'T') return f_.str(value::go_type(v));
  if (verb == 'p') return pointer(v, 'p');
  value(v, verb, 0);
}

void Printer::value(const Value& v, char32_t verb, int depth) {
  if (out_.size() > kMaxPrinted) return;  // lists that hold one another twice double at each level
  if (depth > kMaxDepth) {
    out_ += "...";
    return;
  }
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: out_ += "<nil>"; return;
    case Type::kBool: return boolean(v.as_bool(), verb, v);
    case Type::kInt:
    case Type::kInt64: return integer(static_cast<uint64_t>(v.as_int()), true, verb, v);
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return integer(v.as_uint(), false, verb, v);
    case Type::kFloat64: return floating(v.as_double(), verb, v);
    case Type::kString: return string(v.as_string(), verb, v);
    case Type::kBytes: return bytes(v.as_string(), verb, depth == 0);
    case Type::kObject: return object(v, verb, depth);
    default: break;
  }
  if (verb == 'w' && depth == 0) return bad_verb(v, verb);
  if (v.is_list()) return list(v, verb, depth);
  map(v, verb, depth);
}

void Printer::element(const Value& v, Type container, char32_t verb, int depth) {
  if (v.is_nil() || v.is_invalid()) {
    bool typed = container == Type::kList || container == Type::kMap ||
                 container == Type::kValues;
    out_ += f_.sharp_v && typed ? "interface {}(nil)" : "<nil>";
    return;
  }
  value(v, verb, depth + 1);
}

void Printer::list(const Value& v, char32_t verb, int depth) {
  if (f_.sharp_v) {
    out_.append(value::go_type(v));
    if (v.as_list() == nullptr) {
      out_ += "(nil)";
      return;
    }
  }
  out_ += f_.sharp_v ? '{' : '[';
  bool first = true;
  for (const Value& item : v.items()) {
    if (!first) out_ += f_.sharp_v ? ", " : " ";
    first = false;
    element(item, v.type(), verb, depth);
  }
  out_ += f_.sharp_v ? '}' : ']';
}

void Printer::map(const Value& v, char32_t verb, int depth) {
  if (f_.sharp_v) {
    out_.append(value::go_type(v));
    if (v.as_map() == nullptr) {
      out_ += "(nil)";
      return;
    }
    out_ += '{';
  } else {
    out_ += "map[";
  }
  if (v.as_map() != nullptr) {
    bool first = true;
    for (const auto& e : *v.as_map()) {
      if (!first) out_ += f_.sharp_v ? ", " : " ";
      first = false;
      string(e.key.view(), verb, Value());
      out_ += ':';
      element(e.value, v.type(), verb, depth);
    }
  }
  out_ += f_.sharp_v ? '}' : ']';
}

void Printer::bytes(std::string_view s, char32_t verb, bool top) {
  switch (verb) {
    case 's': return f_.str(s);
    case 'q': return f_.quoted(s);
    case 'x': return f_.hex(s, false);
    case 'X': return f_.hex(s, true);
    default: break;
  }
  if (f_.sharp_v && verb == 'v') {
    out_ += top ? "[]byte{" : "[]uint8{";
  } else {
    out_ += '[';
  }
  bool first = true;
  for (char c : s) {
    auto u = static_cast<uint8_t>(c);
    if (!first) out_ += f_.sharp_v ? ", " : " ";
    first = false;
    integer(u, false, verb, Value::uint8(u));
  }
  out_ += f_.sharp_v && verb == 'v' ? '}' : ']';
}

// A type of its own: its String method (Object::print) serves the string verbs; its fields, number
// or elements the others.
void Printer::object(const Value& v, char32_t verb, int depth) {
  const value::Object& o = *v.as_object();
  if (verb == 'w' && depth == 0) return bad_verb(v, verb);
  Value basic = o.basic();
  if (o.kind() == Kind::kComplex) {
    auto parts = basic.items();
    return complex(parts[0].as_double(), parts[1].as_double(), verb, v);
  }
  bool stringable = verb == 'v' || verb == 's' || verb == 'x' || verb == 'X' || verb == 'q';
  bool by_string = stringable && !f_.sharp_v && !erroring_ && o.has_string();
  if (!by_string) {
    if (auto fields = o.struct_fields(); !fields.empty()) {
      return structure(o, fields, verb, depth);
    }
  }
  if (by_string || (stringable && basic.is_invalid())) {
    if (verb != 'v' && o.elements() != nullptr) {
      return value(Value::list_of(o.elements()->items, Type::kStringList), verb, depth);
    }
    std::string text;
    o.print(text, false);
    return verb == 'v' ? f_.str(text) : string(text, verb, v);
  }
  if (!basic.is_invalid()) return value(basic, verb, depth);
  if (o.elements() != nullptr) {
    return value(Value::list_of(o.elements()->items, Type::kStringList), verb, depth);
  }
  bad_verb(v, verb);
}

void Printer::structure(const value::Object& o, std::span<const value::StructField> fields,
                        char32_t verb, int depth) {
  std::string_view type = o.go_type();
  if (o.kind() == Kind::kPtr) {
    type.remove_prefix(1);
    out_ += '&';
  }
  if (f_.sharp_v) out_.append(type);
  out_ += '{';
  bool first = true;
  for (const auto& [name, field] : fields) {
    if (!first) out_ += f_.sharp_v ? ", " : " ";
    first = false;
    if (f_.sharp_v || f_.plus_v) out_.append(name).append(":");
    value(field, verb, depth + 1);
  }
  out_ += '}';
}

void Printer::boolean(bool b, char32_t verb, const Value& v) {
  if (verb != 't' && verb != 'v') return bad_verb(v, verb);
  f_.pad(b ? "true" : "false");
}

void Printer::integer(uint64_t u, bool is_signed, char32_t verb, const Value& v) {
  switch (verb) {
    case 'v':
      if (f_.sharp_v && !is_signed) {
        f_.hex_number(u, true);
      } else {
        f_.integer(u, 10, is_signed, verb);
      }
      return;
    case 'd': return f_.integer(u, 10, is_signed, verb);
    case 'b': return f_.integer(u, 2, is_signed, verb);
    case 'o':
    case 'O': return f_.integer(u, 8, is_signed, verb);
    case 'x':
    case 'X': return f_.integer(u, 16, is_signed, verb);
    case 'c': return f_.character(u);
    case 'q': return f_.quoted_character(u);
    case 'U': return f_.unicode(u);
    default: return bad_verb(v, verb);
  }
}

void Printer::floating(double d, char32_t verb, const Value& v) {
  switch (verb) {
    case 'v': return f_.floating(d, 'g', -1);
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X': return f_.floating(d, static_cast<char>(verb), -1);
    case 'f':
    case 'e':
    case 'E': return f_.floating(d, static_cast<char>(verb), 6);
    case 'F': return f_.floating(d, 'f', 6);
    default: return bad_verb(v, verb);
  }
}

void Printer::complex(double re, double im, char32_t verb, const Value& v) {
  static constexpr std::string_view kVerbs = "vbgGxXfFeE";
  if (verb > 127 || kVerbs.find(static_cast<char>(verb)) == kVerbs.npos) return bad_verb(v, verb);
  bool plus = f_.plus;
  out_ += '(';
  floating(re, verb, v);
  f_.plus = true;
  floating(im, verb, v);
  out_ += "i)";
  f_.plus = plus;
}

void Printer::string(std::string_view s, char32_t verb, const Value& v) {
  switch (verb) {
    case 'v': return f_.sharp_v ? f_.quoted(s) : f_.str(s);
    case 's': return f_.str(s);
    case 'x': return f_.hex(s, false);
    case 'X': return f_.hex(s, true);
    case 'q': return f_.quoted(s);
    default: break;
  }
  // Map keys come without a Value of their own.
  bad_verb(v.is_nil() ? value::str(s) : v, verb);
}

void Printer::pointer(const Value& v, char32_t verb) {
  bool points = v.is_list() || v.is_map() || v.is(Type::kBytes) ||
                (v.is_object() && v.as_object()->kind() == Kind::kPtr);
  if (!points) return bad_verb(v, verb);
  f_.hex_number(reinterpret_cast<uintptr_t>(address(v)), !f_.sharp);
}

// ---- Sprintf ----

bool too_large(int64_t n) { return n > 1'000'000 || n < -1'000'000; }

struct Number {
  int value = 0;
  bool set = false;
};

// Digits of s[i, end); i moves past them. Beyond a million it is no number and eats the rest.
Number parse_number(std::string_view s, size_t& i, size_t end) {
  Number n;
  if (i >= end) {
    i = end;
    return n;
  }
  for (; i < end && s[i] >= '0' && s[i] <= '9'; ++i) {
    if (too_large(n.value)) {
      i = end;
      return {};
    }
    n.value = n.value * 10 + (s[i] - '0');
    n.set = true;
  }
  return n;
}

// Width or precision taken from an argument (`*`).
Number number_from(std::span<const Value> args, size_t& index) {
  Number n;
  if (index >= args.size()) return n;
  Value v = args[index++];
  if (v.is_object() && !v.as_object()->basic().is_invalid()) v = v.as_object()->basic();
  int64_t wide = 0;
  if (v.is_int()) {
    wide = v.as_int();
    n.set = true;
  } else if (v.is_uint() && v.as_uint() <= INT64_MAX) {
    wide = static_cast<int64_t>(v.as_uint());
    n.set = true;
  }
  if (too_large(wide)) return {};
  n.value = static_cast<int>(wide);
  return n;
}

// Reads "[3]" at format[i]; true when one was there and well formed.
struct ArgIndex {
  size_t next = 0;        // index of the argument to use
  bool reordered = false;
  bool good = true;

  bool read(std::string_view format, size_t& i, size_t count) {
    if (i >= format.size() || format[i] != '[') return false;
    reordered = true;
    std::string_view rest = format.substr(i);
    size_t close = rest.size() < 3 ? rest.npos : rest.find(']', 1);
    if (close == rest.npos) {
      good = false;
      i += 1;
      return false;
    }
    size_t at = 1;
    Number n = parse_number(rest, at, close);
    i += close + 1;
    bool ok = n.set && at == close;
    if (ok && n.value >= 1 && static_cast<size_t>(n.value) <= count) {
      next = static_cast<size_t>(n.value) - 1;
      return true;
    }
    good = false;
    return ok;
  }
};

void Printer::format(std::string_view format, std::span<const Value> args) {
  const size_t end = format.size();
  ArgIndex index;
  for (size_t i = 0; i < end;) {
    index.good = true;
    size_t percent = format.find('%', i);
    if (percent == format.npos) percent = end;
    out_.append(format.substr(i, percent - i));
    i = percent;
    if (i >= end) break;
    ++i;

    f_.clear();
    while (i < end && f_.flag(format[i])) ++i;

    bool after_index = index.read(format, i, args.size());
    if (i < end && format[i] == '*') {
      ++i;
      Number n = number_from(args, index.next);
      f_.width_set = n.set;
      f_.width = n.value;
      if (!n.set) out_ += "%!(BADWIDTH)";
      if (f_.width < 0) {
        f_.width = -f_.width;
        f_.minus = true;
        f_.zero = false;
      }
      after_index = false;
    } else {
      Number n = parse_number(format, i, end);
      f_.width_set = n.set;
      f_.width = n.value;
      if (after_index && n.set) index.good = false;
    }

    if (i + 1 < end && format[i] == '.') {
      ++i;
      if (after_index) index.good = false;
      after_index = index.read(format, i, args.size());
      if (i < end && format[i] == '*') {
        ++i;
        Number n = number_from(args, index.next);
        f_.precision_set = n.set && n.value >= 0;
        f_.precision = f_.precision_set ? n.value : 0;
        if (!f_.precision_set) out_ += "%!(BADPREC)";
        after_index = false;
      } else {
        Number n = parse_number(format, i, end);
        f_.precision_set = true;
        f_.precision = n.value;
      }
    }
    if (!after_index) index.read(format, i, args.size());

    if (i >= end) {
      out_ += "%!(NOVERB)";
      break;
    }
    Rune verb = decode_rune(format.substr(i));
    i += static_cast<size_t>(verb.size);
    if (verb.value == '%') {
      out_ += '%';
    } else if (!index.good || index.next >= args.size()) {
      out_ += "%!";
      append_rune(out_, verb.value);
      out_ += index.good ? "(MISSING)" : "(BADINDEX)";
    } else {
      if (verb.value == 'v' || verb.value == 'w') {
        f_.sharp_v = f_.sharp;
        f_.sharp = false;
        f_.plus_v = f_.plus;
        f_.plus = false;
      }
      arg(args[index.next++], verb.value);
    }
  }

  if (index.reordered || index.next >= args.size()) return;
  f_.clear();
  out_ += "%!(EXTRA ";
  for (size_t n = index.next; n < args.size(); ++n) {
    if (n > index.next) out_ += ", ";
    const Value& v = args[n];
    if (v.is_nil() || v.is_invalid()) {
      out_ += "<nil>";
    } else {
      out_.append(value::go_type(v));
      out_ += '=';
      arg(v, 'v');
    }
  }
  out_ += ')';
}

// reflect.Kind string: what Sprint counts as a string.
bool is_string_kind(const Value& v) {
  return v.is_string() || (v.is_object() && v.as_object()->kind() == Kind::kString);
}

}  // namespace

void print_value(std::string& out, const Value& v) {
  switch (v.type()) {
    case Type::kString: out.append(v.as_string()); return;
    case Type::kInt:
    case Type::kInt64: {
      char buf[24];
      out.append(buf, std::to_chars(buf, buf + sizeof buf, v.as_int()).ptr);
      return;
    }
    case Type::kBool: out += v.as_bool() ? "true" : "false"; return;
    case Type::kFloat64: append_float(out, v.as_double(), 'g', -1); return;
    default: Printer(out).arg(v, 'v');
  }
}

void print_action(std::string& out, const Value& v) {
  if (v.is_invalid() || v.is_nil()) {
    out += "<no value>";
  } else if (v.is_object() && v.as_object()->kind() != Kind::kComplex) {
    v.as_object()->print(out, true);
  } else {
    print_value(out, v);
  }
}

std::string sprint(std::span<const Value> args) {
  std::string out;
  bool previous_string = false;
  for (size_t i = 0; i < args.size(); ++i) {
    bool is_string = is_string_kind(args[i]);
    if (i > 0 && !is_string && !previous_string) out += ' ';
    print_value(out, args[i]);
    previous_string = is_string;
  }
  return out;
}

std::string sprintln(std::span<const Value> args) {
  std::string out;
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) out += ' ';
    print_value(out, args[i]);
  }
  out += '\n';
  return out;
}

std::string sprintf(std::string_view format, std::span<const Value> args) {
  std::string out;
  out.reserve(format.size() + args.size() * 16);
  Printer(out).format(format, args);
  return out;
}

}  // namespace pintle::tmpl
