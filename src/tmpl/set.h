// What a Set holds. Inside this room only.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tmpl/parser.h"
#include "tmpl/program.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {

// Helm's name for the whole set and for every tpl text.
inline constexpr std::string_view kSetName = "gotpl";

struct Set::Rep {
  explicit Rep(std::span<const value::FuncDef> rows) : functions(rows) {}

  // Names are numbered once; programs and overlays speak of numbers.
  uint32_t id(std::string_view name);
  // The number of a name if anything ever mentioned it, else -1.
  int64_t find_id(std::string_view name) const;

  // Adds a template; null when d is empty and its name is taken.
  Template* define(const Definition& d, Source& source, Template* twin);

  FunctionTable functions;
  std::deque<std::string> names;
  std::unordered_map<std::string_view, uint32_t> ids;
  std::vector<Template*> defined;  // by number; null: only mentioned
  Arena arena;  // trees and programs of all sources
  std::vector<std::unique_ptr<Source>> sources;
  // Charts carry copies of their library charts: a text is parsed and compiled once, whatever the
  // names it comes under.
  struct Parsed {
    std::vector<Definition> definitions;
    std::vector<Template*> made;  // of each definition; null: it gave way to another

    // Is it the same tree under another name? Not where a define has, or had, the text's name.
    bool same_as(std::string_view name) const;
  };
  std::unordered_map<std::string_view, Parsed> parsed;  // by text
  std::vector<std::unique_ptr<Template>> templates;
  MethodLookup methods[static_cast<size_t>(value::Type::kObject) + 1] = {};
};

}  // namespace pintle::tmpl
