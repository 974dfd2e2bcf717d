#include "toml/document.h"

#include "toml/toml.h"

namespace pintle::toml {

using value::Str;
using value::Value;

namespace {

constexpr size_t kMaxKey = 1000;  // parts of a full key

}  // namespace

Item table_item(Item::Kind kind) {
  Item item;
  item.kind = kind;
  item.tables.push_back(std::make_unique<Table>());
  return item;
}

Value to_value(const Table& table) {
  value::MapBuilder m;
  for (const auto& [key, item] : table.items) {
    if (item.kind == Item::Kind::kValue) {
      m.add(Str(key), item.value);
    } else if (item.kind == Item::Kind::kTable) {
      m.add(Str(key), to_value(*item.tables[0]));
    } else {
      std::vector<Value> list;
      for (const auto& t : item.tables) list.push_back(to_value(*t));
      m.add(Str(key), Value::list_of(std::move(list)));
    }
  }
  return Value::map(m.finish());
}

std::string key_text(const Key& key) {
  std::string out;
  for (const auto& part : key) {
    if (!out.empty() || &part != &key[0]) out.push_back('.');
    bool bare = !part.empty();
    for (char c : part) {
      bare &= (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-';
    }
    out += part.empty() ? "\"\"" : bare ? part : quote(part);
  }
  return out;
}

Table* Document::context_table() {
  Table* t = &root_;
  for (const auto& k : context_) {
    auto found = t->items.find(k);
    if (found == t->items.end() || found->second.kind == Item::Kind::kValue) return nullptr;
    t = found->second.tables.back().get();
  }
  return t;
}

bool Document::add_context(const Key& key, bool array) {
  if (key.size() > kMaxKey) return fail("exceeded max depth");
  Table* t = &root_;
  Key parent;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    parent.push_back(key[i]);
    auto found = t->items.find(key[i]);
    if (found == t->items.end()) {
      implicit_.insert(key_text(parent));
      found = t->items.emplace(key[i], table_item(Item::Kind::kTable)).first;
    }
    if (found->second.kind == Item::Kind::kValue) {
      return fail("Key '" + key_text(parent) + "' was already created as a hash.");
    }
    t = found->second.tables.back().get();
  }
  context_ = parent;
  if (array) {
    auto found = t->items.find(key.back());
    if (found == t->items.end()) {
      t->items.emplace(key.back(), table_item(Item::Kind::kTables));
    } else if (found->second.kind == Item::Kind::kTables) {
      found->second.tables.push_back(std::make_unique<Table>());
    } else {
      return fail("Key '" + key_text(key) +
                                        "' was already created and cannot be used as an array.");
    }
  } else if (!set_value(key.back(), table_item(Item::Kind::kTable))) {
    return false;
  }
  context_.push_back(key.back());
  return true;
}

bool Document::set_value(const std::string& key, Item item) {
  Table* t = context_table();
  if (t == nullptr) return already_defined(context_);
  Key full = context_;
  full.push_back(key);
  auto [found, fresh] = t->items.try_emplace(key);
  if (fresh) {
    found->second = std::move(item);
    return true;
  }
  std::string text = key_text(full);
  if (implicit_.erase(text) == 0) return already_defined(full);
  if (arrays_.count(text) > 0) found->second = std::move(item);
  return true;
}

void Document::set_is_array(const std::string& key, bool array) {
  Key full = context_;
  if (!key.empty()) full.push_back(key);
  if (full.empty()) full.emplace_back();
  if (array) {
    arrays_.insert(key_text(full));
  } else {
    arrays_.erase(key_text(full));
  }
}

}  // namespace pintle::toml
