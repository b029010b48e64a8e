"""Icons, popups and filters of the layers, in pages that have nothing else; MapLibre's counts, and its layer without a base map."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

from harness import EVIL, MARK, test, until
from service import ROOT

PAGE = """<!doctype html><link rel="stylesheet" href="/clients/leaflet/leaflet.css"><div id="map" style="height: 700px"></div>
<script src="/clients/leaflet/leaflet.js"></script>"""
MAPLIBRE = Path(find_spec("maplibre").origin).parent / "srcjs"
CLOSED = "!document.querySelector('.pincluster-card')"
# What has the focus: the id of a mark, or a class.
FOCUS = "document.activeElement.dataset.id ?? document.activeElement.className"


def shops(service, name):
    """Two pins and a cluster of five around it."""
    places = [([10, 50], {"name": EVIL, "rating": 4.5, "tags": ["a", "b"], "founded": 2019, "none": None}), ([14, 50], {"name": "Bar", "rating": 2})]
    places += [([5 + i / 1000, 50], {"name": f"Kiosk {i}", "rating": i}) for i in range(5)]
    return service.store(name, [(i, place, properties) for i, (place, properties) in enumerate(places)])


def leaflet(browse, service, name, options, setup=""):
    """A map with a layer in a page of its own, with functions as the text of a script."""
    shops(service, name)
    b = browse()
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
