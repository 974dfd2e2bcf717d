#include "release/manifest.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "release/heads_ahead.h"

namespace pintle::release {
namespace {

using Texts = std::vector<std::string_view>;

TEST(SplitManifests, EveryLineThatStartsWithThreeDashesSeparates) {
  struct Row {
    const char* claim;
    const char* stream;
    Texts want;
  } rows[] = {
      {"nothing", "", {}},
      {"blank documents are dropped", "\n---\n \n---\n", {}},
      {"leading white space goes, the trailing stays", "---\n\n a: 1\n\n---\nb: 2\n",
       {"a: 1\n\n", "b: 2\n"}},
      {"blanks after the dashes belong to them", "a\n--- \t\nb", {"a\n", "b"}},
      {"what stands on the line stays", "a\n---b: 1\n---- c", {"a\n", "b: 1\n", "- c"}},
      {"indented dashes do not separate", "a: |\n  ---\n  x\n", {"a: |\n  ---\n  x\n"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.claim);
    EXPECT_EQ(split_manifests(row.stream), row.want);
  }
}

TEST(SplitManifests, Helm3TrimsBothEndsAndWantsWhiteSpaceOnlyBefore) {
  EXPECT_EQ(split_manifests("---\na: 1\n\n---\n b: 2\n\n", true), (Texts{"a: 1", "b: 2"}));
  EXPECT_EQ(split_manifests("a\n---\n---\nb", true), (Texts{"a", "---\nb"}));
  EXPECT_EQ(split_manifests("a---\nb", true), (Texts{"a---\nb"}));
}

Sorted sorted(const std::vector<RenderedFile>& files) {
  auto out = sort_manifests(files, Order::kInstall);
  EXPECT_TRUE(out) << out.error().text();
  return out ? *out : Sorted();
}

TEST(SortManifests, ByKindThenPathThenPlace) {
  const std::vector<RenderedFile> files = {
      {"c/b.yaml", "kind: Zebra\n---\nkind: Service\n---\nkind: Ant\n"},
      {"c/a.yaml", "kind: Service\n"},
      {"c/_p.yaml", "kind: Service\n"}};
  auto got = sorted(files);
  std::vector<std::string> kinds;
  for (const auto& m : got.manifests) kinds.push_back(cat(m.name, " ", m.kind));
  EXPECT_EQ(kinds, (std::vector<std::string>{"c/a.yaml Service", "c/b.yaml Service",
                                             "c/b.yaml Ant", "c/b.yaml Zebra"}));
}

TEST(SortManifests, WebhooksAreUninstalledFirst) {
  EXPECT_EQ(kind_rank("ValidatingWebhookConfiguration", Order::kUninstall), 0);
  EXPECT_EQ(kind_rank("MutatingWebhookConfiguration", Order::kUninstall), 1);
  EXPECT_EQ(kind_rank("ValidatingWebhookConfiguration", Order::kUninstall, true),
            kind_rank("Unknown", Order::kUninstall, true));
}

TEST(SortManifests, AnnotationsMakeHooks) {
  const std::vector<RenderedFile> files = {{"c/h.yaml",
                                            "kind: Job\nmetadata:\n  name: 123\n  annotations:\n"
                                            "    helm.sh/hook: PRE-install, test-success\n"
                                            "    helm.sh/hook-weight: 5\n"
                                            "    helm.sh/hook-delete-policy: a, B\n"}};
  auto got = sorted(files);
  ASSERT_EQ(got.hooks.size(), 1u);
  EXPECT_EQ(got.hooks[0].events, (std::vector<std::string>{"pre-install", "test"}));
  EXPECT_EQ(got.hooks[0].weight, 5);
  EXPECT_EQ(got.hooks[0].name, "123");
  EXPECT_EQ(got.hooks[0].delete_policies, (std::vector<std::string>{"a", "b"}));
}

TEST(SortManifests, HooksOfUnknownEventsAreDropped) {
  std::string line;
  Log log = [&](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    line = slog_line(level, message, attrs);
  };
  std::vector<RenderedFile> files = {
      {"c/h.yaml", "metadata: {annotations: {helm.sh/hook: crd-install}}"}};
  auto got = sort_manifests(files, Order::kInstall, false, log);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->hooks.empty() && got->manifests.empty());
  EXPECT_EQ(line, "level=INFO msg=\"skipping unknown hooks\" hookTypes=crd-install");
}

TEST(SortManifests, ErrorsNameTheFile) {
  std::vector<RenderedFile> files = {{"c/x.yaml", "kind: [a]"}};
  EXPECT_EQ(sort_manifests(files, Order::kInstall).error().text(),
            "YAML parse error on c/x.yaml: error unmarshaling JSON: while decoding JSON: json: "
            "cannot unmarshal array into Go struct field SimpleHead.kind of type string");
}

TEST(SortManifests, FilesReadAheadSortAsThoseReadInTurn) {
  constexpr std::string_view kKinds[] = {"Service", "ConfigMap", "Deployment"};
  std::vector<RenderedFile> files;
  for (int i = 0; i < 400; ++i) {
    std::string text = "kind: Job\nmetadata: {name: h, annotations: {helm.sh/hook: test}}\n";
    for (std::string_view kind : kKinds) {
      text += "---\nkind: " + std::string(kind) + "\nmetadata: {name: x" + std::to_string(i) + "}\n";
    }
    files.push_back({"c/" + std::to_string(i) + ".yaml", std::move(text)});
  }
  const auto text_of = [&](HeadsAhead* ahead) {
    auto out = sort_manifests(files, Order::kInstall, false, {}, ahead);
    if (!out) return out.error().text();
    std::string all;
    for (const auto& m : out->manifests) append(all, {m.name, m.kind, m.object_name, m.content});
    for (const auto& h : out->hooks) all += h.path + h.name + h.manifest;
    return all;
  };
  const auto ahead = [&](size_t n) {
    auto out = std::make_unique<HeadsAhead>(false);
    for (size_t i = files.size(); i > files.size() - n; --i) out->add(files[i - 1].content);
    return out;
  };
  for (size_t n : {size_t{0}, size_t{1}, files.size()}) {
    EXPECT_EQ(text_of(ahead(n).get()), text_of(nullptr)) << n;
  }
  files[7].content += "---\nkind: [a]\n";
  EXPECT_EQ(text_of(ahead(files.size()).get()), text_of(nullptr));
  ahead(files.size());  // given up with most of it unread
}

TEST(TakeNotes, OnlyTheChartsOwnUnlessAsked) {
  std::vector<RenderedFile> files = {{"c/charts/s/templates/NOTES.txt", "sub"},
                                     {"c/templates/NOTES.txt", "own"},
                                     {"c/templates/a.yaml", "x"}};
  auto copy = files;
  EXPECT_EQ(take_notes(files, "c", false), "own");
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(take_notes(copy, "c", true), "sub\nown");
}

}  // namespace
}  // namespace pintle::release
