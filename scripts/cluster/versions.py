"""The ledger of a shared store: which version each acknowledged write has made."""

import collections
import time

from pincluster.ledger import Ledger
from pincluster.postgres import DATABASE

COLLECTION = "c"


class Versions(Ledger):
    """A ledger whose writes each make a version, while instances and databases come and go."""

    def __init__(self):
        super().__init__()
        # What was carried out, to be carried out again elsewhere.
        self.records = []
        self.newest = 0
        # Writes of which nobody will ever know whether they made a version.
        self.forgotten = 0
        # (id, n, version, deletions of it so far) of features that were put lately.
        self.recent = collections.deque(maxlen=64)
        self.deletions = collections.Counter()
        # When acknowledged writes were sent and answered.
        self.acknowledged = collections.deque(maxlen=100_000)
        # Until when the database was away or one of the instances wasn't there.
        self.unrest = 0.0
        self.in_unrest = False
        self.waits = []
        # How long writes took that were answered 503.
        self.refusals = []

    def begin_unrest(self):
        self.in_unrest = True

    def end_unrest(self):
        self.unrest, self.in_unrest = time.monotonic(), False

    def is_calm(self, since):
        """Whether nothing was done to anybody from a moment on, and shortly before."""
        return not self.in_unrest and since > self.unrest + 3

    def acknowledge(self, record, sent):
        """Notes a write that was answered with a version."""
        now, version = time.monotonic(), record["version"]
        with self.lock:
            self.counts["writes"] += 1
            self.acknowledged.append((sent, now))
            self.records.append(record)
            self.newest = max(self.newest, version)

    def discover(self, record):
        """Notes a write without an answer that turned out to be stored."""
        with self.lock:
            self.counts["writes without an answer that are stored"] += 1
            self.records.append(record)

    def first_write_since(self, moment):
        """When the first write that was sent after a moment was answered, or None."""
        with self.lock:
            times = [done for sent, done in self.acknowledged if sent >= moment]
        return min(times) if times else None

    def check_versions(self, server, first, last):
        """That each write made a version of its own, and was answered with that. Others have no change: instances make those to
        prevent a write whose end was lost from coming late."""
        makers = {}
        for record in self.records:
            version = record["version"]
            if version is None:
                continue
            other = makers.setdefault(version, record)
            if other is not record:
                self.fault(f"version {version} twice: {brief(other)} and {brief(record)}")
            if not first < version <= last:
                self.fault(f"version {version} of {brief(record)} isn't one from {first + 1} to {last}")
        stored = len(self.records)
        empty = int(server.ask(
            "SELECT count(*) FROM pincluster.changes AS h JOIN pincluster.collections AS c ON c.key = h.collection "
            f"WHERE c.id = '{COLLECTION}' AND h.version > {first} AND cardinality(h.numbers) = 0", DATABASE))
        self.count("versions without a change", empty)
        if not stored <= last - first - empty <= stored + self.forgotten:
            self.fault(
                f"{last - first} versions, {empty} of them without a change, for {stored} writes and {self.forgotten} that may have "
                "been stored")

    def check_instance(self, instance):
        """That an instance has its store, and has never noticed damage. Its metrics."""
        metrics = instance.metrics()
        if metrics.get("pincluster_store_up") != 1 or metrics.get("pincluster_store_drift_total", 0) != 0:
            self.fault(f"metrics of {instance.name}: {[one for one in metrics.items() if '_store_' in one[0]]}")
        for life in range(1, instance.life + 1):
            for line in instance.events(life=life):
                if line["event"] in ("drift", "failed", "damage"):
                    self.fault(f"{instance.name} life {life}: {line}")
        return metrics

    def in_order(self):
        """The records in an order that leads to the same features: each writer's in turn, and those that got new ids by these."""
        queues = collections.defaultdict(list)
        for record in sorted(self.records, key=lambda record: record["order"]):
            queues[record["writer"]].append(record)
        queues = [collections.deque(queue) for queue in queues.values()]
        created = collections.deque(sorted(
            (record for record in self.records if record.get("ids")), key=lambda record: record["ids"][0]))
        found = []
        while queues := [queue for queue in queues if queue]:
            for queue in queues:
                while queue and (not queue[0].get("ids") or queue[0] is created[0]):
                    if queue[0].get("ids"):
                        created.popleft()
                    found.append(queue.popleft())
            if len(found) and not any(not q or not q[0].get("ids") or q[0] is created[0] for q in queues):
                self.fault(f"new ids are in no order: {brief(created[0])} got {created[0]['ids']}")
                break
        return found


def brief(record):
    return f"{record['writer']}'s {record['order']}th, {record['method']} {record['path'][:100]}"
