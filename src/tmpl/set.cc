#include "tmpl/set.h"

#include <atomic>
#include <system_error>
#include <thread>

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

namespace {

constexpr size_t kWorthAThread = 128 << 10;   // bytes of text: about a millisecond
constexpr size_t kHelpersStack = 512 << 10;   // a thread may have as little as 2 MiB

Result<Set::Rep::Parsed> parsed(const Set::Rep& rep, const Set::Text& text, Arena& arena,
                                const StackLimit& stack) {
  Set::Rep::Parsed out;
  out.source = std::make_unique<Source>(arena);
  out.source->name = text.name;
  out.source->text = text.text;
  out.definitions = TRY(tmpl::parse(*out.source, rep.functions, stack));
  return out;
}

// Both threads take the next text until none is left or one is wrong. Of that, and of what is nested
// too deep for the helper, nothing is kept: the caller parses it again and has the error.
void parse_by_two(Set::Rep& rep, std::span<const Set::Text> texts,
                  std::vector<Set::Rep::Parsed>& out) {
  std::atomic<size_t> next{0};
  const auto work = [&](Arena& arena, size_t stack) {
    for (size_t i; (i = next.fetch_add(1)) < texts.size();) {
      auto one = parsed(rep, texts[i], arena, StackLimit(stack));
      if (!one) {
        next = texts.size();
        return;
      }
      out[i] = std::move(*one);
    }
  };
  std::thread helper;
  try {
    helper = std::thread([&] { work(rep.second_arena, kHelpersStack); });
  } catch (const std::system_error&) {  // no thread to be had: the caller parses them all
  }
  work(rep.arena, StackLimit::kBytes);
  if (helper.joinable()) helper.join();
}

}  // namespace

void Set::Rep::add(Parsed parsed) {
  for (const Definition& d : parsed.definitions) {
    Template*& current = defined[id(d.name)];
    if (current != nullptr && d.empty) continue;
    auto made = std::make_unique<Template>();
    made->name = d.name;
    made->source = parsed.source.get();
    made->root = d.root;
    made->empty = d.empty;
    current = made.get();
    templates.push_back(std::move(made));
  }
  sources.push_back(std::move(parsed.source));
}

Status Set::parse(std::string_view name, std::string_view text) {
  rep_->add(TRY(parsed(*rep_, {name, text}, rep_->arena, StackLimit())));
  return ok();
}

Status Set::parse_all(std::span<const Text> texts, bool two_threads, size_t& at) {
  std::vector<Rep::Parsed> ready(texts.size());
  size_t bytes = 0;
  for (const Text& text : texts) bytes += text.text.size();
  if (two_threads && bytes >= kWorthAThread && std::thread::hardware_concurrency() > 1) {
    parse_by_two(*rep_, texts, ready);
  }
  for (at = 0; at < texts.size(); ++at) {
    if (ready[at].source) {
      rep_->add(std::move(ready[at]));
    } else {
      TRY(parse(texts[at].name, texts[at].text));
    }
  }
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
