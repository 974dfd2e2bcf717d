#include "action/dependency.h"

#include <gtest/gtest.h>

#include "chart/load.h"
#include "chart/save.h"
#include "sys/memory_disk.h"
#include "sys/testing/fake_clock.h"

namespace pintle::action {
namespace {

std::string chart_yaml(const std::string& name, const std::string& version,
                       const std::string& rest = "") {
  return "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n" + rest;
}

class Dependencies : public testing::Test {
 protected:
  Dependencies() {
    context_.out = [this](std::string_view text) { out_ += text; };
    disk_.add("/near/Chart.yaml", chart_yaml("near", "1.2.0"));
    disk_.add("/near/templates/t.yaml", "t");
  }
  void chart(const std::string& dependencies) {
    disk_.add("/c/Chart.yaml", chart_yaml("c", "0.1.0", "dependencies:\n" + dependencies));
  }
  std::string update() {
    const Status done = dependency_update(context_, "/c");
    return done ? "" : done.error().text();
  }
  std::string build() {
    const Status done = dependency_build(context_, "/c");
    return done ? "" : done.error().text();
  }
  std::vector<std::string> charts() {
    std::vector<std::string> names;
    const auto entries = disk_.read_dir("/c/charts").value();
    for (const auto& info : entries) names.push_back(info.name);
    return names;
  }
  using Names = std::vector<std::string>;

  sys::MemoryDisk disk_;
  sys::FakeClock clock_{1'700'000'000'000'000'000};
  Context context_{.disk = disk_, .clock = clock_};
  std::string out_;
};

constexpr const char* kNear = "- name: near\n  version: ^1.0.0\n  repository: file://../near\n";

TEST_F(Dependencies, UpdateArchivesLocksAndCleansUp) {
  chart(kNear);
  EXPECT_EQ(update(), "");
  EXPECT_EQ(out_, "Saving 1 charts\nDeleting outdated charts\n");
  EXPECT_EQ(charts(), (Names{"near-1.2.0.tgz"}));
  EXPECT_EQ(disk_.read_file("/c/Chart.lock").value(),
            "dependencies:\n- name: near\n  repository: file://../near\n  version: 1.2.0\n"
            "digest: sha256:d57ef11114109efaf62925e6e06bd369699cdc37c8173531be0d8f20c67cda70\n"
            "generated: \"2023-11-14T22:13:20Z\"\n");
  disk_.add("/near/Chart.yaml", chart_yaml("near", "1.3.0"));
  EXPECT_EQ(update(), "");
  EXPECT_EQ(charts(), (Names{"near-1.3.0.tgz"})) << "the outdated one is gone";
  EXPECT_EQ(disk_.read_dir("/c")->size(), 3u) << "nothing temporary is left";
}

TEST_F(Dependencies, BuildTakesWhatTheLockSays) {
  chart(kNear);
  EXPECT_EQ(build(), "") << "without a lock it updates";
  ASSERT_TRUE(disk_.remove_all("/c/charts").has_value());
  EXPECT_EQ(build(), "");
  EXPECT_EQ(charts(), (Names{"near-1.2.0.tgz"}));
  chart("- name: near\n  version: ^1.1.0\n  repository: file://../near\n");
  EXPECT_EQ(build(),
            "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). "
            "Please update the dependencies with 'helm dependency update'");
}

TEST_F(Dependencies, FailuresLeaveChartsAlone) {
  disk_.add("/o/Chart.yaml", chart_yaml("old", "1.0.0"));
  const auto old = chart::load(disk_, "/o").value()->clone();
  ASSERT_TRUE(chart::save_archive(disk_, *old, "/c/charts", 0).has_value());
  chart("- name: near\n  version: 2.x\n  repository: file://../near\n");
  EXPECT_EQ(update(),
            "can't get a valid version for 1 subchart(s): \"near\" (repository \"file://../near\", "
            "version \"2.x\"). Make sure a matching chart version exists in the repo, or change "
            "the version constraint in Chart.yaml");
  chart("- name: far\n  version: 1.0.0\n  repository: file://../far\n");
  EXPECT_EQ(update(), "directory /far not found");
  chart("- name: near\n  version: '>>1'\n  repository: file://../near\n");
  EXPECT_EQ(update().substr(0, 66),
            "dependency \"near\" has an invalid version/constraint format: improp");
  EXPECT_EQ(charts(), (Names{"old-1.0.0.tgz"}));
  EXPECT_EQ(out_, "");
  EXPECT_EQ(dependency_update(context_, "/none").error().text(),
            "could not find /none: stat /none: no such file or directory");
  EXPECT_EQ(dependency_update(context_, "/c/Chart.yaml").error().text(),
            "only unpacked charts can be updated");
}

TEST_F(Dependencies, UnpackedChartsStay) {
  chart("- name: in\n  version: '*'\n");
  EXPECT_EQ(update(), "directory /c/charts/in not found");
  disk_.add("/c/charts/in/Chart.yaml", chart_yaml("in", "3.0.0"));
  EXPECT_EQ(update(), "");
  EXPECT_EQ(out_,
            "Saving 1 charts\nDependency in did not declare a repository. Assuming it exists in "
            "the charts directory\nDeleting outdated charts\n");
  EXPECT_EQ(charts(), (Names{"in"}));
}

TEST_F(Dependencies, RepositoriesNeedARemote) {
  chart("- name: far\n  version: 1.0.0\n  repository: stable\n");
  EXPECT_EQ(update(),
            "no repository definition for stable. Please add them via 'helm repo add'\n"
            "Note that repositories must be URLs or aliases. For example, to refer to the "
            "\"example\"\nrepository, use \"https://charts.example.com/\" or \"@example\" instead "
            "of\n\"example\". Don't forget to add the repo, too ('helm repo add').");
  chart("- name: far\n  version: 1.0.0\n  repository: https://charts.example.com\n");
  EXPECT_NE(update().find("dependency \"far\" comes from https://charts.example.com"),
            std::string::npos);
}

class FakeRemote : public Remote {
 public:
  Status prepare(Context& context, std::vector<chart::Dependency>& dependencies, bool,
                 bool) override {
    context.out("refreshed\n");
    for (auto& d : dependencies) {
      if (d.repository == "@mine") d.repository = "https://mine";
    }
    return ok();
  }
  Result<std::vector<std::string>> versions(Context&, const chart::Dependency&) override {
    return std::vector<std::string>{"2.0.0", "1.9.0", "1.8.0"};
  }
  Status download(Context& context, const chart::Dependency& locked,
                  const std::string& directory) override {
    got = locked.name + " " + locked.version + " " + locked.repository;
    return context.disk.write_file(directory + "/x.tgz", "no chart", 0644);
  }
  std::string got;
};

TEST_F(Dependencies, ARemoteResolvesAndDownloads) {
  chart("- name: far\n  version: 1.x\n  repository: '@mine'\n");
  FakeRemote remote;
  DependencyOptions options;
  options.remote = &remote;
  ASSERT_TRUE(dependency_update(context_, "/c", options).has_value());
  EXPECT_EQ(remote.got, "far 1.9.0 https://mine");
  EXPECT_NE(out_.find("Could not verify /c/tmpcharts-"), std::string::npos);
  EXPECT_TRUE(charts().empty()) << "what is no chart is not moved";
}

TEST_F(Dependencies, ListSaysHowEachStands) {
  chart(
      "- name: near\n  version: 1.2.0\n  repository: r\n"
      "- name: gone\n  version: 1.0.0\n  repository: r\n"
      "- name: open\n  version: ^2.0.0\n  repository: r\n"
      "- name: bad\n  version: 1.0.0\n  repository: r\n");
  disk_.add("/c/charts/open/Chart.yaml", chart_yaml("open", "1.0.0"));
  disk_.add("/c/charts/extra/Chart.yaml", chart_yaml("extra", "1.0.0"));
  disk_.add("/c/charts/note.txt", "");
  context_.out = [](std::string_view) {};
  {
    sys::MemoryDisk& d = disk_;
    d.add("/t/Chart.yaml", chart_yaml("t", "0.1.0", std::string("dependencies:\n") + kNear));
    ASSERT_TRUE(dependency_update(context_, "/t").has_value());
    ASSERT_TRUE(d.rename("/t/charts/near-1.2.0.tgz", "/c/charts/near-1.2.0.tgz").has_value());
  }
  // A plain file in charts/ keeps Helm from loading the chart at all.
  EXPECT_FALSE(dependency_list(context_, "/c").has_value());
  ASSERT_TRUE(disk_.remove("/c/charts/note.txt").has_value());
  const auto list = dependency_list(context_, "/c");
  ASSERT_TRUE(list.has_value()) << list.error().text();
  ASSERT_EQ(list->rows.size(), 4u);
  EXPECT_EQ(list->rows[0].status, "ok");
  EXPECT_EQ(list->rows[1].status, "missing");
  EXPECT_EQ(list->rows[2].status, "wrong version");
  EXPECT_EQ(list->rows[3].status, "missing");
  EXPECT_EQ(list->warnings, (Names{"WARNING: \"/c/charts/extra\" is not in Chart.yaml."}));
  disk_.add("/n/Chart.yaml", chart_yaml("n", "0.1.0"));
  EXPECT_EQ(dependency_list(context_, "/n")->warnings,
            (Names{"WARNING: no dependencies at /n/charts"}));
}

}  // namespace
}  // namespace pintle::action
