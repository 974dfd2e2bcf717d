"""Cases of tests/faults/lookout under load, with clocks that jump, and with leadership that flaps: (name, work, only in --long)."""
import json
import os
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

from lookout_world import Cluster, Drydock, EVENTS, PATIENCE, Postgres, Receiver, Writer, due, expire, stored, wait_for

HISTORY = 100_000  # changes that a drydock keeps for watches
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


def quiet(w):
    """Nobody is told: what is tried is the way into the database."""
    w.subscribed = []
    w.lookout.wanted = 'reasons = ["Nothing"]'
    w.lookout.write()
    w.restart()
    wait_for(w.lookout.live)


def loud(w, count, pause=0.0, most=None):
    writers = [Writer(w.cluster, w.seed + i, f"l{i}", pause, most) for i in range(count)]
    w.writers += writers
    for one in writers:
        one.start()
    return writers


def all_stored(w, writers):
    """However long that takes, while more is stored."""
    wanted, before, now = due(writers, w.lost), -1, 0
    while now > before:
        if wait_for(lambda: wanted <= stored(w.database), 30, 3):
            return w.caught_up()
        before, now = now, w.database.rows("select count(*) from observation")[0][0]
    return False


def stalled(w):
    """F10: nothing can be written while Events pour in; what is not stored must wait in the server, not in memory."""
    quiet(w)
    w.goes_on()
    writers, seconds = loud(w, 4), 600 if w.args.long else 4
    time.sleep(1)
    before = w.lookout.rss()
    with sqlite3.connect(w.database.file, timeout=20) as c:
        c.isolation_level = None
        c.execute("begin immediate")
        time.sleep(seconds)
        most = w.lookout.rss()
        c.execute("rollback")
    for one in writers:
        one.stop()
    made = sum(len(one.truth) for one in writers)
    w.lost = made >= HISTORY
    w.check("memory is bounded while the database stands still (F10)", most < before + 48, f"{before:.0f} -> {most:.0f} MiB, {made} states")
    w.check("and then all of it is stored", all_stored(w, writers), made)


def relisted(w):
    """F9: 50,000 Events are listed anew while 1,000 a second arrive."""
    w.writer.stop()
    big = Drydock(w.args.pintled, w.folder, "big", kept=False)
    w.clean_up.append(big.stop)
    w.lookout.regions["big"] = big.kubeconfig
    quiet(w)
    many = Writer(big, w.seed, region="big")
    w.writers.append(many)
    w.writer.region = "r"
    body = lambda name: many.event(name, 1, "one of many")
    threads = [threading.Thread(target=lambda n=n: [many.note(*big.ask("POST", EVENTS, body(f"many-{i}"))) for i in range(n, 50_000, 4)]) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.check("50,000 Events are stored", w.caught_up(120, many), f"{len(stored(w.database))}")
    makers = [Maker(w, big, i, RATE / 4) for i in range(4)]
    time.sleep(10)
    steady = w.lookout.rss()
    w.lookout.forget_peak()
    lists = lambda: next(x.get("lists", 0) for x in json.loads(w.lookout.get("/regions/big/health")[1])["watches"] if x["resource"] == "events")
    expired = lambda: w.lookout.metric("lookout_region_expired_total")
    before, lost = lists(), expired()
    expire(big, 0)  # once: each next list would wait longer for its turn
    w.check("all is listed anew as history is gone (F9)", wait_for(lambda: lists() > before and expired() > lost), (before, lists(), lost, expired()))
    time.sleep(15)
    peak = w.lookout.peak()
    for m in makers:
        m.stop()
    w.writers += makers
    w.lost = [many, *makers]
    wait_for(lambda: due(makers, True) <= stored(w.database), 60, 0.3)
    rows = {(u, str(v)): ms for u, v, ms in w.database.rows("select uid, version, received_ms from observation where resource = 'events'")}
    lags = sorted(max(0.0, rows[k] / 1000 - ended) for m in makers for k, (_, ended) in m.when.items() if k in rows)
    p99 = statistics.quantiles(lags, n=100)[98]
    made = [ended for m in makers for _, ended in m.when.values()]
    rate = len(made) / (max(made) - min(made))
    print(f"  relist of 50,000: {rate:.0f} states a second, lag p99 {p99:.2f} s, RSS {steady:.0f} -> {peak:.0f} MiB", flush=True)
    w.check(f"{RATE} a second arrived (F9)", rate >= 0.95 * RATE, f"{rate:.0f}")
    w.check("the lag's 99th percentile is at most 2 s (F9)", p99 <= 2, f"{p99:.2f} s")
    w.check("and memory at most half as much again (F9)", peak <= 1.5 * steady, f"{steady:.0f} -> {peak:.0f} MiB")


RATE = 1000


class Maker:
    """A writer in a process of its own, that keeps 300 Events alive; it has written when it is stopped."""

    region, unseen = "big", 0

    def __init__(self, w, cluster, i, rate):
        self.cluster, self.stopping = cluster, threading.Event()
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), cluster.kubeconfig, str(w.seed + i), f"m{i}", str(rate)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        w.clean_up.append(self.process.kill)

    def stop(self):
        if self.process.poll() is None:
            rows, deleted = json.loads(self.process.communicate(timeout=120)[0])
            self.truth, self.deleted = [(u, v) for u, v, *_ in rows], set(deleted)
            self.when = {(u, v): (began, ended) for u, v, began, ended in rows}


def make(kubeconfig, seed, run, rate):
    writer = Writer(Cluster(kubeconfig), int(seed), run, most=300, rate=1.1 * float(rate), change=0.9)  # deletes make no state
    writer.start()
    sys.stdin.read()
    writer.stop()
    print(json.dumps([[(*state, *writer.when[state]) for state in writer.truth], list(writer.deleted)]))


def clocks(w):
    """F20: the clock of lookout's machine jumps an hour ahead, back, and another hour back."""
    if not os.path.exists(FAKETIME):
        return w.skip("libfaketime is not installed")
    jump = os.path.join(w.folder, "clock")

    def set_to(text):
        with open(jump + ".new", "w") as f:
            f.write(text)
        os.replace(jump + ".new", jump)

    set_to("+0s")
    w.lookout.env = {**os.environ, "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": jump, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    w.restart()
    w.check("it starts with a clock of its own", wait_for(w.lookout.live), w.lookout.said()[-300:])
    cpu, began = w.lookout.cpu(), time.monotonic()
    for text in ("+3600s", "+0s", "-3600s", "+0s"):
        set_to(text)
        before = len(w.writer.truth)
        time.sleep(1)
        w.check(f"{text}: what happens is stored", w.goes_on(20), w.lookout.states())
        w.check(f"{text}: and told", wait_for(lambda: told_since(w, before) >= 10), told_since(w, before))
        w.check(f"{text}: the region is live", w.lookout.live(), w.lookout.states())
    first, last = w.database.rows("select min(received_ms), max(received_ms) from observation")[0]
    w.check("its clock did jump", last - first > 3_600_000, last - first)
    used = (w.lookout.cpu() - cpu) / (time.monotonic() - began)
    w.check("no hot loop", used < 0.6, f"{used:.2f} of a core")


def told_since(w, before):
    """How many of the first 20 states written after that are told."""
    some = set(w.writer.truth[before:before + 20])
    sequences = {s for s, u, v in w.database.rows("select seq, observation_uid, observation_version from event") if (u, str(v)) in some}
    return len(sequences & {s for _, _, s, status, _ in w.receiver.all() if status == 200})


def ten_thousand(w):
    """F28: with thousands waiting, a subscription is sent elsewhere, disabled, enabled, and deleted."""
    other, most, slots = Receiver(), 10_000 if w.args.long else 100, 4
    w.clean_up.append(other.stop)
    w.beside.append(other)
    w.writer.stop()
    slow = w.receiver.delay = other.delay = 1.0
    good = open(w.lookout.config).read().replace('order_by = "subject"', 'order_by = "subject"\nenabled = true').replace("allow = [", f'allow = ["127.0.0.1:{other.port}", ')

    def reload(text):
        with open(w.lookout.config, "w") as f:
            f.write(text)
        w.lookout.send(signal.SIGHUP)

    reload(good)
    number = w.database.rows("select id from subscription")[0][0]
    count = lambda *states: w.database.rows(f"select count(*) from delivery where subscription_id = {number} and state in ({','.join(map(str, states))})")[0][0]

    def make(n):
        body = lambda i: {**w.writer.event(f"wait-{n}-{i}", 1, "waits"), "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": f"p-{n}-{i}"}}
        threads = [threading.Thread(target=lambda k=k: [w.writer.note(*w.cluster.ask("POST", EVENTS, body(i))) for i in range(k, most, 4)]) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    w.receiver.gate.clear()
    make(1)
    w.check(f"{most} wait", wait_for(lambda: count(0, 1, 3) >= most * 0.6), count(0, 1, 3))
    elsewhere = good.replace(f"127.0.0.1:{w.receiver.port}/hook", f"127.0.0.1:{other.port}/hook")
    reload(elsewhere)
    w.check("the new address gets what waits (F28)", wait_for(lambda: other.all()))
    w.receiver.gate.set()
    old = len(w.receiver.all())  # with those that were under way
    other.delay = 0.0
    w.check("all of it", wait_for(lambda: count(0, 1, 3) == 0, 2 * PATIENCE, 0.2), count(0, 1, 3))
    w.check("and the old one nothing, whatever had been handed out", len(w.receiver.all()) <= old + slots, len(w.receiver.all()) - old)
    dead = lambda: w.database.rows("select dead_reason from delivery where state = 4")
    w.check("nor did the guard bury any", not dead(), dead()[:3])
    other.delay = slow
    other.gate.clear()
    make(2)
    wait_for(lambda: set(w.writer.truth) <= stored(w.database))  # what is stored while it is disabled is none of its
    w.check("as many wait again", wait_for(lambda: count(0, 1, 3) >= most * 0.6), count(0, 1, 3))
    reload(elsewhere.replace("enabled = true", "enabled = false"))
    wait_for(lambda: w.database.rows("select enabled from subscription") == [(0,)])
    requests = len(other.all())
    other.gate.set()
    wait_for(lambda: count(1) == 0)  # those that were under way end, those handed out go back
    w.check("disabled it is told no more than what was under way", len(other.all()) <= requests + slots, len(other.all()) - requests)
    held, requests = count(0, 3), len(other.all())
    time.sleep(1)
    w.check("disabled it is told nothing, and what waits is held", held > most * 0.2 and count(0, 3) == held and len(other.all()) == requests, (held, requests, len(other.all()), w.database.rows("select state, count(*) from delivery group by state")))
    reload(elsewhere)
    w.check("enabled it goes on", wait_for(lambda: len(other.all()) > requests))
    begin, end = elsewhere.index("[[subscriptions]]"), elsewhere.index("[guard]")
    reload(elsewhere[:begin] + elsewhere[end:])
    w.check("deleted, what waits is cancelled", wait_for(lambda: count(0, 1, 3) == 0 and count(5) > 0), (count(0, 1, 3), count(5)))
    w.excused = {(uid, str(version)) for uid, version in w.database.rows(
        "select e.observation_uid, e.observation_version from event e join delivery d on d.event_seq = e.seq where d.state = 5")}
    requests = len(other.all())
    time.sleep(1.5)
    w.check("and nobody is told but what was under way", len(other.all()) <= requests + slots and not dead(), (len(other.all()) - requests, dead()[:3]))


def on_postgres(w):
    """Goes on with an empty database of that kind. False: there is none here."""
    if not Postgres.programs():
        w.skip("PostgreSQL is not installed")
        return False
    w.lookout.kill(signal.SIGTERM)
    w.receiver.forget()
    w.database = w.lookout.database = Postgres()
    w.clean_up.append(w.database.stop)
    w.lookout.write()
    w.lookout.start()
    w.check("it takes the region", wait_for(w.lookout.live), w.lookout.states())
    w.writer.unseen = len(w.writer.truth)
    return True


def silent(w):
    """F17: a PostgreSQL whose machine is there, and which says nothing."""
    if not on_postgres(w):
        return
    w.clean_up.insert(0, lambda: w.database.send(signal.SIGCONT))
    w.database.send(signal.SIGSTOP)
    ready = lambda: w.lookout.get("/readyz")
    w.check("/readyz says so", wait_for(lambda: ready()[0] == 503 and "has not answered" in ready()[1]), ready())
    w.check("nothing else is asked of it", w.lookout.get("/events")[0] == 503)
    w.check("and it is counted", wait_for(lambda: w.lookout.metric("lookout_write_trouble_since_seconds") > 0))
    w.database.send(signal.SIGCONT)
    w.check("it is over when it is over", wait_for(lambda: ready()[0] == 200 and w.lookout.metric("lookout_write_trouble_since_seconds") == 0), ready())
    w.check("and goes on", w.goes_on())
    w.database.send(signal.SIGSTOP)
    time.sleep(1)
    began = time.monotonic()
    w.lookout.kill(signal.SIGTERM)
    took = time.monotonic() - began
    w.check("SIGTERM ends it all the same (F36)", took < 10, f"{took:.1f} s")
    w.database.send(signal.SIGCONT)
    w.lookout.start()


def flaps(w):
    """F21: the Lease of a region is taken away and given back, again and again, in one process."""
    w.lookout.more, w.lookout.wanted = '[share]\nnamespace = "default"', 'reasons = ["Nothing"]'
    w.subscribed, before = [], len(w.lookout.said())
    if not on_postgres(w):
        return
    lease, times = "/apis/coordination.k8s.io/v1/namespaces/default/leases/lookout-r", 100 if w.args.long else 1
    patch = lambda holder, n: w.cluster.ask("PATCH", lease, {"spec": {"holderIdentity": holder, "leaseTransitions": n}}, kind="application/merge-patch+json")
    mine = lambda: w.lookout.states().get("r") in ("live", "syncing")
    sizes = [w.lookout.threads_and_files()]
    for i in range(times):
        transitions = json.loads(w.cluster.ask("GET", lease)[1])["spec"].get("leaseTransitions", 0)
        patch("another", transitions + 1)
        if not w.check(f"it lets go ({i + 1})", wait_for(lambda: not mine()), w.lookout.states()):
            return
        patch("", transitions + 2)
        if not w.check(f"and takes it again ({i + 1})", wait_for(w.lookout.live), w.lookout.states()):
            return
        sizes.append(w.lookout.threads_and_files())
    w.check("threads and descriptors stay (F21)", max(t for t, _ in sizes) - min(t for t, _ in sizes) <= 2 and sizes[-1][1] <= sizes[0][1] + 6, sizes[::max(1, times // 10)])
    epochs = re.findall(r'msg="region connected" region=r .*epoch=(\d+)', w.lookout.said()[before:])
    w.check("each time with a newer epoch", list(map(int, epochs)) == sorted(set(map(int, epochs))) and len(epochs) > times, epochs[-5:])


if __name__ == "__main__":
    make(*sys.argv[1:])

CASES = [("a database that says nothing", silent, False), ("a store that stands still", stalled, False), ("many Events listed anew", relisted, True),
         ("a clock that jumps", clocks, False), ("thousands that wait", ten_thousand, False), ("a Lease that flaps", flaps, False)]
