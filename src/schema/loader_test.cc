#include "schema/loader.h"

#include <gtest/gtest.h>

namespace pintle::schema {
namespace {

std::string error_of(const Loader& loader, const std::string& url) {
  auto text = loader(url);
  return text ? "" : text.error().text();
}

TEST(Loader, KnowsHelmsSchemes) {
  const Loader loader = make_loader({});
  EXPECT_EQ(error_of(loader, "ftp://a/b"), R"(no URLLoader registered for "ftp://a/b")");
  EXPECT_EQ(error_of(loader, "file:///a%20b.json"), "open /a b.json: no such file or directory");
  EXPECT_EQ(error_of(loader, "https://h.example:8443/a"),
            "HTTP request failed for https://h.example:8443/a: Get \"https://h.example:8443/a\": "
            "dial tcp: lookup h.example: no such host");
}

TEST(Loader, HandsOverToItsSources) {
  const Loader loader = make_loader({
      .read_file = [](const std::string& path, size_t) -> Result<std::string> { return path; },
      .http_get = [](const std::string& url, size_t) -> Result<std::string> {
        if (url.ends_with("404")) {
          return Error("HTTP request to " + url + " returned status 404 (Not Found)");
        }
        if (url.ends_with("down")) {
          return Error("Get \"" + url + "\": dial tcp 127.0.0.1:9: connect: connection refused");
        }
        return url;
      },
      .log = {},
  });
  EXPECT_EQ(*loader("file:///x/y.json"), "/x/y.json");
  EXPECT_EQ(*loader("http://h/a"), "http://h/a");
  EXPECT_EQ(error_of(loader, "http://h/404"),
            "HTTP request to http://h/404 returned status 404 (Not Found)");
  EXPECT_EQ(error_of(loader, "http://h/down"),
            "HTTP request failed for http://h/down: Get \"http://h/down\": dial tcp 127.0.0.1:9: "
            "connect: connection refused");
}

TEST(Loader, OfflineNeverAsksTheNetwork) {
  const Loader loader = make_loader({
      .read_file = {},
      .http_get = [](const std::string&, size_t) -> Result<std::string> {
        ADD_FAILURE();
        return std::string();
      },
      .offline = true,
      .log = {},
  });
  EXPECT_EQ(error_of(loader, "http://h/a"),
            "HTTP request failed for http://h/a: Get \"http://h/a\": network access is switched off");
}

TEST(Loader, StopsAtSomeNumberOfDocuments) {
  const Loader loader = make_loader({
      .read_file = [](const std::string&, size_t) -> Result<std::string> { return "{}"; },
      .http_get = {},
      .log = {},
  });
  for (int i = 0; i < kMaxDocuments; ++i) EXPECT_TRUE(Loader(loader)("file:///x"));
  EXPECT_EQ(error_of(loader, "file:///x"), "more than 200 documents");
}

TEST(Loader, WarnsOfEachUrnOnce) {
  std::string seen;
  const Loader loader = make_loader({.read_file = {},
                                     .http_get = {},
                                     .log = [&seen](std::string_view level, std::string_view text,
                                                    const LogAttrs& attrs) {
                                       seen += slog_line(level, text, attrs) + "\n";
                                     }});
  EXPECT_EQ(*loader("urn:x:y"), "true");
  EXPECT_EQ(*Loader(loader)("urn:x:y"), "true");
  EXPECT_EQ(seen,
            "level=WARN msg=\"unresolved URN reference ignored; using permissive schema\" "
            "urn=urn:x:y\n");
}

}  // namespace
}  // namespace pintle::schema
