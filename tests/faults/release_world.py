"""The world of tests/faults/releases: a drydock, a chart, a home, the program; and a TLS front before the
drydock that can meddle with what passes."""
import base64, gzip, http.client, http.server, json, os, re, resource, shutil, signal, socket, ssl, subprocess
import tempfile, threading, time

PROGRAMS = {}  # "pintle", "pintled": set by who runs
NS = "default"
SECRETS = f"/api/v1/namespaces/{NS}/secrets"
MAPS = f"/api/v1/namespaces/{NS}/configmaps"
CHART = {"Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "values.yaml": "text: one\nimage: app:1\nreplicas: 1\n",
         "templates/all.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-map}
data: {text: {{ .Values.text | quote }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-app}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}{{ with .Values.fail }}, annotations: {drydock.pintle.dev/fail: {{ . }}}{{ end }}}
    spec: {containers: [{name: main, image: {{ .Values.image | quote }}}]}
""", "templates/hook.yaml": """\
{{- if .Values.hook }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: "pre-install,pre-upgrade,pre-rollback"}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {drydock.pintle.dev/run-for: {{ .Values.hook | quote }}}}
    spec: {restartPolicy: Never, containers: [{name: main, image: app:1}]}
{{- end }}
"""}


class Wrong(Exception):
    pass


def expect(good, what):
    if not good:
        raise Wrong(what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Done:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __str__(self):
        return f"exit {self.code} after {self.seconds:.1f} s\nstdout: {self.out[-1500:]}\nstderr: {self.err[-1500:]}"

    def fails(self, *patterns):
        expect(self.code == 1, f"should have failed with 1: {self}")
        for p in patterns:
            expect(re.search(p, self.err), f"stderr lacks {p!r}: {self}")
        return self

    def works(self, *patterns):
        expect(self.code == 0, f"should have worked: {self}")
        for p in patterns:
            expect(re.search(p, self.out), f"stdout lacks {p!r}: {self}")
        return self


class World:
    """A drydock, a chart, a home, and the program."""

    def __init__(self, *flags):
        self.dir = tempfile.mkdtemp(prefix="releases-faults-")
        self.chart = f"{self.dir}/c"
        for name, text in CHART.items():
            self.write(f"c/{name}", text)
        self.kubeconfig, self.port, self.flags = f"{self.dir}/kubeconfig", free_port(), flags
        self.server = self.front = None
        self.start()

    def write(self, name, text, mode=0o600):
        path = f"{self.dir}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        return path

    def start(self):
        self.server = subprocess.Popen(
            [PROGRAMS["pintled"], "drydock", "--kubeconfig", self.kubeconfig, "--listen", f"127.0.0.1:{self.port}", "--admin-token", "adm",
             "--data", f"{self.dir}/data", "--token", "other=dev:admin", *self.flags], stdout=subprocess.PIPE, text=True)
        while "Try:" not in (line := self.server.stdout.readline()):
            expect(line, "drydock does not start")
        text = open(self.kubeconfig).read()
        self.token = re.search(r"token:\s*[\"']?([^\s\"'}]+)", text).group(1)
        self.ca = base64.b64decode(re.search(r"certificate-authority-data:\s*[\"']?([^\s\"'}]+)", text).group(1)).decode()

    def stop(self):
        self.server.kill()
        self.server.wait()

    def close(self):
        if self.front:
            self.front.shutdown()
        self.stop()
        shutil.rmtree(self.dir, ignore_errors=True)

    def ask(self, method, path, body=None, token=None, kind="application/json"):
        c = http.client.HTTPSConnection("127.0.0.1", self.port, context=ssl.create_default_context(cadata=self.ca), timeout=20)
        c.request(method, path, json.dumps(body) if body is not None else None,
                  {"Authorization": f"Bearer {token or self.token}", "Content-Type": kind})
        a = c.getresponse()
        text = a.read()
        return a.status, json.loads(text or "{}")

    def fault(self, **what):
        code, answer = self.ask("POST", "/drydock/faults", what, "adm")
        expect(code == 201, f"no fault: {answer}")
        return answer["id"]

    def fired(self, number):
        return next(f["fired"] for f in self.ask("GET", "/drydock/faults", token="adm")[1]["faults"] if f["id"] == number)

    def heal(self):
        self.ask("DELETE", "/drydock/faults", token="adm")

    def environ(self, more):
        env = {"PATH": "/usr/bin:/bin", "HOME": self.dir, "TZ": "UTC", "KUBECONFIG": self.kubeconfig, "KUBECACHEDIR": f"{self.dir}/cache"}
        env.update(more)
        return {k: v for k, v in env.items() if v is not None}

    def begin(self, *args, **more):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return subprocess.Popen([PROGRAMS["pintle"], *args], env=self.environ(more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, preexec_fn=limit)

    def end(self, process, seconds=30):
        begin = time.monotonic()
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Wrong(f"did not end within {seconds} s: {err[-1000:]}")
        return Done(process.returncode, out, err, time.monotonic() - begin)

    def run(self, *args, seconds=30, **more):
        return self.end(self.begin(*args, **more), seconds)

    def install(self, *args, **more):
        return self.run("install", "r", self.chart, *args, **more)

    def upgrade(self, *args, **more):
        return self.run("upgrade", "r", self.chart, *args, **more)

    def records(self):
        items = self.ask("GET", f"{SECRETS}?labelSelector=owner%3Dhelm")[1]["items"]
        return {i["metadata"]["name"]: opened(i["data"]["release"]) for i in items}

    def states(self):
        return [r["info"]["status"] for _, r in sorted(self.records().items())]

    def set_record(self, name, data, **more):
        code, old = self.ask("GET", f"{SECRETS}/{name}")
        old["data"]["release"] = base64.b64encode(data).decode()
        old.update(more)
        code, answer = self.ask("PUT", f"{SECRETS}/{name}", old)
        expect(code == 200, f"cannot change the record: {answer}")

    def config(self, name, user, server=None, ca=True, cluster=None):
        """Another kubeconfig: a user as given."""
        c = {"server": server or f"https://127.0.0.1:{self.port}", **(cluster or {})}
        if ca:
            c["certificate-authority-data"] = base64.b64encode(self.ca.encode()).decode()
        return self.write(name, json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": c}], "users": [{"name": "u", "user": user}]}))

    def meddled(self, meddle, user=None):
        """A kubeconfig whose server is a TLS front before drydock: meddle(handler, answer, forward) may answer itself."""
        self.front = Front(self, meddle)
        return self.config("fronted", user or {"token": self.token}, f"https://127.0.0.1:{self.front.port}", ca=False,
                           cluster={"insecure-skip-tls-verify": True})


def opened(data):
    return json.loads(gzip.decompress(base64.b64decode(base64.b64decode(data))))


def packed(record):
    return base64.b64encode(gzip.compress(json.dumps(record).encode()))


def certificate(folder):
    key, pem = f"{folder}/front.key", f"{folder}/front.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=front", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", pem],
                   check=True, capture_output=True)
    return pem, key


class Front:
    def __init__(self, world, meddle):
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body, kind="application/json", **headers):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for k, v in headers.items():
                    self.send_header(k.replace("_", "-"), v)
                self.end_headers()
                self.wfile.write(body)

            def forward(self, change=None, cut_after=None, headers=None):
                c = http.client.HTTPSConnection("127.0.0.1", world.port, context=ssl._create_unverified_context(), timeout=60)
                sent = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "accept-encoding", "content-length")}
                sent.update(headers or {})
                c.request(self.command, self.path, self.body, sent)
                a = c.getresponse()
                kind = a.getheader("Content-Type", "")
                if "watch=true" not in self.path:
                    body = a.read()
                    return self.answer(a.status, change(body) if change else body, kind)
                self.send_response(a.status)
                self.send_header("Content-Type", kind)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                sent = 0
                while data := a.read1(65536):
                    if cut_after is not None and sent + len(data) > cut_after:
                        data = data[:cut_after - sent]
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                        self.wfile.flush()
                        self.close_connection = True
                        self.connection.close()
                        return
                    sent += len(data)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            def any(self):
                n = int(self.headers.get("Content-Length") or 0)
                self.body = self.rfile.read(n) if n else None
                front.seen.append((self.command, self.path))
                try:
                    if not meddle(self, front):
                        self.forward()
                except (OSError, ssl.SSLError):
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = any

        self.seen = []
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.handle_error = lambda *_: None
        self.http.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*certificate(world.dir))
        self.http.socket = tls.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def shutdown(self):
        self.http.shutdown()
        self.http.server_close()
