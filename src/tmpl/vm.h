// What a Vm holds while it runs. Inside this room only; vm.cc is the loop, fields.cc follows
// .a.b chains, calls.cc checks and calls, overlay.cc includes and runs texts, errors.cc words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tmpl/compiler.h"
#include "tmpl/set.h"
#include "tmpl/stack_limit.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {

// A variable or dot. `interface`: it is an element of a list or map, an interface to Go; errors then
// name that static type instead of the value's own.
struct Slot {
  value::Value value;
  bool interface = false;
};

// Memory of frames: slots and operands. Last in, first out; a block never moves, because native
// functions hold pointers to their arguments while they run templates.
class FrameMemory {
 public:
  struct Mark {
    size_t chunk;
    char* top;
  };
  Mark mark() const { return {chunk_, top_}; }
  void* take(size_t n);
  void release(const Mark& m);

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  char* top_ = nullptr;
  char* end_ = nullptr;
};

struct Frame {
  const Template* tmpl;
  const Program* program;
  const Instr* pc;
  value::Value* stack;
  value::Value* sp;  // one past the top
  Slot* slots;
  Slot dot;
  FrameMemory::Mark memory;
};

struct RangeState {
  enum class Kind : uint8_t { kList, kMap, kInt, kBytes } kind = Kind::kList;
  bool interface = false;  // elements are interfaces
  size_t next = 0, count = 0;
  value::Value container;
  std::vector<value::Map::Entry> entries;  // a map as it was at the start
  Slot outer_dot;
};

// A text given to tpl: the templates it defines shadow the set's while it runs.
struct Text {
  Arena arena;
  Source source{arena};
  std::vector<std::unique_ptr<Template>> templates;
  std::vector<std::pair<uint32_t, Template*>> defines;  // besides the text itself
  Template* main = nullptr;
};

struct Overlay {
  const Text* text;
  const Overlay* outer;
};

struct Vm::Rep {
  Rep(Vm& vm, Set::Rep& set, Options options)
      : vm(vm),
        set(set),
        options(options),
        steps_left(options.max_steps),
        bytes_left(8 * static_cast<uint64_t>(options.max_output)) {}

  // ---- overlay.cc ----
  Template* find(uint32_t id) const;
  Template* find(std::string_view name) const;
  Status execute(const Template* t, const value::Value& data, std::string& out);
  Status execute_once(Template* t, const value::Value& data, std::string& out);
  Status execute_named(std::string_view name, const value::Value& data, std::string& out);
  Result<const Text*> text(std::string_view content, std::unique_ptr<Text>& uncached);
  const Program& program(Template& t);

  // ---- vm.cc; false: error_ tells ----
  bool run(const Template* t, value::Value data);
  void enter(const Template* t, value::Value data);
  void leave();
  bool start_range(value::Value v, const RangeSite& site, const Node* at, Slot& dot, bool& empty);
  bool next_round(RangeState& state, const RangeSite& site, Slot& dot, Slot* slots,
                  value::Value*& sp);
  bool print(const value::Value& v, const Node* at);

  // ---- fields.cc ----
  bool follow(const value::Value& from, bool interface, const Path& path, const Node* at,
              value::Value& result);
  bool field(const value::Value& receiver, bool interface, std::string_view name, const Node* at,
             const Node* call_node, value::Value& result);
  const value::FuncDef* find_method(const value::Value& receiver, std::string_view name) const;
  bool no_field(const value::Value& receiver, bool interface, std::string_view name,
                const Node* at);
  // Finds the method a call with arguments wants. No value as receiver: *nothing.
  bool resolve_method(const value::Value& receiver, bool interface, const CallSite& site,
                      const Node* at, bool* nothing);

  // ---- calls.cc ----
  bool call(const CallSite& site, value::Value*& sp);
  bool call_value(const CallSite& site, value::Value*& sp, const Node* at);
  bool call_method(const CallSite& site, value::Value*& sp, const Node* at);
  bool check_arg(value::Value& v, char param, const Node* at);
  bool check_method_arg(const CallSite& site, size_t index, value::Value& v, const Node* at);
  bool invoke(const value::FuncDef& f, std::string_view name, const value::Value* args, size_t n,
              const Node* at, value::Value& result);

  static uint64_t steps_to_read(const value::Value& v);
  static uint64_t steps_of(const value::Call& call, const value::Value& result);

  // ---- errors.cc; all return false ----
  bool fail(const Node* at, std::string_view message);
  bool fail_calling(const Node* at, std::string_view name, Error cause);
  bool limit(const Node* at, std::string_view message);
  Error exec_error(const Node* at, std::string_view message, const Error* cause,
                   std::unique_ptr<Location> where) const;
  const Node* node(const Node* at) const { return at == &kDynamicNode ? last_node : at; }

  Vm& vm;
  Set::Rep& set;
  Options options;

  FrameMemory memory;
  std::vector<Frame> frames;
  std::vector<RangeState> ranges;
  size_t range_count = 0;  // of `ranges` in use; the rest keep their capacity
  std::vector<const value::FuncDef*> methods;  // resolved, waiting for their arguments
  const Template* current = nullptr;
  const Node* last_node = nullptr;  // visited last, where only running tells
  bool last_interface = false;      // what follow() ended on
  std::optional<Error> error;

  std::string* out = nullptr;
  size_t out_limit = 0;    // *out may not grow beyond
  size_t outer_bytes = 0;  // in the outputs that wait for this one
  // Steps: a round of a loop or a call is one, and text that was read or made counts by its bytes.
  // 100 million of them take some three seconds, whatever they are spent on. They are handed out in
  // slices; between two slices the process is weighed.
  static constexpr uint64_t kTemplateSteps = 4, kRunSteps = 20;  // {{template}}; include and tpl
  static constexpr uint64_t kBytesInAStep = 3, kItemsInAStep = 2;  // of what a function gave
  static constexpr uint64_t kBytesReadInAStep = 3, kItemsReadInAStep = 2;  // of its arguments
  static constexpr uint64_t kItemsCopiedInAStep = 4;  // value::Call::copied
  static constexpr uint64_t kInstructionsInAStep = 16;  // of a loop's body or a template
  static constexpr uint64_t kSlice = 65536;
  bool take_steps(uint64_t n) {
    if (n > slice) return take_slice(n);
    slice -= n;
    return true;
  }
  bool take_slice(uint64_t n);  // also when the templates hold too much
  std::string_view exhausted() const;  // what take_steps said no to
  uint64_t slice = 0;
  uint64_t steps_left;  // besides the slice
  bool too_heavy = false;
  uint64_t bytes_left;  // of all outputs together, thrown away or not
  int running = 0;
  const Template* once = nullptr;  // being executed from outside, and then not again
  Arena once_arena;                // of its program
  CompilerTables tables;
  StackLimit stack;
  std::vector<std::string> buffers;  // for include's results

  const Overlay* overlay = nullptr;
  std::unordered_map<std::string_view, std::unique_ptr<Text>> texts;
  size_t text_bytes = 0;
  NameId number = [this](std::string_view name) { return set.id(name); };
};

}  // namespace pintle::tmpl
