#include "action/annotation_text.h"

#include <gtest/gtest.h>

namespace pintle::action {
namespace {

struct Row {
  const char* before;
  const char* with;
  const char* after;  // it is taken out again
};

constexpr Row kRows[] = {
    {"kind: A\n", "kind: A\nmetadata:\n  annotations:\n    k: 'v'\n", "kind: A\nmetadata: {}\n"},
    {"metadata:\n  name: n\nspec: 1\n",
     "metadata:\n  name: n\n  annotations:\n    k: 'v'\nspec: 1\n", "metadata:\n  name: n\nspec: 1\n"},
    {"metadata:\n  annotations:\n    a: b # c\n  name: n\n",
     "metadata:\n  annotations:\n    a: b # c\n    k: 'v'\n  name: n\n",
     "metadata:\n  annotations:\n    a: b # c\n  name: n\n"},
    {"metadata: {name: s}\n", "metadata: {name: s, annotations: {k: 'v'}}\n", "metadata: {name: s}\n"},
    {"metadata:\n  annotations: {a: b}\n", "metadata:\n  annotations: {a: b, k: 'v'}\n",
     "metadata:\n  annotations: {a: b}\n"},
};

TEST(AnnotationText, IsPutInAndTakenOut) {
  for (const Row& row : kRows) {
    std::string text = row.before;
    ASSERT_TRUE(set_annotation(text, "k", "v")) << row.before;
    EXPECT_EQ(text, row.with);
    EXPECT_EQ(clear_annotation(text, "k").value_or("nothing"), "v");
    EXPECT_EQ(text, row.after);
  }
}

TEST(AnnotationText, LeavesAloneWhatItDoesNotKnow) {
  for (const char* text : {"metadata: text\n", "metadata:\n  annotations: text\n",
                           "metadata: {annotations: {a: b}}\n"}) {
    std::string document = text;
    EXPECT_FALSE(set_annotation(document, "k", "v"));
    EXPECT_EQ(document, text);
    EXPECT_EQ(clear_annotation(document, "k"), std::nullopt);
  }
}

}  // namespace
}  // namespace pintle::action
