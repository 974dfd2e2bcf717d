// Who is who: people, owners, duties. What the configuration's file has is changed there.
#include "lookout/api/handlers.h"
#include "lookout/config/directory.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

// Addresses and numbers are for those who may act on them.
auto person_for(const Call& c) {
  return [with = c.role >= Role::kOperate](const Person& p) { return person_json(p, with); };
}

template <typename T, typename F>
Result<Answer> list(Backend& b, const Call& c, std::vector<T> Directory::*list, F json) {
  const auto config = b.hooks.config();
  return named_page(c, config->directory.*list, [](const T& item) { return item.name; }, json);
}

template <typename T, typename F>
Result<Answer> put(Backend& b, const Call& c, const Setting& made, std::vector<T> Directory::*list, F json) {
  return put_setting(
      b, c, made, [list](const Config& config) -> const std::vector<T>& { return config.directory.*list; },
      [&](const Config&, const T& item) { return json(item); });
}

}  // namespace

Result<Answer> list_people(Backend& b, const Call& c) {
  return list(b, c, &Directory::people, person_for(c));
}
Result<Answer> put_person(Backend& b, const Call& c) {
  return put(b, c, TRY(person_setting(c.body, *b.hooks.config())), &Directory::people, person_for(c));
}
Result<Answer> remove_person(Backend& b, const Call& c) {
  return remove_setting(b, c, kPersonSetting, c.names.at(0));
}

Result<Answer> list_owners(Backend& b, const Call& c) {
  return list(b, c, &Directory::owners, owners_json);
}
Result<Answer> put_owners(Backend& b, const Call& c) {
  return put(b, c, TRY(owners_setting(c.body, *b.hooks.config())), &Directory::owners, owners_json);
}
Result<Answer> remove_owners(Backend& b, const Call& c) {
  return remove_setting(b, c, kOwnersSetting, c.names.at(0));
}

Result<Answer> list_oncall(Backend& b, const Call& c) {
  return list(b, c, &Directory::oncall, oncall_json);
}
Result<Answer> put_oncall(Backend& b, const Call& c) {
  return put(b, c, TRY(oncall_setting(c.body, *b.hooks.config())), &Directory::oncall, oncall_json);
}
Result<Answer> remove_oncall(Backend& b, const Call& c) {
  return remove_setting(b, c, kOncallSetting, c.names.at(0));
}

}  // namespace pintle::lookout
