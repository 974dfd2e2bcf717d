"""Releases as Helm's client writes their records, made while lookout is under faults, and what must have been told of them.

The records go the way of Helm 4: a revision is made pending and then deployed or failed, the one before it superseded; a
release is uninstalled with or without its history. A transition is (uid of the record, status), which is lookout's key."""
import base64
import collections
import gzip
import json
import random
import threading
import time

from lookout_world import PATIENCE, wait_for

SECRETS = "/api/v1/namespaces/default/secrets"
TYPES = {"pending-install": "release.pending", "pending-upgrade": "release.pending", "pending-rollback": "release.pending",
         "deployed": "release.deployed", "failed": "release.failed", "uninstalled": "release.uninstalled"}


class Record:
    def __init__(self, release, number, status, description):
        self.release, self.number, self.status, self.description = release, number, status, description
        self.uid, self.rollback = "", status == "pending-rollback"
        self.told, self.gone = 0.0, 0.0  # its last state that is told: since when, until when


class Life:
    """One release from its install to its uninstall."""

    def __init__(self, name):
        self.name, self.records, self.transitions, self.ended, self.kept = name, [], [], 0.0, False
        self.began = time.monotonic()

    def newest(self):
        return self.records[-1]

    def deployed(self):
        return next((r for r in reversed(self.records) if r.status == "deployed"), None)


class Helm:
    """Changes some releases, one step after another, until it is stopped. `lives` is what the server acknowledged."""

    def __init__(self, cluster, seed, names=("rel-a", "rel-b", "rel-c"), pause=0.1):
        self.cluster, self.dice, self.names, self.pause = cluster, random.Random(seed), names, pause
        self.lives, self.now = [], {}
        # When lookout was away, or history lost: since when, and until when all was listed and stored again.
        self.looks = []
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.error = None

    def write(self, record, status, life, description=None):
        record.status, record.description = status, description or record.description
        if status == "uninstalling":
            record.gone = time.monotonic()
        name = f"sh.helm.release.v1.{life.name}.v{record.number}"
        payload = {"name": life.name, "namespace": "default", "version": record.number, "info": {"status": status, "description": record.description},
                   "chart": {"metadata": {"name": "shop", "version": f"1.0.{record.number}", "appVersion": "1"}}}
        body = {"metadata": {"name": name, "labels": {"owner": "helm", "name": life.name, "status": status, "version": str(record.number),
                                                      "modifiedAt": str(int(time.time()))}},
                "type": "helm.sh/release.v1",
                "data": {"release": base64.b64encode(base64.b64encode(gzip.compress(json.dumps(payload).encode()))).decode()}}
        made = not record.uid
        code, text = self.cluster.ask("POST" if made else "PUT", SECRETS if made else f"{SECRETS}/{name}", body)
        if made and code == 409:  # made, but the answer was cut and the request made again
            code, text = self.cluster.ask("GET", f"{SECRETS}/{name}")
        if code not in (200, 201):
            raise RuntimeError(f"{name} {status}: {code} {text[:200]}")
        record.uid = json.loads(text)["metadata"]["uid"]
        if status in TYPES:
            record.told = time.monotonic()
            life.transitions.append((record.uid, status))
        self.rest()

    def rest(self):
        time.sleep(self.dice.random() * self.pause)

    def remove(self, record, life):
        record.gone = record.gone or time.monotonic()
        code, text = self.cluster.ask("DELETE", f"{SECRETS}/sh.helm.release.v1.{life.name}.v{record.number}")
        if code not in (200, 202, 404):
            raise RuntimeError(f"delete of {record.number}: {code} {text[:200]}")

    def revise(self, life, how):
        """Installs, upgrades or rolls back; one in five fails."""
        fails = self.dice.random() < 0.2
        words = {"install": "Install", "upgrade": "Upgrade", "rollback": f"Rollback to {self.dice.randint(1, 9)}"}[how]
        record = Record(life.name, len(life.records) + 1, f"pending-{how}", words)
        life.records.append(record)
        before = life.deployed()
        self.write(record, record.status, life)
        if before and not fails:
            self.write(before, "superseded", life)
        end = "" if how == "rollback" else " failed" if fails else " complete"
        self.write(record, "failed" if fails else "deployed", life, words + end)

    def uninstall(self, life):
        newest = life.newest()
        self.write(newest, "uninstalling", life)
        if self.dice.random() < 0.3:  # --keep-history; then somebody removes the records
            self.write(newest, "uninstalled", life)
            life.kept = True
        for record in life.records:  # as Helm does, the oldest first
            self.remove(record, life)
        if not life.kept:
            life.transitions.append((newest.uid, "uninstalled"))
        life.ended = time.monotonic()
        self.rest()

    def one(self):
        name = self.dice.choice(self.names)
        life = self.now.get(name)
        if life is None or life.ended:
            self.now[name] = life = Life(name)
            self.lives.append(life)
            return self.revise(life, "install")
        what = self.dice.random()
        if what < 0.12 and len(life.records) > 2:
            return self.uninstall(life)
        self.revise(life, "rollback" if what < 0.35 else "upgrade")

    def work(self):
        try:
            while not self.stopping.is_set():
                self.one()
        except Exception as e:  # noqa: BLE001: said by verify
            self.error = e

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.stopping.set()
        if self.thread.ident:
            self.thread.join(timeout=3 * PATIENCE)


def expected(life, looks):
    """The transitions that must be told even if lookout was away or the history lost: of what is still there its end, and of what
    was there while all was listed."""
    out = []
    for uid, status in life.transitions:
        record = next(r for r in life.records if r.uid == uid)
        if status == "uninstalled":
            continue
        now = record.status if not life.ended else ""
        stays = now == status or (status == "deployed" and now == "superseded")
        # A revision that is not the newest keeps its settled state until it goes.
        listed = record.gone and not status.startswith("pending") and any(record.told < since and until < record.gone for since, until in looks)
        if stays or listed:
            out.append((uid, status))
    return out


def verify(check, name, database, receiver, lookout, helm, away):
    """Each transition once and in order, by the events stored and by what the receiver was told; and what lookout's API says of
    each release. `away`: lookout was not running, or the history was lost, at times: then what came and went meanwhile need
    not be told, and the end of a release may be told of the last revision that was seen."""
    check(f"{name}: the releases were changed", not helm.error and helm.lives, helm.error)
    kinds = sorted({t for t in TYPES.values()} | {"release.rolled_back"})
    query = ("select seq, type, release, revision, dedup_key from event where type in ({}) and release_namespace = 'default' and release in ({}) order by seq"
             .format(*(",".join(f"'{x}'" for x in some) for some in (kinds, helm.names))))
    truth = [t for life in helm.lives for t in life.transitions]
    records = {r.uid: r for life in helm.lives for r in life.records}
    must = {t for life in helm.lives for t in (expected(life, helm.looks) if away else life.transitions)}
    last_of = {r.uid: life.transitions[-1] for life in helm.lives if life.ended for r in life.records}

    def key(text):  # the cluster leads
        uid, status = text.split("/")[1:]
        return last_of.get(uid, (uid, status)) if away and status == "uninstalled" else (uid, status)

    rows = []

    def all_there():
        rows[:] = [(seq, kind, release, revision, key(dedup)) for seq, kind, release, revision, dedup in database.rows(query)]
        there = {r[4] for r in rows}
        if away:  # the end of every life that was told of
            for life in helm.lives:
                if life.ended and any(t in there for t in life.transitions):
                    must.add(life.transitions[-1])
        return must <= there

    complete = wait_for(all_there, PATIENCE, 0.2)
    there = collections.Counter(r[4] for r in rows)
    missing = sorted(must - set(there))
    check(f"{name}: every release's transition is told", complete, f"{len(missing)} of {len(must)} missing, e.g. {[say(helm, t) for t in missing[:4]]}")
    twice = [t for t, n in there.items() if n > 1]
    check(f"{name}: none of them twice", not twice, [(say(helm, t), [r[:4] for r in rows if r[4] == t]) for t in twice[:4]])
    odd = sorted(set(there) - set(truth))
    check(f"{name}: and none that never was", not odd, [say(helm, t) for t in odd[:4]])
    wrong = []
    for seq, kind, release, revision, (uid, status) in rows:
        record = records.get(uid)
        # Of one that was superseded before anybody looked, only the deploying is known.
        kinds_of = {TYPES.get(status, "")} if not (record and record.rollback and status == "deployed") else \
            {"release.rolled_back"} | ({"release.deployed"} if away else set())
        if record and (release != record.release or (revision != record.number and not (away and status == "uninstalled")) or kind not in kinds_of):
            wrong.append((seq, kind, release, revision, say(helm, (uid, status))))
    check(f"{name}: with the right type, release and revision", not wrong, wrong[:4])
    place = {t: i for i, t in enumerate(truth)}
    disorder = []
    sequences = {seq: t for seq, *_, t in rows}
    first, seen = collections.defaultdict(list), set()
    for identity, about, sequence, status, _ in receiver.all():
        if status == 200 and identity not in seen and sequence in sequences:
            seen.add(identity)
            first[about].append(sequences[sequence])
    for about, some in first.items():
        known = [t for t in some if t in place]
        disorder += [(about, say(helm, a), say(helm, b)) for a, b in zip(known, known[1:]) if place[a] >= place[b]]
    check(f"{name}: in order for each release", not disorder, f"{len(disorder)}, e.g. {disorder[:3]}")
    heard = {t for some in first.values() for t in some}
    check(f"{name}: and the receiver was told of each", set(there) <= heard, [say(helm, t) for t in sorted(set(there) - heard)[:4]])
    now = {life.name: (life.newest().number, life.newest().status) for life in helm.now.values() if not life.ended}

    def shown():
        items = json.loads(lookout.get("/releases")[1] or '{"items": []}')["items"]
        return {r["name"]: (r["revision"], r["state"]) for r in items if r["name"] in helm.names}

    good = wait_for(lambda: shown() == now, PATIENCE, 0.3)
    check(f"{name}: each release is shown as it is", good, f"{shown()}, not {now}")
    pending = [t for t in truth if t[1].startswith("pending") and t not in there]
    print(f"  {name}: {len(helm.lives)} releases, {len(truth)} transitions, {len(there)} told, {len(pending)} pendings unseen", flush=True)


def say(helm, transition):
    """rel-a v3 deployed, and the rest of what became of that revision."""
    if not transition:
        return None
    for n, life in enumerate(helm.lives):
        for r in life.records:
            if r.uid == transition[0]:
                return f"{life.name} (life {n}{', ended' if life.ended else ''}) v{r.number} {transition[1]} (now {r.status})"
    return "/".join(transition)
