"""Features part 3: queryables, and filters on the features of collections."""

import json

import jsonschema

import data
import schemas
from assertions import ASSERTIONS
from features import CRS84, ITEMS, COLLECTION, found, ids, expected
from service import GEOJSON, JSON, SCHEMA, link
from suite import test

QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
BOX = "S_INTERSECTS(geometry,BBOX({},{},{},{}))"


@test("features-3/queryables", "get-conformance")
@test("features-3/queryables-query-parameters", "get-conformance")
@test("features-3/filter", "get-conformance")
@test("features-3/features-filter", "get-conformance")
def claimed(service):
    classes = service.get("/conformance", JSON).json()["conformsTo"]
    wanted = [uri for uri, (kind, _) in ASSERTIONS.items() if kind.startswith(("features-3/", "cql2/"))]
    assert set(wanted) <= set(classes), set(wanted) - set(classes)


@test("features-3/queryables", "get-queryables-uris")
def links_to_queryables(service):
    for one in service.collections():
        address = f"/collections/{one['id']}"
        for path in (address, f"{address}/items"):
            answer = service.send("HEAD", path, Accept=f"{GEOJSON}, {JSON}")
            assert answer.status == 200, str(answer)
            assert answer.links(QUERYABLES) == [(f"{service.url}{address}/queryables", SCHEMA)], path


@test("features-3/queryables", "get-queryables")
@test("cql2/basic-cql2", "basic-test")
def queryables(service):
    for one in service.collections():
        document = service.get(f"/collections/{one['id']}/queryables", SCHEMA).json()
        assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert document["$id"] == f"{service.url}/collections/{one['id']}/queryables"
        assert document["type"] == "object" and document["properties"]
        jsonschema.Draft202012Validator.check_schema(document)
        for name, property in document["properties"].items():
            geometry = property.get("format", "").startswith("geometry-")
            assert ("type" in property) != geometry, f"{name}: {property}"
    types = {name: one.get("type") for name, one in properties(service).items()}
    assert types["name"] == types["day"] == ["string", "null"], types
    assert types["flag"] == ["boolean", "null"] and types["pop"] == ["integer", "null"], types
    assert properties(service)["begin"]["format"] == "date-time"


def properties(service):
    return service.get(f"{COLLECTION}/queryables", SCHEMA).json()["properties"]


@test("features-3/queryables-query-parameters", "query-param")
def parameters(service):
    sample = data.FEATURES[0]["properties"] | {"name": "Bär", "id": data.FEATURES[0]["id"]}
    for name in properties(service):
        if name == "geometry":
            continue
        value = sample[name]
        text = value if isinstance(value, str) else json.dumps(value)
        some = ids(found(service, **{name: text}))
        assert some == expected(lambda one: (one["properties"] | {"id": one["id"]}).get(name) == value) and some, name
    # What no value of that type is.
    for name in ("pop", "share", "flag"):
        service.refuses(ITEMS, **{name: "neither"})


def filtered(service, text, language="cql2-text", **more):
    return ids(found(service, filter=text, **{"filter-lang": language}, **more))


@test("features-3/filter", "filter-param")
@test("features-3/features-filter", "filter-on-items")
def filter_parameter(service):
    all = ids(found(service))
    for name in ("name", "pop", "flag", "day"):
        nothing = expected(lambda one: one["properties"].get(name) is None)
        assert filtered(service, f"{name} IS NULL") == nothing
        assert filtered(service, f"{name} IS NOT NULL") == all - nothing
        condition = {"op": "isNull", "args": [{"property": name}]}
        assert filtered(service, json.dumps(condition), "cql2-json") == nothing
    for text in ("THIS IS NOT A FILTER", "", "name", "pop = ", "pop = 1 AND"):
        service.refuses(ITEMS, filter=text, **{"filter-lang": "cql2-text"})
    service.refuses(ITEMS, filter="{}", **{"filter-lang": "cql2-json"})
    service.refuses(ITEMS, filter="pop = 1", **{"filter-lang": "sql"})


@test("features-3/filter", "filter-lang-default")
def text_unless_said(service):
    assert ids(found(service, filter="pop IS NULL")) == filtered(service, "pop IS NULL")
    service.refuses(ITEMS, filter="THIS IS NOT A FILTER")


@test("features-3/filter", "expression-construction")
def names_in_filters(service):
    schema = service.get(f"{COLLECTION}/queryables", SCHEMA).json()
    if schema.get("additionalProperties", True):
        # Any name is valid then, and null where a feature has no such property.
        assert filtered(service, "this_is_not_a_queryable IS NULL") == ids(data.FEATURES)
        assert filtered(service, "this_is_not_a_queryable = 1") == set()
    else:
        service.refuses(ITEMS, filter="this_is_not_a_queryable IS NULL")


@test("features-3/filter", "filter-crs-wgs84", "filter-crs-param")
def coordinates_in_filters(service):
    for one in service.collections():
        if not one["featureCount"]:
            continue
        items = f"/collections/{one['id']}/items"
        text = BOX.format(*one["extent"]["spatial"]["bbox"][0])
        count = service.get(items, GEOJSON, filter=text, limit=0).json()["numberMatched"]
        assert count == one["featureCount"], f"{one['id']}: {count}"
        for crs in one["crs"]:
            answer = service.get(items, GEOJSON, filter=text, limit=0, **{"filter-crs": crs})
            assert answer.json()["numberMatched"] == count
        service.refuses(items, filter=BOX.format(1_000_000, 1_000_000, 2_000_000, 2_000_000))
        service.refuses(items, filter=text, **{"filter-crs": "http://www.opengis.net/def/crs/OGC/0/does_not_exist"})


@test("features-3/filter", "get-functions")
def functions(service):
    # There are no functions beside those of the standard, and so no list of them.
    assert service.send("GET", "/functions").status == 404
    service.refuses(ITEMS, filter="unheard(name) = 1")


@test("features-3/features-filter", "get-collection")
def described(service):
    for one in service.collections():
        alone = service.get(f"/collections/{one['id']}", JSON).json()
        assert link(alone, QUERYABLES, SCHEMA) == f"{service.url}/collections/{one['id']}/queryables"
        assert alone["crs"] == [CRS84]
        schemas.check(alone, schemas.COLLECTION)


@test("features-3/features-filter", "mixing-expression")
def box_and_filter(service):
    text = BOX.format(-180, -90, 180, 90)
    assert filtered(service, text, bbox="-180,-90,180,90") == ids(data.FEATURES)
    west = ids(found(service, bbox="-180,-90,0,90"))
    assert filtered(service, text, bbox="-180,-90,0,90") == west
    assert filtered(service, BOX.format(1, -90, 180, 90), bbox="-179,-90,0,90") == set()
    some = filtered(service, "pop > 50", bbox="-180,-90,0,90", flag="true", datetime="2022-04-10/2022-04-12")
    assert some == west & filtered(service, "pop > 50") & ids(found(service, flag="true")) & ids(
        found(service, datetime="2022-04-10/2022-04-12"))
