"""Features part 1, core: collections and their features."""

import urllib.parse

import data
import schemas
from service import GEOJSON, HTML, JSON, link
from suite import test

CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
COLLECTION = f"/collections/{data.COLLECTION}"
ITEMS = f"{COLLECTION}/items"
DESCRIBED = "/collections/{collectionId}/items"


def found(service, **query):
    """The features that a query finds, page by page, after a check of each page."""
    address, features, matched = ITEMS, [], None
    query.setdefault("limit", 100)
    while address:
        page = service.get(address, GEOJSON, **query).json()
        query = {}
        check_features(page)
        matched = page["numberMatched"] if matched is None else matched
        assert page["numberMatched"] == matched
        features += page["features"]
        address = link(page, "next", required=False)
    assert len(features) == matched, f"{len(features)} found, {matched} said"
    return features


def ids(features):
    return {one["id"] for one in features}


def expected(passes):
    """The ids of the stored features that pass."""
    return {one["id"] for one in data.FEATURES if passes(one)}


def check_features(page):
    schemas.check(page, schemas.FEATURES)
    assert page["numberReturned"] == len(page["features"])
    check_links(page, GEOJSON)
    assert link(page, "collection").endswith(COLLECTION)


def check_links(document, type):
    """The links to itself and to its other form."""
    assert link(document, "self", type) and link(document, "alternate", HTML)
    assert all(one.get("rel") and one.get("type") for one in document["links"])


@test("features-1/core", "fc-md-op", "fc-md-success", "fc-md-links")
def collections(service):
    answer = service.get("/collections", JSON).json()
    schemas.check(answer, schemas.COLLECTIONS)
    check_links(answer, JSON)
    # The pages for people name the same.
    page = service.page("/collections")
    for one in answer["collections"]:
        assert f"/collections/{one['id']}" in page
    for one in service.collections():
        assert one["crs"][0] == CRS84


@test("features-1/core", "fc-md-items", "fc-md-items-links")
@test("features-3/features-filter", "get-collections")
def described_collections(service):
    assert service.send("PUT", "/collections/empty", body={}, Content_Type=JSON).status in (200, 201)
    names = {one["id"] for one in service.collections()}
    assert {data.COLLECTION, "cities", "empty"} <= names, names
    for one in service.collections():
        schemas.check(one, schemas.COLLECTION, f"{one['id']} ")
        assert one["itemType"] == "feature"
        for type in (GEOJSON, HTML):
            address = link(one, "items", type)
            assert address.startswith(f"{service.url}/collections/{one['id']}/items")
            assert service.get(address).type == type


@test("features-1/core", "fc-md-extent")
def extents(service):
    one = service.get(COLLECTION, JSON).json()
    west, south, east, north = one["extent"]["spatial"]["bbox"][0]
    for feature in data.FEATURES:
        longitude, latitude = feature["geometry"]["coordinates"][:2]
        longitude = -180 if longitude == 180 and east < 180 else longitude
        inside = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
        assert inside and south <= latitude <= north, feature
    first, last = map(data.seconds, one["extent"]["temporal"]["interval"][0])
    for feature in data.FEATURES:
        begin, until = times(feature)
        assert begin is None or first is None or first <= begin
        assert until is None or last is None or until <= last


def times(feature):
    return tuple(data.seconds(feature["properties"].get(name)) for name in ("begin", "until"))


@test("features-1/core", "sfc-md-op", "sfc-md-success")
def one_collection(service):
    for listed in service.collections():
        alone = service.get(f"/collections/{listed['id']}", JSON).json()
        schemas.check(alone, schemas.COLLECTION)
        for name in ("id", "title", "description", "extent", "itemType"):
            assert alone.get(name) == listed.get(name), name
        for one in listed["links"]:
            assert one in alone["links"] or one["rel"] == "self", one
        service.page(f"/collections/{listed['id']}")


@test("features-1/core", "fc-op", "fc-response", "fc-links", "fc-numberMatched", "fc-numberReturned")
def features(service):
    all = found(service)
    assert ids(all) == ids(data.FEATURES)
    for one in all:
        assert one == data.BY_ID[one["id"]], one
    page = service.get(ITEMS, GEOJSON, limit=7).json()
    assert page["numberReturned"] == 7 and page["numberMatched"] == len(data.FEATURES)
    text = service.page(ITEMS, limit=7)
    for one in page["features"]:
        assert f"/items/{one['id']}" in text
    # Both criteria at once.
    some = found(service, bbox="-90,-45,90,45", datetime="2022-04-10T00:00:00Z/2022-04-20T00:00:00Z")
    assert ids(some) == expected(lambda one: in_box(one, -90, -45, 90, 45) and in_time(one, "2022-04-10", "2022-04-20"))


@test("features-1/core", "fc-timeStamp")
def time_stamp(service):
    # None is given, as the bytes of an answer are those of its entity tag.
    assert "timeStamp" not in service.get(ITEMS, GEOJSON).json()


@test("features-1/core", "fc-bbox-definition")
def box_definition(service):
    parameter = service.parameters(DESCRIBED)["bbox"]
    schema = service.resolved(parameter["schema"])
    assert parameter["in"] == "query" and not parameter.get("required", False)
    assert parameter.get("style", "form") == "form" and parameter.get("explode") is False, parameter
    assert schema["type"] == "array" and schema["items"]["type"] == "number", schema
    lengths = schema.get("oneOf", [schema])
    assert min(one["minItems"] for one in lengths) == 4 and max(one["maxItems"] for one in lengths) == 6, schema


def in_box(feature, west, south, east, north):
    """Whether a feature is in a box: on its west and south edges, and not on the others."""
    longitude, latitude = feature["geometry"]["coordinates"][:2]
    longitude = -180 if longitude == 180 else longitude
    inside = west <= longitude < east if west <= east else longitude >= west or longitude < east
    return inside and (south <= latitude < north or latitude == north == 90)


@test("features-1/core", "fc-bbox-response")
def box_response(service):
    for box in [(-10, -10, 10, 10), (170, -90, -170, 90), (-180, -90, 180, 90), (5, 0, 5.1, 0.1), (0, 0, 0.5, 0.5)]:
        some = found(service, bbox=",".join(map(str, box)))
        everywhere = box[2] - box[0] >= 360
        assert ids(some) == expected(lambda one: everywhere or in_box(one, *box)), box
    flat = found(service, bbox="-90,-45,90,45")
    assert ids(found(service, bbox="-90,-45,-1000,90,45,9000")) == ids(flat)


@test("features-1/core", "fc-limit-definition")
def limit_definition(service):
    parameter = service.parameters(DESCRIBED)["limit"]
    schema = service.resolved(parameter["schema"])
    assert schema["type"] == "integer" and not parameter.get("required", False)
    assert parameter.get("style", "form") == "form" and parameter.get("explode", False) is False, parameter


@test("features-1/core", "fc-limit-response")
def limit_response(service):
    for limit in (1, 3, 200, 9_000):
        page = service.get("/collections/cities/items", GEOJSON, limit=limit).json()
        assert len(page["features"]) == limit
    page = service.get("/collections/cities/items", GEOJSON, limit=1_000_000).json()
    assert 0 < len(page["features"]) <= 10_000


@test("features-1/core", "fc-time-definition")
def time_definition(service):
    parameter = service.parameters(DESCRIBED)["datetime"]
    assert service.resolved(parameter["schema"])["type"] == "string" and not parameter.get("required", False)
    assert parameter.get("style", "form") == "form" and parameter.get("explode", False) is False, parameter


def in_time(feature, first, last):
    """Whether the time of a feature meets a span, of which either end may be None. Without a time it does."""
    begin, until = times(feature)
    if begin is None and until is None:
        return True
    first, last = (data.seconds(f"{one}T00:00:00Z" if one and len(one) == 10 else one) for one in (first, last))
    return not ((last is not None and begin is not None and begin > last)
                or (first is not None and until is not None and until < first))


@test("features-1/core", "fc-time-response")
def time_response(service):
    first, last = "2022-04-12T06:00:00Z", "2022-04-13T18:30:00Z"
    for text, span in {
        first: (first, first), f"{first}/{last}": (first, last), f"../{last}": (None, last), f"/{last}": (None, last),
        f"{first}/..": (first, None), f"{first}/": (first, None),
    }.items():
        some = ids(found(service, datetime=text))
        wanted = expected(lambda one: in_time(one, *span))
        assert some == wanted, f"{text}: {sorted(some ^ wanted)[:9]}"
        assert 0 < len(some) < len(data.FEATURES)


@test("features-1/core", "query-param-invalid")
def invalid_parameters(service):
    for name, values in {
        "bbox": ["1,2,3", "a,b,c,d", "1,2,3,4,5", "0,0,nan,1", ""], "limit": ["-1", "many", "1.5", ""],
        "datetime": ["yesterday", "2022-13-01", "a/b/c"], "sortby": ["-"],
    }.items():
        for value in values:
            service.refuses(ITEMS, **{name: value})
    # What is well-formed and impossible is 422 throughout this service.
    for name, values in {
        "bbox": ["0,80,1,70", "0,-100,1,0"], "datetime": ["2023-01-01/2022-01-01"], "sortby": ["a,b,c,d,e"],
    }.items():
        for value in values:
            service.refuses(ITEMS, 422, **{name: value})


@test("features-1/core", "query-param-unknown")
def unknown_parameters(service):
    feature = f"{ITEMS}/{data.FEATURES[0]['id']}"
    for path in ["/", "/api", "/conformance", "/collections", COLLECTION, ITEMS, feature]:
        service.refuses(path, unheard="1")
        service.refuses(path, F="html")


@test("features-1/core", "crs84")
def longitude_first(service):
    assert service.get(COLLECTION, JSON).json()["extent"]["spatial"]["crs"] == CRS84
    for one in found(service):
        assert one["geometry"] == data.BY_ID[one["id"]]["geometry"]
        assert "crs" not in one


@test("features-1/core", "f-op", "f-success", "f-links")
def one_feature(service):
    for one in data.FEATURES[::10]:
        answer = service.get(f"{ITEMS}/{one['id']}", GEOJSON)
        schemas.check(answer.json(), schemas.FEATURE)
        assert answer.json() == one
        # That it is the feature and nothing else, its links are in the header.
        for relation, type in (("self", GEOJSON), ("alternate", HTML), ("collection", JSON)):
            (address, said), = answer.links(relation)
            assert said == type and service.get(address).type == type, relation
    for one in data.FEATURES[:3]:
        assert urllib.parse.quote(COLLECTION) in service.page(f"{ITEMS}/{one['id']}")


@test("features-1/geojson", "definition", "content")
def geojson(service):
    for path, type, schema in [
        ("/", JSON, schemas.LANDING), ("/conformance", JSON, schemas.CLASSES),
        ("/collections", JSON, schemas.COLLECTIONS), (COLLECTION, JSON, schemas.COLLECTION),
        (ITEMS, GEOJSON, schemas.FEATURES), (f"{ITEMS}/7", GEOJSON, schemas.FEATURE),
    ]:
        # Asked for GeoJSON, what isn't features answers JSON.
        answer = service.send("GET", path, Accept=f"{GEOJSON}, {JSON};q=0.9")
        assert answer.status == 200 and answer.type == type, str(answer)
        schemas.check(answer.json(), schema)
    assert service.get(f"{ITEMS}/7", GEOJSON).json()["id"] == 7


@test("features-1/html", "definition", "content")
def html(service):
    for path in ["/", "/api", "/conformance", "/collections", COLLECTION, ITEMS, f"{ITEMS}/7"]:
        service.page(path)
        service.page(path, f="html")
