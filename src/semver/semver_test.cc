#include "semver/semver.h"

#include <gtest/gtest.h>

namespace pintle::semver {
namespace {

std::string parsed(std::string_view text) {
  auto v = parse(text);
  return v ? v->text() : v.error().text();
}
std::string parsed_strict(std::string_view text) {
  auto v = parse_strict(text);
  return v ? v->text() : v.error().text();
}

TEST(Version, LooseReadingFillsMissingPartsAndNormalises) {
  const std::pair<const char*, const char*> cases[] = {
      {"1.2.3", "1.2.3"},
      {"v1.2", "1.2.0"},
      {"1", "1.0.0"},
      {"01.002.3", "1.2.3"},
      {"1-beta.1", "1.0.0-beta.1"},
      {"1.2+meta", "1.2.0+meta"},
      {"v1.30.2-gke.100+x.y", "1.30.2-gke.100+x.y"},
      {"18446744073709551615.0.0", "18446744073709551615.0.0"},
      {"", "invalid semantic version"},
      {"V1.2.3", "invalid semantic version"},
      {"1.2.3.4", "invalid semantic version"},
      {" 1.2.3", "invalid semantic version"},
      {"1.2.3-", "invalid semantic version"},
      {"1.2.3+", "invalid semantic version"},
      {"1.2.3-a..b", "invalid semantic version"},
      {"1.2.3-01", "version segment starts with 0"},
      {"18446744073709551616",
       "error parsing version segment: strconv.ParseUint: parsing \"18446744073709551616\": value "
       "out of range"},
  };
  for (auto [in, want] : cases) EXPECT_EQ(parsed(in), want) << in;
  EXPECT_EQ(parsed(std::string(257, '1')), "version string is too long (max 256 bytes)");
}

TEST(Version, StrictReadingWantsThreeParts) {
  const std::pair<const char*, const char*> cases[] = {
      {"1.2.3-a.b+c.d", "1.2.3-a.b+c.d"},
      {"", "version string empty"},
      {"1.2", "invalid semantic version"},
      {"v1.2.3", "invalid characters in version"},
      {"1.2.3.4", "invalid characters in version"},
      {"01.2.3", "version segment starts with 0"},
      {"1.2.3-a..b", "invalid prerelease string"},
      {"1.2.3-01", "version segment starts with 0"},
      {"1.2.3+a_b", "invalid metadata string"},
      {"1..3", "strconv.ParseUint: parsing \"\": invalid syntax"},
  };
  for (auto [in, want] : cases) EXPECT_EQ(parsed_strict(in), want) << in;
}

TEST(Version, PrecedenceFollowsTheSpecification) {
  const char* ascending[] = {"0.9.9",
                             "1.0.0-1",
                             "1.0.0-2",
                             "1.0.0-11",
                             "1.0.0-alpha",
                             "1.0.0-alpha.1",
                             "1.0.0-alpha.beta",
                             "1.0.0-beta.2",
                             "1.0.0-beta.11",
                             "1.0.0-rc.1",
                             "1.0.0",
                             "1.0.1",
                             "1.10.0",
                             "2.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      int want = i < j ? -1 : i > j ? 1 : 0;
      EXPECT_EQ(compare(*parse(ascending[i]), *parse(ascending[j])), want)
          << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(compare(*parse("1.0.0+a"), *parse("1.0.0+b")), 0);
}

struct Satisfies {
  const char* constraint;
  const char* version;
  bool want;
};

TEST(Constraints, OperatorsWildcardsAndRanges) {
  const Satisfies cases[] = {
      {"1.2.3", "1.2.3", true},
      {"=1.2.3", "1.2.4", false},
      {"1.2", "1.2.9", true},
      {"1.2", "1.3.0", false},
      {"1.x", "1.9.0", true},
      {"*", "0.0.1", true},
      {"x", "9.9.9", true},
      {"!=1.x", "1.4.1", false},
      {"!=1.2.3", "1.2.4", true},
      {">1", "1.9.9", false},
      {">1", "2.0.0", true},
      {">1.2", "1.2.9", false},
      {">1.2", "1.3.0", true},
      {"<=1.2", "1.2.9", true},
      {"=<1.2", "1.3.0", false},
      {"=>1.2", "1.2.0", true},
      {"~1.2.3", "1.2.9", true},
      {"~1.2.3", "1.3.0", false},
      {"~>1", "1.9.0", true},
      {"^1.2.3", "1.9.0", true},
      {"^0.2.3", "0.2.9", true},
      {"^0.2.3", "0.3.0", false},
      {"^0.0.3", "0.0.4", false},
      {"^0", "0.9.0", true},
      {"^0.0", "0.0.9", true},
      {"1.2 - 1.4", "1.4.5", true},
      {"1.2 - 1.4.5", "1.4.6", false},
      {">=1, <2", "1.5.0", true},
      {">=1 <2", "2.0.0", false},
      {"<1 || >2", "3.0.0", true},
      {"<1||>2", "1.5.0", false},
      {">= 1.2.3", "v1.2.3", true},
      {"*", "1.0.0-rc.1", false},
      {">=1.30-0", "v1.30.2-gke.1", true},
      {">=1.0-0, <2", "1.5.0-a", true},
      {"<2 || >=3-0", "1.0.0-a", false},
  };
  for (const auto& c : cases) {
    auto constraint = Constraints::parse(c.constraint);
    ASSERT_TRUE(constraint) << c.constraint;
    EXPECT_EQ(constraint->check(*parse(c.version)), c.want) << c.constraint << " " << c.version;
    EXPECT_EQ(constraint->validate(*parse(c.version), nullptr), c.want) << c.constraint;
  }
}

TEST(Constraints, BadOnesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "improper constraint: \"\""},
      {"abc", "improper constraint: \"abc\""},
      {"1.2,", "improper constraint: \"1.2,\""},
      {">1<2", "improper constraint: \">1<2\""},
      {"1.2.3.4", "improper constraint: \"1.2.3.4\""},
      {"> 1 ||", "improper constraint: \"\""},
      {"1|2", "constraint parser error"},
      {"1.2x", "constraint parser error"},
  };
  for (auto [in, want] : cases) {
    auto constraint = Constraints::parse(in);
    ASSERT_FALSE(constraint) << in;
    EXPECT_EQ(constraint.error().text(), want) << in;
  }
  EXPECT_EQ(Constraints::parse(std::string(513, '1')).error().text(),
            "constraint string is too long (max 512 bytes)");
  std::string many = "1";
  for (int i = 0; i < 32; ++i) many += "||1";
  EXPECT_EQ(Constraints::parse(many).error().text(), "too many constraint groups (max 32)");
}

TEST(Constraints, ValidateNamesEachFailedComparator) {
  auto constraint = Constraints::parse(">=2, <1.1 || ^3 || ~0.1");
  ASSERT_TRUE(constraint);
  std::vector<std::string> reasons;
  EXPECT_FALSE(constraint->validate(*parse("v1.2"), &reasons));
  EXPECT_EQ(reasons, (std::vector<std::string>{
                         "\"1.2.0\" is less than \"2\"",
                         "\"1.2.0\" is greater than or equal to \"1.1\"",
                         "\"1.2.0\" is less than \"3\"",
                         "\"1.2.0\" does not have same major version as \"0.1\"",
                     }));
  EXPECT_FALSE(constraint->validate(*parse("1.2.0-a"), &reasons));
  EXPECT_EQ(reasons, (std::vector<std::string>{"\"1.2.0-a\" is a prerelease version and the "
                                               "constraint is only looking for release versions"}));
  EXPECT_TRUE(constraint->validate(*parse("3.1"), &reasons));
  EXPECT_TRUE(reasons.empty());
}

TEST(Constraints, TextIsWhatWasUnderstood) {
  EXPECT_EQ(Constraints::parse(">= 1.2,<2||~ 3.x")->text(), ">=1.2 <2 || ~3.x");
  EXPECT_EQ(Constraints::parse("1 - 2")->text(), ">=1 <=2");
}

}  // namespace
}  // namespace pintle::semver
