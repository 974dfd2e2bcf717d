// Compiler: schema documents -> nodes. Everything reachable is compiled, breadth first, so that a
// broken reference or expression is found whether or not the values would have met it (as Helm).
//
// Cost: linear in the reachable part. One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "schema/document.h"
#include "schema/node.h"

namespace pintle::schema {

class Compiler {
 public:
  // Formats assert in drafts before 2019-09; later ones only where a vocabulary says so, or
  // always_formats.
  explicit Compiler(const Loader& loader, bool always_formats = false);
  ~Compiler();

  void preset(std::string url, value::Value json) {
    documents_.preset(std::move(url), std::move(json));
  }
  // The schema at an absolute URL without fragment. Errors: the library's texts.
  Result<Node*> compile(const std::string& url);

  RegexCache& regexes() { return regexes_; }
  // The node of a dialect's metaschema (compiled when first asked for).
  Result<Node*> metaschema_of(const Dialect& dialect);

 private:
  friend class NodeCompiler;
  Status finish();  // compiles all that is queued
  Result<Document*> document(const std::string& url);
  Status ask_metaschema(const Document& doc, const Spot& spot);
  Status compile_node(Node& node);
  Node* enqueue(Document& doc, const value::Value* at, Resource* place, bool subschema);
  Node* enqueue_broken(Error error);
  Result<Node*> enqueue_reference(const Node& from, std::string_view ref);

  bool always_formats_;
  RegexCache regexes_;
  Documents documents_;
  std::deque<Node> nodes_;  // in the order they are compiled
  size_t compiled_ = 0;
  std::unordered_map<const value::Value*, Node*> by_address_;
  std::unique_ptr<Compiler> metaschemas_;
  std::unordered_map<uint32_t, Node*> dialect_nodes_;
};

}  // namespace pintle::schema
