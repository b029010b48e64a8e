#!/usr/bin/env python3
"""Compares a page with Leaflet.markercluster with one with our Leaflet layer, over the same 34,006 cities.

usage: compare.py BINARY [ROUNDS]

Needs playwright (PyPI), and Debian's chromium, libjs-leaflet and libjs-leaflet.markercluster. Both pages come from the
same server and have the same map; that of markercluster loads all cities in the shortest form that it takes,
compressed. Prints medians of the rounds, in which the pages take turns.
"""

import csv
import gzip
import http.server
import json
import statistics
import sys
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

from service import CITIES, Service

LEAFLET = Path("/usr/share/javascript/leaflet")
HEAD = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/leaflet.css">
<style>html, body, #map { height: 100%; margin: 0 }</style><div id="map"></div><script src="/leaflet.min.js"></script>"""
MAP = "const map = window.map = L.map('map', { maxZoom: 19 }).setView([48, 10], 4)"
PAGES = {
    "markercluster": f"""{HEAD}<link rel="stylesheet" href="/MarkerCluster.css"><link rel="stylesheet" href="/MarkerCluster.Default.css">
<script src="/leaflet.markercluster.min.js"></script>
<script type="module">{MAP}
const icon = L.divIcon({{ className: 'pin', iconSize: [16, 16] }})
const cities = await (await fetch('/cities.json')).json()
const group = L.markerClusterGroup({{ chunkedLoading: true, animate: true }})
group.addLayers(cities.map(([lat, lng, title]) => L.marker([lat, lng], {{ icon, title }})))
map.addLayer(group)</script>""",
    "pincluster": f"""{HEAD}<script type="module">{MAP}
const pincluster = await import('SERVICE/clients/leaflet.js')
pincluster.layer('SERVICE/collections/cities', {{ titleProperty: 'name', properties: ['name'], cellSize: 80 }}).addTo(map)</script>""",
}
MARK = {"markercluster": ".marker-cluster", "pincluster": ".pincluster-cluster"}
# Zooms in and out again, and notes how long each frame took.
JANK = """async () => {
  const frames = []
  let last = performance.now(), going = true
  const frame = now => { frames.push(now - last); last = now; if (going) requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
  for (const by of [1, 1, 1, 1, -1, -1, -1, -1]) {
    map.setZoom(map.getZoom() + by)
    await new Promise(resolve => setTimeout(resolve, 700))
  }
  going = false
  return frames.slice(1)
}"""


class Handler(http.server.BaseHTTPRequestHandler):
    files = {}

    def do_GET(self):
        body, kind = self.files.get(self.path, (None, None))
        self.send_response(200 if body else 404)
        for name, value in {"Content-Type": kind or "text/plain", "Content-Encoding": "gzip", "Content-Length": str(len(body or b""))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def serve(service):
    kinds = {".js": "text/javascript", ".css": "text/css"}
    files = {f"/{path.name}": (path.read_bytes(), kinds[path.suffix]) for path in LEAFLET.iterdir() if path.suffix in kinds}
    with open(CITIES, encoding="utf-8") as rows:
        cities = [[float(row["latitude"]), float(row["longitude"]), row["name"]] for row in csv.DictReader(rows)]
    files["/cities.json"] = (json.dumps(cities, separators=(",", ":"), ensure_ascii=False).encode(), "application/json")
    for name, page in PAGES.items():
        files[f"/{name}"] = (page.replace("SERVICE", service.url).encode(), "text/html")
    Handler.files = {path: (gzip.compress(body), kind) for path, (body, kind) in files.items()}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", len(cities)


def work(devtools):
    return {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}


def measure(chromium, url, name):
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    count = {"bytes": 0}
    devtools.on("Network.loadingFinished", lambda event: count.update(bytes=count["bytes"] + event["encodedDataLength"]))
    page.goto(f"{url}/{name}", wait_until="commit")
    page.wait_for_selector(MARK[name])
    first = page.evaluate("performance.now()")
    page.wait_for_timeout(1500)
    transferred = count["bytes"]
    # By the processor time of the page's main thread, as other work goes on on the same machine.
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = work(devtools)
    frames = sorted(page.evaluate(JANK))
    after = work(devtools)
    devtools.send("HeapProfiler.enable")
    devtools.send("HeapProfiler.collectGarbage")
    heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
    result = {
        "first clusters, ms": first, "bytes to there, kB": transferred / 1000, "JavaScript heap after it, MB": heap / 1e6,
        "work of the main thread in 8 zooms, ms": 1000 * (after["TaskDuration"] - before["TaskDuration"]),
        "of that in scripts, ms": 1000 * (after["ScriptDuration"] - before["ScriptDuration"]),
        **{f"of that in {name}, ms": 1000 * (after[key] - before[key]) for name, key in
           (("layout", "LayoutDuration"), ("styles", "RecalcStyleDuration"))},
        "longest frame while zooming, ms": frames[-1], "frames over 50 ms, ms in all": sum(one for one in frames if one > 50),
        "markers at the end": page.locator(MARK[name]).count(),
    }
    context.close()
    return result


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, Service(sys.argv[1], folder) as service:
        url, cities = serve(service)
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"])
        results = {name: [] for name in PAGES}
        for _ in range(rounds):
            for name in PAGES:
                results[name].append(measure(chromium, url, name))
        chromium.close()
    print(f"{cities} cities, medians of {rounds} rounds{'':26}" + "".join(f"{name:>16}" for name in PAGES))
    for figure in results["pincluster"][0]:
        medians = [statistics.median(one[figure] for one in results[name]) for name in PAGES]
        print(f"{figure:60}" + "".join(f"{median:16.1f}" for median in medians))


main()
