"""Made-up reads of every kind."""

import json
from urllib.parse import quote

from pincluster.wire import GEOJSON, JSON

from versions import COLLECTION
from writers import place

PATH = f"/collections/{COLLECTION}"
PHRASES = ["n > {n}", "k = 'group {k}'", "w IN (0, 2) AND n < {n}", "name LIKE 'Place 1%'", "y IS NULL OR y > 4",
           "S_INTERSECTS(geometry, BBOX(0, 40, 20, 60))", "x = true"]


def condition(r, most):
    return r.choice(PHRASES).format(n=r.randrange(1, most + 2), k=r.randrange(6))


def box(r):
    lon, lat = place(r)
    width, height = r.choice([(0.5, 0.3), (5, 3), (60, 40), (360, 160)])
    west, south = max(-180, lon - width / 2), max(-85, lon * 0 + lat - height / 2)
    return [round(west, 4), round(south, 4), round(min(180, west + width), 4), round(min(85, south + height), 4)]


def view(r, most):
    """Fields of a viewport request."""
    bbox = box(r)
    width = max(bbox[2] - bbox[0], 0.01)
    fields = {"bbox": bbox, "viewportWidth": r.choice([390, 800]), "cellSize": r.choice([60, 60, 100, 37])}
    options = [
        {"members": 5}, {"titleProperty": "name", "subtitleLimit": 3}, {"groupBy": "k"}, {"countBy": "k"}, {"weightBy": "n"},
        {"aggregate": {"a": ["sum", "n"], "b": ["mean", "x"], "c": ["max", "y"]}}, {"decluster": True}, {"hull": True},
        {"expansion": True}, {"clusterer": r.choice(["nearCenter", "cellCenter", "first"])}, {"minPoints": 3},
        {"histogram": {"property": "n", "bins": 10}}, {"filter": condition(r, most)}, {"keepApart": [1, "w0-1", "w2-mark"]}]
    for option in r.sample(options, r.randrange(4)):
        fields |= option
    if r.random() < 0.15:
        fields = {"bbox": bbox, "viewportWidth": 390, "method": "distance", "epsilon": 20}
    elif r.random() < 0.1:
        fields = {"bbox": bbox, "viewportWidth": 390, "method": "collision", "markerSize": [40, 20], "priorityBy": "n"}
    if width < 1:
        fields.pop("hull", None)
    return fields


def read(r, most):
    """A read: method, path, type, body, and the value of Accept."""
    kind = r.choice(["view"] * 8 + ["items"] * 3 + ["sorted", "filtered", "item", "pins", "tile", "tile", "collection",
                     "collections", "schema", "queryables", "tiles.json", "locate", "annotation", "children"])
    accept = GEOJSON if r.random() < 0.1 else None

    def by_get(path):
        return "GET", PATH + path, None, None, accept if path.startswith("/items?") else None

    if kind == "view":
        return "POST", f"{PATH}/clusters", JSON, json.dumps(view(r, most)), accept
    if kind == "items":
        west, south, east, north = box(r)
        return by_get(f"/items?bbox={west},{south},{east},{north}&limit={r.choice([1, 10, 200])}&offset={r.choice([0, 0, 5])}")
    if kind == "sorted":
        return by_get(f"/items?sortby={r.choice(['n', '-n', 'k,-n', 'name'])}&limit=50")
    if kind == "filtered":
        return by_get(f"/items?filter={quote(condition(r, most))}&limit=100")
    if kind == "item":
        return by_get(f"/items/w{r.randrange(4)}-{r.randrange(100)}")
    if kind == "pins":
        west, south, east, north = box(r)
        return by_get(f"/pins?bbox={west},{south},{east},{north}&limit=1000&filter={quote(condition(r, most))}")
    if kind == "tile":
        zoom = r.randrange(4)
        return "GET", f"{PATH}/tiles/{zoom}/{r.randrange(2 ** zoom)}/{r.randrange(2 ** zoom)}", None, None, None
    if kind == "collections":
        return "GET", "/collections", None, None, None
    if kind == "locate":
        body = {"latitudinalMeters": 20000, "longitudinalMeters": 20000, "viewportWidth": 390, "viewportHeight": 844}
        return "POST", f"{PATH}/items/w{r.randrange(4)}-{r.randrange(100)}/locate", JSON, json.dumps(body), None
    if kind == "annotation":
        return by_get(f"/clusters/g{2 ** r.randrange(1, 5)}_60_1_1?countBy=k")
    if kind == "children":
        return by_get("/clusters/g2_60_1_0/children?countBy=k")
    return by_get("" if kind == "collection" else f"/{kind}")
