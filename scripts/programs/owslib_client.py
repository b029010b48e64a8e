"""OWSLib against a service that holds the sample `cities`: owslib_client.py URL"""

import sys

import owslib
from owslib.ogcapi.features import Features

service = Features(sys.argv[1])
assert service.links and service.conformance()["conformsTo"]
# Its description in OpenAPI, which it finds by the links.
assert service.api()["openapi"].startswith("3.0"), "no description"
assert "cities" in service.feature_collections()
cities = service.collection("cities")
assert cities["featureCount"] == 34006 and cities["extent"]["spatial"]["bbox"]
names = set(service.collection_queryables("cities")["properties"])
assert {"name", "country", "population", "timezone"} <= names, names
assert "id" in service.collection_schema("cities")["properties"]

page = service.collection_items("cities", bbox=[-24.5, 63, -12.5, 67], limit=5)
assert page["numberReturned"] == 5 and page["numberMatched"] > 5
some = service.collection_items("cities", filter="population > 10000000", limit=1000)
assert some["numberMatched"] == len(some["features"]) > 5
assert service.collection_item("cities", "2950159")["properties"]["name"] == "Berlin"

# Create, replace and delete. Left alone, OWSLib says of each body that it is XML.
service = Features(sys.argv[1], headers={"Content-Type": "application/geo+json"})
feature = '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":1}}'
assert service.collection_item_create("made", feature)
assert service.collection_item_update("made", "1", feature.replace("1,2", "3,4"))
assert service.collection_item("made", "1")["geometry"]["coordinates"] == [3, 4]
assert service.collection_item_delete("made", "1")
print(f"OWSLib {owslib.__version__}: description, schema, queryables, features and writes")
