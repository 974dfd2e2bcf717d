// Applies and updates that a real API server answered (tools/record-apply), done again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "json/json.h"
#include "patch/apply.h"

namespace pintle::patch {
namespace {

using value::Value;

std::string write(const Value& v) { return *json::write(v, {.escape_html = false}); }
std::string text(const Value& v, std::string_view key) {
  const Value* found = v.get(key);
  return found && found->is_string() ? std::string(found->as_string()) : "";
}

constexpr std::string_view kKite = R"({"type":"object","properties":{"spec":{"type":"object","properties":{
  "size":{"type":"integer"},
  "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
  "lines":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
    "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"length":{"type":"integer"}}}},
  "path":{"type":"array","items":{"type":"string"}},
  "wind":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"integer"}},
  "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})";

const Type* type_for(const Value& object) {
  static const auto kKites =
      TypeSet::from_schema(*json::read(kKite, {.numbers = json::Numbers::kExact}));
  std::string version = text(object, "apiVersion"), kind = text(object, "kind");
  if (kind == "Kite") return kKites->root();
  size_t slash = version.find('/');
  return slash == std::string::npos ? type_of("", version, kind)
                                    : type_of(version.substr(0, slash), version.substr(slash + 1), kind);
}

std::vector<std::string> owners(const Value& object) {
  std::vector<std::string> out;
  const Value* metadata = object.get("metadata");
  const Value* entries = metadata ? metadata->get("managedFields") : nullptr;
  if (entries) {
    for (const Value& entry : entries->items()) out.push_back(write(entry));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Is all of `part` in `whole`? The server adds defaults, and takes nothing away.
bool within(const Value& part, const Value& whole) {
  if (part.is_map()) {
    if (part.length() == 0) return true;
    for (const auto& entry : *part.as_map()) {
      if (entry.key.view() == "managedFields") continue;
      const Value* found = whole.get(entry.key.view());
      bool nothing = entry.value.is_nil() ||
                     ((entry.value.is_map() || entry.value.is_list()) && entry.value.length() == 0);
      if (!found ? !nothing : !within(entry.value, *found)) return false;
    }
    return true;
  }
  if (part.is_list()) {
    if (part.length() != whole.length()) return false;
    for (size_t i = 0; i < part.length(); ++i) {
      if (!within(part.items()[i], whole.items()[i])) return false;
    }
    return true;
  }
  return part.is_nil() || write(part) == write(whole);
}

std::string replay(const Value& step) {
  const Value& sent = *step.get("sent");
  const Value* after = step.get("after");
  Manager manager{.name = text(step, "manager"),
                  .api_version = text(sent, "apiVersion"),
                  .time = "2026-01-01T00:00:00Z",
                  .subresource = "",
                  .custom_status = false};
  const Type* type = type_for(sent);
  if (!type) return "no type";
  const Value& before = *step.get("before");
  auto out = text(step, "verb") == "update"
                 ? update(before, sent, type, manager)
                 : apply(before, sent, type, manager, step.get("force")->as_bool());
  if (!after) {
    if (out) return "the server found a conflict, this did not";
    const Conflicts* conflicts = out.error().find<Conflicts>();
    if (!conflicts) return "not a conflict: " + out.error().text();
    std::vector<std::string> got, want;
    for (const Conflict& c : conflicts->list) got.push_back(c.message + "|" + c.field);
    for (const Value& c : step.get("causes")->items()) {
      want.push_back(std::string(c.items()[0].as_string()) + "|" +
                     std::string(c.items()[1].as_string()));
    }
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    return got == want ? "" : "other conflicts: " + out.error().text() + "\nwant " + text(step, "message");
  }
  if (!out) return "refused: " + out.error().text();
  if (auto got = owners(*out), want = owners(*after); got != want) {
    std::string report = "other owners:";
    for (const std::string& o : got) {
      if (std::find(want.begin(), want.end(), o) == want.end()) report += "\n  got  " + o;
    }
    for (const std::string& o : want) {
      if (std::find(got.begin(), got.end(), o) == got.end()) report += "\n  want " + o;
    }
    return report;
  }
  if (!within(*out, *after)) return "another object:\n  got  " + write(*out) + "\n  want " + write(*after);
  bool exact = text(sent, "kind") == "Kite" || text(sent, "kind") == "ConfigMap";
  if (exact && !within(*after, *out)) {
    return "less than the server:\n  got  " + write(*out) + "\n  want " + write(*after);
  }
  return "";
}

TEST(Replay, GivesWhatTheServerGave) {
  const char* root = std::getenv("PINTLE_SOURCE_DIR");
  if (!root) GTEST_SKIP() << "skipped: PINTLE_SOURCE_DIR is not set";
  std::string command =
      "gzip -dc '" + std::string(root) + "/tests/fixtures/apply/'*.jsonl.gz 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_NE(pipe, nullptr);
  std::string all;
  char block[1 << 16];
  while (size_t n = fread(block, 1, sizeof block, pipe.get())) all.append(block, n);
  ASSERT_FALSE(all.empty());
  std::istringstream lines(all);
  std::string line;
  int steps = 0, wrong = 0;
  while (std::getline(lines, line)) {
    auto step = json::read(line, {.numbers = json::Numbers::kExact});
    ASSERT_TRUE(step.has_value());
    ++steps;
    std::string report = replay(*step);
    if (!report.empty() && ++wrong <= 10) ADD_FAILURE() << "step " << steps << ": " << report << "\nsent " << write(*step->get("sent"));
  }
  EXPECT_EQ(wrong, 0) << "of " << steps;
  EXPECT_GE(steps, 8000);
}

}  // namespace
}  // namespace pintle::patch
