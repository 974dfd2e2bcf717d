#include "yaml/builder.h"

#include "base/gotext.h"
#include "json/json.h"
#include "yaml/key_text.h"
#include "yaml/resolve.h"

namespace pintle::yaml {

using value::Str;
using value::Value;

namespace {

// Equal as encoding/json compares field names: ASCII case, and the two letters that fold to ASCII.
bool same_field(std::string_view name, std::string_view key) {
  auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c); };
  size_t i = 0;
  for (char c : name) {
    std::string_view rest = key.substr(i);
    if (rest.empty()) return false;
    if (lower(rest[0]) == lower(c)) {
      i += 1;
    } else if (lower(c) == 's' && rest.substr(0, 2) == "\xc5\xbf") {
      i += 2;
    } else if (lower(c) == 'k' && rest.substr(0, 3) == "\xe2\x84\xaa") {
      i += 3;
    } else {
      return false;
    }
  }
  return i == key.size();
}

bool not_finite(std::string_view plain) {
  if (plain.size() < 4 || (plain[0] != '.' && plain[0] != '+' && plain[0] != '-')) return false;
  Resolved r = resolve(plain);
  if (r.tag != Tag::kFloat) return false;
  double d = r.value.as_double();
  return d - d != 0;
}

}  // namespace

bool Builder::start(const Props& p, bool map) {
  if (!p.anchor.empty() || !p.tag.empty()) return false;
  if (!levels_.empty() && levels_.back() == Level::kKey) return false;
  if (levels_.size() >= json::kMaxDepth) return false;
  if (skipped_ > 0 || next_ == Next::kSkip) {
    ++skipped_;
  } else if (map) {
    tree_.open_map();
    if (next_ == Next::kPart) choices_.push_back({levels_.size() + 1, part_});
  } else {
    tree_.open_list();
    if (next_ == Next::kPart) {
      tree_.close();
      ++skipped_;
    }
  }
  next_ = Next::kWhole;
  levels_.push_back(map ? Level::kKey : Level::kList);
  return true;
}

bool Builder::end() {
  if (skipped_ > 0) {
    --skipped_;
  } else {
    if (!choices_.empty() && choices_.back().depth == levels_.size()) choices_.pop_back();
    tree_.close();
  }
  levels_.pop_back();
  value_done();
  return true;
}

bool Builder::key(const Scalar& s) {
  levels_.back() = Level::kValue;
  Str text;
  if (s.implicit && may_resolve(s.text)) {
    Resolved r = resolve(s.text);
    if (r.tag == Tag::kNull || r.value.is_uint()) return false;
    text = r.value.is_nil() ? Str(s.text) : Str(key_text(r.value));
  } else {
    if (s.implicit && s.text == "<<") return false;
    text = Str(s.text);
  }
  if (skipped_ > 0) return true;
  if (!choices_.empty() && choices_.back().depth == levels_.size()) {
    next_ = Next::kSkip;
    for (const auto& child : choices_.back().from->children) {
      if (!same_field(child.name, text)) continue;
      next_ = child.children.empty() ? Next::kWhole : Next::kPart;
      part_ = &child;
      break;
    }
    if (next_ == Next::kSkip) return true;
  }
  tree_.key(std::move(text));
  return true;
}

bool Builder::scalar(const Scalar& s, const Props& p) {
  if (!p.anchor.empty() || !p.tag.empty()) return false;
  if (!levels_.empty() && levels_.back() == Level::kKey) return key(s);
  if (skipped_ > 0 || next_ == Next::kSkip) {
    if (s.implicit && not_finite(s.text)) return false;
    if (skipped_ == 0) next_ = Next::kWhole;
    value_done();
    return true;
  }
  next_ = Next::kWhole;
  value_done();
  if (!s.implicit || !may_resolve(s.text)) {
    tree_.add(Value::string(Str(s.text)));
    return true;
  }
  Resolved r = resolve(s.text);
  switch (r.tag) {
    case Tag::kString:
    case Tag::kTimestamp: tree_.add(Value::string(Str(s.text))); return true;
    case Tag::kNull:
    case Tag::kBool: tree_.add(std::move(r.value)); return true;
    case Tag::kInt:
      if (!exact_) {
        r.value = Value::number(r.value.is_uint() ? static_cast<double>(r.value.as_uint())
                                                  : static_cast<double>(r.value.as_int()));
      }
      tree_.add(std::move(r.value));
      return true;
    case Tag::kFloat: {
      double d = r.value.as_double();
      if (d - d != 0) return false;
      tree_.add(std::move(r.value));
      return true;
    }
  }
  return false;
}

}  // namespace pintle::yaml
