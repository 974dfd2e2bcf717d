#include "informer/object.h"

#include "base/strings.h"
#include "informer/scan.h"

namespace pintle::informer {
namespace {

Error broken(std::string_view what) {
  return Error(Code::kDataLoss, cat("unable to decode an object: ", what));
}

struct Heads {
  std::string_view name_space, name, uid, version;  // JSON texts, quoted
};

Result<Heads> read_heads(std::string_view json) {
  Heads h;
  Scan s(json);
  if (!s.open('{')) return broken("it is no JSON object");
  bool found = false;
  std::string_view key;
  while (s.member(key)) {
    if (key != "metadata" || !s.open('{')) {
      s.skip();
      continue;
    }
    found = true;
    while (s.member(key)) {
      const std::string_view value = s.take();
      if (key == "namespace") h.name_space = value;
      if (key == "name") h.name = value;
      if (key == "uid") h.uid = value;
      if (key == "resourceVersion") h.version = value;
    }
  }
  if (!s.ok() || !s.at_end()) return broken("its JSON is broken");
  if (!found) return broken("it has no metadata");
  if (h.name.size() <= 2) return broken("it has no name");
  return h;
}

}  // namespace

Result<ObjectPtr> Object::parse(std::string_view json) {
  if (json.size() > UINT32_MAX / 2) return broken("it is too long");
  const Heads h = TRY(read_heads(json));
  const std::string name_space = unquoted(h.name_space).value_or("");
  const std::string name = unquoted(h.name).value_or("");
  if (name.empty()) return broken("it has no name");
  auto o = std::make_shared<Object>();
  o->text_size_ = static_cast<uint32_t>(json.size());
  o->namespace_size_ = static_cast<uint32_t>(name_space.size());
  const std::string key = name_space.empty() ? name : cat(name_space, '/', name);
  // A head that stands in the text as it is costs nothing more.
  std::string tail = key;
  const auto place = [&](std::string_view quoted) -> Span {
    if (const auto inside = plain(quoted)) {
      return {static_cast<uint32_t>(inside->data() - json.data()),
              static_cast<uint32_t>(inside->size())};
    }
    const std::string text = unquoted(quoted).value_or("");
    const Span span{static_cast<uint32_t>(json.size() + tail.size()),
                    static_cast<uint32_t>(text.size())};
    tail += text;
    return span;
  };
  o->key_ = {o->text_size_, static_cast<uint32_t>(key.size())};
  o->uid_ = place(h.uid);
  o->version_ = place(h.version);
  o->data_.reserve(json.size() + tail.size());
  o->data_.append(json).append(tail);
  return ObjectPtr(std::move(o));
}

ObjectPtr Object::heads_of(const Object& o) {
  auto out = std::make_shared<Object>();
  const auto place = [&](std::string_view text) -> Span {
    const Span span{static_cast<uint32_t>(out->data_.size()), static_cast<uint32_t>(text.size())};
    out->data_ += text;
    return span;
  };
  out->data_.reserve(o.key().size() + o.uid().size() + o.resource_version().size());
  out->namespace_size_ = o.namespace_size_;
  out->key_ = place(o.key());
  out->uid_ = place(o.uid());
  out->version_ = place(o.resource_version());
  return out;
}

std::string_view Object::name_space() const { return key().substr(0, namespace_size_); }

std::string_view Object::name() const {
  return key().substr(namespace_size_ == 0 ? 0 : namespace_size_ + 1);
}

std::string Object::field(std::initializer_list<std::string_view> path) const {
  return string_at(text(), path);
}

Transform drop_managed_fields() {
  return [](std::string json) -> Result<std::string> {
    Scan s(json);
    std::string_view key;
    if (!s.open('{')) return json;
    size_t from = 0, to = 0;
    while (s.member(key)) {
      if (key != "metadata" || !s.open('{')) {
        s.skip();
        continue;
      }
      bool first = true;
      for (size_t before = s.position(); s.member(key); before = s.position()) {
        s.skip();
        if (key == "managedFields") {
          from = before;
          to = s.position();
          if (first && s.peek() == ',') to = s.position() + 1;
        }
        first = false;
      }
    }
    if (s.ok() && to > from) json.erase(from, to - from);
    return json;
  };
}

}  // namespace pintle::informer
