// Arguments against parameters, the part that needs no running: counts and literals
// (text/template's evalCall and evalArg).
#include "base/strings.h"
#include "tmpl/program.h"

namespace pintle::tmpl {

namespace {

using value::Value;

// An untyped number where any type will do: the syntax decides (exec.go idealConstant).
bool ideal_constant(const NumberNode& n, Value& out, std::string& error) {
  if (n.is_complex) {
    out = complex_number(n.float_value, n.imaginary);
    return true;
  }
  std::string_view t = n.text;
  bool hex_int = t.size() > 2 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X') &&
                 t.find_first_of("pP") == t.npos;
  if (n.is_float && !hex_int && t[0] != '\'' && t.find_first_of(".eEpP") != t.npos) {
    out = Value::number(n.float_value);
  } else if (n.is_int) {
    out = Value::integer(n.int_value);
  } else if (n.is_uint) {
    error = cat(t, " overflows int");
    return false;
  } else {
    out = Value::invalid();
  }
  return true;
}

bool any_constant(const Node& node, Value& out, std::string& error) {
  switch (node.kind) {
    case NodeKind::kBool:
      out = Value::boolean(static_cast<const BoolNode&>(node).value);
      return true;
    case NodeKind::kString:
      out = value::str(static_cast<const StringNode&>(node).text);
      return true;
    default: return ideal_constant(static_cast<const NumberNode&>(node), out, error);
  }
}

}  // namespace

std::string_view param_type(char param) {
  switch (param) {
    case 's': return "string";
    case 'i': return "int";
    case 'l': return "int64";
    case 'u': return "uint32";
    case 'f': return "float64";
    case 'b': return "bool";
    case 'L': return "[]interface {}";
    case 'm': return "map[string]interface {}";
    case 't': return "time.Time";
    case 'c': return "sprig.certificate";
    case 'd': return "time.Duration";
    case 'S': return "*semver.Version";
    case 'W': return "[]string";
    case 'r': return "reflect.Value";
    default: return "interface {}";
  }
}

bool can_be_nil(char param) {
  return param == 'v' || param == 'r' || param == 'L' || param == 'm' || param == 'S' ||
         param == 'W';
}

Signature signature(std::string_view params) {
  Signature s;
  s.variadic = params.ends_with('*');
  s.letters = s.variadic ? params.substr(0, params.size() - 1) : params;
  s.fixed = s.letters.size() - (s.variadic ? 1 : 0);
  return s;
}

std::string check_count(const Signature& s, std::string_view name, size_t written, bool piped) {
  size_t given = written + (piped ? 1 : 0);
  if (s.variadic) {
    if (given >= s.fixed) return {};
    return cat("wrong number of args for ", name, ": want at least ", s.fixed, " got ", written);
  }
  if (given == s.fixed) return {};
  return cat("wrong number of args for ", name, ": want ", s.fixed, " got ", given);
}

char written_param(const Signature& s, size_t i) {
  return i < s.fixed ? s.letters[i] : s.letters.back();
}

char piped_param(const Signature& s, size_t written) {
  if (s.variadic && written < s.fixed) return s.letters[written];
  return s.letters.back();
}

bool is_literal(const Node& node) {
  return node.kind == NodeKind::kBool || node.kind == NodeKind::kNumber ||
         node.kind == NodeKind::kString || node.kind == NodeKind::kNil;
}

bool literal_argument(const Node& node, char param, Value& out, std::string& error) {
  if (node.kind == NodeKind::kNil) {
    if (!can_be_nil(param)) {
      error = cat("cannot assign nil to ", param_type(param));
      return false;
    }
    if (param == 'L') out = Value::list(nullptr);
    if (param == 'W') out = Value::list(nullptr, value::Type::kStringList);
    if (param == 'm') out = Value::map(nullptr);
    if (param == 'r') out = Value::invalid();
    return true;
  }
  auto* number = node.kind == NodeKind::kNumber ? static_cast<const NumberNode*>(&node) : nullptr;
  std::string_view expected;
  switch (param) {
    case 'v':
    case 'r': return any_constant(node, out, error);
    case 's':
      if (node.kind == NodeKind::kString) return any_constant(node, out, error);
      expected = "string";
      break;
    case 'b':
      if (node.kind == NodeKind::kBool) return any_constant(node, out, error);
      expected = "bool";
      break;
    case 'i':
    case 'l':
    case 'd':
      if (number != nullptr && number->is_int) {
        out = param == 'i' ? Value::integer(number->int_value) : Value::int64(number->int_value);
        return true;
      }
      expected = "integer";
      break;
    case 'u':
      if (number != nullptr && number->is_uint) {
        out = Value::uint32(static_cast<uint32_t>(number->uint_value));
        return true;
      }
      expected = "unsigned integer";
      break;
    case 'f':
      if (number != nullptr && number->is_float) {
        out = Value::number(number->float_value);
        return true;
      }
      expected = "float";
      break;
    default:
      error = cat("can't handle ", to_source(node), " for arg of type ", param_type(param));
      return false;
  }
  error = cat("expected ", expected, "; found ", to_source(node));
  return false;
}

}  // namespace pintle::tmpl
