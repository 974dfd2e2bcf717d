"""The world of lookout's tests from outside: clusters, those who write Events there, those who are told, lookouts
and their databases, and what must hold of all of them (the invariants I1, I3, I4, I5, I6, I10 of their design)."""
import base64
import collections
import glob
import hashlib
import hmac
import http.client
import http.server
import json
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


def wait_for(what, seconds, pause=0.05):
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
        """Status and answer, tried again while the server is away."""
        for _ in range(400):
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

    def stop(self):
        pass


class Drydock(Cluster):
    address, inside = "127.0.0.1", ()  # `inside`: the command that starts its own

    def __init__(self, pintled, folder, name="cluster"):
        self.pintled, self.folder = pintled, folder
        self.data = os.path.join(folder, f"{name}.objects")
        self.port, self.process = free_port(), None
        self.start(os.path.join(folder, f"{name}.kubeconfig"))
        super().__init__(self.written)

    def start(self, kubeconfig=None, more=()):
        self.written = kubeconfig or self.kubeconfig
        if os.path.exists(self.written):
            os.remove(self.written)
        self.process = subprocess.Popen(
            [*self.inside, self.pintled, "drydock", "--listen", f"{self.address}:{self.port}", "--kubeconfig", self.written, "--data", self.data,
             "--admin-token", ADMIN, "--event-ttl", "10h", *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_for(lambda: os.path.exists(self.written) and "token" in open(self.written).read(), 20):
            raise SystemExit("drydock did not start")
        if kubeconfig is None:
            self.read()

    def admin(self, what, body=None, method="POST"):
        return self.ask(method, f"/drydock/{what}", body if body is not None else {}, ADMIN)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=20)


class Front:
    """A TCP port before a server, which can be made a black hole: what is connected stays so and hears nothing."""

    def __init__(self, host):
        self.host, self.hole = host, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
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
        self.listener.close()


class Writer:
    """Makes, changes, deletes and makes anew Events; `truth` is what the server acknowledged: (uid, resourceVersion)."""

    def __init__(self, cluster, seed, run="a", pause=0.008, most=None):
        self.cluster, self.random, self.run, self.pause, self.most = cluster, random.Random(seed), run, pause, most
        self.truth, self.live, self.gone, self.deleted, self.made = [], [], [], set(), 0
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
        self.truth.append((meta["uid"], meta["resourceVersion"]))
        return meta["uid"]

    def create(self, name):
        uid = self.note(*self.cluster.ask("POST", EVENTS, self.event(name, 1, "<b>'; drop table event; --\u202e\x1b[31m")))
        if uid:
            self.live.append((name, 1, uid))

    def one(self):
        dice = self.random.random()
        if self.live and dice < 0.35:
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
        while not self.stopping.is_set():
            self.one()
            time.sleep(self.random.random() * self.pause)

    def start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread.ident:
            self.thread.join(timeout=60)


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


def serve(handler):
    """A server on loopback that says nothing of those who hang up; shutdown() and server_close() end it."""
    server = Quiet(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Receiver:
    """A webhook receiver that answers by script and writes down what it was told: (webhook-id, subject, sequence, status,
    signature good)."""

    def __init__(self):
        self.told, self.lock = [], threading.Lock()
        self.script = collections.deque()  # statuses to give before 200; "hang" and "cut" too
        self.delay = 0.0  # before each answer
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
                time.sleep(receiver.delay)
                if what == "hang":
                    time.sleep(3)
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
        good = any("v1," + base64.b64encode(hmac.new(base64.b64decode(key), f"{identity}.{at}.".encode() + body, hashlib.sha256).digest()).decode()
                   in given for key in KEYS)
        event = json.loads(body)
        self.told.append((identity, event.get("subject"), int(event.get("sequence", 0)), status, good))

    def all(self):
        with self.lock:
            return list(self.told)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Sqlite:
    def __init__(self, folder):
        self.file = os.path.join(folder, "lookout.db")
        self.url = f"sqlite:{self.file}"

    def rows(self, query):
        try:
            with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10) as c:
                return c.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []

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
        return [tuple(int(t) if re.fullmatch(r"\d{1,18}", t) else t for t in line.split("\x1f")) for line in out.stdout.splitlines() if line]

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
        self.config, self.logfile = os.path.join(folder, f"{name}.toml"), os.path.join(folder, f"{name}.log")
        self.secret_file, self.env = os.path.join(folder, "hook.secret"), None
        self.port = free_port()
        with open(self.secret_file, "w") as f:
            f.write(SECRETS[0])
        self.write()

    def write(self):
        regions = "".join(f"[[regions]]\nname = {json.dumps(n)}\nkubeconfig = {json.dumps(k)}\n{self.of_regions}\n" for n, k in self.regions.items())
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
timeout_ms = 1000
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
        code = self.process.wait(timeout=30)
        self.log.close()
        return code

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def said(self):
        return open(self.logfile, errors="replace").read()

    def get(self, path, method="GET"):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3)
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
        return sum(float(n) for n in re.findall(rf"(?m)^{name}(?:{{[^}}]*}})? ([\d.]+)$", self.get("/metrics")[1]))

    def threads_and_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task")), len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss(self):
        return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{self.process.pid}/status").read()).group(1)) / 1024


def stored(database):
    return {(uid, str(version)) for uid, version in database.rows("select uid, version from observation where resource = 'events'")}


def due(writers, lost):
    """What must be stored: every state; of writers whose history was lost (True: of all), the last one of each object
    that is still there."""
    out = set()
    for w in writers:
        if lost is not True and w not in (lost or ()):
            out.update(w.truth)
            continue
        last = {}
        for uid, version in w.truth:
            last[uid] = max(last.get(uid, 0), int(version))
        out.update((uid, str(version)) for uid, version in last.items() if uid not in w.deleted)
    return out


def verify(check, name, database, receiver, writers, lost=False, settle=120):
    """Everything that must hold once a fault is over. `lost`: history was compacted while nobody watched."""
    truth = due(writers, lost)
    complete = wait_for(lambda: truth <= stored(database), 45, 0.3)
    missing = truth - stored(database)
    check(f"{name}: every state is stored (I1)", complete, f"{len(missing)} of {len(truth)} missing, e.g. {sorted(missing)[:3]}")
    twice = database.rows("select uid, version, count(*) from observation group by cluster_uid, resource, uid, version having count(*) > 1")
    check(f"{name}: none twice (I3)", not twice, twice[:3])
    twice = database.rows("select event_seq, subscription_id, count(*) from delivery where generation = 1 group by event_seq, subscription_id having count(*) > 1")
    check(f"{name}: no delivery twice (I3)", not twice, twice[:3])
    quiet = wait_for(lambda: database.rows("select count(*) from delivery where state in (0, 1, 3)") == [(0,)], settle, 0.3)
    check(f"{name}: every delivery ends (I6)", quiet, database.rows("select state, count(*) from delivery group by state"))
    # A paused subscription is due nothing: what has no delivery was not to be told.
    events = {seq for (seq,) in database.rows("select event_seq from delivery where generation = 1")}
    told = receiver.all()
    done = {sequence for _, _, sequence, status, _ in told if status == 200}
    check(f"{name}: the receiver was told of every event", events <= done, f"{len(events - done)} of {len(events)} not")
    check(f"{name}: every request was signed", all(good for *_, good in told))
    first, seen = collections.defaultdict(list), set()
    for identity, subject, sequence, status, _ in told:
        if status == 200 and identity not in seen:
            seen.add(identity)
            first[subject].append(sequence)
    disorder = [s for s, sequences in first.items() if sequences != sorted(sequences)]
    check(f"{name}: in order for each subject (I4)", not disorder, disorder[:3])
    doubtful = dict(database.rows("select d.event_seq, count(*) from attempt a join delivery d on d.id = a.delivery_id where a.error <> '' group by d.event_seq"))
    requests = collections.Counter(sequence for _, _, sequence, status, _ in told if status == 200)
    more = [(s, n, doubtful.get(s, 0)) for s, n in requests.items() if n > 1 + doubtful.get(s, 0)]
    check(f"{name}: a repeat only after a failed or unknown attempt (I5)", not more, more[:3])
    return told
