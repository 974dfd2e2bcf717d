// The way back from a data file: its rows become the store's objects again.

#include "base/strings.h"
#include "drydock/machine.h"
#include "json/json.h"

namespace pintle::drydock {

// Custom objects wait until the definitions stand that say what may be selected of them.
Status Machine::load(Persistence& disk) {
  struct Row {
    StoredRow stored;
    Value object;
  };
  std::vector<Row> custom;
  auto restore = [&](Row& row) REQUIRES(x_lock) {
    const ResourcePtr r = resource(row.stored.group, row.stored.plural);
    Pairs fields = r ? selectable_of(*r, row.object) : Pairs();
    x_store.restore(row.stored.group, row.stored.plural, encode_object(row.object, row.stored.version, std::move(fields)));
  };
  TRY(disk.load([&](StoredRow stored) REQUIRES(x_lock) -> Status {
    auto object = json::read(stored.json, {.numbers = json::Numbers::kExact});
    const bool whole = object && object->is_map() && stored.version > 0 && !stored.name.empty() &&
                       name_of(*object) == stored.name && namespace_of(*object) == stored.ns;
    if (!whole) {
      return Error(Code::kDataLoss, cat(stored.group, "/", stored.plural, " ", key_of(stored.ns, stored.name),
                                        ": the stored object is damaged"));
    }
    Row row{std::move(stored), std::move(*object)};
    if (resource(row.stored.group, row.stored.plural)) restore(row);
    else custom.push_back(std::move(row));
    return ok();
  }));
  load_definitions();
  for (Row& row : custom) restore(row);
  x_store.restore_version(TRY(disk.version()));
  x_disk = &disk;
  return ok();
}

Status Machine::check_disk() {
  if (!x_disk) return ok();
  if (Status s = x_disk->health(); !s) return status_error(500, "InternalError", s.error().text());
  return ok();
}

}  // namespace pintle::drydock
