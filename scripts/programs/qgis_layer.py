"""QGIS, without a screen, against a service that holds the sample `cities`: qgis_layer.py URL

It adds `cities` as a layer, counts and filters it; looks at the types of columns, by its own provider of OGC API Features and by GDAL's;
and draws the vector tiles. Run with the Python that the Debian package python3-qgis belongs to.
"""

import json
import math
import os
import sys
import urllib.request

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from qgis.core import (  # noqa: E402
    Qgis, QgsApplication, QgsCoordinateReferenceSystem, QgsDataSourceUri, QgsFeatureRequest, QgsMapRendererParallelJob, QgsMapSettings,
    QgsRectangle, QgsVectorLayer, QgsVectorTileLayer)
from qgis.PyQt.QtCore import QDate, QDateTime, QSize  # noqa: E402
from qgis.PyQt.QtGui import qRgb  # noqa: E402

WORLD = 20037508.342789244  # metres from the middle of the Mercator world to its edge


def ask(url, body=None, method=None):
    headers = {} if body is None else {"Content-Type": "application/geo+json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
        return json.loads(answer.read() or "null")


def layer(url, name="cities", **more):
    parts = {"url": url, "typename": name, "pageSize": "5000", "restrictToRequestBBOX": "1", **more}
    text = " ".join(f"{key}='{value}'" for key, value in parts.items())
    return QgsVectorLayer(text, name, "OAPIF")


def columns(layer):
    fields = layer.fields()
    return {fields.at(i).name(): fields.at(i).typeName() for i in range(fields.count())}


def features(url):
    """Adds `cities`, counts and filters it."""
    cities = layer(url)
    assert cities.isValid(), cities.error().summary()
    assert cities.featureCount() == 34006, cities.featureCount()
    assert {"name", "country", "population", "timezone"} <= set(cities.fields().names()), cities.fields().names()
    assert cities.crs().isGeographic(), cities.crs().authid()
    everything = {one["name"] for one in cities.getFeatures()}
    assert len(everything) > 30000, len(everything)
    # By an expression, by a rect, and by both.
    request = QgsFeatureRequest().setFilterExpression("country = 'IS' and population > 30000")
    found = {one["name"]: one["population"] for one in cities.getFeatures(request)}
    assert "Reykjavík" in found and all(population > 30000 for population in found.values()), found
    rect = QgsFeatureRequest(QgsRectangle(-24.5, 63, -12.5, 67))
    inside = list(cities.getFeatures(rect))
    assert {one["country"] for one in inside} == {"IS"} and len(inside) > len(found), len(inside)
    place = next(one for one in inside if one["name"] == "Reykjavík").geometry().asPoint()
    assert (place.x(), place.y()) == (-21.89541, 64.13548), place
    # A filter of the provider, which is set before the features are asked for.
    few = layer(url)
    assert few.setSubsetString("country = 'IS'"), few.error().summary()
    names = {one["country"] for one in few.getFeatures()}
    assert names == {"IS"}, names
    return f"{len(everything)} names, {len(inside)} in a rect, {len(found)} by an expression"


def types(url):
    """Columns keep their types and values: by QGIS's own provider as the first ten features tell them, by GDAL's as all do."""
    def properties(i, isLate):
        return {"price": 12.5 if i % 10 == 3 or isLate else 12, "code": "a1" if isLate else str(i), "count": i, "open": i % 2 == 0,
                "day": f"2026-01-{1 + i % 28:02}", "since": "2026-01-02T03:04:05Z", "rate": None if i % 2 else 0.5}

    wanted = {"price": "Real", "code": "String", "count": "Integer", "open": "Boolean", "day": "Date", "since": "DateTime", "rate": "Real"}
    # Of the first ten of `late` all prices are whole numbers, and none has a colour.
    late = [{**properties(i, i > 15), "price": 12.5 if i > 15 else 12, **({"colour": "red"} if i > 15 else {})} for i in range(1, 31)]
    for name, all_of_them in (("early", [properties(i, False) for i in range(1, 31)]), ("late", late)):
        ask(f"{url}/collections/{name}/items", {"type": "FeatureCollection", "features": [
            {"type": "Feature", "id": i, "geometry": {"type": "Point", "coordinates": [i / 10, 1]}, "properties": one}
            for i, one in enumerate(all_of_them, 1)]})
    layers = [layer(url, "early"), *(QgsVectorLayer(f"OAPIF:{url}/collections/{name}", name, "ogr") for name in ("early", "late"))]
    for one in layers:
        name, provider = one.name(), one.dataProvider().name()
        rows = list(one.getFeatures()) if one.isValid() else []
        assert len(rows) == 30, (name, provider, len(rows))
        own = wanted if name == "early" else {**wanted, "colour": "String"}
        found = {key: kind.replace("Integer(Boolean)", "Boolean") for key, kind in columns(one).items()}
        assert found == own, (name, provider, found)
        for row in rows:
            i = row["count"]
            price = 12.5 if (i > 15 if name == "late" else i % 10 == 3) else 12
            assert row["price"] == price and row["open"] == (i % 2 == 0), (name, provider, i, row["price"], row["open"])
            assert row["day"] == QDate(2026, 1, 1 + i % 28) and isinstance(row["since"], QDateTime), (name, provider, row["day"])
            assert row.geometry().asPoint().x() == i / 10, (name, provider, i)
    for name in ("early", "late"):
        ask(f"{url}/collections/{name}", method="DELETE")
    return "types of seven columns by two providers"


def annotations(url, rect, zoom):
    """The annotations of a zoom's tiles within a rect, as places in metres."""
    side = 2 * WORLD / 2 ** zoom
    for x in range(int((rect.xMinimum() + WORLD) // side), int((rect.xMaximum() + WORLD) // side) + 1):
        for y in range(int((WORLD - rect.yMaximum()) // side), int((WORLD - rect.yMinimum()) // side) + 1):
            for one in (ask(f"{url}/collections/cities/tiles/{zoom}/{x}/{y}.geojson") or {"features": []})["features"]:
                longitude, latitude = one["geometry"]["coordinates"]
                place = longitude / 180 * WORLD, math.asinh(math.tan(math.radians(latitude))) / math.pi * WORLD
                if rect.contains(*place):
                    yield place


def tiles(url):
    """Draws the vector tiles of Germany and around: a mark where each annotation of one zoom is."""
    uri = QgsDataSourceUri()
    for name, value in {"type": "xyz", "url": f"{url}/collections/cities/tiles/{{z}}/{{x}}/{{y}}.mvt", "zmin": "0", "zmax": "14"}.items():
        uri.setParam(name, value)
    layer = QgsVectorTileLayer(bytes(uri.encodedUri()).decode(), "cities")
    assert layer.isValid(), "the layer of tiles isn't valid"
    rect, width, height = QgsRectangle(0, 5.5e6, 2.4e6, 7.3e6), 800, 600
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setOutputSize(QSize(width, height))
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    settings.setExtent(rect)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    assert not job.errors(), [error.message for error in job.errors()]
    image, white = job.renderedImage(), qRgb(255, 255, 255)

    def is_drawn(place):
        x = int((place[0] - rect.xMinimum()) / rect.width() * width)
        y = int((rect.yMaximum() - place[1]) / rect.height() * height)
        return image.pixel(min(x, width - 1), min(y, height - 1)) != white

    drawn = {}
    for zoom in range(3, 8):
        places = list(annotations(url, rect, zoom))
        drawn[zoom] = sum(map(is_drawn, places)), len(places)
    # QGIS chooses the zoom by the scale.
    [shown] = [total for count, total in drawn.values() if count == total and total > 20] or [None]
    assert shown, drawn
    return f"{shown} annotations of tiles drawn"


def main():
    url = sys.argv[1]
    application = QgsApplication([], False)
    application.initQgis()
    print(f"QGIS {Qgis.version()}: {features(url)}, {types(url)}, {tiles(url)}", flush=True)
    # Its threads and Python's end of objects don't get on.
    os._exit(0)


main()
