"""Tiles of collections, decoded by PyPI's mapbox-vector-tile, against the JSON answer of the same grid:

    vector_tiles.py URL COLLECTION...

Each annotation of a tile must be in the answer and the other way round: its id, count, place, properties, statistics.
Tiles of zooms 0 to 20 around some features of each collection, and of the collection `edges`, which is made and dropped,
with features on the antimeridian, near the poles and on one spot.
"""

import collections
import json
import math
import random
import sys
import urllib.error
import urllib.parse
import urllib.request

import mapbox_vector_tile

WORLD = 2**28
EXTENT = 4096
CLUSTER_IDS = 2**52
# The names of attributes that tell annotations, which features' own properties don't have in tiles.
MARKS = {"cluster", "cluster_id", "point_count", "point_count_abbreviated", "annotation_id", "feature_id"}
# What is asked for, in turn: fields of the viewport request that tiles take, too.
PLAIN = [
    {}, {"cellSize": 32}, {"cellSize": 100}, {"cellSize": 2048}, {"clusterer": "first"}, {"clusterer": "cellCenter"},
    {"decluster": True, "maxZoomLevelForClustering": 5}, {"minPoints": 4}, {"properties": "none"},
    {"minUniqueLocationsForClustering": 3}, {"maxZoomLevelForClustering": 3},
]
OF_COLLECTIONS = {
    "cities": [
        {"filter": "population > 100000"}, {"groupBy": "country", "cellSize": 128}, {"countBy": "country"},
        {"aggregate": {"people": ["sum", "population"], "most": ["max", "population"]}}, {"weightBy": "population"},
        {"filter": "S_INTERSECTS(geometry, BBOX(-30, 0, 60, 70))", "properties": ["name"]},
    ],
    "stones": [{"filter": "street LIKE '%stra%'"}, {"groupBy": "district"}, {"countBy": "district", "decluster": True}],
    "edges": [
        {"datetime": "2022-01-03/2022-01-06"}, {"datetime": "../2022-01-04", "groupBy": "kind"}, {"groupBy": "kind"},
        {"decluster": True, "maxZoomLevelForClustering": 0}, {"countBy": "kind", "filter": "kind IS NOT NULL"},
        {"aggregate": {"least": ["min", "size"]}, "decluster": True, "minPoints": 9},
    ],
}


def send(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, answer.read()


def store_edges(url):
    make = random.Random(3)
    places = [(180, 10), (-180, 10), (179.9999, 10), (-179.9999, 10), (0, 90), (0, -90), (10, 89), (-10, -88.5), (0, 0)]
    features = []
    for number in range(300):
        longitude, latitude = make.choice(places)
        if number % 3 and abs(latitude) < 80:
            latitude += make.uniform(-0.01, 0.01)
        features.append({
            "type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "id": number if number % 2 else f"feature {number}",
            "properties": {
                "kind": make.choice(["a", "b", None, 5]), "size": make.randrange(100), "list": [number, {"x": None}],
                "text": "é\u0301“" * (number % 4), "flag": number % 5 == 0, "part": number / 7,
                "day": f"2022-01-0{1 + number % 9}", **({name: number for name in MARKS} if number % 7 == 0 else {})}})
    collection = f"{url}/collections/edges"
    send("PUT", collection, {"temporal": {"property": "day"}})
    send("POST", f"{collection}/items", {"type": "FeatureCollection", "features": features})


def abbreviated(count):
    """As Supercluster writes it."""
    def rounded(number): return math.floor(number + 0.5)
    if count >= 10_000:
        return f"{rounded(count / 1000)}k"
    return f"{rounded(count / 100) / 10:g}k" if count >= 1000 else count


def scalar(value):
    """A property as a tile has it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) if isinstance(value, (list, dict)) else value


def expected(annotation, query):
    """The attributes of an annotation of the JSON answer in a tile."""
    if annotation["isCluster"]:
        found = {
            "cluster": True, "cluster_id": annotation["id"], "point_count": annotation["count"],
            "point_count_abbreviated": abbreviated(annotation["count"])}
        found |= annotation.get("aggregates") or {}
        found |= {f"count:{key}": count for key, count in (annotation.get("counts") or {}).items()}
        for name in ("weight", "group"):
            if name in annotation:
                found[name] = annotation[name]
    else:
        own = annotation["feature"]["properties"].items()
        found = {name: scalar(value) for name, value in own if name not in MARKS}
        found |= {"annotation_id": annotation["id"], "feature_id": annotation["feature"]["id"]}
    return {name: value for name, value in found.items() if value is not None}


def place(annotation, zoom, x, y):
    """Where an annotation lies in a tile."""
    latitude = max(-85.05112878, min(85.05112878, annotation["coordinate"]["latitude"]))
    sine = math.sin(math.radians(latitude))
    across = (annotation["coordinate"]["longitude"] + 180) / 360 * 2**zoom
    down = (0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * 2**zoom
    down = max(0, min(down, 2**zoom))
    return (across - x) * EXTENT % (2**zoom * EXTENT), (down - y) * EXTENT


def compare(url, collection, zoom, x, y, query):
    """Compares a tile with the answer of its grid. Returns how many annotations it has."""
    what = f"{collection} {zoom}/{x}/{y} {query}"
    text = {
        name: value if isinstance(value, str) else ",".join(value) if isinstance(value, list) else json.dumps(value)
        for name, value in query.items()}
    address = f"{url}/collections/{collection}"
    status, body = send("GET", f"{address}/tiles/{zoom}/{x}/{y}.mvt?{urllib.parse.urlencode(text)}")
    layers = mapbox_vector_tile.decode(body, default_options={"y_coord_down": True}) if status == 200 else {}
    assert list(layers) in ([], [collection]), f"{what}: {list(layers)}"
    features = layers[collection]["features"] if layers else []
    cells = max(1, 512 // query.get("cellSize", 60))
    size = WORLD / 2**zoom
    viewport = {
        **query, "cellSize": 512 / cells, "zoom": zoom + 1, "marginFactor": 0,
        "visibleMapRect": {"x": x * size, "y": y * size, "width": size, "height": size}}
    answer = json.loads(send("POST", f"{address}/clusters", viewport)[1])
    wanted = {one["id"]: one for one in answer["annotations"]}
    assert len(features) == len(wanted), f"{what}: {len(features)} in the tile, {len(wanted)} in JSON"
    # A feature without an id is decoded as if it had 0.
    ids = collections.Counter(one["id"] for one in features if one.get("id"))
    assert all(count == 1 for count in ids.values()), f"{what}: an id is there twice"
    for one in features:
        own = one["properties"]
        annotation = wanted[own.get("cluster_id") or own["annotation_id"]]
        assert own == expected(annotation, query), f"{what}: {own}, not {expected(annotation, query)}"
        for got, exact in zip(one["geometry"]["coordinates"], place(annotation, zoom, x, y)):
            # At the end of the world a place is that at its beginning.
            assert min(abs(got - exact), abs(got - exact + 2**zoom * EXTENT)) < 1.001, f"{what}: {got} is not {exact}"
        feature = (annotation.get("feature") or {}).get("id")
        if annotation["isCluster"]:
            assert one["id"] >= CLUSTER_IDS, f"{what}: {one['id']}"
        elif isinstance(feature, int) and 0 <= feature < CLUSTER_IDS:
            assert one["id"] == feature, f"{what}: {one['id']}"
    return len(features)


def main():
    url, names = sys.argv[1], sys.argv[2:]
    make = random.Random(1)
    store_edges(url)
    tiles = annotations = 0
    for collection in [*names, "edges"]:
        count = json.loads(send("GET", f"{url}/collections/{collection}")[1])["featureCount"]
        queries = PLAIN + OF_COLLECTIONS.get(collection, [])
        for zoom in range(21):
            for turn in range(4):
                offset = make.randrange(count)
                page = send("GET", f"{url}/collections/{collection}/items?limit=1&offset={offset}")[1]
                longitude, latitude = json.loads(page)["features"][0]["geometry"]["coordinates"][:2]
                x, y = place({"coordinate": {"latitude": latitude, "longitude": longitude}}, zoom, 0, 0)
                x, y = (int(max(0, min(part // EXTENT, 2**zoom - 1))) for part in (x, y))
                # Once all around the feature, as a tile's neighbours must not have it, too.
                for across in (-1, 0, 1) if turn == 0 and zoom > 1 else (0,):
                    query = queries[tiles % len(queries)]
                    annotations += compare(url, collection, zoom, (x + across) % 2**zoom, y, query)
                    tiles += 1
    send("DELETE", f"{url}/collections/edges")
    assert annotations > 5 * tiles, f"{annotations} annotations in {tiles} tiles"
    print(f"mapbox-vector-tile: {tiles} tiles with {annotations} annotations, as JSON has them")


main()
