#include "drydock/kinds/pod_template.h"

namespace pintle::drydock {

bool image_is_latest(std::string_view image) {
  constexpr size_t kLongest = 255;
  if (image.size() > kLongest && image.find_first_of(":@") == image.npos) return false;
  for (char c : image) {  // what is no reference has no tag
    if (c <= ' ' || c > '~') return false;
  }
  if (image.find('@') != std::string_view::npos) return false;
  size_t slash = image.rfind('/');
  std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  size_t colon = last.find(':');
  return colon == std::string_view::npos ? !image.empty() : last.substr(colon + 1) == "latest";
}

namespace {

void default_http_get(Value* handler) {
  Value* get = handler ? find(*handler, "httpGet") : nullptr;
  if (!get) return;
  default_to(*get, "path", "/");
  default_to(*get, "scheme", "HTTP");
}

void default_zero(Value& map, std::string_view key, int64_t n) {
  if (number(map, key) == 0) put(map, key, n);
}

void default_probe(Value* probe) {
  if (!probe) return;
  default_zero(*probe, "timeoutSeconds", 1);
  default_zero(*probe, "periodSeconds", 10);
  default_zero(*probe, "successThreshold", 1);
  default_zero(*probe, "failureThreshold", 3);
  default_http_get(probe);
  if (Value* grpc = find(*probe, "grpc"); grpc && !has(*grpc, "service")) put(*grpc, "service", "");
}

void default_field_ref(Value* holder) {
  if (!holder) return;
  if (Value* ref = find(*holder, "fieldRef")) default_to(*ref, "apiVersion", "v1");
  if (Value* ref = find(*holder, "resourceFieldRef"); ref && !has(*ref, "divisor")) {
    put(*ref, "divisor", "0");
  }
}

void default_container(Value& c) {
  default_to(c, "imagePullPolicy", image_is_latest(text(c, "image")) ? "Always" : "IfNotPresent");
  default_to(c, "terminationMessagePath", "/dev/termination-log");
  default_to(c, "terminationMessagePolicy", "File");
  for (Value& port : elements(c, "ports")) default_to(port, "protocol", "TCP");
  for (Value& e : elements(c, "env")) default_field_ref(find(e, "valueFrom"));
  for (std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    default_probe(find(c, probe));
  }
  if (Value* hooks = find(c, "lifecycle")) {  // a feature that is off
    const bool only = has(*hooks, "stopSignal") && entries_of(hooks).size() == 1;
    drop(*hooks, "stopSignal");
    if (only) drop(c, "lifecycle");
  }
  default_http_get(find(c, "lifecycle", "postStart"));
  default_http_get(find(c, "lifecycle", "preStop"));
}

void default_mode(Value* source) {
  if (source && !has(*source, "defaultMode")) put(*source, "defaultMode", 420);
}

void default_downward_items(Value* source) {
  if (!source) return;
  for (Value& item : elements(*source, "items")) default_field_ref(&item);
}

void default_volume(Value& v) {
  if (entries_of(&v).size() <= 1) put(v, "emptyDir", empty_map());
  for (std::string_view source : {"secret", "configMap", "downwardAPI", "projected"}) {
    default_mode(find(v, source));
  }
  default_downward_items(find(v, "downwardAPI"));
  for (Value& part : elements(v, "projected", "sources")) {
    default_downward_items(find(part, "downwardAPI"));
    if (Value* token = find(part, "serviceAccountToken"); token && !has(*token, "expirationSeconds")) {
      put(*token, "expirationSeconds", 3600);
    }
  }
  if (Value* host = find(v, "hostPath"); host && !has(*host, "type")) put(*host, "type", "");
  if (Value* image = find(v, "image")) {
    default_to(*image, "pullPolicy",
               image_is_latest(text(*image, "reference")) ? "Always" : "IfNotPresent");
  }
  if (Value* claim = find(v, "ephemeral", "volumeClaimTemplate", "spec")) {
    default_to(*claim, "volumeMode", "Filesystem");
  }
  if (Value* iscsi = find(v, "iscsi")) default_to(*iscsi, "iscsiInterface", "default");
  if (Value* rbd = find(v, "rbd")) {
    default_to(*rbd, "pool", "rbd");
    default_to(*rbd, "user", "admin");
    default_to(*rbd, "keyring", "/etc/ceph/keyring");
  }
  if (Value* disk = find(v, "azureDisk")) {
    default_to(*disk, "cachingMode", "ReadWrite");
    default_to(*disk, "kind", "Shared");
    default_to(*disk, "fsType", "ext4");
    if (!has(*disk, "readOnly")) put(*disk, "readOnly", false);
  }
}

}  // namespace

void default_pod_spec(Value& spec) {
  default_to(spec, "dnsPolicy", "ClusterFirst");
  default_to(spec, "restartPolicy", "Always");
  default_to(spec, "schedulerName", "default-scheduler");
  if (!has(spec, "securityContext")) put(spec, "securityContext", empty_map());
  if (!has(spec, "terminationGracePeriodSeconds")) put(spec, "terminationGracePeriodSeconds", 30);
  for (Value& v : elements(spec, "volumes")) default_volume(v);
  for (std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
    for (Value& c : elements(spec, key)) default_container(c);
  }
  // The deprecated name of the account is written beside the new one.
  if (has(spec, "serviceAccountName")) {
    put(spec, "serviceAccount", std::string(text(spec, "serviceAccountName")));
  } else if (has(spec, "serviceAccount")) {
    put(spec, "serviceAccountName", std::string(text(spec, "serviceAccount")));
  }
}

void default_pod_template(Value& owner, std::string_view key) {
  Value* pod = find(owner, key);
  if (!pod) return;
  ensure(*pod, "metadata");
  default_pod_spec(ensure(*pod, "spec"));
}

}  // namespace pintle::drydock
