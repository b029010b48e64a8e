"""The faults of a run, and what of its writes was acknowledged."""

import collections
import threading


class Ledger:
    """State that all threads of a test share: its faults, counts of what was done, and whether it is over."""

    def __init__(self):
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.faults = []
        self.counts = collections.Counter()
        # Whether nothing counts any more, as everything is being ended.
        self.closed = False

    def fault(self, text):
        """Notes what is wrong; the first twenty are printed."""
        with self.lock:
            if self.closed:
                return
            self.faults.append(text)
            if len(self.faults) <= 20:
                print(f"FAULT: {text[:600]}", flush=True)

    def expect(self, holds, text):
        """Notes a fault unless something holds."""
        if not holds:
            self.fault(text)

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def close(self):
        """Ends the test: threads stop, and what goes wrong from here on isn't counted."""
        self.closed = True
        self.over.set()

    def summary(self):
        """The counts in words."""
        return ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))


class Account:
    """The features of a writer, by id, after the writes that were acknowledged.

    A writer says what a write would leave (`attempt`), and then what has become of it: `acknowledge`, `refuse`, or
    nothing, if there was no answer. Then it may have been carried out or not, which `settle` finds out.
    """

    def __init__(self, held=None):
        self.held = held or {}
        # The features after a write without an answer, if it was carried out; None without one.
        self.pending = None

    def attempt(self, after):
        self.pending = after

    def acknowledge(self):
        (self.held, self.pending) = (self.pending, None)

    def refuse(self):
        self.pending = None

    def settle(self, found):
        """Takes over what is stored. Returns what is wrong with it, or None: it must be all of the write without an
        answer, or nothing of it. Which of these it was is in `was_stored`."""
        (held, pending, self.held, self.pending) = (self.held, self.pending, found, None)
        self.was_stored = found == pending != held
        return None if found in (held, pending) else difference(found, held)


def difference(found, held):
    """Words for the features that aren't as they should be."""
    wrong = [id for id in found.keys() | held.keys() if found.get(id) != held.get(id)]
    lines = [f"{id}: {found.get(id)} not {held.get(id)}" for id in wrong[:5]]
    return f"has {len(found)} features, not {len(held)}; {len(wrong)} differ: {lines}"
