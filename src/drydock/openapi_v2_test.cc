// The document as client-go's protobuf.
#include "drydock/openapi_v2.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/protobuf.h"
#include "base/strings.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

// The message as text: fields by number, those of `deep` paths ("9.1") as messages.
std::string shown(std::string_view message, const std::set<std::string>& deep, const std::string& at = "") {
  std::string out;
  ProtobufReader r(message);
  while (r.next()) {
    const std::string path = at + std::to_string(r.field());
    append(out, {out.empty() ? "" : " ", std::to_string(r.field()), "="});
    if (deep.contains(path)) {
      append(out, {"{", shown(r.bytes(), deep, path + "."), "}"});
    } else {
      out += r.bytes().empty() ? std::to_string(r.number()) : std::string(r.bytes());
    }
  }
  return r.ok() ? out : out + " broken";
}

std::string schema(const std::string& json, std::set<std::string> deep) {
  deep.insert({"9", "9.1", "9.1.2"});
  const auto document = json::read("{\"definitions\":{\"T\":" + json + "}}");
  return shown(openapi_v2_protobuf(*document), deep);
}

TEST(OpenApiV2, ASchemasFieldsHaveGnosticsNumbers) {
  struct Case {
    std::string json;
    std::set<std::string> deep;
    std::string want;
  };
  for (const Case& c : {
           Case{R"({"$ref":"#/definitions/U"})", {}, "1=#/definitions/U"},
           Case{R"({"type":"string","format":"byte","pattern":"a"})", {"9.1.2.22"}, "2=byte 13=a 22={1=string}"},
           Case{R"({"type":["string","null"]})", {"9.1.2.22"}, "22={1=string 1=null}"},
           Case{R"({"maxLength":7,"uniqueItems":true,"required":["a","b"]})", {}, "11=7 16=1 19=a 19=b"},
           Case{R"({"enum":["x",1],"default":{"a":1}})", {"9.1.2.20", "9.1.2.5"}, "5={2={\"a\":1}} 20={2=\"x\"} 20={2=1}"},
           Case{R"({"items":{"$ref":"U"}})", {"9.1.2.23", "9.1.2.23.1"}, "23={1={1=U}}"},
           Case{R"({"additionalProperties":true})", {"9.1.2.21"}, "21={2=1}"},
           Case{R"({"additionalProperties":{"$ref":"U"}})", {"9.1.2.21", "9.1.2.21.1"}, "21={1={1=U}}"},
           Case{R"({"properties":{"p":{"$ref":"U"}}})",
                {"9.1.2.25", "9.1.2.25.1", "9.1.2.25.1.2"},
                "25={1={1=p 2={1=U}}}"},
           Case{R"({"x-kubernetes-list-type":"set"})",
                {"9.1.2.31", "9.1.2.31.2"},
                "31={1=x-kubernetes-list-type 2={2=\"set\"}}"},
           Case{R"({"no-such-word":1})", {}, ""},
       }) {
    const std::string got = schema(c.json, c.deep);
    EXPECT_NE(got.find(cat("9={1={1=T 2={", c.want, "}}}")), std::string::npos) << c.json << "\n" << got;
  }
}

TEST(OpenApiV2, PathsHaveVerbsWithParameters) {
  const auto document = json::read(
      R"({"swagger":"2.0","info":{"title":"K","version":"v1"},"paths":{"/api/v1/pods":{"post":{"parameters":[
          {"name":"dryRun","in":"query","type":"string"}],"x-kubernetes-action":"post"}}},"definitions":{}})");
  EXPECT_EQ(shown(openapi_v2_protobuf(*document),
                  {"2", "8", "8.2", "8.2.2", "8.2.2.4", "8.2.2.4.8", "8.2.2.4.8.1", "8.2.2.4.8.1.2",
                   "8.2.2.4.8.1.2.3", "8.2.2.4.13", "8.2.2.4.13.2"}),
            "1=2.0 2={1=K 2=v1} 8={2={1=/api/v1/pods 2={4={8={1={2={3={2=query 4=dryRun 6=string}}}} 9=0 "
            "13={1=x-kubernetes-action 2={2=\"post\"}}}}}} 9=0");
}

}  // namespace
}  // namespace pintle::drydock
