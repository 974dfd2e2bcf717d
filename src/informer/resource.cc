#include "informer/resource.h"

#include <charconv>

#include "base/strings.h"
#include "informer/scan.h"

namespace pintle::informer {
namespace {

constexpr int64_t kGraceSeconds = 30;  // a watch the server does not end in time is ended here

std::string escape(std::string_view s) {
  std::string out;
  for (const char c : s) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      constexpr char kHex[] = "0123456789ABCDEF";
      out +=
          {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    }
  }
  return out;
}

void add(std::string& query, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  append(query, {query.empty() ? "" : "&", name, "=", escape(value)});
}

kube::Call base(const Resource& r, std::string_view partial) {
  kube::Call c;
  c.path = path_of(r);
  if (r.metadata_only) {
    c.accept = cat("application/json;as=", partial, ";g=meta.k8s.io;v=v1,application/json");
  }
  return c;
}

bool has_cause(std::string_view status, std::string_view reason) {
  const auto causes = value_at(status, {"details", "causes"});
  if (!causes) return false;
  Scan s(*causes);
  if (!s.open('[')) return false;
  while (s.element()) {
    if (string_at(s.take(), {"reason"}) == reason) return true;
  }
  return false;
}

}  // namespace

std::string path_of(const Resource& r) {
  std::string out =
      r.group.empty() ? cat("/api/", r.version) : cat("/apis/", r.group, "/", r.version);
  if (!r.name_space.empty()) append(out, {"/namespaces/", r.name_space});
  append(out, {"/", r.plural});
  return out;
}

std::string api_version_of(const Resource& r) {
  return r.group.empty() || r.version.empty() ? r.version : cat(r.group, "/", r.version);
}

std::string key_of(const Resource& r) {
  return cat(path_of(r), r.metadata_only ? "?metadata&" : "?", r.label_selector, "&",
             r.field_selector);
}

kube::Call list_call(const Resource& r, const ListQuery& q) {
  kube::Call c = base(r, "PartialObjectMetadataList");
  add(c.query, "continue", q.next_page);
  add(c.query, "fieldSelector", r.field_selector);
  add(c.query, "labelSelector", r.label_selector);
  if (q.limit > 0) add(c.query, "limit", cat(q.limit));
  add(c.query, "resourceVersion", q.version);
  add(c.query, "resourceVersionMatch", q.match);
  return c;
}

kube::Call one_call(Resource r, std::string_view key) {
  r.metadata_only = true;
  r.label_selector.clear();
  r.field_selector.clear();
  if (!key.empty()) {
    const size_t slash = key.find('/');
    if (slash != std::string_view::npos) r.name_space = key.substr(0, slash);
    r.field_selector = cat("metadata.name=", key.substr(slash == std::string_view::npos ? 0 : slash + 1));
  }
  ListQuery q;
  q.limit = 1;
  return list_call(r, q);
}

kube::Call watch_call(const Resource& r, const WatchQuery& q) {
  kube::Call c = base(r, "PartialObjectMetadata");
  add(c.query, "allowWatchBookmarks", "true");
  add(c.query, "fieldSelector", r.field_selector);
  add(c.query, "labelSelector", r.label_selector);
  add(c.query, "resourceVersion", q.version);
  if (q.initial_events) {
    add(c.query, "resourceVersionMatch", "NotOlderThan");
    add(c.query, "sendInitialEvents", "true");
  }
  add(c.query, "timeoutSeconds", cat(q.timeout_seconds));
  add(c.query, "watch", "true");
  c.timeout_ms = (q.timeout_seconds + kGraceSeconds) * 1000;
  return c;
}

Refusal refusal_of(const Error& e) {
  const auto* s = e.find<kube::ApiStatus>();
  if (!s) return Refusal::kNone;
  const std::string_view reason = s->reason;
  if (has_cause(s->raw, "ResourceVersionTooLarge") ||
      (reason == "Timeout" && s->message.find("Too large resource version") != std::string::npos)) {
    return Refusal::kTooLarge;
  }
  if (reason == "Expired" || reason == "Gone" || s->code == 410) return Refusal::kExpired;
  if (reason == "TooManyRequests" || s->code == 429) return Refusal::kBusy;
  if (reason == "InternalError" || (reason.empty() && s->code == 500)) return Refusal::kInternal;
  if (s->code == 401 || s->code == 403) return Refusal::kDenied;
  if (s->code == 404) return Refusal::kAbsent;
  return Refusal::kOther;
}

bool connection_refused(const Error& e) {
  return !e.find<kube::ApiStatus>() && e.text().ends_with("connection refused");
}

bool broken_stream(const Error& e) {
  if (e.find<kube::ApiStatus>()) return false;
  // One that was cut in its TLS handshake is no different.
  if (e.code() == Code::kDeadlineExceeded || e.text().ends_with("EOF")) return true;
  if (e.text().ends_with("connection reset by peer") || e.text().ends_with("broken pipe")) return true;
  return e.code() == Code::kUnavailable &&
         (silent_peer(e) || e.text().find("http2: ") != std::string::npos);
}

bool silent_peer(const Error& e) {
  if (e.find<kube::ApiStatus>()) return false;
  return e.text().ends_with("client connection lost") || e.text().ends_with("i/o timeout") ||
         e.text().ends_with("connection timed out");
}

Error went_back(std::string from, std::string to) {
  const std::string what =
      older_version(to, from) ? cat("the server's version went back from ", from, " to ", to)
                              : cat("the server has lost what it had at version ", from);
  Error e(Code::kDataLoss, cat(what, ": it was restored from an older state"));
  auto detail = std::make_unique<WentBack>();
  detail->from = std::move(from);
  detail->to = std::move(to);
  e.set_detail(std::move(detail));
  return e;
}

std::optional<uint64_t> version_number(std::string_view version) {
  uint64_t n = 0;
  const char* const end = version.data() + version.size();
  const auto [at, failed] = std::from_chars(version.data(), end, n);
  if (failed != std::errc() || at != end) return std::nullopt;
  return n;
}

bool older_version(std::string_view a, std::string_view b) {
  const auto x = version_number(a), y = version_number(b);
  return x && y && *x < *y;
}

Error frame_error(std::string_view status) {
  auto detail = std::make_unique<kube::ApiStatus>();
  detail->code = static_cast<int>(number_at(status, {"code"}));
  detail->reason = string_at(status, {"reason"});
  detail->message = string_at(status, {"message"});
  detail->retry_after_seconds =
      static_cast<int>(number_at(status, {"details", "retryAfterSeconds"}));
  detail->raw = status;
  Error e(Code::kUnknown, detail->message.empty() ? cat("an error on the server (", detail->code,
                                                        " ", detail->reason, ")")
                                                  : detail->message);
  e.set_detail(std::move(detail));
  return e;
}

}  // namespace pintle::informer
