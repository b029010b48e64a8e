"""Features part 4: features are created, replaced, updated and deleted, and no one's change is lost."""

import json

import jsonschema

from features import CRS84
from service import GEOJSON, JSON, SCHEMA
from suite import test

ITEMS = "/collections/edited/items"
PATCH = "application/merge-patch+json"
MERCATOR = "http://www.opengis.net/def/crs/EPSG/0/3857"


def feature(x=1, y=2, **properties):
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, y]}, "properties": properties}


def created(service, **properties):
    """The address of a new feature, and its entity tag."""
    answer = service.send("POST", ITEMS, body=feature(**properties))
    assert answer.status == 201, str(answer)
    address = answer.headers["Location"]
    return address, service.get(address, GEOJSON).headers["ETag"]


@test("features-4/create-replace-delete", "methods", "options-op", "options-response")
@test("features-4/update", "methods")
@test("features-4/features", "resources-endpoint", "resource-endpoint")
def methods(service):
    address, _ = created(service, a=1)
    assert address.startswith(f"{service.url}{ITEMS}/")
    for path, wanted in [(ITEMS, {"GET", "HEAD", "POST"}), (address, {"GET", "PUT", "PATCH", "DELETE"})]:
        answer = service.send("OPTIONS", path)
        assert answer.status == 200, str(answer)
        assert wanted <= set(answer.headers["Allow"].split(", ")), answer.headers["Allow"]


@test("features-4/create-replace-delete", "post-op", "post-body", "post-response", "post-response-rid")
def create(service):
    before = service.get(ITEMS, limit=0).json()["numberMatched"] if created(service) else 0
    first, _ = created(service, a="first", b=[1, {"c": None}])
    second, _ = created(service, a="second")
    assert first != second
    read = service.get(first, GEOJSON).json()
    assert read["properties"] == {"a": "first", "b": [1, {"c": None}]} and read["geometry"]["coordinates"] == [1, 2]
    assert first.endswith(f"/{read['id']}")
    assert service.get(ITEMS, limit=0).json()["numberMatched"] == before + 2
    for body in (b"", b"{", b"[]", json.dumps({"type": "Feature", "properties": {}}).encode()):
        answer = service.send("POST", ITEMS, body=body)
        assert answer.status in (400, 422), str(answer)


@test("features-4/create-replace-delete", "post-content-type", "put-content-type")
def types_of_bodies(service):
    address, _ = created(service)
    for method, path, success in (("POST", ITEMS, 201), ("PUT", address, 200), ("PUT", address, 200)):
        for type in (GEOJSON, JSON):
            answer = service.send(method, path, body=feature(), Content_Type=type)
            assert answer.status in (success, 204), str(answer)
        answer = service.send(method, path, body=feature(), Content_Type="application/gml+xml")
        assert answer.status == 415, str(answer)


@test("features-4/create-replace-delete", "put-op", "put-body", "put-response", "put-rid")
@test("features-4/features", "geojson-create-replace")
def replace(service):
    address, _ = created(service, a=1, b=2)
    number = int(address.rsplit("/", 1)[1])
    answer = service.send("PUT", address, body=feature(5, 6, c=3))
    assert answer.status in (200, 204), str(answer)
    read = service.get(address, GEOJSON).json()
    assert read == {**feature(5, 6, c=3), "id": number}, read
    # Its own id may be in the body. Another one is refused, as the class `features` allows, and changes nothing.
    assert service.send("PUT", address, body={**feature(7, 8), "id": number}).status in (200, 204)
    answer = service.send("PUT", address, body={**feature(9, 9), "id": number + 1000})
    assert answer.status == 422, str(answer)
    assert service.get(address, GEOJSON).json()["geometry"]["coordinates"] == [7, 8]


@test("features-4/create-replace-delete", "put-rid-exception")
def replace_nothing(service):
    path = f"{ITEMS}/unheard"
    answer = service.send("PUT", path, body=feature(), If_Match='"any"')
    assert answer.status == 412, str(answer)
    assert service.send("GET", path).status == 404
    # Without a condition it is created, as the collection says.
    assert service.send("PUT", path, body=feature()).status == 201
    assert service.send("DELETE", path).status in (200, 204)


@test("features-4/create-replace-delete", "delete-op", "delete-response")
def delete(service):
    address, _ = created(service)
    assert service.send("DELETE", address).status in (200, 204)
    assert service.send("GET", address).status == 404
    assert service.send("DELETE", address).status == 404


@test("features-4/update", "update-patch-op", "update-patch-body", "update-patch-response", "rid")
@test("features-4/features", "update-json-merge-patch")
def update(service):
    address, _ = created(service, a=1, b={"c": 2, "d": 3}, e=4)
    number = int(address.rsplit("/", 1)[1])
    change = {"geometry": {"type": "Point", "coordinates": [3, 4]}, "properties": {"a": None, "b": {"c": 5}, "f": [6]}}
    answer = service.send("PATCH", address, body=change, Content_Type=PATCH)
    assert answer.status in (200, 204), str(answer)
    read = service.get(address, GEOJSON).json()
    assert read == {**feature(3, 4, b={"c": 5, "d": 3}, e=4, f=[6]), "id": number}, read
    # An id can't be changed.
    answer = service.send("PATCH", address, body={"id": number + 1000}, Content_Type=PATCH)
    assert answer.status in (200, 204, 422), str(answer)
    assert service.get(address, GEOJSON).json() == read


@test("features-4/optimistic-locking-etags", "get-etag-response", "put-etag-response", "patch-etag-response")
def entity_tags(service):
    address, tag = created(service, a=1)
    for method, body, type in [("PUT", feature(a=2), GEOJSON), ("PATCH", {"properties": {"a": 3}}, PATCH)]:
        answer = service.send(method, address, body=body, Content_Type=type)
        read = service.get(address, GEOJSON).headers["ETag"]
        assert answer.headers["ETag"] == read and read != tag and read.startswith('"'), str(answer)
        tag = read


@test(
    "features-4/optimistic-locking-etags", "ifmatch-put-op", "ifmatch-put-eval", "ifmatch-patch-op", "ifmatch-patch-eval")
def locks(service):
    for method, body, type in [("PUT", feature(a=2), GEOJSON), ("PATCH", {"properties": {"a": 2}}, PATCH)]:
        address, tag = created(service, a=1)
        weak, absent = f"W/{tag}", '"unheard"'
        for condition in (weak, absent):
            answer = service.send(method, address, body=body, Content_Type=type, If_Match=condition)
            assert answer.status == 412, f"If-Match: {condition}: {answer}"
        assert service.get(address, GEOJSON).json()["properties"] == {"a": 1}
        answer = service.send(method, address, body=body, Content_Type=type, If_Match=f"{absent}, {tag}")
        assert answer.status in (200, 204), str(answer)
        # The tag of before is of no use now.
        answer = service.send(method, address, body=body, Content_Type=type, If_Match=tag)
        assert answer.status == 412, str(answer)
        answer = service.send(method, address, body=body, Content_Type=type, If_Match="*")
        assert answer.status in (200, 204), str(answer)


@test("features-4/features", "collection-endpoint")
def ids_of_clients(service):
    created(service)
    assert service.get("/collections/edited", JSON).json()["supportsNonAutogeneratedResourceIds"] is True
    assert all(one["supportsNonAutogeneratedResourceIds"] is True for one in service.collections())


@test("features-4/features", "representation-geojson-replace", "schema")
def schema(service):
    """The schema fits what is stored, and what fits it can be stored."""
    address, _ = created(service, a=1, b="text")
    read = service.get(address, GEOJSON).json()
    answer = service.get("/collections/edited/schema", SCHEMA).json()
    jsonschema.Draft202012Validator.check_schema(answer)
    replacing = service.get("/collections/edited/schema", SCHEMA, type="replace").json()
    jsonschema.validate(read, replacing)
    jsonschema.validate(feature(5, 6, a=7), replacing)
    assert replacing["type"] == "object" and {"type", "geometry", "properties"} <= set(replacing["properties"])
    for wrong in ({**read, "type": "Other"}, {**read, "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}}):
        assert not jsonschema.Draft202012Validator(replacing).is_valid(wrong), wrong
    assert service.send("PUT", address, body=read).status in (200, 204)
    # Properties that no feature has yet are taken.
    jsonschema.validate(feature(unheard=True), replacing)
    assert service.send("PUT", address, body=feature(unheard=True)).status in (200, 204)


@test("features-4/features", "crs-crs84")
def crs(service):
    address, _ = created(service)
    assert service.send("PUT", address, body=feature(13.5, 52.25), Content_Crs=f"<{CRS84}>").status in (200, 204)
    assert service.get(address, GEOJSON).json()["geometry"]["coordinates"] == [13.5, 52.25]
    patch = {"properties": {"a": 1}}
    for method, path, body, type in [
        ("POST", ITEMS, feature(), GEOJSON), ("PUT", address, feature(), GEOJSON), ("PATCH", address, patch, PATCH),
    ]:
        answer = service.send(method, path, body=body, Content_Type=type, Content_Crs=f"<{MERCATOR}>")
        assert 400 <= answer.status < 500, f"{method}: {answer}"
    # The member that GeoJSON had before RFC 7946.
    for name, success in (("urn:ogc:def:crs:OGC:1.3:CRS84", True), ("urn:ogc:def:crs:EPSG::3857", False)):
        named = {"crs": {"type": "name", "properties": {"name": name}}}
        for method, path, body in [
            ("PUT", address, {**feature(), **named}),
            ("POST", ITEMS, {"type": "FeatureCollection", **named, "features": [feature()]}),
            ("POST", ITEMS, {"type": "FeatureCollection", "features": [feature()], **named}),
        ]:
            answer = service.send(method, path, body=body)
            assert (answer.status < 300) == success, f"{name}: {method} {answer}"
