// Records in Secrets and ConfigMaps: the two differ in a path, a kind and one more base64.
//
// Cost: heads are one LIST of metadata only (PartialObjectMetadataList), in pages; one body comes by
// GET, more by LIST in pages whose selector names what is wanted where that is little, decoded page
// by page, so that memory holds one page and what was asked for.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "storage/driver.h"

namespace pintle::storage {
namespace {

using release::Record;
using value::Value;

constexpr size_t kFewValues = 32;  // of a label, that a selector names one by one
constexpr int kHeadsPage = 2000;   // metadata: about 1 KB each
constexpr int kRecordsPage = 100;  // records: 10 KB as a rule, 1 MB at most
// What is written about a release is written although the user has interrupted, within this time.
constexpr int64_t kLastWordMs = 5'000;
const http::Cancel kNever;
// How a release ended is written also when the server is away for a moment: a PUT can be repeated.
constexpr int kUpdateRetries = 20;
constexpr auto kUpdatePause = std::chrono::milliseconds(500);
constexpr std::string_view kMetadataOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

// Which of the two kinds.
struct Kind {
  std::string_view driver, kind, plural;
  bool secret;
};
constexpr Kind kSecret = {"Secret", "Secret", "secrets", true};
constexpr Kind kConfigMap = {"ConfigMap", "ConfigMap", "configmaps", false};

std::string escape_query(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::string selector(const Labels& equal) {
  std::string out;
  for (const auto& [key, v] : equal) append(out, {out.empty() ? "" : ",", key, "=", v});
  return out;
}

std::string text_at(const Value& map, std::string_view key) {
  const Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

Labels labels_of(const Value& object) {
  Labels out;
  const Value* metadata = object.get("metadata");
  const Value* labels = metadata ? metadata->get("labels") : nullptr;
  if (labels == nullptr || !labels->is_map() || labels->as_map() == nullptr) return out;
  for (const auto& [key, v] : *labels->as_map()) {
    if (v.is_string()) out.emplace(key.view(), v.as_string());
  }
  return out;
}

int number(std::string_view text) {
  int n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

Head head_of(const Value& object) {
  Head out;
  out.labels = labels_of(object);
  out.name = out.labels["name"];
  out.status = out.labels["status"];
  out.version = number(out.labels["version"]);
  if (const Value* metadata = object.get("metadata")) {
    out.namespace_ = text_at(*metadata, "namespace");
  }
  return out;
}

class Objects : public Driver {
 public:
  Objects(const Kind& kind, kube::Rest& rest, sys::Clock& clock, DriverOptions options)
      : kind_(kind), rest_(rest), clock_(clock), options_(std::move(options)) {}

  std::string_view name() const override { return kind_.driver; }

  Result<Record> get(std::string_view name, int version) override {
    Record out = TRY(get_in(options_.namespace_, name, version));
    out.labels = without_system_labels(out.labels);
    return out;
  }

  void interrupt_by(const http::Interrupts* interrupts) override { interrupts_ = interrupts; }

  Status create(const Record& record) override {
    const auto sent = send("POST", collection(options_.namespace_), record, "createdAt", "create");
    if (sent) return ok();
    if (kube::is_already_exists(sent.error())) return release_exists();
    return Error::wrap("create: failed to create", sent.error());
  }

  Status update(const Record& record) override {
    for (int attempt = 0;; ++attempt) {
      const auto sent = send("PUT", path_of(options_.namespace_, record.name, record.version),
                             record, "modifiedAt", "update");
      if (sent) return ok();
      const bool away = sent.error().code() == Code::kUnavailable &&
                        sent.error().find<kube::ApiStatus>() == nullptr;
      const bool given_up = interrupts_ && interrupts_->again.cancelled();
      if (!away || given_up || attempt == kUpdateRetries) {
        return Error::wrap("update: failed to update", sent.error());
      }
      std::this_thread::sleep_for(kUpdatePause);
    }
  }

  Status remove(std::string_view name, int version) override {
    kube::Call call;
    call.method = "DELETE";
    endure(call);
    call.path = path_of(options_.namespace_, name, version);
    const auto sent = rest_.call(call);
    if (sent) return ok();
    if (kube::is_not_found(sent.error())) return release_not_found();
    return sent.error();
  }

  Result<std::vector<Head>> heads(const Labels& equal) override {
    std::vector<Head> out;
    TRY(check(equal));
    TRY(list(selector(equal), kHeadsPage, kMetadataOnly, equal.size() > 1,
             [&](const Value& object) { out.push_back(head_of(object)); }));
    return out;
  }

  Result<std::vector<Record>> query(const Labels& equal) override {
    std::vector<Record> out;
    TRY(check(equal));
    TRY(list(selector(equal), kRecordsPage, "application/json", equal.size() > 1,
             [&](const Value& object) { keep(object, out); }));
    return out;
  }

  Result<std::vector<Record>> fetch(const std::vector<Head>& heads) override {
    std::vector<Record> out;
    if (heads.empty()) return out;
    if (heads.size() > 1) return fetch_by_list(heads);
    auto record = get_in(heads[0].namespace_, heads[0].name, heads[0].version);
    if (record) {
      out.push_back(std::move(*record));
    } else if (record.error().code() != Code::kDataLoss &&  // it said so in the log
               !storage::is_not_found(record.error())) {
      return record.error();
    }
    return out;
  }

 private:
  using Key = std::tuple<std::string, std::string, int>;
  static Key key_of(const std::string& ns, const std::string& name, int version) {
    return {ns, name, version};
  }

  std::string collection(std::string_view ns) const {
    if (ns.empty()) return cat("/api/v1/", kind_.plural);
    return cat("/api/v1/namespaces/", ns, "/", kind_.plural);
  }
  std::string path_of(std::string_view ns, std::string_view name, int version) const {
    return cat(collection(ns), "/", escape_query(release::record_key(name, version)));
  }

  // ",name in (a,b)"; "" when there are too many.
  static std::string among(std::string_view label, const std::set<std::string>& values) {
    if (values.size() > kFewValues) return "";
    std::string out;
    for (const std::string& v : values) append(out, {out.empty() ? "" : ",", v});
    return cat(",", label, " in (", out, ")");
  }

  // What is wanted of a long history is nearly always what is not superseded.
  Result<std::vector<Record>> fetch_by_list(const std::vector<Head>& heads) {
    std::map<Key, size_t> places;
    std::set<std::string> statuses, names, versions;
    for (size_t i = 0; i < heads.size(); ++i) {
      const Head& h = heads[i];
      places.emplace(key_of(h.namespace_, h.name, h.version), i);
      statuses.insert(h.status);
      names.insert(h.name);
      versions.insert(std::to_string(h.version));
    }
    std::string chosen = cat("owner=helm", among("name", names), among("version", versions));
    if (!statuses.contains("superseded")) chosen += ",status!=superseded";
    std::vector<std::optional<Record>> found(heads.size());
    TRY(list(chosen, kRecordsPage, "application/json", false, [&](const Value& object) {
      const Head h = head_of(object);
      const auto place = places.find(key_of(h.namespace_, h.name, h.version));
      if (place == places.end()) return;
      std::vector<Record> one;
      keep(object, one);
      if (!one.empty()) found[place->second] = std::move(one[0]);
    }));
    std::vector<Record> out;
    for (auto& record : found) {
      if (record) out.push_back(std::move(*record));
    }
    return out;
  }

  Result<Record> get_in(const std::string& ns, std::string_view name, int version) {
    const std::string key = release::record_key(name, version);
    kube::Call call;
    call.path = path_of(ns, name, version);
    const auto answer = rest_.call(call);
    if (!answer) {
      if (kube::is_not_found(answer.error())) return release_not_found();
      return Error::wrap(cat("get: failed to get ", quote(key)), answer.error());
    }
    const auto object = json::read(answer->body);
    auto record = object ? decode(*object) : Result<Record>(object.error());
    if (!record) {
      const std::string what = cat("get: failed to decode data ", quote(key));
      options_.log("DEBUG", what, {{"error", record.error().text()}});
      return Error(Code::kDataLoss, cat(what, ": ", record.error().text()));
    }
    return record;
  }

  Result<Record> decode(const Value& object) const {
    const Value* data = object.get("data");
    std::string packed = data ? text_at(*data, "release") : std::string();
    if (kind_.secret) packed = TRY(crypt::base64_decode(packed));
    Record out = TRY(release::unpack(packed));
    out.labels = labels_of(object);
    return out;
  }

  void keep(const Value& object, std::vector<Record>& out) {
    auto record = decode(object);
    if (record) {
      out.push_back(std::move(*record));
      return;
    }
    const Value* metadata = object.get("metadata");
    options_.log("DEBUG", "failed to decode release",
                 {{"key", metadata ? text_at(*metadata, "name") : ""},
                  {"error", record.error().text()}});
  }

  template <typename Each>
  Status list(const std::string& chosen, int page, std::string_view accept, bool query,
              const Each& each) {
    std::string token;
    do {
      kube::Call call;
      call.path = collection(options_.namespace_);
      call.query = cat("labelSelector=", escape_query(chosen), "&limit=", page);
      if (!token.empty()) append(call.query, {"&continue=", escape_query(token)});
      call.accept = accept;
      const auto failed = [&](const Error& error) {
        return Error::wrap(query ? "query: failed to query with labels" : "list: failed to list",
                           error);
      };
      const auto answer = rest_.call(call);
      if (!answer) return failed(answer.error());
      const auto tree = json::read(answer->body);
      if (!tree) return failed(tree.error());
      if (const Value* items = tree->get("items")) {
        for (const Value& item : items->items()) each(item);
      }
      const Value* metadata = tree->get("metadata");
      token = metadata ? text_at(*metadata, "continue") : "";
    } while (!token.empty());
    return ok();
  }

  // The user's first wish to stop is no reason to leave a record unwritten.
  void endure(kube::Call& call) const {
    const bool interrupted = interrupts_ && interrupts_->asked.cancelled();
    if (interrupted) call.timeout_ms = kLastWordMs;
    call.cancel = !interrupts_ ? &kNever : interrupted ? &interrupts_->again : &interrupts_->overdue;
  }

  Status send(std::string_view method, std::string path, const Record& record,
              std::string_view time_label, std::string_view verb) {
    auto packed = release::pack(record, options_.writer);
    if (!packed) {
      return Error::wrap(cat(verb, ": failed to encode release ", quote(record.name)),
                         packed.error());
    }
    if (kind_.secret) *packed = crypt::base64_encode(*packed);
    std::string labels;
    const Labels all = object_labels(record, time_label, clock_.now_ns() / 1'000'000'000);
    for (const auto& [key, v] : all) {
      labels += labels.empty() ? '{' : ',';
      json::append_string(labels, key);
      labels += ':';
      json::append_string(labels, v);
    }
    kube::Call call;
    call.method = method;
    endure(call);
    call.path = std::move(path);
    call.body = cat(R"({"kind":")", kind_.kind, R"(","apiVersion":"v1","metadata":{"name":")",
                    release::record_key(record.name, record.version), R"(","labels":)", labels,
                    R"(}},"data":{"release":")", *packed, "\"}",
                    kind_.secret ? R"(,"type":"helm.sh/release.v1"})" : "}");
    const auto answer = rest_.call(call);
    return answer ? ok() : Status(answer.error());
  }

  // IsValidLabelValue, as far as a release's name can break it.
  static Status check(const Labels& equal) {
    for (const auto& [key, v] : equal) {
      std::string wrong;
      if (v.size() > 63) wrong = "must be no more than 63 bytes";
      const auto alnum = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      };
      const bool shaped =
          v.empty() || (alnum(v.front()) && alnum(v.back()) &&
                        std::ranges::all_of(v, [&](char c) {
                          return alnum(c) || c == '-' || c == '_' || c == '.';
                        }));
      if (!shaped) {
        append(wrong,
               {wrong.empty() ? "" : "; ",
                "a valid label must be an empty string or consist of alphanumeric characters, "
                "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"});
      }
      if (wrong.empty()) continue;
      return Error(Code::kInvalidArgument, cat("invalid label value: ", quote(v), ": ", wrong));
    }
    return ok();
  }

  const Kind& kind_;
  kube::Rest& rest_;
  sys::Clock& clock_;
  DriverOptions options_;
  const http::Interrupts* interrupts_ = nullptr;
};

}  // namespace

std::unique_ptr<Driver> secrets(kube::Rest& rest, sys::Clock& clock, DriverOptions options) {
  return std::make_unique<Objects>(kSecret, rest, clock, std::move(options));
}

std::unique_ptr<Driver> config_maps(kube::Rest& rest, sys::Clock& clock, DriverOptions options) {
  return std::make_unique<Objects>(kConfigMap, rest, clock, std::move(options));
}

}  // namespace pintle::storage
