"""The world of lookout's tests from outside: clusters, those who write Events there, those who are told, lookouts
and their databases, and what must hold of all of them (the invariants I1 to I6 of their design)."""
import base64
import collections
import contextlib
import contextlib
import glob
import hashlib
import hmac
import http.client
import http.server
import json
import math
import os
import pwd
import random
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time

ADMIN = "admin-of-the-test"
KEYS = [base64.b64encode(text).decode() for text in (b"0123456789abcdef0123456789abcdef", b"fedcba9876543210fedcba9876543210")]
SECRETS = [f"whsec_{key}" for key in KEYS]
EVENTS = "/api/v1/namespaces/default/events"
HELD = ("SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY_TIMEOUT", "SQLITE_LOCKED", "SQLITE_READONLY_RECOVERY",
        "SQLITE_READONLY_CANTINIT")
PATIENCE = 90  # for what must come: a loaded machine brings it late


class Checks:
    """Counts claims; says those that do not hold. Thread-safe enough: counters under the interpreter's lock."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def __call__(self, claim, good, seen=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {claim}: {seen}", flush=True)
        return bool(good)

    def skip(self, what):
        self.skipped += 1
        print(f"skipped {what}", flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return self.failed > 0


def wait_for(what, seconds=PATIENCE, pause=0.05):
    end = time.monotonic() + seconds
    while True:
        if out := what():
            return out
        if time.monotonic() > end:
            return out
        time.sleep(pause)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """An API server, by its kubeconfig, and requests to it."""

    def __init__(self, kubeconfig):
        self.kubeconfig, self.local = kubeconfig, threading.local()
        self.read()

    def read(self):
        text = open(self.kubeconfig).read()
        self.host = re.search(r"https://([\w.:-]+)", text).group(1)
        found = re.search(r"token: *\"?([^\s\"}]+)", text)
        self.token = found.group(1) if found else ""
        self.context = ssl._create_unverified_context()
        for name in ("certificate", "key"):  # a client's certificate instead of a token
            if found := re.search(rf"client-{name}-data: *\"?([\w+/=]+)", text):
                with open(f"{self.kubeconfig}.{name}", "wb") as f:
                    f.write(base64.b64decode(found.group(1)))
        if os.path.exists(f"{self.kubeconfig}.key"):
            self.context.load_cert_chain(f"{self.kubeconfig}.certificate", f"{self.kubeconfig}.key")

    def connection(self):
        return http.client.HTTPSConnection(self.host, context=self.context, timeout=60)

    def ask(self, method, path, body=None, token=None, kind="application/json"):
        """Status and answer, tried again while the server is away. When it was begun is in `local.began`."""
        self.local.began, end = time.time(), time.monotonic() + 2 * PATIENCE
        while time.monotonic() < end:
            c = getattr(self.local, "connection", None)
            if c is None or self.local.host != self.host:
                c = self.local.connection = http.client.HTTPSConnection(self.host, context=self.context, timeout=30)
                self.local.host = self.host
            try:
                headers = {"Content-Type": kind}
                if token or self.token:
                    headers["Authorization"] = f"Bearer {token or self.token}"
                c.request(method, path, None if body is None else json.dumps(body), headers)
                answer = c.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                c.close()
                self.local.connection = None
                time.sleep(0.05)
        raise RuntimeError(f"{method} {path}: no answer")

    def made(self):
        return set()

    def stop(self):
        pass


class Drydock(Cluster):
    address, inside = "127.0.0.1", ()  # `inside`: the command that starts its own

    def __init__(self, pintled, folder, name="cluster", kept=True):
        """`kept`: over restarts, in a file; else in memory, and faster."""
        self.pintled, self.folder = pintled, folder
        self.data = os.path.join(folder, f"{name}.objects") if kept else ""
        self.port, self.process = free_port(), None
        self.start(os.path.join(folder, f"{name}.kubeconfig"))
        super().__init__(self.written)

    def start(self, kubeconfig=None, more=()):
        self.written = kubeconfig or self.kubeconfig
        if os.path.exists(self.written):
            os.remove(self.written)
        self.process = subprocess.Popen(
            [*self.inside, self.pintled, "drydock", "--listen", f"{self.address}:{self.port}", "--kubeconfig", self.written,
             *(("--data", self.data) if self.data else ()), "--admin-token", ADMIN, "--event-ttl", "10h", *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_for(lambda: os.path.exists(self.written) and "token" in open(self.written).read()):
            raise SystemExit("drydock did not start")
        if kubeconfig is None:
            self.read()

    def admin(self, what, body=None, method="POST"):
        return self.ask(method, f"/drydock/{what}", body if body is not None else {}, ADMIN)

    def fired(self, rule):
        """How often that fault has happened."""
        return next(f["fired"] for f in json.loads(self.ask("GET", "/drydock/faults", None, ADMIN)[1])["faults"] if f["id"] == rule)

    def made(self):
        """The versions of all states of Events since it was started, by its truth log."""
        out, since = set(), 0
        while True:
            status, text = self.ask("GET", f"/drydock/log?since={since}", None, ADMIN)
            lines = [json.loads(line) for line in text.splitlines()] if status == 200 else []
            if not lines:
                return out
            since = lines[-1]["resourceVersion"]
            out.update(line["resourceVersion"] for line in lines if line["resource"] == "events" and line["type"] != "DELETED")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=PATIENCE)


class Front:
    """A TCP port before a server, which can be made a black hole: what is connected stays so and hears nothing."""

    def __init__(self, host):
        self.host, self.hole, self.port, self.held = host, threading.Event(), 0, []
        self.open()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.work, args=(self.listener,), daemon=True).start()

    def shut(self):
        """What is connected is cut, and who connects is refused by the system."""
        self.stop()
        held, self.held = self.held, []
        for s in held:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def work(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.held.append(client)
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        while self.hole.is_set():
            time.sleep(0.05)
        try:
            name, port = self.host.rsplit(":", 1)
            server = socket.create_connection((name, int(port)))
        except OSError:
            client.close()
            return
        for a, b in ((client, server), (server, client)):
            threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def pump(self, source, target):
        try:
            while data := source.recv(65536):
                while self.hole.is_set():
                    time.sleep(0.05)
                    if source.fileno() < 0:
                        return
                target.sendall(data)
        except OSError:
            pass
        for s in (source, target):
            try:
                s.shutdown(socket.SHUT_RDWR)  # the other direction's thread still holds it
            except OSError:
                pass
            s.close()

    def stop(self):
        self.hole.clear()
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # its thread's accept ends
        except OSError:
            pass
        self.listener.close()


def expire(cluster, seconds=0.2):
    """Lookout's watches are cut, and when they can be begun again there is no history to go on with."""
    rule = json.loads(cluster.admin("faults", {"watch": True, "effect": "status", "status": 503, "retryAfterSeconds": 1,
                                               "userAgent": "pintled-lookout"})[1])["id"]
    cluster.admin("watches", {"effect": "cut", "userAgent": "pintled-lookout"})
    time.sleep(seconds)
    cluster.ask("PUT", "/api/v1/namespaces/default/configmaps/step", {"metadata": {"name": "step"}, "data": {"at": str(time.time())}})
    cluster.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "step"}})
    cluster.admin("compact")
    cluster.admin(f"faults/{rule}", None, "DELETE")


class Writer:
    """Makes, changes, deletes and makes anew Events; `truth` is what the server acknowledged: (uid, resourceVersion);
    `when`: when each of them was asked for and acknowledged. `rate`: so many a second, else with pauses up to `pause`. `change`: the part that
    are changes of an Event that is there.
    `unseen`: of so many of the first states only the newest is due, as nobody watched yet. `region`: where it is the only
    writer; "": in any."""

    def __init__(self, cluster, seed, run="a", pause=0.008, most=None, rate=0, region="", change=0.35):
        self.cluster, self.random, self.run, self.pause, self.most, self.rate, self.region = cluster, random.Random(seed), run, pause, most, rate, region
        self.change = change
        self.truth, self.live, self.gone, self.deleted, self.made, self.when, self.unseen = [], [], [], set(), 0, {}, 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def event(self, name, count, message):
        return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
                "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": f"pod-{self.run}-{len(name) % 7}"},
                "reason": "Tested", "message": message, "type": "Normal", "count": count, "source": {"component": "writer"},
                "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"}

    def note(self, status, body):
        if status not in (200, 201):
            return None
        meta = json.loads(body)["metadata"]
        state = (meta["uid"], meta["resourceVersion"])
        self.when[state] = (self.cluster.local.began, time.time())
        self.truth.append(state)
        return meta["uid"]

    def create(self, name):
        status, body = self.cluster.ask("POST", EVENTS, self.event(name, 1, "<b>'; drop table event; --\u202e\x1b[31m"))
        if status == 409:  # made, but the answer was cut and the request made again
            status, body = self.cluster.ask("GET", f"{EVENTS}/{name}")
        uid = self.note(status, body)
        if uid:
            self.live.append((name, 1, uid))

    def one(self):
        dice = self.random.random()
        if self.live and dice < self.change:
            at = self.random.randrange(len(self.live))
            name, count, uid = self.live[at]
            if self.note(*self.cluster.ask("PUT", f"{EVENTS}/{name}", self.event(name, count + 1, "again"))):
                self.live[at] = (name, count + 1, uid)
        elif self.live and (dice < 0.4 or len(self.live) == self.most):
            name, _, uid = self.live.pop(self.random.randrange(len(self.live)))
            self.deleted.add(uid)
            self.cluster.ask("DELETE", f"{EVENTS}/{name}")
            self.gone.append(name)
        elif self.gone and dice < 0.45:
            self.create(self.gone.pop())  # another object of that name
        else:
            self.made += 1
            self.create(f"e-{self.run}-{self.made}")

    def work(self):
        due = time.monotonic()
        while not self.stopping.is_set():
            self.one()
            due += 1 / self.rate if self.rate else 0
            time.sleep(max(0, due - time.monotonic()) if self.rate else self.random.random() * self.pause)

    def start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread.ident:
            self.thread.join(timeout=3 * PATIENCE)


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, request, address):
        pass


def serve(handler):
    """A server on loopback that says nothing of those who hang up; shutdown() and server_close() end it."""
    server = Quiet(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Receiver:
    """A webhook receiver that answers by script and writes down what it was told: (webhook-id, subject or release, sequence,
    status, signature good). `states`: the states of Events that it took; `signed`: of each request, by which of the keys."""

    def __init__(self):
        self.told, self.signed, self.states, self.lock = [], [], set(), threading.Lock()
        self.script = collections.deque()  # statuses to give before 200; "hang" and "cut" too
        self.delay = 0.0  # before each answer
        self.gate = threading.Event()  # while it is shut nobody is answered, for 5 s at most
        self.gate.set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with receiver.lock:
                    what = receiver.script.popleft() if receiver.script else 200
                    receiver.note(self.headers, body, what)
                if what == "cut":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                receiver.gate.wait(5)
                time.sleep(receiver.delay)
                if what == "hang":
                    time.sleep(12)  # longer than lookout waits
                    what = 500
                self.send_response(what)
                if what == 429:
                    self.send_header("Retry-After", "1")
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = serve(Handler)
        self.port = self.server.server_address[1]

    def note(self, headers, body, status):
        identity, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        given = headers.get("webhook-signature", "").split(" ")
        signed = tuple("v1," + base64.b64encode(hmac.new(base64.b64decode(key), f"{identity}.{at}.".encode() + body, hashlib.sha256).digest()).decode()
                       in given for key in KEYS)
        event = json.loads(body)
        about = f"release {event['release']}" if event.get("release") and event.get("type", "").startswith("release.") else event.get("subject")
        self.told.append((identity, about, int(event.get("sequence", 0)), status, any(signed)))
        self.signed.append(signed)
        if status == 200 and event.get("type") == "kubernetes.event":
            self.states.add(tuple(event["id"].split("/")[1:]))

    def all(self):
        with self.lock:
            return list(self.told)

    def forget(self):
        """Before another database, whose sequence begins anew."""
        with self.lock:
            for one in self.told, self.signed, self.states:
                one.clear()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Together:
    """What several receivers were told."""

    def __init__(self, receivers):
        self.receivers = receivers

    def all(self):
        return [t for r in self.receivers for t in r.all()]

    @property
    def states(self):
        return set().union(*(r.states for r in self.receivers))


class Sqlite:
    def __init__(self, folder):
        self.file = os.path.join(folder, "lookout.db")
        self.url = f"sqlite:{self.file}"

    def rows(self, query):
        """Tried again only while others hold it, or must first clean up after one that was killed."""
        end = time.monotonic() + 30
        while True:
            try:
                with contextlib.closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)) as c:
                    return c.execute(query).fetchall()
            except sqlite3.OperationalError as e:
                if e.sqlite_errorname not in HELD or time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def bytes(self):
        return b"".join(open(name, "rb").read() for name in glob.glob(self.file + "*"))

    def stop(self):
        pass


class Postgres:
    """Debian's PostgreSQL in a temporary folder, on a Unix socket only."""

    @staticmethod
    def programs():
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        return os.path.dirname(found[-1]) if found else None

    def __init__(self):
        self.bin, self.folder, self.as_user = self.programs(), tempfile.mkdtemp(prefix="pintle-postgres-"), []
        if os.geteuid() == 0:  # initdb refuses root
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.run("initdb", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-U", "postgres")
        self.run("pg_ctl", "-w", "-l", f"{self.folder}/log", "-o",
                 f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off -c max_connections=60", "start")
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"

    def run(self, program, *args):
        subprocess.run([*self.as_user, f"{self.bin}/{program}", "-D", f"{self.folder}/data", *args], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def rows(self, query):
        out = subprocess.run([f"{self.bin}/psql", "-qAtX", "-F", "\x1f", "-h", self.folder, "-U", "postgres", "-c", query],
                             capture_output=True, text=True)
        if out.returncode:
            raise RuntimeError(f"{query}: {out.stderr}")
        return [tuple(int(t) if re.fullmatch(r"\d{1,18}", t) else t for t in line.split("\x1f")) for line in out.stdout.split("\n")[:-1]]

    def send(self, sig):
        """To the server and all its processes."""
        server = int(open(f"{self.folder}/data/postmaster.pid").readline())
        os.kill(server, sig)
        for stat in glob.glob("/proc/[0-9]*/stat"):  # a stopped server has no new ones meanwhile
            with contextlib.suppress(OSError):
                if open(stat).read().rsplit(")", 1)[1].split()[1] == str(server):
                    os.kill(int(stat.split("/")[2]), sig)

    def bytes(self):
        return subprocess.run([f"{self.bin}/pg_dump", "-h", self.folder, "-U", "postgres", "postgres"], capture_output=True).stdout

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Lookout:
    """A `pintled lookout` whose configuration the test writes; all start in one folder share its key."""

    def __init__(self, pintled, folder, database, receiver, regions, name="lookout", more="", wanted=""):
        self.pintled, self.folder, self.database, self.receiver, self.name, self.wanted = pintled, folder, database, receiver, name, wanted
        self.regions, self.more, self.process = dict(regions), more, None  # name: kubeconfig
        self.of_regions = ""  # keys that all of them have
        self.releases = False  # the receiver is told of them too, in the order of each
        self.timeout_ms = 10_000  # for an answer: a receiver on a loaded machine is slow, not broken
        self.config, self.logfile = os.path.join(folder, f"{name}.toml"), os.path.join(folder, f"{name}.log")
        self.secret_file, self.env = os.path.join(folder, "hook.secret"), None
        self.port = free_port()
        with open(self.secret_file, "w") as f:
            f.write(SECRETS[0])
        self.write()

    def write(self):
        regions = "".join(f"[[regions]]\nname = {json.dumps(n)}\nkubeconfig = {json.dumps(k)}\n{self.of_regions}\n" for n, k in self.regions.items())
        releases = f"""[[subscriptions]]
name = "releases"
types = ["release.*"]
order_by = "release"
sink = "webhook"
secret_file = "hook.secret"
[subscriptions.options]
url = "http://127.0.0.1:{self.receiver.port}/hook"
timeout_ms = {self.timeout_ms}
"""
        with open(self.config, "w") as f:
            f.write(f"""listen = "127.0.0.1:{self.port}"
database = "{self.database.url}"
secret_key_file = "lookout.key"
{self.more}
{regions}
[[subscriptions]]
name = "all"
types = ["kubernetes.event"]
{self.wanted}
order_by = "subject"
sink = "webhook"
secret_file = "hook.secret"
[subscriptions.options]
url = "http://127.0.0.1:{self.receiver.port}/hook"
timeout_ms = {self.timeout_ms}
{releases if self.releases else ""}
[guard]
allow = ["127.0.0.1:{self.receiver.port}"]
""")

    def start(self):
        self.log = open(self.logfile, "ab")
        self.process = subprocess.Popen([self.pintled, "lookout", "--config", self.config], cwd=self.folder, env=self.env, stdout=self.log, stderr=self.log)
        return self

    def send(self, sig):
        self.process.send_signal(sig)

    def kill(self, sig=signal.SIGKILL):
        self.process.send_signal(sig)
        code = self.process.wait(timeout=PATIENCE)
        self.log.close()
        return code

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def said(self):
        return open(self.logfile, errors="replace").read()

    def get(self, path, method="GET"):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            c.request(method, path)
            answer = c.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            c.close()

    def ready(self):
        return self.get("/readyz")[0] == 200

    def states(self):
        status, text = self.get("/regions")
        return {r["name"]: r["state"] for r in json.loads(text)["items"]} if status == 200 else {}

    def live(self, *names):
        states = self.states()
        return bool(states) and all(states.get(n) == "live" for n in names or self.regions)

    def metric(self, name):
        """The sum of its series; no number while lookout does not answer; an error when there is no such name."""
        status, text = self.get("/metrics")
        found = re.findall(rf"(?m)^{re.escape(name)}(?:{{[^}}]*}})? ([\d.]+)$", text)
        if status == 200 and not found:
            raise LookupError(f"no metric {name}")
        return sum(map(float, found)) if found else math.nan

    def threads_and_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task")), len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss(self, field="VmRSS"):
        return int(re.search(rf"{field}:\s+(\d+)", open(f"/proc/{self.process.pid}/status").read()).group(1)) / 1024

    def peak(self):
        """Since when it was last forgotten."""
        return self.rss("VmHWM")

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as f:
            f.write("5")


def stored(database):
    return {(uid, str(version)) for uid, version in database.rows("select uid, version from observation where resource = 'events'")}


def due(writers, lost):
    """What must be stored: every state; of writers whose history was lost (True: of all), and of what was there before
    anybody watched, the last one of each object that is still there."""
    out = set()
    for w in writers:
        truth = list(w.truth)
        out.update(truth[len(truth) if lost is True or w in (lost or ()) else w.unseen:])
        last = {}
        for uid, version in truth:
            last[uid] = max(last.get(uid, 0), int(version))
        out.update((uid, str(version)) for uid, version in last.items() if uid not in w.deleted)
    return out


def given(version):
    """A version that a restored server gives again is stored with a mark."""
    return version.split("~")[0]


def unexplained(have, writers, clusters):
    """States that nobody made: neither the writers nor, by their logs, others in these clusters."""
    odd = have - {state for w in writers for state in w.truth}
    made = {version for c in clusters for version in c.made()} if odd else ()
    return sorted(state for state in odd if state[1] not in made)


def untold(have, writers, gaps):
    """States that are not there and of which no gap says so. One that was lost came after the last that was heard, by its
    version, or by the time where versions are given again, and was begun before the gap ended."""
    out = []
    for w in writers:
        for state in set(w.truth[w.unseen:]) - have:
            began, ended = (t * 1000 for t in w.when[state])
            if not any(w.region in ("", region) and (int(version or 0) <= int(state[1]) or since <= ended) and began <= until
                       for region, since, until, version in gaps):
                out.append(state)
    return sorted(out)


def in_order(told):
    """Of those told in another order than that of their events: who. By the first success of each."""
    first, seen = collections.defaultdict(list), set()
    for identity, about, sequence, status, _ in told:
        if status == 200 and identity not in seen:
            seen.add(identity)
            first[about].append(sequence)
    return [about for about, sequences in first.items() if any(a >= b for a, b in zip(sequences, sequences[1:]))]


def verify(check, name, database, receiver, writers, lost=False, settle=120, subscribed=None, excused=(), clusters=(), dead=None):
    """Everything that must hold once a fault is over. `lost`: history was compacted while nobody watched, of all or of
    these writers. `subscribed`: the writers of whom the receiver wants to hear (None: of all); `excused`: states that it need
    not hear of. `clusters`: where others make Events too, beside the writers'. `dead`: a text in the reason of those dead letters
    that may be."""
    clusters = {w.cluster for w in writers if w.cluster} | set(filter(None, clusters))
    truth = due(writers, lost)
    check(f"{name}: something was written", truth)
    complete = wait_for(lambda: truth <= stored(database), PATIENCE, 0.3)
    missing = truth - stored(database)
    check(f"{name}: every state is stored (I1)", complete, f"{len(missing)} of {len(truth)} missing, e.g. {sorted(missing)[:3]}")
    have = {(uid, given(version)) for uid, version in stored(database)}
    odd = unexplained(have, writers, clusters)
    check(f"{name}: and nothing that never was (I1)", not odd, f"{len(odd)}, e.g. {odd[:3]}")
    gaps = [(region, since, until, str(version)) for region, since, until, version in
            database.rows("select region, from_ms, to_ms, from_version from gap where resource = 'events' order by region, from_ms, to_ms")]
    may = [w for w in writers if lost is True or w in (lost or ())]
    secret = untold(have, may, gaps)
    check(f"{name}: what is lost lies in a gap (I2)", not secret, f"{len(secret)}, e.g. {secret[:3]} not in {gaps[:5]}")
    needless = [g for g in gaps if any(w.region in ("", g[0]) for w in writers if w not in may)]
    check(f"{name}: no gap where nothing is lost (I2)", not needless, needless[:3])
    twice = [(a, b) for a, b in zip(gaps, gaps[1:]) if a[0] == b[0] and b[1] < a[2]]
    check(f"{name}: one gap for each loss (I2)", not twice, twice[:3])
    twice = database.rows("select uid, version, count(*) from observation group by cluster_uid, resource, uid, version having count(*) > 1")
    check(f"{name}: none twice (I3)", not twice, twice[:3])
    twice = database.rows("select type, observation_uid, observation_version, count(*) from event where dedup_key = '' and observation_uid <> '' "
                          "group by cluster_uid, type, observation_resource, observation_uid, observation_version having count(*) > 1")
    check(f"{name}: no event twice for one state (I3)", not twice, twice[:3])
    twice = database.rows("select dedup_key, count(*) from event where dedup_key <> '' group by dedup_key having count(*) > 1")
    check(f"{name}: no event twice by its key (I3)", not twice, twice[:3])
    twice = database.rows("select event_seq, subscription_id, count(*) from delivery where generation = 1 group by event_seq, subscription_id having count(*) > 1")
    check(f"{name}: no delivery twice (I3)", not twice, twice[:3])
    quiet = wait_for(lambda: database.rows("select count(*) from delivery where state in (0, 1, 3)") == [(0,)], settle, 0.3)
    check(f"{name}: every delivery ends (I6)", quiet, [database.rows("select state, count(*), min(due_ms), max(attempts) from delivery group by state"),
                                                       database.rows("select due_ms, count(*) from lane group by due_ms order by due_ms limit 5"), f"it is {time.time() * 1000:.0f}"])
    reasons = [reason for reason, in database.rows("select dead_reason from delivery where state = 4") if dead is None or dead not in reason]
    check(f"{name}: no dead letter", not reasons, reasons[:3])
    told = receiver.all()
    wanted = due([w for w in writers if subscribed is None or w in subscribed], lost) - set(excused)
    heard = {(uid, given(version)) for uid, version in receiver.states}
    check(f"{name}: the receiver was told of every event", wanted <= heard, f"{len(wanted - heard)} of {len(wanted)} not, e.g. {sorted(wanted - heard)[:3]}")
    events = {seq for (seq,) in database.rows("select event_seq from delivery where generation = 1 and state <> 5")}
    done = {sequence for _, _, sequence, status, _ in told if status == 200}
    check(f"{name}: and of every delivery", events <= done, f"{len(events - done)} of {len(events)} not")
    check(f"{name}: every request was signed", all(good for *_, good in told))
    disorder = in_order(told)
    check(f"{name}: in order for each subject (I4)", not disorder, disorder[:3])
    doubtful = dict(database.rows("select d.event_seq, count(*) from attempt a join delivery d on d.id = a.delivery_id where a.error <> '' group by d.event_seq"))
    requests = collections.Counter(sequence for _, _, sequence, status, _ in told if status == 200)
    more = [(s, n, doubtful.get(s, 0)) for s, n in requests.items() if n > 1 + doubtful.get(s, 0)]
    check(f"{name}: a repeat only after a failed or unknown attempt (I5)", not more, more[:3])
    return told
