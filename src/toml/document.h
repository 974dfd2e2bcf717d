// What the keys of a TOML text have established so far: tables, arrays of tables, values, and which
// of them may still be added to. Inside this room only.
//
// The rules are those of BurntSushi's parser. A key that a longer key went through is "implicit": a
// table that may still be defined once. Errors are messages; the reader knows their line.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "value/value.h"

namespace pintle::toml {

using Key = std::vector<std::string>;

struct Table;
struct Item {
  enum class Kind : uint8_t { kValue, kTable, kTables };
  Kind kind = Kind::kValue;
  value::Value value;
  std::vector<std::unique_ptr<Table>> tables;  // kTable: one
};
struct Table {
  std::map<std::string, Item> items;
};

Item table_item(Item::Kind kind);
value::Value to_value(const Table& table);
std::string key_text(const Key& key);  // dotted, parts quoted where they must be

class Document {
 public:
  // Makes the table of `key` the context: a new one, or a new element of an array of tables.
  bool add_context(const Key& key, bool array);
  // The same for a table that is only passed through.
  bool add_implicit_context(const Key& key) {
    make_implicit(key);
    return add_context(key, false);
  }
  void make_implicit(const Key& key) { implicit_.insert(key_text(key)); }
  // Defines `key` in the context.
  bool set_value(const std::string& key, Item item);
  // Remembers whether `key` of the context (empty: the context itself) holds an array of values.
  void set_is_array(const std::string& key, bool array);

  const Key& context() const { return context_; }
  void set_context(Key context) { context_ = std::move(context); }
  const std::string& message() const { return message_; }  // why the last call returned false
  value::Value take() const { return to_value(root_); }

 private:
  Table* context_table();
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool already_defined(const Key& key) {
    return fail("Key '" + key_text(key) + "' has already been defined.");
  }

  Table root_;
  Key context_;
  std::set<std::string> implicit_;
  std::set<std::string> arrays_;
  std::string message_;
};

}  // namespace pintle::toml
