// ScriptedRest: an API server that is a test. Every opened request is kept; the test looks at it,
// then feeds its answer and ends it by hand, on its own thread. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kube/rest.h"

namespace pintle::informer {

class ScriptedRest final : public kube::Rest {
 public:
  struct Exchange {
    kube::Call call;
    std::function<Flow(std::string_view)> data;
    std::function<void(Status)> done;
    bool dropped = false, ended = false;
    int resumed = 0;

    // "limit=500&resourceVersion=0" -> find("limit") is "500"; "" when missing.
    std::string find(std::string_view name) const;
    bool is_watch() const { return find("watch") == "true"; }
    void accept();  // the head of a good answer
    Flow send(std::string_view bytes);
    void end(Status status = ok());
    void answer(std::string_view bytes) {  // a whole one
      send(bytes);
      end();
    }
    void refuse(int code, std::string reason, std::string message = {}, int retry_after = 0,
                std::string raw = {});
  };

  // The oldest request not looked at yet; null when there is none.
  std::shared_ptr<Exchange> next();
  size_t opened();  // all requests so far

  Result<http::Response> call(const kube::Call& call) override;
  Status stream(const kube::Call& call, const std::function<bool(std::string_view)>& data) override;
  std::unique_ptr<Pending> open(const kube::Call& call, std::function<Flow(std::string_view)> data,
                                std::function<void(Status)> done) override;
  std::string server() const override { return "https://scripted:6443"; }

 private:
  Mutex mutex_;
  std::deque<std::shared_ptr<Exchange>> fresh_ GUARDED_BY(mutex_);
  size_t opened_ GUARDED_BY(mutex_) = 0;
};

// An answer of the server that is no success.
Error api_error(int code, std::string reason, std::string message = {}, int retry_after = 0,
                std::string raw = {});
// {"metadata":{"namespace":..,"name":..,"uid":..,"resourceVersion":..},"data":..}
std::string object_json(std::string_view key, std::string_view version, std::string_view data = "");
std::string list_json(const std::vector<std::string>& items, std::string_view version,
                      std::string_view next_page = "", std::string_view kind = "ConfigMapList");
std::string frame_json(std::string_view type, std::string_view object);
std::string bookmark_json(std::string_view version, bool initial_end = false);
std::string error_frame(int code, std::string_view reason, std::string_view message = "");

}  // namespace pintle::informer
