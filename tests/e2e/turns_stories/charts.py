"""Charts, the public ones and the project's own, through install, upgrade, status, rollback and
uninstall: by Helm first, then by pintle, one chart after the other, since much of them belongs to the
whole cluster. Cluster-wide objects of the release are compared too. charts.list says with what."""
import os
import shlex
import time

from story import Story, play, unlike

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def listed():
    """(file, flags of install, flags of upgrade)"""
    for line in open(f"{HERE}/charts.list"):
        if line.strip() and not line.startswith("#"):
            file, install, upgrade = (part.strip() for part in line.split("|"))
            yield file, install, upgrade


def path_of(world, file, public):
    if file == "CREATED":
        return f"{world.dir}/created"
    return os.path.join(public if file.endswith(".tgz") else ROOT, file)


def definitions(world):
    found = world.server.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").get("items") or []
    return {c["metadata"]["name"] for c in found}


def gone(world, path):
    for _ in range(300):
        if not world.server.get(path):
            return
        time.sleep(0.2)


def compare(world, o, told, skip):
    for file, install, upgrade in listed():
        path = path_of(world, file, o.public)
        if o.only not in file:
            continue
        if not os.path.exists(path):
            skip(f"no {file}")
            continue
        chart = shlex.quote(os.path.abspath(path))
        steps = [f"install r {chart} {install}", "get all r", f"upgrade r {chart} {install} {upgrade}", "history r",
                 "rollback r 1", "status r -o json", "uninstall r --wait --timeout 60s", "list"]
        runs, ns = [], world.namespace()  # one name for both: charts take checksums of it
        for turns in "HP":
            before = definitions(world)
            runs.append(play(world, Story(os.path.basename(file), steps), turns, ns, cluster=True))
            gone(world, f"/api/v1/namespaces/{ns}")
            made = [f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{n}" for n in definitions(world) - before]
            for path in made:
                world.server.call("DELETE", path)
            for path in made:
                gone(world, path)
        story = Story(os.path.basename(file), steps)
        for a, b in zip(*runs):
            told(world.server.title, story, "4", "P", a["step"], unlike(story.name, a, b), o.v)
        if runs[0][0]["exit"]:
            told(world.server.title, story, "4", "H", a["step"], ["Helm cannot install it: " + runs[0][0]["stderr"]], o.v)
