// Finding templates, and running them from outside: execute, include, tpl texts.
//
// Helm's tpl clones the whole set for every text, so that defines in it stay inside. Here the text
// is an Overlay in front of the set: while it runs, names are looked for in the overlays from the
// innermost outwards and then in the set, by everything that runs, the set's own templates too, as
// in Go's clone. Nothing is copied; a text costs its own size once and is kept for the next use.
#include "base/gotext.h"
#include "base/strings.h"
#include "tmpl/vm.h"

namespace pintle::tmpl {

using value::Value;

namespace {

constexpr size_t kMaxCachedText = size_t{64} << 20;
constexpr size_t kMaxKeptBuffer = size_t{1} << 20;

}  // namespace

Template* Vm::Rep::find(uint32_t id) const {
  Template* found = nullptr;
  for (const Overlay* o = overlay; o != nullptr; o = o->outer) {
    for (const auto& [defined, t] : o->text->defines) {
      if (defined != id) continue;
      if (!t->empty) return t;
      if (found == nullptr) found = t;  // an empty define yields to any other
    }
  }
  Template* base = set.defined[id];
  if (base != nullptr) return base;
  if (overlay != nullptr && found == nullptr && set.names[id] == kSetName) {
    return overlay->text->main;
  }
  return found;
}

Template* Vm::Rep::find(std::string_view name) const {
  int64_t id = set.find_id(name);
  if (id >= 0) return find(static_cast<uint32_t>(id));
  return overlay != nullptr && name == kSetName ? overlay->text->main : nullptr;
}

const Program& Vm::Rep::program(Template& t) {
  if (t.twin != nullptr) return program(*t.twin);
  if (t.program == nullptr) {
    t.program = compile(*t.root, number, &t == once ? once_arena : t.source->arena, tables);
  }
  return *t.program;
}

Status Vm::Rep::execute_once(Template* t, const Value& data, std::string& target) {
  once = t;
  const Status done = execute(t, data, target);
  once = nullptr;
  t->program.reset();
  once_arena.reset();
  return done;
}

Status Vm::Rep::execute(const Template* t, const Value& data, std::string& target) {
  if (running == 0) {
    stack = StackLimit();
    outer_bytes = 0;
  }
  std::string* outer_out = std::exchange(out, &target);
  size_t outer_limit = out_limit;
  const Template* outer_template = current;
  const Node* outer_node = last_node;
  size_t waiting = outer_out == nullptr ? 0 : outer_out->size();
  outer_bytes += waiting;
  out_limit = options.max_output > outer_bytes ? options.max_output - outer_bytes : 0;

  ++running;
  bool good = run(t, data.is_nil() ? Value::invalid() : data);
  --running;

  bytes_left -= std::min<uint64_t>(bytes_left, target.size());
  outer_bytes -= waiting;
  out = outer_out;
  out_limit = outer_limit;
  current = outer_template;
  last_node = outer_node;
  if (good) return ok();
  Error e = std::move(*error);
  error.reset();
  return e;
}

Status Vm::Rep::execute_named(std::string_view name, const Value& data, std::string& target) {
  Template* t = find(name);
  if (t == nullptr) {
    return Error(cat("template: no template ", quote(name), " associated with template ",
                     quote(kSetName)),
                 Code::kNotFound);
  }
  // A program that is there already belongs to a template that others include.
  bool shared = t->program != nullptr || t->twin != nullptr || t->has_twins;
  if (options.once && running == 0 && !shared) return execute_once(t, data, target);
  return execute(t, data, target);
}

// The parsed text, from the cache or, when that is full, held by `uncached`.
Result<const Text*> Vm::Rep::text(std::string_view content, std::unique_ptr<Text>& uncached) {
  if (auto it = texts.find(content); it != texts.end()) return it->second.get();
  auto made = std::make_unique<Text>();
  made->source.name = kSetName;
  made->source.owned = content;
  made->source.text = made->source.owned;
  auto definitions = TRY(parse(made->source, set.functions, running == 0 ? StackLimit() : stack));
  for (const Definition& d : definitions) {
    auto t = std::make_unique<Template>();
    t->name = d.name;
    t->source = &made->source;
    t->root = d.root;
    t->empty = d.empty;
    if (d.name == kSetName) {
      made->main = t.get();
    } else {
      made->defines.emplace_back(set.id(d.name), t.get());
    }
    made->templates.push_back(std::move(t));
  }
  const Text* result = made.get();
  if (text_bytes + content.size() > kMaxCachedText) {
    uncached = std::move(made);
  } else {
    text_bytes += content.size();
    texts.emplace(made->source.text, std::move(made));
  }
  return result;
}

void Vm::bring_in(const std::function<void()>& work) {
  Options& o = rep_->options;
  const size_t before = o.memory == nullptr ? 0 : o.memory();
  work();
  const size_t after = o.memory == nullptr ? 0 : o.memory();
  if (after > before && o.max_memory < SIZE_MAX) o.max_memory += after - before;
}

Vm::Vm(const Set& set, Options options)
    : rep_(std::make_unique<Rep>(*this, set.rep(), options)) {}
Vm::~Vm() = default;

Status Vm::execute(std::string_view name, const Value& data, std::string& out) {
  return rep_->execute_named(name, data, out);
}

Status Vm::include(std::string_view name, const Value& data, std::string& out) {
  return rep_->execute_named(name, data, out);
}

Result<Value> Vm::include(std::string_view name, const Value& data) {
  std::string buffer;
  if (!rep_->buffers.empty()) {
    buffer = std::move(rep_->buffers.back());
    rep_->buffers.pop_back();
  }
  TRY(rep_->execute_named(name, data, buffer));
  Value text = value::str(buffer);
  if (buffer.capacity() <= kMaxKeptBuffer) {
    buffer.clear();
    rep_->buffers.push_back(std::move(buffer));
  }
  return text;
}

Status Vm::run_text(std::string_view text, const Value& data, std::string& out) {
  if (text.find("{{") == text.npos) {
    out.append(text);
    return ok();
  }
  std::unique_ptr<Text> uncached;
  const Text* parsed = TRY(rep_->text(text, uncached));
  Overlay overlay{parsed, rep_->overlay};
  rep_->overlay = &overlay;
  Status status = rep_->execute(parsed->main, data, out);
  rep_->overlay = overlay.outer;
  return status;
}

}  // namespace pintle::tmpl
