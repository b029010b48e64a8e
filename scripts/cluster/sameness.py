"""Whether instances answer the same bytes, also those of a process with SQLite that was given the same writes."""

import json
import random
import re

from pincluster.service import Service
from pincluster.waiting import tries
from pincluster.wire import Client

import reads
from versions import brief

FIELDS = ("etag", "content-type", "link", "content-crs", "vary", "cache-control")
# What a store of its own can't have in common: numbers of versions, and the tags that are made of them.
VERSIONS = re.compile(rb'"version":\s*\d+|[?&]v=\d+')


def wait_for_version(ledger, instances, collection, seconds=15):
    """The version that all instances come to, while nobody writes; 0 if there is no such collection."""
    for _ in tries(seconds):
        versions = [instance.version(collection) for instance in instances]
        if len(set(versions)) == 1 and versions[0] is not None:
            return versions[0]
    ledger.fault(f"instances are at versions {versions} of {collection} {seconds} s after the last write")
    return max(version or 0 for version in versions)


def answers(port, requests):
    client = Client(port)
    found = []
    for method, path, type, body, accept in requests:
        answer = client.ask(method, path, body, type, Accept=accept)
        found.append((answer.status, {name: answer.headers.get(name) for name in FIELDS}, answer.body))
    client.close()
    return found


def differences(ledger, requests, one, other, names):
    """Notes requests whose answers differ; how many there are."""
    wrong = [(request, a, b) for request, a, b in zip(requests, one, other) if a != b]
    for request, a, b in wrong[:2]:
        at = next((index for index, (x, y) in enumerate(zip(a[2], b[2])) if x != y), min(len(a[2]), len(b[2])))
        fields = {name: (a[1][name], b[1][name]) for name in a[1] if a[1][name] != b[1][name]}
        ledger.fault(
            f"{names[0]} and {names[1]} differ in {len(wrong)} of {len(requests)} answers, such as to {request}: {a[0]} {b[0]} "
            f"{fields} at byte {at}: {a[2][max(0, at - 60):at + 60]} {b[2][max(0, at - 60):at + 60]}")
    return len(wrong)


def compare_instances(ledger, instances, seed, number):
    """Compares what instances answer, while nobody writes; the requests and the answers of the first."""
    r = random.Random(f"{seed} sameness")
    requests = [reads.read(r, 500) for _ in range(number)]
    first = answers(instances[0].port, requests)
    for other in instances[1:]:
        differences(ledger, requests, first, answers(other.port, requests), (instances[0].name, other.name))
    bad = [request for request, answer in zip(requests, first) if answer[0] not in (200, 204, 400, 404, 422)]
    if bad:
        ledger.fault(f"{len(bad)} of the requests failed, such as {bad[0]}")
    good = sum(answer[0] == 200 for answer in first)
    if good < number / 2:
        ledger.fault(f"only {good} of {number} made-up requests were answered 200, which shows little")
    ledger.count("answers compared between instances", number * (len(instances) - 1))
    return requests, first


def without_versions(answer):
    status, fields, body = answer
    return status, {name: value for name, value in fields.items() if name != "etag"}, VERSIONS.sub(b"version", body)


def compare_with_sqlite(ledger, keeper, binary, records, history, requests, expected):
    """Gives a process with SQLite the same writes, and compares its answers but for numbers of versions."""
    twin = Service.kept(keeper, binary, "sqlite", flags=("--trust-proxy",), parent=keeper.folder_in_memory()).start()
    client = twin.client()
    for record in records:
        answer = client.ask(record["method"], record["path"], record["body"], record["type"])
        if answer.status // 100 != 2:
            ledger.fault(f"with SQLite, {brief(record)}: {answer}")
        elif "ids" in record and answer.json()["ids"] != record["ids"]:
            ledger.fault(f"with SQLite, {brief(record)} made {answer.json()['ids']}, not {record['ids']}")
    # Of the collection that comes and goes. What has expired there is deleted here, as it may have made the collection.
    for method, path, type, body in history:
        soon = "/items/soon-" in path
        body = body | {"expires": None} if soon else body
        client.ask(method, path, json.dumps(body) if body is not None else None, type)
        if soon:
            client.ask("DELETE", path)
    found = [without_versions(answer) for answer in answers(twin.port, requests)]
    differences(ledger, requests, found, [without_versions(answer) for answer in expected], ("SQLite", "an instance"))
    ledger.count("answers compared with SQLite", len(requests))
    ledger.count("writes carried out again with SQLite", len(records) + len(history))
    twin.kill()
