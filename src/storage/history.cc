#include "storage/history.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::storage {

Result<std::vector<Head>> history(Driver& driver, std::string_view name) {
  auto heads = TRY(driver.heads({{"name", std::string(name)}, {"owner", "helm"}}));
  if (heads.empty()) return release_not_found();
  std::ranges::stable_sort(heads, {}, &Head::version);
  return heads;
}

Result<release::Record> whole(Driver& driver, const Head& head) {
  auto records = TRY(driver.fetch({head}));
  if (records.empty()) return release_not_found();
  return std::move(records[0]);
}

Result<release::Record> newest(Driver& driver, std::vector<Head>& heads) {
  for (; !heads.empty(); heads.pop_back()) {
    auto records = TRY(driver.fetch({heads.back()}));
    if (!records.empty()) return std::move(records[0]);
  }
  return release_not_found();
}

Result<release::Record> last(Driver& driver, std::string_view name) {
  auto heads = TRY(history(driver, name));
  return newest(driver, heads);
}

Result<std::vector<release::Record>> deployed(Driver& driver, std::string_view name) {
  auto records = TRY(driver.query(
      {{"name", std::string(name)}, {"owner", "helm"}, {"status", "deployed"}}));
  std::ranges::stable_sort(records, {}, &release::Record::version);
  return records;
}

const Head* newest_deployed(const std::vector<Head>& heads) {
  const Head* out = nullptr;
  for (const Head& head : heads) {
    if (head.status == "deployed" && (out == nullptr || head.version > out->version)) out = &head;
  }
  return out;
}

Status prune(Driver& driver, const std::vector<Head>& heads, int max, const Log& log) {
  if (max <= 0) return ok();
  const size_t keep = static_cast<size_t>(max) - 1;
  if (heads.size() <= keep) return ok();
  const Head* spared = newest_deployed(heads);
  std::vector<Error> errors;
  size_t gone = 0;
  for (const Head& head : heads) {
    if (heads.size() - gone == keep) break;
    if (spared != nullptr && head.version == spared->version) continue;
    ++gone;
    const Status removed = driver.remove(head.name, head.version);
    if (removed) continue;
    log("DEBUG", "error pruning release",
        {{"key", release::record_key(head.name, head.version)},
         {"error", removed.error().text()}});
    errors.push_back(removed.error());
  }
  if (errors.empty()) return ok();
  if (errors.size() == 1) return errors[0];
  return Error::with_cause(cat("encountered ", errors.size(), " deletion errors. First is: ",
                               errors[0].text()),
                           errors[0]);
}

}  // namespace pintle::storage
