"""Tests by the names that the standards give them, and the run of them."""

import traceback

TESTS = {}


def test(kind, *names):
    """Marks a function as the test of assertions of a conformance class, such as `features-1/core`, `root-op`."""

    def register(function):
        for name in names:
            assert (kind, name) not in TESTS, f"{kind} {name} is tested twice"
            TESTS[kind, name] = function
        return function

    return register


def run(service, assertions, claimed, only=None):
    """Runs the tests. Returns what is wrong, a line each."""
    faults = []
    for uri in claimed:
        if uri not in assertions:
            faults.append(f"{uri} is claimed, and nothing here tests it")
    for uri, (kind, names) in assertions.items():
        if uri not in claimed:
            faults.append(f"{uri} is tested and not claimed")
        for name in names:
            if (kind, name) not in TESTS:
                faults.append(f"{uri}: no test of {name}")
    known = {(kind, name) for kind, names in assertions.values() for name in names}
    faults += [f"{kind} has no assertion {name}" for kind, name in TESTS if (kind, name) not in known]
    passed = {}
    # What is said of all answers is tested last.
    for kind, names in sorted(assertions.values(), key=lambda one: one[0] == "features-1/oas30"):
        for name in names:
            function = TESTS.get((kind, name))
            if function is None or (only and only not in f"{kind}/{name}"):
                continue
            if function not in passed:
                try:
                    function(service)
                    passed[function] = None
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[1]
                    passed[function] = f"{where.filename.rsplit('/', 1)[-1]}:{where.lineno}: {error or where.line}"
            if passed[function] is not None:
                faults.append(f"{kind} /conf/{kind.split('/')[-1]}/{name}: {passed[function]}"[:700])
    return faults
