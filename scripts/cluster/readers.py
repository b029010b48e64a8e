"""Readers, who ask another instance once where one has no answer, and watchers."""

import json
import random
import time

from pincluster.waiting import tries
from pincluster.wire import Client, Connection, Lost

import reads
from versions import COLLECTION

PATH = f"/collections/{COLLECTION}"


class Reader:
    """A thread that asks instances, or the balancer if there is one."""

    def __init__(self, ledger, number, seed, instances, balancer=None):
        (self.ledger, self.number, self.instances, self.balancer) = (ledger, number, instances, balancer)
        self.r = random.Random(f"{seed} reader {number}")
        self.clients = {}
        # The version of the collection last seen of an instance's life.
        self.seen = {}

    def look(self, answer, began):
        """An answer tells its age while it may not be of the newest version, and only then."""
        if "pincluster-age" in answer.headers:
            self.ledger.count("answers with Pincluster-Age")
            if self.ledger.is_calm(began):
                self.ledger.fault(f"an answer has Pincluster-Age {answer.headers['pincluster-age']}, although all is well")

    def ask(self, method, path, type=None, body=None, accept=None, takes=(200, 204, 404)):
        """The answer, and which instance in which life gave it, if that is known. One more try, elsewhere, is all right."""
        ports = [self.balancer] * 2 if self.balancer else [
            instance.port for instance in self.r.sample(self.instances, len(self.instances))][:2]
        failures = []
        for port in ports:
            life, began = self.life(port), time.monotonic()
            try:
                answer = self.clients.setdefault(port, Client(port)).read(method, path, body, type, Accept=accept)
                if answer.status in takes:
                    self.look(answer, began)
                    return answer, (port, *life) if life and life == self.life(port) else None
                failures.append(f"{port}: {answer}")
            except Lost as error:
                failures.append(f"{port}: {error}")
            self.ledger.count("reads tried again")
        return failures, None

    def life(self, port):
        return [(instance.name, instance.life) for instance in self.instances if instance.port == port]

    def read(self):
        ledger = self.ledger
        answer, _ = self.ask(*reads.read(self.r, 1000), takes=(200, 204, 400, 404, 422))
        if isinstance(answer, list):
            ledger.fault(f"a reader saw two errors: {answer}")
        ledger.count("reads")

    def read_view(self):
        """A view of what was just written."""
        ledger, began, least = self.ledger, time.monotonic(), self.ledger.newest
        answer, life = self.ask("GET", f"{PATH}/clusters?bbox=-180,-85,180,85&zoom=1&minVersion={least}")
        if self.failed(answer, began):
            return
        if answer.status != 200:
            return ledger.fault(f"the world at version {least}: {answer}")
        version = answer.json()["version"]
        if version < least:
            ledger.fault(f"a view with minVersion={least} is of version {version}")
        if life and version < self.seen.get(life, 0):
            ledger.fault(f"{life} went from version {self.seen[life]} back to {version}")
        if life:
            self.seen[life] = version
        if ledger.is_calm(began):
            ledger.waits.append(time.monotonic() - began)
        ledger.count("reads with minVersion")

    def read_feature(self):
        """A feature that was just put: it must be that or a later one."""
        ledger, began = self.ledger, time.monotonic()
        if not ledger.recent:
            return
        id, n, version, deletions = self.r.choice(list(ledger.recent))
        answer, _ = self.ask("GET", f"{PATH}/items/{id}?minVersion={version}")
        if self.failed(answer, began):
            return
        if answer.status == 404 and ledger.deletions[id] == deletions:
            ledger.fault(f"{id} isn't there with minVersion={version}, at which it was put, and nobody has deleted it")
        elif answer.status == 200 and answer.json()["properties"]["n"] < n:
            ledger.fault(f"{id} with minVersion={version} is {answer.json()['properties']['n']}, older than {n}")
        ledger.count("reads with minVersion")

    def failed(self, answer, began):
        """Whether there was no answer, which is all right only while an instance may not have come so far."""
        if not isinstance(answer, list):
            return False
        if self.ledger.is_calm(began) or not any(" 503 " in failure for failure in answer):
            self.ledger.fault(f"a read with minVersion saw two errors: {answer}")
        self.ledger.count("reads with minVersion answered 503 in unrest")
        return True

    def run(self):
        while not self.ledger.over.is_set():
            try:
                self.r.choice([self.read, self.read, self.read_view, self.read_feature])()
            except (ValueError, KeyError, TypeError) as error:
                self.ledger.fault(f"reader {self.number}: {error.__class__.__name__}: {error}")
            time.sleep(self.r.uniform(0, 0.03))


class Watcher:
    """A thread that follows a view by its changes, and goes on at another instance where one leaves it."""

    VIEW = "bbox=-180,-85,180,85&zoom=2&groupBy=k&properties=none"

    def __init__(self, ledger, number, seed, instances):
        (self.ledger, self.instances) = (ledger, instances)
        self.name = f"watcher {number}"
        self.r = random.Random(f"{seed} {self.name}")
        self.last, self.cells, self.version, self.views = None, {}, 0, 0

    def run(self):
        turn = self.r.randrange(len(self.instances))
        while not self.ledger.over.is_set():
            turn += 1
            try:
                self.follow(self.instances[turn % len(self.instances)].port)
            except OSError:
                time.sleep(0.1)
            except (ValueError, KeyError) as error:
                self.ledger.fault(f"{self.name}: {error.__class__.__name__}: {error}")
                time.sleep(1)

    def follow(self, port):
        connection = Connection(port, timeout=20)
        # Now and then it goes by itself.
        end = time.monotonic() + self.r.uniform(5, 20)
        try:
            connection.send("GET", f"{PATH}/changes?{self.VIEW}", Last_Event_ID=self.last)
            if connection.head()[9:12] != b"200":
                return time.sleep(0.1)
            resumed = self.last is not None
            for event in connection.events():
                if "data" in event:
                    self.take(event, resumed)
                if self.ledger.over.is_set() or time.monotonic() > end:
                    return
        finally:
            connection.close()

    def take(self, event, resumed):
        kind, data = event.get("event"), json.loads(event["data"])
        if kind not in ("view", "cells"):
            return
        if kind == "view":
            self.cells = {}
            self.views += 1
            self.ledger.count("views of watchers that began anew" if resumed else "views of watchers")
        if data["version"] < self.version:
            # Another instance may be a moment behind, and begins with what it has; the same one never goes back.
            if kind == "view" and resumed:
                self.ledger.count("steps back of watchers at another instance")
            else:
                self.ledger.fault(f"{self.name} went from version {self.version} back to {data['version']}")
        self.version = data["version"]
        for cell in data["cells"]:
            key = cell["column"], cell["row"]
            if cell["annotations"]:
                self.cells[key] = cell["annotations"]
            else:
                self.cells.pop(key, None)
        self.last = event.get("id")
        self.ledger.count("events")

    def check(self, port, version, seconds=10):
        """Compares what it has gathered with a view, once it has come to the version."""
        for _ in tries(seconds):
            if self.version >= version:
                break
        answer = Client(port).ask("GET", f"{PATH}/clusters?{self.VIEW}&marginFactor=0")
        shown = answer.json()
        mine = sorted((a["id"], a["count"]) for cell in self.cells.values() for a in cell)
        whole = sorted((a["id"], a["count"]) for a in shown["annotations"])
        if self.version != shown["version"]:
            self.ledger.fault(f"{self.name} is at version {self.version}, not {shown['version']}")
        elif mine != whole:
            self.ledger.fault(
                f"{self.name} has {len(mine)} annotations, the view {len(whole)}; differ: {set(mine) ^ set(whole)}"[:500])
