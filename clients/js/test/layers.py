"""The layers in pages of others: the examples, what the documents tell to write, and a stub of Google's maps."""

import re
from importlib.util import find_spec
from pathlib import Path

from harness import MARK, test, until
from service import ROOT, Service


def serve_example(b, name, service):
    """Opens an example, with what it takes from elsewhere from what is installed."""
    text = (ROOT / "examples" / name).read_text()
    assert len(text.splitlines()) < 40
    return serve_page(b, text, service)


def serve_page(b, text, service):
    """Opens a page of others, with what it takes from elsewhere from what is installed."""
    text = text.replace("http://127.0.0.1:8080", service.url)
    blank = '{"version": 8, "sources": {}, "layers": []}'
    png = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082")

    def route(route):
        url = route.request.url
        if url == "http://example.test/":
            return route.fulfill(body=text, content_type="text/html")
        if "unpkg.com" in url:
            file = Path(find_spec("maplibre").origin).parent / "srcjs" / url.rsplit("/", 1)[1]
            return route.fulfill(body=file.read_bytes(), content_type="text/css" if url.endswith("css") else "text/javascript")
        if "openfreemap" in url:
            return route.fulfill(body=blank, content_type="application/json")
        if "tile.openstreetmap" in url:
            return route.fulfill(body=png, content_type="image/png")
        return route.continue_()

    b.page.route(lambda url: not url.startswith(service.url), route)
    b.page.goto("http://example.test/")
    return b.page


def filter_by_the_box(page, b):
    """Types into a page's filter box: what is found, what isn't a filter, and everything again."""
    found = page.locator("#found")
    until(page, "/^[0-9]+ /.test(found.value)")
    all_of_them, shown = int(found.text_content().split()[0]), b.shown()
    page.fill("#filter", "country = 'DE'")
    until(page, f"Number.parseInt(found.value) < {all_of_them}")
    page.wait_for_timeout(500)
    assert 100 < sum(b.shown().values()) < 3000
    page.fill("#filter", "country = ")
    until(page, "!/^[0-9]/.test(found.value)")
    page.fill("#filter", "")
    until(page, f"Number.parseInt(found.value) === {all_of_them}")
    page.wait_for_timeout(500)
    assert b.shown() == shown


@test
def example_leaflet(browse, service):
    b = browse()
    page = serve_example(b, "leaflet.html", service)
    page.wait_for_selector(MARK)
    page.wait_for_timeout(600)
    assert len(b.shown()) > 20
    credits = page.locator(".leaflet-control-attribution")
    assert "OpenStreetMap" in credits.text_content() and "GeoNames" in credits.text_content()
    filter_by_the_box(page, b)
    page.locator(".pincluster-pin").first.focus()
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.pincluster-card strong')?.textContent")
    b.close(("http://example.test/", "https://tile.openstreetmap.org/"))


@test
def documented_lines(browse, service):
    """What README.md and the guide tell to write, in a page that has nothing else."""
    [readme] = re.findall(r"```html\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    script = re.findall(r"```js\n(import .*?)```", (ROOT / "docs/guide.md").read_text(), re.S)
    assert len(readme.splitlines()) <= 10 and len(script) == 3, script
    leaflet, maplibre = (f"<!doctype html>{page}" for page in re.findall(r"```html\n(.*?)```", (ROOT / "docs/guide.md").read_text(), re.S))
    for page_text in (readme, f"{leaflet}<script type=module>{script[0]}</script>"):
        b = browse()
        page = serve_page(b, page_text, service)
        page.wait_for_selector(MARK)
        page.wait_for_timeout(400)
        assert len(b.shown()) > 20
        b.close(("http://example.test/",))
    # The filter box and icons of the guide, in the page with Leaflet.
    box_script, icons = (next(one for one in re.findall(r"```js\n(.*?)```", (ROOT / "docs/guide.md").read_text(), re.S) if word in one)
                         for word in ("const [box, found]", "aggregates.people"))
    assert len(box_script.splitlines()) <= 10
    with_box = script[0].replace("pincluster.layer(", "const layer = pincluster.layer(") + box_script
    b = browse()
    page = serve_page(b, f'<input id="filter"><output id="found"></output>{leaflet}<script type=module>{with_box}</script>', service)
    page.wait_for_selector(MARK)
    filter_by_the_box(page, b)
    b.close(("http://example.test/",))
    b = browse()
    cities = "import { Pincluster } from 'http://127.0.0.1:8080/clients/pincluster.js'\nconst cities = new Pincluster('http://127.0.0.1:8080').collection('cities')\n"
    map_line = script[0].split("pincluster.layer(")[0]
    page = serve_page(b, f"{leaflet}<script type=module>{map_line}{cities}{icons}</script>", service)
    page.wait_for_selector(f"{MARK} b")
    assert re.fullmatch(r"\d+ M", page.locator(f"{MARK} b").first.text_content())
    page.locator(".pincluster-pin").first.focus()
    page.keyboard.press("Enter")
    until(page, "/people, time of [A-Z]/.test(document.querySelector('.pincluster-card')?.textContent)")
    b.close(("http://example.test/",))
    b = browse()
    page = serve_page(b, f"{maplibre}<script type=module>{script[1]}\nwindow.map = map</script>", service)
    until(page, "window.map?.getLayer('pincluster-cities-clusters') && map.queryRenderedFeatures({ layers: ['pincluster-cities-clusters'] }).length > 10")
    b.close(("http://example.test/", "https://unpkg.com/", "https://tiles.openfreemap.org/"))
    text = f"<!doctype html><script type=module>{script[2].rsplit('for await', 1)[0]}\nwindow.found = annotations</script>"
    # These lines write, which pages of other origins may only where that is wanted.
    b = browse()
    with b.page.expect_response(lambda answer: answer.request.method == "PATCH") as refused:
        serve_page(b, text, service)
    assert refused.value.status == 403
    b.context.close()
    folder = Path(service.folder) / "open"
    folder.mkdir()
    with Service(service.binary, folder, "--cors-origin", "http://example.test") as open_to_it:
        b = browse()
        page = serve_page(b, text, open_to_it)
        until(page, "window.found?.length > 10")
        b.close(("http://example.test/", open_to_it.url))


@test
def example_maplibre(browse, service):
    b = browse()
    page = serve_example(b, "maplibre.html", service)
    with page.expect_response(lambda answer: "/tiles/" in answer.url and answer.status == 200, timeout=20_000):
        pass
    until(page, "document.querySelector('.maplibregl-ctrl-attrib')?.textContent.includes('GeoNames')")
    with page.expect_response(lambda answer: "/tiles/" in answer.url and "1000000" in answer.url and answer.status == 200, timeout=20_000):
        page.select_option("#people", "1000000")
    # The same layer at work: what it draws, from tiles and from GeoJSON, at fractional zooms, is what is there.
    page.evaluate("""async url => {
      const { layer } = await import(url + '/clients/maplibre.js')
      const map = window.other = new maplibregl.Map({ container: 'map', center: [10, 50], zoom: 4.3, fadeDuration: 0,
        style: { version: 8, sources: {}, layers: [] } })
      const done = new Promise(resolve => { window.layers = {
        tiles: layer(url + '/collections/cities', { id: 'tiles', cellSize: 64 }),
        own: layer(url + '/collections/cities', { id: 'own', form: 'geojson', cellSize: 64, onView: resolve }) } })
      layers.tiles.addTo(map)
      layers.own.addTo(map)
      await done
      if (!map.loaded()) await new Promise(resolve => map.once('idle', resolve))
    }""", service.url)
    until(page, "other.areTilesLoaded() && other.queryRenderedFeatures({ layers: ['tiles-clusters'] }).length > 10", timeout=20_000)
    counts = page.evaluate("""() => ['tiles-clusters', 'own-clusters'].map(id => {
      const all = other.queryRenderedFeatures({ layers: [id] })
      return Object.fromEntries(all.map(({ properties }) => [properties.cluster_id, properties.point_count])) })""")
    assert all(len(one) > 10 for one in counts), [len(one) for one in counts]
    view = page.evaluate("layers.own.view()")
    assert abs(view["zoom"] - 5.3) < 0.01, view
    answer = service.ask("/collections/cities/clusters", view)
    fresh = {one["id"]: one["count"] for one in answer["annotations"]}
    assert counts[1].items() <= fresh.items()
    for one, count in list(counts[0].items())[:3]:
        assert service.ask(f"/collections/cities/clusters/{one}")["count"] == count
    # A turned and tilted map has the same grid, and doesn't ask for all that lies up to the horizon.
    for bearing, pitch in ((45, 0), (200, 60), (0, 85)):
        turned = page.evaluate(f"""() => {{ other.setMaxPitch(85); other.jumpTo({{ bearing: {bearing}, pitch: {pitch} }})
          return layers.own.view() }}""")
        assert turned["zoom"] == view["zoom"], turned
        seen = service.ask("/collections/cities/clusters", turned)
        assert seen["cellsPerWorld"] == answer["cellsPerWorld"], seen
        width, flat = turned["bbox"][2] - turned["bbox"][0], view["bbox"][2] - view["bbox"][0]
        assert width < 5 * flat and seen["annotations"], turned["bbox"]
    page.evaluate("() => { other.jumpTo({ bearing: 0, pitch: 0 }) }")
    until(page, "other.queryRenderedFeatures({ layers: ['own-clusters'] }).length > 10")
    # A click goes to where the cluster comes apart.
    zoom = page.evaluate("""async () => {
      const [feature] = other.queryRenderedFeatures({ layers: ['own-clusters'] })
      const moved = new Promise(resolve => other.once('moveend', resolve))
      await layers.own.open(feature.properties.cluster_id, feature.geometry.coordinates)
      await moved
      return other.getZoom() }""")
    assert zoom > 4.5, zoom
    page.evaluate("() => { layers.own.remove(); layers.tiles.remove() }")
    assert page.evaluate("Object.keys(other.getStyle().sources)") == []
    b.close(("http://example.test/", "https://unpkg.com/", "https://tiles.openfreemap.org/"))


# A page of Leaflet that counts what is seen, with a map of 1,000 by 500 points that moves at once.
LEAFLET = """<!doctype html><link rel="stylesheet" href="/clients/leaflet/leaflet.css"><script src="/clients/leaflet/leaflet.js"></script>
<body style="margin: 0"><div id="map" style="width: 1000px; height: 500px"></div>"""
SHOW = """async ([collection, centre, zoom]) => {
  const { layer } = await import('/clients/leaflet.js')
  window.map = L.map('map', { zoomAnimation: false, fadeAnimation: false }).setView(centre, zoom)
  window.layer = layer(collection, { titleProperty: 'name' }).addTo(map)
  window.problems = []
  window.views = 0
  window.layer.on('problem', ({ error }) => problems.push(error.message))
  window.layer.on('view', () => { views++; window.gliding = document.querySelectorAll('.pincluster-gliding').length })
}"""


def leaflet_page(b, service, collection, centre, zoom):
    b.page.route("**/stub", lambda route: route.fulfill(body=LEAFLET, content_type="text/html"))
    b.page.goto(f"{service.url}/stub")
    b.page.evaluate(SHOW, [f"{service.url}/collections/{collection}", centre, zoom])
    until(b.page, "views > 0")
    return b.page


def move(page, centre, zoom):
    """Moves a map of Leaflet, until it shows what is there."""
    views = page.evaluate("views")
    page.evaluate("([centre, zoom]) => { map.setView(centre, zoom, { animate: false }) }", [centre, zoom])
    until(page, f"views > {views}")


@test
def leaflet_around_the_world(browse, service):
    longitudes = [-170, -120, -60, 0, 60, 120, 170]
    service.store("around", [(i, [x, 20], {"name": str(x)}) for i, x in enumerate(longitudes)])
    b = browse()
    page = leaflet_page(b, service, "around", [20, 0], 2)
    for centre in (0, 60, 120, 370, -200, 0):
        move(page, [20, centre], 2)
        places = page.evaluate("""() => layer.annotations().map(one => {
          const [box, own] = [layer.element(one.id), map.getContainer()].map(element => element.getBoundingClientRect())
          return [box.left + box.width / 2 - own.left, map.latLngToContainerPoint(layer.latLngOf(one)).x] })""")
        assert len(places) > 3 and all(abs(drawn - wanted) < 3 for drawn, wanted in places), (centre, places)
        assert page.evaluate("gliding") == 0, centre
    b.close()


@test
def leaflet_moved_on(browse, service):
    service.store("pairs", [(i, [10, 50], {"name": str(i)}) for i in range(2)] + [(9, [12, 50], {"name": "9"})])
    b = browse()
    page = leaflet_page(b, service, "pairs", [50, 10], 18)
    # The features of a cluster come late, whether or not they are still wanted.
    page.evaluate("""() => {
      const real = fetch
      layer.collection.options.fetch = async (url, options) => {
        if (!url.includes('/items')) return real(url, options)
        window.asked = true
        await new Promise(resolve => setTimeout(resolve, 1000))
        return real(url, { ...options, signal: undefined })
      } }""")
    # To another zoom, at the same one to where the cluster isn't, and away and back.
    for ways in ([([50, 10], 3)], [([50, 12], 18)], [([50, 10], 17), ([50, 10], 18)]):
        move(page, [50, 10], 18)
        page.evaluate("() => { window.asked = false; window.opening = layer.open(layer.annotations().find(({ count }) => count === 2)) }")
        until(page, "asked")
        for centre, zoom in ways:
            move(page, centre, zoom)
        page.evaluate("opening")
        assert page.locator(".pincluster-spread").count() == 0, ways
    move(page, [50, 10], 18)
    page.evaluate("layer.open(layer.annotations().find(({ count }) => count === 2))")
    assert page.locator(".pincluster-spread").count() == 2
    # Closer than the service knows.
    move(page, [50, 10], 26)
    assert page.evaluate("[layer.view().zoom, layer.annotations().length, problems]") == [24, 1, []]
    b.close()


# Exactly what google.js uses of the Google Maps JavaScript API.
GOOGLE = """
class AdvancedMarkerElement extends HTMLElement {
  constructor(options) { super(); Object.assign(this, options); made.push(this); this.append(this.content) }
  set map(map) { this.own = map; if (map) map.div.append(this); else this.remove() }
  get map() { return this.own }
}
class InfoWindow extends HTMLElement {
  constructor({ content, ariaLabel }) { super(); Object.assign(this, { ariaLabel }); this.append(content) }
  addListener(type, listener) { if (!['close', 'closeclick'].includes(type)) throw type; this.addEventListener(type, listener) }
  open({ map, anchor, shouldFocus }) { Object.assign(this, { anchor }); map.div.append(this) }
  close() { this.remove(); this.dispatchEvent(new Event('close')) }
}
customElements.define('advanced-marker', AdvancedMarkerElement)
customElements.define('info-window', InfoWindow)
window.made = []
window.google = { maps: { InfoWindow, marker: { AdvancedMarkerElement } } }
window.StubMap = class {
  div = document.body; zoom = 5; listeners = new Set()
  bounds = { west: 0, south: 45, east: 20, north: 55 }
  getBounds() { return { toJSON: () => this.bounds } }
  getZoom() { return this.zoom }
  addListener(type, listener) { if (type !== 'idle') throw type; this.listeners.add(listener); return { remove: () => this.listeners.delete(listener) } }
  fitBounds(bounds) { this.bounds = bounds; this.zoom += 2; this.idle() }
  idle() { for (const listener of this.listeners) listener() }
}
"""


@test
def google_maps(browse, service):
    b = browse()
    b.page.goto(f"{service.url}/?f=json")
    b.page.route("**/stub", lambda route: route.fulfill(body="<!doctype html><body></body>", content_type="text/html"))
    page = b.page
    page.goto(f"{service.url}/stub")
    page.add_script_tag(content=GOOGLE)
    page.evaluate("""async url => {
      const { MarkerClusterer } = await import('/clients/google.js')
      window.map = new StubMap()
      window.clusterer = new MarkerClusterer({ map, url: url + '/collections/cities', titleProperty: 'name' })
    }""", service.url)
    until(page, "clusterer.markers.size > 10")
    view = {"marginFactor": 0.25, "titleProperty": "name", "bbox": [0, 45, 20, 55], "zoom": 5}
    answer = service.ask("/collections/cities/clusters", view)
    shown = page.evaluate("Object.fromEntries([...clusterer.markers].map(([id, { annotation }]) => [id, annotation.count]))")
    assert shown == {one["id"]: one["count"] for one in answer["annotations"]}
    first = page.evaluate("""() => { const all = [...clusterer.markers.values()]
      const largest = all.sort((a, b) => b.annotation.count - a.annotation.count)[0]
      window.before = new Set(all)
      largest.dispatchEvent(new Event('gmp-click'))
      return [largest.title, largest.textContent] }""")
    assert "features" in first[0], first
    until(page, "map.zoom === 7 && ![...clusterer.markers.keys()].some(id => id.startsWith('g136_'))")
    page.wait_for_timeout(300)
    assert page.evaluate("[...clusterer.markers.values()].filter(one => before.has(one)).length") > 0, "none was kept"
    page.evaluate("clusterer.setMap(null)")
    assert page.evaluate("document.querySelectorAll('advanced-marker').length") == 0
    b.context.close()


@test
def google_lists_what_shares_a_place(browse, service):
    service.store("stacked", [(i, [10, 50], {"name": f"Shop {i}"}) for i in range(3)] + [(9, [15, 50], {"name": "Far"})])
    b = browse()
    b.page.route("**/stub", lambda route: route.fulfill(body="<!doctype html><body></body>", content_type="text/html"))
    page = b.page
    page.goto(f"{service.url}/stub")
    page.add_script_tag(content=GOOGLE)
    page.evaluate("""async () => {
      const { MarkerClusterer } = await import('/clients/google.js')
      window.map = new StubMap()
      window.clusterer = new MarkerClusterer({ map, url: '/collections/stacked', titleProperty: 'name', live: true, describe: one => `${one.count} here` })
      window.of = count => [...clusterer.markers.values()].find(one => one.annotation.count === count)
    }""")
    until(page, "clusterer.markers.size === 2")
    # Markers are named as the page says.
    assert page.evaluate("[of(3).title, of(1).title]") == ["3 here", "1 here"]
    # No zoom tells them apart, so the map stays.
    page.evaluate("() => { of(3).dispatchEvent(new Event('gmp-click')) }")
    until(page, "document.querySelectorAll('.pincluster-card li').length === 3")
    assert page.evaluate("[map.zoom, document.querySelector('.pincluster-card').ariaLabel]") == [5, "3 here"]
    assert page.locator(".pincluster-card li").all_text_contents() == ["Shop 0", "Shop 1", "Shop 2"]
    page.wait_for_timeout(800)
    service.store("stacked", [(9, [15, 50], {"name": "Farther"})])
    service.ask("/collections/stacked/items/0", method="DELETE")
    until(page, "of(2)?.title === '2 here' && !document.querySelector('.pincluster-card')")
    b.close()
