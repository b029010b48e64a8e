"""Icons, popups and filters of the layers, in pages that have nothing else; MapLibre's counts, and its layer without a base map."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

from harness import EVIL, MARK, test, until
from service import ROOT

PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/clients/leaflet/leaflet.css">
<div id="map" style="height: 700px"></div>
<script src="/clients/leaflet/leaflet.js"></script>"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
MAPLIBRE = Path(find_spec("maplibre").origin).parent / "srcjs"
CLOSED = "!document.querySelector('.pincluster-card')"
# What has the focus: the id of a mark, or a class.
FOCUS = "document.activeElement.dataset.id ?? document.activeElement.className"


def shops(service, name):
    """Two pins and a cluster of five around it."""
    places = [([10, 50], {"name": EVIL, "rating": 4.5, "tags": ["a", "b"], "founded": 2019, "none": None}), ([14, 50], {"name": "Bar", "rating": 2})]
    places += [([5 + i / 1000, 50], {"name": f"Kiosk {i}", "rating": i}) for i in range(5)]
    return service.store(name, [(i, place, properties) for i, (place, properties) in enumerate(places)])


def leaflet(browse, service, name, options, setup="", **context):
    """A map with a layer in a page of its own, with functions as the text of a script."""
    shops(service, name)
    b = browse(**context)
    b.page.route("**/stub", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    b.page.goto(f"{service.url}/stub")
    b.page.evaluate(f"""async () => {{
      window.P = await import('/clients/leaflet.js')
      window.problems = []
      window.map = L.map('map', {{ zoomControl: false }}).setView([50, 10], 6)
      {setup}
      window.layer = P.layer('/collections/{name}', {{ titleProperty: 'name', {options} }}).addTo(map)
      layer.on('problem', ({{ error }}) => problems.push(String(error)))
    }}""")
    b.page.wait_for_selector(MARK)
    b.page.wait_for_timeout(600)
    return b


def pin(page, feature):
    """The id of a feature's pin."""
    return page.evaluate(f"layer.annotations().find(one => one.feature?.id === {feature}).id")


@test
def templates_hold_text(browse, service):
    b = leaflet(browse, service, "templates", "")
    page = b.page
    build = lambda text: page.evaluate(f"(() => {{ const node = {text}; const box = document.createElement('div'); box.append(node); return box.innerHTML }})()")
    evil = json.dumps(EVIL)
    assert build(f"P.html`<b title=${{{evil}}}>${{{evil}}}</b>`") == page.evaluate(f"""(() => {{
      const b = document.createElement('b'); b.title = b.textContent = {evil}; return b.outerHTML }})()""")
    assert build("P.html`<p>${[1, P.html`<i>${'<'}</i>`, [null, 'x']]}</p>`") == "<p>1<i>&lt;</i>x</p>"
    assert build("P.html`<i>1</i> ${2}`") == "<i>1</i> 2"
    assert build("P.html`<a href='/x?q=${\"a b\"}&r=${1}' class=c>t</a>`") == '<a href="/x?q=a b&amp;r=1" class="c">t</a>'
    for scheme in ("javascript:alert(1)", " Java\\tScript:alert(1)", "\\x01javascript:1"):
        assert build(f"P.html`<a href=${{'{scheme}'}}>t</a>`") == "<a>t</a>", scheme
    for code in ("<b onclick=${1}>", "<script>${1}</script>", "<style>b { color: ${1} }</style>", "<iframe srcdoc=${1}>", "<b${1}>", "<b ${1}=2>", "<!-- ${1} -->"):
        code = code.replace("</script>", "<\\/script>")
        refused = page.evaluate(f"(() => {{ try {{ P.html`{code}`; return '' }} catch (error) {{ return error.message }} }})()")
        assert "value in" in refused, (code, refused)
    b.close()


@test
def icons_of_annotations(browse, service):
    """Leaflet's icons for clusters, elements for pins: kept markers keep their elements, and nothing in a name is markup."""
    b = leaflet(browse, service, "dressed", """
      icon: one => one.count > 1 ? L.divIcon({ className: 'round', iconSize: [44, 30], iconAnchor: [22, 30], html: `<i>${one.count}</i>` }) : undefined""")
    page = b.page
    cluster = page.evaluate("layer.annotations().find(one => one.count === 5).id")
    box = page.locator(f'[data-id="{cluster}"]').bounding_box()
    place = page.evaluate(f"map.latLngToContainerPoint(layer.latLngOf(layer.annotations().find(one => one.id === '{cluster}')))")
    left, top = page.evaluate("(({ left, top }) => [left, top])(map.getContainer().getBoundingClientRect())")
    # The anchor is at the place.
    assert (round(box["width"]), round(box["height"])) == (44, 30), box
    assert abs(box["x"] + 22 - left - place["x"]) <= 1 and abs(box["y"] + 30 - top - place["y"]) <= 1, (box, place)
    assert page.text_content(f'[data-id="{cluster}"] .round') == "5"
    # A pin without an icon looks as usual.
    one = pin(page, 1)
    assert page.locator(f'[data-id="{one}"] .pincluster-face').bounding_box()["width"] == 16
    page.evaluate(f"() => {{ window.before = document.querySelector('[data-id=\"{cluster}\"] .round'); before.mark = layer.element('{cluster}') }}")
    service.store("dressed", [(9, [5.001, 50], {"name": "new"})])
    page.evaluate("() => { layer.refresh() }")
    until(page, "document.querySelector('.round')?.textContent === '6'")
    assert page.evaluate("before === document.querySelector('.round') && before.isConnected && before.mark.contains(before)")
    # A click on the icon goes to where the cluster comes apart; keys go there, too.
    page.focus(f'[data-id="{one}"]')
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(FOCUS) == cluster
    page.locator(f'[data-id="{cluster}"] .round').click()
    until(page, "map.getZoom() > 6")
    b.close()
    # Text is text, elements are elements; asked for only where something has changed.
    b = leaflet(browse, service, "worded", """
      html: one => (asked.push(one.id), one.count > 1 ? P.html`<b class="own">${one.count} of ${one.subtitle}</b>` : one.title)""", "window.asked = []")
    page = b.page
    assert page.locator(f'[data-id="{pin(page, 0)}"] .pincluster-content').text_content() == EVIL
    assert page.locator(f"{MARK} b:not(.own)").count() == 0 and page.locator(f"{MARK} b.own").count() == 1
    mark = page.locator(f'[data-id="{pin(page, 1)}"] .pincluster-content')
    box = mark.bounding_box()
    place = page.evaluate("map.latLngToContainerPoint([50, 14])")
    assert abs(box["x"] + box["width"] / 2 - place["x"] - left) < 2 and abs(box["y"] + box["height"] / 2 - place["y"] - top) < 2, (box, place)
    asked = page.evaluate("asked.length")
    assert asked == 3, asked
    page.evaluate("""() => { window.before = document.querySelector('b.own'); window.moved = new Promise(done => layer.once('view', done)); map.panBy([30, 0], { animate: false }) }""")
    page.evaluate("async () => { await moved }")
    assert page.evaluate("asked.length") == 3 and page.evaluate("before.isConnected")
    page.evaluate("() => { layer.repaint() }")
    assert page.evaluate("asked.length") == 6
    # What has no look of its own any more gets the usual one.
    page.evaluate("() => { layer.options.html = () => null; layer.repaint() }")
    assert page.locator(".pincluster-own, .pincluster-content").count() == 0
    assert page.title() != "broken"
    b.close()
    # Leaflet's own marker stands on the place, its image is the service's, and a popup points to its upper edge.
    b = leaflet(browse, service, "marked", "icon: ({ count }) => count > 1 ? null : new L.Icon.Default(), popup: ['name']")
    page = b.page
    image = page.locator(f'[data-id="{pin(page, 1)}"] img')
    until(page, "[...document.querySelectorAll('.pincluster-mark img')].every(one => one.complete && one.naturalWidth === 25)")
    box, place = image.bounding_box(), page.evaluate("map.latLngToContainerPoint([50, 14])")
    assert abs(box["x"] + 12 - left - place["x"]) <= 1 and abs(box["y"] + 41 - top - place["y"]) <= 1, (box, place)
    image.click()
    tip = page.locator(".leaflet-popup-tip").bounding_box()
    assert 0 <= box["y"] - tip["y"] - tip["height"] < 12, (box, tip)
    b.close()


@test
def popups_of_pins(browse, service):
    b = leaflet(browse, service, "cards", "live: true, popup: ['name', 'rating', 'tags', 'founded', 'none', 'no such']")
    page = b.page
    zero, one = pin(page, 0), pin(page, 1)
    page.click(f'[data-id="{zero}"]')
    card = page.locator(".pincluster-card")
    card.wait_for()
    assert card.evaluate("card => [...card.querySelectorAll('strong, dt, dd')].map(one => one.textContent)") == [
        EVIL, "name", EVIL, "rating", "4.5", "tags", '["a","b"]', "founded", "2019"]
    assert page.evaluate("document.activeElement.getAttribute('role')") == "dialog"
    assert card.get_attribute("aria-label") == EVIL and card.locator("b, img").count() == 0
    # The tip is at the pin's upper edge.
    tip = page.locator(".leaflet-popup-tip").bounding_box()
    face = page.locator(f'[data-id="{zero}"] .pincluster-face').bounding_box()
    assert 0 <= face["y"] - (tip["y"] + tip["height"]) < 12 and abs(tip["x"] + tip["width"] / 2 - face["x"] - 8) < 3, (tip, face)
    # Escape gives the focus back to the pin; Enter opens, and a second time closes.
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUS) == zero
    until(page, CLOSED)
    page.focus(f'[data-id="{one}"]')
    page.keyboard.press("Enter")
    assert "Bar" in card.text_content()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    until(page, CLOSED)
    assert page.evaluate(FOCUS) == one
    page.keyboard.press("Enter")
    card.wait_for()
    # It follows its pin: what changes, where it goes, and that it goes.
    page.wait_for_timeout(900)
    before = card.bounding_box()
    service.store("cards", [(1, [14.5, 50], {"name": "Bar", "rating": 5})])
    until(page, "document.querySelector('.pincluster-card')?.textContent.includes('rating5')")
    page.wait_for_timeout(400)
    assert card.bounding_box()["x"] > before["x"] + 10, (before, card.bounding_box())
    assert page.evaluate("document.activeElement.className.includes('pincluster-card')")
    service.ask("/collections/cards/items/1", method="DELETE")
    until(page, CLOSED)
    assert page.evaluate(FOCUS) == zero, page.evaluate(FOCUS)
    # One that becomes part of a cluster has none, nor has a cluster.
    page.keyboard.press("Enter")
    card.wait_for()
    page.evaluate("() => { map.setZoom(2, { animate: false }) }")
    until(page, CLOSED)
    assert page.evaluate("problems.length") == 0
    b.close()
    # Promises, nothing, and errors; spread pins have popups, too, which go with them.
    b = leaflet(browse, service, "promised", """popup: one => new Promise((done, fail) => { window.answers = { done, fail } }), spreadOnClick: true""")
    page = b.page
    card = page.locator(".pincluster-card")
    zero, one = pin(page, 0), pin(page, 1)
    page.click(f'[data-id="{zero}"]')
    assert card.text_content() == "…" and card.get_attribute("aria-busy") == "true"
    page.evaluate("() => { answers.done('two\\nlines <b>') }")
    until(page, "document.querySelector('.pincluster-card').textContent === 'two\\nlines <b>'")
    assert card.get_attribute("aria-busy") == "false" and card.evaluate("card => getComputedStyle(card).whiteSpace").startswith("pre")
    page.evaluate("() => { window.stale = answers }")
    page.click(f'[data-id="{one}"]')
    page.evaluate("() => { stale.done(null); answers.fail(new Error('no luck')) }")
    until(page, "problems.length === 1")
    until(page, CLOSED)
    assert "no luck" in page.evaluate("problems[0]")
    page.click(f'[data-id="{one}"]')
    page.evaluate("() => { answers.done(null) }")
    until(page, CLOSED)
    service.store("promised", [(i, [14, 50], {"name": f"twin {i}"}) for i in range(20, 24)])
    page.evaluate("() => { layer.refresh() }")
    until(page, "layer.annotations().some(({ count }) => count === 5)")
    page.wait_for_timeout(500)
    place = page.evaluate("layer.annotations().find(({ count, coordinate }) => count === 5 && coordinate.longitude > 13.9).id")
    page.click(f'[data-id="{place}"]')
    page.wait_for_selector('[data-id^="feature "]')
    page.locator('[data-id^="feature "]').first.click()
    card.wait_for()
    page.evaluate("() => { layer.gather() }")
    until(page, CLOSED)
    page.evaluate("() => { layer.remove() }")
    assert page.locator(MARK).count() == 0
    b.close()


def maplibre(browse, service, style, **context):
    """A page with MapLibre and a map of the cities, whose style is text of a script."""
    b = browse(**{"viewport": {"width": 900, "height": 700}, **context})
    b.said = []
    b.page.on("console", lambda message: "GL Driver" in message.text or b.said.append((message.type, message.text)))
    page = '<!doctype html><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/gl/maplibre-gl.css"><div id="map" style="height: 650px"></div><script src="/gl/maplibre-gl.js"></script>'
    b.page.route("**/stub", lambda route: route.fulfill(body=page, content_type="text/html"))
    b.page.route("**/gl/*", lambda route: route.fulfill(path=MAPLIBRE / route.request.url.rsplit("/", 1)[1]))
    b.page.route("https://base.test/**", lambda route: route.abort())
    b.page.route("https://base.test/hangs/**", lambda route: b.held.append(route))
    b.page.route("https://base.test/glyphs/**", lambda route: route.fulfill(body=b"", content_type="application/x-protobuf"))
    b.page.goto(f"{service.url}/stub")
    b.page.evaluate(f"""async () => {{
      window.P = await import('/clients/maplibre.js')
      window.map = new maplibregl.Map({{ container: 'map', center: [10, 50], zoom: 4, fadeDuration: 0, style: {style} }})
      window.add = (id, options) => (window[id] = P.layer(location.origin + '/collections/cities', {{ id, ...options }}).addTo(map))
    }}""")
    return b


def drawn(layer, least=10):
    return f"map.getLayer('{layer}') && map.queryRenderedFeatures({{ layers: ['{layer}'] }}).length > {least}"


@test
def counts_without_glyphs(browse, service):
    b = maplibre(browse, service, "{ version: 8, sources: {}, layers: [] }")
    page = b.page
    for form in ("tiles", "geojson"):
        page.evaluate(f"() => {{ add('{form}', {{ form: '{form}', titleProperty: 'name', cellSize: 80 }}) }}")
        until(page, drawn(f"{form}-counts"))
        page.wait_for_timeout(300)
        # In the middle of a circle there is some of its count's white.
        white = page.evaluate(f"""() => new Promise(done => {{ map.once('render', () => {{
          const features = map.queryRenderedFeatures({{ layers: ['{form}-clusters'] }}).filter(one => one.properties.point_count > 50)
          const gl = map.getCanvas().getContext('webgl2'), pixels = new Uint8Array(4 * 16 * 12)
          done(features.map(one => {{
            const {{ x, y }} = map.project(one.geometry.coordinates)
            gl.readPixels(x - 8, map.getCanvas().height - y - 6, 16, 12, gl.RGBA, gl.UNSIGNED_BYTE, pixels)
            let count = 0
            for (let i = 0; i < pixels.length; i += 4) count += pixels[i] > 200 && pixels[i + 1] > 200
            return count
          }}).sort((a, b) => a - b)) }}); map.triggerRepaint() }})""")
        assert len(white) > 5 and white[len(white) // 2] > 8, white
        page.evaluate(f"() => {{ {form}.remove() }}")
        assert page.evaluate("[map.listImages(), Object.keys(map.getStyle().sources)]") == [[], []]
    # Text of one's own needs glyphs, which is said once; counts are drawn all the same.
    assert not b.said, b.said
    page.evaluate("""() => { for (const id of ['one', 'two']) add(id, { cellSize: 80, layers: { clusters: { paint: { 'circle-color': '#060' } },
      counts: { layout: { 'text-field': ['get', 'point_count'], 'text-font': ['Noto Sans Regular'] } } } }) }""")
    until(page, drawn("two-counts"))
    [(kind, told)] = b.said
    assert kind == "warning" and '"glyphs"' in told, b.said
    assert page.evaluate("map.getPaintProperty('one-clusters', 'circle-color')") == "#060"
    assert page.evaluate("map.getPaintProperty('one-clusters', 'circle-stroke-color')") == "#fff"
    page.evaluate("() => { one.remove(); two.remove() }")
    page.evaluate("""() => { map.setGlyphs('https://base.test/glyphs/{fontstack}/{range}.pbf'); add('three', { layers: {
      counts: { layout: { 'text-field': ['get', 'point_count'] } }, pins: { filter: ['>', ['get', 'population'], 1e9] } } }) }""")
    assert page.evaluate("[map.getLayoutProperty('three-counts', 'text-field'), map.getLayoutProperty('three-counts', 'icon-image')]") == [["get", "point_count"], None]
    until(page, drawn("three-clusters"))
    assert page.evaluate("map.queryRenderedFeatures({ layers: ['three-pins'] }).length") == 0
    b.close(("https://base.test/",))


@test
def a_map_without_its_base(browse, service):
    """A style that can't be had, tiles that never come, and a style that takes the place of another."""
    b = maplibre(browse, service, "{ version: 8, sources: {}, layers: [] }")
    page = b.page
    page.evaluate("""() => { map.remove(); map = new maplibregl.Map({ container: 'map', center: [10, 50], zoom: 4, style: 'https://base.test/style.json' })
      add('own', {}) }""")
    until(page, drawn("own-clusters"))
    assert any("base.test" in text for kind, text in b.said if kind == "error"), b.said
    b.close(("https://base.test/",))
    b = maplibre(browse, service, """{ version: 8, layers: [{ id: 'base', type: 'raster', source: 'base' }],
      sources: { base: { type: 'raster', tiles: ['https://base.test/hangs/{z}/{x}/{y}.png'], tileSize: 256, attribution: 'the base' } } }""")
    page = b.page
    until(page, "map.getStyle() && !map.isStyleLoaded()")
    page.evaluate("() => { add('own', { attribution: 'the data' }); add('other', { form: 'geojson' }) }")
    until(page, drawn("own-clusters"))
    until(page, drawn("other-clusters"))
    until(page, "/the base.*the data|the data.*the base/.test(document.querySelector('.maplibregl-ctrl-attrib').textContent)")
    for differs in ("true", "false"):
        page.evaluate(f"() => {{ map.setStyle({{ version: 8, name: '{differs}', sources: {{}}, layers: [] }}, {{ diff: {differs} }}) }}")
        until(page, f"map.getStyle()?.name === '{differs}'")
        until(page, drawn("own-clusters"))
        until(page, drawn("other-clusters"))
    page.evaluate("() => { own.remove(); other.remove(); map.setStyle({ version: 8, sources: {}, layers: [] }, { diff: false }) }")
    page.wait_for_timeout(400)
    assert page.evaluate("map.getStyle().layers") == []
    b.close(("https://base.test/",))


def on_canvas(page, lng, lat):
    """Where MapLibre shows a place, in the window."""
    return page.evaluate(f"(() => {{ const {{ x, y }} = map.project([{lng}, {lat}]); const box = map.getCanvas().getBoundingClientRect(); return [box.x + x, box.y + y] }})()")


@test
def popups_in_maplibre(browse, service):
    service.store("mapped", [(0, [10, 50], {"name": EVIL, "tags": [1]}), *[(i, [14, 50], {"name": f"twin {i}", "tags": {"a": i}}) for i in range(1, 4)]])
    b = maplibre(browse, service, "{ version: 8, sources: {}, layers: [] }")
    page = b.page
    refused = page.evaluate("() => { const own = window.maplibregl; delete window.maplibregl; try { P.layer('/x', { popup: [] }) } catch (error) { return error.message } finally { window.maplibregl = own } }")
    assert "maplibre" in refused, refused
    press = lambda lng, lat: page.mouse.click(*on_canvas(page, lng, lat))
    card = page.locator(".pincluster-card")
    for form in ("tiles", "geojson"):
        page.evaluate(f"""() => {{ map.jumpTo({{ zoom: 4, center: [10, 50] }}); window.own = P.layer(location.origin + '/collections/mapped', {{ id: '{form}', form: '{form}',
          titleProperty: 'name', popup: ['tags'], live: {str(form == 'geojson').lower()} }}).addTo(map) }}""")
        until(page, drawn(f"{form}-pins", 0))
        press(10, 50)
        card.wait_for()
        assert card.locator("strong").text_content() == EVIL and card.locator("dd").text_content() == "[1]"
        assert page.evaluate("document.activeElement.className") == "pincluster-card"
        page.keyboard.press("Escape")
        until(page, CLOSED)
        assert page.evaluate("document.activeElement === map.getCanvas()")
        # Of what shares a place each has its own.
        press(14, 50)
        until(page, f"map.getSource('{form}-spread')._data.features?.length === 6")
        place = page.evaluate(f"map.getSource('{form}-spread')._data.features[1].geometry.coordinates")
        until(page, drawn(f"{form}-spread-pins", 2))
        press(*place)
        card.wait_for()
        assert card.locator("strong").text_content() == "twin 1" and card.locator("dd").text_content() == '{"a":1}'
        page.evaluate("() => { own.gather() }")
        until(page, CLOSED)
        # It goes when its pin does.
        press(10, 50)
        card.wait_for()
        if form == "tiles":
            page.evaluate("() => { own.setFields({ filter: 'name IS NULL' }) }")
        else:
            service.store("mapped", [(0, [10, 51], {"name": "moved", "tags": [2]})])
            until(page, "document.querySelector('.pincluster-card')?.textContent === 'movedtags[2]'")
            service.ask("/collections/mapped/items/0", method="DELETE")
        until(page, CLOSED)
        page.evaluate("() => { own.remove() }")
    b.close()


def tap_cross(page, cross):
    """Closes a popup by its cross, which is as large as a finger needs (WCAG 2.2, 2.5.8)."""
    size = page.locator(cross).bounding_box()
    assert size["width"] >= 24 and size["height"] >= 24, size
    page.locator(cross).tap()
    until(page, CLOSED)


@test
def popups_by_tap(browse, service):
    """A phone's finger opens, changes and closes popups, which fit the screen and have a way out that a finger hits."""
    b = leaflet(browse, service, "tapped", "popup: ['name', 'rating', 'founded']", **PHONE)
    page = b.page
    card = page.locator(".pincluster-card")
    page.evaluate("() => { map.setView([50, 12], 6, { animate: false }) }")
    until(page, "layer.annotations().length === 3 && !layer._map._animatingZoom")
    page.wait_for_timeout(600)
    zero, one = pin(page, 0), pin(page, 1)
    page.locator(f'[data-id="{zero}"]').tap()
    card.wait_for()
    assert card.locator("strong").text_content() == EVIL
    page.wait_for_timeout(400)
    box = page.locator(".leaflet-popup").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390, box
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # Another pin's takes its place, and the map closes it.
    page.locator(f'[data-id="{one}"]').tap()
    until(page, "document.querySelector('.pincluster-card strong')?.textContent === 'Bar'")
    assert card.count() == 1
    page.wait_for_timeout(400)
    page.touchscreen.tap(195, 680)
    until(page, CLOSED)
    page.locator(f'[data-id="{one}"]').tap()
    card.wait_for()
    page.wait_for_timeout(400)
    tap_cross(page, ".leaflet-popup-close-button")
    # A second tap on the same pin closes it, too.
    for is_open in (True, False):
        page.locator(f'[data-id="{zero}"]').tap()
        until(page, f"Boolean(document.querySelector('.pincluster-card')) === {str(is_open).lower()}")
        page.wait_for_timeout(400)
    b.close()
    b = maplibre(browse, service, "{ version: 8, sources: {}, layers: [] }", **PHONE)
    page = b.page
    card = page.locator(".pincluster-card")
    page.evaluate("""() => { map.jumpTo({ zoom: 5, center: [12, 50] }); window.own = P.layer(location.origin + '/collections/tapped', {
      id: 'own', titleProperty: 'name', popup: ['rating'] }).addTo(map) }""")
    until(page, drawn("own-pins", 1))
    tap = lambda lng, lat: page.touchscreen.tap(*on_canvas(page, lng, lat))
    tap(10, 50)
    card.wait_for()
    assert card.locator("strong").text_content() == EVIL
    page.wait_for_timeout(800)
    box = page.locator(".maplibregl-popup").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390, box
    page.touchscreen.tap(195, 560)
    until(page, CLOSED)
    tap(14, 50)
    until(page, "document.querySelector('.pincluster-card strong')?.textContent === 'Bar'")
    page.wait_for_timeout(800)
    tap_cross(page, ".maplibregl-popup-close-button")
    b.close()


@test
def popups_in_google_maps(browse, service):
    from layers import GOOGLE
    shops(service, "googled")
    b = browse()
    b.page.route("**/stub", lambda route: route.fulfill(body="<!doctype html><body></body>", content_type="text/html"))
    page = b.page
    page.goto(f"{service.url}/stub")
    page.add_script_tag(content=GOOGLE)
    page.evaluate("""async () => {
      const { MarkerClusterer, html } = await import('/clients/google.js')
      window.map = Object.assign(new StubMap(), { zoom: 6 })
      window.clusterer = new MarkerClusterer({ map, url: '/collections/googled', titleProperty: 'name', live: true, popup: ['rating'],
        html: one => one.count > 1 ? html`<b class="own">${one.count}</b>` : null })
    }""")
    until(page, "clusterer.markers.size === 3")
    assert page.text_content(".own") == "5" and page.locator(".pincluster-content").count() == 1
    page.evaluate("() => { [...clusterer.markers.values()].find(one => one.annotation.feature?.id === 1).dispatchEvent(new Event('gmp-click')) }")
    card = page.locator(".pincluster-card")
    assert card.text_content() == "Barrating2" and card.evaluate("card => card.parentNode.anchor.annotation.feature.id") == 1
    page.wait_for_timeout(800)
    service.store("googled", [(1, [14, 50], {"name": "Bar", "rating": 3})])
    until(page, "document.querySelector('.pincluster-card').textContent === 'Barrating3'")
    service.ask("/collections/googled/items/1", method="DELETE")
    until(page, CLOSED)
    page.evaluate("() => { clusterer.setFields({ filter: 'rating = 4' }) }")
    until(page, "clusterer.markers.size === 1")
    page.evaluate("() => { clusterer.setFields({ filter: null }) }")
    until(page, "clusterer.markers.size === 2")
    page.evaluate("() => { clusterer.setMap(null) }")
    b.close()
