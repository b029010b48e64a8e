"""QGIS, without a screen, adds the sample `cities` as a layer, counts and filters it: qgis_layer.py URL

Run with the Python that the Debian package python3-qgis belongs to.
"""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from qgis.core import Qgis, QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer  # noqa: E402


def layer(url, **more):
    parts = {"url": url, "typename": "cities", "pageSize": "5000", "restrictToRequestBBOX": "1", **more}
    text = " ".join(f"{name}='{value}'" for name, value in parts.items())
    return QgsVectorLayer(text, "cities", "OAPIF")


def main():
    url = sys.argv[1]
    application = QgsApplication([], False)
    application.initQgis()
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
    print(f"QGIS {Qgis.version()}: {len(everything)} names, {len(inside)} in a rect, {len(found)} by an expression", flush=True)
    # Its threads and Python's end of objects don't get on.
    os._exit(0)


main()
