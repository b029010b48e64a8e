"""The recipes of the guide for notebooks: folium's page in a browser, and ipyleaflet's map with what a browser tells it."""

import re
from pathlib import Path

from harness import MARK, test, until
from service import ROOT

LEAFLET = Path("/usr/share/javascript/leaflet")


def recipe(name, service):
    """What a Python block of the guide defines, and its last value."""
    [block] = [one for one in re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide.md").read_text(), re.S) if name in one]
    names = {}
    *lines, last = block.replace("http://127.0.0.1:8080", service.url).strip().split("\n")
    exec("\n".join(lines), names)
    return names, eval(last, names)


@test
def folium_recipe(browse, service):
    names, made = recipe("folium", service)
    assert len(re.search(r"def clusters.*?return", (ROOT / "docs/guide.md").read_text(), re.S)[0].splitlines()) <= 5
    b = browse()
    page = b.page

    def route(route):
        url = route.request.url
        if url == "http://notebook.test/":
            return route.fulfill(body=made.get_root().render(), content_type="text/html")
        if re.search(r"/leaflet@[\d.]+/dist/leaflet\.(js|css)$", url):
            return route.fulfill(path=LEAFLET / url.rsplit("/", 1)[1])
        return route.abort()

    page.route(lambda url: not url.startswith(service.url), route)
    page.goto("http://notebook.test/")
    page.wait_for_selector(MARK)
    page.wait_for_timeout(600)
    answer = service.ask("/collections/cities/clusters", page.evaluate(f"""(() => {{ const map = {made.get_name()}, bounds = map.getBounds()
      return {{ bbox: [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()], zoom: map.getZoom(), marginFactor: 0.25 }} }})()"""))
    assert b.shown() == {one["id"]: one["count"] for one in answer["annotations"]}
    pins = page.locator(f"{MARK}.pincluster-pin")
    pins.first.focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.pincluster-card dl')?.textContent.includes('population')")
    assert not b.errors, b.errors
    b.context.close()


@test
def ipyleaflet_recipe(browse, service):
    names, _ = recipe("ipyleaflet", service)
    shown = names["map"]
    [_, layer] = shown.layers
    assert layer.data["features"] == []
    for south, west, north, east, zoom in ((45, 0, 55, 20, 5), (-80, -400, 80, 300, 1)):
        # What the browser tells when the map has moved.
        shown.set_state({"zoom": zoom, "south": south, "west": west, "north": north, "east": east})
        west, east = max(west, -180), min(east, 180)
        answer = service.ask("/collections/cities/clusters", {"bbox": [west, south, east, north], "zoom": zoom})
        drawn = {one["properties"]["annotation_id"]: one for one in layer.data["features"]}
        assert drawn.keys() == {one["id"] for one in answer["annotations"]} and len(drawn) > 10
        for one in answer["annotations"]:
            radius = drawn[one["id"]]["properties"]["style"]["radius"]
            assert radius == 7 if one["count"] == 1 else radius > 8, (one, radius)
    shown.close_all()
