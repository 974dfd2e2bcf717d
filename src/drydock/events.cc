#include "drydock/events.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

constexpr size_t kDistinct = 10;
constexpr int64_t kTogether = 600'000'000'000;  // ten minutes

}  // namespace

EventMemory::Said EventMemory::say(std::string_view about, std::string_view type, std::string_view reason,
                                   std::string_view component, std::string_view message, int64_t now_ns) {
  std::string common = cat(about, '\n', type, '\n', reason, '\n', component);
  Similar* similar = x_similar.find(common);
  if (!similar) similar = &x_similar.put(common, {});
  if (now_ns - similar->last_ns > kTogether) similar->messages.clear();
  similar->last_ns = now_ns;
  similar->messages.emplace(message);
  Said said{cat(common, '\n', message), std::string(message), ""};
  if (similar->messages.size() >= kDistinct) {
    similar->messages.erase(similar->messages.begin());  // they are only counted
    said.message = cat("(combined from similar events): ", message);
    said.key = common;
  }
  if (const std::string* name = x_names.find(said.key)) said.name = *name;
  return said;
}

void EventAges::written(int64_t now_ns, std::string_view ns, std::string_view name, uint64_t version) {
  if (!x_entries.empty()) now_ns = std::max(now_ns, x_entries.back().ns_written);
  x_entries.push_back({now_ns, {std::string(ns), std::string(name), version}});
}

std::optional<EventAges::Due> EventAges::take(int64_t limit_ns) {
  if (x_entries.empty() || x_entries.front().ns_written >= limit_ns) return std::nullopt;
  Due due = std::move(x_entries.front().what);
  x_entries.pop_front();
  return due;
}

}  // namespace pintle::drydock
