"""Writers, each of whom has features of its own and knows what of them is stored."""

import json
import random
import threading
import time
from urllib.parse import quote

from pincluster.data import collected, feature
from pincluster.ledger import Account, difference
from pincluster.waiting import tries
from pincluster.wire import CSV, GEOJSON, JSON, MERGE, Client, Lost, Refused

from versions import COLLECTION

ITEMS = f"/collections/{COLLECTION}/items"
# What each writer has at most, beside those with integers.
MOST = 400
CENTRES = [(13.4, 52.5), (2.35, 48.85), (-74.0, 40.7), (139.7, 35.7), (179.9, -17.0)]


def place(r):
    lon, lat = r.choice(CENTRES)
    lon = lon + r.gauss(0, 0.5) if r.random() < 0.9 else r.uniform(-180, 180)
    return [round((lon + 180) % 360 - 180, 5), round(lat + r.gauss(0, 0.5), 5)]


class Writer:
    """A thread. `ask` is told where to send each request by `pick`."""

    def __init__(self, ledger, number, seed, pick):
        (self.ledger, self.number, self.pick) = (ledger, number, pick)
        self.name = f"w{number}"
        self.r = random.Random(f"{seed} writer {number}")
        self.held = {}
        self.last = self.order = 0
        self.clients = {}
        self.busy = threading.Lock()
        self.rest = 0.02

    # MARK: Asking

    def client(self, port):
        return self.clients.setdefault(port, Client(port))

    def ask(self, *request, **headers):
        return self.client(self.pick(self.r)).ask(*request, **headers)

    def read(self, path, seconds=60):
        """The answer to a read, from whoever has it."""
        for _ in tries(seconds):
            try:
                answer = self.ask("GET", path)
                if answer.status in (200, 404):
                    return answer
            except Lost as error:
                answer = error
        raise TimeoutError(f"{path}: {answer}")

    def state(self, version):
        """The writer's features at a version or later: n by id."""
        answer = self.read(f"{ITEMS}?filter={quote(f'w = {self.number}')}&limit=10000&minVersion={version}")
        if answer.status == 404:
            return {}
        return {feature["id"]: feature["properties"]["n"] for feature in answer.json()["features"]}

    # MARK: Writing

    def feature(self, id=None):
        return feature(place(self.r), {
            "w": self.number, "n": self.last, "k": f"group {self.r.randrange(5)}", "name": f"Place {self.r.randrange(1000)}",
            "x": self.r.choice([None, True, 1.5, -7, "ü\"", [1, {"a": 2}], self.r.random()])}, id)

    def choose(self):
        """A write, and what is held after it: (method, path, type, body, after, headers). None for nothing to do."""
        r, self.last = self.r, self.last + 1
        kind = r.choice(["put"] * 5 + ["patch", "patch", "match", "delete", "post", "csv", "new", "new", "filter", "create"])
        named = [id for id in self.held if isinstance(id, str)]
        after = dict(self.held)
        if kind in ("patch", "match", "delete", "filter") and not named:
            kind = "put"
        if kind in ("put", "create"):
            id = f"{self.name}-{r.randrange(MOST)}"
            after[id] = self.last
            if kind == "create" and id not in self.held:
                return "PUT", f"{ITEMS}/{id}", GEOJSON, self.feature(), after, {"If_None_Match": "*"}
            return "PUT", f"{ITEMS}/{id}", GEOJSON, self.feature(), after, {}
        if kind in ("patch", "match"):
            id = r.choice(list(self.held))
            after[id] = self.last
            body, headers = {"properties": {"n": self.last, "y": r.randrange(9)}}, {}
            if kind == "match":
                # What nobody else writes is as it was, whoever is asked once it has come so far.
                read = self.read(f"{ITEMS}/{id}?minVersion={self.seen}")
                headers = {"If_Match": read.headers.get("etag")}
            return "PATCH", f"{ITEMS}/{id}", MERGE, body, after, headers
        if kind == "delete":
            id = r.choice(list(self.held))
            after.pop(id)
            return "DELETE", f"{ITEMS}/{id}", None, None, after, {}
        if kind == "filter":
            id = r.choice(named)
            after.pop(id)
            return "DELETE", f"{ITEMS}?filter={quote(f'w = {self.number} AND n = {self.held[id]}')}", None, None, {
                other: n for other, n in after.items() if n != self.held[id]}, {}
        if kind == "new":
            # Of ids that the answer tells.
            count = r.choice([1, 1, 3])
            return "POST", ITEMS, GEOJSON, collected(self.feature() for _ in range(count)), count, {}
        ids = [f"{self.name}-{n}" for n in r.sample(range(MOST), r.choice([2, 20, 100]))]
        after |= {id: self.last for id in ids}
        if kind == "post":
            return "POST", ITEMS, GEOJSON, collected(self.feature(id) for id in ids), after, {}
        rows = [f"{id},{lon},{lat},{self.number},{self.last},csv" for id in ids for lon, lat in [place(r)]]
        return "POST", ITEMS, CSV, "id,lon,lat,w,n,k\n" + "\n".join(rows) + "\n", after, {}

    def write(self):
        method, path, type, body, after, headers = self.choose()
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        self.order += 1
        record = {"writer": self.name, "order": self.order, "version": None, "method": method, "path": path, "type": type,
                  "body": text}
        going = [id for id in self.held if isinstance(after, dict) and id not in after]
        for id in going:
            self.ledger.deletions[id] += 1
        sent = time.monotonic()
        try:
            answer = self.ask(method, path, text, type, **headers)
        except Refused:
            self.ledger.count("writes refused")
            return
        except Lost:
            answer = None
        if answer is None or answer.status in (502, 504):
            self.resolve(record, after)
        elif answer.status == 503:
            # Which says that nothing is stored; whether that is so, the next look tells.
            self.ledger.count("writes answered 503")
            self.ledger.refusals.append(time.monotonic() - sent)
            if self.ledger.is_calm(sent):
                self.ledger.fault(f"{method} {path}: {answer}, although nothing was done to anybody")
            if "retry-after" not in answer.headers and b"problem" in answer.headers.get("content-type", "").encode():
                self.ledger.fault(f"{method} {path}: {answer}, without Retry-After")
            time.sleep(0.05)
        elif answer.status // 100 != 2 or answer.version is None:
            self.ledger.fault(f"{method} {path} {headers}: {answer}, version {answer.version}")
        else:
            self.keep(record, after, answer, sent)

    def keep(self, record, after, answer, sent):
        """Notes what was acknowledged."""
        record["version"] = answer.version
        if answer.version <= self.seen:
            self.ledger.fault(f"{self.name}: version {answer.version} after {self.seen}")
        self.seen = answer.version
        if isinstance(after, int):
            ids = answer.json()["ids"]
            if taken := [id for id in ids if id in self.held] or len(ids) != after:
                self.ledger.fault(f"new features got the ids {ids}, of which {taken} are taken")
            self.held |= {id: self.last for id in ids}
            record["ids"] = ids
        else:
            self.held = after
        self.ledger.acknowledge(record, sent)
        if record["method"] == "PUT":
            id = record["path"].rsplit("/", 1)[1]
            self.ledger.recent.append((id, self.last, self.seen, self.ledger.deletions[id]))

    # MARK: Writes without an answer

    def mark(self):
        """Stores a mark, whose transaction comes after all that was sent before; its version."""
        id = f"{self.name}-mark"
        for _ in tries(90, 0.1):
            self.last += 1
            self.order += 1
            feature = self.feature()
            feature["properties"] = {"w": self.number, "n": self.last}
            record = {"writer": self.name, "order": self.order, "version": None, "method": "PUT", "path": f"{ITEMS}/{id}",
                      "type": GEOJSON, "body": json.dumps(feature)}
            sent = time.monotonic()
            try:
                answer = self.ask("PUT", record["path"], record["body"], GEOJSON)
                if answer.status // 100 == 2:
                    record["version"] = answer.version
                    self.ledger.acknowledge(record, sent)
                    return id, answer.version
                if answer.status in (502, 504):
                    self.ledger.forgotten += 1
            except Refused:
                pass
            except Lost:
                self.ledger.forgotten += 1
        raise TimeoutError(f"{self.name}: no write for 90 s")

    def resolve(self, record, after):
        """Finds out what has become of a write without an answer."""
        self.ledger.count("writes without an answer")
        number = self.last
        id, version = self.mark()
        self.seen, mark = version, {id: self.last}
        found = self.state(version)
        if isinstance(after, int):
            new = {id: n for id, n in found.items() if n == number and isinstance(id, int)}
            if len(new) not in (0, after):
                self.ledger.fault(f"{len(new)} of {after} features of one request are stored: {new}")
            record["ids"] = sorted(new)
            after = self.held | new
        account = Account(self.held | mark)
        account.attempt(after | mark)
        if fault := account.settle(found):
            self.ledger.fault(f"{self.name} after {record['method']} {record['path']} without an answer {fault}")
        if account.was_stored:
            self.ledger.discover(record)
        self.held = found

    def check(self, version=None):
        """Compares what is stored with what is held."""
        found = self.state(self.seen if version is None else version)
        if found != self.held:
            self.differ(found, self.held, "")
            self.held = found

    def differ(self, found, held, when):
        self.ledger.fault(f"{self.name} {when} {difference(found, held)}")

    seen = 0

    def run(self):
        while not self.ledger.over.is_set():
            try:
                with self.busy:
                    self.write()
                    if self.r.random() < 0.01:
                        self.check()
            except (TimeoutError, Lost, KeyError, ValueError) as error:
                self.ledger.fault(f"{self.name}: {error.__class__.__name__}: {error}")
                time.sleep(1)
            time.sleep(self.r.uniform(0, self.rest))


class Vandal(Writer):
    """A writer with a collection of its own, which it drops and makes again, and whose features mostly expire."""

    PATH = "/collections/d"
    KINDS = ["forever"] * 4 + ["soon"] * 4 + ["patch", "patch", "title", "ttl", "drop"]

    def __init__(self, ledger, seed, pick):
        super().__init__(ledger, 99, seed, pick)
        self.name, self.kept, self.history = "vandal", {}, []

    def write(self):
        r = self.r
        self.last += 1
        kind = r.choice(self.KINDS)
        if kind == "patch" and not self.kept:
            kind = "forever"
        after, id = dict(self.kept), f"d-{r.randrange(30)}"
        if kind in ("forever", "soon"):
            feature = self.feature()
            feature["expires"] = None
            if kind == "soon":
                id = f"soon-{r.randrange(30)}"
                feature["expires"] = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + r.randrange(1, 3))) + "Z"
            else:
                after[id] = self.last
            call = ("PUT", f"{self.PATH}/items/{id}", GEOJSON, feature)
        elif kind == "patch":
            id = r.choice(list(self.kept))
            after[id] = self.last
            call = ("PATCH", f"{self.PATH}/items/{id}", MERGE, {"properties": {"n": self.last}})
        elif kind == "drop":
            after, call = {}, ("DELETE", self.PATH, None, None)
        else:
            call = ("PUT", self.PATH, JSON, {"title": f"Title {self.last}"} if kind == "title" else {"ttl": r.randrange(1, 3)})
        self.repeat(call, drop=kind == "drop")
        self.kept = after

    def repeat(self, call, drop):
        """Sends a request, which may be carried out twice, until it is answered."""
        for _ in tries(90, 0.1):
            try:
                answer = self.ask(*call[:2], json.dumps(call[3]) if call[3] is not None else None, call[2])
                if answer.status // 100 == 2 or drop and answer.status == 404:
                    break
                if answer.status not in (502, 503, 504):
                    self.ledger.fault(f"{call[0]} {call[1]}: {answer}")
                    break
            except Lost:
                pass
        else:
            raise TimeoutError(f"{call[0]} {call[1]}: no answer for 90 s")
        # An instance that knows of a drop by others doesn't know at which version that was.
        if answer.version is not None and answer.status != 404:
            if answer.version < self.seen:
                self.ledger.fault(f"{call[0]} {call[1]}, answered {answer.status}: version {answer.version} after {self.seen}")
            self.seen = max(self.seen, answer.version)
        self.history.append(call)
        self.ledger.count("writes to a collection that comes and goes")

    def state(self, version):
        """What never expires."""
        answer = self.read(f"{self.PATH}/items?limit=1000&minVersion={version}")
        features = answer.json()["features"] if answer.status == 200 else []
        return {f["id"]: f["properties"]["n"] for f in features if f["id"].startswith("d-")}

    def check(self, version=None):
        found = self.state(self.seen if version is None else version)
        if found != self.kept:
            self.differ(found, self.kept, "")
