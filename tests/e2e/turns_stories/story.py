"""A story: commands in their order, told in one namespace by one or two programs by turns.

A .story file: `by 4 3` names the Helms it is for (34: Helm 3 and 4 by turns), `quick 4` those it is
told by in the short run, `alone` keeps its turns from going on at once; then a command a line, as the arguments of helm, VARIABLE=value before them.
A line `$ ...` is kubectl's: it is nobody's turn and not compared; it may fail with `$- ...`.
CHART, HOOKS, CREATED, NAMESPACE and FILES are filled in. `#` begins a comment."""
import base64
import difflib
import glob
import gzip
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.dirname(HERE)
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

# Made by controllers, or about moments.
SKIPPED = {"pods", "replicasets", "endpoints", "endpointslices", "controllerrevisions", "events", "leases"}
CONTROLLERS = {"kube-controller-manager", "kwok", "kwok-controller", "drydock", "kube-scheduler", "kube-apiserver"}
DROPPED = {"uid", "resourceVersion", "creationTimestamp", "status", "time", "generation", "modifiedAt", "createdAt", "clusterIP",
           "clusterIPs", "nodePort", "controller-uid", "batch.kubernetes.io/controller-uid", "caBundle",
           "deployment.kubernetes.io/revision", "f:batch.kubernetes.io/controller-uid", "f:controller-uid"}
MASKS = [(re.compile(pattern), to) for pattern, to in [
    (r"(?m)^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ .*\n?", ""),  # klog's own words
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| ?[+-]\d\d:?\d\d)?( (UTC|GMT))?( m=[+-][\d.]+)?", "TIME"),
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}", "TIME"),
    (r"((?:modified|created)At\W+)\d{10}", r"\1TIME"),
    (r"\b\d+\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b", "UID"),
    (r"containerd://[0-9a-f]{64}", "CONTAINER"),
    (r"-[bcdfghjklmnpqrstvwxz2456789]{5,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b", "-POD"),
    (r"(pods?[: ]+\"?[a-z-]+-)[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1POD"),
    (r"(\"name\":\"[a-z0-9.-]+-)[bcdfghjklmnpqrstvwxz2456789]{5}\"", r'\1POD"'),
    (r"((?:resourceVersion|observedGeneration|[nN]odePort)\W+)\d+", r"\1N"),
    (r"\b(\d+):3\d{4}/(TCP|UDP|SCTP)", r"\1:PORT/\2"),
    (r"\b\d+[dhms]\d*[ms]? *$", "AGE"), (r" {2,}", "  "), (r"TIME +\t", "TIME\t")]]


class Story:
    def __init__(self, name, steps, by=("4",), quick=()):
        self.name, self.steps, self.by, self.quick, self.alone = name, steps, by, quick, False

    @staticmethod
    def all(only=""):
        for file in sorted(glob.glob(f"{HERE}/*.story")):
            name = os.path.basename(file)[:-len(".story")]
            if only in name:
                yield Story.read(name, file)

    @staticmethod
    def read(name, file):
        story = Story(name, [])
        for line in open(file):
            line = line.strip()
            if line.startswith("by "):
                story.by = tuple(line.split()[1:])
            elif line.startswith("quick "):
                story.quick = tuple(line.split()[1:])
            elif line == "alone":
                story.alone = True
            elif line and not line.startswith("#"):
                story.steps.append(line)
        return story


class World:
    """One server, and the programs with homes of their own."""

    def __init__(self, server, programs, kubectl):
        self.server, self.kubectl, self.dir = server, kubectl, tempfile.mkdtemp(prefix="turns-")
        self.programs, self.numbers = {}, itertools.count()
        self.tag = os.getpid() % 1000
        for name, file in programs.items():  # of one name: it becomes the field manager's
            os.makedirs(f"{self.dir}/{name}")
            os.symlink(os.path.abspath(file), f"{self.dir}/{name}/helm")
            self.programs[name] = f"{self.dir}/{name}/helm"
        self.env = {"PATH": os.environ["PATH"], "HOME": self.dir, "TZ": "UTC", "KUBECONFIG": server.kubeconfig}
        for name in ("CACHE", "CONFIG", "DATA"):
            self.env[f"HELM_{name}_HOME"] = f"{self.dir}/{name}"
        self.run([self.programs["H"], "create", f"{self.dir}/created"])
        self.run([kubectl, "apply", "--server-side", "--force-conflicts", "--field-manager", "helm", "-f", f"{E2E}/turns_chart/crds"])

    def namespace(self):  # all of one length, for tables cut to a width
        return f"turns-{self.tag:03d}-{next(self.numbers):04d}"

    def run(self, command, extra=None, timeout=120):
        try:
            done = subprocess.run(command, env={**self.env, **(extra or {})}, capture_output=True, text=True,
                                  timeout=timeout, stdin=subprocess.DEVNULL, cwd=self.dir)
        except subprocess.TimeoutExpired:
            return 124, "", "did not end"
        return done.returncode, done.stdout, done.stderr

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def resources(self):
        """(path, kind, namespaced) of what can be listed, in each group's preferred version."""
        for root in ("/api", "/apis"):
            for group in self.server.get(root, AGGREGATED)["items"]:
                name = group["metadata"].get("name", "")
                version = group["versions"][0]
                base = f"/apis/{name}/{version['version']}" if name else f"/api/{version['version']}"
                for r in version.get("resources", []):
                    if "list" in r["verbs"] and r["resource"] not in SKIPPED:
                        yield f"{base}/%s{r['resource']}", r["responseKind"]["kind"], r["scope"] == "Namespaced"

    def objects(self, ns, cluster=False):
        """Everything releases left in the namespace, by name; with `cluster` also what is the cluster's
        and belongs to a release of this namespace."""
        found = {}
        for path, kind, namespaced in self.resources():
            if not namespaced and not cluster:
                continue
            for item in self.server.get(path % (f"namespaces/{ns}/" if namespaced else "")).get("items") or []:
                meta = item["metadata"]
                if namespaced and meta["name"] in ("kube-root-ca.crt", "default") or meta.get("ownerReferences"):
                    continue
                if not namespaced and meta.get("annotations", {}).get("meta.helm.sh/release-namespace") != ns:
                    continue
                found[f"{kind}/{meta['name']}"] = masked(with_record(item))
        return found


def with_record(item):
    data = item.get("data") or {}
    if "release" not in data or not item["metadata"]["name"].startswith("sh.helm.release."):
        return item
    try:
        text = base64.b64decode(data["release"])
        packed = base64.b64decode(text) if item.get("type", "").startswith("helm.sh/") else text
        return dict(item, data=dict(data, release=json.loads(gzip.decompress(packed))))
    except (ValueError, OSError, EOFError):
        return item


def masked(v):
    if isinstance(v, dict):
        if "managedFields" in v:
            by = {}
            for f in v["managedFields"]:
                if f.get("manager") not in CONTROLLERS:
                    by[f'{f.get("manager")} {f["operation"]} {f.get("subresource", "")}'] = [f["apiVersion"], f.get("fieldsV1")]
            v = dict(v, managedFields=by)
        return {k: masked(x) for k, x in v.items() if k not in DROPPED}
    return [masked(x) for x in v] if isinstance(v, list) else v


def steady(text, ns):
    text = ranked(text).replace(ns, "NAMESPACE")
    for pattern, instead in MASKS:
        text = "\n".join(pattern.sub(instead, line) for line in text.split("\n")) if pattern.pattern.endswith("$") else pattern.sub(instead, text)
    return ordered(text)


def ranked(text):
    """Conditions of an object come in the order they became true, which is a matter of time."""
    def sort(v):
        if isinstance(v, dict):
            v = {k: sort(x) for k, x in v.items()}
            if isinstance(v.get("conditions"), list):
                v["conditions"].sort(key=lambda c: c.get("type", "") if isinstance(c, dict) else "")
            return v
        return [sort(x) for x in v] if isinstance(v, list) else v
    try:
        found = json.loads(text) if '"conditions":' in text else None
    except ValueError:
        return text
    return json.dumps(sort(found)) if found else text


def ordered(text):
    """Helm prints the kinds of resources, and those of info.resources, by chance."""
    start = text.find("RESOURCES:\n==> ")
    if start < 0:
        return text
    head, rest = text[:start + 11], text[start + 11:]
    blocks = re.split(r"\n\n(?===> )", rest)
    blocks[-1], _, tail = blocks[-1].partition("\n\n")
    return head + "\n\n".join(sorted(blocks)) + "\n\n" + tail


def play(world, story, turns, ns, cluster=False):
    """Every step with what came of it."""
    seen = []
    server = world.server
    server.call("POST", "/api/v1/namespaces", {"metadata": {"name": ns}})
    turn = itertools.cycle(turns)
    for step in story.steps:
        text = step
        for name, to in (("CHART", f"{E2E}/turns_chart"), ("HOOKS", f"{E2E}/turns_hooks"), ("CREATED", f"{world.dir}/created"),
                         ("NAMESPACE", ns), ("FILES", f"{HERE}/files")):
            text = re.sub(rf"\b{name}\b", to, text)
        args = text.split() if text.startswith("$") else shlex.split(text)
        if args[0] in ("$", "$-"):
            code, out, err = world.run([world.kubectl, "-n", ns, *args[1:]])
            if code and args[0] == "$":
                seen.append({"step": step, "exit": f"{code} of kubectl by {turns}", "stderr": err})
            continue
        extra = {}
        while "=" in args[0]:
            key, _, extra[key] = args.pop(0).partition("=")
            extra = {k: v for k, v in extra.items() if k != key} | {key: extra.get(key, "")}
        if "-n" not in args and "--namespace" not in args and "-A" not in args:
            args += ["-n", ns]
        who = next(turn)
        if who == "Q":
            extra["PINTLE_COMPAT"] = "3"
        if cluster and args[0] == "status":
            calm(world, ns)
        code, out, err = world.run([world.programs[who], *args], extra)
        reads = args[0] in ("list", "get", "history", "template", "status", "show")
        if cluster and not reads and world.server.get(f"/apis/apps/v1/namespaces/{ns}/statefulsets").get("items"):
            calm(world, ns)  # their claims come one after the other
        state = {} if reads else world.objects(f"{ns}-new" if f"{ns}-new" in args else ns, cluster)
        seen.append({"step": step, "exit": code, "stdout": steady(out, ns), "stderr": steady(without_cause(err), ns),
                     "objects": json.loads(steady(json.dumps(state), ns)) if state else {}})
    server.call("DELETE", f"/api/v1/namespaces/{ns}")
    server.call("DELETE", f"/api/v1/namespaces/{ns}-new")
    return seen


def calm(world, ns):
    """Waits for the controllers to rest for two seconds, a minute in all: status shows what they are about."""
    last, rested = None, 0
    for _ in range(120):
        now = [(i["metadata"]["name"], i["metadata"]["resourceVersion"])
               for path in ("/api/v1/namespaces/%s/pods", "/apis/apps/v1/namespaces/%s/deployments",
                            "/apis/apps/v1/namespaces/%s/statefulsets", "/apis/apps/v1/namespaces/%s/daemonsets")
               for i in world.server.get(path % ns).get("items") or []]
        rested = rested + 1 if now == last else 0
        if rested == 4:
            return
        last = now
        time.sleep(0.5)


def without_cause(text):
    """Pintle says more of a failed wait than Helm, after Helm's own words."""
    return re.sub(r"(?m)^Cause: .*\n(  \| .*\n)*", "", text)


# ---- what differs ----

def listed():
    rows = []
    for line in open(f"{HERE}/differences"):
        if " => " in line and not line.startswith("#"):
            where, _ = line.strip().split(" => ", 1)
            story, step, what = where.split(" | ")
            rows.append((re.compile(story), re.compile(step), re.compile(what)))
    return rows


LISTED = listed()


def leaves(v, path=""):
    if isinstance(v, dict) and v:
        for key, inner in v.items():
            yield from leaves(inner, f"{path}/{key}")
    elif isinstance(v, list) and v:
        for i, inner in enumerate(v):
            yield from leaves(inner, f"{path}/{i}")
    else:
        yield path, v


def unlike(story, right, ours):
    """Lines that name what differs."""
    lines = []

    def add(what, text):
        if not any(s.fullmatch(story) and t.search(right["step"]) and w.match(what) for s, t, w in LISTED):
            lines.append(text)

    if right["step"] != ours["step"]:
        return [f"not the same step: {ours['step']}"]
    if right.get("exit") != ours.get("exit"):
        add("exit", f"exit {right.get('exit')} -> {ours.get('exit')}")
    for key in ("stdout", "stderr"):
        a, b = (side.get(key, "").splitlines() for side in (right, ours))
        for line in list(difflib.unified_diff(a, b, n=0, lineterm=""))[2:]:
            if not line.startswith("@@"):
                add(f"{key} {line}", f"{key}: {line}")
    a, b = right.get("objects", {}), ours.get("objects", {})
    for name in sorted(a.keys() | b.keys()):
        if name not in a or name not in b:
            add(name, f"{name}: only {'Helm' if name in a else 'pintle'} has it")
            continue
        x, y = dict(leaves(a[name])), dict(leaves(b[name]))
        for path in sorted(x.keys() | y.keys()):
            if x.get(path, "absent") != y.get(path, "absent"):
                add(f"{name} {path}", f"{name} {path}: {str(x.get(path, 'absent'))[:400]!r} -> {str(y.get(path, 'absent'))[:400]!r}")
    return lines
