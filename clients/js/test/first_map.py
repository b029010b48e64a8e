#!/usr/bin/env python3
"""Measures how long the map page takes from navigation until markers and land are drawn, on 235,000 features.

usage: first_map.py BINARY [ROUNDS] [--trace]

Beside it, by turns, an empty page of the same service and one that only loads Leaflet: what this browser takes on this
machine anyway. Every page has a browser context of its own, so nothing is cached. Needs playwright (PyPI), and Debian's
chromium and libjs-leaflet, and pincluster-bench beside the binary, which makes the places. With --trace, when each
request of the median round began and ended.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from service import CITIES, Service, load

PLACES = 235_000
# The time of the frame after the markers and all of the land below them were there.
DRAWN = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('SELECTOR') || document.querySelector('.pincluster-land:not([data-zoom])')) return
  observer.disconnect()
  requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => { window.drawnAt = performance.now() }
    port2.postMessage(0) })
}).observe(document, { childList: true, subtree: true, attributeFilter: ['data-zoom'] })
"""
EMPTY = "<!doctype html><html><body><p class=done>Nothing</p></body></html>"
LEAFLET = """<!doctype html><html><link rel="stylesheet" href="/clients/leaflet/leaflet.css"><style>html, body, #map { height: 100% }</style>
<body><div id="map"></div><script src="/clients/leaflet/leaflet.js"></script>
<script>const map = L.map('map').setView([25, 10], 2.5); L.marker([25, 10], { icon: L.divIcon({ className: 'done' }) }).addTo(map)</script></body></html>"""
PAGES = {
    "an empty page": ("/empty", EMPTY, ".done"), "Leaflet alone": ("/leaflet", LEAFLET, ".done"),
    "the map page": ("/map#collection=places", None, ".pincluster-mark"),
}
TIMES = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(one =>
  [one.name.replace(location.origin, ''), one.startTime, one.requestStart, one.responseStart, one.responseEnd, one.transferSize])"""


def measure(chromium, url, name):
    path, body, selector = PAGES[name]
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(DRAWN.replace("SELECTOR", selector))
    page = context.new_page()
    if body:
        page.route(url + path, lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(url + path, wait_until="commit")
    while not (drawn := page.evaluate("window.drawnAt")):
        page.wait_for_timeout(100)
    page.wait_for_timeout(300)
    times = page.evaluate(TIMES)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    context.close()
    return drawn, paint, times


def main():
    words = [word for word in sys.argv[1:] if word != "--trace"]
    binary, rounds = words[0], int(words[1]) if len(words) > 1 else 7
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        places = f"{folder}/places.geojsonl"
        bench = Path(binary).with_name("pincluster-bench")
        with open(places, "wb") as file:
            subprocess.run([bench, "--cities", CITIES, str(PLACES)], check=True, stdout=file)
        load(binary, f"{folder}/data", "places", places)
        with Service(binary, folder) as service:
            chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            results = {name: [] for name in PAGES}
            first = measure(chromium, service.url, "the map page")
            for _ in range(rounds):
                for name in PAGES:
                    results[name].append(measure(chromium, service.url, name))
            chromium.close()
    print(f"{PLACES:,} places, from navigation until drawn, {rounds} rounds, ms; the very first time {first[0]:.0f}")
    for name, all_of_them in results.items():
        all_of_them.sort()
        drawn = [one[0] for one in all_of_them]
        paint = statistics.median(one[1] for one in all_of_them)
        print(f"{name:16} median {statistics.median(drawn):5.0f}, {drawn[0]:.0f} to {drawn[-1]:.0f}; anything painted {paint:.0f}")
    if "--trace" in sys.argv:
        for name, *times, size in results["the map page"][rounds // 2][2]:
            print(*(f"{one:6.0f}" for one in times), f"{size:8}", name[:90])


main()
