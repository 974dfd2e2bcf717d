"""One Kubernetes API server as the comparison sees it: every object of a namespace, and what is new
among the cluster's own."""
import base64
import gzip
import http.client
import json
import re
import ssl
import threading

# Written by the server itself about itself, or about moments.
SKIPPED = {"events", "leases", "nodes", "namespaces", "componentstatuses", "apiservices", "csinodes", "flowschemas",
           "prioritylevelconfigurations", "ipaddresses", "servicecidrs", "clustertrustbundles"}


class Server:
    def __init__(self, kubeconfig):
        self.kubeconfig = kubeconfig
        text = open(kubeconfig).read()
        self.host, self.port = re.search(r"server:\s*[\"']?https://([\d.]+):(\d+)", text).groups()
        self.token = re.search(r"token:\s*[\"']?([^\s}\"']+)", text).group(1)
        self.local = threading.local()

    def call(self, method, path, body=None, kind="application/json", accept="application/json",
             agent="kube-controller-manager"):
        """Status code and the answer's JSON. A connection per thread; one retry when it was closed."""
        headers = {"Authorization": "Bearer " + self.token, "Accept": accept, "Content-Type": kind,
                   "User-Agent": agent + "/e2e"}
        for last in (False, True):
            if getattr(self.local, "link", None) is None:
                context = ssl._create_unverified_context()
                self.local.link = http.client.HTTPSConnection(self.host, int(self.port), context=context, timeout=30)
            try:
                self.local.link.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = self.local.link.getresponse()
                data = answer.read()
                return answer.status, json.loads(data) if data[:1] in (b"{", b"[") else {}
            except (OSError, http.client.HTTPException):
                self.local.link = None
                if last:
                    raise

    def resources(self):
        """(list path with {}, namespaced, plural) of everything that can be listed, in the group's first version."""
        groups = [("/api/v1", "")]
        for group in self.call("GET", "/apis")[1]["groups"]:
            groups.append(("/apis/" + group["preferredVersion"]["groupVersion"], group["name"]))
        for path, _ in groups:
            for r in self.call("GET", path)[1].get("resources", []):
                if "list" in r["verbs"] and "/" not in r["name"] and r["name"] not in SKIPPED:
                    yield path + ("/namespaces/{}/" if r["namespaced"] else "/") + r["name"], r["namespaced"], r["kind"]

    def cluster_objects(self):
        found = {}
        for path, namespaced, kind in self.resources():
            if not namespaced:
                for item in self.call("GET", path)[1].get("items") or []:
                    found[kind, item["metadata"]["name"]] = item
        return found

    def namespace_objects(self, namespace):
        found = {}
        for path, namespaced, kind in self.resources():
            if namespaced:
                for item in self.call("GET", path.format(namespace))[1].get("items") or []:
                    found[kind, item["metadata"]["name"]] = item
        return found


# ---- masks ----

SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]"
MASKS = [(re.compile(pattern), to) for pattern, to in [
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| ?[+-]\d\d:?\d\d)?( (UTC|GMT))?( m=[+-][\d.]+)?", "TIME"),
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}", "TIME"),
    (r"\b(unix|modifiedAt)\D{1,3}\d{10}\b", "TIME"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\b(10|172|192|127)\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", "ADDRESS"),
    (rf"-{SUFFIX}{{6,10}}-{SUFFIX}{{5}}\b", "-HASH-ID"),
    (rf"-{SUFFIX}{{6,10}}\b", "-HASH"),
    (rf"-{SUFFIX}{{5}}\b", "-ID"),
    (r":3\d{4}/", ":PORT/"),
    (r"^(node-0|drydock)$", "NODE"),
    (r"\bdrydock\.local/simulated\b", "PROVISIONER"),
]]
DROPPED = {"ca.crt", "modifiedAt", "MODIFIED_AT", "MODIFIED_AT_ISO"}
MASKED = {"uid", "resourceVersion", "nodePort", "healthCheckNodePort", "pod-template-hash", "controller-revision-hash", "controller-uid",
          "batch.kubernetes.io/controller-uid", "controller.kubernetes.io/hash", "caBundle"}


def masked_text(text):
    for pattern, to in MASKS:
        text = pattern.sub(to, text)
    return text


def release_record(text):
    """Helm's record: JSON in gzip in base64; Tiller's is protobuf inside, of which the size stays."""
    try:
        data = gzip.decompress(base64.b64decode(text))
        return json.loads(data) if data[:1] == b"{" else "a record"
    except (ValueError, OSError):
        return text


def flat(object):
    """{path: masked value}: lists by position, managed fields by their manager."""
    rows = {}

    def walk(path, value):
        if path in ("/data/release",):
            value = release_record(base64.b64decode(value) if object.get("type", "").startswith("helm.sh/") else value)
        if path == "/metadata/managedFields":
            value = {f'{e["manager"]} {e["operation"]} {e.get("subresource", "")}': e.get("fieldsV1") for e in value}
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in MASKED:
                    rows[f"{path}/{key}"] = "MASKED"
                elif key not in DROPPED:
                    walk(f"{path}/{masked_text(key)}", inner)
            if not value:
                rows[path] = "{}"
        elif isinstance(value, list):
            # Slices and subsets are in the order of Go's maps and hashes.
            if path.startswith("/subsets") or (object.get("addressType") and path in ("/endpoints", "/ports")):
                value = sorted(value, key=lambda inner: masked_text(json.dumps(inner, sort_keys=True)))
            for i, inner in enumerate(value):
                walk(f"{path}/{i}", inner)
            if not value:
                rows[path] = "[]"
        else:
            rows[path] = masked_text(value) if isinstance(value, str) else value

    walk("", object)
    return rows


def by_masked_name(objects):
    """{"Kind/name": [rows, ...]}: generated names become one, their objects stand in a fixed order."""
    named = {}
    for (kind, name), object in objects.items():
        named.setdefault(f"{kind}/{masked_text(name)}", []).append(flat(object))
    for same in named.values():
        same.sort(key=lambda rows: sorted((k, str(v)) for k, v in rows.items()))
    return named
