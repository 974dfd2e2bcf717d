// The loop. Registers (pc, sp, slots, dot) are locals; a {{template}} call parks them in its Frame
// and goes on in the same loop, so template depth costs heap, not C stack. Only functions that run
// templates (include, tpl) nest the loop itself; StackLimit bounds that.
//
// Values on the operand stack live in raw memory: pushed by placement new, popped by move. An error
// leaves the loop at once; run() then destroys what its frames hold.
#include <algorithm>
#include <new>

#include "base/gotext.h"
#include "base/strings.h"
#include "tmpl/print.h"
#include "tmpl/print_verbs.h"
#include "tmpl/vm.h"

namespace pintle::tmpl {

using value::Type;
using value::Value;

namespace {

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kMaxFrames = 1'000'000;  // of all nested executions together

void push(Value*& sp, Value v) { new (sp++) Value(std::move(v)); }

Value pop(Value*& sp) {
  Value v = std::move(*--sp);
  return v;  // the moved-from Value is nil and owns nothing
}

// What a command of a pipeline yields: a nil interface becomes no value.
void end_command(const Instr& in, Value& v) {
  if ((in.flags & kEndsCommand) != 0 && v.is_nil()) v = Value::invalid();
}

Value integer_like(const Value& model, size_t i) {
  switch (model.type()) {
    case Type::kInt64: return Value::int64(static_cast<int64_t>(i));
    case Type::kUint8: return Value::uint8(static_cast<uint8_t>(i));
    case Type::kUint32: return Value::uint32(static_cast<uint32_t>(i));
    case Type::kUint64: return Value::uint64(i);
    default: return Value::integer(static_cast<int64_t>(i));
  }
}

}  // namespace

void* FrameMemory::take(size_t n) {
  n = (n + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
  while (static_cast<size_t>(end_ - top_) < n) {
    size_t next = top_ == nullptr ? 0 : chunk_ + 1;
    if (next == chunks_.size()) {
      size_t size = std::max(n, kChunk);
      chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    }
    chunk_ = next;
    top_ = chunks_[next].bytes.get();
    end_ = top_ + chunks_[next].size;
  }
  char* p = top_;
  top_ += n;
  return p;
}

void FrameMemory::release(const Mark& m) {
  chunk_ = m.chunk;
  top_ = m.top;
  end_ = top_ == nullptr ? nullptr : chunks_[chunk_].bytes.get() + chunks_[chunk_].size;
}

bool Vm::Rep::take_slice(uint64_t n) {
  too_heavy = options.memory != nullptr && options.memory() > options.max_memory;
  if (too_heavy || n > slice + steps_left) return false;
  steps_left -= n - slice;
  slice = std::min(kSlice, steps_left);
  steps_left -= slice;
  return true;
}

std::string_view Vm::Rep::exhausted() const {
  return too_heavy ? "exceeded maximum size of values and output" : "exceeded maximum number of steps";
}

void Vm::Rep::enter(const Template* t, Value data) {
  const Program& p = program(*const_cast<Template*>(t));
  Frame f;
  f.tmpl = t;
  f.program = &p;
  f.memory = memory.mark();
  size_t size = p.slots * sizeof(Slot) + p.max_stack * sizeof(Value);
  auto* bytes = static_cast<char*>(memory.take(size));
  f.slots = reinterpret_cast<Slot*>(bytes);
  for (uint32_t i = 0; i < p.slots; ++i) new (&f.slots[i]) Slot();
  f.stack = f.sp = reinterpret_cast<Value*>(bytes + p.slots * sizeof(Slot));
  f.pc = p.code.data();
  f.slots[0].value = data;
  f.dot.value = std::move(data);
  frames.push_back(std::move(f));
  current = t;
}

// Destroys the innermost frame; its sp must be up to date.
void Vm::Rep::leave() {
  Frame& f = frames.back();
  while (f.sp > f.stack) (--f.sp)->~Value();
  for (uint32_t i = 0; i < f.program->slots; ++i) f.slots[i].~Slot();
  memory.release(f.memory);
  frames.pop_back();
}

bool Vm::Rep::print(const Value& v, const Node* at) {
  if (v.is_string()) {
    out->append(v.as_string());
  } else if (v.is_object() && v.as_object()->kind() == value::Kind::kFunc) {
    return fail(at, cat("can't print ", to_source(*node(at)), " of type ", value::go_type(v)));
  } else {
    const size_t before = out->size();
    print_action(*out, v);
    if (out->size() - before > kMaxPrinted) return limit(at, "output is too large");
  }
  return true;
}

bool Vm::Rep::start_range(Value v, const RangeSite& site, const Node* at, Slot& dot, bool& empty) {
  using Kind = RangeState::Kind;
  if (v.is_object()) {
    const value::Object& o = *v.as_object();
    if (o.elements() != nullptr) {
      v = Value::list_of(o.elements()->items, Type::kStringList);
    } else if (Value basic = o.basic(); basic.is_int() || basic.is_uint()) {
      v = std::move(basic);
    }
  }
  Kind kind = Kind::kList;
  size_t count = 0;
  if (v.is_list()) {
    count = v.length();
  } else if (v.is_map()) {
    kind = Kind::kMap;
    count = v.length();
  } else if (v.is_int() || v.is_uint()) {
    if (site.variables > 1) {
      std::string shown;
      print_value(shown, v);
      return fail(at, cat("can't use ", shown, " to iterate over more than one variable"));
    }
    kind = Kind::kInt;
    bool none = v.is_int() && v.as_int() < 0;
    count = none ? 0 : static_cast<size_t>(v.as_uint());
  } else if (v.is(Type::kBytes)) {
    kind = Kind::kBytes;
    count = v.as_string().size();
  } else if (!v.is_invalid() && !v.is_nil()) {
    std::string shown;
    print_value(shown, v);
    return fail(at, cat("range can't iterate over ", shown));
  }
  empty = count == 0;
  if (empty) return true;
  if (range_count == ranges.size()) ranges.emplace_back();
  RangeState& state = ranges[range_count++];
  state.kind = kind;
  state.interface = v.is(Type::kList) || v.is(Type::kMap) || v.is(Type::kValues);
  state.next = 0;
  state.count = count;
  state.entries.clear();
  if (kind == Kind::kMap) {
    if (!take_steps(count / kItemsInAStep)) return limit(at, exhausted());
    state.entries.assign(v.as_map()->begin(), v.as_map()->end());
    state.container = Value();
  } else {
    state.container = std::move(v);
  }
  state.outer_dot = std::move(dot);
  return true;
}

// Sets dot and variables for the next element; there is one.
bool Vm::Rep::next_round(RangeState& state, const RangeSite& site, Slot& dot, Slot* slots,
                         Value*& sp) {
  using Kind = RangeState::Kind;
  if (!take_steps(1 + site.instructions / kInstructionsInAStep)) return false;
  size_t i = state.next++;
  Value key;
  switch (state.kind) {
    case Kind::kList:
      dot.value = state.container.items()[i];
      if (site.variables > 1) key = Value::integer(static_cast<int64_t>(i));
      break;
    case Kind::kMap:
      dot.value = state.entries[i].value;
      if (site.variables > 1) key = Value::string(state.entries[i].key);
      break;
    case Kind::kInt: dot.value = integer_like(state.container, i); break;
    case Kind::kBytes:
      dot.value = Value::uint8(static_cast<uint8_t>(state.container.as_string()[i]));
      if (site.variables > 1) key = Value::integer(static_cast<int64_t>(i));
      break;
  }
  dot.interface = state.interface;
  if (site.variables == 0) return true;
  if (site.assign) {
    push(sp, dot.value);
    if (site.variables > 1) push(sp, std::move(key));
    return true;
  }
  slots[site.slots[site.variables - 1]] = dot;
  if (site.variables > 1) {
    slots[site.slots[0]].value = std::move(key);
    slots[site.slots[0]].interface = false;
  }
  return true;
}

bool Vm::Rep::run(const Template* t, Value data) {
  if (stack.exceeded()) return limit(nullptr, "templates nested too deeply");
  if (bytes_left == 0) return limit(nullptr, "exceeded maximum size of output");
  const size_t base = frames.size();
  const size_t range_base = range_count;
  const size_t method_base = methods.size();
  enter(t, std::move(data));
  if (!take_steps(kRunSteps + frames.back().program->code.size() / kInstructionsInAStep)) {
    leave();
    return limit(nullptr, exhausted());
  }

  const Program* program = frames.back().program;
  const Instr* pc = frames.back().pc;
  Value* sp = frames.back().sp;
  Slot* slots = frames.back().slots;
  Slot dot = std::move(frames.back().dot);
  bool good = true;

  auto at = [&](const Instr& in) {
    return program->nodes[static_cast<size_t>(&in - program->code.data())];
  };
  auto jump = [&](uint32_t to) { pc = program->code.data() + to; };

  while (good) {
    const Instr& in = *pc++;
    switch (in.op) {
      case Op::kText:
        out->append(program->texts[in.a]);
        if (out->size() > out_limit) good = limit(at(in), "exceeded maximum size of output");
        break;
      case Op::kConst: push(sp, program->constants[in.a]); break;
      case Op::kDot:
        push(sp, dot.value);
        end_command(in, sp[-1]);
        break;
      case Op::kVarIfSet:
        if (!slots[in.b].value.as_bool()) {
          ++pc;
          break;
        }
        [[fallthrough]];
      case Op::kVar:
        push(sp, slots[in.a].value);
        end_command(in, sp[-1]);
        break;
      case Op::kInvalid: push(sp, Value::invalid()); break;
      case Op::kField: {
        Value v;
        good = follow(dot.value, dot.interface, program->paths[in.a], at(in), v);
        end_command(in, v);
        push(sp, std::move(v));
        break;
      }
      case Op::kFieldVar: {
        Value v;
        const Slot& s = slots[in.b];
        good = follow(s.value, s.interface, program->paths[in.a], at(in), v);
        end_command(in, v);
        push(sp, std::move(v));
        break;
      }
      case Op::kFieldTop: {
        Value v;
        good = follow(sp[-1], false, program->paths[in.a], at(in), v);
        end_command(in, v);
        sp[-1] = std::move(v);
        break;
      }
      case Op::kMethod: {
        const CallSite& site = program->calls[in.a];
        bool interface = site.from == CallSite::From::kDot    ? dot.interface
                         : site.from == CallSite::From::kSlot ? slots[site.slot].interface
                         : site.from == CallSite::From::kPath ? last_interface
                                                              : false;
        bool nothing = false;
        good = resolve_method(sp[-1], interface, site, at(in), &nothing);
        if (good && nothing) {
          if (site.piped) pop(sp);
          sp[-1] = Value::invalid();
          last_node = node(at(in));
          jump(site.end);
        }
        break;
      }
      case Op::kCallMethod:
        good = call_method(program->calls[in.a], sp, at(in));
        break;
      case Op::kCall:
        good = call(program->calls[in.a], sp);
        if (good) end_command(in, sp[-1]);
        break;
      case Op::kCallValue: good = call_value(program->calls[in.a], sp, at(in)); break;
      case Op::kCheckArg:
        good = check_arg(sp[-1], program->calls[in.a].params[in.b], at(in));
        break;
      case Op::kCheckMethodArg:
        good = check_method_arg(program->calls[in.a], in.b, sp[-1], at(in));
        break;
      case Op::kAnd:
      case Op::kOr:
        if (value::truth(sp[-1]) == (in.op == Op::kOr)) {
          last_node = node(at(in));
          jump(in.a);
        } else {
          pop(sp);
        }
        break;
      case Op::kNip:
        sp[-2] = std::move(sp[-1]);
        pop(sp);
        break;
      case Op::kPop: pop(sp); break;
      case Op::kMark: last_node = node(at(in)); break;
      case Op::kJoin: end_command(in, sp[-1]); break;
      case Op::kSetIfSet:
        if (!slots[in.b].value.as_bool()) {
          ++pc;
          break;
        }
        [[fallthrough]];
      case Op::kSet:
        if ((in.flags & kKeep) != 0) {
          slots[in.a].value = sp[-1];
        } else {
          slots[in.a].value = pop(sp);
        }
        slots[in.a].interface = (in.flags & kElement) != 0 && ranges[range_count - 1].interface;
        break;
      case Op::kSetFlag: slots[in.a].value = Value::boolean(true); break;
      case Op::kClearFlag: slots[in.a].value = Value::boolean(false); break;
      case Op::kPrint: {
        good = print(sp[-1], at(in));
        pop(sp);
        if (out->size() > out_limit) good = limit(at(in), "exceeded maximum size of output");
        break;
      }
      case Op::kJump: jump(in.a); break;
      case Op::kJumpFalse:
        if (!value::truth(pop(sp))) jump(in.a);
        break;
      case Op::kWith: {
        Value v = pop(sp);
        if (value::truth(v)) {
          slots[in.b] = std::move(dot);
          dot.value = std::move(v);  // NOLINT(bugprone-use-after-move): all of it is set anew
          dot.interface = false;
        } else {
          jump(in.a);
        }
        break;
      }
      case Op::kRestoreDot: dot = std::move(slots[in.b]); break;
      case Op::kRange: {
        const RangeSite& site = program->ranges[in.a];
        bool empty = false;
        good = start_range(pop(sp), site, at(in), dot, empty);
        if (empty) jump(site.otherwise);
        break;
      }
      case Op::kRangeNext: {
        const RangeSite& site = program->ranges[in.a];
        RangeState& state = ranges[range_count - 1];
        if (state.next == state.count) {
          jump(site.done);
        } else if (!next_round(state, site, dot, slots, sp)) {
          good = limit(at(in), exhausted());
        }
        break;
      }
      case Op::kRangeEnd: {
        RangeState& state = ranges[--range_count];
        dot = std::move(state.outer_dot);
        state.container = Value();
        break;
      }
      case Op::kFindTemplate:
      case Op::kTemplate: {
        const Template* callee = find(in.a);
        if (callee == nullptr) {
          good = fail(at(in), cat("template ", quote(set.names[in.a]), " not defined"));
          break;
        }
        if (in.op == Op::kFindTemplate) break;
        if (frames.size() - base > static_cast<size_t>(options.max_depth)) {
          good = fail(at(in), cat("exceeded maximum template depth (", options.max_depth, ")"));
          break;
        }
        if (frames.size() > kMaxFrames) {
          good = limit(at(in), "templates nested too deeply");
          break;
        }
        if (!take_steps(kTemplateSteps)) {
          good = limit(at(in), exhausted());
          break;
        }
        Value argument = pop(sp);
        Frame& caller = frames.back();
        caller.pc = pc;
        caller.sp = sp;
        caller.dot = std::move(dot);
        enter(callee, std::move(argument));
        Frame& f = frames.back();
        program = f.program;
        pc = f.pc;
        sp = f.sp;
        slots = f.slots;
        dot = std::move(f.dot);
        break;
      }
      case Op::kFail: good = fail(at(in), program->messages[in.a]); break;
      case Op::kReturn: {
        frames.back().sp = sp;
        leave();
        if (frames.size() == base) return true;
        Frame& f = frames.back();
        current = f.tmpl;
        program = f.program;
        pc = f.pc;
        sp = f.sp;
        slots = f.slots;
        dot = std::move(f.dot);
        break;
      }
    }
  }

  frames.back().sp = sp;
  while (frames.size() > base) leave();
  for (; range_count > range_base; --range_count) ranges[range_count - 1] = RangeState();
  methods.resize(method_base);
  return false;
}

}  // namespace pintle::tmpl
