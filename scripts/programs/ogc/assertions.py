"""The assertions of the abstract test suites of the standards, by conformance class: the names of their tests.

Features part 1 1.0.1 (OGC 17-069r4, annex A), part 3 1.0 (19-079r2), part 4 draft (20-002, whose annex is empty:
these are the names of its requirements), CQL2 1.0 (21-065r2), Tiles part 1 1.0 (20-057), Common part 1 1.0 (19-072).
"""

SPEC = "http://www.opengis.net/spec"
LOGICAL = ["test-data", "logical"]

_CLASSES = {
    "ogcapi-common-1/1.0": {
        "landing-page": [
            "root-op", "root-success", "api-definition-op", "api-definition-success", "conformance-op",
            "conformance-success"],
        "json": ["definition", "content"],
        "html": ["definition", "content"],
    },
    "ogcapi-features-1/1.0": {
        "core": [
            "http", "crs84", "root-op", "root-success", "api-definition-op", "api-definition-success",
            "conformance-op", "conformance-success", "fc-md-op", "fc-md-success", "fc-md-links", "fc-md-items",
            "fc-md-items-links", "fc-md-extent", "sfc-md-op", "sfc-md-success", "fc-op", "fc-bbox-definition",
            "fc-bbox-response", "fc-limit-definition", "fc-limit-response", "fc-time-definition",
            "fc-time-response", "query-param-invalid", "query-param-unknown", "fc-response", "fc-links",
            "fc-timeStamp", "fc-numberMatched", "fc-numberReturned", "f-op", "f-success", "f-links"],
        "geojson": ["definition", "content"],
        "html": ["definition", "content"],
        "oas30": [
            "completeness", "exceptions-codes", "oas-definition-1", "oas-definition-2", "oas-impl", "security"],
    },
    "ogcapi-features-3/1.0": {
        "queryables": ["get-conformance", "get-queryables-uris", "get-queryables"],
        "queryables-query-parameters": ["get-conformance", "query-param"],
        "filter": [
            "get-conformance", "filter-param", "filter-lang-default", "expression-construction",
            "filter-crs-wgs84", "filter-crs-param", "get-functions"],
        "features-filter": [
            "get-conformance", "get-collections", "get-collection", "filter-on-items", "mixing-expression"],
    },
    "ogcapi-features-4/1.0": {
        "create-replace-delete": [
            "methods", "post-op", "post-body", "post-content-type", "post-response", "post-response-rid", "put-op",
            "put-body", "put-content-type", "put-response", "put-rid", "put-rid-exception", "delete-op",
            "delete-response", "options-op", "options-response"],
        "update": ["methods", "update-patch-op", "update-patch-body", "update-patch-response", "rid"],
        "optimistic-locking-etags": [
            "get-etag-response", "put-etag-response", "patch-etag-response", "ifmatch-put-op",
            "ifmatch-put-eval", "ifmatch-patch-op", "ifmatch-patch-eval"],
        "features": [
            "resources-endpoint", "resource-endpoint", "collection-endpoint", "geojson-create-replace",
            "representation-geojson-replace", "crs-crs84", "schema", "update-json-merge-patch"],
    },
    "ogcapi-tiles-1/1.0": {
        "core": [
            "tc-op", "tc-tilematrix-definition", "tc-tilerow-definition", "tc-tilecol-definition", "tc-success",
            "tc-error", "conformance-success"],
        "tileset": ["description"],
        "tilesets-list": ["tileset-links"],
        "geodata-tilesets": ["operation", "desc-links"],
        "mvt": ["content"],
    },
    "cql2/1.0": {
        "cql2-text": ["validate", "escaping"],
        "cql2-json": ["validate"],
        "basic-cql2": ["basic-test", "comparison", "is-null", "boolean", *LOGICAL],
        "advanced-comparison-operators": ["like", "between", "in", *LOGICAL],
        "case-insensitive-comparison": ["casei", "casei-like", *LOGICAL],
        "accent-insensitive-comparison": ["accenti", "accenti-like", "accenti-casei", "accenti-casei-like", *LOGICAL],
        "basic-spatial-functions": ["s_intersects", *LOGICAL],
        "basic-spatial-functions-plus": ["s_intersects", "test-data"],
        "temporal-functions": ["temporal-functions-1", "temporal-functions-2", *LOGICAL],
    },
}

# URI: (short name, names of its tests). `features-1/core` is short for the class core of features part 1.
ASSERTIONS = {
    f"{SPEC}/{standard}/conf/{name}": (f"{standard.split('/')[0].removeprefix('ogcapi-')}/{name}", tests)
    for standard, classes in _CLASSES.items()
    for name, tests in classes.items()
}
