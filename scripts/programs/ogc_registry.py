"""PyPI's ogcapi-registry, which checks descriptions of OGC APIs, against a service: ogc_registry.py URL"""

import json
import sys
import urllib.request

from ogcapi_registry import validate_conformance, validate_ogc_api


def read(path):
    with urllib.request.urlopen(sys.argv[1] + path, timeout=60) as answer:
        return json.load(answer)


classes = read("/conformance")["conformsTo"]
result = validate_ogc_api(read("/api"), classes)
assert result.is_valid, result.errors
known = validate_conformance(classes).recognised
assert len(known) >= 13, known
print(f"ogcapi-registry: the description is valid, {len(known)} of {len(classes)} classes are known to it")
