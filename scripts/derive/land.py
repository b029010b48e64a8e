#!/usr/bin/env python3
"""Makes clients/map/land.json: land and borders for the map page, from Natural Earth at 1:50 million.

usage: land.py OUT

Needs Rscript, Debian's r-cran-rnaturalearthdata (Natural Earth is in the public domain) and PyPI's shapely.
Coordinates are hundredths of a degree, each line as its first point and then differences. Lines are simplified before
faces are made of them, so that neighbours share each border.
"""
import json
import subprocess
import sys

from shapely import make_valid, set_precision, unary_union
from shapely.geometry import Polygon, box
from shapely.ops import linemerge, polygonize
from shapely.prepared import prep

TOLERANCE = 0.03
SMALLEST = 0.02  # square degrees
R = r"""
e <- new.env()
invisible(lazyLoad(file.path(find.package("rnaturalearthdata"), "data", "Rdata"), envir = e))
for (country in attr(get("countries50", e), "polygons")) {
  cat("C\n")
  for (ring in attr(country, "Polygons")) {
    cat("R", as.integer(attr(ring, "hole")), "\n")
    xy <- attr(ring, "coords")
    cat(paste(format(xy[, 1], digits = 10, trim = TRUE), format(xy[, 2], digits = 10, trim = TRUE)), sep = "\n")
    cat("\n")
  }
}
"""


def countries():
    """The countries, as geometries."""
    text = subprocess.run(["Rscript", "-e", R], check=True, capture_output=True, text=True).stdout
    rings, result = [], []

    def close():
        if rings:
            outer = unary_union([make_valid(Polygon(r)) for hole, r in rings if not hole])
            holes = [make_valid(Polygon(r)) for hole, r in rings if hole]
            result.append(outer.difference(unary_union(holes)) if holes else outer)
            rings.clear()

    for line in text.splitlines():
        if line == "C":
            close()
        elif line.startswith("R"):
            rings.append((line.split()[1] == "1", []))
        elif line.strip():
            x, y = line.split()
            rings[-1][1].append((float(x), float(y)))
    close()
    return result


def encoded(points):
    """Points as a flat list: the first, and differences."""
    flat, last = [], (0, 0)
    for x, y in points:
        point = (round(x * 100), round(y * 100))
        if flat and point == last:
            continue
        flat += [point[0] - last[0], point[1] - last[1]]
        last = point
    return flat


def is_inside(line, land):
    """Whether land is on both sides of a line."""
    middle = line.interpolate(0.5, normalized=True)
    return land.contains(middle.buffer(1e-5))


def main():
    world = box(-180, -85.1, 180, 85.1)
    areas = [set_precision(area.intersection(world), 0.001) for area in countries()]
    land = unary_union(areas)
    lines = linemerge(unary_union([area.boundary for area in areas]))
    arcs = [arc.simplify(TOLERANCE) for arc in lines.geoms]
    faces = [face for face in polygonize(unary_union(arcs)) if face.area >= SMALLEST]
    inside = prep(land)
    ground = unary_union([face for face in faces if inside.contains(face.representative_point())])
    borders = [arc for line, arc in zip(lines.geoms, arcs) if is_inside(line, inside)]
    polygons = [[encoded(ring.coords) for ring in (p.exterior, *p.interiors)] for p in ground.geoms]
    out = {
        "source": "Natural Earth, 1:50m, public domain (naturalearthdata.com)",
        "scale": 100,
        "land": [p for p in polygons if len(p[0]) >= 8],
        "borders": [line for line in (encoded(arc.coords) for arc in borders) if len(line) >= 4],
    }
    text = json.dumps(out, separators=(",", ":"))
    with open(sys.argv[1], "w") as file:
        file.write(text + "\n")
    print(len(text), "bytes,", len(out["land"]), "areas,", len(out["borders"]), "borders")


main()
