"""What was acknowledged, and what was wrong."""

import collections
import threading
import time

COLLECTION = "c"


class Ledger:
    """What all threads of a test share."""

    def __init__(self):
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.faults = []
        # Whether nothing counts any more, as everything is being ended.
        self.closed = False
        self.counts = collections.Counter()
        # Who wrote a version of the collection.
        self.versions = {}
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

    def fault(self, text):
        with self.lock:
            if self.closed:
                return
            self.faults.append(text)
            if len(self.faults) <= 20:
                print(f"FAULT: {text[:600]}", flush=True)

    def close(self):
        self.closed = True
        self.over.set()

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

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
            other = self.versions.setdefault(version, record)
        if other is not record:
            self.fault(f"version {version} twice: {brief(other)} and {brief(record)}")

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

    def check_versions(self, first, last):
        """Every version of the collection has its write, and every write a version."""
        missing = [version for version in range(first + 1, last + 1) if version not in self.versions]
        unnumbered = [record for record in self.records if record["version"] is None]
        if beyond := [version for version in self.versions if version > last or version <= first]:
            self.fault(f"versions {beyond[:5]} were answered, but the collection went from {first} to {last}")
        if not len(unnumbered) <= len(missing) <= len(unnumbered) + self.forgotten:
            self.fault(
                f"{len(missing)} versions have no write, such as {missing[:5]}, for {len(unnumbered)} writes without an "
                f"answer and {self.forgotten} that may have been stored")
        return missing

    def in_order(self, first, last):
        """The records as they can be carried out again: by version, those without one between their writer's others."""
        missing = self.check_versions(first, last)
        writers = collections.defaultdict(list)
        for record in self.records:
            writers[record["writer"]].append(record)
        placed = []
        for records in writers.values():
            records.sort(key=lambda record: record["order"])
            before = first
            for number, record in enumerate(records):
                if record["version"] is None:
                    later = [other["version"] for other in records[number + 1:] if other["version"]]
                    record["span"] = (before, min(later, default=last + 1))
                else:
                    before = record["version"]
        open_ones = [record for record in self.records if record["version"] is None]
        for record in sorted(open_ones, key=lambda record: (record["span"][1], record["order"])):
            fitting = [version for version in missing if record["span"][0] < version < record["span"][1]]
            if not fitting:
                self.fault(f"{brief(record)} is stored, but there is no version for it in {record['span']}")
                continue
            missing.remove(fitting[0])
            placed.append((fitting[0], record))
        placed += [(record["version"], record) for record in self.records if record["version"] is not None]
        return [record for _, record in sorted(placed, key=lambda pair: pair[0])]


def brief(record):
    return f"{record['writer']}'s {record['order']}th, {record['method']} {record['path'][:100]}"
