// A cluster without a server: every operation succeeds and nothing exists (Helm's
// kubefake.PrintingKubeClient). For HELM_DRIVER=memory, and for tests.
#pragma once

#include <string>

#include "kube/cluster.h"

namespace pintle::cli {

class PrintingCluster : public kube::Cluster {
 public:
  explicit PrintingCluster(std::string kube_version) : kube_version_(std::move(kube_version)) {}

  Status reachable() override { return ok(); }
  Result<kube::Version> version() override;
  Result<std::vector<std::string>> api_versions() override;
  void invalidate_discovery() override {}
  Result<kube::Objects> build(std::string_view, bool) override { return kube::Objects(); }
  Result<value::Value> get(const kube::Object&) override { return value::Value(); }
  Result<kube::Objects> create(const kube::Objects& objects, const kube::ApplyOptions&) override {
    return objects;
  }
  Status update(const kube::Objects&, const kube::Objects& target, const kube::ApplyOptions&,
                kube::UpdateReport& report) override {
    report.created = target;
    return ok();
  }
  std::vector<Error> remove(const kube::Objects& objects, kube::Propagation,
                            kube::Objects& removed) override {
    removed = objects;
    return {};
  }
  Status wait(const kube::Objects&, const kube::WaitOptions&) override { return ok(); }
  Status wait_for_delete(const kube::Objects&, const kube::WaitOptions&) override { return ok(); }
  Status watch_until_ready(const kube::Objects&, const kube::WaitOptions&) override {
    return ok();
  }
  Result<value::Value> lookup(std::string_view, std::string_view, std::string_view,
                              std::string_view) override;
  Result<std::vector<value::Value>> pods(std::string_view, std::string_view) override {
    return std::vector<value::Value>();
  }
  Status pod_log(std::string_view, std::string_view, std::string_view,
                 const std::function<bool(std::string_view)>&) override {
    return ok();
  }
  Result<value::Value> table(const kube::Object&) override { return value::Value(); }
  Result<value::Value> pod_list(std::string_view, std::string_view, bool) override {
    return value::Value();
  }

 private:
  std::string kube_version_;
};

}  // namespace pintle::cli
