// Go text/template: parse a set of templates, run them. Knows nothing of charts or Kubernetes.
//
//   tmpl::Set set(functions);                    // one namespace of templates
//   TRY(set.parse("c/templates/a.yaml", text));  // adds it and its defines (later ones win)
//   tmpl::Vm vm(set, options);
//   std::string out;
//   TRY(vm.execute("c/templates/a.yaml", data, out));
//
// Texts given to parse() must outlive the Set (nodes and programs point into them).
// Errors carry tmpl::Location and read exactly as Go's ("template: a:1:3: executing ..."); what a
// function returned stays reachable as Error::cause ("error calling include: <inner error>").
// A Set and the Vms on it belong to one thread (programs are compiled at first use and share
// values with the output). Do not parse into a Set while a Vm executes.
// Behaviour: Go 1.26 text/template; theory of lexer, compiler and VM in tmpl/README.md.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/func.h"
#include "value/value.h"

namespace pintle::tmpl {

// Attached to every parse and execution error of this room.
struct Location : ErrorDetail {
  enum class Stage : uint8_t { kParse, kExec } stage = Stage::kExec;
  std::string name;  // of the template whose text it is (the file)
  int line = 0;
};

// Beside Location when a limit ended the execution (Options, stack). Such an error is not wrapped
// again by the calls it passes through, so that endless recursion ends in one line.
struct LimitReached : Location {};

enum class MissingKey : uint8_t { kDefault, kZero, kError };

class Set {
 public:
  // `functions`: rows sorted by name; looked up at parse time besides the builtins.
  explicit Set(std::span<const value::FuncDef> functions);
  ~Set();
  Set(Set&&) noexcept;

  // Parses text as template `name`, with every {{define}} in it (template.New(name).Parse(text)).
  Status parse(std::string_view name, std::string_view text);
  template <std::same_as<std::string> S>
  Status parse(std::string_view name, S&& text) = delete;  // it would not outlive the Set
  bool defined(std::string_view name) const;

  // Go methods of a named map type (common.Values, engine.files): they shadow keys of their names.
  // Called with the map as args[0]; FuncDef::params lists only what the template writes.
  using MethodLookup = const value::FuncDef* (*)(std::string_view name);
  void set_methods(value::Type type, MethodLookup lookup);

  struct Rep;
  Rep& rep() const { return *rep_; }

 private:
  std::unique_ptr<Rep> rep_;
};

struct Options {
  MissingKey missing_key = MissingKey::kDefault;
  int max_depth = 100000;             // nested {{template}}: Go's limit
  size_t max_output = 64u << 20;      // bytes written and kept by one execution; then an error
  // Of all executions of a Vm: a call or a round of a loop is a step, and other things count by the
  // time they take, some 30 ns a step (vm.h).
  uint64_t max_steps = 100'000'000;
  // How many bytes the process holds, asked every kSlice steps; beyond max_memory the templates that
  // run end in an error. Null: not asked.
  size_t (*memory)() = nullptr;
  size_t max_memory = SIZE_MAX;
  bool once = false;  // each template is executed from outside once: what that takes is not kept
};

class Vm : public value::Machine {
 public:
  Vm(const Set& set, Options options);
  ~Vm() override;

  // Executes template `name` on `data`, appending to out. On error out keeps what was written.
  Status execute(std::string_view name, const value::Value& data, std::string& out);

  // For functions running inside a template (Helm's include and tpl):
  // a template by name ("template: no template "x" associated with template "gotpl"" when absent);
  Status include(std::string_view name, const value::Value& data, std::string& out);
  // the same as a string value, built once from a pooled buffer (the cheap way);
  Result<value::Value> include(std::string_view name, const value::Value& data);
  // text parsed as a template named as Helm's clone is ("gotpl"), seeing all templates of the set;
  // its own defines are visible only inside it. Parsed texts are cached for the Vm's life.
  Status run_text(std::string_view text, const value::Value& data, std::string& out);

  // Runs work that may bring in much from outside, as a cluster's objects: the limit of memory moves
  // with what that holds.
  void bring_in(const std::function<void()>& work);

  // Room for the caller's own state (render keeps its environment here).
  void set_user(void* user) { user_ = user; }
  void* user() const { return user_; }

  struct Rep;

 private:
  std::unique_ptr<Rep> rep_;
  void* user_ = nullptr;
};

}  // namespace pintle::tmpl
