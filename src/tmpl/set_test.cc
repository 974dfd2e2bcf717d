#include <gtest/gtest.h>

#include "tmpl/testing/functions.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {
namespace {

// Files that define the same name again and again: the last one counts.
struct Files {
  std::vector<std::string> names, bodies;
  std::vector<Set::Text> texts;

  explicit Files(size_t n, size_t bad = SIZE_MAX) {
    for (size_t i = 0; i < n; ++i) {
      names.push_back("f" + std::to_string(i));
      std::string body = "{{ define \"x\" }}" + std::to_string(i) + "{{ end }}";
      for (int k = 0; k < 40; ++k) body += "{{ if .a }}{{ .b.c | print 1 }}{{ end }}line\n";
      if (i >= bad) body += "{{ end }}";
      bodies.push_back(std::move(body));
    }
    for (size_t i = 0; i < n; ++i) texts.push_back({names[i], bodies[i]});
  }
};

TEST(ParseAll, TwoThreadsGiveWhatOneGives) {
  const Files files(300);
  Set set(testing_functions());
  size_t at = 0;
  ASSERT_TRUE(set.parse_all(files.texts, true, at).has_value());
  for (const auto& name : files.names) EXPECT_TRUE(set.defined(name)) << name;
  Vm vm(set, {});
  std::string out;
  ASSERT_TRUE(vm.execute("x", value::Value::nil(), out).has_value());
  EXPECT_EQ(out, "299");
}

TEST(ParseAll, TheFirstErrorInOrderIsTold) {
  for (const bool two : {false, true}) {
    const Files files(300, 211);
    Set set(testing_functions());
    size_t at = 0;
    const auto done = set.parse_all(files.texts, two, at);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(at, 211u);
    EXPECT_EQ(done.error().text(), "template: f211:41: unexpected {{end}}");
  }
}

TEST(ParseAll, WhatIsNestedTooDeepForAHelperIsParsedAllTheSame) {
  std::string deep, padding(200 << 10, 'x');
  for (int i = 0; i < 5000; ++i) deep += "{{ if . }}";
  for (int i = 0; i < 5000; ++i) deep += "{{ end }}";
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("deep" + std::to_string(i));
  std::vector<Set::Text> texts = {{"padding", padding}};
  for (const auto& name : names) texts.push_back({name, deep});
  Set set(testing_functions());
  size_t at = 0;
  const auto done = set.parse_all(texts, true, at);
  EXPECT_TRUE(done.has_value()) << done.error().text();
}

}  // namespace
}  // namespace pintle::tmpl
