#include "tmpl/node.h"

#include <algorithm>

#include "base/gotext.h"

namespace pintle::tmpl {

void* Arena::begin_block(size_t n) {
  const size_t block = std::max<size_t>(n, blocks_.size() < 2 ? 2048 : 32768);
  char* p = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(block)).get();
  at_ = p + n;
  left_ = block - n;
  return p;
}

namespace {

// A node nested deeper than this prints "..." there: messages stay readable, the stack bounded.
constexpr int kMaxPrintDepth = 2000;

void write(std::string& out, const Node& node, int depth);

void write_operand(std::string& out, const Node& node, int depth) {
  bool parens = node.kind == NodeKind::kPipe;
  if (parens) out += '(';
  write(out, node, depth);
  if (parens) out += ')';
}

void write_pipe(std::string& out, const PipeNode& pipe, int depth) {
  for (size_t i = 0; i < pipe.declared(); ++i) {
    if (i > 0) out += ", ";
    out.append(pipe.variable(i).path());
  }
  if (pipe.declared() > 0) out += pipe.is_assign() ? " = " : " := ";
  for (size_t i = 0; i < pipe.commands(); ++i) {
    if (i > 0) out += " | ";
    write(out, pipe.command(i), depth);
  }
}

void write_branch(std::string& out, std::string_view word, const BranchNode& b, int depth) {
  out.append("{{").append(word).append(" ");
  write(out, *b.pipe, depth);
  out += "}}";
  write(out, *b.list, depth);
  if (b.else_list != nullptr) {
    out += "{{else}}";
    write(out, *b.else_list, depth);
  }
  out += "{{end}}";
}

void write(std::string& out, const Node& node, int depth) {
  if (++depth > kMaxPrintDepth) {
    out += "...";
    return;
  }
  switch (node.kind) {
    case NodeKind::kText: out.append(static_cast<const TextNode&>(node).text); break;
    case NodeKind::kAction:
      out += "{{";
      write(out, *static_cast<const ActionNode&>(node).pipe, depth);
      out += "}}";
      break;
    case NodeKind::kBool: out += static_cast<const BoolNode&>(node).value ? "true" : "false"; break;
    case NodeKind::kBreak: out += "{{break}}"; break;
    case NodeKind::kContinue: out += "{{continue}}"; break;
    case NodeKind::kElse: out += "{{else}}"; break;
    case NodeKind::kEnd: out += "{{end}}"; break;
    case NodeKind::kDot: out += '.'; break;
    case NodeKind::kNil: out += "nil"; break;
    case NodeKind::kField:
    case NodeKind::kVariable: out.append(static_cast<const PathNode&>(node).path()); break;
    case NodeKind::kChain: {
      auto& chain = static_cast<const ChainNode&>(node);
      write_operand(out, *chain.base, depth);
      out.append(chain.path());
      break;
    }
    case NodeKind::kIdentifier: out.append(static_cast<const IdentifierNode&>(node).name); break;
    case NodeKind::kNumber: out.append(static_cast<const NumberNode&>(node).text); break;
    case NodeKind::kString: out.append(static_cast<const StringNode&>(node).quoted); break;
    case NodeKind::kCommand: {
      bool first = true;
      for (const Node* arg : static_cast<const CommandNode&>(node).args()) {
        if (!first) out += ' ';
        first = false;
        write_operand(out, *arg, depth);
      }
      break;
    }
    case NodeKind::kPipe: write_pipe(out, static_cast<const PipeNode&>(node), depth); break;
    case NodeKind::kList:
      for (const Node* n : static_cast<const ListNode&>(node).nodes()) write(out, *n, depth);
      break;
    case NodeKind::kIf:
      write_branch(out, "if", static_cast<const BranchNode&>(node), depth);
      break;
    case NodeKind::kRange:
      write_branch(out, "range", static_cast<const BranchNode&>(node), depth);
      break;
    case NodeKind::kWith:
      write_branch(out, "with", static_cast<const BranchNode&>(node), depth);
      break;
    case NodeKind::kTemplate: {
      auto& t = static_cast<const TemplateNode&>(node);
      out += "{{template ";
      append_quoted(out, t.name);
      if (t.pipe != nullptr) {
        out += ' ';
        write(out, *t.pipe, depth);
      }
      out += "}}";
      break;
    }
  }
}

}  // namespace

std::string to_source(const Node& node) {
  std::string out;
  write(out, node, 0);
  return out;
}

bool is_empty_tree(const Node* node) {
  if (node == nullptr) return true;
  if (node->kind == NodeKind::kText) {
    return trim_space(static_cast<const TextNode*>(node)->text).empty();
  }
  if (node->kind != NodeKind::kList) return false;
  auto nodes = static_cast<const ListNode*>(node)->nodes();
  return std::all_of(nodes.begin(), nodes.end(), is_empty_tree);
}

LineColumn locate(std::string_view text, size_t pos) {
  std::string_view before = text.substr(0, pos);
  size_t newline = before.rfind('\n');
  size_t column = newline == before.npos ? pos : pos - newline - 1;
  auto lines = std::count(before.begin(), before.end(), '\n');
  return {static_cast<int>(lines) + 1, static_cast<int>(column)};
}

}  // namespace pintle::tmpl
