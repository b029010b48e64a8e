#!/usr/bin/env python3
"""Makes clients/map/ground.json: rivers, lakes and names of towns for the map page, from Natural Earth at 1:10 million.

usage: ground.py FOLDER OUT

FOLDER holds files of Natural Earth (naturalearthdata.com, in the public domain) as GeoJSON, under their names there: ne_10m_ with
rivers_lake_centerlines, rivers_europe, lakes, lakes_europe, lakes_north_america, populated_places_simple. Needs PyPI's shapely.
Coordinates are two-hundredths of a degree, each line as its first point and then differences. Each thing has the zoom from which
Natural Earth would have it shown.
"""
import json
import math
import sys
from pathlib import Path

from shapely import unary_union
from shapely.geometry import LineString, shape
from shapely.ops import linemerge

SCALE = 200
# In degrees: of rivers, great ones first, and of lakes.
TOLERANCES = {6: 0.009, 9: 0.015}
TOLERANCE = 0.015
SHORTEST = 0.3  # degrees
SMALLEST = 0.01  # square degrees
MOST_ZOOM = 9
MOST_RIVER_ZOOM = 7


def read(folder, name):
    """The features of a file that are somewhere, with the zoom of each, in whole numbers."""
    for feature in json.loads((folder / f"ne_10m_{name}.json").read_text())["features"]:
        properties = feature["properties"]
        if feature["geometry"]:
            zoom = min(max(math.ceil(properties["min_zoom"] or MOST_ZOOM), 0), MOST_ZOOM)
            yield zoom, properties, shape(feature["geometry"])


def encoded(points):
    """Points as a flat list: the first, and differences."""
    flat, last = [], (0, 0)
    for x, y, *_ in points:
        point = (round(x * SCALE), round(y * SCALE))
        if flat and point == last:
            continue
        flat += [point[0] - last[0], point[1] - last[1]]
        last = point
    return flat


def lines(geometry):
    merged = linemerge(geometry) if geometry.geom_type == "MultiLineString" else geometry
    return getattr(merged, "geoms", [merged])


def rivers(folder):
    """Rivers by zoom: [zoom, line, line, …]. Those of one zoom are joined where they meet."""
    found = {}
    for name in ("rivers_lake_centerlines", "rivers_europe"):
        for zoom, _, geometry in read(folder, name):
            # Lines through lakes, too, as only large lakes are kept.
            if zoom <= MOST_RIVER_ZOOM:
                found.setdefault(zoom, []).extend(LineString([point[:2] for point in line.coords]) for line in lines(geometry))
    for zoom, all_of_them in sorted(found.items()):
        merged = linemerge(unary_union(all_of_them))
        tolerance = next(one for last, one in TOLERANCES.items() if zoom <= last)
        simple = [line.simplify(tolerance) for line in getattr(merged, "geoms", [merged]) if line.length >= SHORTEST]
        yield [zoom, *(flat for flat in (encoded(line.coords) for line in simple) if len(flat) >= 4)]


def lakes(folder):
    """Lakes by zoom: [zoom, [ring, hole, …], …]."""
    found = {}
    for name in ("lakes", "lakes_europe", "lakes_north_america"):
        for zoom, _, geometry in read(folder, name):
            for area in getattr(geometry, "geoms", [geometry]):
                simple = area.simplify(TOLERANCE)
                if simple.area >= SMALLEST:
                    rings = [encoded(ring.coords) for ring in (simple.exterior, *simple.interiors) if ring.length > 0.1]
                    found.setdefault(zoom, []).append([ring for ring in rings if len(ring) >= 8])
    for zoom, areas in sorted(found.items()):
        yield [zoom, *(rings for rings in areas if rings)]


def towns(folder):
    """Towns by zoom, the largest first: [zoom, name, x, y, name, x, y, …]."""
    found = {}
    for zoom, properties, point in read(folder, "populated_places_simple"):
        if "tation" not in properties["featurecla"]:
            place = (round(point.x * SCALE), round(point.y * SCALE))
            found.setdefault(zoom, []).append((-properties["pop_max"], properties["name"], *place))
    for zoom, places in sorted(found.items()):
        yield [zoom, *(part for _, *place in sorted(places) for part in place)]


def main():
    folder = Path(sys.argv[1])
    out = {
        "source": "Natural Earth, 1:10m, public domain (naturalearthdata.com)",
        "scale": SCALE, "rivers": list(rivers(folder)), "lakes": list(lakes(folder)), "towns": list(towns(folder)),
    }
    text = json.dumps(out, separators=(",", ":"), ensure_ascii=False)
    Path(sys.argv[2]).write_text(text + "\n")
    print(len(text.encode()), "bytes,", *(f"{sum(map(len, out[name])) - len(out[name])} {name}" for name in ("rivers", "lakes")),
          sum(len(one) // 3 for one in out["towns"]), "towns")


main()
