#include "tmpl/set.h"

namespace pintle::tmpl {

uint32_t Set::Rep::id(std::string_view name) {
  if (auto it = ids.find(name); it != ids.end()) return it->second;
  auto n = static_cast<uint32_t>(names.size());
  ids.emplace(names.emplace_back(name), n);
  defined.push_back(nullptr);
  return n;
}

int64_t Set::Rep::find_id(std::string_view name) const {
  auto it = ids.find(name);
  return it == ids.end() ? -1 : static_cast<int64_t>(it->second);
}

Set::Set(std::span<const value::FuncDef> functions) : rep_(std::make_unique<Rep>(functions)) {}
Set::~Set() = default;
Set::Set(Set&&) noexcept = default;

Status Set::parse(std::string_view name, std::string_view text) {
  auto source = std::make_unique<Source>(rep_->arena);
  source->name = name;
  source->text = text;
  auto definitions = TRY(tmpl::parse(*source, rep_->functions, StackLimit()));
  for (const Definition& d : definitions) {
    Template*& current = rep_->defined[rep_->id(d.name)];
    if (current != nullptr && d.empty) continue;
    auto made = std::make_unique<Template>();
    made->name = d.name;
    made->source = source.get();
    made->root = d.root;
    made->empty = d.empty;
    current = made.get();
    rep_->templates.push_back(std::move(made));
  }
  rep_->sources.push_back(std::move(source));
  return ok();
}

bool Set::defined(std::string_view name) const {
  int64_t id = rep_->find_id(name);
  return id >= 0 && rep_->defined[static_cast<size_t>(id)] != nullptr;
}

void Set::set_methods(value::Type type, MethodLookup lookup) {
  rep_->methods[static_cast<size_t>(type)] = lookup;
}

}  // namespace pintle::tmpl
