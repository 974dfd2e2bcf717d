#include "cli/flags.h"

#include <gtest/gtest.h>

namespace pintle::cli {
namespace {

// One flag of each type, as a command would bind them.
struct Bound {
  bool quick = false;
  int64_t max = 256;
  uint64_t width = 80;
  float rate = 0;
  Duration timeout{300'000'000'000};
  std::string name;
  Strings files, sets;
  Pairs labels;
  Flags flags;

  Bound() {
    flags.boolean("quick", quick, "be quick", 'q');
    flags.integer("max", max, "at most", 'm');
    flags.count("width", width, "column width");
    flags.real("rate", rate, "per second");
    flags.duration("timeout", timeout, "time to wait");
    flags.string("name", name, "a `NAME` to use", 'n');
    flags.list("files", files, "files", 'f');
    flags.array("set", sets, "set values");
    flags.pairs("labels", labels, "labels", 'l');
    flags.string("old", name, "old name").deprecate("use --name instead");
    flags.exclusive("quick max");
  }
  Result<Flags::Parsed> parse(Strings args, bool unknown_ok = false) {
    return flags.parse(args, unknown_ok);
  }
  std::string error(Strings args) {
    const auto parsed = parse(std::move(args));
    return parsed ? "" : parsed.error().text();
  }
};

TEST(Flags, ValuesComeWithEqualsAsTheNextWordOrGlued) {
  Bound b;
  const auto parsed = b.parse({"--name=a", "one", "-m", "3", "-fx,y", "-f=z", "two"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(b.name, "a");
  EXPECT_EQ(b.max, 3);
  EXPECT_EQ(b.files, (Strings{"x", "y", "z"}));
  EXPECT_EQ(parsed->args, (Strings{"one", "two"}));
}

TEST(Flags, ShorthandsOfBooleansCombine) {
  Bound b;
  ASSERT_TRUE(b.parse({"-qnfoo"}));
  EXPECT_TRUE(b.quick);
  EXPECT_EQ(b.name, "foo");
}

TEST(Flags, TwoDashesEndTheFlags) {
  Bound b;
  const auto parsed = b.parse({"a", "--", "--name", "-q"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->args, (Strings{"a", "--name", "-q"}));
  EXPECT_TRUE(parsed->dashed);
  EXPECT_FALSE(b.quick);
}

TEST(Flags, OneDashIsAnArgument) {
  Bound b;
  EXPECT_EQ(b.parse({"-"})->args, (Strings{"-"}));
}

TEST(Flags, ErrorsAreWordedAsPflagWordsThem) {
  const struct {
    Strings args;
    const char* text;
  } kRows[] = {
      {{"--nope"}, "unknown flag: --nope"},
      {{"--nope=1"}, "unknown flag: --nope"},
      {{"-qx"}, "unknown shorthand flag: 'x' in -x"},
      {{"--name"}, "flag needs an argument: --name"},
      {{"-qn"}, "flag needs an argument: 'n' in -n"},
      {{"--=a"}, "bad flag syntax: --=a"},
      {{"---a"}, "bad flag syntax: ---a"},
      {{"--max", "x"},
       "invalid argument \"x\" for \"-m, --max\" flag: strconv.ParseInt: parsing \"x\": invalid "
       "syntax"},
      {{"--max", "99999999999999999999"},
       "invalid argument \"99999999999999999999\" for \"-m, --max\" flag: strconv.ParseInt: "
       "parsing \"99999999999999999999\": value out of range"},
      {{"--width", "-1"},
       "invalid argument \"-1\" for \"--width\" flag: strconv.ParseUint: parsing \"-1\": invalid "
       "syntax"},
      {{"--rate", "1e40"},
       "invalid argument \"1e40\" for \"--rate\" flag: strconv.ParseFloat: parsing \"1e40\": "
       "value out of range"},
      {{"--quick=3"},
       "invalid argument \"3\" for \"-q, --quick\" flag: strconv.ParseBool: parsing \"3\": "
       "invalid syntax"},
      {{"--timeout", "5"},
       "invalid argument \"5\" for \"--timeout\" flag: time: missing unit in duration \"5\""},
      {{"--timeout", "5x"},
       "invalid argument \"5x\" for \"--timeout\" flag: time: unknown unit \"x\" in duration "
       "\"5x\""},
      {{"--labels", "a"},
       "invalid argument \"a\" for \"-l, --labels\" flag: a must be formatted as key=value"},
      {{"-f", "a\"b"},
       "invalid argument \"a\\\"b\" for \"-f, --files\" flag: parse error on line 1, column 2: "
       "bare \" in non-quoted-field"},
      {{"-f", "\"a"},
       "invalid argument \"\\\"a\" for \"-f, --files\" flag: parse error on line 1, column 3: "
       "extraneous or missing \" in quoted-field"},
  };
  for (const auto& row : kRows) {
    Bound b;
    EXPECT_EQ(b.error(row.args), row.text);
  }
}

TEST(Flags, ListsSplitAtCommasAndArraysDoNot) {
  Bound b;
  ASSERT_TRUE(b.parse({"-f", "a,\"b,c\"", "--set", "x=1,y=2", "--set", "z"}));
  EXPECT_EQ(b.files, (Strings{"a", "b,c"}));
  EXPECT_EQ(b.sets, (Strings{"x=1,y=2", "z"}));
}

TEST(Flags, PairsAddUpAndTheLastOneWins) {
  Bound b;
  ASSERT_TRUE(b.parse({"-l", "a=1,b=2", "-l", "\"b=3\""}));
  EXPECT_EQ(b.labels, (Pairs{{"a", "1"}, {"b", "3"}}));
}

TEST(Flags, UnknownFlagsAreSkippedWithWhatLooksLikeTheirValue) {
  Bound b;
  const auto parsed = b.parse({"--what", "v", "-z", "--name=n", "-y=1", "rest"}, true);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(b.name, "n");
  EXPECT_EQ(parsed->args, (Strings{"rest"}));
}

TEST(Flags, DeprecatedFlagsWorkAndSaySo) {
  Bound b;
  const auto parsed = b.parse({"--old", "x"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(b.name, "x");
  EXPECT_EQ(parsed->deprecations, "Flag --old has been deprecated, use --name instead\n");
}

TEST(Flags, ExclusiveFlagsRefuseEachOther) {
  Bound b;
  ASSERT_TRUE(b.parse({"--max=1", "-q"}));
  EXPECT_EQ(b.flags.check_groups().error().text(),
            "if any flags in the group [quick max] are set none of the others can be; [max quick] "
            "were all set");
}

TEST(Flags, UsagesAreAlignedAndShowDefaults) {
  Bound b;
  EXPECT_EQ(flag_usages(b.flags.sorted()),
            "  -f, --files strings           files\n"
            "  -l, --labels stringToString   labels (default [])\n"
            "  -m, --max int                 at most (default 256)\n"
            "  -n, --name NAME               a NAME to use\n"
            "  -q, --quick                   be quick\n"
            "      --rate float32            per second\n"
            "      --set stringArray         set values\n"
            "      --timeout duration        time to wait (default 5m0s)\n"
            "      --width uint              column width (default 80)\n");
}

TEST(Durations, ReadAndWriteAsGo) {
  const struct {
    const char* text;
    int64_t ns;
    const char* printed;
  } kRows[] = {
      {"0", 0, "0s"},
      {"1h2m3.5s", 3'723'500'000'000, "1h2m3.5s"},
      {"90s", 90'000'000'000, "1m30s"},
      {"-1.5h", -5'400'000'000'000, "-1h30m0s"},
      {"1.5us", 1'500, "1.5\u00b5s"},
      {"2ms3\u03bcs", 2'003'000, "2.003ms"},
      {"7ns", 7, "7ns"},
  };
  for (const auto& row : kRows) {
    const auto d = parse_duration(row.text);
    ASSERT_TRUE(d) << row.text;
    EXPECT_EQ(d->ns, row.ns);
    EXPECT_EQ(duration_text(*d), row.printed);
  }
  for (const char* bad : {"", "-", ".", "1", "1.s.", "s", "9999999999h", "1h-2m"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Csv, ReadsOneRecordAsEncodingCsv) {
  EXPECT_EQ(*parse_csv("a,b,"), (Strings{"a", "b", ""}));
  EXPECT_EQ(*parse_csv("\"a\"\"b\",c\n"), (Strings{"a\"b", "c"}));
  EXPECT_EQ(*parse_csv("\n\"x\ny\""), (Strings{"x\ny"}));
  EXPECT_EQ(parse_csv("\"a\"b").error().text(),
            "parse error on line 1, column 3: extraneous or missing \" in quoted-field");
}

}  // namespace
}  // namespace pintle::cli
