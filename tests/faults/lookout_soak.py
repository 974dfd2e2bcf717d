"""Many clusters under random faults for a long time (F35): `tests/faults/lookout --soak MINUTES`.

Each cluster is a drydock, each with a writer that keeps 200 Events alive at `rate` changes a second. What happens, by the
printed seed: watches are cut (F1), a connection becomes a black hole (F2, of every fifth cluster), history is compacted (F3),
a server is away or refuses (F5), lookout is killed (F16; in the first two thirds, so that its memory can be followed
in the last), the receiver fails (F22). Memory is measured within that one life, from a quarter of it on, and its slope is
the median of the slopes between all pairs of samples, which single peaks do not move. Clusters of an odd number keep their history, so all of their states must be
stored. F4 has a case of its own. The subscription is for the first two clusters.

Afterwards: I1 to I6, I10; I9 as the slope of lookout's memory in the last third; I11 as the stored newest
state of each Event being the server's; no dead letter but of a 4xx."""
import json
import multiprocessing
import os
import random
import shutil
import signal
import statistics
import tempfile
import threading
import time

from lookout_world import Drydock, EVENTS, Front, KEYS, Lookout, Receiver, Sqlite, Writer, verify, wait_for

TOKEN = "token-of-the-soak"
ALIVE = 200
TELLS = 900  # seconds of one life, after a quarter of it, whose slope says something


class Cluster(Drydock):
    def start(self, kubeconfig=None, more=()):
        super().start(kubeconfig, ("--token", f"{TOKEN}=writer:admin", *more))


class Written:
    """What a writer of another process has written."""

    def __init__(self, cluster, region, truth, deleted):
        self.cluster, self.region, self.unseen, self.deleted = cluster, region, 0, set(deleted)
        self.truth = [(uid, version) for uid, version, *_ in truth]
        self.when = {(uid, version): times for uid, version, *times in truth}


def write(clusters, seed, rate, starting, stopping, out):
    writers = [Writer(c, seed + i, f"s{i}", pause=1.3 / rate, most=ALIVE) for i, c in clusters]
    for w in writers:
        w.cluster.token = TOKEN
    starting.wait()
    for w in writers:
        w.start()
    stopping.wait()
    for w in writers:
        w.stop()
    out.put([(i, [(*state, *w.when[state]) for state in w.truth], list(w.deleted)) for (i, _), w in zip(clusters, writers)])


class Faults:
    def __init__(self, seed, clusters, fronts, receiver, lookout):
        self.dice, self.clusters, self.fronts, self.receiver, self.lookout = random.Random(seed), clusters, fronts, receiver, lookout
        self.done, self.busy, self.threads, self.well_until = {}, set(), [], 0

    def aside(self, name, work):
        """What takes its time, on one cluster at once."""
        self.busy.add(name)

        def run():
            try:
                work()
            finally:
                self.busy.discard(name)

        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def one(self, kills):
        i = self.dice.randrange(len(self.clusters))
        cluster, even = self.clusters[i], self.dice.randrange(0, len(self.clusters), 2)
        what = self.dice.choice(["F1", "F1", "F2", "F3", "F5 away", "F5 refuses", "F16" if kills else "F1", "F22"])
        if what == "F1" and i not in self.busy:
            cluster.admin("watches", {"effect": "cut"})
        elif what == "F2" and self.fronts:
            at, front = self.dice.choice(list(self.fronts.items()))
            seconds = self.dice.uniform(5, 30)
            if at in self.busy:
                return
            self.aside(at, lambda: (front.hole.set(), time.sleep(seconds), front.hole.clear()))
        elif what == "F3" and even not in self.busy:
            self.clusters[even].admin("compact")
            self.clusters[even].admin("watches", {"effect": "cut"})
        elif what == "F5 away" and even not in self.busy:
            seconds = self.dice.uniform(1, 8)
            self.aside(even, lambda: (self.clusters[even].stop(), time.sleep(seconds), self.clusters[even].start()))
        elif what == "F5 refuses" and i not in self.busy:
            cluster.admin("faults", {"watch": True, "effect": "status", "status": self.dice.choice([429, 500, 503]), "retryAfterSeconds": 1, "count": 3})
            cluster.admin("watches", {"effect": "cut"})
        elif what == "F16":
            self.lookout.kill()
            time.sleep(self.dice.random() * 0.5)
            self.lookout.start()
        elif what == "F22" and time.monotonic() > self.well_until:  # it fails, then is well for longer
            self.well_until = time.monotonic() + 300
            with self.receiver.lock:
                self.receiver.script.extend(self.dice.choice([500, 503, 429, "cut", 408]) for _ in range(3))
        else:
            return
        self.done[what] = self.done.get(what, 0) + 1

    def end(self):
        for t in self.threads:
            t.join(timeout=60)
        for c in self.clusters:
            c.admin("faults", None, "DELETE")


def slope(samples):
    """MiB an hour: the median over pairs that are a third of the time apart or more (Theil and Sen)."""
    samples = samples[::max(1, len(samples) // 300)]
    apart = (samples[-1][0] - samples[0][0]) / 3
    slopes = [(m2 - m1) / (t2 - t1) * 3600 for i, (t1, m1) in enumerate(samples) for t2, m2 in samples[i + 1:] if t2 - t1 >= apart]
    return statistics.median(slopes) if slopes else 0.0


def rise(samples):
    """What the slope makes of the time measured, and by how much the samples lie beside it (half of them): MiB."""
    steep = slope(samples)
    quarters = statistics.quantiles([m - steep * t / 3600 for t, m in samples], n=4)
    return steep * (samples[-1][0] - samples[0][0]) / 3600, quarters[2] - quarters[0]


def run(args, check):
    folder = tempfile.mkdtemp(prefix="pintle-soak-")
    print(f"soak: seed {args.seed}, {args.regions} regions, {args.rate} events a second each, {args.soak} minutes", flush=True)
    clusters = [Cluster(args.pintled, folder, f"c{i}") for i in range(args.regions)]
    starting, stopping, out, share = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Queue(), 4
    processes = [multiprocessing.Process(target=write, args=(list(enumerate(clusters))[n::share], args.seed, args.rate, starting, stopping, out)) for n in range(share)]
    for p in processes:
        p.start()
    fronts, regions = {}, {}
    for i, c in enumerate(clusters):
        regions[f"r{i}"] = c.kubeconfig
        if i % 5 == 1:
            fronts[i] = Front(c.host)
            regions[f"r{i}"] = os.path.join(folder, f"front{i}.kubeconfig")
            with open(regions[f"r{i}"], "w") as f:
                f.write(open(c.kubeconfig).read().replace(c.host, f"127.0.0.1:{fronts[i].port}").replace(c.token, TOKEN))
    receiver, database = Receiver(), Sqlite(folder)
    lookout = Lookout(args.pintled, folder, database, receiver, regions, wanted='regions = ["r0", "r1"]')
    lookout.start()
    faults = Faults(args.seed, clusters, fronts, receiver, lookout)
    live = lambda: lookout.live(*regions)
    try:
        check("all regions become live", wait_for(live, 60), lookout.states())
        starting.set()
        began, samples, said = time.monotonic(), [], time.monotonic()
        while (now := time.monotonic() - began) < args.soak * 60:
            kills = now < args.soak * 40
            faults.one(kills)
            time.sleep(faults.dice.uniform(0.2, 3))
            if not kills and now > args.soak * 45:  # a quarter of the last life is for warming up
                samples.append((now, lookout.rss(), *lookout.threads_and_files()))
            if time.monotonic() - said > 60:
                said = time.monotonic()
                rows = database.rows("select count(*) from observation")[0][0]
                print(f"  {now / 60:.0f} min: {rows} states, {lookout.rss():.0f} MiB, {faults.done}", flush=True)
        faults.end()
        check("all regions are live again (I6)", wait_for(live, 120), lookout.states())
        stopping.set()
        written = sorted((row for _ in processes for row in out.get(timeout=120)), key=lambda row: row[0])
        writers = [Written(clusters[i], f"r{i}", truth, deleted) for i, truth, deleted in written]
        told = verify(check, "soak", database, receiver, writers, lost=[w for i, w in enumerate(writers) if i % 2 == 0], settle=300, subscribed=writers[:2], dead=" 4")  # it is tried each minute, and answers after three
        states = {tuple(row) for row in database.rows("select uid, version from object where resource = 'events'")}
        for i, c in enumerate(clusters):
            there = {(o["metadata"]["uid"], o["metadata"]["resourceVersion"]) for o in json.loads(c.ask("GET", EVENTS)[1])["items"]}
            check(f"r{i}: the newest state of each Event is the server's (I11)", there <= states, f"{len(there - states)} of {len(there)} are not")
        mebibytes = slope([s[:2] for s in samples])
        grown, noise = rise([s[:2] for s in samples])
        seen = f"{mebibytes:+.1f} MiB/h, {grown:+.1f} MiB, noise {noise:.1f} MiB"
        if samples[-1][0] - samples[0][0] >= TELLS:
            check("memory stays (I9)", mebibytes <= 1 or grown <= max(1.0, noise), seen)
        else:  # still warming up: no slope an hour can be told from that
            check("memory is bounded (I9)", grown <= 16, seen)
            check.skip(f"soak: the slope of its memory wants {TELLS} s of measuring, a soak of {TELLS * 4 // 60} min")
        threads, files = ([s[k] for s in samples] for k in (2, 3))
        # Descriptors come and go with connections; they must come back to what they were.
        early, late = (min(part) for part in (files[:len(files) // 3], files[-len(files) // 3:]))
        check("threads and descriptors stay (I9)", max(threads) - min(threads) <= 4 and late <= early + 4, f"{min(threads)}-{max(threads)}, {early} -> {late}")
        check("SIGTERM ends it within 10 s (F36)", lookout.kill(signal.SIGTERM) == 0)
        dump = database.bytes() + lookout.said().encode()
        check("no secret in database or log (I10)", not any(s.encode() in dump for s in [*KEYS, TOKEN]))
        print(f"soak: {sum(len(w.truth) for w in writers)} states in {args.soak} min, {len(told)} requests, faults {faults.done}, "
              f"gaps {database.rows('select count(*) from gap')[0][0]}, RSS {samples[0][1]:.0f} -> {samples[-1][1]:.0f} MiB in the last third, {mebibytes:+.1f} MiB/h ({grown:+.1f} MiB, noise {noise:.1f} MiB), "
              f"threads {max(threads)}, descriptors {min(files)} to {max(files)}", flush=True)
    finally:
        starting.set(), stopping.set()
        for p in processes:
            p.join(timeout=30)
            p.kill()
        if lookout.runs():
            lookout.kill()
        receiver.stop()
        for c in clusters:
            c.stop()
        shutil.rmtree(folder, ignore_errors=True)
