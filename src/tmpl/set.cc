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

Template* Set::Rep::define(const Definition& d, Source& source, Template* twin) {
  Template*& current = defined[id(d.name)];
  if (current != nullptr && d.empty) return nullptr;
  auto& made = templates.emplace_back(std::make_unique<Template>());
  made->name = d.name;
  made->source = &source;
  made->root = d.root;
  made->empty = d.empty;
  made->twin = twin;
  if (twin != nullptr) twin->has_twins = true;
  return current = made.get();
}

bool Set::Rep::Parsed::same_as(std::string_view name) const {
  bool whole = false;
  for (const Definition& d : definitions) {
    if (!d.whole && d.name == name) return false;
    whole |= d.whole;
  }
  return whole;
}

Status Set::parse(std::string_view name, std::string_view text) {
  auto& source = *rep_->sources.emplace_back(std::make_unique<Source>(rep_->arena));
  source.name = name;
  source.text = text;
  Rep::Parsed& known = rep_->parsed[text];  // a new one is the same as nothing
  if (known.same_as(name)) {
    for (size_t i = 0; i < known.made.size(); ++i) {
      Definition d = known.definitions[i];
      if (d.whole) d.name = source.name;
      rep_->define(d, source, known.made[i]);
    }
    return ok();
  }
  auto definitions = TRY(tmpl::parse(source, rep_->functions, StackLimit()));
  std::vector<Template*> made;
  for (const Definition& d : definitions) made.push_back(rep_->define(d, source, nullptr));
  known = {std::move(definitions), std::move(made)};
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
