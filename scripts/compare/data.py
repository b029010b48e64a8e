"""The collections that requests are about: their data as requests load them, and views and filters of them."""

import csv
import io
import json
import math
import os
import pathlib

SAMPLE = pathlib.Path(__file__).parent.parent / "sample" / "cities15000.csv"
STONES = "berlin-stones.geojson"
WORLD = float(1 << 28)


class Collection:
    """A collection: how it is loaded, its points, and which values its properties have.

    `zooms` is the range of zooms at which there is something to see.
    """

    def __init__(self, name, media_type, body, points, values, numbers, zooms):
        self.name, self.media_type, self.body = name, media_type, body
        self.points, self.values, self.numbers, self.zooms = points, values, numbers, zooms
        self.path = "/collections/" + name
        self.properties = list(values)

    def ids(self, rng, most):
        """Up to `most` ids of features."""
        return [rng.choice(self.points)[0] for _ in range(rng.randint(1, most))]


def cities():
    text = SAMPLE.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    values = {name: [row[name] for row in rows[::97] if row[name]] for name in ("name", "country", "timezone")}
    values["population"] = [int(row["population"]) for row in rows[::97]]
    points = [(int(row["id"]), float(row["longitude"]), float(row["latitude"])) for row in rows]
    return Collection("cities", "text/csv", text, points, values, ["population"], (0, 13))


def stones(rng):
    """The stones of Berlin, or as many made up, with as many at one coordinate."""
    path = pathlib.Path(os.environ.get("PINCLUSTER_TEST_DATA", ".")) / STONES
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        features = json.loads(text)["features"]
    else:
        features = []
        while len(features) < 5105:
            spot = [round(rng.gauss(13.38, 0.08), 7), round(rng.gauss(52.51, 0.04), 7)]
            street = f"Straße {rng.randint(1, 900)}"
            for _ in range(min(60, int(rng.paretovariate(1.2)))):
                features.append({
                    "type": "Feature", "id": f"{rng.getrandbits(96):024x}",
                    "properties": {"street": street, "district": f"Bezirk {rng.randint(1, 12)}"},
                    "geometry": {"type": "Point", "coordinates": spot}})
        text = json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)
    points = [(feature["id"], *feature["geometry"]["coordinates"][:2]) for feature in features]
    values = {name: [feature["properties"][name] for feature in features[::53]
                     if feature["properties"].get(name)] for name in ("street", "district")}
    return Collection("stones", "application/geo+json", text, points, values, [], (8, 21))


def edges(rng):
    """A few hundred features at the edges: of the world, of cells, of what an id or a property can be."""
    longitudes = [-180, 180, -179.9999999, 179.99999, 0, -90, 45.0, 11.25, 1e-7, -0.0, 178.5, -178.5]
    latitudes = [90, -90, 85.05112878, -85.05112878, 89.5, 0, 66.51326044311186, 40.97989806962013, -0.5, 17.25]
    values = {
        "kind": ["a", "b", "ü", "null", "5", "", "a/b~c", "it's", '"q"', "100%_\\"],
        "n": [0, -1, 5, 5.0, 2.5, 1e21, 9007199254740993, 1e-7, -3, 1000],
        "mixed": ["5", 5, 5.0, True, False, None, "null", [1, 2], {"a": {"b": None}}, "text"],
        "priority": [0, 250, 500, 1000, 1000, 2000, -5, "high", None, 750.5],
        "opening hours": ["Mo-Fr", "24/7", None]}
    lines, points = [], []
    for number in range(600):
        identifier = rng.choice([number, -number - 1, f"id-{number}", f"ü {number}/&?#", str(number)])
        spot = [rng.choice(longitudes), rng.choice(latitudes)]
        if number % 3 == 0:
            spot = [round(rng.uniform(-180, 180), rng.randint(0, 12)), round(rng.uniform(-90, 90), rng.randint(0, 12))]
        if number % 7 == 0:
            spot.append(rng.choice([0, 12.5, -3]))
        feature = {"type": "Feature", "id": identifier, "geometry": {"type": "Point", "coordinates": spot},
                   "properties": {name: rng.choice(options) for name, options in values.items()
                                  if rng.random() < 0.8}}
        if number % 11 == 0:
            feature["properties"] = None
        lines.append(json.dumps(feature, ensure_ascii=number % 2 == 0))
        points.append((identifier, *spot[:2]))
    return Collection("edges", "application/x-ndjson", "\n".join(lines) + "\n", points, values,
                      ["n", "mixed", "priority"], (0, 24))


def map_y(latitude):
    """The y of a latitude, in map points."""
    sine = math.sin(math.radians(min(max(latitude, -85.05112878), 85.05112878)))
    return (0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * WORLD


ODD_VIEWS = [
    {"bbox": [-180, -90, 180, 90], "zoom": 1}, {"bbox": [-180, -85, 180, 85], "viewportWidth": 1024},
    {"bbox": [170, -20, -170, 20], "zoom": 4}, {"bbox": [170, -20, 190, 20], "viewportWidth": 800},
    {"bbox": [-200, 40, -160, 70], "zoom": 3.5}, {"bbox": [-540, -10, -500, 10], "zoom": 4},
    {"bbox": [0, 0, 0, 0], "zoom": 3}, {"bbox": [13.4, 52.5, 13.4, 52.5], "zoom": 7.25},
    {"bbox": [-180, 80, 180, 90], "zoom": 2}, {"bbox": [-10, -90, 10, -84], "zoom": 3},
    {"visibleMapRect": {"x": 0, "y": 0, "width": WORLD, "height": WORLD}, "zoom": 2.5},
    {"visibleMapRect": {"x": -3e7, "y": -1e7, "width": 6e7, "height": 9e7}, "viewportWidth": 700},
    {"visibleMapRect": {"x": 2.5e8, "y": 1e8, "width": 5e7, "height": 5e7}, "viewportWidth": 500},
    {"visibleMapRect": {"x": -WORLD, "y": 0, "width": 3 * WORLD, "height": WORLD}, "viewportWidth": 1500},
    {"region": {"center": {"latitude": 88, "longitude": 10},
                "span": {"latitudeDelta": 12, "longitudeDelta": 60}}, "zoom": 3},
    {"region": {"center": {"latitude": 0, "longitude": 180},
                "span": {"latitudeDelta": 30, "longitudeDelta": 400}}, "viewportWidth": 600},
    {"bbox": [-20, 30, 40, 60], "zoom": 0}, {"bbox": [-20, 30, 40, 60], "zoom": -2},
    {"bbox": [13.3, 52.5, 13.3001, 52.5001], "zoom": 24}, {"bbox": [-180, -85, 180, 85], "zoom": 24}]


def view(rng, collection, zoom=None):
    """A rect and a scale in one of their forms, mostly where features are."""
    if zoom is None and rng.random() < 0.12:
        return json.loads(json.dumps(rng.choice(ODD_VIEWS)))
    if zoom is None:
        zoom = rng.uniform(*collection.zooms)
        zoom = round(zoom, rng.choice([0, 0, 1, 3]))
    _, longitude, latitude = rng.choice(collection.points)
    longitude, latitude = round(longitude, 3), round(min(max(latitude, -85), 85), 3)
    width, height = rng.choice([(320, 480), (390, 844), (800, 600), (1280, 720), (256, 256)])
    side = WORLD / (256 * 2 ** zoom)
    span = min(width * side / WORLD * 360, 360)
    scale = {"zoom": zoom} if rng.random() < 0.6 else {"viewportWidth": width}
    form = rng.randrange(3)
    tall = min(height * side / WORLD * 360 * math.cos(math.radians(latitude)), 178)
    if form == 0:
        south, north = max(latitude - tall / 2, -90), min(latitude + tall / 2, 90)
        rect = {"bbox": [round(longitude - span / 2, 6), round(south, 6), round(longitude + span / 2, 6), round(north, 6)]}
    elif form == 1:
        x = (longitude + 180) / 360 * WORLD - width * side / 2
        rect = {"visibleMapRect": {"x": round(x, 1), "y": round(map_y(latitude) - height * side / 2, 1),
                                   "width": width * side, "height": height * side}}
    else:
        rect = {"region": {"center": {"latitude": latitude, "longitude": longitude},
                           "span": {"latitudeDelta": round(tall, 6), "longitudeDelta": round(span, 6)}}}
    return {**rect, **scale}


def moved(rng, fields):
    """The same view, panned by a part of its size."""
    fields, part = dict(fields), rng.uniform(-0.4, 0.4)
    if "bbox" in fields:
        west, south, east, north = fields["bbox"]
        shift = (east - west) * part
        fields["bbox"] = [west + shift, south, east + shift, north]
    elif "visibleMapRect" in fields:
        rect = fields["visibleMapRect"]
        fields["visibleMapRect"] = {**rect, "x": rect["x"] + rect["width"] * part}
    else:
        region = fields["region"]
        center = region["center"]
        shift = region["span"]["longitudeDelta"] * part
        longitude = (center["longitude"] + shift + 180) % 360 - 180
        fields["region"] = {**region, "center": {**center, "longitude": longitude}}
    return fields


def literal(value):
    """A value in CQL2 text."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def filter_text(rng, collection, depth=0):
    """A filter in which all operators come up."""
    if depth < 3 and rng.random() < 0.45 - depth * 0.1:
        parts = [filter_text(rng, collection, depth + 1) for _ in range(rng.randint(2, 3))]
        word = rng.choice([" AND ", " OR ", " or ", " aNd "])
        text = word.join(f"({part})" if rng.random() < 0.6 else part for part in parts)
        return f"NOT ({text})" if rng.random() < 0.25 else text
    name = rng.choice(collection.properties)
    value = lambda: literal(rng.choice(collection.values[name]))
    shown = f'"{name}"' if " " in name or rng.random() < 0.3 else name
    if rng.random() < 0.05:
        shown = rng.choice(["absent", '"no such"', "größe", "a.b:c"])
    no = rng.choice(["", "", "NOT "])
    operator = rng.choice(["=", "<>", "<", "<=", ">", ">="])
    text = str(rng.choice(collection.values[name]))
    pattern = rng.choice([text[:2] + "%", "%" + text[-3:], "_" + text[1:], "%" + text[1:4] + "%", "%", "%\\%%", ""])
    return rng.choice([
        lambda: f"{shown} {operator} {value()}", lambda: f"{value()}{operator}{shown}",
        lambda: f"{shown} {no}IN ({', '.join(value() for _ in range(rng.randint(1, 12)))})",
        lambda: f"{shown} {no}BETWEEN {value()} AND {value()}", lambda: f"{shown} {no}LIKE {literal(pattern)}",
        lambda: f"{shown} IS {no}NULL", lambda: rng.choice(["TRUE", "FALSE", "true"]),
        lambda: f"{shown} {operator} {rng.choice([0, -1.5, 1e3, 20000, 100000])}"])()


CLUSTERERS = ["centerOfMass", "nearCenter", "cellCenter", "first"]


def output_fields(rng, collection, share):
    """Fields that say what an annotation shows, each with the given probability."""
    some = lambda: rng.sample(collection.properties, rng.randint(1, len(collection.properties)))
    aggregate = lambda: {f"{op} {i}": [op, rng.choice(collection.numbers or collection.properties)]
                         for i, op in enumerate(rng.choices(["sum", "mean", "min", "max"], k=rng.randint(1, 4)))}
    makers = {
        "titleProperty": lambda: rng.choice(collection.properties), "subtitleLimit": lambda: rng.choice([0, 1, 5, 40]),
        "properties": lambda: rng.choice(["*", "none", some(), some(), ["absent"]]),
        "members": lambda: rng.choice([0, 1, 3, 20, 100]), "filter": lambda: filter_text(rng, collection),
        "weightBy": lambda: rng.choice(collection.numbers or collection.properties),
        "countBy": lambda: rng.choice(collection.properties), "aggregate": aggregate,
        "keepApart": lambda: collection.ids(rng, 4)}
    return {name: make() for name, make in makers.items() if rng.random() < share}


def grid_fields(rng, collection, share, zoom=8):
    """Fields of the method `grid`, each with the given probability."""
    makers = {
        "cellSize": lambda: rng.choice([1, 20, 44.5, 60, 88, 128, 500, 2048]), "marginFactor": lambda: rng.choice([0, 0.1, 1, 4]),
        "clusterer": lambda: rng.choice(CLUSTERERS), "maxZoomLevelForClustering": lambda: round(zoom + rng.choice([-3, 0, 2.5])),
        "minUniqueLocationsForClustering": lambda: rng.choice([0, 2, 3, 10]), "minPoints": lambda: rng.choice([1, 2, 3, 8, 50]),
        "decluster": lambda: rng.random() < 0.8, "distanceFromContestedLocation": lambda: rng.choice([0, 3, 12.5, 1000]),
        "limit": lambda: rng.choice([1, 50, 10000]), "debug": lambda: True}
    fields = {name: make() for name, make in makers.items() if rng.random() < share}
    if rng.random() < share:
        fields["groupBy"] = rng.choice(collection.properties)
        if rng.random() < 0.6:
            keys = [str(key) for key in rng.sample(collection.values[fields["groupBy"]], 3)] + ["null"]
            fields["groups"] = {key: rng.choice([
                {"cellSize": rng.choice([30, 90])}, {"clusterer": rng.choice(CLUSTERERS)}, {"minPoints": 4, "cellSize": 120},
                {"maxZoomLevelForClustering": 3, "minUniqueLocationsForClustering": 2}, {}]) for key in keys}
    return fields


def method_fields(rng, collection):
    """The methods without a grid, with all of their fields."""
    fields = {"method": rng.choice(["distance", "collision"])}
    makers = {"epsilon": lambda: rng.choice([1, 12.5, 30, 100, 512]), "markerSize": lambda: rng.choice([[40, 40], [24, 60.5], [1, 1], [200, 30]]),
              "priorityBy": lambda: rng.choice(collection.numbers or collection.properties),
              "clusterBy": lambda: rng.choice(collection.properties), "groupBy": lambda: rng.choice(collection.properties),
              "marginFactor": lambda: rng.choice([0, 0.25, 2]), "limit": lambda: rng.choice([100, 10000])}
    fields.update({name: make() for name, make in makers.items() if rng.random() < 0.4})
    return fields
