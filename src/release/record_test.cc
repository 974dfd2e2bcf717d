#include "release/record.h"

#include <gtest/gtest.h>

#include <string>

#include "chart/load.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "sys/memory_disk.h"

namespace pintle::release {
namespace {

struct Stored {
  const char* claim;
  Writer writer;
  const char* json;
};

const Stored kRoundTrips[] = {
    {"Helm 4 leaves zero times out", Writer::kHelm4,
     R"({"name":"r","info":{"first_deployed":"2026-11-21T09:11:29.101193688Z","last_deployed":)"
     R"("2026-11-21T11:11:29.1+02:00","description":"Install complete","status":"deployed",)"
     R"("notes":"hi \u003cyou\u003e\n"},"chart":{"metadata":{"name":"c","version":"0.1.0",)"
     R"("apiVersion":"v2","dependencies":[{"name":"d","version":"1","repository":"","enabled":true)"
     R"(}],"type":"application"},"lock":null,"templates":[{"name":"t","data":"eA==","modtime":)"
     R"("2026-11-21T09:07:24Z"}],"values":{"a":1,"b":1e+21},"schema":null,"schemamodtime":)"
     R"("0001-01-01T00:00:00Z","files":null,"modtime":"2026-11-21T09:07:24.7Z"},"config":{"z":null)"
     R"(},"manifest":"---\n","hooks":[{"name":"h","kind":"Job","path":"p","manifest":"m",)"
     R"("events":["test"],"last_run":{"phase":""}},{"name":"i","last_run":{"started_at":)"
     R"("2026-11-21T09:11:30.6Z","phase":"Running"},"weight":-5,"delete_policies":[)"
     R"("before-hook-creation"],"output_log_policies":["hook-failed"]}],"version":3,)"
     R"("namespace":"ns","apply_method":"ssa"})"},
    {"Helm 3 writes zero times as empty texts", Writer::kHelm3,
     R"({"name":"r","info":{"first_deployed":"2026-11-21T09:11:29Z","last_deployed":)"
     R"("2026-11-21T09:11:29Z","deleted":"","status":"failed"},"chart":{"metadata":null,"lock":)"
     R"({"generated":"2020-01-01T00:00:00Z","digest":"sha256:x","dependencies":[]},"templates":)"
     R"(null,"values":null,"schema":"e30=","files":null},"hooks":[{"name":"h","last_run":)"
     R"({"started_at":"","completed_at":"","phase":""}}],"version":1,"namespace":"ns"})"},
    {"fields of a newer writer are kept", Writer::kHelm4,
     R"({"name":"r","info":{"status":"superseded","rollback_revision":2,"mood":{"a":[2],"b":1}},)"
     R"("hooks":[{"name":"h","last_run":{"phase":""},"color":"red"}],"version":1,"shape":"round"})"},
};

TEST(Record, ComesBackByteForByte) {
  for (const Stored& s : kRoundTrips) {
    const auto record = decode_json(s.json);
    ASSERT_TRUE(record) << s.claim << ": " << record.error().text();
    EXPECT_EQ(*encode_json(*record, s.writer), s.json) << s.claim;
    const auto packed = pack(*record, s.writer);
    ASSERT_TRUE(packed);
    const auto again = unpack(*packed);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*encode_json(*again, s.writer), s.json) << s.claim;
  }
}

TEST(Record, AChartWithoutValuesHasNoneAndAnEmptyFileHasThem) {
  sys::MemoryDisk disk;
  disk.add("/none/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
  disk.add("/empty/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
  disk.add("/empty/values.yaml", "");
  for (const auto& [folder, values] : {std::pair{"/none", "null"}, {"/empty", "{}"}}) {
    const auto chart = chart::load(disk, folder);
    ASSERT_TRUE(chart) << chart.error().text();
    const auto text = json::write(stored_chart(**chart, Writer::kHelm4));
    EXPECT_NE(text->find("\"values\":" + std::string(values)), std::string::npos) << *text;
  }
}

TEST(Record, Helm4CompletesWhatHelm3Wrote) {
  const auto record = decode_json(
      R"({"name":"r","info":{"deleted":"","status":"deployed"},"chart":{"metadata":null}})");
  ASSERT_TRUE(record);
  EXPECT_EQ(*encode_json(*record, Writer::kHelm4),
            R"({"name":"r","info":{"status":"deployed"},"chart":{"metadata":null,"lock":null,)"
            R"("templates":null,"values":null,"schema":null,"schemamodtime":)"
            R"("0001-01-01T00:00:00Z","files":null}})");
}

TEST(Record, TextThatIsNotZippedIsTakenAsItIs) {
  const auto record = unpack(crypt::base64_encode(R"({"name":"old"})"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->name, "old");
}

struct Broken {
  const char* claim;
  const char* json;
  const char* error;
};
const Broken kBroken[] = {
    {"a number for a name", R"({"name":1})",
     "json: cannot unmarshal number into Go struct field Release.name of type string"},
    {"a text for a revision", R"({"version":"1"})",
     "json: cannot unmarshal string into Go struct field Release.version of type int"},
    {"a list for the record", "[]", "json: cannot unmarshal array into Go value of type Release"},
    {"a broken time", R"({"info":{"last_deployed":"yesterday"}})",
     "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as "
     "\"2006\""},
    {"a cut text", R"({"name":"a)", "unexpected end of JSON input"},
};

TEST(Record, RefusesWhatItCannotHold) {
  for (const Broken& b : kBroken) {
    const auto record = decode_json(b.json);
    ASSERT_FALSE(record) << b.claim;
    EXPECT_EQ(record.error().text(), b.error) << b.claim;
  }
  EXPECT_FALSE(unpack("?"));
  EXPECT_FALSE(unpack("H4sIAAAA"));
}

TEST(Record, NamesItsChart) {
  Record record;
  EXPECT_EQ(chart_label(record), "MISSING");
  record = *decode_json(R"({"chart":{"metadata":{"name":"c","version":"1.2","appVersion":"3"}}})");
  EXPECT_EQ(chart_label(record), "c-1.2");
  EXPECT_EQ(app_version(record), "3");
}

}  // namespace
}  // namespace pintle::release
