// From an endpoint's queue to the network: how many at once, what goes together, by which client.
#include "lookout/deliver/engine.h"

#include "base/strings.h"
#include "lookout/deliver/attempt_text.h"
#include "lookout/deliver/recipients.h"

namespace pintle::lookout {

namespace {

constexpr int64_t kLeaseMarginMs = 3'000;
constexpr int64_t kConnectMs = 3'000;
constexpr size_t kMaxBody = 64 << 10, kMaxHeader = 16 << 10;
constexpr size_t kMaxClients = 32;  // one for each CA or certificate of a subscription's own
constexpr size_t kManyEndpoints = 4'096;

std::string client_key(const http::Tls& tls) {
  return cat(tls.ca_pem, "\n", tls.certificate_pem, "\n", tls.key_pem);
}

}  // namespace

bool DeliverEngine::may_start(Endpoint& e) {
  return !e.waiting.empty() && e.active < e.slots(options_.per_endpoint) &&
         e.next_ms(now()) <= now();
}

void DeliverEngine::pump() {
  for (auto it = busy_.begin(); it != busy_.end();) {
    Endpoint& e = **it;
    while (may_start(e)) {
      auto job = std::move(e.waiting.front());
      e.waiting.pop_front();
      --waiting_;
      start(e, std::move(job));
    }
    // A limit or a failure came up: the store keeps what cannot go soon.
    const int64_t next = e.next_ms(now());
    if (e.active == 0 && next > now() + kShortWaitMs) {
      e.behind = e.behind || !e.waiting.empty();
      for (; !e.waiting.empty(); e.waiting.pop_front(), --waiting_) {
        for (const Claimed& c : e.waiting.front()->claimed) put_back_from(e, c, next);
      }
    }
    if (e.waiting.empty()) e.crowding.clear();
    it = e.waiting.empty() ? busy_.erase(it) : std::next(it);
  }
  if (endpoints_.size() > kManyEndpoints) {
    std::erase_if(endpoints_, [&](const auto& e) { return e.second->idle(now()); });
  }
}

// More of the same subscription into one message: what waits here, then what waits in the store.
void DeliverEngine::merge(Endpoint& e, Job& job) {
  const size_t most = job.route.merge;
  const int64_t subscription = job.claimed[0].subscription.id;
  for (auto it = e.waiting.begin(); it != e.waiting.end() && job.claimed.size() < most;) {
    if ((*it)->alone || (*it)->claimed[0].subscription.id != subscription) {
      ++it;
      continue;
    }
    for (Claimed& c : (*it)->claimed) job.claimed.push_back(std::move(c));
    it = e.waiting.erase(it);
    --waiting_;
  }
  if (job.claimed.size() < most) {
    auto more = store_.claim_more(options_.owner, options_.epoch, options_.lease_ms, subscription,
                                  static_cast<int>(most - job.claimed.size()));
    for (Claimed& c : more.value_or(std::vector<Claimed>())) {
      find_whom(c);
      // What is to go elsewhere (another channel), or not now, is claimed again by itself.
      const auto route = job.sink->route(c.subscription);
      const int64_t until = waits_until(c);
      if (until == 0 && route && route->key == job.route.key) {
        job.claimed.push_back(std::move(c));
      } else {
        put_back(c, std::max(until, now()));
      }
    }
  }
  e.behind = job.claimed.size() == most;
  std::sort(job.claimed.begin(), job.claimed.end(),
            [](const Claimed& a, const Claimed& b) { return a.event.sequence < b.event.sequence; });
}

void DeliverEngine::start(Endpoint& e, std::unique_ptr<Job> owned) {
  Job& job = *owned;
  const bool digest = job.claimed[0].subscription.manner.digest_ms > 0;
  if (job.route.merge > 1 && !job.alone && (digest || e.merges(now()))) merge(e, job);
  const Manner& manner = job.claimed[0].subscription.manner;  // they are in order, and stay where they are
  job.told = told_text(job.claimed);
  const std::vector<Claimed> message =
      manner.whom.empty() ? std::vector<Claimed>() : addressed(job.claimed);
  const std::vector<Claimed>& events = message.empty() ? job.claimed : message;
  const int64_t timeout = job.route.timeout_ms > 0 ? job.route.timeout_ms : options_.timeout_ms;
  int64_t lease = INT64_MAX;
  for (const Claimed& c : job.claimed) lease = std::min(lease, c.delivery.lease_until_ms);
  const bool late =
      now() + timeout + kLeaseMarginMs > lease && options_.lease_ms > timeout + kLeaseMarginMs;
  if (late || stale(job)) {
    for (const Claimed& c : job.claimed) put_back(c, now());
    claim_soon_ = true;
    return;
  }
  if (job.sink->mark != nullptr) {
    auto mark = job.sink->mark(job.claimed[0]);
    if (!mark) return poison(job.claimed[0], mark.error());
    if (done_before(job.claimed[0], *mark)) return pass_over(job.claimed[0], "it was done before");
    job.mark = std::move(*mark);
  }
  if (job.sink->request != nullptr) {
    auto request = job.sink->request(events, now());
    if (!request) {
      if (job.claimed.size() > 1) return tell_alone(std::move(owned));
      return poison(job.claimed[0], request.error());
    }
    if (request->url.empty()) return pass_over(job.claimed[0], "there was nothing to tell");
    job.request = std::move(*request);
    job.request.timeout_ms = job.timeout_ms = timeout;
    job.request.max_body = kMaxBody;
    job.request.max_header = kMaxHeader;
    job.request.take_partial = true;
  }
  for (Window& w : e.windows) w.count(now());
  ++e.active;
  ++attempts_;
  job.started_ms = now();
  job.started_ns = clock_.monotonic_ns();
  const uint64_t id = job.id;
  under_way_.emplace(id, std::move(owned));

  const std::string& url = job.sink->send != nullptr ? job.route.url : job.request.url;
  if (url.empty()) return send(job);
  auto form = check_url_form(url, options_.guard);
  if (!form) return fail(id, form.error());
  if (!form->addresses.empty()) {
    job.target = std::move(*form);
    return send(job);
  }
  resolving_.emplace(job.started_ns + timeout * kMs, id);
  names_.find(form->host, options_.resolve,
              [inbox = inbox_, id, url, guard = options_.guard](const Names::Addresses& found) {
                inbox->put({id, Resolved{check_url(url, guard, [&](const std::string&) { return found; })}});
              });
}

void DeliverEngine::send_itself(Job& job) {
  const bool whom = !job.claimed[0].subscription.manner.whom.empty();
  workers_.run([inbox = inbox_, id = job.id, sink = job.sink,
                claimed = whom ? addressed(job.claimed) : job.claimed, target = job.target,
                version = job.version(), &store = store_, &disk = disk_, guard = options_.guard,
                resolve = options_.resolve, time = now()] {
    {
      Lock held(inbox->mutex);
      if (inbox->abandon) return;
      ++inbox->sends;
    }
    Sent sent{target, {}};
    sent.stale = version < store.known_version();
    if (!sent.stale) sent.verdict = sink->send(claimed, {time, target, disk, guard, resolve});
    Lock held(inbox->mutex);
    --inbox->sends;
    inbox->news.push_back({id, std::move(sent)});
    inbox->changed.notify_all();
  });
}

void DeliverEngine::send(Job& job) {
  if (job.sink->send != nullptr) return send_itself(job);
  auto client = client_for(job.route.tls);
  if (!client) {
    const bool later = client.error().code() == Code::kResourceExhausted;
    return later ? take_back(job.id, kStoreRetryMs) : fail(job.id, client.error());
  }
  job.request.connect_to = job.target.addresses;
  job.pending =
      (*client)->start(job.request, [inbox = inbox_, id = job.id](Result<http::Response> r) {
        inbox->put({id, Answered{std::move(r)}});
      });
}

Result<http::Client*> DeliverEngine::client_for(const http::Tls& tls) {
  const std::string key = client_key(tls);
  auto it = clients_.find(key);
  if (it == clients_.end()) {
    if (clients_.size() >= kMaxClients) {  // those of certificates that were changed meanwhile go
      std::set<std::string> used;
      for (const auto& [id, job] : under_way_) used.insert(client_key(job->route.tls));
      std::erase_if(clients_, [&](const auto& c) { return !used.contains(c.first); });
    }
    if (clients_.size() >= kMaxClients) {
      return Error(Code::kResourceExhausted, "too many certificates are in use at once");
    }
    http::Options o;
    o.tls = tls;
    o.connect_timeout_ms = kConnectMs;
    it = clients_.emplace(key, TRY(http::Client::make(std::move(o)))).first;
  }
  return it->second.get();
}

// The same attempt, and the same time for all of it.
void DeliverEngine::go_on(Job& job, const http::Response& answer) {
  Step step = job.sink->next(job.claimed, job.request, answer, ++job.answers);
  const int64_t left = job.timeout_ms - (clock_.monotonic_ns() - job.started_ns) / kMs;
  if (step.request.url.empty()) {
    return conclude(job.id, std::move(step.verdict),
                    response_text(answer, job.claimed[0].subscription));
  }
  if (left <= 0) return fail(job.id, Error(Code::kUnavailable, "its requests took too long"));
  http::Request& r = job.request;
  r.method = std::move(step.request.method);
  r.url = std::move(step.request.url);
  r.headers = std::move(step.request.headers);
  r.body = std::move(step.request.body);
  r.timeout_ms = left;
  for (Window& w : job.endpoint->windows) w.count(now());
  send(job);
}

}  // namespace pintle::lookout
