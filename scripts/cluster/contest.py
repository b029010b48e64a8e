"""Conditional writes to two instances at once, of which exactly one must win."""

import random
import threading
import time

from pincluster.data import feature
from pincluster.wire import GEOJSON, MERGE, Client

ITEMS = "/collections/contest/items"
SLOTS = 12


class Slot:
    """Two threads, each with an instance, that want the same of a feature, again and again."""

    def __init__(self, ledger, number, rounds, seed, instances):
        (self.ledger, self.number, self.rounds, self.instances) = (ledger, number, rounds, instances)
        self.r = random.Random(f"{seed} contest {number}")
        self.gate = threading.Barrier(2)
        self.path = f"{ITEMS}/{number}"
        self.clients = {instance.port: Client(instance.port) for instance in instances}
        (self.tag, self.turn, self.ports, self.answers) = (None, -1, (), [None, None])

    def request(self, side):
        point = feature([self.number, side], {"turn": self.turn, "side": side})
        kind = self.turn % 4
        if kind == 0:
            return ("PUT", self.path, point, GEOJSON), {"If_None_Match": "*"}
        headers = {"If_Match": self.tag}
        if kind == 1:
            return ("PATCH", self.path, {"properties": {"turn": self.turn, "side": side}}, MERGE), headers
        return (("PUT", self.path, point, GEOJSON) if kind == 2 else ("DELETE", self.path)), headers

    def prepare(self):
        self.turn += 1
        self.ports = [instance.port for instance in self.r.sample(self.instances, 2)]

    def judge(self):
        """Exactly one side has won, and what is stored is the winner's."""
        won = [side for side in (0, 1) if self.answers[side].status // 100 == 2]
        lost = [answer.status for answer in self.answers if answer.status // 100 != 2]
        # To a feature that is gone, no tag fits.
        if len(won) != 1 or lost[0] not in ((412, 404) if self.turn % 4 == 3 else (412,)):
            self.ledger.fault(f"contest {self.number} turn {self.turn} with {self.tag}: {self.answers}")
        self.ledger.count("contests")
        if not won:
            return
        version = self.answers[won[0]].version
        # The loser's instance knows the winner's feature.
        read = self.clients[self.ports[1 - won[0]]].ask("GET", f"{self.path}?minVersion={version}")
        if self.turn % 4 == 3:
            if read.status != 404:
                self.ledger.fault(f"contest {self.number} turn {self.turn}: deleted, but {read}")
            return
        self.tag = read.headers.get("etag")
        held = read.json()["properties"] if read.status == 200 else read
        if held != {"turn": self.turn, "side": won[0]}:
            self.ledger.fault(f"contest {self.number} turn {self.turn}: {held}, but side {won[0]} won")

    def play(self, side):
        try:
            for _ in range(self.rounds):
                if side == 0:
                    self.prepare()
                self.gate.wait(60)
                request, headers = self.request(side)
                self.answers[side] = self.own(side).ask(*request, **headers)
                self.gate.wait(60)
                if side == 0:
                    self.judge()
        except Exception as error:
            self.gate.abort()
            if not isinstance(error, threading.BrokenBarrierError):
                self.ledger.fault(f"contest {self.number} turn {self.turn}: {error.__class__.__name__}: {error}")

    def own(self, side):
        """Each side has connections of its own."""
        key = side, self.ports[side]
        return self.clients.setdefault(key, Client(self.ports[side]))


def contest(ledger, instances, seed, rounds):
    """Carries out so many contests, and returns how many a second."""
    began = time.monotonic()
    each = -(-rounds // SLOTS)
    slots = [Slot(ledger, number, each, seed, instances) for number in range(SLOTS)]
    threads = [threading.Thread(target=slot.play, args=(side,), daemon=True) for slot in slots for side in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    return each * SLOTS / (time.monotonic() - began)
