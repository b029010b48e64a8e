"""Writes whose connection is lost in the moment of their commit: each is answered with what has become of it."""

import json
import time

from pincluster.data import feature
from pincluster.postgres import DATABASE, Postgres
from pincluster.service import Service
from pincluster.waiting import tries
from pincluster.wire import GEOJSON, JSON, Client, Lost

from proxy import Proxy

# Within which all instances show the same, in seconds.
SETTLED = 15


def put(path, n):
    """A request for a feature that knows its number."""
    return "PUT", path, feature([n % 180, n % 80], {"n": n}), GEOJSON


def pages(port, collection):
    """The answers to a listing of all features, byte for byte, with their tags; the status if there is none."""
    client, found = Client(port), []
    try:
        for answer in client.pages(f"/collections/{collection}/items?limit=10000"):
            found.append((answer.status, answer.headers.get("etag"), answer.body))
    except Lost as error:
        found.append(str(error))
    client.close()
    return found


def spend_numbers(server, count=50):
    """Another program takes numbers of transactions, each of which it commits."""
    server.ask("SELECT pg_current_xact_id();" * count, DATABASE)


class Outcomes:
    """One write after the other by an instance behind a proxy, beside an instance that follows it."""

    def __init__(self, keeper, binary, ledger):
        self.expect = ledger.expect
        self.server = Postgres(keeper, "outcomes").make().start().grant("pincluster")
        self.proxy = Proxy("127.0.0.1", self.server.port)
        url = self.server.url()
        urls = [url.replace(f":{self.server.port}/", f":{self.proxy.port}/"), url]
        self.instances = [
            Service.kept(keeper, binary, f"outcomes{number}", each, flags=("--trust-proxy",)).start()
            for number, each in enumerate(urls, 1)]
        self.clients = [instance.client() for instance in self.instances]
        self.number = self.done = 0

    # MARK: What happens in between

    def crash(self):
        """PostgreSQL loses what it hasn't written, and another program is the first to come."""
        self.server.stop("immediate")
        self.server.start()
        spend_numbers(self.server)

    def crash_before_other(self):
        """The same, and the other program is an instance, whose write makes the version that this one would have made."""
        self.server.stop("immediate")
        self.server.start()
        self.ask_other(*put("/collections/o/items/other", 1))

    def ask_other(self, *request):
        for _ in tries(30):
            answer = self.clients[1].read(*request)
            if answer.status != 503:
                return answer
        raise TimeoutError(f"{request[:2]}: no answer but 503")

    # MARK: Cases

    def repeat(self, request, statuses):
        """A write that is sent until it isn't refused as the database is away."""
        for _ in tries(30):
            answer = self.clients[0].read(*request)
            if answer.status in statuses:
                break
        return answer

    def case(self, what, way, request, path, between=None, is_drop=False):
        """Sends a write, does something to its commit, and looks what is there; `path` is what the write makes or deletes."""
        was_there = self.clients[1].ask("GET", path).status == 200
        # A transaction that creates a collection is in the database before its end; any other is sent whole, and is
        # prevented if that is lost.
        prevented = () if what == "a new collection" else (503,)
        what = f"{what}, {way}{f', {between.__name__}' if between else ''}"
        self.proxy.arm(way, between)
        began = time.monotonic()
        for _ in tries(30):
            answer = self.clients[0].ask(*request)
            # Refused before there was anything to commit, as the connection lost in the last case isn't back yet.
            if answer.status != 503 or not self.proxy.is_armed:
                break
        took = time.monotonic() - began
        self.proxy.release()
        self.expect(self.proxy.met.wait(60), f"{what}: its batch was never seen")
        self.expect(answer.status // 100 == 2 or answer.status in (503, 504), f"{what}: {answer}")
        expected = {"swallow": (503,), "never": (504, *prevented), "late": (200, 201, 204, *prevented)}.get(way, (200, 201, 204))
        self.expect(answer.status in expected, f"{what}: answered {answer} after {took:.1f} s, not {expected}")
        stored = answer.status // 100 == 2
        is_there = stored != is_drop if stored else was_there
        self.settle(what)
        for instance, client in zip(self.instances, self.clients):
            found = client.read("GET", path)
            self.expect((found.status == 200) == is_there, f"{what}: answered {answer.status}, and then {instance.name} has {found.status}")
        if not stored:
            again = self.repeat(request, (200, 201, 204))
            self.expect(again.status // 100 == 2, f"{what}: sent again, it was answered {again}")
            self.settle(f"{what}, and again")
            self.expect((self.clients[1].read("GET", path).status == 200) != is_drop, f"{what}: sent again, it isn't carried out")
        self.done += 1

    def settle(self, what):
        """Waits until both instances answer the same bytes, and looks that these are what the rows say."""
        for _ in tries(SETTLED, 0.1):
            collections = [client.read("GET", "/collections").body for client in self.clients]
            shown = [[pages(instance.port, id) for id in ("o", "p")] for instance in self.instances]
            stored = self.stored()
            rows = [sorted((f["id"], f["properties"]["n"]) for page in pages(self.instances[0].port, id) if page[0] == 200
                           for f in json.loads(page[2])["features"]) for id in ("o", "p")]
            if shown[0] == shown[1] and collections[0] == collections[1] and rows == stored:
                return
        self.expect(False, f"{what}: instances show {str(shown)[:300]} and the rows are {stored}, {SETTLED} s later")

    def stored(self):
        """The id and `n` of the rows of each collection."""
        found = []
        for id in ("o", "p"):
            lines = self.server.ask(
                "SELECT f.name, f.properties::json->>'n' FROM pincluster.features AS f JOIN pincluster.collections AS c "
                f"ON c.key = f.collection WHERE c.id = '{id}'", DATABASE).splitlines()
            found.append(sorted((line.split("\t")[0], int(line.split("\t")[1])) for line in lines))
        return found

    def run(self):
        made = self.clients[0].ask("PUT", "/collections/o", {"title": "O"}, JSON)
        self.expect(made.status == 201, f"making a collection was answered {made}")
        for way, between in (
                ("swallow", None), ("answer", None), ("late", None), ("swallow", self.crash), ("answer", self.crash),
                ("swallow", self.crash_before_other), ("never", None)):
            self.number += 1
            path = f"/collections/o/items/f{self.number}"
            self.case("a feature", way, put(path, self.number), path, between)
            if between == self.crash_before_other:
                continue
            path = f"/collections/p/items/f{self.number}"
            self.case("a new collection", way, put(path, self.number), path, between)
            if way == "never":
                continue
            self.case("a drop", way, ("DELETE", "/collections/p"), "/collections/p", between, is_drop=True)
        for instance in self.instances:
            self.expect(instance.stop() == 0, f"{instance.name} didn't end in order")
        self.proxy.close()
        self.server.stop()
        print(f"{self.done} commits whose connection was lost: each answered with what has become of it", flush=True)
