"""The pages of the API and the map page by the rules of axe (deque's, as PyPI's axe-playwright-python has them), and what they are to
people: with a keyboard, on a phone, in the dark, with large text."""

import base64
import json
from importlib.resources import files

from harness import MARK, EVIL, test, until

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
# Leaflet's own attribution is as Leaflet has it.
RUN = """() => axe.run({ exclude: [['.leaflet-control-attribution']] }, { resultTypes: ['violations'], preload: false })
  .then(found => found.violations.map(one => [one.id, one.help, one.nodes.map(node => node.html.slice(0, 200))]))"""
CITY = "2950159"
PAGES = ["/", "/collections", "/collections/cities", "/collections/cities/items?limit=20", f"/collections/cities/items/{CITY}",
         "/collections/cities/items?offset=20&limit=20", "/collections/cities/items?limit=0", "/collections/odd", "/collections/odd/items",
         "/collections/odd/items/1", "/collections/cities/queryables", "/collections/nothing", "/collections/cities/items?bbox=1", "/nothing", "/conformance", "/api?f=html"]
STATES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
    # 200 % of a window 1,280 wide, and text twice as large on top of it.
    "large": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
}


def axe(page, what):
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    assert not found, f"{what}: {json.dumps(found, indent=1)}"


def store_odd(service):
    service.store("odd", [
        (1, [1, 2], {"name": EVIL, "url": "https://example.org/a?b=1&c=2", "script": "javascript:alert(1)", "population": 1234567,
                     "year": 1987, "long": "word " * 200, "nested": {"a": [1, "<b>"]}, "nothing": None, "yes": True}),
        ("a/b ?#", [179, 80], {"name": "x" * 300, "population": -5, **{f"p{i}": i for i in range(20)}}),
        ("\u0301", [-179, -80], {}),
    ])
    service.ask("/collections/odd", {"title": "Odd things", "description": EVIL}, method="PUT")


@test
def axe_finds_nothing_on_pages(browse, service):
    store_odd(service)
    for state, options in STATES.items():
        b = browse(**options)
        for path in PAGES:
            answer = b.page.goto(service.url + path)
            assert answer.headers["content-type"].startswith("text/html"), path
            if state == "large":
                b.page.evaluate("document.documentElement.style.fontSize = '200%'")
            axe(b.page, f"{path}, {state}")
            width, screen = b.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert width <= screen, f"{path}, {state}: {width} wide"
            assert b.page.evaluate("getComputedStyle(document.querySelector('.card')).borderRadius") == "14px", f"{path} has no style"
        b.close()


def expect_within(page, card, what):
    """Nothing sticks out of a card sideways, nor do texts within it."""
    out = page.evaluate('''card => { const { left, right } = document.querySelector(card).getBoundingClientRect()
      return [...document.querySelectorAll(`${card} *`)].filter(one => one.checkVisibility() && !one.closest('.hidden, option')).filter(one => {
        const own = one.getBoundingClientRect(), style = getComputedStyle(one)
        const isCut = one.scrollWidth > one.clientWidth + 1 && style.display !== 'inline' && style.textOverflow !== 'ellipsis' && !/auto|scroll/.test(style.overflowX)
        return own.width > 1 && (own.left < left - 1 || own.right > right + 1 || (isCut && one.clientWidth > 1))
      }).map(one => `${one.tagName}#${one.id} ${one.textContent.slice(0, 30)}`) }''', card)
    assert not out, f"{what}: {out}"


@test
def large_text_fits(browse, service):
    service.ask("/collections/shows", {"temporal": {"property": "on"}, "title": "Concerts, readings and everything else of this season"}, "PUT")
    service.store("shows", [(i, [13 + i * 0.4, 52.5 + i % 3 * 0.3], {"on": f"2026-01-{1 + i:02}", "name": f"The {i}th evening of the philharmonic orchestra",
                                                       "price": i * 1.5}) for i in range(12)])
    for size, sizes in (("100%", [(1280, 800)]), ("200%", [(1280, 800), (768, 1024), (390, 844), (844, 390)])):
        for width, height in sizes:
            b = browse(viewport={"width": width, "height": height})
            page = b.open("collection=shows&color=price&id=7")
            page.wait_for_selector("#details dl")
            page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            page.wait_for_timeout(200)
            expect_within(page, "#details", (size, width))
            # Titles on the map grow, too, and keep apart.
            page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
            b.still()
            titles = page.eval_on_selector_all(f"{MARK}.pincluster-labelled .pincluster-label", '''all => all.map(one => {
              const { left, right, top, bottom } = one.getBoundingClientRect(); return [left, top, right, bottom, parseFloat(getComputedStyle(one).fontSize)] })''')
            assert (titles or width < 1000) and all(one[4] == (24 if size == "200%" else 12) for one in titles), (size, width, titles)
            for i, (left, top, right, bottom, _) in enumerate(titles):
                for west, north, east, south, _ in titles[:i]:
                    assert not (left + 2 < east and west + 2 < right and top + 3 < south and north + 3 < bottom), (size, width, titles)
            if width > 640:
                # The cards lie beside each other.
                panel, card = page.locator("#panel").bounding_box(), page.locator("#details").bounding_box()
                assert panel["x"] + panel["width"] <= card["x"], (size, width, panel, card)
            page.keyboard.press("Escape")
            page.click("#close") if page.is_visible("#close") else None
            page.click("#more") if page.is_visible("#more") else None
            expect_within(page, "#panel", (size, width))
            b.close()


@test
def corners_of_a_sheet(browse, service):
    b = browse(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = b.open("collection=cities&lat=50&lng=10&zoom=5&color=country")
    blank = b.context.new_page()
    for is_open in (False, True):
        if is_open:
            page.tap("#more")
            page.wait_for_timeout(500)
        box = page.locator("#panel").bounding_box()
        corner = base64.b64encode(page.screenshot(clip={"x": 0, "y": box["y"], "width": 3, "height": 3})).decode()
        # The map lies behind it, or a marker.
        light = blank.evaluate('''async text => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob()), canvas = new OffscreenCanvas(3, 3)
          const context = canvas.getContext('2d')
          context.drawImage(image, 0, 0)
          const { data } = context.getImageData(0, 0, 3, 3)
          return Math.min(...Array.from({ length: 9 }, (_, i) => Math.max(...data.slice(4 * i, 4 * i + 3)))) }''', corner)
        assert light > 60, (is_open, light)
    b.close()


@test
def axe_finds_nothing_on_the_map(browse, service):
    for state, options in STATES.items():
        b = browse(**options)
        page = b.open("collection=cities&lat=51&lng=10&zoom=6&color=country")
        if state == "large":
            page.evaluate("document.documentElement.style.fontSize = '200%'")
        axe(page, f"the map, {state}")
        if page.is_visible("#more"):
            page.click("#more")
        page.fill("#name", "berlin")
        page.wait_for_selector("#found button")
        axe(page, f"what is found, {state}")
        page.fill("#name", "")
        page.fill("#filter", "population > > 3")
        page.wait_for_selector("#filter-error mark")
        axe(page, f"an error, {state}")
        expect_within(page, "#panel", state)
        b.close()
        b = browse(**options)
        page = b.open(f"collection=cities&lat=52.52&lng=13.41&zoom=12&id={CITY}")
        page.wait_for_selector("#details dl")
        if state == "large":
            page.evaluate("document.documentElement.style.fontSize = '200%'")
        axe(page, f"a feature, {state}")
        expect_within(page, "#details", state)
        b.close()
    service.store("stack", [(i, [13, 52], {"name": f"s{i}"}) for i in range(70)])
    b = browse()
    page = b.open("collection=stack&lat=52&lng=13&zoom=18")
    b.press(next(iter(b.shown())))
    page.wait_for_selector("#details-body li, .pincluster-leg", state="attached")
    axe(page, "what lies in one place")
    b.close()
    b = browse()
    page = b.open("collection=nothing", wait=False)
    page.wait_for_timeout(1000)
    axe(page, "a collection that isn't there")
    b.close()


@test
def pages_lead_to_the_map_and_back(browse, service):
    store_odd(service)
    b = browse()
    page = b.page
    page.goto(f"{service.url}/")
    # The first stop of the keyboard leads past what is on every page.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'main'")
    page.click("table >> text=cities")
    assert page.text_content("h1") == "cities"
    page.click("text=Browse features")
    first = page.text_content("tbody th >> nth=0")
    page.click("nav.paging >> text=Next >> nth=0")
    assert page.text_content("tbody th >> nth=0") != first
    page.click("nav.paging >> text=Previous >> nth=0")
    assert page.text_content("tbody th >> nth=0") == first
    page.click("tbody th a >> nth=0")
    name = page.text_content("h1")
    page.click("text=Show on the map")
    page.wait_for_selector("#details dl")
    b.still()
    assert page.text_content("#details-title") == name
    assert page.locator(".pincluster-chosen").count() == 1
    page.go_back()
    assert page.text_content("h1") == name
    # Only addresses of the web are links.
    page.goto(f"{service.url}/collections/odd/items/1")
    links = page.eval_on_selector_all(".values a", "all => all.map(one => [one.getAttribute('href'), one.rel])")
    assert links == [["https://example.org/a?b=1&c=2", "nofollow noopener noreferrer"]], links
    assert "1,234,567" in page.text_content(".values") and "1987" in page.text_content(".values")
    for one in ("a/b ?#", "\u0301"):
        page.goto(f"{service.url}/collections/odd/items")
        page.locator("tbody th a", has_text=one).last.click()
        assert one in page.text_content(".figures"), one
        page.click("text=Show on the map")
        page.wait_for_selector("#details-title")
        b.still()
    b.close()
