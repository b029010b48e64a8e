"""What answers must look like, as JSON Schema: the schemas that the standards name, as far as they demand something."""

import jsonschema


def check(document, schema, what=""):
    """Makes sure that a document is as a schema has it."""
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    assert not errors, f"{what}{errors[0].json_path}: {errors[0].message[:200]}"


def _object(required=(), **properties):
    return {"type": "object", "required": list(required), "properties": properties}


def _list(items, **more):
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
# The standards want `href` only; that each link has a relation and a type is said of each page of theirs.
LINK = _object(
    ["href", "rel", "type"], href={"type": "string", "pattern": "^https?://"}, rel=TEXT, type=TEXT, title=TEXT,
    hreflang=TEXT, length={"type": "integer"})
LINKS = _list(LINK)
LANDING = _object(["links"], title=TEXT, description=TEXT, links=LINKS)
CLASSES = _object(["conformsTo"], conformsTo=_list(TEXT, minItems=1, uniqueItems=True))
BOX = {"oneOf": [_list(NUMBER, minItems=4, maxItems=4), _list(NUMBER, minItems=6, maxItems=6)]}
EXTENT = _object(
    spatial=_object(bbox=_list(BOX, minItems=1), crs=TEXT),
    temporal=_object(
        interval=_list(_list({"type": ["string", "null"]}, minItems=2, maxItems=2), minItems=1), trs=TEXT))
# The contract has null for a title or description that isn't there, and for the bbox of no features, where the schemas
# of the OGC have no member at all.
NULL = {"type": "null"}
NAME = {"type": ["string", "null"]}
COLLECTION = _object(
    ["id", "links"], id=TEXT, title=NAME, description=NAME, links=LINKS, itemType=TEXT, crs=_list(TEXT),
    extent={"if": _object(spatial=_object(bbox=NULL)), "else": EXTENT})
COLLECTIONS = _object(["links", "collections"], links=LINKS, collections=_list(COLLECTION))
POINT = _object(["type", "coordinates"], type={"const": "Point"}, coordinates=_list(NUMBER, minItems=2, maxItems=3))
FEATURE = _object(
    ["type", "geometry", "properties"], type={"const": "Feature"}, geometry=POINT,
    properties={"type": ["object", "null"]}, id={"type": ["string", "integer"]}, links=LINKS)
FEATURES = _object(
    ["type", "features"], type={"const": "FeatureCollection"}, features=_list(FEATURE), links=LINKS,
    timeStamp=TEXT, numberMatched={"type": "integer", "minimum": 0}, numberReturned={"type": "integer", "minimum": 0})
# Of a link that is a template the address has places for values.
TILE_SET = _object(
    ["dataType", "crs", "links"], title=TEXT, dataType={"enum": ["map", "vector", "coverage"]}, crs=TEXT,
    tileMatrixSetURI={"type": "string", "format": "uri"}, links=_list(LINK, minItems=1),
    layers=_list(_object(["id", "dataType"], id=TEXT, geometryDimension={"enum": [0, 1, 2, 3]}), minItems=1))
TILE_SETS = _object(["tilesets"], tilesets=_list(TILE_SET), links=LINKS)
TILE_MATRIX = _object(
    ["id", "scaleDenominator", "cellSize", "pointOfOrigin", "tileWidth", "tileHeight", "matrixWidth", "matrixHeight"],
    id=TEXT, scaleDenominator=NUMBER, cellSize=NUMBER, pointOfOrigin=_list(NUMBER, minItems=2, maxItems=2),
    tileWidth={"type": "integer"}, tileHeight={"type": "integer"}, matrixWidth={"type": "integer"},
    matrixHeight={"type": "integer"})
TILE_MATRIX_SET = _object(
    ["crs", "tileMatrices"], id=TEXT, uri=TEXT, crs=TEXT, orderedAxes=_list(TEXT, minItems=1),
    tileMatrices=_list(TILE_MATRIX, minItems=1))
