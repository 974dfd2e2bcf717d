// list, history, content: questions about stored releases. Heads come first, so that only
// records that will be shown are fetched and decoded (helm pkg/action/{list,history,status,get}.go
// decode every revision of every release).
#include <algorithm>
#include <set>

#include "action/releases.h"
#include "action/selector.h"
#include "base/strings.h"
#include "storage/history.h"

namespace pintle::action {

using release::Record;
using storage::Head;

namespace {

constexpr int kFewRevisions = 8;

// Helm looks at the name once it has reached the cluster.
Error invalid_name(Context& context, std::string_view verb, std::string_view name) {
  return explained(context, {Code::kInvalidArgument, cat(verb, "elease name is invalid: ", name)});
}

// The newest revision of each release.
std::vector<Head> newest(std::vector<Head> heads) {
  std::ranges::stable_sort(heads, [](const Head& a, const Head& b) {
    return std::tie(a.namespace_, a.name, b.version) < std::tie(b.namespace_, b.name, a.version);
  });
  const auto same = [](const Head& a, const Head& b) {
    return a.namespace_ == b.namespace_ && a.name == b.name;
  };
  heads.erase(std::unique(heads.begin(), heads.end(), same), heads.end());
  return heads;
}

template <typename T>
std::vector<T> window(std::vector<T> all, int64_t offset, int64_t limit) {
  const auto size = static_cast<int64_t>(all.size());
  if (offset >= size) return {};
  offset = std::max<int64_t>(offset, 0);
  const int64_t end = limit > 0 ? std::min(size, offset + limit) : size;
  return {std::make_move_iterator(all.begin() + offset), std::make_move_iterator(all.begin() + end)};
}

}  // namespace

namespace {

using Key = std::tuple<std::string, std::string, int>;

Key key_of(const Head& h) { return {h.namespace_, h.name, h.version}; }
Key key_of(const Record& r) { return {r.namespace_, r.name, r.version}; }

// The heads to show. `broken`: revisions that cannot be decoded; as Helm passes them over, the one
// before stands for the release.
Result<std::vector<Head>> chosen(std::vector<Head> heads, const std::set<Key>& broken,
                                 const ListOptions& options) {
  std::erase_if(heads, [&](const Head& h) {
    return broken.contains(key_of(h)) || (options.filter && !options.filter(h.name));
  });
  if (heads.empty()) return heads;
  const Selector selector = TRY(Selector::parse(options.selector));
  if (options.states != std::vector<std::string>{"superseded"}) heads = newest(std::move(heads));
  std::erase_if(heads, [&](const Head& h) {
    const bool wanted = options.states.empty()
                            ? h.status != "unknown" && !h.status.empty()
                            : std::ranges::find(options.states, h.status) != options.states.end();
    return !wanted || !selector.matches(h.labels);
  });
  return heads;
}

}  // namespace

Result<std::vector<Record>> list(Context& context, const ListOptions& options) {
  const auto all = context.releases->heads({{"owner", "helm"}});
  if (!all) return explained(context, all.error());
  const bool by_date =
      options.order == ListOrder::kDate || options.order == ListOrder::kDateDescending;
  std::set<Key> broken;
  for (;;) {
    std::vector<Head> heads = TRY(chosen(*all, broken, options));
    if (!by_date) {
      std::ranges::stable_sort(heads, {}, &Head::name);
      if (options.order == ListOrder::kNameDescending) std::ranges::reverse(heads);
      heads = window(std::move(heads), options.offset, options.limit);
    }
    auto records = context.releases->fetch(heads);
    if (!records) return explained(context, records.error());
    if (records->size() < heads.size()) {
      std::set<Key> missing;
      for (const Head& h : heads) missing.insert(key_of(h));
      for (const Record& r : *records) missing.erase(key_of(r));
      const size_t known = broken.size();
      broken.merge(missing);
      if (broken.size() > known) continue;
    }
    if (!by_date) return records;
    std::ranges::stable_sort(*records, {}, [](const Record& r) { return r.last_deployed.unix_ns; });
    if (options.order == ListOrder::kDateDescending) std::ranges::reverse(*records);
    return window(std::move(*records), options.offset, options.limit);
  }
}

Result<Record> content(Context& context, std::string_view name, int revision) {
  if (!validate_release_name(name)) return invalid_name(context, "releaseContent: R", name);
  auto record = revision <= 0 ? storage::last(*context.releases, name)
                              : context.releases->get(name, revision);
  if (record) return record;
  // 404 is what anything may answer; a list came from a cluster.
  if (revision > 0 && storage::is_not_found(record.error())) TRY(context.cluster->reachable());
  return explained(context, record.error());
}

Result<std::vector<Record>> history(Context& context, std::string_view name, int max) {
  if (!validate_release_name(name)) return invalid_name(context, "r", name);
  const auto cut = [max](auto& list) {
    const size_t size = list.size();
    if (max >= 0 && size > static_cast<size_t>(max)) list.erase(list.begin(), list.end() - max);
  };
  Result<std::vector<Record>> records = std::vector<Record>();
  if (max >= 0 && max < kFewRevisions) {  // then most of a long history can stay where it is
    auto heads = storage::history(*context.releases, name);
    if (!heads) return explained(context, heads.error());
    cut(*heads);
    records = context.releases->fetch(*heads);
    if (records && records->size() == heads->size()) return records;
  }
  records = context.releases->query({{"name", std::string(name)}, {"owner", "helm"}});
  if (!records) return explained(context, records.error());
  if (records->empty()) return storage::release_not_found();
  std::ranges::stable_sort(*records, {}, &Record::version);
  cut(*records);
  return records;
}

Result<Presence> presence(Context& context, std::string_view name) {
  if (!validate_release_name(name)) return invalid_name(context, "r", name);
  const auto heads = storage::history(*context.releases, name);
  if (!heads && storage::is_not_found(heads.error())) return Presence::kNone;
  if (!heads) return explained(context, heads.error());
  return heads->back().status == "uninstalled" ? Presence::kUninstalled : Presence::kPresent;
}

}  // namespace pintle::action
