"""Leaflet layers: two on one map, one within a shadow root, hulls that go, and spread pins that follow changes."""

from content import leaflet, shops
from harness import MARK, test, until

STOPS = "[...document.querySelectorAll('.pincluster-mark:not(.pincluster-leaving)')].filter(one => one.tabIndex === 0).length"
SPREAD = "[...document.querySelectorAll('.pincluster-spread')].map(one => one.ariaLabel).sort().join()"


@test
def two_layers_of_a_map(browse, service):
    service.store("other", [(1, [10, 51], {"name": "C"}), (2, [12, 49], {"name": "D"})])
    b = leaflet(browse, service, "mine", "")
    page = b.page
    page.evaluate("() => { window.other = P.layer('/collections/other', { titleProperty: 'name' }).addTo(map) }")
    until(page, "document.querySelector('[aria-label=C]')")
    assert page.evaluate(STOPS) == 2
    # Keys on a marker are those of its layer.
    for label, key, zoom in (("C", "+", 7), ("Bar", "-", 6)):
        page.locator(f"[aria-label={label}]").focus()
        page.keyboard.press(key)
        until(page, f"map.getZoom() === {zoom}")
        b.page.wait_for_timeout(500)
    assert not b.errors, b.errors
    # An arrow leads from one layer to another, and the other one's marker isn't taken from it.
    page.locator("[aria-label=C]").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.ariaLabel") != "C"
    assert page.evaluate(STOPS) == 2
    page.evaluate("layer.remove()")
    assert page.evaluate(STOPS) == 1
    assert page.evaluate("problems") == []
    b.close()


@test
def a_layer_in_a_shadow_root(browse, service):
    b = leaflet(browse, service, "shadowed", "")
    page = b.page
    page.evaluate("""() => {
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
      root.innerHTML = '<link rel="stylesheet" href="/clients/leaflet/leaflet.css"><div style="height: 300px"></div>'
      window.inner = L.map(root.querySelector('div'))
      inner.setView([50, 10], 6)
      P.layer('/collections/shadowed').addTo(inner)
      window.faces = () => [...root.querySelectorAll('.pincluster-face')].map(one => getComputedStyle(one).borderRadius)
    }""")
    until(page, "faces().length > 0")
    assert set(page.evaluate("faces()")) == {"50%"}, page.evaluate("faces()")
    b.close()


@test
def hulls_go_with_their_clusters(browse, service):
    service.store("fields", [(i, [5 + i % 10 / 5, 49 + i // 10 / 5], {"n": i}) for i in range(100)])
    b = leaflet(browse, service, "hulled", "")
    page = b.page
    page.evaluate("""() => { layer.remove()
      map.setView([50, 6], 5, { animate: false })
      window.layer = P.layer('/collections/fields', { cellSize: 200 }).addTo(map) }""")
    page.wait_for_selector(".pincluster-cluster")
    page.wait_for_timeout(500)
    for fields in ("{ filter: 'n < 3' }", "{ filter: 'n < 60' }"):
        page.evaluate("layer.setFields({ filter: null })")
        page.wait_for_timeout(700)
        page.mouse.move(5, 5)
        box = page.locator(".pincluster-cluster").first.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_selector(".pincluster-hull", state="attached")
        page.evaluate(f"layer.setFields({fields})")
        until(page, "!document.querySelector('.pincluster-hull')", timeout=3_000)
    b.close()


@test
def spread_pins_follow_changes(browse, service):
    shops(service, "spreading")
    at = [20, 50]
    service.store("spreading", [(10 + i, at, {"name": f"S{i}"}) for i in range(3)])
    b = leaflet(browse, service, "spreading", "live: true, popup: ['name']", "map.setView([50, 20], 8)")
    page = b.page
    service.store("spreading", [(10 + i, at, {"name": f"S{i}"}) for i in range(3)])
    page.wait_for_timeout(900)
    page.locator(f"{MARK}[aria-label^='3 features']").click()
    until(page, f"{SPREAD} === 'S0,S1,S2'")
    page.locator(".pincluster-spread[aria-label=S1]").click()
    until(page, "document.querySelector('.pincluster-card')")
    # A feature that changes changes its pin, and the popup there.
    service.store("spreading", [(11, at, {"name": "Renamed"})])
    until(page, f"{SPREAD} === 'Renamed,S0,S2'")
    assert page.text_content(".pincluster-card strong") == "Renamed"
    service.ask("/collections/spreading/items/10", method="DELETE")
    until(page, f"{SPREAD} === 'Renamed,S2'")
    service.ask("/collections/spreading/items/12", method="DELETE")
    until(page, f"{SPREAD} === ''")
    assert page.evaluate("problems") == []
    b.close()
