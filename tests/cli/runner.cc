#include "runner.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/env.h"
#include "cli/printing_cluster.h"
#include "cli/run.h"
#include "crypt/crypt.h"
#include "fixtures.h"
#include "sys/disk.h"
#include "sys/testing/fake_clock.h"
#include "sys/testing/fake_environ.h"

namespace pintle::clitest {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kClock = 242'085'845;  // Fri Sep  2 22:04:05 1977

class Text : public cli::Sink {
 public:
  explicit Text(std::string& to) : to_(to) {}
  void write(std::string_view text) override { to_ += text; }

 private:
  std::string& to_;
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The words of a command line as a shell splits it: quotes group, backslashes escape.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool started = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (started) words.push_back(std::exchange(word, ""));
      started = false;
      continue;
    }
    started = true;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      word += c;
    }
  }
  if (started) words.push_back(word);
  return words;
}

// A directory for one case: the working directory, with the recorded testdata in it.
class Scratch {
 public:
  explicit Scratch(const fs::path& testdata = {}) : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "pintle-cli-XXXXXX").string();
    if (::mkdtemp(name.data())) root_ = name;
    fs::create_directories(root_ / "tmp");
    fs::create_directories(root_ / ".home");
    if (!testdata.empty()) fs::create_directory_symlink(testdata, root_ / "testdata");
    fs::current_path(root_);
  }
  ~Scratch() {
    fs::current_path(before_);
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  fs::path operator/(const std::string& name) const { return root_ / name; }

 private:
  fs::path before_, root_;
};

// Files that a Go test writes before its cases run.
void seed(const Case& c, const Scratch& scratch) {
  if (c.source.find("TestRepoRemoveCompletion") == std::string::npos) return;
  std::ofstream out(scratch / "tmp/repositories.yaml");
  out << "apiVersion: v1\nrepositories:\n";
  for (const char* name : {"foo", "bar", "baz"}) {
    out << "- name: " << name << "\n  url: https://" << name << ".example.com\n";
  }
}

std::string skip_reason(const Case& c, const std::vector<std::string>& words) {
  if (c.kind == "server") return "needs a chart repository or registry";
  for (const std::string& word : words) {
    const size_t at = word.find("testdata/");
    if (at == std::string::npos || c.want_error) continue;
    if (!fs::exists(word.substr(at))) return "needs a file that was left out of the recording";
  }
  return "";
}

std::string contains_failure(const Case& c, const std::string& got) {
  if (!c.expect_contains.empty() && got.find(c.expect_contains) == std::string::npos) {
    return "lacks " + c.expect_contains;
  }
  if (!c.expect_not_contains.empty() && got.find(c.expect_not_contains) != std::string::npos) {
    return "should not have " + c.expect_not_contains;
  }
  return "";
}

// A cluster that only says yes, and the case's releases.
Result<std::unique_ptr<cli::ClusterWorld>> fake_cluster(const Case& c, const cli::Env& env,
                                                        const std::string& ns) {
  auto world = std::make_unique<cli::ClusterWorld>();
  world->cluster = std::make_unique<cli::PrintingCluster>(env.build.kube_version);
  world->releases = TRY(storage::memory(ns, c.releases));
  return world;
}

// Compares one run with the record.
void judge(const Case& c, const fs::path& testdata, const std::string& got, int code,
           Outcome& out) {
  out.got = got;
  if ((code != 0) != c.want_error) {
    out.failure = c.want_error ? "should have failed" : "failed: " + got;
    return;
  }
  if (!c.golden.empty()) {
    out.want = slurp(testdata / c.golden);
    if (got != out.want) out.failure = "prints something else";
  } else if (!c.expect.empty()) {
    out.want = c.expect;
    if (got != out.want) out.failure = "prints something else";
  } else if (!c.expect_error.empty() && c.expect_error.find("FindFirstFile") == std::string::npos) {
    // (Texts with FindFirstFile are Windows's; elsewhere only the failure counts.)
    out.want = "Error: " + c.expect_error + "\n";
    if (got != out.want) out.failure = "fails with another text";
  } else if (got.find(c.expect_error_regex) == std::string::npos) {
    out.want = c.expect_error_regex;
    out.failure = "fails with another text";
  }
  if (out.failure.empty()) out.failure = contains_failure(c, got);
  if (out.failure.empty() && !c.expect_file.empty() && !c.want_error &&
      !fs::exists(c.expect_file)) {
    out.failure = "no file " + c.expect_file;
  }
}

std::string text_at(const value::Value& row, std::string_view key) {
  const value::Value* v = row.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

}  // namespace

Result<Case> read_case(const value::Value& row, size_t index) {
  Case c;
  c.id = std::to_string(index) + " " + text_at(row, "name");
  c.command = text_at(row, "cmd");
  c.golden = text_at(row, "golden");
  c.kind = text_at(row, "class");
  c.source = text_at(row, "source");
  c.expect = text_at(row, "expect");
  c.expect_error = text_at(row, "expect_error");
  c.expect_error_regex = text_at(row, "expect_error_regex");
  c.expect_file = text_at(row, "expect_file");
  c.expect_contains = text_at(row, "expect_contains");
  c.expect_not_contains = text_at(row, "expect_not_contains");
  if (const value::Value* rows = row.get("rels")) c.releases = TRY(read_releases(*rows));
  const value::Value* want_error = row.get("wantError");
  c.want_error = want_error && want_error->as_bool();
  if (const value::Value* repeat = row.get("repeat")) {
    c.repeat = static_cast<int>(repeat->as_double());
  }
  if (const value::Value* environ = row.get("env"); environ && environ->is_map()) {
    for (const auto& [key, text] : *environ->as_map()) {
      c.environ[std::string(key)] = text.is_string() ? std::string(text.as_string()) : "";
    }
  }
  return c;
}

Recording read_recording(const value::Value& row) {
  Recording r;
  r.out = text_at(row, "out");
  r.err = text_at(row, "err");
  for (const value::Value& arg : row.get("args")->items()) r.args.emplace_back(arg.as_string());
  r.code = static_cast<int>(row.get("code")->as_double());
  const auto read = [&row](std::string_view key, std::map<std::string, std::string>& to) {
    const value::Value* map = row.get(key);
    if (!map) return;
    for (const auto& [name, text] : *map->as_map()) {
      to[std::string(name)] = std::string(text.as_string());
    }
  };
  read("env", r.environ);
  read("files", r.files);
  read("check", r.files_after);
  return r;
}

Outcome run_recording(const Recording& r, bool helm3) {
  const Scratch scratch;
  for (const auto& [name, text] : r.files) {
    const fs::path path = scratch / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string out, err;
  Text out_sink(out), err_sink(err);
  sys::FakeClock clock(kClock * 1'000'000'000);
  sys::FakeEnviron environ;
  environ.vars = {{"HOME", "/HOME"}, {"PATH", "/usr/bin:/bin"}};
  for (const auto& [key, value] : r.environ) environ.vars[key] = value;
  cli::Env env{.program = "helm",
               .out = out_sink,
               .err = err_sink,
               .log = err_sink,
               .disk = sys::real_disk(),
               .clock = clock,
               .environ = environ,
               .build = helm3 ? cli::Build::helm3_22() : cli::Build::helm4()};
  const int code = cli::run(env, r.args);
  Outcome outcome;
  const auto differs = [](const std::string& want, const std::string& got) {
    if (want.starts_with("sha256:")) return want != "sha256:" + crypt::hex(crypt::sha256(got));
    return want != got;
  };
  if (code != r.code) {
    outcome.failure = "exits with " + std::to_string(code);
  } else if (differs(r.out, out)) {
    outcome.failure = "prints something else";
    outcome.want = r.out;
    outcome.got = out;
  } else if (differs(r.err, err)) {
    outcome.failure = "prints something else on stderr";
    outcome.want = r.err;
    outcome.got = err;
  }
  for (const auto& [name, want] : r.files_after) {
    if (outcome.failure.empty() && differs(want, slurp(scratch / name))) {
      outcome.failure = "writes another " + name;
    }
  }
  return outcome;
}

Outcome run_case(const Case& c, const fs::path& testdata) {
  Outcome out;
  for (int round = 0; round < c.repeat && out.failure.empty(); ++round) {
    const Scratch scratch(testdata);
    const std::string tmp = scratch / "tmp";
    const auto words = shell_words(replace_all(c.command, "${TMP}", tmp));
    out.skip = skip_reason(c, words);
    if (!out.skip.empty()) return out;
    seed(c, scratch);
    write_upgrade_chart(tmp);

    std::string printed, logged;
    Text stream(printed), log(logged);
    sys::FakeClock clock(kClock * 1'000'000'000);
    sys::FakeEnviron environ;
    environ.vars = {{"HOME", scratch / ".home"}, {"PATH", "/usr/bin:/bin"}};
    for (const auto& [key, value] : c.environ) {
      environ.vars[key] = replace_all(value, "${TMP}", tmp);
    }
    cli::Env env{.program = "helm",
                 .out = stream,
                 .err = stream,
                 .log = log,
                 .disk = sys::real_disk(),
                 .clock = clock,
                 .environ = environ,
                 .build = {.version = "v4.3",
                           .git_commit = "",
                           .git_tree_state = "",
                           .go_version = "",
                           .kube_client_version = "v1.20",
                           .kube_version = "v1.20.0"},
                 .read_stdin = [] { return Result<std::string>(std::string()); }};
    env.open_cluster = [&](const cli::Settings&, const std::string& ns) {
      return fake_cluster(c, env, ns);
    };
    const int code = cli::run(env, words);
    judge(c, testdata, printed, code, out);
  }
  return out;
}

}  // namespace pintle::clitest
