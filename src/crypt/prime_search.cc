// Each prime comes from a window of candidates of its own (two primes near each other would betray
// both keys), and a search is over when its window gives one. Whoever works here takes the most
// urgent step: confirm a number that passed the filter; open a window where a prime is wanted and
// none is searched; else filter a handful, from the two oldest windows by turns. Two threads thus
// share the search for p and q, where one prime for each thread would make one wait for the
// unluckier. The lock is held between steps only; a step takes 0.1 to 0.9 ms.
#include "crypt/prime_search.h"

#include <algorithm>

#include "sys/together.h"

namespace pintle::crypt {

PrimeSearch::~PrimeSearch() {
  {
    Lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (helper_.joinable()) helper_.join();
}

void PrimeSearch::prepare(size_t count) {
  Lock lock(mutex_);
  wanted_ = std::max(wanted_, count);
  start_helper();
}

std::pair<Words, Words> PrimeSearch::take_pair() {
  Lock lock(mutex_);
  wanted_ = std::max<size_t>(wanted_, 2);
  if (found_.size() < 2) start_helper();
  while (found_.size() < 2) {
    wanted_ = std::max<size_t>(wanted_, 2);  // another taker may have had what we waited for
    if (!step()) changed_.wait(mutex_);
  }
  std::pair<Words, Words> out{std::move(found_[0]), std::move(found_[1])};
  found_.erase(found_.begin(), found_.begin() + 2);
  wanted_ -= 2;
  return out;
}

void PrimeSearch::start_helper() {
  if (helper_runs_ || found_.size() >= wanted_) return;
  if (helper_.joinable()) helper_.join();  // it has left run() for good
  helper_ = sys::beside([this] { run(); });
  helper_runs_ = helper_.joinable();
}

void PrimeSearch::run() {
  Lock lock(mutex_);
  while (!stop_ && found_.size() < wanted_) {
    if (!step()) changed_.wait(mutex_);
  }
  helper_runs_ = false;
}

// False: others do all there is to do.
bool PrimeSearch::step() {
  const bool did = confirm_one() || open_one() || filter_some();
  if (did) changed_.notify_all();
  return did;
}

bool PrimeSearch::confirm_one() {
  if (survivors_.empty()) return false;
  auto [window, n] = std::move(survivors_.front());
  survivors_.erase(survivors_.begin());
  mutex_.unlock();
  const bool prime = is_prime(n, bits_, engine_);
  mutex_.lock();
  if (prime) {
    found_.push_back(std::move(n));
    std::erase(open_, window);
  }
  window->has_survivor = false;
  return true;
}

bool PrimeSearch::open_one() {
  if (found_.size() + open_.size() + opening_ >= wanted_) return false;
  ++opening_;
  mutex_.unlock();
  auto window = std::make_shared<Window>(Window{Candidates(bits_)});
  mutex_.lock();
  --opening_;
  open_.push_back(std::move(window));
  return true;
}

bool PrimeSearch::filter_some() {
  constexpr size_t kWindows = 2;
  const size_t most = at_once(engine_);
  std::vector<std::shared_ptr<Window>> from;
  for (const auto& window : open_) {
    if (!window->has_survivor && from.size() < kWindows) from.push_back(window);
  }
  bool used_up = false;
  std::vector<Words> drawn;
  std::vector<std::shared_ptr<Window>> origin;
  for (size_t turn = 0; !from.empty() && drawn.size() < most; ++turn) {
    const size_t i = turn % from.size();
    Words n = from[i]->candidates.next();
    if (n.empty()) {  // the next step opens another
      used_up = true;
      std::erase(open_, from[i]);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    drawn.push_back(std::move(n));
    origin.push_back(from[i]);
  }
  if (drawn.empty()) return used_up;
  mutex_.unlock();
  const unsigned passed = may_be_prime(drawn, bits_, engine_);
  mutex_.lock();
  for (size_t j = 0; j < drawn.size(); ++j) {
    if ((passed >> j & 1) == 0 || origin[j]->has_survivor) continue;
    if (std::find(open_.begin(), open_.end(), origin[j]) == open_.end()) continue;  // it gave one
    origin[j]->has_survivor = true;
    survivors_.emplace_back(origin[j], std::move(drawn[j]));
  }
  return true;
}

}  // namespace pintle::crypt
