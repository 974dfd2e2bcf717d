// FakeRest: answers a test wrote down, instead of a server. Calls are kept as "GET /path?query".
// A watch gets its frames at once and then ends as told. Thread-safe, as Rest.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "kube/rest.h"

namespace pintle::kube {

class FakeRest final : public Rest {
 public:
  struct Answer {
    int status = 200;
    std::string body;
    http::Headers headers = {};
  };
  struct Stream {
    std::string frames;
    std::optional<Status> end;  // nullopt: it stays open
  };

  // The next answer to "GET /path" (no query); the last one is given again and again.
  void answer(const std::string& what, Answer a);
  void stream_of(const std::string& path, Stream s);
  std::vector<std::string> calls();   // "GET /path?query"
  std::vector<std::string> bodies();  // aligned with calls()

  Result<http::Response> call(const Call& call) override;
  Status stream(const Call& call, const std::function<bool(std::string_view)>& data) override;
  std::unique_ptr<Pending> open(const Call& call, std::function<Flow(std::string_view)> data,
                                std::function<void(Status)> done) override;
  std::string server() const override { return "https://fake:6443"; }

 private:
  void note(const Call& call) REQUIRES(mutex_);
  Mutex mutex_;
  std::map<std::string, std::deque<Answer>> answers_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<Stream>> streams_ GUARDED_BY(mutex_);
  std::vector<std::string> calls_ GUARDED_BY(mutex_);
  std::vector<std::string> bodies_ GUARDED_BY(mutex_);
};

}  // namespace pintle::kube
