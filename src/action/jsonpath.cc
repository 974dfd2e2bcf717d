#include "action/jsonpath.h"

#include <algorithm>

#include "action/jsonpath_node.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"

namespace pintle::action {
namespace {

using value::Type;
using value::Value;
using Node = JsonPath::Node;
using Kind = Node::Kind;
using Values = std::vector<Value>;

constexpr size_t kMaxResults = 1'000'000;

Error bad(std::string text) { return {Code::kInvalidArgument, std::move(text)}; }

// What lies directly in a value: entries, items, or the bytes of a string.
void append_children(const Value& v, Values& out) {
  if (v.is_map() && v.as_map()) {
    for (const auto& [key, item] : *v.as_map()) out.push_back(item);
  } else if (v.is_list()) {
    out.insert(out.end(), v.items().begin(), v.items().end());
  } else if (v.is_string()) {
    for (char c : v.as_string()) out.push_back(Value::uint8(static_cast<uint8_t>(c)));
  }
}

enum class Basic : uint8_t { kBool, kInt, kUint, kFloat, kString };
Result<Basic> basic_kind(const Value& v) {
  if (v.is(Type::kBool)) return Basic::kBool;
  if (v.is_int()) return Basic::kInt;
  if (v.is_uint()) return Basic::kUint;
  if (v.is(Type::kFloat64)) return Basic::kFloat;
  if (v.is_string()) return Basic::kString;
  return bad("invalid type for comparison");
}

template <typename Compare>
bool compare_same(Basic kind, const Value& a, const Value& b, Compare compare) {
  switch (kind) {
    case Basic::kBool:
      return compare(a.as_bool(), b.as_bool());
    case Basic::kInt:
      return compare(a.as_int(), b.as_int());
    case Basic::kUint:
      return compare(a.as_uint(), b.as_uint());
    case Basic::kFloat:
      return compare(a.as_double(), b.as_double());
    case Basic::kString:
      return compare(a.as_string(), b.as_string());
  }
  return false;
}

Result<bool> equal(const Value& a, const Value& b) {
  const Basic x = TRY(basic_kind(a)), y = TRY(basic_kind(b));
  if (x != y) return bad("incompatible types for comparison");
  return compare_same(x, a, b, std::equal_to<>());
}
Result<bool> less(const Value& a, const Value& b) {
  const Basic x = TRY(basic_kind(a)), y = TRY(basic_kind(b));
  if (x != y) return bad("incompatible types for comparison");
  if (x == Basic::kBool) return bad("invalid type for comparison");
  return compare_same(x, a, b, std::less<>());
}
Result<bool> passes(std::string_view op, const Value& a, const Value& b) {
  if (op == "==") return equal(a, b);
  if (op == "!=") return !TRY(equal(a, b));
  if (op == "<") return less(a, b);
  if (op == ">=") return !TRY(less(a, b));
  if (op == "<=") return TRY(less(a, b)) || TRY(equal(a, b));
  if (op == ">") return !(TRY(less(a, b)) || TRY(equal(a, b)));
  return bad(cat("unrecognized filter operator ", op));
}

class Finder {
 public:
  explicit Finder(const std::vector<std::unique_ptr<Node>>& nodes) : nodes_(nodes) {}

  // FindResults from the node at `start` on.
  Status find(size_t start, const Value& data, std::vector<Values>& out);

 private:
  Result<Values> walk(const Values& in, const Node& node);
  Result<Values> field(const Values& in, const Node& node) const;
  Result<Values> array(const Values& in, const Node& node) const;
  Result<Values> filter(const Values& in, const Node& node);
  Status recursive(const Values& in, Values& out);
  Result<Values> identifier(const Values& in, const Node& node);

  const std::vector<std::unique_ptr<Node>>& nodes_;
  int begin_range_ = 0, in_range_ = 0, end_range_ = 0;
  size_t last_end_ = SIZE_MAX;
  size_t found_ = 0;
};

Status Finder::find(size_t start, const Value& data, std::vector<Values>& out) {
  for (size_t i = start; i < nodes_.size(); ++i) {
    Values results = TRY(walk({data}, *nodes_[i]));
    if ((found_ += results.size() + 1) > kMaxResults) {
      return Error(Code::kResourceExhausted, "too many results");
    }
    if (end_range_ > 0 && end_range_ <= in_range_) {
      --end_range_;
      last_end_ = i;
      break;
    }
    if (begin_range_ == 0) {
      out.push_back(std::move(results));
      continue;
    }
    --begin_range_;
    ++in_range_;
    for (const Value& v : results) TRY(find(i + 1, v, out));
    if (results.empty()) {  // the body is passed over, to learn where it ends
      std::vector<Values> nothing;
      TRY(find(i + 1, Value(), nothing));
    }
    --in_range_;
    if (last_end_ != SIZE_MAX && last_end_ > i) i = last_end_;
  }
  return ok();
}

Result<Values> Finder::walk(const Values& in, const Node& node) {
  switch (node.kind) {
    case Kind::kList: {
      Values current = in;
      for (const auto& child : node.children) current = TRY(walk(current, *child));
      return current;
    }
    case Kind::kText:
      return Values{value::str(node.text)};
    case Kind::kInt:
      return Values(in.size(), Value::integer(node.integer));
    case Kind::kFloat:
      return Values(in.size(), Value::number(node.number));
    case Kind::kBool:
      return Values(in.size(), Value::boolean(node.integer != 0));
    case Kind::kField:
      return field(in, node);
    case Kind::kArray:
      return array(in, node);
    case Kind::kFilter:
      return filter(in, node);
    case Kind::kIdentifier:
      return identifier(in, node);
    case Kind::kWildcard: {
      Values out;
      for (const Value& v : in) append_children(v, out);
      return out;
    }
    case Kind::kRecursive: {
      Values out;
      TRY(recursive(in, out));
      return out;
    }
    case Kind::kUnion: {
      Values out;
      for (const auto& child : node.children) {
        for (Value& v : TRY(walk(in, *child))) out.push_back(std::move(v));
      }
      return out;
    }
  }
  return Values();
}

Result<Values> Finder::identifier(const Values& in, const Node& node) {
  if (node.text == "range") {
    ++begin_range_;
    return in;
  }
  if (node.text != "end") return bad("unrecognized identifier " + node.text);
  if (in_range_ == 0) return bad("not in range, nothing to end");
  ++end_range_;
  return Values();
}

Result<Values> Finder::field(const Values& in, const Node& node) const {
  Values out;
  if (in.empty()) return out;
  for (const Value& v : in) {
    if (const Value* found = v.get(node.text)) out.push_back(*found);
  }
  if (out.empty()) return bad(node.text + " is not found");
  return out;
}

Result<Values> Finder::array(const Values& in, const Node& node) const {
  Values out;
  for (const Value& v : in) {
    if (v.is_nil()) continue;
    if (!v.is_list()) return bad(cat(value::go_type(v), " is not array or slice"));
    const auto items = v.items();
    const auto length = static_cast<int64_t>(items.size());
    int64_t start = node.params[0].known ? node.params[0].value : 0;
    if (start < 0) start += length;
    int64_t end = node.params[1].known ? node.params[1].value : length;
    if (end < 0 || (end == 0 && node.params[1].derived)) end += length;
    if (start == end) return out;
    const auto out_of_bounds = [&](int64_t index) {
      return bad(cat("array index out of bounds: index ", index, ", length ", length));
    };
    if (start >= length || start < 0) return out_of_bounds(start);
    if (end > length || end < 0) return out_of_bounds(end - 1);
    if (start > end) {
      return bad(cat("starting index ", start, " is greater than ending index ", end));
    }
    int64_t step = 1;
    if (node.params[2].known) {
      step = node.params[2].value;
      if (step <= 0) return bad("step must be > 0");
    }
    for (int64_t i = start; i < end; i += step) out.push_back(items[static_cast<size_t>(i)]);
  }
  return out;
}

Result<Values> Finder::filter(const Values& in, const Node& node) {
  Values out;
  for (const Value& v : in) {
    if (!v.is_list()) {
      return bad(cat(value::go_type(v), " is not array or slice and cannot be filtered"));
    }
    for (const Value& item : v.items()) {
      const auto left = walk({item}, *node.children[0]);
      if (node.text == "exists") {
        if (left && !left->empty()) out.push_back(item);
        continue;
      }
      if (!left) return left.error();
      if (left->empty()) continue;
      const Values right = TRY(walk({item}, *node.children[1]));
      if (left->size() > 1 || right.size() > 1) {
        return bad("can only compare one element at a time");
      }
      if (right.empty()) continue;
      if (TRY(passes(node.text, left->front(), right.front()))) out.push_back(item);
    }
  }
  return out;
}

Status Finder::recursive(const Values& in, Values& out) {
  for (const Value& v : in) {
    Values children;
    append_children(v, children);
    if (children.empty()) continue;
    if ((found_ += children.size()) > kMaxResults) {
      return Error(Code::kResourceExhausted, "too many results");
    }
    out.push_back(v);
    TRY(recursive(children, out));
  }
  return ok();
}

Status append_text(const Value& v, std::string& out) {
  if (v.is_map() || v.is_list()) return json::append(out, v);
  if (v.is_nil()) {
    out += "null";
  } else if (v.is_string()) {
    out += v.as_string();
  } else if (v.is(Type::kBool)) {
    out += v.as_bool() ? "true" : "false";
  } else if (v.is(Type::kFloat64)) {
    append_float_v(out, v.as_double());
  } else if (v.is_uint()) {
    out += std::to_string(v.as_uint());
  } else {
    out += std::to_string(v.as_int());
  }
  return ok();
}

}  // namespace

JsonPath::JsonPath(std::unique_ptr<Node> root) : root_(std::move(root)) {}
JsonPath::~JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;

Result<JsonPath> JsonPath::parse(std::string_view text) {
  return JsonPath(TRY(parse_jsonpath(text)));
}

Status JsonPath::print(const Value& data, std::string& out) const {
  std::vector<Values> results;
  TRY(Finder(root_->children).find(0, data, results));
  std::string text;
  for (const Values& group : results) {
    for (size_t i = 0; i < group.size(); ++i) {
      if (i > 0) text += ' ';
      TRY(append_text(group[i], text));
    }
  }
  out += text;
  return ok();
}

}  // namespace pintle::action
