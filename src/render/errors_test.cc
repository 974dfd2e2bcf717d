#include "render/errors.h"

#include <memory>

#include <gtest/gtest.h>

#include "tmpl/tmpl.h"

namespace pintle::render {
namespace {

Error exec_error(std::string text) {
  Error e(std::move(text));
  e.set_detail(std::make_unique<tmpl::Location>());
  return e;
}
Error exec_error(std::string text, Error cause) {
  Error e = Error::with_cause(std::move(text), std::move(cause));
  e.set_detail(std::make_unique<tmpl::Location>());
  return e;
}

TEST(ParseError, KeepsThePlaceAndTheLastPart) {
  EXPECT_EQ(parse_error("c/t.yaml", Error("template: c/t.yaml:2: illegal number syntax: \"08\""))
                .text(),
            "parse error at (c/t.yaml:2): \"08\"");
  EXPECT_EQ(parse_error("c/t.yaml", Error("odd")).text(), "parse error in (c/t.yaml): odd");
}

TEST(ExecutionError, EachLinkIsABlock) {
  Error inner = exec_error("template: c/_e.tpl:4:7: executing \"e\" at <.a.b>: nil pointer");
  Error outer = exec_error(
      "template: c/t.yaml:1:3: executing \"c/t.yaml\" at <include \"e\" .>: error calling "
      "include: " + inner.text(), inner);
  EXPECT_EQ(execution_error("c/t.yaml", outer, false).text(),
            "c/t.yaml:1:3\n  executing \"c/t.yaml\" at <include \"e\" .>:\n"
            "    error calling include:\nc/_e.tpl:4:7\n  executing \"e\" at <.a.b>:\n"
            "    nil pointer");
  EXPECT_EQ(execution_error("c/t.yaml", outer, true).text(), outer.text());
}

TEST(ExecutionError, AForeignLinkKeepsTheLine) {
  Error outer = exec_error(
      "template: t:1:3: executing \"t\" at <div 1 0>: error calling div: boom", Error("boom"));
  EXPECT_EQ(execution_error("t", outer, false).text(), outer.text());
}

TEST(ExecutionError, FailShowsOnlyItsMessage) {
  Error outer = exec_error(
      "template: c/t.yaml:1:3: executing \"t\" at <fail \"x\">: error calling fail: "
      "HELM_ERR_STARTa: b\ncHELM_ERR_END");
  EXPECT_EQ(execution_error("c/t.yaml", outer, false).text(),
            "execution error at (c/t.yaml:1:3): a: b\nc");
}

}  // namespace
}  // namespace pintle::render
