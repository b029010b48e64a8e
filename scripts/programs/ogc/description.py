"""Features part 1, oas30: the description, against all that the service has answered to the other tests."""

import re

import data
from service import OPENAPI
from suite import test


def described(service):
    """Each answer so far with the operation that it is of."""
    patterns = [
        (re.compile(re.sub(r"\\{.*?\\}", "[^/]+", re.escape(path)) + "/?"), path, method, operation)
        for path, method, operation in service.operations()]
    for method, path, answer in list(service.answers):
        # Paths without a variable come first.
        fitting = sorted(
            (one for one in patterns if one[2] == ("GET" if method == "HEAD" else method) and one[0].fullmatch(path)),
            key=lambda one: one[1].count("{"))
        if fitting:
            yield *fitting[0][1:], answer


@test("features-1/oas30", "completeness", "exceptions-codes")
def described_answers(service):
    codes = {}
    for path, method, operation, answer in described(service):
        said = operation["responses"].get(str(answer.status))
        assert said is not None, f"not described: {answer}"
        content = service.resolved(said).get("content", {})
        known = {one.partition(";")[0] for one in content}
        if answer.body:
            assert answer.type in known, f"{answer.type} is not described: {answer}"
        codes.setdefault((path, method), set()).add(answer.status)
    assert sum(map(len, codes.values())) > 40, f"only {codes}"


@test("features-1/oas30", "oas-impl")
def implemented(service):
    """Each path that is described is there, and knows the methods that it is described with."""
    values = {
        "collectionId": data.COLLECTION, "featureId": "1", "annotationId": "g120_200_52_31", "tileZoom": "0",
        "tileX": "0", "tileY": "0", "tileMatrix": "0", "tileRow": "0", "tileCol": "0", "clientFile": "pincluster.js",
        "leafletFile": "leaflet.js",
        "leafletImage": "marker-icon.png"}
    methods = {}
    for path, method, operation in service.operations():
        methods.setdefault(re.sub(r"{(\w+)}", lambda found: values[found[1]], path), set()).add(method)
    for path, described in methods.items():
        answer = service.send("OPTIONS", path)
        allowed = set(answer.headers["Allow"].split(", "))
        assert allowed - {"HEAD", "OPTIONS"} == described, f"{path}: {allowed} and {described}"
        if "GET" in described and not path.endswith(("/changes", "/clusters", "/pins")):
            answer = service.send("GET", path)
            assert answer.status in (200, 204, 404), str(answer)


@test("features-1/oas30", "security")
def security(service):
    document = service.get("/api", OPENAPI).json()
    # A key is described, which a service without keys asks nobody for, and what needs none at all.
    schemes = document["components"]["securitySchemes"]
    assert {name: (one["type"], one["scheme"]) for name, one in schemes.items()} == {"key": ("http", "bearer")}
    assert document["security"] == [{}, {"key": []}]
    open_to_all = [path for path, item in document["paths"].items() if item.get("get", {}).get("security") == []]
    assert "/" in open_to_all and not any(path.startswith("/collections") for path in open_to_all), open_to_all
    assert all(answer.status not in (401, 403) for _, _, answer in service.answers)
