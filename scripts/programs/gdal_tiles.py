"""GDAL's driver of vector tiles reads the tiles of a collection, zoom by zoom, over HTTP:

    gdal_tiles.py URL             the sample `cities`, zooms 0 to 3
    gdal_tiles.py URL --large     235,000 features, which are stored and dropped, zooms 0 to 10

The counts of each zoom must sum to the collection's.
"""

import csv
import io
import json
import random
import subprocess
import sys
import urllib.request

LARGE = 235_000


def send(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/geo+json"}, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return answer.read()


def store_large(url):
    """Features around the middle of Europe, where their tiles are few enough to read each of them."""
    make = random.Random(10)
    for first in range(0, LARGE, 47_000):
        features = [
            {"type": "Feature", "id": first + number, "properties": {"n": number},
             "geometry": {"type": "Point", "coordinates": [make.gauss(10, 0.8), make.gauss(50, 0.5)]}}
            for number in range(47_000)]
        send("POST", f"{url}/collections/large/items", {"type": "FeatureCollection", "features": features})


def count(url, collection, zoom):
    """The features that the tiles of a zoom hold, as GDAL reads them, and the number of rows."""
    tiles = f"{url}/collections/{collection}/tiles"
    command = [
        "ogr2ogr", "-f", "CSV", "/vsistdout/", f"MVT:{tiles}/{zoom}", collection, "-oo", f"METADATA_FILE={tiles}.json",
        "-oo", "TILE_EXTENSION=mvt", "-oo", "CLIP=NO"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "ERROR" not in done.stderr, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return sum(int(float(row.get("point_count") or 1)) for row in rows), len(rows)


def main():
    url, large = sys.argv[1], "--large" in sys.argv
    collection, zooms = ("large", range(11)) if large else ("cities", range(4))
    if large:
        store_large(url)
    total = json.loads(send("GET", f"{url}/collections/{collection}"))["featureCount"]
    assert total == LARGE or not large, total
    rows = 0
    for zoom in zooms:
        found, read = count(url, collection, zoom)
        assert found == total, f"zoom {zoom}: {found} of {total} features in {read} rows"
        rows += read
    if large:
        send("DELETE", f"{url}/collections/{collection}")
    print(f"GDAL: tiles of zooms 0 to {zooms[-1]} hold {total} features each, in {rows} rows")


main()
