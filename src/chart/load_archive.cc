// A chart archive into a list of files: gunzip, untar, and the rules about names (helm
// pkg/chart/loader/archive). Everything decompressed is counted before it is kept.
#include <algorithm>
#include <cctype>
#include <set>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/load.h"
#include "sys/gzip.h"
#include "sys/tar.h"

namespace pintle::chart {
namespace {

constexpr size_t kMaxChartSize = 100 * 1024 * 1024;
constexpr size_t kMaxFileSizeHelm3 = 5 * 1024 * 1024;
// Headers around the files; behind lies what no chart under the limit has.
constexpr size_t kMaxHeaders = 28 << 20;
constexpr std::string_view kBom = "\xef\xbb\xbf";

Error illegal(std::string text) { return {Code::kInvalidArgument, std::move(text)}; }
Error too_large(size_t max_size) {
  return {Code::kResourceExhausted,
          cat("decompressed chart is larger than the maximum size ", max_size)};
}

// The member's path inside the chart: without the first component, cleaned, never leading out.
Result<std::string> inside_path(const std::string& name) {
  const char delimiter = name.find('\\') == name.npos ? '/' : '\\';  // archives made on Windows
  const size_t first = std::min(name.find(delimiter), name.size());
  std::string rest = name.substr(std::min(first + 1, name.size()));
  std::replace(rest.begin(), rest.end(), delimiter, '/');
  if (path::is_abs(rest) || path::is_abs(name))
    return illegal("chart illegally contains absolute paths");
  rest = path::clean(rest);
  if (rest == ".") {
    return illegal("chart illegally contains content outside the base directory: " + quote(name));
  }
  if (rest.starts_with("..") || name.substr(0, first) == "..")
    return illegal("chart illegally references parent directory");
  if (rest.size() > 2 && isalpha(static_cast<uint8_t>(rest[0])) && rest.substr(1, 2) == ":/") {
    return illegal("chart contains illegally named files");
  }
  if (name.substr(0, first) == "Chart.yaml") return illegal("chart yaml not in base directory");
  return rest;
}

class Members {
 public:
  Members(const LoadOptions& options, std::shared_ptr<const std::string> tar, size_t max_size)
      : options_(options), tar_(std::move(tar)), max_size_(max_size), left_(max_size) {}

  Status add(const sys::TarEntry& entry) {
    if (entry.is_directory() || entry.type == 'g') return ok();
    const std::string name = TRY(inside_path(entry.name));
    // Helm takes these for files without content, or lets the last of two win; both hide something.
    if (entry.type != '0') {
      return illegal(cat("chart illegally contains a ",
                         entry.type == '1' || entry.type == '2' ? "link" : "special file", ": ",
                         quote(entry.name)));
    }
    const auto size = static_cast<size_t>(entry.size);
    if (size > left_) return too_large(max_size_);
    if (options_.helm3 && size > kMaxFileSizeHelm3) {
      return Error(Code::kResourceExhausted,
                   cat("decompressed chart file ", quote(entry.name),
                       " is larger than the maximum file size ", kMaxFileSizeHelm3));
    }
    if (entry.cut) return ok();  // read_tar says why right after
    left_ -= size;
    if (left_ == 0) return too_large(max_size_);
    if (!names_.insert(name).second) {
      return illegal("chart illegally contains a file twice: " + quote(entry.name));
    }
    std::string_view data = entry.data;
    if (data.starts_with(kBom)) data.remove_prefix(kBom.size());
    files_.push_back({name, FileData(tar_, data), entry.mod_time});
    return ok();
  }
  std::vector<File> take() { return std::move(files_); }

 private:
  const LoadOptions& options_;
  std::shared_ptr<const std::string> tar_;
  std::vector<File> files_;
  std::set<std::string> names_;
  size_t max_size_, left_;
};

}  // namespace

Result<std::vector<File>> read_archive(std::string_view tgz, const LoadOptions& options,
                                       size_t room) {
  const size_t max_size = std::min(kMaxChartSize, room);
  sys::Inflated tar = sys::inflate(tgz, max_size + kMaxHeaders);
  if (tar.error && tar.data.empty() && tar.error->code() == Code::kInvalidArgument) {
    return *tar.error;  // "gzip: invalid header"
  }
  const Error* after = tar.error ? &*tar.error : nullptr;
  const Error over = too_large(max_size);
  if (after && after->code() == Code::kResourceExhausted) after = &over;
  const auto text = std::make_shared<const std::string>(std::move(tar.data));
  Members members(options, text, max_size);
  TRY(sys::read_tar(
      *text, [&](const sys::TarEntry& entry) { return members.add(entry); }, after));
  // Helm stops at the end of the tar and so misses that the stream was cut or damaged behind it.
  if (after && after->code() == Code::kDataLoss) return *after;
  std::vector<File> files = members.take();
  if (files.empty()) return illegal("no files in chart archive");
  return files;
}

}  // namespace pintle::chart
