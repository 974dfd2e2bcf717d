// list, history, status, content: questions about stored releases. Heads come first, so that only
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

Error invalid_name(std::string_view verb, std::string_view name) {
  return {Code::kInvalidArgument, cat(verb, "elease name is invalid: ", name)};
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

Result<std::vector<Record>> list(Context& context, const ListOptions& options) {
  auto all = context.releases->heads({{"owner", "helm"}});
  if (!all) return explained(context, all.error());
  const Selector selector = TRY(Selector::parse(options.selector));
  const bool only_superseded = options.states == std::vector<std::string>{"superseded"};
  std::vector<Head> heads = only_superseded ? std::move(*all) : newest(std::move(*all));
  std::erase_if(heads, [&](const Head& h) {
    const bool wanted = options.states.empty()
                            ? h.status != "unknown" && !h.status.empty()
                            : std::ranges::find(options.states, h.status) != options.states.end();
    return !wanted || (options.filter && !options.filter(h.name)) || !selector.matches(h.labels);
  });
  const bool by_date =
      options.order == ListOrder::kDate || options.order == ListOrder::kDateDescending;
  if (!by_date) {
    std::ranges::stable_sort(heads, {}, &Head::name);
    if (options.order == ListOrder::kNameDescending) std::ranges::reverse(heads);
    heads = window(std::move(heads), options.offset, options.limit);
  }
  auto records = context.releases->fetch(heads);
  if (!records) return explained(context, records.error());
  if (!by_date) return records;
  std::ranges::stable_sort(*records, {}, [](const Record& r) { return r.last_deployed.unix_ns; });
  if (options.order == ListOrder::kDateDescending) std::ranges::reverse(*records);
  return window(std::move(*records), options.offset, options.limit);
}

Result<Record> content(Context& context, std::string_view name, int revision) {
  if (!validate_release_name(name)) return invalid_name("releaseContent: R", name);
  auto record = revision <= 0 ? storage::last(*context.releases, name)
                              : context.releases->get(name, revision);
  if (!record) return explained(context, record.error());
  return record;
}

Result<std::vector<Record>> history(Context& context, std::string_view name, int max) {
  if (!validate_release_name(name)) return invalid_name("r", name);
  auto heads = storage::history(*context.releases, name);
  if (!heads) return explained(context, heads.error());
  if (max >= 0 && heads->size() > static_cast<size_t>(max)) {
    heads->erase(heads->begin(), heads->end() - max);
  }
  auto records = context.releases->fetch(*heads);
  if (!records) return explained(context, records.error());
  return records;
}

Result<Presence> presence(Context& context, std::string_view name) {
  if (!validate_release_name(name)) return invalid_name("r", name);
  const auto heads = storage::history(*context.releases, name);
  if (!heads && storage::is_not_found(heads.error())) return Presence::kNone;
  if (!heads) return explained(context, heads.error());
  return heads->back().status == "uninstalled" ? Presence::kUninstalled : Presence::kPresent;
}

Result<Record> status(Context& context, std::string_view name, int revision, bool tables) {
  Record record = TRY(content(context, name, revision));
  const auto objects = TRY(context.cluster->build(record.manifest, false));
  std::map<std::string, std::vector<value::Value>> by_kind;
  for (const kube::Object& object : objects) {
    auto live = tables ? context.cluster->table(object) : context.cluster->get(object);
    // What is gone, or cannot be seen, is left out.
    if (live) by_kind[cat(object.api_version(), "/", object.kind)].push_back(std::move(*live));
  }
  auto resources = value::make_map();
  for (auto& [kind, items] : by_kind) {
    resources->set(value::Str(kind), value::Value::list_of(std::move(items)));
  }
  if (!resources->empty()) record.resources = value::Value::map(resources);
  return record;
}

}  // namespace pintle::action
