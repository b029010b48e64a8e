"""Records and compares the answers of pincluster binaries; see ../compare-answers."""

import argparse
import collections
import gzip
import json
import os
import re
import sys
import tempfile
import time

import scenario
from service import Service, encode

# The differences that are shown in full; all are counted.
MOST_SHOWN = 20
DETAIL = re.compile(r'"detail":"((?:[^"\\]|\\.)*)"')


class Coverage:
    """Counts what was sent, so that one sees what a comparison covers."""

    def __init__(self):
        self.kinds = collections.defaultdict(collections.Counter)
        self.annotations, self.drawn, self.bytes = 0, 0, 0

    def add(self, request, answer):
        self.kinds[request["kind"]][f"{answer['status'] // 100}xx" if answer["status"] else "none"] += 1
        self.kinds[request["kind"]][str(answer["status"])] += 1
        self.bytes += len(answer["body"])
        # Clusters carry the one, pins the other, in both forms of an answer.
        count = answer["body"].count('"isUniqueLocation":') if answer["status"] == 200 else 0
        self.annotations += count
        self.drawn += count >= 10

    def print(self, seconds):
        statuses = collections.Counter()
        print(f"{'requests':26}{'all':>7}{'2xx':>7}{'304':>7}{'4xx':>7}{'other':>7}")
        for kind, counts in sorted(self.kinds.items()):
            print_row(kind, counts)
            statuses.update(counts)
        print_row("all", statuses)
        print("statuses:", ", ".join(f"{status} {count}" for status, count in sorted(statuses.items()) if "x" not in status))
        print(f"{self.annotations} annotations, {self.drawn} answers with ten or more of them, {self.bytes / 1e6:.0f} MB, {seconds:.0f} s")


def print_row(name, counts):
    every = sum(count for status, count in counts.items() if status.endswith("xx") or status == "none")
    shown = [counts["2xx"], counts["304"], counts["4xx"]]
    print(f"{name:26}{every:7}" + "".join(f"{count:7}" for count in shown) + f"{every - sum(shown):7}")


def record(binary, path, seed, count):
    """Sends a binary the requests of a scenario; writes them, each with its answer, to a file."""
    coverage, start = Coverage(), time.monotonic()
    with Service(binary) as service, gzip.open(path, "wt", compresslevel=1, encoding="ascii") as file:

        def ask(request):
            answer = service.ask(request)
            file.write(json.dumps([request, answer]) + "\n")
            coverage.add(request, answer)
            return answer

        scenario.Scenario(ask, seed, count).run()
    print(f"recorded {binary}")
    coverage.print(time.monotonic() - start)


class Comparison:
    """Compares answers with recorded ones."""

    def __init__(self, wording_may_differ, added_fields):
        self.wording_may_differ, self.added_fields = wording_may_differ, added_fields
        self.equal = self.different = self.reworded = 0
        self.sentences = {}

    def add(self, number, request, old, new):
        for field in self.added_fields:
            new = without(field, new, request)
        if old == new:
            self.equal += 1
        elif self.differs_in_wording(request, old, new):
            self.reworded += 1
        else:
            self.different += 1
            if self.different <= MOST_SHOWN:
                self.show(number, request, old, new)

    def differs_in_wording(self, request, old, new):
        """Whether only prose is another: details of errors, the API's description, the help of metrics."""
        if old["status"] != new["status"]:
            return False
        # The tag and the length follow the wording.
        old_fields, new_fields = [[field for field in answer["headers"] if field[0] not in ("etag", "content-length")]
                                  for answer in (old, new)]
        if old_fields != new_fields:
            return False
        if request["target"].startswith("/openapi.yaml"):
            self.sentences["the text of /openapi.yaml"] = "another, compare the files"
            return True
        if request["target"].startswith("/metrics"):
            old_lines, new_lines = [[line for line in answer["body"].splitlines() if not line.startswith("# HELP")] for answer in (old, new)]
            if old_lines == new_lines:
                self.sentences["the HELP lines of /metrics"] = "others"
            return old_lines == new_lines
        if request["method"] == "HEAD":
            return old["status"] >= 400 and old["body"] == new["body"]
        bodies = [answer["body"] for answer in (old, new)]
        if request.get("mode") == "raw":
            bodies = [re.sub(r"(?i)(etag|content-length): [^\r]*", "", body) for body in bodies]
        is_error = old["status"] >= 400 or '"errors":[{' in old["body"] or "event: problem" in old["body"]
        if not is_error or DETAIL.sub("", bodies[0]) != DETAIL.sub("", bodies[1]):
            return False
        pairs = zip(DETAIL.findall(bodies[0]), DETAIL.findall(bodies[1]))
        # Equal details mean that something else differs.
        differing = [(before, after) for before, after in pairs if before != after]
        self.sentences.update(differing)
        return bool(differing)

    @staticmethod
    def show(number, request, old, new):
        print(f"\nDIFFERENT: request {number}, {request['kind']}: {request['method']} {request['target'][:300]}")
        if request["headers"]:
            print("  headers:", request["headers"])
        if request["body"]:
            print("  body:", ascii(request["body"][:300]), "…" if len(request["body"]) > 300 else "")
        if old["status"] != new["status"]:
            print(f"  status {old['status']} is {new['status']} now")
        if old["headers"] != new["headers"]:
            print("  header fields that are gone:", [field for field in old["headers"] if field not in new["headers"]])
            print("  new header fields:", [field for field in new["headers"] if field not in old["headers"]])
        if old["body"] != new["body"]:
            before, after = encode(old["body"]), encode(new["body"])
            place = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
            print(f"  body of {len(before)} bytes is one of {len(after)} now and differs from byte {place} on:")
            for name, body in [("old", before), ("new", after)]:
                print(f"    {name}: …{ascii(body[max(place - 80, 0):place + 120].decode(errors='replace'))}…")

    def finish(self):
        """Prints the outcome; returns whether it is good."""
        if self.different > MOST_SHOWN:
            print(f"\n… and {self.different - MOST_SHOWN} more")
        if self.sentences:
            print("\nOther wording:")
            for before, after in self.sentences.items():
                print(f"  - {before}\n  + {after}")
        print(f"\n{self.equal} answers are equal, {self.reworded} differ in wording only, {self.different} differ")
        return self.different == 0 and (self.reworded == 0 or self.wording_may_differ)


def without(field, answer, request):
    """An answer without a header field."""
    headers = [pair for pair in answer["headers"] if pair[0] != field.lower()]
    body = answer["body"]
    if request.get("mode") == "raw":
        body = re.sub(rf"(?i)\r\n{re.escape(field)}: [^\r]*", "", body)
    return answer | {"headers": headers, "body": body}


def compare(binary, path, options):
    """Sends a binary the requests of a recording; returns whether its answers are the recorded ones."""
    comparison = Comparison(options.wording_may_differ, options.added_field)
    coverage, start = Coverage(), time.monotonic()
    with Service(binary) as service, gzip.open(path, "rt", encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            request, old = json.loads(line)
            new = service.ask(request)
            coverage.add(request, new)
            comparison.add(number, request, old, new)
    print(f"\ncompared {binary}")
    coverage.print(time.monotonic() - start)
    return comparison.finish()


def main():
    parser = argparse.ArgumentParser(prog="compare-answers", description="Compares the answers of two pincluster binaries byte for byte.")
    parser.add_argument("old", metavar="OLD_BINARY")
    parser.add_argument("new", metavar="NEW_BINARY", nargs="?", help="the same binary once more if left out")
    parser.add_argument("--record", metavar="FILE", help="only record OLD_BINARY's answers, to FILE")
    parser.add_argument("--against", metavar="FILE", help="compare OLD_BINARY's answers with those recorded in FILE")
    parser.add_argument("--wording-may-differ", action="store_true", help="accept other sentences in errors, and print each pair once")
    parser.add_argument("--added-field", metavar="NAME", action="append", default=[], help="leave out a header field that only the new binary sends")
    parser.add_argument("--seed", type=int, default=1, help="of the requests (1)")
    parser.add_argument("--requests", type=int, default=5000, help="how many seeded requests, beside some 2,900 that are always sent (5000)")
    options = parser.parse_args()
    if (options.new is not None) + (options.record is not None) + (options.against is not None) > 1:
        parser.error("give one of NEW_BINARY, --record and --against")
    if options.record:
        record(options.old, options.record, options.seed, options.requests)
        return
    if options.against:
        sys.exit(not compare(options.old, options.against, options))
    with tempfile.TemporaryDirectory(prefix="compare-answers-") as folder:
        path = os.path.join(folder, "recording")
        record(options.old, path, options.seed, options.requests)
        sys.exit(not compare(options.new or options.old, path, options))


main()
