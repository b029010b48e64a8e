"""MapLibre GL JS, in a Chromium without a screen, draws the tiles of the sample `cities`:

    maplibre_map.py URL MAPLIBRE [CHROMIUM]    MAPLIBRE: the file maplibre-gl.js

What is on its screen must be the annotations of the JSON answer.
"""

import http.server
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

PAGE = os.path.join(os.path.dirname(__file__), "maplibre_page.html")
# Where the map is, and the query of the tiles.
VIEWS = [
    ([10, 50], 4, {}), ([139.7, 35.6], 3, {"filter": "population > 500000"}), ([178, -18], 4, {"cellSize": "32"}),
]


class Pages(http.server.BaseHTTPRequestHandler):
    """Serves the page and MapLibre, and takes the result."""

    def do_GET(self):
        name = urllib.parse.urlsplit(self.path).path
        path = {"/page": PAGE, "/maplibre-gl.js": self.server.library}.get(name)
        self.send_response(200 if path else 404)
        self.send_header("Content-Type", "text/javascript" if name.endswith(".js") else "text/html")
        self.end_headers()
        if path:
            with open(path, "rb") as file:
                self.wfile.write(file.read())

    def do_POST(self):
        self.server.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def draw(pages, chromium, asked):
    """What is on the screen of a browser that draws what is asked for, map by map."""
    address = f"http://127.0.0.1:{pages.server_port}/page?" + urllib.parse.urlencode({"asked": json.dumps(asked)})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, open(f"{profile}/log", "w") as log:
        browser = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1024,900",
             f"--user-data-dir={profile}", address], stdout=log, stderr=log)
        try:
            results = [pages.results.get(timeout=90) for _ in asked["views"]]
        except queue.Empty:
            raise AssertionError(f"no map was drawn: {open(f'{profile}/log').read()[-2000:]}") from None
        finally:
            browser.terminate()
            browser.wait(20)
    for result in results:
        assert "error" not in result, result
    return results


def inside(place, bounds, margin=0):
    """Whether a place is on a map, further from its edges than a margin in degrees."""
    west, south, east, north = bounds
    longitude = west + (place["longitude"] - west) % 360
    return west + margin <= longitude <= east - margin and south + margin <= place["latitude"] <= north - margin


def check(url, drawn, zoom, query):
    cells = 512 // int(query.get("cellSize", 60))
    west, south, east, north = drawn["bounds"]
    view = {**query, "bbox": [west, south, east, north], "zoom": zoom + 1, "cellSize": 512 / cells, "marginFactor": 0.5}
    body = json.dumps(view).encode()
    request = urllib.request.Request(f"{url}/collections/cities/clusters", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        annotations = {one["id"]: one for one in json.load(answer)["annotations"]}
    rendered = {one["id"]: one for one in drawn["rendered"]}
    # A tile's grid has 4096 places; what is that near to an edge may be on either side.
    edge = 360 / 2**zoom / 2048
    wanted = {id for id, one in annotations.items() if inside(one["coordinate"], drawn["bounds"], edge)}
    assert wanted <= set(rendered), f"{len(wanted - set(rendered))} of {len(wanted)} aren't drawn"
    for id, one in rendered.items():
        assert id in annotations, f"{one} is drawn, and not in the answer"
        assert one["count"] == annotations[id]["count"], (one, annotations[id])
    for one in drawn["source"]:
        if one["id"] in annotations:
            assert one["count"] == annotations[one["id"]]["count"], one
    assert len(wanted) > 10 and drawn["red"] > 20 * len(wanted), f"{drawn['red']} red pixels, {len(wanted)} annotations"
    return len(wanted)


def main():
    url, library, chromium = (*sys.argv[1:], "chromium")[:3]
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    pages.library, pages.results = library, queue.Queue()
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    views = [
        {"center": center, "zoom": zoom,
         "source": f"{url}/collections/cities/tiles.json?" + urllib.parse.urlencode(query)} for center, zoom, query in VIEWS]
    drawn = draw(pages, chromium, {"layer": "cities", "views": views})
    count = sum(check(url, one, zoom, query) for one, (_, zoom, query) in zip(drawn, VIEWS))
    print(f"MapLibre GL JS: {len(VIEWS)} maps with {count} annotations drawn, as JSON has them")


main()
