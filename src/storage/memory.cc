// Records in this process, by namespace, name and revision. As Helm's, a driver made for a namespace
// follows the namespace of what is written through it.
#include <algorithm>

#include "base/strings.h"
#include "storage/driver.h"

namespace pintle::storage {
namespace {

using release::Record;

class Memory : public Driver {
 public:
  explicit Memory(std::string namespace_) : namespace_(std::move(namespace_)) {}

  void look_at(std::string namespace_) { this->namespace_ = std::move(namespace_); }

  std::string_view name() const override { return "Memory"; }

  Result<Record> get(std::string_view name, int version) override {
    for (const Record* record : visible()) {
      if (record->name == name && record->version == version) return *record;
    }
    return release_not_found();
  }

  Status create(const Record& record) override {
    auto& revisions = enter(record);
    if (!revisions.emplace(record.version, record).second) return release_exists();
    return ok();
  }

  Status update(const Record& record) override {
    auto& revisions = enter(record);
    const auto it = revisions.find(record.version);
    if (it == revisions.end()) return release_not_found();
    it->second = record;
    return ok();
  }

  Status remove(std::string_view name, int version) override {
    const auto releases = records_.find(namespace_);
    if (releases == records_.end()) return release_not_found();
    const auto revisions = releases->second.find(std::string(name));
    if (revisions == releases->second.end() || revisions->second.erase(version) == 0) {
      return release_not_found();
    }
    return ok();
  }

  Result<std::vector<Head>> heads(const Labels& equal) override {
    std::vector<Head> out;
    for (const Record* record : visible()) {
      if (!matches(*record, equal)) continue;
      out.push_back({record->name, record->namespace_, record->status, record->version,
                     record->labels});
    }
    return out;
  }

  Result<std::vector<Record>> query(const Labels& equal) override {
    std::vector<Record> out;
    for (const Record* record : visible()) {
      if (matches(*record, equal)) out.push_back(*record);
    }
    return out;
  }

  Result<std::vector<Record>> fetch(const std::vector<Head>& heads) override {
    std::vector<Record> out;
    for (const Head& head : heads) {
      const auto releases = records_.find(or_default(head.namespace_));
      if (releases == records_.end()) continue;
      const auto revisions = releases->second.find(head.name);
      if (revisions == releases->second.end()) continue;
      const auto it = revisions->second.find(head.version);
      if (it != revisions->second.end()) out.push_back(it->second);
    }
    return out;
  }

 private:
  using Revisions = std::map<int, Record>;
  using Releases = std::map<std::string, Revisions>;

  static std::string or_default(const std::string& ns) { return ns.empty() ? "default" : ns; }

  Revisions& enter(const Record& record) {
    namespace_ = or_default(record.namespace_);
    return records_[namespace_][record.name];
  }

  std::vector<const Record*> visible() const {
    std::vector<const Record*> out;
    for (const auto& [ns, releases] : records_) {
      if (!namespace_.empty() && ns != namespace_) continue;
      for (const auto& [name, revisions] : releases) {
        for (const auto& [version, record] : revisions) out.push_back(&record);
      }
    }
    return out;
  }

  static bool matches(const Record& record, const Labels& equal) {
    const Labels have = object_labels(record, "createdAt", 0);
    return std::ranges::all_of(equal, [&](const auto& wanted) {
      const auto it = have.find(wanted.first);
      return it != have.end() && it->second == wanted.second;
    });
  }

  std::string namespace_;
  std::map<std::string, Releases> records_;
};

}  // namespace

std::unique_ptr<Driver> memory(std::string namespace_) {
  return std::make_unique<Memory>(std::move(namespace_));
}

Result<std::unique_ptr<Driver>> memory(std::string namespace_,
                                       const std::vector<release::Record>& records) {
  auto out = std::make_unique<Memory>("");
  for (const release::Record& record : records) TRY(out->create(record));
  out->look_at(std::move(namespace_));
  return std::unique_ptr<Driver>(std::move(out));
}

}  // namespace pintle::storage
