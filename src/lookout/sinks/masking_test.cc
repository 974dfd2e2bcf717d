#include "lookout/sinks/masking.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

TEST(Masking, HidesWhatIsBehindTheHostHeadersAndKeys) {
  const struct {
    std::string_view options, shown;
  } cases[] = {
      {R"({"url":"https://oapi.dingtalk.com/robot/send?access_token=tok"})",
       R"({"url":"https://oapi.dingtalk.com/***"})"},
      {R"({"url":"https://open.feishu.cn:8443/open-apis/bot/v2/hook/tok"})",
       R"({"url":"https://open.feishu.cn:8443/***"})"},
      {R"({"url":"https://a.example?key=tok"})", R"({"url":"https://a.example/***"})"},
      {R"({"url":"https://a.example/"})", R"({"url":"https://a.example/"})"},
      {R"({"url":"nats://n.internal:4222"})", R"({"url":"nats://n.internal:4222"})"},
      {R"({"url":"tok"})", R"({"url":"***"})"},
      {R"({"headers":{"Authorization":"Bearer tok","X":""}})",
       R"({"headers":{"Authorization":"***","X":"***"}})"},
      {R"({"certificate":"PEM","key":"tok"})", R"({"certificate":"PEM","key":"***"})"},
      {R"({"template":"<{{ .type }}>","to":["a@b.c"]})", R"({"template":"<{{ .type }}>","to":["a@b.c"]})"},
      {"", "{}"}, {"[]", "{}"}, {"tok", "{}"}, {"{}", "{}"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(masked_options(c.options), c.shown);
    EXPECT_EQ(masked_options(c.shown), c.shown);
  }
}

TEST(Masking, WhatComesBackMaskedIsTheOneBefore) {
  constexpr std::string_view kBefore =
      R"({"headers":{"A":"1"},"key":"PEM","url":"https://a.example/t0ken"})";
  const struct {
    std::string_view given, want;  // "!" and a part of the error
  } cases[] = {
      {R"({"headers":{"A":"***"},"key":"***","url":"https://a.example/***"})", kBefore},
      {R"({"url":"https://a.example/***","format":"plain"})",
       R"({"format":"plain","url":"https://a.example/t0ken"})"},
      {R"({"url":"https://a.example/new"})", R"({"url":"https://a.example/new"})"},
      {R"({"url":"https://b.example/***"})", "!url: is masked, and is not the one before"},
      {R"({"url":"https://a.example/***","headers":{"B":"***"}})", "!headers: B: is masked, and there was none"},
      {R"({"url":"https://b.example/x","headers":{"A":"***"}})", "!headers: A: is masked: send it whole"},
      {R"({"url":"https://b.example/x","key":"***"})", "!key: is masked: send it whole"},
  };
  for (const auto& c : cases) {
    const auto got = unmasked_options(c.given, kBefore);
    if (c.want[0] != '!') {
      ASSERT_TRUE(got) << c.given << got.error().text();
      EXPECT_EQ(*got, c.want);
    } else {
      ASSERT_FALSE(got) << c.given;
      EXPECT_NE(got.error().text().find(c.want.substr(1)), std::string::npos) << got.error().text();
    }
  }
  EXPECT_FALSE(unmasked_options(R"({"url":"https://a.example/***"})", ""));
}

TEST(Masking, NoSecretStaysInAText) {
  constexpr std::string_view kOptions =
      R"({"headers":{"Authorization":"Bearer hunter2secret"},"url":"https://a.example/hook/T0ken99?access_token=qwertyuiop1"})";
  EXPECT_EQ(without_secrets("no T0ken99, no qwertyuiop1, no hunter2secret, no whsec_abc; but hook", kOptions,
                            "whsec_abc"),
            "no ***, no ***, no ***, no ***; but hook");
}

}  // namespace
}  // namespace pintle::lookout
