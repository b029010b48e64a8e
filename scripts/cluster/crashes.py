"""Crashes of PostgreSQL at random moments, while writers are busy on several instances."""

import contextlib
import json
import os
import random
import signal
import threading
import time

from pincluster.postgres import DATABASE, Postgres, PostgresError
from pincluster.service import Service
from pincluster.waiting import tries
from pincluster.wire import JSON, Client

import sameness
from outcomes import SETTLED, pages, spend_numbers
from versions import COLLECTION
from writers import Vandal, Writer

INSTANCES, WRITERS = 3, 6


class Dropper(Vandal):
    """A writer that drops a collection and makes it again, in which nothing expires."""

    KINDS = ["forever"] * 5 + ["patch", "title", "drop", "drop"]


class Crashes:
    """A server that crashes again and again, and instances without anything between them and it."""

    def __init__(self, keeper, binary, ledger, seed):
        (self.ledger, self.seed, self.r) = (ledger, seed, random.Random(f"{seed} crashes"))
        self.server = Postgres(keeper, "crashing").make().start().grant("pincluster")
        self.instances = [
            Service.kept(keeper, binary, f"crashing{number}", self.server.url(), flags=("--trust-proxy",)).start()
            for number in range(1, INSTANCES + 1)]

        def at(number):
            return lambda r: self.instances[number % INSTANCES].port

        # None is on the first instance, which only follows.
        self.writers = [Writer(ledger, n, seed, at(1 + n % (INSTANCES - 1))) for n in range(WRITERS)]
        self.dropper = Dropper(ledger, seed, at(1))
        # How often each kind of crash came, and how long writes were away.
        (self.kinds, self.back) = ({}, [])

    def begin(self):
        made = Client(self.instances[1].port).ask("PUT", f"/collections/{COLLECTION}", {"title": "Places"}, JSON)
        if made.status != 201:
            raise RuntimeError(f"making a collection was answered {made}")
        self.first = made.version
        for writer in self.writers:
            writer.seen = self.first
        self.ledger.begin_unrest()
        self.threads = [
            threading.Thread(target=writer.run, daemon=True) for writer in (*self.writers, self.dropper)]
        for thread in self.threads:
            thread.start()

    # MARK: A round

    def crash(self):
        """Ends PostgreSQL without any order; what that was."""
        if self.r.random() < 0.7:
            self.server.stop("immediate")
            time.sleep(self.r.choice([0, 0, self.r.uniform(0, 1)]))
            self.server.start()
            return "stopped"
        # The server ends all others then, and recovers.
        found = self.server.ask("SELECT pid FROM pg_stat_activity WHERE usename = 'pincluster'", DATABASE).split()
        os.kill(int(self.r.choice(found)), signal.SIGKILL)
        return "a process killed"

    def spend(self, seconds=30):
        """Has another program be among the first that get numbers of transactions."""
        for _ in tries(seconds, 0.01):
            try:
                return spend_numbers(self.server)
            except PostgresError as error:
                failure = error
        raise failure

    def round(self, number):
        time.sleep(self.r.uniform(0.1, 0.8))
        moment = time.monotonic()
        what = self.crash()
        if self.r.random() < 0.5:
            self.spend()
            what += ", numbers taken by others"
        self.kinds[what] = self.kinds.get(what, 0) + 1
        for _ in tries(60, 0.02):
            if back := self.ledger.first_write_since(moment):
                break
        else:
            return self.ledger.fault(f"round {number}, {what}: no write was acknowledged within 60 s")
        self.back.append(back - moment)
        time.sleep(self.r.uniform(0, 0.3))
        with contextlib.ExitStack() as rest:
            for writer in (*self.writers, self.dropper):
                rest.enter_context(writer.busy)
            self.check(f"round {number}, {what}")

    # MARK: Looking

    def rows(self, collection):
        """The features of a collection as its rows say, by id."""
        lines = self.server.ask(
            "SELECT CASE f.name WHEN '' THEN f.number::text ELSE to_json(f.name)::text END, f.longitude, f.latitude, f.properties "
            "FROM pincluster.features AS f JOIN pincluster.collections AS c ON c.key = f.collection "
            f"WHERE c.id = '{collection}'", DATABASE).splitlines()
        found = {}
        for line in lines:
            id, longitude, latitude, properties = line.split("\t", 3)
            found[json.loads(id)] = ([float(longitude), float(latitude)], json.loads(properties))
        return found

    @staticmethod
    def shown(answers):
        return {feature["id"]: (feature["geometry"]["coordinates"], feature["properties"])
                for status, _, body in answers if status == 200 for feature in json.loads(body)["features"]}

    def check(self, what):
        """While nobody writes: what was acknowledged is in the rows, and all instances show the rows, with the same bytes."""
        ledger, collections = self.ledger, (COLLECTION, "d")
        for _ in tries(SETTLED):
            rows = [self.rows(id) for id in collections]
            answers = [[pages(instance.port, id) for id in collections] for instance in self.instances]
            if all(other == answers[0] for other in answers) and [self.shown(each) for each in answers[0]] == rows:
                break
        else:
            shown = [[self.shown(each) for each in instance] for instance in answers]
            for number, instance in enumerate(self.instances):
                for id, here, there in zip(collections, shown[number], rows):
                    wrong = [key for key in here.keys() | there.keys() if here.get(key) != there.get(key)]
                    ledger.fault(f"{what}: {instance.name} is at version {instance.version(id)} of {id}, tag {answers[number][0][0][1]}; "
                                 f"{len(wrong)} features differ from the rows, such as {wrong[:3]}")
            return
        for writer in self.writers:
            stored = {id: p["n"] for id, (_, p) in rows[0].items() if p["w"] == writer.number}
            if stored != writer.held:
                writer.differ(stored, writer.held, f"{what}, in the rows,")
                writer.held = stored
        stored = {id: p["n"] for id, (_, p) in rows[1].items()}
        if stored != self.dropper.kept:
            self.dropper.differ(stored, self.dropper.kept, f"{what}, in the rows,")
            self.dropper.kept = stored
        ledger.count("features compared with rows", sum(map(len, rows)) * INSTANCES)
        sameness.compare_instances(ledger, self.instances, f"{self.seed} {what}", 24)

    def end(self):
        ledger = self.ledger
        ledger.over.set()
        for thread in self.threads:
            thread.join(100)
        version = sameness.wait_for_version(ledger, self.instances, COLLECTION)
        self.check("at the end")
        ledger.check_versions(self.server, self.first, version)
        loads = 0
        for instance in self.instances:
            loads += ledger.check_instance(instance).get("pincluster_store_loads_total", 0)
            if instance.stop() != 0:
                ledger.fault(f"{instance.name} didn't end in order")
        self.server.stop()
        return loads

    def run(self, rounds):
        self.begin()
        began = time.monotonic()
        for number in range(1, rounds + 1):
            self.round(number)
            if number % 10 == 0 or number == rounds:
                print(f"{time.monotonic() - began:6.0f} s  {number} crashes, {self.ledger.counts['writes']} writes acknowledged, "
                      f"{len(self.ledger.faults)} faults", flush=True)
            if len(self.ledger.faults) > 20:
                break
        loads = self.end()
        back = sorted(self.back)
        print("; ".join(f"{count} {what}" for what, count in sorted((self.ledger.counts | self.kinds).items())))
        print(f"after a crash writes were back after {back[len(back) // 2]:.2f} s (median) and {back[-1]:.2f} s (longest); "
              f"{loads:.0f} times a collection was loaded anew", flush=True)
