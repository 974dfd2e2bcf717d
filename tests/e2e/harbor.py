"""A Harbor that knows what lookout needs of its API v2.0, and is strict about it: the tags of artifacts, for a robot that
may create and delete them in its own projects. Its answers and their bodies are those of Harbor 2.x: a tag is unique in its
repository and moves nowhere (409), an immutable one is not deleted (412), a proxy's cache takes none (405), a project that
is not there or not the robot's is 403, names with a slash are encoded twice. What it has no route for is 404 and counted."""
import base64
import http.server
import json
import re
import socket
import threading
import time
import urllib.parse

from lookout_world import serve

ROUTE = re.compile(r"/api/v2\.0/projects/([^/?]+)/repositories/([^/?]+)/artifacts/([^/?]+)(?:(/tags)(?:/([^/?]+))?)?")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
CODES = {400: "BAD_REQUEST", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 409: "CONFLICT",
         412: "PRECONDITION", 415: "UNSUPPORTED_MEDIA_TYPE", 429: "TOO_MANY_REQUEST", 500: "UNKNOWN", 502: "UNKNOWN", 503: "UNKNOWN"}


class Repository:
    def __init__(self):
        self.artifacts, self.tags = set(), {}  # tag: digest


class Harbor:
    """`faults`: by repository's name, what is done to its next requests: a status, "hang" (no answer for 3 s, and nothing is
    done), "cut" (likewise, and the connection ends), "late" (done, and the connection ends without an answer)."""

    def __init__(self, user, password):
        self.user, self.password = user, password
        self.projects = {}  # name: {repository: Repository}
        self.robots, self.proxies, self.immutable = set(), set(), []  # projects; projects; (project, tags' pattern)
        self.faults, self.log, self.unknown = {}, [], []  # (when, method, path, status)
        self.lock = threading.Lock()
        harbor = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                fault = harbor.fault(self.path)
                if fault == "hang":
                    time.sleep(3)
                if fault in ("hang", "cut"):
                    harbor.note(self, 0)
                    return self.end()
                with harbor.lock:
                    status, message = (fault, "injected") if isinstance(fault, int) else harbor.serve(self.command, self.path, self.headers, body)
                harbor.note(self, status)
                if fault == "late":
                    return self.end()
                text = json.dumps(message).encode() if isinstance(message, dict) else b"" if status < 300 else json.dumps({"errors": [{"code": CODES[status], "message": message}]}).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_any

            def end(self):
                self.close_connection = True
                try:
                    self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        self.server = serve(Handler)
        self.port = self.server.server_address[1]
        self.host = f"127.0.0.1:{self.port}"

    def push(self, project, repository, digest, tag=None, robot=True):
        """As `docker push` does; the tag moves."""
        with self.lock:
            r = self.projects.setdefault(project, {}).setdefault(repository, Repository())
            r.artifacts.add(digest)
            if tag:
                r.tags[tag] = digest
            if robot:
                self.robots.add(project)

    def tags(self, project, repository):
        with self.lock:
            return dict(self.projects[project][repository].tags)

    def requests(self, word=""):
        with self.lock:
            return [(method, path, status) for _, method, path, status in self.log if word in path]

    def fault(self, path):
        found = ROUTE.fullmatch(path)
        name = urllib.parse.unquote(urllib.parse.unquote(found[2])) if found else ""
        with self.lock:
            return self.faults[name].pop(0) if self.faults.get(name) else None

    def note(self, request, status):
        with self.lock:
            self.log.append((time.monotonic(), request.command, request.path, status))

    def serve(self, method, path, headers, body):
        given = headers.get("Authorization", "")
        if given != "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode():
            return 401, "unauthorized"
        found = ROUTE.fullmatch(path)
        if not found or (method, bool(found[4]), bool(found[5])) not in (("POST", True, False), ("DELETE", True, True), ("GET", False, False)):
            self.unknown.append(f"{method} {path}")
            return 404, "path not found"
        project, reference, tag = (urllib.parse.unquote(found[i] or "") for i in (1, 3, 5))
        name = urllib.parse.unquote(found[2])
        if "/" in name:  # encoded once: the router has cut it there
            self.unknown.append(f"{method} {path}")
            return 404, "path not found"
        name = urllib.parse.unquote(name)
        if project not in self.projects or project not in self.robots:
            return 403, "forbidden"
        if method == "POST" and project in self.proxies:
            return 405, "the operation isn't supported for a proxy cache project"
        repository = self.projects[project].get(name, Repository())
        digest = reference if DIGEST.fullmatch(reference) else repository.tags.get(reference)
        if digest not in repository.artifacts:
            return 404, f"artifact {project}/{name}:{reference} not found"
        if method == "GET":
            return 200, {"digest": digest, "tags": [{"name": t} for t, at in repository.tags.items() if at == digest]}
        return self.create(headers, body, name, repository, digest) if method == "POST" else self.delete(project, tag, repository, digest)

    def create(self, headers, body, name, repository, digest):
        if headers.get("Content-Type", "").split(";")[0] != "application/json":
            return 415, "unsupported media type"
        try:
            tag = json.loads(body)["name"]
        except (ValueError, KeyError, TypeError):
            return 400, "invalid tag"
        if not isinstance(tag, str) or not TAG.fullmatch(tag):
            return 400, f"invalid tag name: {tag}"
        if tag in repository.tags:
            return 409, f"tag {tag} already exists under the repository {name}"
        repository.tags[tag] = digest
        return 201, ""

    def delete(self, project, tag, repository, digest):
        if repository.tags.get(tag) != digest:
            return 404, f"tag {tag} attached to artifact {digest} not found"
        if any(p == project and re.fullmatch(pattern, tag) for p, pattern in self.immutable):
            return 412, f"the tag {tag} configured as immutable, cannot be deleted"
        del repository.tags[tag]
        return 200, ""

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
