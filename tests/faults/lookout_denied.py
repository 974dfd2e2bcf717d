#!/usr/bin/env python3
"""Nothing goes to networks that are denied (F26): lookout in a network of its own, whose every packet is looked at, with
subscriptions to addresses that are denied, written in all the ways there are, and proxies in its environment.

usage: tests/faults/lookout_denied.py [--seed N] PINTLED   (it starts itself in namespaces of its own; the seed is for the order)"""
import http.client
import ipaddress
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lookout_world import Checks, Drydock, Lookout, Receiver, Sqlite, Writer, wait_for  # noqa: E402

HOSTS = {"inward.test": ["10.1.2.3"], "mixed.test": ["8.8.8.8", "10.1.2.3"], "metadata.test": ["169.254.169.254"], "public.test": ["8.8.4.4"],
         "six.test": ["fd00::1"], "mapped.test": ["::ffff:10.1.2.3"]}
DENIED = ["https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://169.254.169.254/latest/meta-data",
          "https://127.0.0.2/", "https://0.0.0.0/", "https://224.0.0.1/", "https://198.18.0.1/", "https://[::1]/", "https://[fe80::1]/", "https://[fd00::2]/",
          "https://[::ffff:10.0.0.2]/", "https://[64:ff9b::a00:3]/", "https://[2002:a00:4::]/", "https://167772165/", "https://0x0a000006/", "https://0x0a.0.0.7/",
          "https://012.0.0.010/", "https://10.9/", "https://user:pass@10.0.0.11/", "https://localhost/", "https://localhost./", "https://10.0.0.12./",
          "https://inward.test/", "https://inward.test./", "https://mixed.test/", "https://metadata.test/", "https://six.test/", "https://mapped.test/",
          "http://8.8.8.8/", "https://8.8.8.8:22/", "nats://10.0.0.13:4222", "smtp://10.0.0.14:25"]
INSIDE = [ipaddress.ip_network(n) for n in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4",
    "240.0.0.0/4", "::/128", "::1/128", "fc00::/7", "fe80::/10", "ff00::/8", "::ffff:0:0/96", "64:ff9b::/96", "2002::/16")]
PROXY = "http://10.9.9.9:3128"
TCP, UDP = 6, 17


class Packets:
    """Every TCP segment and datagram that leaves a socket of this network: (address, port)."""

    def __init__(self):
        self.seen, self.socket = set(), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            frame, (_, kind, *_) = self.socket.recvfrom(65536)
            packet = frame[14:]
            if kind == 0x0800 and packet[9] in (TCP, UDP):
                where, at = ipaddress.ip_address(packet[16:20]), (packet[0] & 15) * 4
            elif kind == 0x86DD and packet[6] in (TCP, UDP):
                where, at = ipaddress.ip_address(packet[24:40]), 40
            else:
                continue
            self.seen.add((str(where), struct.unpack("!H", packet[at + 2:at + 4])[0]))


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def lay_out(folder):
    """Every address is this machine's: what goes anywhere is seen here, and refused."""
    run("ip", "link", "set", "lo", "up")
    run("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo")
    run("ip", "-6", "route", "add", "local", "::/0", "dev", "lo")
    for name, text in (("hosts", "127.0.0.1 localhost\n" + "".join(f"{a} {host}\n" for host, all in HOSTS.items() for a in all)),
                       ("resolv.conf", "nameserver 203.0.113.1\noptions timeout:1 attempts:1\n"), ("nsswitch.conf", "hosts: files\n")):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
        if os.path.exists(f"/etc/{name}"):
            run("mount", "--bind", f.name, os.path.realpath(f"/etc/{name}"))


def inside(pintled, seed):
    urls = random.Random(seed).sample(DENIED, len(DENIED))
    print(f"denied networks: seed {seed}", flush=True)
    check, folder = Checks(), tempfile.mkdtemp(prefix="pintle-denied-")
    lay_out(folder)
    os.environ.update({name: PROXY for word in ("http", "https", "all") for name in (f"{word}_proxy", f"{word.upper()}_PROXY")})
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1"  # for the region's server
    packets, cluster, receiver, database = Packets(), Drydock(pintled, folder), Receiver(), Sqlite(folder)
    lookout = Lookout(pintled, folder, database, receiver, {"r": cluster.kubeconfig})
    ours = {cluster.port, receiver.port, lookout.port}
    try:
        lookout.start()
        check("denied networks: lookout is live there", wait_for(lookout.live), lookout.said()[-500:])
        made = {}
        for n, url in enumerate([*urls, "https://public.test/"]):
            options = {"url": url, "timeout_ms": 1500}
            sink = {"nats": "nats", "smtp": "email"}.get(url.split(":")[0], "webhook")
            if sink == "email":
                options |= {"from": "a@example.com", "to": ["b@example.com"]}
            c = http.client.HTTPConnection("127.0.0.1", lookout.port, timeout=10)
            c.request("POST", "/subscriptions", json.dumps({"name": f"s{n}", "types": ["kubernetes.event"], "sink": sink, "options": options}))
            answer = json.loads(c.getresponse().read())
            if "id" in answer:
                made[url] = answer["id"]
            else:
                check(f"denied networks: {url} is refused by its key", "url" in answer.get("error", ""), answer)
        Writer(cluster, 1).create("one")
        errors = lambda url: [e for e, in database.rows(f"select a.error from attempt a join delivery d on d.id = a.delivery_id where d.subscription_id = {made[url]}")]
        for url in made:
            said = wait_for(lambda: errors(url))
            check(f"denied networks: {url} is not reached, and why is recorded", said and said[0], said)
        ended = lambda: {u for u, n in made.items() if database.rows(f"select count(*) from delivery where subscription_id = {n} and state = 4") == [(1,)]}
        wait_for(lambda: set(made) - ended() <= {"https://public.test/"})
        check("denied networks: what the guard refuses is not tried again", set(made) - ended() <= {"https://public.test/"}, set(made) - ended())
        check("denied networks: of what is allowed the packets are seen, and no proxy's", ("8.8.4.4", 443) in packets.seen, packets.seen)
        wrong = [(a, p) for a, p in packets.seen if p not in ours and p < 32768 and any(ipaddress.ip_address(a) in n for n in INSIDE)]
        check("denied networks: no packet to any of them (F26)", not wrong, wrong)
        check("denied networks: all went nowhere else", {(a, p) for a, p in packets.seen if p < 32768 and p not in ours} <= {("8.8.4.4", 443)}, packets.seen)
        check("denied networks: SIGTERM ends it", lookout.kill(signal.SIGTERM) == 0)
    finally:
        if lookout.runs():
            lookout.kill()
        receiver.stop()
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return check.end()


def main():
    seed = sys.argv[2] if sys.argv[1:2] == ["--seed"] else str(int.from_bytes(os.urandom(4), "big"))
    if os.environ.pop("PINTLE_INSIDE", ""):
        return inside(os.path.abspath(sys.argv[-1]), int(sys.argv[1]))
    way = ["unshare", "-n", "-m"]
    if not (shutil.which("unshare") and shutil.which("ip")) or subprocess.run([*way, "ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo"],
                                                                               capture_output=True).returncode:
        print("skipped denied networks: no network namespaces may be made here")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    os.execvpe("unshare", [*way, sys.executable, os.path.abspath(__file__), seed, sys.argv[-1]], {**os.environ, "PINTLE_INSIDE": "1"})


if __name__ == "__main__":
    sys.exit(main())
