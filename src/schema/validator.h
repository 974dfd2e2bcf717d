// Validator: values against nodes.
//
// Two runs. The first only asks whether the values are valid and stops at the first finding; most
// charts end there, and it allocates next to nothing. The second, for invalid ones, collects every
// finding in the order the library has, properties sorted by name where it leaves the order to Go's
// maps. The location of a propertyNames finding, random in Helm, is that of the object.
//
// Bounds, against schemas made to run for ever: nesting, steps, and the size of the text; beyond
// them an error says so. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/compiler.h"
#include "schema/finding.h"
#include "schema/node.h"

namespace pintle::schema {

// The properties or items of one value that no keyword has looked at yet. Empty unless someone
// (unevaluatedProperties, unevaluatedItems) will ask.
class Unevaluated {
 public:
  void fill(size_t n, size_t from);
  bool empty() const { return left_ == 0; }
  bool contains(size_t i) const { return i < open_.size() && open_[i]; }
  void remove(size_t i);
  void keep_common(const Unevaluated& other);
  void clear();
  size_t size() const { return open_.size(); }

 private:
  std::vector<bool> open_;
  size_t left_ = 0;
};

class Validator {
 public:
  explicit Validator(Compiler& compiler) : compiler_(compiler) {}

  // Error: "jsonschema validation failed with 'URL#'\n- at ...".
  Status validate(const Node& schema, const value::Value& v);
  // A schema document against its metaschema; resources in it against their own.
  Status validate_document(const Node& metaschema, const Document& doc, const value::Value& v);

 private:
  using Findings = std::vector<Finding>;

  // One value at one node, and the way there.
  struct Frame {
    const Frame* parent = nullptr;      // null at the top, also of a property's name
    const Node* scope = nullptr;        // the node that was asked for
    const Node* node = nullptr;         // the node that answers: another one for a resource whose
    const Node* metaschema = nullptr;   // dialect differs from that of the document around it
    std::string_view keyword = {};      // the reference that led here
    const value::Value* value = nullptr;
    size_t value_id = 0;                // equal for frames that look at the same value
    enum class Step : uint8_t { kStay, kName, kIndex } step = Step::kStay;
    std::string_view name = {};
    size_t index = 0;
    Unevaluated open = {};
    Findings* findings = nullptr;       // null: only the verdict is wanted
  };

  Status run(const Node& schema, const value::Value& v, const Node* metaschema);
  // Is f's value valid? `out`, where given, gets the finding; without it the first fault ends it.
  bool check(Frame& f, Finding* out);

  // These return false to stop at once, which only happens when no findings are wanted.
  bool check_keywords(Frame& f);
  bool check_by_type(Frame& f, uint8_t type);
  bool check_object(Frame& f);
  bool check_properties(Frame& f);
  bool check_property_names(Frame& f);
  bool check_dependents(Frame& f, const std::vector<Dependency>& all);
  bool check_array(Frame& f);
  bool check_items(Frame& f);
  bool check_contains(Frame& f);
  bool check_string(Frame& f);
  bool check_number(Frame& f);
  bool check_format(Frame& f);
  bool check_references(Frame& f);
  bool check_conditions(Frame& f);
  bool check_any_of(Frame& f);
  bool check_one_of(Frame& f);
  bool check_unevaluated(Frame& f);

  // Asks another node about the same value, or a node about a part of it.
  bool ask_self(Frame& f, const Node* node, Finding* out, std::string_view keyword = {});
  bool ask_part(Frame& f, const Node* node, const value::Map::Entry& entry, Finding* out);
  bool ask_part(Frame& f, const Node* node, size_t index, Finding* out);
  bool ask(const Frame& f, Frame& sub, Finding* out);
  // The same, adding the finding to f's.
  bool add_self(Frame& f, const Node* node);
  template <typename Part>
  bool add_part(Frame& f, const Node* node, const Part& part);
  bool add_reference(Frame& f, const Node* node, std::string_view keyword);

  // Adds a finding; the text is only made when somebody wants it.
  template <typename MakeText>
  bool fail(Frame& f, MakeText make_text, Findings causes = {});
  void add(Frame& f, std::string_view text, Findings causes, Finding::Kind kind);
  bool abort(std::string_view why);

  std::string pointer(const Frame& f) const;
  const Frame* cycle(const Frame& f) const;
  std::string keyword_path(const Frame& f) const;

  Compiler& compiler_;
  const Document* document_ = nullptr;  // set: its resources are validated in their own dialects
  size_t depth_ = 0;
  size_t steps_ = 0;
  size_t text_ = 0;
  std::string aborted_;
};

template <typename MakeText>
bool Validator::fail(Frame& f, MakeText make_text, Findings causes) {
  if (!f.findings) return false;
  add(f, make_text(), std::move(causes), Finding::Kind::kPlain);
  return true;
}

template <typename Part>
bool Validator::add_part(Frame& f, const Node* node, const Part& part) {
  if (!f.findings) return ask_part(f, node, part, nullptr);
  Finding finding;
  if (!ask_part(f, node, part, &finding)) f.findings->push_back(std::move(finding));
  return true;
}

}  // namespace pintle::schema
