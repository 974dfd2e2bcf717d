// Services, config, storage, namespaces, nodes, events.
#include <algorithm>

#include "base/strings.h"
#include "drydock/printers/cells.h"

namespace pintle::drydock {
namespace {

std::string joined(std::span<const Value> list, std::string_view key = "") {
  std::string out;
  for (const Value& v : list) {
    if (!out.empty()) out += ",";
    out += key.empty() ? show(&v) : std::string(text(v, key));
  }
  return out;
}

std::string balancer(const Value& object, bool wide) {
  std::string out;
  for (const Value& i : items(object, "status", "loadBalancer", "ingress")) {
    std::string_view one = text(i, "ip").empty() ? text(i, "hostname") : text(i, "ip");
    if (!out.empty()) out += ",";
    out += one;
  }
  if (!wide && out.size() > 16) out = out.substr(0, 13) + "...";
  return out;
}

std::string external_ip(const Value& s) {
  std::string_view type = text(s, "spec", "type");
  std::string ips = joined(items(s, "spec", "externalIPs"));
  if (type == "ExternalName") return std::string(text(s, "spec", "externalName"));
  if (type != "LoadBalancer") return or_none(ips);
  std::string lb = balancer(s, false);
  if (lb.empty()) return ips.empty() ? "<pending>" : ips;
  return ips.empty() ? lb : cat(lb, ",", ips);
}

Cells service_cells(World& world, const Value& s) {
  std::string ports;
  for (const Value& p : items(s, "spec", "ports")) {
    if (!ports.empty()) ports += ",";
    ports += cat(number(p, "port"));
    if (int64_t node = number(p, "nodePort"); node > 0) ports += cat(":", node);
    ports += cat("/", text(p, "protocol"));
  }
  auto ips = items(s, "spec", "clusterIPs");
  std::string ip = ips.empty() ? std::string("<none>") : show(&ips[0]);
  return {make(text(s, "spec", "type")), make(ip), make(or_none(external_ip(s))), make(or_none(ports)),
          age(world, s), make(label_text(at(s, "spec", "selector")))};
}

Cells endpoints_cells(World& world, const Value& e) {
  std::vector<std::string> all;
  for (const Value& subset : items(e, "subsets")) {
    auto ports = items(subset, "ports");
    for (const Value& a : items(subset, "addresses")) {
      if (ports.empty()) all.emplace_back(text(a, "ip"));
      for (const Value& p : ports) all.push_back(cat(text(a, "ip"), ":", number(p, "port")));
    }
  }
  size_t more = all.size() > 3 ? all.size() - 3 : 0;
  if (more) all.resize(3);
  std::string out = join(all, ",");
  if (more) out += cat(" + ", more, " more...");
  return {make(or_none(out)), age(world, e)};
}

Cells slice_cells(World& world, const Value& s) {
  std::vector<std::string> ports, hosts;
  for (const Value& p : items(s, "ports")) {
    std::string one = has(p, "port") ? cat(number(p, "port")) : "*";
    ports.push_back(one);
  }
  for (const Value& e : items(s, "endpoints")) {
    for (const Value& a : items(e, "addresses")) hosts.push_back(show(&a));
  }
  auto few = [](std::vector<std::string> v, std::string_view none) {
    if (v.empty()) return std::string(none);
    size_t more = v.size() > 3 ? v.size() - 3 : 0;
    if (more) v.resize(3);
    std::string out = join(v, ",");
    return more ? out + cat(" + ", more, " more...") : out;
  };
  return {make(text(s, "addressType")), make(few(ports, "<unset>")), make(few(hosts, "<unset>")),
          age(world, s)};
}

Cells config_map_cells(World& world, const Value& c) {
  return {make(entries(c, "data").size() + entries(c, "binaryData").size()), age(world, c)};
}

Cells secret_cells(World& world, const Value& s) {
  return {make(text(s, "type")), make(entries(s, "data").size()), age(world, s)};
}

Cells age_cells(World& world, const Value& o) { return {age(world, o)}; }

Cells namespace_cells(World& world, const Value& n) {
  return {make(text(n, "status", "phase")), age(world, n)};
}

Cells node_cells(World& world, const Value& n) {
  std::string status = "Unknown";
  for (const Value& c : items(n, "status", "conditions")) {
    if (text(c, "type") == "Ready") status = text(c, "status") == "True" ? "Ready" : "NotReady";
  }
  if (flag(n, "spec", "unschedulable")) status += ",SchedulingDisabled";
  std::vector<std::string> roles;
  for (const auto& e : entries(n, "metadata", "labels")) {
    constexpr std::string_view kRole = "node-role.kubernetes.io/";
    if (e.key.view().starts_with(kRole)) roles.emplace_back(e.key.view().substr(kRole.size()));
  }
  std::string inside = "<none>", outside = "<none>";
  for (const Value& a : items(n, "status", "addresses")) {
    if (text(a, "type") == "InternalIP" && inside == "<none>") inside = text(a, "address");
    if (text(a, "type") == "ExternalIP" && outside == "<none>") outside = text(a, "address");
  }
  auto info = [&](std::string_view key) {
    std::string_view v = text(n, "status", "nodeInfo", key);
    return make(v.empty() ? std::string("<unknown>") : std::string(v));
  };
  return {make(status), make(or_none(join(roles, ","))),
          make(text(n, "status", "nodeInfo", "kubeletVersion")), age(world, n), make(inside),
          make(outside), info("osImage"), info("kernelVersion"), info("containerRuntimeVersion")};
}

std::string modes_text(std::span<const Value> modes) {
  std::string out;
  for (std::string_view known : {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}) {
    bool there = std::any_of(modes.begin(), modes.end(), [&](const Value& m) {
      return m.is_string() && m.as_string() == known;
    });
    if (!there) continue;
    if (!out.empty()) out += ",";
    out += known == "ReadWriteOnce" ? "RWO" : known == "ReadOnlyMany" ? "ROX"
         : known == "ReadWriteMany" ? "RWX" : "RWOP";
  }
  return out;
}

Cells claim_cells(World& world, const Value& c) {
  std::string phase(text(c, "status", "phase"));
  if (has(c, "metadata", "deletionTimestamp")) phase = "Terminating";
  std::string capacity, modes;
  if (!text(c, "spec", "volumeName").empty()) {
    capacity = show(at(c, "status", "capacity", "storage"));
    modes = modes_text(items(c, "status", "accessModes"));
  }
  std::string attributes(text(c, "spec", "volumeAttributesClassName"));
  if (attributes.empty()) attributes = "<unset>";
  return {make(phase), make(text(c, "spec", "volumeName")), make(capacity), make(modes),
          make(text(c, "spec", "storageClassName")), make(attributes), age(world, c),
          make(text(c, "spec", "volumeMode"))};
}

Cells volume_cells(World& world, const Value& v) {
  std::string claim;
  if (has(v, "spec", "claimRef")) {
    claim = cat(text(v, "spec", "claimRef", "namespace"), "/", text(v, "spec", "claimRef", "name"));
  }
  std::string phase(text(v, "status", "phase"));
  if (has(v, "metadata", "deletionTimestamp")) phase = "Terminating";
  std::string attributes(text(v, "spec", "volumeAttributesClassName"));
  if (attributes.empty()) attributes = "<unset>";
  return {make(show(at(v, "spec", "capacity", "storage"))), make(modes_text(items(v, "spec", "accessModes"))),
          make(text(v, "spec", "persistentVolumeReclaimPolicy")), make(phase), make(claim),
          make(text(v, "spec", "storageClassName")), make(attributes), make(text(v, "status", "reason")),
          age(world, v), make(text(v, "spec", "volumeMode"))};
}

Cells event_cells(World& world, const Value& e) {
  std::string first = age_of(world, text(e, "firstTimestamp"));
  if (!has(e, "firstTimestamp")) first = age_of(world, text(e, "eventTime"));
  std::string last = has(e, "lastTimestamp") ? age_of(world, text(e, "lastTimestamp")) : first;
  int64_t count = number(e, "count");
  if (has(e, "series")) {
    last = age_of(world, text(e, "series", "lastObservedTime"));
    count = number(e, "series", "count");
  } else if (count == 0) {
    count = 1;
  }
  std::string kind;
  for (char c : text(e, "involvedObject", "kind")) {
    kind.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  std::string target = cat(kind, "/", text(e, "involvedObject", "name"));
  std::string source(text(e, "source", "component"));
  if (source.empty()) source = text(e, "reportingComponent");
  if (std::string_view host = text(e, "source", "host"); !host.empty()) source += cat(", ", host);
  std::string_view message = text(e, "message");
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
  return {make(last), make(text(e, "type")), make(text(e, "reason")), make(target),
          make(text(e, "involvedObject", "fieldPath")), make(source), make(message), make(first),
          make(count), make(name_of(e))};
}

std::string quota_pairs(const Value& q, bool limits) {
  std::string out;
  for (const auto& e : entries(q, "status", "hard")) {
    if (e.key.view().starts_with("limits.") != limits) continue;
    if (!out.empty()) out += ", ";
    const Value* used = at(q, "status", "used", e.key.view());
    out += cat(e.key.view(), ": ", used ? show(used) : "0", "/", show(&e.value));
  }
  return out;
}

Cells quota_cells(World& world, const Value& q) {
  return {make(quota_pairs(q, false)), make(quota_pairs(q, true)), age(world, q)};
}

}  // namespace

void add_core_printers(std::vector<PrinterRow>& out) {
  out.push_back({"", "Service", PINTLE_COLUMNS("Type|Cluster-IP|External-IP|Port(s)|Age|*Selector"),
                 service_cells});
  out.push_back({"", "Endpoints", PINTLE_COLUMNS("Endpoints|Age"), endpoints_cells});
  out.push_back({"discovery.k8s.io", "EndpointSlice", PINTLE_COLUMNS("AddressType|Ports|Endpoints|Age"),
                 slice_cells});
  out.push_back({"", "ConfigMap", PINTLE_COLUMNS("Data|Age"), config_map_cells});
  out.push_back({"", "Secret", PINTLE_COLUMNS("Type|Data|Age"), secret_cells});
  out.push_back({"", "ServiceAccount", PINTLE_COLUMNS("Age"), age_cells});
  out.push_back({"", "Namespace", PINTLE_COLUMNS("Status|Age"), namespace_cells});
  out.push_back({"", "Node",
                 PINTLE_COLUMNS("Status|Roles|Version|Age|*Internal-IP|*External-IP|*OS-Image|"
                                "*Kernel-Version|*Container-Runtime"),
                 node_cells});
  out.push_back({"", "PersistentVolumeClaim",
                 PINTLE_COLUMNS("Status|Volume|Capacity|Access Modes|StorageClass|"
                                "VolumeAttributesClass|Age|*VolumeMode"),
                 claim_cells});
  out.push_back({"", "PersistentVolume",
                 PINTLE_COLUMNS("Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|"
                                "VolumeAttributesClass|Reason|Age|*VolumeMode"),
                 volume_cells});
  out.push_back({"", "Event",
                 PINTLE_COLUMNS("Last Seen|Type|Reason|Object|*Subobject|*Source|Message|*First Seen|"
                                "*#Count|*Name"),
                 event_cells});
  out.push_back({"", "ResourceQuota", PINTLE_COLUMNS("Request|Limit|Age"), quota_cells});
}

}  // namespace pintle::drydock
