// The TOML reader's state, shared by read.cc (tables and keys), read_number.cc and read_string.cc.
// Inside this room only.
#pragma once

#include "toml/cursor.h"
#include "toml/document.h"
#include "toml/toml.h"

namespace pintle::toml {

class Reader {
 public:
  Reader(std::string_view text, ReadTime read_time) : at_(text), read_time_(read_time) {}

  bool read();
  value::Value take() const { return document_.take(); }
  Error error() const;

 private:
  bool fail(const std::string& message) { return at_.fail(message); }
  bool top_end();
  bool comment();
  bool table();
  bool table_name(Key* key);
  bool key_value();
  bool keys(Key* key);
  bool bare_name(std::string* out);
  bool quoted_name(std::string* out);

  bool value(bool in_array, value::Value* out);
  bool word(char32_t first, value::Value* out);
  bool array(value::Value* out);
  bool inline_table(bool in_array, value::Value* out);
  bool inline_entry(value::Map* top);
  bool next_inline(bool* done);
  bool number_or_date(value::Value* out);
  bool signed_number(value::Value* out);
  bool integer(std::string_view text, value::Value* out);
  bool real(std::string_view text, value::Value* out);
  bool date(std::string_view text, value::Value* out);
  template <typename Pred>
  void run(Pred pred) {
    while (pred(at_.next())) {
    }
    at_.back();
  }

  bool string(std::string* out);
  bool raw_string(std::string* out);
  bool multiline_string(char32_t quote, std::string* out);
  bool escape();
  bool unescape(std::string_view text, std::string* out);

  // A result of document_, whose errors belong to the line of the key.
  bool checked(bool good) { return good || at_.fail_at(key_line_, document_.message()); }

  Cursor at_;
  ReadTime read_time_;
  Document document_;
  std::string current_key_;
  int key_line_ = 0;
  int item_line_ = 1;       // where the last name or string ended
  size_t string_start_ = 0;
  size_t depth_ = 0;
};

// As Go's %q prints a character; the end of the text is NUL.
std::string quote_char(char32_t c);

}  // namespace pintle::toml
