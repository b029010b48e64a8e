"""Tiles part 1: tile sets, and tiles of vectors."""

import math
import re

import jsonschema
import mapbox_vector_tile

import schemas
from service import JSON, MVT, link
from suite import test

TILES = "/collections/cities/tiles"
SCHEME = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme"
QUAD = "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"
DESCRIBED = "/collections/{collectionId}/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}"


def template(service):
    """The template of the addresses of tiles, as the tile set gives it."""
    document = service.get(f"{TILES}/WebMercatorQuad", JSON).json()
    one, = [one for one in document["links"] if one["rel"] == "item" and one["type"] == MVT]
    assert one["templated"] is True
    return one["href"]


def tile(service, matrix, row, column, status=200):
    address = template(service)
    for name, value in (("tileMatrix", matrix), ("tileRow", row), ("tileCol", column)):
        assert f"{{{name}}}" in address, address
        address = address.replace(f"{{{name}}}", str(value))
    return service.get(address, MVT, status)


def place(matrix, x, y):
    """Longitude and latitude of a place in tiles of a matrix."""
    size = 2**matrix
    return x / size * 360 - 180, math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y / size))))


@test("tiles-1/core", "tc-op", "tc-success")
@test("tiles-1/mvt", "content")
def tiles(service):
    """The features of all tiles of a matrix are those of the collection, and lie where theirs lie."""
    west, south, east, north = service.get("/collections/cities", JSON).json()["extent"]["spatial"]["bbox"][0]
    count = 0
    for row in range(4):
        for column in range(4):
            answer = service.send("GET", f"{TILES}/WebMercatorQuad/2/{row}/{column}", Accept=MVT)
            if answer.status == 204:
                continue
            assert answer.status == 200 and answer.type == MVT, str(answer)
            layers = mapbox_vector_tile.decode(answer.body, default_options={"y_coord_down": True})
            assert list(layers) == ["cities"] and layers["cities"]["extent"] == 4096
            for one in layers["cities"]["features"]:
                assert one["geometry"]["type"] == "Point"
                x, y = one["geometry"]["coordinates"]
                assert 0 <= x <= 4096 and 0 <= y <= 4096, one
                longitude, latitude = place(2, column + x / 4096, row + y / 4096)
                # Where west is above east, the extent crosses 180°.
                is_within = (longitude >= west - 0.1, longitude <= east + 0.1)
                assert (all if west <= east else any)(is_within) and south - 0.1 <= latitude <= north + 0.1, one
                count += one["properties"].get("point_count", 1)
    assert count == service.get("/collections/cities", JSON).json()["featureCount"]
    # One pin, to the point: the corner 0, 0 is the upper left one.
    pin = service.get("/collections/cities/items/2950159").json()["geometry"]["coordinates"]
    size = 2**16
    x, y = (pin[0] + 180) / 360 * size, (1 - math.asinh(math.tan(math.radians(pin[1]))) / math.pi) / 2 * size
    answer = tile(service, 16, int(y), int(x))
    one, = mapbox_vector_tile.decode(answer.body, default_options={"y_coord_down": True})["cities"]["features"]
    assert one["id"] == 2950159 and one["properties"]["name"] == "Berlin"
    assert all(abs(got - part % 1 * 4096) <= 1 for got, part in zip(one["geometry"]["coordinates"], (x, y))), one


@test("tiles-1/core", "tc-tilematrix-definition", "tc-tilerow-definition", "tc-tilecol-definition")
def definitions(service):
    parameters = service.parameters(DESCRIBED)
    for name, types in {"tileMatrix": {"string", "integer"}, "tileRow": {"integer"}, "tileCol": {"integer"}}.items():
        one = parameters[name]
        assert one["in"] == "path" and one["required"] is True
        assert service.resolved(one["schema"])["type"] in types, f"{name}: {one}"


@test("tiles-1/core", "tc-error")
def no_tile(service):
    for place in [(0, 1, 0), (0, 0, 1), (3, 8, 0), (25, 0, 0), (24, 2**24, 0), (24, 2**30, -1), (-1, 0, 0), (2, "a", 0)]:
        answer = service.send("GET", f"{TILES}/WebMercatorQuad/" + "/".join(map(str, place)), Accept=MVT)
        assert answer.status in (400, 404) and answer.type == "application/problem+json", str(answer)
    # In the midst of an ocean.
    assert tile(service, 10, 700, 100, status=204).body == b""


@test("tiles-1/tileset", "description")
def tile_set(service):
    document = service.get(f"{TILES}/WebMercatorQuad", JSON).json()
    check_tile_set(document)
    assert document["tileMatrixSetURI"] == QUAD
    assert re.findall(r"{(\w+)}", template(service)) == ["tileMatrix", "tileRow", "tileCol"]
    matrices = service.get(link(document, SCHEME), JSON).json()
    schemas.check(matrices, schemas.TILE_MATRIX_SET)
    assert matrices["uri"] == QUAD and matrices["crs"] == document["crs"]
    for number, one in enumerate(matrices["tileMatrices"]):
        # Of 256 pixels of 0.28 mm a tile is, as the set is registered.
        assert one["id"] == str(number) and one["matrixWidth"] == one["matrixHeight"] == 2**number
        assert one["tileWidth"] == one["tileHeight"] == 256
        width = one["cellSize"] * one["tileWidth"] * one["matrixWidth"]
        assert abs(width - 2 * math.pi * 6378137) < 1e-3, one
        assert abs(one["scaleDenominator"] * 0.00028 / one["cellSize"] - 1) < 1e-9, one
        assert abs(one["pointOfOrigin"][0] + width / 2) < 1e-3 and abs(one["pointOfOrigin"][1] - width / 2) < 1e-3
    assert len(matrices["tileMatrices"]) == 25


def check_tile_set(document):
    jsonschema.validate(document, schemas.TILE_SET)
    assert link(document, SCHEME, JSON).endswith("/tileMatrixSets/WebMercatorQuad")
    assert "EPSG" in document["crs"] and document["dataType"] == "vector"


@test("tiles-1/tilesets-list", "tileset-links")
def tile_sets(service):
    for one in service.collections():
        document = service.get(f"/collections/{one['id']}/tiles", JSON).json()
        schemas.check(document, schemas.TILE_SETS)
        for each in document["tilesets"]:
            check_tile_set(each)
            address = link(each, "self", JSON)
            assert address == f"{service.url}/collections/{one['id']}/tiles/WebMercatorQuad"
            whole = service.get(address, JSON).json()
            assert all(whole[name] == each[name] for name in ("dataType", "crs", "tileMatrixSetURI"))


@test("tiles-1/geodata-tilesets", "operation", "desc-links")
def links_to_tiles(service):
    for one in service.collections():
        address = link(one, "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector", JSON)
        assert address == f"{service.url}/collections/{one['id']}/tiles"
        assert len(service.get(address, JSON).json()["tilesets"]) == 1
