"""API servers of one cluster behind one port, each of which shows the cluster as it was some time ago: what a client
meets while several kube-apiservers, with watch caches of different freshness, are restarted in turn.

What is served is what drydock says, later. A list of version "" is drydock's own; of "0", what the copy has; of N, what it
has once that is not older, or "Too large resource version" after 3 s. A watch from N brings what came after N, however old
the copy is: nothing for a while, if it is behind. No bookmark is older than what was asked for."""
import http.client
import http.server
import json
import random
import socket
import threading
import time
import urllib.parse

from lookout_world import serve

ENDED = "k8s.io/initial-events-end"
PATIENCE = 3  # of a list for a version that the copy does not have yet


def status(code, reason, message, **more):
    return code, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
                             "message": message, **more}).encode()


class Feed:
    """All that drydock says of one collection (with its selectors): its first list, then its watch, with the time of each."""

    def __init__(self, cluster, path, selectors, accept):
        self.cluster, self.accept = cluster, accept
        self.path = f"{path}?{urllib.parse.urlencode(selectors)}"
        self.entries, self.lock = [], threading.Lock()  # (when, version, kind of change, object)
        first = self.list()
        self.began, self.head = int(first["metadata"]["resourceVersion"]), first
        named = {"kind": self.kind(), "apiVersion": first["apiVersion"]}  # an item says neither
        self.first = {o["metadata"]["uid"]: {**o, **named} for o in first.pop("items") or []}
        threading.Thread(target=self.watch, daemon=True).start()

    def list(self):
        c = self.cluster.connection()
        c.request("GET", self.path, headers=self.headers())
        return json.loads(c.getresponse().read())

    def headers(self):
        return {"Authorization": f"Bearer {self.cluster.token}", "Accept": self.accept}

    def watch(self):
        while True:
            try:
                c = self.cluster.connection()
                c.request("GET", f"{self.path}&watch=true&allowWatchBookmarks=true&resourceVersion={self.version()}", headers=self.headers())
                answer = c.getresponse()
                while line := answer.readline():
                    frame = json.loads(line)
                    self.add(int(frame["object"]["metadata"]["resourceVersion"]), frame["type"], frame["object"])
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                time.sleep(0.05)

    def add(self, version, change, shown):
        with self.lock:
            self.entries.append((time.monotonic(), version, change, shown))

    def seen(self, lag=0.0):
        """How many entries a copy of that lag has."""
        with self.lock:
            n = len(self.entries)
            while n and self.entries[n - 1][0] > time.monotonic() - lag:
                n -= 1
            return n

    def version(self, count=None):
        with self.lock:
            return max([self.began] + [e[1] for e in self.entries[:count][-1:]])

    def state(self, count):
        out = dict(self.first)
        with self.lock:
            entries = self.entries[:count]
        for _, _, change, shown in entries:
            if change in ("ADDED", "MODIFIED"):
                out[shown["metadata"]["uid"]] = shown
            elif change == "DELETED":
                out.pop(shown["metadata"]["uid"], None)
        return out

    def progress(self):
        """Where nothing has changed, versions go on elsewhere: what etcd's progress notices say."""
        seen = len(self.entries)
        listed = self.list()
        time.sleep(0.1)  # for what came and went
        versions = lambda objects: {(o["metadata"]["uid"], o["metadata"]["resourceVersion"]) for o in objects}
        if seen == len(self.entries) and versions(listed["items"] or []) == versions(self.state(seen).values()):
            self.add(int(listed["metadata"]["resourceVersion"]), "BOOKMARK", None)

    def kind(self):
        return self.head["kind"].removesuffix("List")


class Copies:
    """`lags`: of each copy, in seconds. `streams`: whether they know streaming lists."""

    def __init__(self, cluster, lags, streams=True, seed=0):
        self.cluster, self.lags, self.streams, self.dice = cluster, lags, streams, random.Random(seed)
        self.feeds, self.lock = {}, threading.Lock()
        self.connections = [set() for _ in lags]
        self.down, self.forgot = set(), [0.0] * len(lags)
        self.stale = 0  # lists answered with less than there was
        copies = self

        class Handler(CopyHandler):
            world = copies

        self.server = serve(Handler)
        self.port = self.server.server_address[1]

    def kubeconfig(self, path):
        with open(path, "w") as f:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                       "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
                       "users": [{"name": "u", "user": {}}]}, f)  # no token goes over plain HTTP
        return path

    def feed(self, path, selectors, accept):
        key = (path, tuple(selectors), accept)
        with self.lock:
            if key not in self.feeds:
                self.feeds[key] = Feed(self.cluster, path, selectors, accept)
            return self.feeds[key]

    def enter(self, connection):
        with self.lock:
            up = [i for i in range(len(self.lags)) if i not in self.down]
            at = self.dice.choice(up)
            self.connections[at].add(connection)
            return at

    def leave(self, at, connection):
        with self.lock:
            self.connections[at].discard(connection)

    def restart(self, at, seconds=1.0, forget=False):
        """What it serves is cut, and for a while the others serve alone. `forget`: then it knows no history."""
        with self.lock:
            self.down.add(at)
            cut = list(self.connections[at])
        for c in cut:
            try:
                c.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        time.sleep(seconds)
        with self.lock:
            if forget:
                self.forgot[at] = time.monotonic()
            self.down.discard(at)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class CopyHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None

    def log_message(self, *args):
        pass

    def setup(self):
        super().setup()
        self.at = self.world.enter(self.request)
        self.lag = self.world.lags[self.at]

    def finish(self):
        self.world.leave(self.at, self.request)
        super().finish()

    def answer(self, code, body, more=()):
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        wants = query.get("resourceVersion", "")
        watch = query.get("watch") == "true"
        collection = watch or "resourceVersion" in query or "limit" in query
        if not collection or (not watch and (wants == "" or "continue" in query)):
            c = self.world.cluster.connection()
            c.request("GET", self.path, headers={"Authorization": f"Bearer {self.world.cluster.token}",
                                                 "Accept": self.headers.get("Accept", "application/json")})
            answer = c.getresponse()
            return self.answer(answer.status, answer.read())
        selectors = [(k, query[k]) for k in ("labelSelector", "fieldSelector") if k in query]
        try:
            feed = self.world.feed(url.path, selectors, self.headers.get("Accept", "application/json"))
        except (KeyError, ValueError):  # no such collection
            return self.answer(*status(404, "NotFound", "the server could not find the requested resource"))
        initial = query.get("sendInitialEvents") == "true"
        if initial and not self.world.streams:
            return self.answer(*status(422, "Invalid", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
        if wants == "" and initial:  # consistent: as new as the store
            wants = feed.list()["metadata"]["resourceVersion"]
        if not watch or initial:
            if not self.wait_for(feed, int(wants)):
                return self.answer(*status(504, "Timeout", f"Timeout: Too large resource version: {wants}, current: {feed.version(feed.seen(self.lag))}",
                                           details={"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}], "retryAfterSeconds": 1}),
                                   more=[("Retry-After", "1")])
            count = feed.seen(self.lag)
            if not watch:
                return self.list(feed, count)
        self.stream(feed, int(wants or 0), initial)

    def wait_for(self, feed, version):
        end = time.monotonic() + PATIENCE
        while feed.version(feed.seen(self.lag)) < version:
            if time.monotonic() > end:
                return False
            if feed.version() < version:
                feed.progress()
            time.sleep(0.05)
        return True

    def list(self, feed, count):
        if count < len(feed.entries):
            self.world.stale += 1
        version = str(feed.version(count))
        head = {**feed.head, "metadata": {"resourceVersion": version}}
        self.answer(200, json.dumps({**head, "items": list(feed.state(count).values())}).encode())

    def stream(self, feed, version, initial):
        with feed.lock:
            oldest = max([feed.began] + [e[1] for e in feed.entries if e[0] < self.world.forgot[self.at]])
        if not initial and version < oldest:
            return self.answer(*status(410, "Expired", f"too old resource version: {version} ({oldest})"))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        done = feed.seen(self.lag) if initial else 0
        if initial:
            version = feed.version(done)
            for shown in feed.state(done).values():
                self.frame("ADDED", shown)
            self.bookmark(feed, version, {ENDED: "true"})
        said, told = time.monotonic(), version
        while self.at not in self.world.down:
            with feed.lock:
                fresh = feed.entries[done:]
            fresh = [e for e in fresh if e[0] <= time.monotonic() - self.lag]
            for _, at, change, shown in fresh:
                if change != "BOOKMARK" and at > version:
                    self.frame(change, shown)
            done += len(fresh)
            now = feed.version(done)
            if now > told and time.monotonic() - said > 1:
                self.bookmark(feed, now, {})
                said, told = time.monotonic(), now
            self.wfile.flush()
            time.sleep(0.02)
        self.close_connection = True

    def frame(self, change, shown):
        line = json.dumps({"type": change, "object": shown}).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))

    def bookmark(self, feed, version, annotations):
        self.frame("BOOKMARK", {"kind": feed.kind(), "apiVersion": feed.head["apiVersion"],
                                "metadata": {"resourceVersion": str(version), "annotations": annotations}})
