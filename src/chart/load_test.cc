#include "chart/load.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "chart/kube_tables.h"
#include "chart/save.h"
#include "sys/gzip.h"
#include "sys/memory_disk.h"
#include "sys/tar.h"

namespace pintle::chart {
namespace {

const std::string kChartYaml = "apiVersion: v2\nname: c\nversion: 0.1.0\n";

LoadOptions direct() {
  LoadOptions options;
  options.direct = true;
  return options;
}

std::string error_of(const Result<std::unique_ptr<Chart>>& loaded) {
  return loaded ? "" : loaded.error().text();
}

struct Member {
  std::string name, data;
  char type = '0';
};
std::string tgz(const std::vector<Member>& members) {
  std::string tar;
  for (const Member& m : members) {
    sys::TarEntry entry;
    entry.name = m.name;
    entry.type = m.type;
    entry.mode = 0644;
    entry.data = m.data;
    EXPECT_TRUE(sys::append_tar(tar, entry).has_value()) << m.name;
  }
  sys::finish_tar(tar);
  return sys::gzip(tar);
}

std::vector<std::string> names(const std::vector<std::shared_ptr<const File>>& files) {
  std::vector<std::string> out;
  for (const auto& file : files) out.push_back(file->name);
  return out;
}
using Names = std::vector<std::string>;

TEST(LoadDirectory, EveryFileHasItsPart) {
  sys::MemoryDisk disk;
  for (const auto& [name, data] : std::vector<std::pair<std::string, std::string>>{
           {"Chart.yaml", kChartYaml},
           {"Chart.lock", "digest: d\n"},
           {"values.yaml",
            "\xef\xbb\xbf"
            "a: 1\n---\nb: 2\n"},
           {"values.schema.json", "{}"},
           {"README.md", "r"},
           {"crds/b.yaml", "b"},
           {"crds/a.YAML", "a"},
           {"crds/note.txt", "n"},
           {"templates/d.yaml", "d"},
           {"templates/.swp", "x"},
           {"ignored.txt", "x"},
           {".helmignore", "ignored.txt\n"},
           {"charts/z/Chart.yaml", "name: z\nversion: 1\n"},
           {"charts/z/templates/t.yaml", "t"},
           {"charts/a.tgz.prov", "p"},
           {"charts/_off/x", "x"},
       }) {
    disk.add("/c/" + name, data);
  }
  disk.add("/c/charts/b-1.tgz", tgz({{"b/Chart.yaml", "name: b\nversion: 1.0.0\n"}}));
  const auto loaded = load(disk, "/c");
  ASSERT_TRUE(loaded.has_value()) << error_of(loaded);
  const Chart& c = **loaded;
  EXPECT_EQ(c.lock->digest, "d");
  EXPECT_EQ(c.values.get("a")->as_double(), 1);
  EXPECT_EQ(c.values.get("b")->as_double(), 2);
  EXPECT_EQ(c.schema, "{}");
  EXPECT_EQ(names(c.templates), (Names{"templates/d.yaml"}));
  EXPECT_EQ(names(c.files), (Names{".helmignore", "README.md", "charts/a.tgz.prov", "crds/a.YAML",
                                   "crds/b.yaml", "crds/note.txt"}));
  ASSERT_EQ(c.dependencies.size(), 2u);
  EXPECT_EQ(c.dependencies[0]->name(), "b");
  EXPECT_EQ(c.dependencies[1]->name(), "z");
  EXPECT_EQ(c.dependencies[1]->metadata.api_version, "v1");
  EXPECT_EQ(c.dependencies[1]->full_path(), "c/charts/z");
  const auto found = crds(c);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].filename, "c/crds/a.YAML");
}

TEST(LoadDirectory, RequirementsBelongToV1) {
  sys::MemoryDisk disk;
  const std::string requirements = "dependencies:\n- name: a\n  version: 1\n  repository: r\n";
  disk.add("/v1/Chart.yaml", "name: c\nversion: 0.1.0\n");
  disk.add("/v1/requirements.yaml", requirements);
  disk.add("/v1/requirements.lock", "digest: x\n");
  const auto v1 = load(disk, "/v1");
  ASSERT_TRUE(v1.has_value()) << error_of(v1);
  EXPECT_EQ((*v1)->metadata.dependencies.at(0).name, "a");
  EXPECT_EQ(names((*v1)->files), (Names{"requirements.lock", "requirements.yaml"}));

  disk.add("/v2/Chart.yaml", kChartYaml);
  disk.add("/v2/requirements.yaml", requirements);
  LoadOptions options;
  std::string log;
  options.log = [&](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    log += slog_line(level, message, attrs) + "\n";
  };
  const auto v2 = load(disk, "/v2", options);
  ASSERT_TRUE(v2.has_value());
  EXPECT_EQ((*v2)->metadata.dependencies.size(), 1u);
  EXPECT_TRUE((*v2)->files.empty());
  EXPECT_EQ(log,
            "level=INFO msg=\"Warning: Dependencies are handled in Chart.yaml since apiVersion "
            "\\\"v2\\\". We recommend migrating dependencies to Chart.yaml.\"\n");
}

TEST(LoadDirectory, ErrorsNameTheFile) {
  struct Row {
    const char *file, *data, *error;
  };
  const Row rows[] = {
      {"Chart.yaml", "apiVersion: v9\nname: c\nversion: 1.0.0\n", "unsupported chart version"},
      {"Chart.yaml", "a: b: c\n",
       "cannot load Chart.yaml: error converting YAML to JSON: yaml: mapping values are not "
       "allowed in this context"},
      {"Chart.yaml", "apiVersion: [x]\n",
       "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot "
       "unmarshal "
       "array into Go struct field chartBase.apiVersion of type string"},
      {"values.yaml", "[a]\n",
       "cannot load values.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while "
       "decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"},
      {"values.yaml", "a: 1\n--- b: 2\n",
       "cannot load values.yaml: error reading yaml document: invalid Yaml document separator: b: "
       "2"},
      {"Chart.lock", "dependencies: 1\n",
       "cannot load Chart.lock: error unmarshaling JSON: while decoding JSON: json: cannot "
       "unmarshal "
       "number into Go struct field Lock.dependencies of type []*v2.Dependency"},
      {"requirements.yaml", "dependencies: {}\n",
       "cannot load requirements.yaml: error unmarshaling JSON: while decoding JSON: json: cannot "
       "unmarshal object into Go struct field Metadata.dependencies of type []*v2.Dependency"},
      {"charts/s/Chart.yaml", "version: 1.0.0\n",
       "error unpacking subchart s in c: validation: chart.metadata.name is required"},
      {"charts/README.md", "hi",
       "error unpacking subchart README.md in c: Chart.yaml file is missing"},
      {"charts/s.tgz", "hi", "error unpacking subchart s.tgz in c: unexpected EOF"},
      {"charts/s.tgz/x", "hi", "error unpacking subchart tar in c: expected s.tgz, got s.tgz/x"},
      {".helmignore", "**/x\n", "double-star (**) syntax is not supported"},
  };
  for (const Row& row : rows) {
    sys::MemoryDisk disk;
    disk.add("/c/Chart.yaml", kChartYaml);
    disk.add(std::string("/c/") + row.file, row.data);
    EXPECT_EQ(error_of(load(disk, "/c")), row.error) << row.file;
  }
  sys::MemoryDisk disk;
  disk.add("/c/x", "");
  EXPECT_EQ(
      error_of(load(disk, "/c")),
      "unable to detect chart at /c/Chart.yaml: open /c/Chart.yaml: no such file or directory");
  EXPECT_EQ(error_of(load(disk, "/c", direct())), "Chart.yaml file is missing");
  EXPECT_EQ(error_of(load(disk, "/none")), "stat /none: no such file or directory");
}

TEST(LoadDirectory, LinksAreFollowedAndLoopsRefused) {
  sys::MemoryDisk disk;
  disk.add("/c/Chart.yaml", kChartYaml);
  disk.add("/out/t.yaml", "t");
  disk.add_link("/c/templates", "../out");
  LoadOptions options;
  std::string log;
  options.log = [&](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    log += slog_line(level, message, attrs) + "\n";
  };
  const auto loaded = load(disk, "/c", options);
  ASSERT_TRUE(loaded.has_value()) << error_of(loaded);
  EXPECT_EQ(names((*loaded)->templates), (Names{"templates/t.yaml"}));
  EXPECT_EQ(log,
            "level=INFO msg=\"found symbolic link in path. Contents of linked file included and "
            "used\" path=/c/templates resolved=/out\n");

  disk.add_link("/out/up", "/c");
  EXPECT_EQ(error_of(load(disk, "/c")),
            "error evaluating symlink /c/templates/up: EvalSymlinks: too many links");
  ASSERT_TRUE(disk.remove("/out/up").has_value());
  disk.add_link("/out/gone", "nowhere");
  EXPECT_EQ(error_of(load(disk, "/c")).substr(0, 44),
            "error evaluating symlink /c/templates/gone: ");
}

class RealCharts : public testing::Test {
 protected:
  void SetUp() override {
    root_ = sys::real_disk().make_temp_dir("load-test").value();
    ASSERT_TRUE(sys::real_disk().write_file(root_ + "/Chart.yaml", kChartYaml, 0644).has_value());
  }
  void TearDown() override { (void)sys::real_disk().remove_all(root_); }
  std::string root_;
};

TEST_F(RealCharts, SocketsAndPipesAreRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0644), 0);
  EXPECT_EQ(error_of(load(sys::real_disk(), root_)),
            "cannot load irregular file " + root_ + "/pipe as it has file mode type bits set");
  ASSERT_TRUE(sys::real_disk().remove(root_ + "/pipe").has_value());
  ASSERT_TRUE(sys::real_disk().remove(root_ + "/Chart.yaml").has_value());
  ASSERT_EQ(::mkfifo((root_ + "/Chart.yaml").c_str(), 0644), 0);
  EXPECT_FALSE(load(sys::real_disk(), root_).has_value());
  EXPECT_FALSE(load(sys::real_disk(), root_, direct()).has_value());
  EXPECT_FALSE(load(sys::real_disk(), root_ + "/Chart.yaml").has_value());
}

TEST_F(RealCharts, UnreadableFilesAreNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  ASSERT_TRUE(sys::real_disk().write_file(root_ + "/secret", "x", 0).has_value());
  EXPECT_EQ(error_of(load(sys::real_disk(), root_)),
            "error reading secret: open " + root_ + "/secret: permission denied");
}

TEST_F(RealCharts, DirectoriesShareOneBudget) {
  for (const char* name : {"/a", "/b"}) {
    ASSERT_TRUE(sys::real_disk().write_file(root_ + name, "", 0644).has_value());
    ASSERT_EQ(::truncate((root_ + name).c_str(), 60 << 20), 0);
  }
  EXPECT_EQ(error_of(load(sys::real_disk(), root_)),
            "error reading b: chart exceeds maximum decompressed size of 104857600 bytes");
}

TEST(LoadArchive, NamesThatLeaveTheChartAreRefused) {
  struct Row {
    Member member;
    const char* error;
  };
  const Row rows[] = {
      {{"c/../../x", ""}, "chart illegally references parent directory"},
      {{"c//etc/passwd", ""}, "chart illegally contains absolute paths"},
      {{"file", ""}, "chart illegally contains content outside the base directory: \"file\""},
      {{"c/C:/x", ""}, "chart contains illegally named files"},
      {{"c\\C:\\x", ""}, "chart contains illegally named files"},
      {{"Chart.yaml/x", ""}, "chart yaml not in base directory"},
      {{"../x", ""}, "chart illegally references parent directory"},
      {{"/etc/x", ""}, "chart illegally contains absolute paths"},
      {{"c/link", "", '2'}, "chart illegally contains a link: \"c/link\""},
      {{"c/hard", "", '1'}, "chart illegally contains a link: \"c/hard\""},
      {{"c/tty", "", '3'}, "chart illegally contains a special file: \"c/tty\""},
      {{"d/Chart.yaml", ""}, "chart illegally contains a file twice: \"d/Chart.yaml\""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(error_of(load_archive(tgz({{"c/Chart.yaml", kChartYaml}, row.member}))), row.error);
  }
  EXPECT_TRUE(load_archive(tgz({{"c\\Chart.yaml", kChartYaml}})).has_value()) << "from Windows";
  EXPECT_EQ(error_of(load_archive(tgz({{"c", "", '5'}}))), "no files in chart archive");
}

TEST(LoadArchive, DamageBehindTheEndIsFound) {
  const std::string good = tgz({{"c/Chart.yaml", kChartYaml}});
  EXPECT_EQ(error_of(load_archive(good.substr(0, good.size() - 2))), "unexpected EOF");
  std::string bad_sum = good;
  bad_sum[good.size() - 6] ^= 1;
  EXPECT_EQ(error_of(load_archive(bad_sum)), "gzip: invalid checksum");
  EXPECT_TRUE(load_archive(good + "garbage").has_value()) << "what follows is not ours";
}

TEST(LoadArchive, SizesAreBounded) {
  const std::string big(60 << 20, '\0');
  EXPECT_EQ(error_of(load_archive(tgz({{"c/Chart.yaml", kChartYaml}, {"c/a", big}, {"c/b", big}}))),
            "decompressed chart is larger than the maximum size 104857600");
  LoadOptions helm3;
  helm3.helm3 = true;
  EXPECT_EQ(error_of(load_archive(tgz({{"c/Chart.yaml", kChartYaml}, {"c/a", big}}), helm3)),
            "decompressed chart file \"c/a\" is larger than the maximum file size 5242880");
}

TEST(LoadArchive, ChartsInsideChartsEnd) {
  std::string inner = tgz({{"c/Chart.yaml", kChartYaml}});
  for (int i = 0; i < 40; ++i) {
    inner = tgz({{"c/Chart.yaml", kChartYaml}, {"c/charts/c.tgz", inner}});
  }
  const auto loaded = load_archive(inner);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_NE(loaded.error().text().find("charts nested deeper than 32 levels"), std::string::npos);
}

TEST(LoadArchive, FilesThatAreNoArchives) {
  sys::MemoryDisk disk;
  disk.add("/a.yaml", "a: 1\n");
  disk.add("/a.bin", "a: 1\n");
  disk.add("/a.html", "  <html >" + std::string(600, 'x'));
  disk.add("/a.txt", std::string(600, 'x'));
  disk.add("/short.tgz", "\x1f\x8b\x08");
  disk.add("/cut.tgz", tgz({{"c/Chart.yaml", kChartYaml}}).substr(0, 60));
  disk.add("/none.tgz", tgz({{"c/x", ""}}));
  const std::pair<std::string, std::string> rows[] = {
      {"/a.yaml", "file '/a.yaml' seems to be a YAML file, but expected a gzipped archive"},
      {"/a.bin",
       "file '/a.bin' does not appear to be a gzipped archive; got 'application/octet-stream'"},
      {"/a.html",
       "file '/a.html' does not appear to be a gzipped archive; got 'text/html; charset=utf-8'"},
      {"/a.txt",
       "file '/a.txt' does not appear to be a gzipped archive; got 'text/plain; charset=utf-8'"},
      {"/short.tgz", "unable to load chart archive: file '/short.tgz': unexpected EOF"},
      {"/cut.tgz", "unable to load chart archive: file '/cut.tgz': unexpected EOF"},
      {"/none.tgz", "unable to detect chart version, no Chart.yaml found"},
  };
  for (const auto& [path, want] : rows) EXPECT_EQ(error_of(load(disk, path)), want);
}

TEST(LoadValues, DocumentsAreMerged) {
  const auto text = [](std::string_view s) {
    const auto values = load_values(s);
    return values ? std::to_string(values->length()) : values.error().text();
  };
  EXPECT_EQ(text(""), "0");
  EXPECT_EQ(text("# only\n"), "0");
  EXPECT_EQ(text("---\na: 1\n--- # two\nb: 1\r\n"), "2");
  EXPECT_EQ(text("a: 1\n---\nnull\n---\nb: 1"), "2");
  EXPECT_EQ(text("a: " + std::string(4093, 'x')), "1") << "4096 bytes without newline";
}

TEST(KubeTables, RowsAreFound) {
  EXPECT_EQ(default_api_versions().size(), 57u);
  const Deprecation* d = find_deprecation("batch/v1beta1", "CronJob");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->deprecated_minor, 21);
  EXPECT_EQ(d->replacement, "batch/v1 CronJob");
  EXPECT_EQ(find_deprecation("batch/v1", "CronJob"), nullptr);
}

}  // namespace
}  // namespace pintle::chart
