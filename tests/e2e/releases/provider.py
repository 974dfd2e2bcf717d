"""What surrounds a real control plane of which only the API server and its controllers run: a cloud
that gives a LoadBalancer its address and a provisioner that makes the volume a claim asks for.
drydock has both inside."""
import threading
import time
from http.client import HTTPException

CLASS = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "drydock.local/simulated",
         "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}}


class Provider(threading.Thread):
    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.ended = server, threading.Event()
        server.call("POST", "/apis/storage.k8s.io/v1/storageclasses", CLASS)

    def run(self):
        while not self.ended.wait(0.3):
            try:
                self.give_addresses()
                self.make_volumes()
                self.drop_volumes()
            except (OSError, HTTPException, KeyError):  # the server is busy or going: next time
                time.sleep(0.5)

    def stop(self):
        self.ended.set()
        self.join()

    def give_addresses(self):
        for service in self.server.call("GET", "/api/v1/services")[1].get("items") or []:
            if service["spec"].get("type") == "LoadBalancer" and not service["status"]["loadBalancer"]:
                meta = service["metadata"]
                self.server.call("PATCH", f'/api/v1/namespaces/{meta["namespace"]}/services/{meta["name"]}/status',
                                 {"status": {"loadBalancer": {"ingress": [{"ip": "172.18.0.7", "ipMode": "VIP"}]}}},
                                 "application/merge-patch+json", agent="cloud-controller-manager")

    def make_volumes(self):
        for claim in self.server.call("GET", "/api/v1/persistentvolumeclaims")[1].get("items") or []:
            meta, spec = claim["metadata"], claim["spec"]
            asked = meta.get("annotations", {}).get("volume.kubernetes.io/storage-provisioner")
            if claim["status"].get("phase") != "Pending" or asked != CLASS["provisioner"]:
                continue
            name = "pvc-" + meta["uid"]
            self.server.call("POST", "/api/v1/persistentvolumes", {
                "apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": CLASS["provisioner"]}},
                "spec": {"accessModes": spec["accessModes"], "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                         "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": meta["name"],
                                      "namespace": meta["namespace"], "uid": meta["uid"]},
                         "hostPath": {"path": "/drydock/" + name}, "persistentVolumeReclaimPolicy": "Delete",
                         "storageClassName": spec.get("storageClassName", ""),
                         "volumeMode": spec.get("volumeMode", "Filesystem")}})

    def drop_volumes(self):
        for volume in self.server.call("GET", "/api/v1/persistentvolumes")[1].get("items") or []:
            if volume["status"].get("phase") == "Released":
                self.server.call("DELETE", "/api/v1/persistentvolumes/" + volume["metadata"]["name"])
