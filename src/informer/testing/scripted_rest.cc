#include "informer/testing/scripted_rest.h"

#include "base/strings.h"

namespace pintle::informer {
namespace {

constexpr std::string_view kHead = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)";

}  // namespace

std::string ScriptedRest::Exchange::find(std::string_view name) const {
  for (const std::string_view pair : split(call.query, "&")) {
    if (pair.starts_with(cat(name, "="))) return std::string(pair.substr(name.size() + 1));
  }
  return "";
}

void ScriptedRest::Exchange::accept() {
  if (!dropped && !ended) call.answered();
}

kube::Rest::Flow ScriptedRest::Exchange::send(std::string_view bytes) {
  return dropped || ended ? Flow::kStop : data(bytes);
}

void ScriptedRest::Exchange::end(Status status) {
  if (dropped || std::exchange(ended, true)) return;
  done(std::move(status));
}

void ScriptedRest::Exchange::refuse(int code, std::string reason, std::string message,
                                    int retry_after, std::string raw) {
  end(api_error(code, std::move(reason), std::move(message), retry_after, std::move(raw)));
}

std::shared_ptr<ScriptedRest::Exchange> ScriptedRest::next() {
  Lock held(mutex_);
  if (fresh_.empty()) return nullptr;
  auto x = std::move(fresh_.front());
  fresh_.pop_front();
  return x;
}

size_t ScriptedRest::opened() {
  Lock held(mutex_);
  return opened_;
}

Result<http::Response> ScriptedRest::call(const kube::Call&) {
  return Error(Code::kUnimplemented, "only opened requests are scripted");
}

Status ScriptedRest::stream(const kube::Call&, const std::function<bool(std::string_view)>&) {
  return Error(Code::kUnimplemented, "only opened requests are scripted");
}

std::unique_ptr<kube::Rest::Pending> ScriptedRest::open(const kube::Call& call,
                                                        std::function<Flow(std::string_view)> data,
                                                        std::function<void(Status)> done) {
  struct Handle final : Pending {
    std::shared_ptr<Exchange> x;  // shared with the test
    ~Handle() override { x->dropped = true; }
    void resume() override { ++x->resumed; }
  };
  auto handle = std::make_unique<Handle>();
  handle->x = std::make_shared<Exchange>();
  handle->x->call = call;
  handle->x->data = std::move(data);
  handle->x->done = std::move(done);
  Lock held(mutex_);
  fresh_.push_back(handle->x);
  ++opened_;
  return handle;
}

Error api_error(int code, std::string reason, std::string message, int retry_after,
                std::string raw) {
  auto detail = std::make_unique<kube::ApiStatus>();
  detail->code = code;
  detail->reason = std::move(reason);
  detail->message = message;
  detail->retry_after_seconds = retry_after;
  detail->raw = std::move(raw);
  Error e(Code::kUnknown, message.empty() ? cat("refused with ", code) : std::move(message));
  e.set_detail(std::move(detail));
  return e;
}

std::string object_json(std::string_view key, std::string_view version, std::string_view data) {
  const size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  const std::string space = slash == std::string_view::npos
                                ? std::string()
                                : cat("\"namespace\":\"", key.substr(0, slash), "\",");
  return cat(kHead, "{", space, "\"name\":\"", name, "\",\"uid\":\"uid-", name,
             "\",\"resourceVersion\":\"", version, "\"},\"data\":\"", data, "\"}");
}

std::string list_json(const std::vector<std::string>& items, std::string_view version,
                      std::string_view next_page, std::string_view kind) {
  return cat("{\"kind\":\"", kind, "\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"",
             version, "\",\"continue\":\"", next_page, "\"},\"items\":[", join(items, ","), "]}\n");
}

std::string frame_json(std::string_view type, std::string_view object) {
  return cat("{\"type\":\"", type, "\",\"object\":", object, "}\n");
}

std::string bookmark_json(std::string_view version, bool initial_end) {
  const std::string_view end =
      initial_end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "";
  return frame_json("BOOKMARK",
                    cat(kHead, "{\"resourceVersion\":\"", version, "\"", end, "}}"));
}

std::string error_frame(int code, std::string_view reason, std::string_view message) {
  return frame_json("ERROR", cat("{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"",
                                 reason, "\",\"message\":\"", message, "\",\"code\":", code, "}"));
}

}  // namespace pintle::informer
