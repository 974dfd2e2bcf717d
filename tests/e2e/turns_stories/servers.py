"""The servers the stories run on: the kit's control plane and drydock, started here and stopped at the
end, or one that runs already."""
import contextlib
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(E2E))


def kit(name, file, build=False):
    """A program of the kit; None: it is not here. Without `build` only what was built before counts."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pintle/kit")
    kinds = {"helm4": "helm-4", "helm3": "helm-3", "helm2": "helm-2", "kube": "kube-", "etcd": "etcd-", "kwok": "kwok-"}
    if not build and not any(f.startswith(kinds[name]) for f in (os.listdir(cache) if os.path.isdir(cache) else [])):
        return None
    done = subprocess.run([f"{ROOT}/tools/kit", name], capture_output=True, text=True)
    if done.returncode:
        return None
    path = done.stdout.strip()
    return path if os.path.isfile(path) else os.path.join(path, file)


class Server:
    """One API server, asked directly: a connection per thread, opened again once when it was closed."""

    def __init__(self, kubeconfig, title):
        self.kubeconfig, self.title = os.path.abspath(kubeconfig), title
        text = open(kubeconfig).read()
        self.address = re.search(r"server:\s*[\"']?https://([\d.]+:\d+)", text).group(1)
        self.token = re.search(r"token:\s*[\"']?([^\s}\"']+)", text).group(1)
        self.local = threading.local()

    def call(self, method, path, body=None, accept="application/json"):
        headers = {"Authorization": "Bearer " + self.token, "Accept": accept, "Content-Type": "application/json",
                   "User-Agent": "turns"}
        for last in (False, True):
            if getattr(self.local, "link", None) is None:
                context = ssl._create_unverified_context()
                self.local.link = http.client.HTTPSConnection(self.address, context=context, timeout=30)
            try:
                self.local.link.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = self.local.link.getresponse()
                data = answer.read()
                return answer.status, json.loads(data) if data[:1] == b"{" else {}
            except (OSError, http.client.HTTPException):
                self.local.link = None
                if last:
                    raise

    def get(self, path, accept="application/json"):
        """The answer's JSON, {} for what is no longer there."""
        status, answer = self.call("GET", path, accept=accept)
        return answer if status == 200 else {}


def start_plane(folder, **environment):
    """Whether a real control plane runs with its files in `folder` now, until stop_plane(); False: the kit is not here.
    One that does not come up ends the test as failed."""
    if not all(kit(name, name) for name in ("kube", "etcd", "kwok")):
        return False
    done = subprocess.run([f"{E2E}/control-plane", "start", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    if done.returncode not in (0, 3):
        sys.exit(f"FAIL a real control plane: {done.stderr.strip()}")
    return done.returncode == 0


def stop_plane(folder):
    subprocess.run([f"{E2E}/control-plane", "stop", folder], stdout=subprocess.DEVNULL, check=True)


@contextlib.contextmanager
def control_plane(skip):
    """The kubeconfig's folder of a real control plane, with its audit.jsonl; None when there is no kit."""
    with tempfile.TemporaryDirectory(prefix="turns-plane-", ignore_cleanup_errors=True) as folder:
        if not start_plane(folder, STAGES=f"{E2E}/releases/stages.yaml"):
            skip("no real control plane in the kit (tools/kit kube, etcd, kwok)")
            yield None
            return
        try:
            yield folder
        finally:
            stop_plane(folder)


@contextlib.contextmanager
def drydock(pintled):
    with tempfile.TemporaryDirectory(prefix="turns-dock-") as folder:
        log = open(f"{folder}/log", "w")
        process = subprocess.Popen([pintled, "drydock", "--kubeconfig", f"{folder}/kubeconfig", "--admin-token", "turns"],
                                   stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            if "ready" not in process.stdout.readline():
                sys.exit("drydock did not start: " + open(f"{folder}/log").read()[-2000:])
            yield f"{folder}/kubeconfig"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


@contextlib.contextmanager
def serving(kubeconfig, pintled, skip):
    with contextlib.ExitStack() as stack:
        if kubeconfig:
            yield [Server(kubeconfig, os.path.basename(os.path.dirname(os.path.abspath(kubeconfig))))]
            return
        servers = []
        if pintled:
            servers.append(Server(stack.enter_context(drydock(pintled)), "drydock"))
        else:
            skip("no pintled named, so not on drydock")
        folder = stack.enter_context(control_plane(skip))
        if folder:
            servers.append(Server(f"{folder}/kubeconfig", "real"))
        yield servers
