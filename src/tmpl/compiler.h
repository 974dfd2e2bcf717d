// Tree to program. Inside this room only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tmpl/program.h"
#include "tmpl/stack_limit.h"

namespace pintle::tmpl {

// Number of a template name; names not defined yet get one too.
using NameId = std::function<uint32_t(std::string_view)>;

// A program while it grows; empty between two, whose memory it keeps.
struct CompilerTables {
  std::vector<Instr> code;
  std::vector<const Node*> nodes;
  std::vector<std::string_view> texts;
  std::vector<value::Value> constants;
  std::unordered_map<std::string_view, uint32_t> strings;  // long string constants by what they say
  std::vector<Path> paths;
  std::vector<CallSite> calls;
  std::vector<RangeSite> ranges;
  std::vector<std::string> messages;
};

std::unique_ptr<Program> compile(const ListNode& root, const NameId& id, Arena& arena,
                                 CompilerTables& tables);

}  // namespace pintle::tmpl
