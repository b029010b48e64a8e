"""The abstract test suites of the standards whose classes the service claims, against a service that holds the
sample `cities`:

    ogc URL [WORD]    WORD: only tests with it in their names

Each assertion of each class that `/conformance` lists has a test, else this fails. The collections `ogc`, `edited` and
`empty` are made, and dropped at the end.
"""

import sys

import data
import pages, features, filtering, filters, editing, tiles, description  # noqa: E401  the tests, in order
from assertions import ASSERTIONS
from service import Service
from suite import run


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    service = Service(sys.argv[1])
    data.store(service)
    try:
        claimed = service.get("/conformance").json()["conformsTo"]
        faults = run(service, ASSERTIONS, claimed, *sys.argv[2:])
    finally:
        for name in (data.COLLECTION, "edited", "empty"):
            service.send("DELETE", f"/collections/{name}")
    for one in faults:
        print(one)
    count = sum(len(names) for _, names in ASSERTIONS.values())
    print(f"OGC: {count} assertions of {len(ASSERTIONS)} classes, {len(service.answers)} requests, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
