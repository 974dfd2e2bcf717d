#include "lookout/deliver/endpoint.h"

#include <algorithm>

#include "lookout/deliver/job.h"

namespace pintle::lookout {

void Window::divide(int among) {
  limit_ = whole_;
  if (among <= whole_.messages) {
    limit_.messages /= among;
  } else {
    limit_.messages = 1;
    limit_.span_ms = whole_.span_ms * among / whole_.messages;
  }
}

void Window::forget(int64_t now_ms) {
  while (!sent_.empty() && sent_.front() + limit_.span_ms <= now_ms) sent_.pop_front();
}

void Window::count(int64_t now_ms) {
  forget(now_ms);
  sent_.push_back(now_ms);
}

int64_t Window::next_ms(int64_t now_ms) {
  forget(now_ms);
  const int used = static_cast<int>(sent_.size());
  if (used == 0 || used < free_ones()) return now_ms;
  if (used >= limit_.messages) return sent_.front() + limit_.span_ms;
  return std::max(now_ms, sent_.back() + limit_.span_ms / (limit_.messages - free_ones()));
}

bool Window::calm(int64_t now_ms) {
  forget(now_ms);
  return static_cast<int>(sent_.size()) < free_ones();
}

bool Window::idle(int64_t now_ms) {
  forget(now_ms);
  return sent_.empty();
}

void Window::clock_went_back(int64_t by_ms) {
  for (int64_t& at : sent_) at -= by_ms;
}

void Breaker::failed(int64_t now_ms) {
  ++failures_;
  if (open()) open_until_ = now_ms + kProbeMs;
}

Endpoint::Endpoint(const SinkKind& kind) : sink(kind) {
  for (const Limit& limit : kind.limits) {
    if (limit.messages > 0) windows.emplace_back(limit);
  }
}

void Endpoint::divide(int among) {
  for (Window& w : windows) w.divide(among);
}

int64_t Endpoint::next_ms(int64_t now_ms) {
  int64_t next = std::max({now_ms, breaker.next_ms(), hold_until_ms});
  for (Window& w : windows) next = std::max(next, w.next_ms(now_ms));
  return next;
}

int64_t Endpoint::probe_ms(int64_t now_ms) {
  if (!breaker.open() || failing.empty() || active > 0 || !waiting.empty()) return INT64_MAX;
  return std::max(next_ms(now_ms), next_probe_ms);
}

int Endpoint::slots(int per_endpoint) const {
  return limited() || together || breaker.doubtful() || sink.send != nullptr ? 1 : per_endpoint;
}

size_t Endpoint::room(int slots) const {
  constexpr double kSeconds = 5000;
  const double fits = slots * kSeconds / std::max(usual_ms, 1.0);
  return static_cast<size_t>(std::clamp(fits, static_cast<double>(slots), 256.0));
}

bool Endpoint::merges(int64_t now_ms) {
  return behind || windows.empty() ||
         std::any_of(windows.begin(), windows.end(), [&](Window& w) { return !w.calm(now_ms); });
}

bool Endpoint::idle(int64_t now_ms) {
  return active == 0 && waiting.empty() && !breaker.doubtful() && hold_until_ms <= now_ms &&
         std::all_of(windows.begin(), windows.end(), [&](Window& w) { return w.idle(now_ms); });
}

void Endpoint::clock_went_back(int64_t by_ms) {
  breaker.clock_went_back(by_ms);
  hold_until_ms -= by_ms;
  next_probe_ms -= by_ms;
  for (Window& w : windows) w.clock_went_back(by_ms);
  for (const auto& job : waiting) job->clock_went_back(by_ms);
}

}  // namespace pintle::lookout
