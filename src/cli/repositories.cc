#include "cli/repositories.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/go_struct.h"
#include "chart/timestamp.h"
#include "cli/index_parts.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

constexpr size_t kMaxFile = size_t{16} << 20;  // repositories.yaml; thousands of them fit
// An index: the largest known had 30 MB. A small one is read as a tree, a larger one row by row.
constexpr size_t kMaxIndex = size_t{40} << 20, kMaxTree = size_t{4} << 20;
constexpr size_t kMaxVersions = 150'000;  // of all charts in an index; four keywords count as one

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

ChartVersion read_version(const value::Value& v) {
  ChartVersion out{.name = text_at(v, "name"),
                   .version = text_at(v, "version"),
                   .app_version = text_at(v, "appVersion"),
                   .description = text_at(v, "description"),
                   .created = text_at(v, "created")};
  const value::Value* deprecated = v.get("deprecated");
  out.deprecated = deprecated && deprecated->is(value::Type::kBool) && deprecated->as_bool();
  if (const value::Value* keywords = v.get("keywords")) {
    for (const value::Value& k : keywords->items()) {
      if (k.is_string()) out.keywords.emplace_back(k.as_string());
    }
  }
  return out;
}

// What chart.Metadata.Validate says first about an entry; "" when it is fine.
std::string fault(const ChartVersion& v) {
  if (v.name.empty()) return "validation: chart.metadata.name is required";
  if (v.version.empty()) return "validation: chart.metadata.version is required";
  if (!semver::parse(v.version)) {
    return cat("validation: chart.metadata.version ", quote(v.version), " is invalid");
  }
  return "";
}

void sort_newest_first(std::vector<ChartVersion>& versions) {
  std::ranges::stable_sort(versions, [](const ChartVersion& a, const ChartVersion& b) {
    const auto va = semver::parse(a.version);
    const auto vb = semver::parse(b.version);
    if (!va || !vb) return va.has_value() && !vb;
    return semver::compare(*va, *vb) > 0;
  });
}

}  // namespace

RepositoryFile load_repositories(const Env& env, const std::string& path) {
  RepositoryFile out;
  const auto failed = [&](const Error& e) {
    out.error = Error::wrap(cat("couldn't load repositories file (", path, ")"), e);
    return out;
  };
  const auto text = env.disk.read_file(path, kMaxFile);
  if (!text) {
    out.missing = text.error().code() == Code::kNotFound;
    return failed(text.error());
  }
  const auto tree = yaml::read_exact(*text);
  if (!tree) return failed(tree.error());

  std::optional<size_t> null_row;
  std::string unused;
  bool flag = false;
  chart::GoStruct in("repo");
  const auto ignored = [&](const value::Value& v) { in.text(v, unused); };
  const auto add = [&](const value::Value& row) {
    Repository& r = out.repositories.emplace_back();
    in.object(row, "Entry",
              {{"name", [&](const value::Value& v) { in.text(v, r.name); }},
               {"url", [&](const value::Value& v) { in.text(v, r.url); }},
               {"username", ignored},
               {"password", ignored},
               {"certFile", ignored},
               {"keyFile", ignored},
               {"caFile", ignored},
               {"insecure_skip_tls_verify", [&](const value::Value& v) { in.flag(v, flag); }},
               {"pass_credentials_all", [&](const value::Value& v) { in.flag(v, flag); }}});
  };
  in.object(*tree, "File",
            {{"apiVersion", ignored},
             {"generated",
              [&](const value::Value& v) {
                if (v.is_nil()) return;
                if (!v.is_string()) {
                  return in.fail("Time.UnmarshalJSON: input is not a JSON string");
                }
                const auto time = chart::parse_rfc3339(v.as_string());
                if (!time) in.fail(time.error().text());
              }},
             {"repositories", [&](const value::Value& v) {
                in.objects(v, "Entry", &null_row, nullptr, [&] { out.repositories.clear(); }, add);
              }}});
  if (const Status read = in.status(); !read) return failed(read.error());
  if (null_row) {
    out.null_row = true;
    return failed(Error(Code::kInvalidArgument, cat("repositories[", *null_row, "] is null")));
  }
  return out;
}

void warn_of_expired_repositories(Env& env, const std::string& repositories_file) {
  // Looked at on every start: read the bytes, parse only a file that can matter.
  const auto text = env.disk.read_file(repositories_file, kMaxFile);
  if (!text || text->find(".storage.googleapis.com") == std::string::npos) return;
  const auto repositories = load_repositories(env, repositories_file).repositories;
  for (std::string_view name : {"stable", "incubator"}) {
    const auto it = std::ranges::find(repositories, name, &Repository::name);
    if (it == repositories.end()) return;
    const std::string bucket =
        cat("kubernetes-charts", name == "stable" ? "" : "-incubator", ".storage.googleapis.com");
    if (it->url.find(bucket) == std::string::npos) continue;
    const std::string now = cat("https://charts.helm.sh/", name);
    env.log.write(cat("WARNING: ", quote(bucket), " is deprecated for ", quote(name),
                      " and will be deleted Nov. 13, 2020.\nWARNING: You should switch to ",
                      quote(now), " via:\nWARNING: helm repo add ", quote(name), " ", quote(now),
                      " --force-update\n"));
  }
}

namespace {

// The rows of one index as they come.
class IndexCharts {
 public:
  IndexCharts(const std::string& path, const Log& log) : path_(path), log_(log) {}

  void begin(std::string_view name) { charts_.push_back({std::string(name), {}}); }

  Status add(const value::Value& row) {
    IndexedChart& chart = charts_.back();
    if (row.is_nil()) {
      log_("WARN", "skipping loading invalid entry for chart: empty entry",
           {{"name", chart.name}, {"source", path_}});
      return ok();
    }
    ChartVersion version = read_version(row);
    if (const std::string why = fault(version); !why.empty()) {
      log_("WARN", "skipping loading invalid entry for chart",
           {{"name", chart.name}, {"version", version.version}, {"source", path_}, {"error", why}});
      return ok();
    }
    kept_ += 4 + version.keywords.size();
    if (kept_ > 4 * kMaxVersions) {
      return Error(Code::kInvalidArgument, cat("index has more than ", kMaxVersions, " chart versions"));
    }
    chart.versions.push_back(std::move(version));
    return ok();
  }

  std::vector<IndexedChart> take() {
    std::ranges::stable_sort(charts_, {}, &IndexedChart::name);
    for (IndexedChart& chart : charts_) sort_newest_first(chart.versions);
    return std::move(charts_);
  }

 private:
  const std::string& path_;
  const Log& log_;
  std::vector<IndexedChart> charts_;
  size_t kept_ = 0;
};

}  // namespace

Result<std::vector<IndexedChart>> load_index(const Env& env, const std::string& path,
                                             const Log& log) {
  const std::string text = TRY(env.disk.read_file(path, kMaxIndex));
  if (text.empty()) return Error(Code::kInvalidArgument, "empty index.yaml file");
  IndexCharts charts(path, log);
  value::Value index;
  if (text.size() > kMaxTree) {
    index = TRY(read_index_parts(text, {[&](std::string_view name) {
                                          charts.begin(name);
                                          return ok();
                                        },
                                        [&](const value::Value& row) { return charts.add(row); }}));
  } else {
    index = TRY(yaml::read_strict(text));
    if (const value::Value* entries = index.get("entries"); entries && entries->is_map()) {
      for (const auto& [name, list] : *entries->as_map()) {
        charts.begin(name.view());
        for (const value::Value& row : list.items()) TRY(charts.add(row));
      }
    }
  }
  if (text_at(index, "apiVersion").empty()) {
    return Error(Code::kInvalidArgument, "no API version specified");
  }
  return charts.take();
}

std::string cached_index_path(const std::string& cache, std::string_view repository) {
  return path::join({cache, repository.empty() ? "index.yaml" : cat(repository, "-index.yaml")});
}
std::string cached_charts_path(const std::string& cache, std::string_view repository) {
  return path::join({cache, repository.empty() ? "charts.txt" : cat(repository, "-charts.txt")});
}

}  // namespace pintle::cli
