"""Requests that are wrong in one way each, and others at the borders of what is right."""

import json

LONG = "x" * 400
NOT_NUMBERS = ["text", True, [], {}, "1e999", "", "0x10", "NaN"]
# Values of fields of `clusters` that are wrong, or odd and right.
FIELDS = {
    "bbox": [[], [1, 2, 3], [1, 2, 3, "4"], [0, 10, 5, 5], [0, -91, 5, 5], [0, 0, 5, 91], [1, 2, 0, 3, 4, 5], "1,2,3,4", {}, 5,
             [1e300, 0, 2e300, 1], [-1e7, 0, 1e7, 1]],
    "visibleMapRect": [{}, [], {"x": 1, "y": 2, "width": 3}, {"x": 1, "y": 2, "width": -3, "height": 4}, "1,2,3",
                       {"x": "1", "y": 2, "width": 3, "height": 4}, {"x": 1, "y": 2, "width": 3, "height": 4, "z": 5},
                       {"x": 1e308, "y": 0, "width": 1e308, "height": 1}],
    "region": [{}, {"center": {"latitude": 0, "longitude": 0}}, {"center": {"latitude": 91, "longitude": 0},
               "span": {"latitudeDelta": 1, "longitudeDelta": 1}}, {"center": {"latitude": 0, "longitude": 0},
               "span": {"latitudeDelta": -1, "longitudeDelta": 1}}, {"center": 5, "span": {}}, []],
    "viewportWidth": NOT_NUMBERS + [0, -5, 1e-9, 1e10, 512],
    "zoom": NOT_NUMBERS + [-11, 25, 31, -10, 24.9999, 1e308],
    "cellSize": NOT_NUMBERS + [0, 0.99, 2049, -60, 1, 2048],
    "marginFactor": NOT_NUMBERS + [-0.1, 4.1, 0, 4],
    "clusterer": ["mean", 5, "", [], "CENTEROFMASS"],
    "maxZoomLevelForClustering": NOT_NUMBERS + [-100, 100],
    "minUniqueLocationsForClustering": NOT_NUMBERS + [-1, 1.5, 1e18, 3.0],
    "minPoints": NOT_NUMBERS + [-1, 0, 2.5],
    "keepApart": ["a", [1.5], [True], [None], [["a"]], [""], [LONG], ["a\x01"], list(range(101)), [1, 1, "1"], 17],
    "decluster": ["yes", 1, 0, "TRUE", []],
    "distanceFromContestedLocation": NOT_NUMBERS + [-1, 1001],
    "titleProperty": [5, [], "", LONG, "absent"],
    "subtitleLimit": NOT_NUMBERS + [-1, 1.5, 10 ** 6],
    "properties": [5, "some", [5], [[]], [""], {}, ["*"]],
    "members": NOT_NUMBERS + [-1, 101, 1.5],
    "debug": ["yes", 1, []],
    "limit": NOT_NUMBERS + [0, -1, 10001, 1.5, 1, 2 ** 60],
    "method": ["dbscan", 5, "Grid", "distance", "collision"],
    "epsilon": NOT_NUMBERS + [0.5, 513],
    "markerSize": [[], [40], [40, 40, 40], [0, 40], [40, 3000], ["a", 1], 40, "40"],
    "priorityBy": [5, []], "clusterBy": [5, {}], "weightBy": [5, []], "countBy": [5, []], "groupBy": [5, []],
    "groups": [[], {"a": 5}, {"a": {"cellSize": 0}}, {"a": {"limit": 1}}, {"a": {"clusterer": "x"}}, {"a": {}}, "{", {"a": {"minPoints": "2"}}],
    "aggregate": [[], {"a": "sum"}, {"a": ["sum"]}, {"a": ["median", "p"]}, {"a": ["sum", 5]}, {"a": ["sum", "p", "q"]}, "{",
                  {str(i): ["sum", "p"] for i in range(17)}],
    "previous": [{}, [5], [{}], [{"id": "a"}], [{"id": 5, "coordinate": {"latitude": 0, "longitude": 0}}], "[",
                 [{"id": "a", "coordinate": {"latitude": 95, "longitude": 0}}], [{"id": "a", "coordinate": {"latitude": "0", "longitude": 0}}],
                 [{"id": "a", "coordinate": {"latitude": 0, "longitude": 0}}] * 2, [{"id": "none", "coordinate": {"latitude": 0, "longitude": 1e7}}],
                 [{"id": "g1_60_0_0", "coordinate": {"latitude": 0, "longitude": 370}, "other": [1]}]],
    "unknown": [1], "Zoom": [1], "a/b~c": [1], LONG: [1], "f": ["xml", "json", "geojson"]}

FILTERS = [
    "", " ", "name", "name =", "= 5", "name = 'open", 'name = "other', "name == 'a'", "name IN ()", "name IN ('a'", "name IN 'a'",
    "name LIKE 5", "name LIKE other", "name LIKE 'a\\'", "name IS 5", "name BETWEEN 1", "name BETWEEN 1 AND", "NOT", "AND", "a = 1 AND",
    "(a = 1", "a = 1)", "a = 1 b = 2", "5 = 5", "'a' < 'b'", "TRUE AND FALSE", "a = b", "a = TRUE", "a = NULL", "1e999 = a", "a = 1.", "a = .5",
    "a = +5", "a = -5", "a = --5", "a = 0x10", "a ; b", "a = 'ü''\"'", "größe > 1", "\"\" = 1", '"a""b" = 1', "a <> 1 OR NOT NOT a <> 1",
    "a! = 1", "a BETWEEN 5 AND 1", "a NOT = 1", "a NOT NULL", "IN = 1", "like LIKE 'x'", "S_INTERSECTS(geometry, POINT(0 0))", "CASEI(a) = 'b'",
    "a + 1 = 2", "a = DATE('2020-01-01')", "(" * 101 + "a=1" + ")" * 101, "(" * 99 + "a=1" + ")" * 99, " OR ".join(f"a={i}" for i in range(1001)),
    " OR ".join(f"p{i}=1" for i in range(33)), " OR ".join(f"a LIKE '{i}%'" for i in range(33)), "a LIKE '" + "x" * 1025 + "'",
    "a = '" + "x" * 65536 + "'", "a IN (" + ",".join(str(i) for i in range(3000)) + ")"]

# Bodies that are no JSON object, or hardly.
BODIES = [
    "", " \n", "{", "}", "[]", "null", "5", '"text"', "{}", '{"zoom":}', '{"zoom":1,}', '{"zoom":01}', "{'zoom':1}", '{"zoom":1}{', '{"zoom":1} x',
    '{"zoom":1,"zoom":2}', '{"bbox":[0,0,1,1],"zoom":NaN}', '{"bbox":[0,0,1,1],"zoom":tru}', '{"titleProperty":"\\ud800"}', '{"titleProperty":"\x01"}',
    '{"titleProperty":"\\x"}', '\ufeff{"bbox":[0,0,1,1],"zoom":1}', '{"titleProperty":"\udcff\udcfe"}', "[" * 2000, '{"a":' * 1200 + "1" + "}" * 1200,
    '{"bbox":[0,0,1,1],"zoom":1e400}', '{"bbox":[0,0,1,1],"zoom":null,"viewportWidth":200,"filter":null,"previous":null}']


def feature(**members):
    base = {"type": "Feature", "id": 1, "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"a": 1}}
    base.update(members)
    return base


def point(*coordinates):
    return {"type": "Point", "coordinates": list(coordinates)}


# Features to store, most of them bad.
FEATURES = [
    feature(geometry=None), feature(geometry={}), feature(geometry={"type": "LineString", "coordinates": [[0, 0], [1, 1]]}),
    feature(geometry=point()), feature(geometry=point(1)), feature(geometry=point(None, 1)), feature(geometry=point("1", 2)),
    feature(geometry=point(181, 0)), feature(geometry=point(0, 91)), feature(geometry=point(52.5, 113.4)), feature(geometry=point(1e300, 0)),
    feature(geometry=point(1, 2, 3, 4)), feature(geometry=point(1, 2, "h")), feature(geometry=point(1, 2, 3.50)), feature(geometry=point([1], 2)),
    feature(id=1.5), feature(id=1.0), feature(id=True), feature(id=None), feature(id=""), feature(id=LONG), feature(id="a\tb"), feature(id=[1]),
    feature(id=2 ** 53), feature(id=-(2 ** 53) + 1), feature(id="17"), feature(id=17), feature(id="007"), feature(id="ü/ö?"), feature(properties=5),
    feature(properties=None), feature(properties=[]), feature(type="feature"), feature(type=None), feature(expires="tomorrow"), feature(expires=5),
    feature(expires="2999-01-01T00:00:00"), feature(expires="2999-02-30T00:00:00Z"), feature(expires="2999-01-01T00:00:00.1234567+14:00"),
    feature(expires=None), feature(extra={"dropped": True}, bbox=[1, 2, 1, 2]), feature(properties={"b": [1.0, 1e5, -0.0, "ü\u2028"], "a": {"c": None}}),
    feature(properties={"n": 12345678901234567890, "e": 1e-320}), {}, [], 5, None, {"type": "FeatureCollection"},
    {"type": "FeatureCollection", "features": []}, {"type": "FeatureCollection", "features": {}}, {"type": "GeometryCollection", "geometries": []},
    {"type": "Point", "coordinates": [1, 2]}, {"type": "FeatureCollection", "features": [feature(), feature(id=2, geometry=point(5)), 7, feature(id=3)]},
    {"type": "FeatureCollection", "features": [feature(geometry=point(200, i)) for i in range(130)] + [feature(id="good")]}]

TABLES = [
    "", "id,lon,lat\n", "lon,lat\n1,2\n", "id,lon,lat,name\n1,13.4,52.5,A\n2,13.5,52.6,\"B, \"\"b\"\"\"\n", "\ufeffID,Lon,LAT,x\r\n1,2,3,4\r\n", "a,b\n1,2\n",
    "lon,lng,lat\n1,2,3\n", "longitude,latitude,id,n,t\n1,2,007,12e4,007\n3,4,a,,NaN\n", "x,y\n1,2,3\n", "x,y\n1\n", "x,y\na,b\n", "x,y,id\n1,2,9007199254740993\n",
    "x,y\n1,\"2\n", "x,y,t\n1,2,\"line\nbreak\"\n", "x,y\n181,0\n0,91\n5,6\n", "x,y,a,a\n1,2,3,4\n", "x,y,expires\n1,2,2999-01-01T00:00:00Z\n", "x,y\n\n1,2\n\n",
    "x,y\n" + "200,1\n" * 120 + "1,1\n", "x,y,id\n1,2,k\n3,4,k\n", "x;y\n1;2\n", "x,y,t\n1,2,\udcff\n", "x,y,n\n1,2,1e999\n", "x,y,b\n1,2,true\n", "x,y\n1,2"]

# What goes wrong before there is a request; each ends its connection.
CLOSE = "Host: a\r\nConnection: close\r\n"
RAW = [
    "GET / HTTP/1.0\r\n\r\n", f"GET /health/live HTTP/1.1\r\n{CLOSE}\r\n", "NONSENSE\r\n\r\n", f"GET  / HTTP/1.1\r\n{CLOSE}\r\n", f"GET / HTTP/3.0\r\n{CLOSE}\r\n",
    "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", f"BREW / HTTP/1.1\r\n{CLOSE}\r\n", f"GET / HTTP/1.1\r\n{CLOSE}Broken header\r\n\r\n",
    f"GET /{'a' * 70000} HTTP/1.1\r\n{CLOSE}\r\n", f"GET / HTTP/1.1\r\n{CLOSE}X: {'a' * 70000}\r\n\r\n", f"OPTIONS * HTTP/1.1\r\n{CLOSE}\r\n",
    f"GET * HTTP/1.1\r\n{CLOSE}\r\n", f"GET http://a/health/live HTTP/1.1\r\n{CLOSE}\r\n", f"GET /health/live HTTP/1.1\r\n{CLOSE}Host: b\r\n\r\n",
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Content-Length: 99999999\r\n\r\n", f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Content-Length: x\r\n\r\n",
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Transfer-Encoding: chunked\r\n\r\n" '1d\r\n{"bbox":[0,0,9,9],"zoom":3.5}\r\n0\r\n\r\n',
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Transfer-Encoding: chunked\r\n\r\n" 'zz\r\n{}\r\n0\r\n\r\n',
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Transfer-Encoding: chunked\r\n\r\n" '1e\r\n{"bbox":[0,0,9,9],"zoom":3.5}\r\n0\r\n\r\n',
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{{}}",
    f"POST /collections/cities/clusters HTTP/1.1\r\n{CLOSE}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n",
    "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /conformance HTTP/1.1\r\nHost: a\r\n\r\n" f"GET /nothing HTTP/1.1\r\n{CLOSE}\r\n"]

PATHS = [
    "/nothing", "//", "/collections/", "/collections/cities/", "/collections/none", "/collections/none/items", "/collections/none/clusters?bbox=0,0,1,1&zoom=1",
    "/collections/a%20b", "/collections/" + "a" * 65, "/collections/%ff", "/collections/cities/items/none", "/collections/cities/items/%zz", "/collections/cities%2Fitems",
    "/collections/cities/items/" + LONG, "/collections/cities/items/1.5", "/collections/cities/clusters/none", "/collections/cities/clusters/g300_60_154",
    "/collections/cities/clusters/g1_60_5_5", "/collections/cities/clusters/none/items", "/collections/cities/clusters/none/children", "/collections/cities/clusters/a/b",
    "/collections/cities/tiles/0/0/0", "/collections/cities/hull", "/collections/cities/items/1/locate", "/health", "/health/dead", "/openapi.json", "/?f=xml", "/?a=1",
    "/collections?limit=1", "/collections?f=html", "/conformance?f=json", "/health/live?a", "/metrics?x=%", "/collections/cities?f=geojson", "/collections/cities?f=json&f=json"]

ITEM_QUERIES = [
    "limit=-1", "limit=x", "limit=0", "limit=1.5", "limit=10001", "limit=1e1", "limit=", "offset=-1", "offset=99999999", "offset=9007199254740992", "offset=5&offset=5",
    "bbox=", "bbox=1,2,3", "bbox=1,2,3,x", "bbox=0,10,5,5", "bbox=0,0,5,91", "bbox=1,2,0,3,4,5", "bbox=1,2,9,3,4,5", "bbox=170,-20,-170,20", "bbox=-180,-90,180,90",
    "bbox=-400,0,400,1", "bbox=0,0,0,0", "bbox=1%2C2%2C3%2C4", "bbox=1,%202,+3,4", "f=json", "f=geojson", "f=html", "unknown=1", "filter=%zz", "filter=a%20=", "filter=",
    "datetime=2020-01-01", "sortby=name", "country=DE", "&&limit=1&", "limit", "crs=x"]


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
