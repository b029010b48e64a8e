"""A client that openapi-python-client has generated, against the service that it was generated from:
generated_client.py URL

Calls each operation that the client has, and names those that it lacks.
"""

import importlib
import inspect
import io
import json
import pkgutil
import sys
import urllib.request

import generated.api
from generated import Client, models, types

url = sys.argv[1]
client = Client(base_url=url)

# Those whose answers or bodies no generator of JSON clients reads.
LEFT_OUT = {
    "get_changes", "get_client_file", "get_favicon", "get_leaflet_file", "get_leaflet_image", "get_map", "get_metrics", "get_open_api",
    "post_changes",
}
point = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"a": 1}}
view = {"bbox": [-24.5, 63, -12.5, 67], "viewportWidth": 800}
located = {"latitudinalMeters": 5000, "longitudinalMeters": 5000, "viewportWidth": 800, "viewportHeight": 600}
# What each operation is called with beside the usual; the order matters.
CALLS = {
    "get_landing_page": {}, "get_api": {}, "get_conformance": {}, "get_liveness": {}, "get_readiness": {},
    "list_collections": {}, "get_collection": {}, "get_queryables": {}, "get_schema": {},
    "list_items": {"bbox": [-24.5, 63, -12.5, 67], "limit": 3, "sortby": "-population,name", "filter_": "population > 1000"},
    "get_item": {},
    "get_clusters": {"bbox": "-24.5,63,-12.5,67", "viewport_width": 800},
    "post_clusters": {"body": view},
    "get_pins": {"bbox": "-22,64,-21,65"}, "post_pins": {"body": {"bbox": [-22, 64, -21, 65]}},
    "locate_item": {"body": located},
    "get_annotation": {}, "get_annotation_children": {}, "get_annotation_hull": {}, "list_annotation_items": {},
    "get_tile_json": {}, "get_tile": {"tile_zoom": 5, "tile_x": 14, "tile_y": "8.geojson"},
    "list_tile_sets": {}, "get_tile_set": {}, "list_tile_matrix_sets": {}, "get_tile_matrix_set": {},
    "get_tile_of_set": {"tile_matrix": 5, "tile_row": 8, "tile_col": 14},
    "put_collection": {"collection_id": "made", "body": {"title": "Made"}},
    "post_items": {"collection_id": "made", "body": point},
    "put_item": {"collection_id": "made", "feature_id": "7", "body": point},
    "patch_item": {"collection_id": "made", "feature_id": "7", "body": {"properties": {"a": 2}}},
    "delete_item": {"collection_id": "made", "feature_id": "7"},
    "delete_items": {"collection_id": "made", "bbox": "0,0,9,9"},
    "delete_collection": {"collection_id": "made"},
}
USUAL = {"collection_id": "cities", "feature_id": "3413829", "annotation_id": "g120_200_52_31"}


def operations():
    """The functions that call operations, by name."""
    for group in pkgutil.iter_modules(generated.api.__path__):
        package = importlib.import_module(f"generated.api.{group.name}")
        for one in pkgutil.iter_modules(package.__path__):
            yield one.name, importlib.import_module(f"{package.__name__}.{one.name}").sync_detailed


def body_of(function, value):
    """A JSON value as the model that a function takes as its body."""
    wanted = inspect.get_annotations(function, eval_str=True)["body"]
    for model in getattr(wanted, "__args__", [wanted]):
        if hasattr(model, "from_dict"):
            try:
                return model.from_dict(value)
            except ValueError:
                # Of several models one fits.
                continue
    raise TypeError(f"{wanted} is no body")


def untyped():
    """The fields of models of which the client knows no type, apart from names that the user chooses."""
    for name in models.__all__:
        model = getattr(models, name)
        for field in getattr(model, "__attrs_attrs__", ()):
            if field.name != "additional_properties" and "Any" in str(field.type):
                yield f"{name}.{field.name}"


# The arguments of a filter in CQL2 JSON are filters, numbers, texts and geometries.
assert set(untyped()) <= {"FilterObject.args"}, set(untyped())
with urllib.request.urlopen(f"{url}/api") as answer:
    document = json.load(answer)
known = dict(operations())
described = {
    "".join("_" + c.lower() if c.isupper() else c for c in one["operationId"]).replace("_a_p_i", "_api")
    for item in document["paths"].values() for one in item.values()
}
missing = {name for name in described - set(known)} - LEFT_OUT
assert not missing, f"the client has no {sorted(missing)}"
assert set(CALLS) == described - LEFT_OUT, set(CALLS) ^ (described - LEFT_OUT)
parsed = 0
for name, given in CALLS.items():
    function = known[name]
    parameters = inspect.signature(function).parameters
    arguments = {key: value for key, value in {**USUAL, **given}.items() if key in parameters}
    if "body" in arguments:
        arguments["body"] = body_of(function, arguments["body"])
    answer = function(client=client, **arguments)
    assert answer.status_code in (200, 201, 204), f"{name}: {answer.status_code} {answer.content[:300]}"
    parsed += answer.parsed is not None
answer = known["get_clusters"](client=client, collection_id="cities", bbox="-24.5,63,-12.5,67", viewport_width=800)
largest = max(answer.parsed.annotations, key=lambda one: one.count)
assert isinstance(largest, models.Annotation) and isinstance(largest.coordinate, models.Coordinate), largest
assert 63 < largest.coordinate.latitude < 67 and largest.is_cluster is True, largest
# A table is sent as it is.
table = types.File(payload=io.BytesIO(b"id,longitude,latitude,name\n1,2,3,x\n"))
answer = known["post_items"](client=client, collection_id="table", body=table)
assert answer.parsed.inserted == 1, answer
known["delete_collection"](client=client, collection_id="table")
assert parsed >= len(CALLS) - 4, f"only {parsed} answers were read"
print(f"openapi-python-client: {len(CALLS)} operations called, {parsed} answers read, {len(models.__all__)} models")
