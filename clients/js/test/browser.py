#!/usr/bin/env python3
"""The map page, the examples and the layers in a headless Chromium, against the built binary.

usage: browser.py BINARY [--only NAME] [--full]

With --full, live changes go on for half a minute: 10,000 features, of which 2,000 move each second, and the time slider is moved a
thousand times.
Needs playwright, maplibre, folium, ipyleaflet and axe-playwright-python (PyPI), and Debian's chromium and libjs-leaflet. Prints a line for each test, and exits
with 1 if one fails.
"""

import concurrent.futures
import contextlib
import multiprocessing
import re
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

import pages  # noqa: F401  (each adds its tests to the list, those that take longest first)
import map_page  # noqa: F401
import keys  # noqa: F401
import files  # noqa: F401
import times  # noqa: F401
import live  # noqa: F401
import everybody  # noqa: F401
import by_keyboard  # noqa: F401
import filters  # noqa: F401
import looks  # noqa: F401
import content  # noqa: F401
import layers  # noqa: F401
import leaflet_layers  # noqa: F401
import notebooks  # noqa: F401
import your_file  # noqa: F401
from harness import TESTS, Browser
from service import Service


def attempt(one, chromium, service):
    """Runs a test, and prints a line. Returns the lines that say why it failed; none if it didn't."""
    begun = time.monotonic()
    try:
        one(lambda of=service, **options: Browser(chromium, of, **options), service)
        print(f"ok {one.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)
        return []
    except Exception:
        # Not the frames of playwright.
        own = [line for line in traceback.format_exc().splitlines() if not re.search(r"site-packages|\^\^|^    \w", line)]
        failure = [f"FAILED {one.__name__} ({time.monotonic() - begun:.1f} s)", *own[-25:]]
        print(failure[0], flush=True)
        # So that what a test has left open takes no time of the next one.
        with contextlib.suppress(Exception):
            for context in chromium.contexts:
                context.close()
        return failure


# The number of tests that have been begun.
BEGUN = multiprocessing.Value("i", 0)


def run(binary, chosen):
    """Runs those tests that nobody has begun, by a service and a browser of its own, and returns the failures."""
    failures = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        service = stack.enter_context(Service(binary, folder))
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--enable-unsafe-swiftshader",
                                                            "--disable-features=LocalNetworkAccessChecks"])
        stack.callback(chromium.close)
        while True:
            with BEGUN.get_lock():
                number, BEGUN.value = BEGUN.value, BEGUN.value + 1
            if number >= len(chosen):
                return failures
            if failure := attempt(chosen[number], chromium, service):
                failures.append(failure)


def main():
    binary = sys.argv[1]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    chosen = [one for one in TESTS if only in one.__name__]
    if not chosen:
        sys.exit(f"no test is named {only}")
    # Most of the time of a test is waiting, until nothing moves. The long form measures times.
    workers = 1 if "--full" in sys.argv else min(3, len(chosen))
    failures = []
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        for one in [pool.submit(run, binary, chosen) for _ in range(workers)]:
            try:
                failures += one.result()
            except Exception:
                failures.append(["FAILED: a worker", *traceback.format_exc().splitlines()[-25:]])
    # At the end, where a reader of the log looks.
    for failure in failures:
        print(*failure, sep="\n")
    print(f"{len(chosen)} tests in a browser, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
