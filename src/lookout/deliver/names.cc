#include "lookout/deliver/names.h"

#include <map>
#include <utility>

#include "base/mutex.h"

namespace pintle::lookout {

struct Names::Shared {
  Mutex mutex;
  std::map<std::string, std::vector<Done>> asked GUARDED_BY(mutex);  // by host that is looked for
};

Names::Names(int most) : shared_(std::make_shared<Shared>()), workers_(most) {}
Names::~Names() = default;

void Names::find(const std::string& host, const Resolve& resolve, Done done) {
  {
    Lock held(shared_->mutex);
    const auto [asked, first] = shared_->asked.try_emplace(host);
    asked->second.push_back(std::move(done));
    if (!first) return;
  }
  workers_.run([shared = shared_, host, resolve] {
    const Addresses found = resolve_host(host, resolve);
    Lock held(shared->mutex);
    const auto asked = shared->asked.extract(host);
    held.unlock();
    for (const Done& done : asked.mapped()) done(found);
  });
}

}  // namespace pintle::lookout
