#include "chart/save.h"

#include <gtest/gtest.h>

#include "chart/create.h"
#include "chart/load.h"
#include "sys/gzip.h"
#include "sys/memory_disk.h"
#include "sys/tar.h"

namespace pintle::chart {
namespace {

constexpr int64_t kNow = 1'700'000'000'000'000'000;

std::vector<std::string> members(std::string_view tgz) {
  std::vector<std::string> out;
  const std::string tar = sys::gunzip(tgz, 1 << 24).value();
  EXPECT_TRUE(sys::read_tar(tar, [&](const sys::TarEntry& e) {
                out.push_back(e.name);
                return ok();
              }).has_value());
  return out;
}

TEST(Save, MembersComeInHelmsOrder) {
  sys::MemoryDisk disk;
  for (const char* name : {"README.md", "templates/b.yaml", "templates/a.yaml", "crds/c.yaml"}) {
    disk.add(std::string("/c/") + name, "x");
  }
  disk.add("/c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n");
  disk.add("/c/Chart.lock", "digest: d\n");
  disk.add("/c/values.yaml", "# kept\na: 1\n");
  disk.add("/c/values.schema.json", "{}");
  disk.add("/c/charts/s/Chart.yaml", "apiVersion: v1\nname: s\nversion: 1.0.0\n");
  const auto chart = load(disk, "/c").value()->clone();
  const std::string tgz = archive(*chart, kNow).value();
  EXPECT_EQ(members(tgz), (std::vector<std::string>{"c/Chart.yaml", "c/Chart.lock", "c/values.yaml",
                                                    "c/values.schema.json", "c/templates/a.yaml",
                                                    "c/templates/b.yaml", "c/README.md",
                                                    "c/crds/c.yaml", "c/charts/s/Chart.yaml"}));
  EXPECT_EQ(tgz.substr(0, 16), std::string("\x1f\x8b\x08\x14\0\0\0\0\0\xff\x2c\0rr\x28\0", 16));
  const auto back = load_archive(tgz);
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ((*back)->raw[2]->data, "# kept\na: 1\n");
  EXPECT_EQ((*back)->dependencies.size(), 1u);
}

TEST(Save, StampedChartsGiveEqualBytes) {
  sys::MemoryDisk disk;
  disk.add("/c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n", 5);
  disk.add("/c/x", "x", 7'000'000'000);
  auto one = load(disk, "/c").value()->clone();
  disk.add("/c/x", "x", 900'000'000'000);
  auto two = load(disk, "/c").value()->clone();
  EXPECT_NE(archive(*one, kNow).value(), archive(*two, kNow).value());
  stamp(*one, 0);
  stamp(*two, 0);
  EXPECT_EQ(archive(*one, kNow).value(), archive(*two, kNow + 1).value());
}

TEST(Save, FailuresLeaveNothing) {
  sys::MemoryDisk disk;
  disk.add("/c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n");
  disk.add("/c/values.schema.json", "{");
  const auto chart = load(disk, "/c").value()->clone();
  EXPECT_EQ(save_archive(disk, *chart, "/out", kNow).error().text(),
            "invalid JSON in values.schema.json");
  disk.add("/file", "");
  EXPECT_EQ(save_archive(disk, *chart, "/file", kNow).error().text(), "is not a directory: /file");
  EXPECT_FALSE(disk.stat("/out/c-0.1.0.tgz").has_value());
}

TEST(Create, TheScaffoldIsAChart) {
  sys::MemoryDisk disk;
  std::vector<std::string> over;
  const auto note = [&](const std::string& path) { over.push_back(path); };
  ASSERT_TRUE(create(disk, "my.chart", "/", note).has_value());
  EXPECT_TRUE(over.empty());
  const auto chart = load(disk, "/my.chart");
  ASSERT_TRUE(chart.has_value()) << chart.error().text();
  EXPECT_EQ((*chart)->name(), "my.chart");
  EXPECT_EQ((*chart)->metadata.app_version, "1.16.0");
  EXPECT_EQ((*chart)->templates.size(), 9u);
  EXPECT_TRUE(disk.stat("/my.chart/charts")->is_directory());
  for (const auto& file : (*chart)->raw) {
    EXPECT_EQ(file->data.view().find("<CHARTNAME>"), std::string::npos) << file->name;
  }
  ASSERT_TRUE(create(disk, "my.chart", "/", note).has_value());
  ASSERT_EQ(over.size(), 12u);
  EXPECT_EQ(over[0], "/my.chart/Chart.yaml");
}

TEST(Create, ChartV3HasItsOwnScaffoldThatTheUsualLoaderRefuses) {
  sys::MemoryDisk disk;
  const auto made = create(disk, "c", "/", [](const std::string&) {}, Scaffold::kChartV3);
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(disk.read_file("/c/Chart.yaml")->starts_with("apiVersion: v3\nname: c\n"));
  EXPECT_NE(disk.read_file("/c/values.yaml")->find("For publicly distributed charts"),
            std::string::npos);
  EXPECT_EQ(load(disk, "/c").error().text(), "invalid chart apiVersion");
}

TEST(Create, BadNamesAndPlacesAreRefused) {
  sys::MemoryDisk disk;
  disk.add("/file", "");
  const auto error = [&](const std::string& name, const std::string& parent) {
    return create(disk, name, parent, [](const std::string&) {}).error().text();
  };
  EXPECT_EQ(error("a b", "/"),
            "chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\"");
  EXPECT_EQ(error(std::string(251, 'a'), "/"), "chart name must be between 1 and 250 characters");
  EXPECT_EQ(error("x", "/none"), "stat /none: no such file or directory");
  EXPECT_EQ(error("x", "/file"), "no such directory /file");
  EXPECT_EQ(error("file", "/"), "file /file already exists and is not a directory");
}

TEST(Create, StartersAreRenamed) {
  sys::MemoryDisk disk;
  disk.add("/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 9.9.9\n");
  disk.add("/s/values.yaml", "name: <CHARTNAME> # here\n");
  disk.add("/s/templates/a.yaml", "x: <CHARTNAME>\n");
  disk.add("/s/README.md", "<CHARTNAME>\n");
  Metadata metadata;
  metadata.name = "new";
  metadata.version = "0.1.0";
  metadata.api_version = "v2";
  const Status made = create_from(disk, metadata, "/out", "/s", kNow);
  ASSERT_TRUE(made.has_value()) << made.error().text();
  EXPECT_EQ(disk.read_file("/out/new/Chart.yaml").value(),
            "apiVersion: v2\nname: new\nversion: 0.1.0\n");
  EXPECT_EQ(disk.read_file("/out/new/values.yaml").value(), "name: new # here\n");
  EXPECT_EQ(disk.read_file("/out/new/templates/a.yaml").value(), "x: new\n");
  EXPECT_EQ(disk.read_file("/out/new/README.md").value(), "<CHARTNAME>\n");
  EXPECT_EQ(create_from(disk, metadata, "/out", "/none", kNow).error().text(),
            "could not load /none: stat /none: no such file or directory");
}

}  // namespace
}  // namespace pintle::chart
