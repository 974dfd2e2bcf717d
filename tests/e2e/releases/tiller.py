"""A Tiller of the kit beside a server: gRPC and probes on loopback ports, releases in ConfigMaps of
the namespace kube-system."""
import http.client
import socket
import subprocess
import time


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Tiller:
    def __init__(self, program, side):
        port, probe = free_ports(2)
        self.address = f"127.0.0.1:{port}"
        self.process = subprocess.Popen([program, "--listen", self.address, "--probe-listen", f"127.0.0.1:{probe}"],
                                        env={**side.env, "TILLER_NAMESPACE": "kube-system"},
                                        stdout=subprocess.DEVNULL, stderr=open(f"{side.env['HOME']}/tiller.log", "w"))
        for _ in range(100):
            try:
                link = http.client.HTTPConnection("127.0.0.1", probe, timeout=2)
                link.request("GET", "/readiness")
                if link.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        self.stop()
        raise OSError("tiller did not come up")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
