"""What goes wrong around a store: each gives a clear error, and nothing is lost."""

import ctypes
import os
import socket
import struct
import subprocess
import time
from pathlib import Path

from pincluster.data import feature
from pincluster.postgres import DATABASE, ROLE, Postgres
from pincluster.service import Service
from pincluster.waiting import tries
from pincluster.wire import GEOJSON, JSON, Lost

ITEMS = "/collections/h/items"
CLONE_NEWNS = 0x20000


def put(client, id, n, size=0):
    return client.ask("PUT", f"{ITEMS}/{id}", feature([n % 180, n % 80], {"n": n, "text": "x" * size}), GEOJSON)


def everything(one):
    """n by id of all features of an instance."""
    return {feature["id"]: feature["properties"]["n"] for feature in one.client().features("h")}


class Hostile:
    """A server, an instance that is well, and one thing after the other that isn't."""

    def __init__(self, keeper, binary, ledger):
        (self.keeper, self.binary, self.expect) = (keeper, binary, ledger.expect)
        self.server = Postgres(keeper, "hostile", settings={"max_connections": "300"}).make().start().grant()
        self.number = 0
        self.done = []

    def instance(self, url=None):
        self.number += 1
        return Service.kept(self.keeper, self.binary, f"hostile{self.number}", url or self.server.url(), flags=("--trust-proxy",))

    def refused(self, what, words, url=None):
        """Starts an instance, which must say why it doesn't, in a line without a password, and end with 1."""
        one = self.instance(url)
        one.begin()
        try:
            code = one.process.wait(30)
        except subprocess.TimeoutExpired:
            one.kill()
            code = None
        lines = one.foreign_lines()
        said = " ".join(lines)
        self.expect(code == 1, f"{what}: the service ended with {code}: {said[-500:]}")
        self.expect(len(lines) == 1 and all(word in said for word in words), f"{what}: it said {said[-500:]}, not {words}")
        self.expect(self.server.password not in said and "wrong-password" not in said, f"{what}: a password is shown")
        self.done.append(what)

    def check(self, one, held, what):
        """That an instance has what was acknowledged and no more."""
        found = everything(one)
        self.expect(found == held, f"{what}: there is {str(found)[:300]}, not {str(held)[:300]}")

    # MARK: At the start

    def starts(self):
        url = self.server.url()
        self.refused("a wrong password", ["password authentication failed"], url.replace(self.server.password, "wrong-password"))
        self.refused("no such database", ['database "nowhere" does not exist'], self.server.url(database="nowhere"))
        self.refused("nobody there", ["127.0.0.1", "refused"], f"postgresql://{ROLE}:wrong-password@127.0.0.1:1/{DATABASE}")
        self.server.ask(f"REVOKE CREATE ON DATABASE {DATABASE} FROM {ROLE}", DATABASE)
        self.refused("no right to make a schema", ["permission denied", "CREATE SCHEMA"])
        self.server.ask(f"GRANT CREATE ON DATABASE {DATABASE} TO {ROLE}", DATABASE)
        well = self.instance().start()
        self.server.ask("UPDATE pincluster.store SET version = version + 1", DATABASE)
        self.refused("a newer version's tables", ["version"])
        self.server.ask("UPDATE pincluster.store SET version = version - 1", DATABASE)
        self.server.ask("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        self.server.ask(f"GRANT CREATE ON DATABASE latin TO {ROLE}")
        self.refused("a database that isn't UTF-8", ["UTF8"], self.server.url(database="latin"))
        return well

    # MARK: Tables edited by hand

    def edits(self, well):
        client, held = well.client(), {}
        for n in range(20):
            answer = put(client, f"h{n}", n)
            self.expect(answer.status == 201, f"a put was answered {answer}")
            held[f"h{n}"] = n
        for what, sql, back in (
                ("properties of a row", """UPDATE pincluster.features SET properties = '{"n":99}' WHERE name = 'h3'""",
                 """UPDATE pincluster.features SET properties = kept.properties FROM kept WHERE features.name = 'h3'"""),
                ("the place of a row", "UPDATE pincluster.features SET longitude = 77 WHERE name = 'h3'",
                 "UPDATE pincluster.features SET longitude = kept.longitude FROM kept WHERE features.name = 'h3'"),
                ("a row is gone", "DELETE FROM pincluster.features WHERE name = 'h3'",
                 "INSERT INTO pincluster.features SELECT * FROM kept"),
                ("a title", "UPDATE pincluster.collections SET title = 'x'", "UPDATE pincluster.collections SET title = NULL")):
            self.server.ask(
                f"CREATE TABLE kept AS SELECT * FROM pincluster.features WHERE name = 'h3'; {sql}", DATABASE)
            self.refused(f"edited by hand, {what}", ["h"])
            # An instance that runs has it in memory, and goes on.
            self.check(well, held, f"while {what} was edited")
            self.server.ask(f"SET search_path = pincluster, public; {back}; DROP TABLE kept", DATABASE)
        other = self.instance().start()
        self.check(other, held, "after edits were taken back")
        # Somebody sets a version back, or takes changes away: whoever follows loads anew.
        self.server.ask("DELETE FROM pincluster.changes", DATABASE)
        self.expect(put(client, "h1", 1000).status == 200, "a put after changes were taken away failed")
        held["h1"] = 1000
        for _ in tries(20, 0.1):
            if other.version("h") == well.version("h"):
                break
        self.check(other, held, "after changes were taken away")
        other.kill()
        return held

    # MARK: Connections

    def connections(self, well, held):
        """All connections are taken: who has one keeps it, who loses it waits, and nothing is lost."""
        taken = []
        try:
            for _ in range(400):
                if (connection := self.connect()) is None:
                    break
                taken.append(connection)
            self.expect(len(taken) > 250, f"only {len(taken)} connections could be taken")
            client = well.client()
            answer = put(client, "h2", 2000)
            self.expect(answer.status == 200, f"with a connection of its own, a put was answered {answer}")
            held["h2"] = 2000
            # For the superuser's next; those that are kept for superusers are no use to the service.
            taken.pop().close()
            self.server.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'")
            taken += [connection for _ in range(3) if (connection := self.connect())]
            began = time.monotonic()
            answers = [put(client, "h3", 3000 + n) for n in range(5)]
            self.expect(all(a.status == 503 and "retry-after" in a.headers for a in answers),
                        f"without a connection, puts were answered {answers}")
            self.expect(time.monotonic() - began < 10, f"without a connection, 5 puts took {time.monotonic() - began:.1f} s")
            self.check(well, held, "without a connection")
        finally:
            for connection in taken:
                connection.close()
        self.comes_back(client, held, "h4", "after connections were free again")
        self.check(well, held, "after connections were free again")
        self.done.append("300 connections taken")

    def connect(self):
        """A connection of the superuser's that does nothing, spoken by hand; None if there is none left."""
        plain = socket.socket(socket.AF_UNIX)
        plain.settimeout(5)
        plain.connect(str(self.server.folder / f".s.PGSQL.{self.server.port}"))
        body = struct.pack("!I", 196608) + b"user\0postgres\0database\0postgres\0\0"
        plain.sendall(struct.pack("!I", len(body) + 4) + body)
        kind = plain.recv(1)
        if kind == b"R":
            return plain
        plain.close()
        return None

    def comes_back(self, client, held, id, what, seconds=30):
        for n, _ in enumerate(tries(seconds, 0.1), 4001):
            try:
                answer = put(client, id, n)
                if answer.status // 100 == 2:
                    held[id] = n
                    return
            except Lost as error:
                answer = error
        self.expect(False, f"{what}, no put was carried out within {seconds} s: {answer}")

    # MARK: A full disk

    def full_disk(self):
        """A disk under PostgreSQL runs full: writes are refused, reads go on, and nothing acknowledged is lost."""
        if os.geteuid() or ctypes.CDLL(None).unshare(CLONE_NEWNS):
            print("SKIPPED: a full disk, for which this must be root and may mount")
            return
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        disk = self.keeper.folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=755", "tmpfs", disk], check=True)
        server = Postgres(Holder(self.keeper, disk), "full", settings={"min_wal_size": "32MB", "max_wal_size": "32MB"})
        server.make().start().grant()
        # Its own data isn't on that disk.
        follower = self.instance(server.url()).start()
        client, held, n = follower.client(), {}, 0
        client.ask("PUT", "/collections/h", {}, JSON)
        ballast = disk / "ballast"
        refused = []
        with open(ballast, "wb") as file:
            try:
                while True:
                    file.write(b"x" * (1 << 20))
                    file.flush()
            except OSError:
                pass
        # Room for some features, and then for no more.
        os.truncate(ballast, ballast.stat().st_size - (24 << 20))
        until = time.monotonic() + 60
        unknown = set()
        while len(refused) < 10 and time.monotonic() < until:
            n += 1
            try:
                answer = put(client, f"f{n % 300}", n, size=200_000)
            except Lost:
                unknown.add(f"f{n % 300}")
                continue
            if answer.status // 100 == 2:
                held[f"f{n % 300}"] = n
            else:
                refused.append(answer)
        self.expect(len(refused) == 10, f"the disk never ran full, {n} writes")
        self.expect(all(a.status in (503, 507) for a in refused), f"on a full disk, puts were answered {refused[:3]}")
        answer = client.ask("GET", f"{ITEMS}?limit=10000")
        self.expect(answer.status == 200, f"on a full disk, a read was answered {answer}")
        ballast.unlink()
        crashed = f"PostgreSQL {'went on' if server.is_running() else 'ended'}"
        if not server.is_running():
            # It ends where it can't write its log, as it must.
            server.start()
        self.comes_back(client, held, "back", "with room again")
        fresh = self.instance(server.url()).start()
        for one in (follower, fresh):
            found = {id: m for id, m in everything(one).items() if id not in unknown}
            self.expect(found == {id: m for id, m in held.items() if id not in unknown},
                        f"after a full disk {one.name} has {len(found)} features, not {len(held)}")
            one.kill()
        server.stop()
        self.done.append(f"a full disk after {len(held)} features, {refused[0].status} {crashed}")

    def run(self):
        well = self.starts()
        held = self.edits(well)
        self.connections(well, held)
        well.kill()
        self.full_disk()
        print(f"{len(self.done)} hostile cases: {'; '.join(self.done)}", flush=True)


class Holder:
    """A keeper whose folder is another."""

    def __init__(self, keeper, folder):
        (self.start, self.folder) = (keeper.start, Path(folder))
