#include "kube/testing/fake_rest.h"

#include "base/strings.h"

namespace pintle::kube {

void FakeRest::answer(const std::string& what, Answer a) {
  Lock held(mutex_);
  answers_[what].push_back(std::move(a));
}

void FakeRest::stream_of(const std::string& path, Stream s) {
  Lock held(mutex_);
  streams_[path].push_back(std::move(s));
}

std::vector<std::string> FakeRest::calls() {
  Lock held(mutex_);
  return calls_;
}

std::vector<std::string> FakeRest::bodies() {
  Lock held(mutex_);
  return bodies_;
}

void FakeRest::note(const Call& call) {
  calls_.push_back(cat(call.method, " ", call.path, call.query.empty() ? "" : "?", call.query));
  bodies_.push_back(call.body);
}

Result<http::Response> FakeRest::call(const Call& call) {
  Lock held(mutex_);
  note(call);
  http::Response r;
  const auto it = answers_.find(cat(call.method, " ", call.path));
  if (it == answers_.end()) {
    r.status = 404;
    r.body = R"({"kind":"Status","code":404,"reason":"NotFound","message":"not found"})";
    return status_error(r);
  }
  Answer a = it->second.front();
  if (it->second.size() > 1) it->second.pop_front();
  r.status = a.status;
  r.headers = std::move(a.headers);
  r.body = std::move(a.body);
  if ((r.status < 200 || r.status >= 300) && r.status != 304) return status_error(r);
  return r;
}

Status FakeRest::stream(const Call& call, const std::function<bool(std::string_view)>& data) {
  auto response = this->call(call);
  if (!response) return std::move(response).error();
  data(response->body);
  return ok();
}

std::unique_ptr<Rest::Pending> FakeRest::open(const Call& call,
                                              std::function<Flow(std::string_view)> data,
                                              std::function<void(Status)> done) {
  struct Nothing final : Pending {
    void resume() override {}
  };
  Stream s;
  {
    Lock held(mutex_);
    note(call);
    auto& list = streams_[call.path];
    if (!list.empty()) {
      s = list.front();
      if (list.size() > 1) list.pop_front();
    }
  }
  if (!s.frames.empty()) data(s.frames);
  if (s.end) done(*s.end);
  return std::make_unique<Nothing>();
}

}  // namespace pintle::kube
