// The way back from a data file: its rows become the store's objects again.

#include "base/strings.h"
#include "drydock/machine.h"
#include "json/json.h"

namespace pintle::drydock {

Status Machine::load(Persistence& disk) {
  TRY(disk.load([&](StoredRow row) -> Status {
    auto object = json::read(row.json, {.numbers = json::Numbers::kExact});
    const bool whole = object && object->is_map() && row.version > 0 && !row.name.empty() &&
                       name_of(*object) == row.name && namespace_of(*object) == row.ns;
    if (!whole) {
      return Error(Code::kDataLoss,
                   cat(row.group, "/", row.plural, " ", key_of(row.ns, row.name), ": the stored object is damaged"));
    }
    const ResourcePtr r = resource(row.group, row.plural);
    Pairs fields = r ? selectable_of(*r, *object) : Pairs();
    x_store.restore(row.group, row.plural, encode_object(*object, row.version, std::move(fields)));
    return ok();
  }));
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
