#!/usr/bin/env python3
"""The map page, the examples and the layers in a headless Chromium, against the built binary.

usage: browser.py BINARY [--only NAME] [--full]

With --full, live changes go on for half a minute: 10,000 features, of which 2,000 move each second.
Needs playwright and maplibre (PyPI), and Debian's chromium and libjs-leaflet. Prints a line for each test, and exits
with 1 if one fails.
"""

import contextlib
import json
import random
import re
import sys
import tempfile
import threading
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import TimeoutError, sync_playwright

from service import ROOT, Service

MARK = ".pincluster-mark:not(.pincluster-leaving)"
EVIL = "<img src=x onerror=\"document.title='broken'\"><b>bold</b> & 'so'"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def until(page, condition, timeout=20_000):
    """Waits for a condition. Playwright's own way is an eval, which the page forbids."""
    end = time.monotonic() + timeout / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"not within {timeout} ms: {condition}"
        page.wait_for_timeout(40)


# What a page does that it must not: other origins, violations, errors.
WATCH = """
window.violations = []
addEventListener('securitypolicyviolation', event => violations.push(`${event.violatedDirective} ${event.blockedURI}`))
"""


class Browser:
    """A page in a context of its own, which notes what it must not do."""

    def __init__(self, chromium, service, **options):
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        self.context = chromium.new_context(**options)
        self.context.add_init_script(WATCH)
        self.page = self.context.new_page()
        self.service = service
        self.requests, self.errors = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(dialog.message))

    def open(self, state="", wait=True):
        self.page.goto(f"{self.service.url}/map#{state}")
        if wait:
            self.page.wait_for_selector(MARK)
            self.still()
        return self.page

    def still(self):
        """Waits until nothing is asked for and nothing moves."""
        until(self.page, 
            "document.body.dataset.status !== 'loading' && !document.querySelector('.pincluster-leaving, .leaflet-zoom-anim')")
        self.page.wait_for_timeout(500)
        until(self.page, "document.body.dataset.status !== 'loading'")

    def shown(self):
        """What is on screen: the count of each annotation."""
        labels = self.page.eval_on_selector_all(
            MARK, "all => all.map(one => [one.dataset.id, one.getAttribute('aria-label')])")
        counts = {}
        for one, label in labels:
            found = re.match(r"([\d,.]+) features", label)
            counts[one] = int(re.sub(r"\D", "", found[1])) if found else 1
        assert len(counts) == len(labels), "an annotation is there twice"
        return counts

    def expect_fresh(self):
        """What is on screen is what the command on the page gets."""
        command = self.page.text_content("#curl")
        url = re.search(r"'(http[^']+)'", command)[1]
        body = re.search(r"-d '(.*)'$", command)
        view = json.loads(body[1].replace("'\\''", "'")) if body else None
        if view:
            view.pop("previous", None)
        answer = self.service.ask(url, view)
        assert self.shown() == {one["id"]: one["count"] for one in answer["annotations"]}, command
        return answer

    def press(self, one):
        """Clicks an annotation, or chooses it by the keyboard where another one lies over it."""
        mark = self.page.locator(f'{MARK}[data-id="{one}"]')
        try:
            mark.click(timeout=700)
        except TimeoutError:
            mark.press("Enter")

    def close(self, others=()):
        violations = self.page.evaluate("window.violations ?? []")
        self.context.close()
        assert not violations, violations
        assert not self.errors, self.errors
        elsewhere = {url for url in self.requests
                     if not url.startswith((self.service.url + "/", "data:", "blob:", *others))}
        assert not elsewhere, elsewhere


# MARK: The map page


@test
def first_map(browse, service):
    b = browse()
    begun = time.monotonic()
    page = b.open("collection=cities", wait=False)
    page.wait_for_selector(MARK)
    print(f"  first map after {time.monotonic() - begun:.2f} s")
    b.still()
    answer = b.expect_fresh()
    assert answer["featureCount"] > 30_000 and len(answer["annotations"]) > 50
    figures = page.text_content("#figures")
    assert f"{answer['featureCount']:,} features" in figures, figures
    assert re.search(r"\d+ ms", page.text_content("#took"))
    # Land is drawn: not all has one colour.
    until(page, "document.querySelector('.pincluster-land').dataset.zoom")
    colors = page.evaluate("""() => { const land = document.querySelector('.pincluster-land')
        return new Set(new Uint32Array(land.getContext('2d').getImageData(0, 0, land.width, land.height).data.buffer)).size }""")
    assert colors > 2, colors
    # All modules are named in the page, so that none waits for another one to be read.
    named = page.eval_on_selector_all("link[rel=modulepreload], script[type=module]", "all => all.map(one => one.href || one.src)")
    modules = {url for url in b.requests if url.endswith(".js")}
    assert modules == set(named), modules ^ set(named)
    b.close()


@test
def levels_to_a_spiral(browse, service):
    stack = [(i, [10.0, 50.0], {"name": f"floor {i}"}) for i in range(30)]
    around = [(100 + i, [10 + 0.0003 * i, 50.0002 * 1], {"name": f"door {i}"}) for i in range(1, 6)]
    far = [(200 + i, [10 + 0.05 * i, 50.03], {"name": f"house {i}"}) for i in range(1, 40)]
    wide = [(300 + i, [i * 2.0, 40 + i % 7], {"name": f"town {i}"}) for i in range(40)]
    service.store("stack", stack + around + far + wide)
    b = browse()
    page = b.open("collection=stack&lat=48&lng=10&zoom=4")
    levels = 0
    while not page.query_selector(".pincluster-open"):
        # The cluster that holds the stack: that with the most features near it.
        largest = max(b.shown().items(), key=lambda one: one[1])[0]
        zoom = page.evaluate("location.hash.match(/zoom=([\\d.]+)/)[1]")
        b.press(largest)
        until(page, 
            f"document.querySelector('.pincluster-open') || location.hash.match(/zoom=([\\d.]+)/)[1] !== '{zoom}'")
        b.still()
        levels += 1
        assert levels < 15
    assert levels >= 3, levels
    spread = page.locator(MARK + '[data-id^="feature "]')
    assert spread.count() == 30, spread.count()
    boxes = [box for box in (spread.nth(i).bounding_box() for i in range(30))]
    centres = {(round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)) for box in boxes}
    assert len(centres) == 30
    least = min(((a - c) ** 2 + (b_ - d) ** 2) ** 0.5 for i, (a, b_) in enumerate(sorted(centres)) for c, d in sorted(centres)[:i])
    assert least > 15, least
    # The card lists the members, page by page.
    assert page.text_content("#details-title") == "30 features"
    page.wait_for_selector("#details-body li")
    assert page.locator("#details-body li").count() == 20
    page.click("#next")
    until(page, "document.querySelectorAll('#details-body li').length === 10")
    assert page.text_content("#page") == "21–30 of 30"
    spread.nth(3).focus()
    page.keyboard.press("Escape")
    assert spread.count() == 0 and not page.query_selector(".pincluster-open")
    b.close()


@test
def filter_and_its_error(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    all_of_them = sum(b.shown().values())
    page.fill("#filter", "population > 100000 AND country = 'DE'")
    until(page, f"!document.querySelector('#figures').textContent.startsWith('{all_of_them:,}')")
    b.still()
    answer = b.expect_fresh()
    assert 50 < answer["featureCount"] < all_of_them
    assert "filter=population" in page.url
    page.fill("#filter", "population > 'x' AND AND name = 'é'")
    page.wait_for_selector("#filter-error mark")
    assert page.get_attribute("#filter", "aria-invalid") == "true"
    before, mark = page.evaluate(
        "(() => { const m = document.querySelector('#filter-error mark'); return [m.previousSibling.textContent, m.textContent] })()")
    assert before + mark == "population > 'x' AND A", before
    assert "character 22" in page.text_content("#filter-error")
    page.fill("#filter", "")
    page.wait_for_selector("#filter-error", state="hidden")
    b.still()
    assert sum(b.shown().values()) == all_of_them
    b.close()


@test
def url_state(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    page.select_option("#color", "country")
    page.check("input[name=how][value=group]", force=True)
    page.fill("#filter", "population > 50000")
    page.check("#grid")
    page.wait_for_selector(".pincluster-cells", state="attached")
    page.mouse.move(800, 400)
    page.mouse.down()
    page.mouse.move(700, 350, steps=4)
    page.mouse.up()
    page.wait_for_timeout(700)
    b.still()
    shown, url = b.shown(), page.url
    b.expect_fresh()
    assert "DE" in page.text_content("#legend") and page.locator("#legend li").count() >= 5
    again = browse()
    again.page.goto(url)
    again.page.wait_for_selector(".pincluster-cells", state="attached")
    again.still()
    assert again.shown() == shown
    assert "DE" in again.page.text_content("#legend")
    assert again.page.url == url, (again.page.url, url)
    # Other ways of clustering: what is on screen is what they answer.
    for method, size in (("distance", "45"), ("collision", "60")):
        again.page.check(f"input[name=method][value={method}]", force=True)
        again.page.fill("#size", size)
        again.page.wait_for_timeout(900)
        again.still()
        again.expect_fresh()
    again.close()
    b.close()


@test
def pies(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=50&lng=10&zoom=4&color=country")
    assert page.locator(".pincluster-pie").count() > 5
    slices = page.evaluate("getComputedStyle(document.querySelector('.pincluster-pie .pincluster-face')).backgroundImage")
    assert slices.startswith("conic-gradient"), slices
    b.close()


@test
def finding(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=0&lng=0&zoom=3")
    page.fill("#name", "reykjav")
    page.wait_for_selector("#found button")
    assert "Reykjavík" in page.text_content("#found")
    page.keyboard.press("Enter")
    page.wait_for_selector(".pincluster-chosen")
    b.still()
    page.wait_for_selector("#details dl")
    assert "Atlantic/Reykjavik" in page.text_content("#details-body")
    assert "id=3413829" in page.url
    box = page.locator(".pincluster-chosen").bounding_box()
    assert 300 < box["x"] < 1000 and 200 < box["y"] < 600, box
    page.fill("#name", "2950159")
    until(page, "document.querySelector('#found')?.textContent.includes('Berlin')")
    page.fill("#name", "no such place")
    page.wait_for_selector("#not-found")
    b.close()


@test
def hulls(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    largest = max(b.shown().items(), key=lambda one: one[1])[0]
    if "hull" not in json.dumps(service.ask("/api?f=json")["paths"].get("/collections/{collectionId}/clusters/{annotationId}/hull", "")):
        print("  SKIPPED: the service knows no hulls")
        return b.close()
    page.locator(f'{MARK}[data-id="{largest}"]').hover(force=True)
    page.wait_for_selector(".pincluster-hull", state="attached")
    over = page.evaluate("document.elementFromPoint(...Object.values((({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))"
                         "(document.querySelector('.pincluster-hull').getBoundingClientRect()))).closest('#map') !== null")
    assert over
    page.mouse.move(640, 2)
    page.wait_for_selector(".pincluster-hull", state="detached")
    b.close()


@test
def times(browse, service):
    service.ask("/collections/concerts", {"temporal": {"property": "on"}}, "PUT")
    service.store("concerts", [
        (i, [5 + i % 10, 45 + i // 40], {"on": f"2026-{1 + i % 12:02}-15", "name": f"c{i}"}) for i in range(360)])
    b = browse()
    page = b.open("collection=concerts")
    page.wait_for_selector("#bars i")
    assert sum(b.shown().values()) == 360
    assert page.locator("#bars i").count() == 40
    page.fill("#from", "500")
    until(page, "document.querySelector('#figures').textContent.startsWith('180 ')")
    b.still()
    b.expect_fresh()
    assert "from=500" in page.url
    b.close()


# Notes ids that stay while their element is another one, and tasks of 50 ms and more.
FLICKER = """() => {
  window.flicker = []
  window.blocked = []
  const pane = document.querySelector('.leaflet-marker-pane')
  const elements = () => new Map([...pane.querySelectorAll('MARK')].map(one => [one.dataset.id, one]))
  let before = elements()
  new MutationObserver(() => {
    const now = elements()
    for (const [id, element] of now) if ((before.get(id) ?? element) !== element) flicker.push(id)
    before = now
  }).observe(pane, { childList: true, subtree: true, attributeFilter: ['data-id', 'class'] })
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) blocked.push([startTime, duration])
  }).observe({ type: 'longtask' })
}""".replace("MARK", MARK)


class Traffic(threading.Thread):
    """Moves features at a steady rate until told to stop."""

    def __init__(self, service, collection, places, rate, rng):
        super().__init__(daemon=True)
        self.service, self.collection, self.places, self.rate, self.rng = service, collection, places, rate, rng
        self.going, self.updates, self.seconds = True, 0, 0.0

    def run(self):
        begun = time.monotonic()
        while self.going:
            moved = self.rng.sample(range(len(self.places)), self.rate // 20)
            for i in moved:
                self.places[i] = [x + self.rng.gauss(0, 0.02) for x in self.places[i]]
            self.service.store(self.collection, [(i, self.places[i], {"name": f"taxi {i}"}) for i in moved])
            self.updates += len(moved)
            time.sleep(max(0, begun + self.updates / self.rate - time.monotonic()))
        self.seconds = time.monotonic() - begun

    def stop(self):
        self.going = False
        self.join()


@test
def live_changes(browse, service):
    # In full: 10,000 features, of which 2,000 move each second, for 30 s.
    count, rate, spells, length = (10_000, 2_000, 3, 10) if "--full" in sys.argv else (3_000, 1_000, 2, 3)
    rng = random.Random(7)
    places = [[rng.uniform(-3, 23), rng.uniform(43, 57)] for _ in range(count)]
    service.store("taxis", [(i, place, {"name": f"taxi {i}"}) for i, place in enumerate(places)])
    b = browse()
    page = b.open("collection=taxis&lat=50&lng=10&zoom=6&live=1")
    until(page, "document.body.dataset.status === 'live'")
    page.evaluate(FLICKER)
    updates = seconds = busy = 0
    tasks = []
    for _ in range(spells):
        before = b.shown()
        traffic = Traffic(service, "taxis", places, rate, rng)
        begun = page.evaluate("blocked.splice(0), performance.now()")
        versions = set()
        traffic.start()
        end = time.monotonic() + length
        while time.monotonic() < end:
            versions.add(page.evaluate("document.body.dataset.version"))
            page.wait_for_timeout(100)
        traffic.stop()
        updates, seconds = updates + traffic.updates, seconds + traffic.seconds
        blocked = page.evaluate("blocked.splice(0)")
        tasks += [duration for _, duration in blocked]
        # Events come four times a second at most: in how many of these spans a task was too long.
        busy += len({int((start - begun) / 250) for start, _ in blocked})
        assert len(versions) > length, f"{len(versions)} states in {length} s"
        # Whenever it is still, what is shown is what is there.
        version = service.ask("/collections/taxis")["version"]
        until(page, f"Number(document.body.dataset.version) >= {version}")
        page.wait_for_timeout(600)
        b.expect_fresh()
        assert b.shown() != before
    flicker = page.evaluate("flicker")
    assert not flicker, flicker
    spans = spells * length * 4
    print(f"  {count:,} features, {updates / seconds:,.0f} updates a second for {seconds:.0f} s in {len(before)} markers: "
          f"{len(tasks)} tasks of 50 ms and more, the longest {max(tasks, default=0):.0f} ms, in {busy} of {spans} quarters of a second")
    assert updates / seconds > 0.8 * rate
    assert busy <= (0.05 if "--full" in sys.argv else 0.5) * spans
    # A zoom keeps markers, too: those that the service reuses stay the same elements.
    page.evaluate("window.kept = new Set(document.querySelectorAll('.pincluster-mark'))")
    page.click(".leaflet-control-zoom-in")
    page.wait_for_timeout(800)
    b.still()
    kept = page.evaluate("[...document.querySelectorAll('.pincluster-mark')].filter(one => kept.has(one)).length")
    assert kept > 10, kept
    b.close()


@test
def pinch(browse, service):
    b = browse(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    devtools = b.context.new_cdp_session(page)
    zoom = "Number(location.hash.match(/zoom=([\\d.]+)/)[1])"

    def gesture(start, end, steps=8):
        """Two fingers, which go from one distance to another."""
        for step in range(steps + 1):
            half = (start + (end - start) * step / steps) / 2
            fingers = [{"x": 195 - half * 0.6, "y": 330 - half * 0.8, "id": 0}, {"x": 195 + half * 0.6, "y": 330 + half * 0.8, "id": 1}]
            devtools.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": fingers})
            page.wait_for_timeout(16)
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    gesture(60, 260)
    until(page, f"{zoom} > 5")
    b.still()
    closer = page.evaluate(zoom)
    assert 6.5 <= closer <= 7.5, closer
    b.expect_fresh()
    gesture(260, 80)
    until(page, f"{zoom} < {closer}")
    b.still()
    assert page.evaluate(zoom) <= closer - 1
    b.expect_fresh()
    # The page itself stays as large as it is.
    assert page.evaluate("visualViewport.scale") == 1
    b.close()


@test
def room_for_all(browse, service):
    b = browse()
    page = b.open("collection=cities&lat=48.2&lng=16.3&zoom=9")
    boxes = """selector => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility() && one.textContent)
        .map(one => { const { left, top, right, bottom } = one.getBoundingClientRect(); return [left, top, right, bottom] })"""
    labels = page.evaluate(boxes, ".pincluster-label")
    discs = page.evaluate(boxes, ".pincluster-cluster .pincluster-face")
    assert len(labels) > 15, labels
    for place, (left, top, right, bottom) in enumerate(labels):
        for west, north, east, south in labels[:place] + discs:
            # The boxes of letters are higher than they are.
            assert not (left + 2 < east and west + 2 < right and top + 3 < south and north + 3 < bottom), "a title lies over something"
    # What a cluster comes apart into is beside the cards, not under them.
    for size in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page = b.open("collection=cities&lat=52.3&lng=9.7&zoom=8")
        largest, count = max(b.shown().items(), key=lambda one: one[1])
        mark = page.locator(f'{MARK}[data-id="{largest}"]')
        before = page.url
        mark.press("Enter")
        until(page, f"location.href !== {json.dumps(before)}")
        b.still()
        page.wait_for_selector("#details-body li")
        free = page.evaluate("""() => [...document.querySelectorAll('MARK')].filter(one => {
            const { x, y, width, height } = one.getBoundingClientRect()
            return one.contains(document.elementFromPoint(x + width / 2, y + height / 2)) || document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.pincluster-mark')
          }).map(one => one.getAttribute('aria-label'))""".replace("MARK", MARK))
        seen = sum(int(found[1]) if (found := re.match(r"(\d+) features", label)) else 1 for label in free)
        assert seen >= count, (seen, count, free)
        page.goto("about:blank")
    b.close()


@test
def markup_is_text(browse, service):
    service.ask("/collections/evil", {"title": EVIL}, "PUT")
    service.store("evil", [(EVIL, [10, 50], {"name": EVIL, EVIL: EVIL}), ("b", [10.5, 50], {"name": EVIL}), ("c", [10, 50], {"name": "x"})])
    b = browse()
    page = b.open("collection=evil&lat=50&lng=10.2&zoom=10&color=name")
    assert EVIL in page.text_content("#collection")
    page.locator(MARK + ".pincluster-pin").first.click()
    page.wait_for_selector("#details dl")
    assert EVIL in page.text_content("#details")
    page.locator(MARK + ".pincluster-cluster").first.click()
    page.wait_for_selector("#details-body li")
    assert EVIL in page.text_content("#details-body")
    page.fill("#name", "<img")
    page.wait_for_selector("#found button")
    page.click("#found button")
    page.wait_for_timeout(800)
    found = page.evaluate("document.querySelectorAll('#panel b, #details b, img[src=x], .leaflet-marker-pane b').length")
    assert found == 0 and page.title() != "broken"
    b.close()


# MARK: For everybody

CONTRAST = """() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1] }
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0)
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = parse(getComputedStyle(element).backgroundColor)
      if (color[3] > .9) return color
    }
    return [255, 255, 255]
  }
  const bad = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    if (element.closest('.hidden, script, option, .leaflet-disabled, :disabled')) continue
    const style = getComputedStyle(element)
    const [a, b] = [light(parse(style.color)), light(behind(element))].sort((a, b) => b - a)
    if ((a + .05) / (b + .05) < 4.5) bad.push([element.className || element.id || element.tagName, style.color, behind(element).join(), walker.currentNode.textContent.trim().slice(0, 20)])
  }
  return bad
}"""


@test
def names_contrast_focus(browse, service):
    for scheme in ("light", "dark"):
        b = browse(color_scheme=scheme)
        page = b.open("collection=cities&lat=64.5&lng=-19&zoom=6&color=country")
        page.fill("#filter", "population > > 3")
        page.wait_for_selector("#filter-error mark")
        bad = page.evaluate(CONTRAST)
        assert not bad, f"{scheme}: {bad}"
        tree = b.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        wanted = {"button", "textbox", "combobox", "slider", "checkbox", "radio", "link", "searchbox", "listbox", "main", "region"}
        nameless = [node["role"]["value"] for node in tree
                    if not node["ignored"] and node["role"]["value"] in wanted and not node.get("name", {}).get("value")]
        assert not nameless, nameless
        b.close()
    b = browse()
    page = b.open("collection=cities&lat=64.5&lng=-19&zoom=6")
    order = []
    page.keyboard.press("Tab")
    for _ in range(30):
        order.append(page.evaluate(
            "(a => a.id || (a.classList.contains('pincluster-mark') ? 'mark' : a.name || a.className.split(' ')[0] || a.tagName))(document.activeElement)"))
        page.keyboard.press("Tab")
    order = order[:order.index("BODY")] if "BODY" in order else order
    wanted = ["collection", "name", "filter", "color", "method", "size", "titles", "grid", "live", "copy", "curl", "map", "mark"]
    assert [one for one in order if one in wanted][:len(wanted)] == wanted, order
    assert order.count("mark") == 1, order
    # From marker to marker by arrows, and into a cluster by Enter.
    page.focus(MARK + "[tabindex='0']")
    first = page.evaluate("document.activeElement.dataset.id")
    moved = set()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        moved.add(page.evaluate("document.activeElement.dataset.id"))
    assert len(moved | {first}) >= 2, moved
    before = page.url
    page.focus(MARK + ".pincluster-cluster >> nth=0")
    page.keyboard.press("Enter")
    until(page, f"location.href !== {json.dumps(before)}")
    b.still()
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.classList.contains('pincluster-mark')"), "the focus is lost"
    b.close()


@test
def phone(browse, service):
    b = browse(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = b.open("collection=cities&lat=51&lng=10&zoom=5")
    b.expect_fresh()
    assert not page.is_visible("#filter")
    page.tap("#more")
    assert page.is_visible("#filter") and page.get_attribute("#more", "aria-expanded") == "true"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.eval_on_selector_all(
        MARK + ", #panel button, #panel select", "all => all.filter(one => one.checkVisibility() && one.offsetHeight < 24).length")
    assert small == 0
    b.close()


@test
def antimeridian(browse, service):
    service.store("fiji", [(i, [180 - 0.2 * i if i % 2 else -180 + 0.2 * i, -17], {"name": f"i{i}"}) for i in range(1, 20)])
    for lng in ("179.5", "-179.5"):
        b = browse()
        page = b.open(f"collection=fiji&lat=-17&lng={lng}&zoom=6")
        b.expect_fresh()
        boxes = [one.bounding_box() for one in page.query_selector_all(MARK)]
        assert sum(b.shown().values()) == 19
        assert all(0 < box["x"] < 1280 for box in boxes), boxes
        largest = max(b.shown().items(), key=lambda one: one[1])[0]
        mark = page.locator(f'{MARK}[data-id="{largest}"]')
        mark.hover(force=True)
        page.wait_for_selector(".pincluster-hull", state="attached")
        hull, disc = page.locator(".pincluster-hull").bounding_box(), mark.bounding_box()
        assert hull["x"] <= disc["x"] + disc["width"] / 2 <= hull["x"] + hull["width"], (hull, disc)
        b.close()


# MARK: The layers in pages of others


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
        if "demotiles" in url:
            return route.fulfill(body=blank, content_type="application/json")
        if "tile.openstreetmap" in url:
            return route.fulfill(body=png, content_type="image/png")
        return route.continue_()

    b.page.route(lambda url: not url.startswith(service.url), route)
    b.page.goto("http://example.test/")
    return b.page


@test
def example_leaflet(browse, service):
    b = browse()
    page = serve_example(b, "leaflet.html", service)
    page.wait_for_selector(MARK)
    page.wait_for_timeout(600)
    assert len(b.shown()) > 20
    b.close(("http://example.test/", "https://tile.openstreetmap.org/"))


@test
def documented_lines(browse, service):
    """What README.md and the guide tell to write, in a page that has nothing else."""
    [readme] = re.findall(r"```html\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    script = re.findall(r"```js\n(import .*?)```", (ROOT / "docs/guide.md").read_text(), re.S)
    assert len(readme.splitlines()) <= 10 and len(script) == 3, script
    box = '<!doctype html><div id="map" style="height: 90vh"></div>'
    leaflet = box + "".join(line for line in readme.splitlines() if "clients/leaflet/leaflet" in line)
    maplibre = box + '<script src="https://unpkg.com/maplibre-gl@5/dist/maplibre-gl.js"></script>'
    for page_text in (readme, f"{leaflet}<script type=module>{script[0]}</script>"):
        b = browse()
        page = serve_page(b, page_text, service)
        page.wait_for_selector(MARK)
        page.wait_for_timeout(400)
        assert len(b.shown()) > 20
        b.close(("http://example.test/",))
    b = browse()
    page = serve_page(b, f"{maplibre}<script type=module>{script[1]}\nwindow.map = map</script>", service)
    until(page, "window.map?.getLayer('pincluster-cities-clusters') && map.queryRenderedFeatures({ layers: ['pincluster-cities-clusters'] }).length > 10")
    b.close(("http://example.test/", "https://unpkg.com/", "https://demotiles.maplibre.org/"))
    b = browse()
    page = serve_page(b, f"<!doctype html><script type=module>{script[2].rsplit('for await', 1)[0]}\nwindow.found = annotations</script>", service)
    until(page, "window.found?.length > 10")
    b.close(("http://example.test/",))


@test
def example_maplibre(browse, service):
    b = browse()
    page = serve_example(b, "maplibre.html", service)
    with page.expect_response(lambda answer: "/tiles/" in answer.url and answer.status == 200, timeout=20_000):
        pass
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
    b.close(("http://example.test/", "https://unpkg.com/", "https://demotiles.maplibre.org/"))


# Exactly what google.js uses of the Google Maps JavaScript API.
GOOGLE = """
class AdvancedMarkerElement extends HTMLElement {
  constructor(options) { super(); Object.assign(this, options); made.push(this); this.append(this.content) }
  set map(map) { this.own = map; if (map) map.div.append(this); else this.remove() }
  get map() { return this.own }
}
customElements.define('advanced-marker', AdvancedMarkerElement)
window.made = []
window.google = { maps: { marker: { AdvancedMarkerElement } } }
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


def main():
    binary = sys.argv[1]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    failed = []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        service = Service(binary, folder)
        stack.callback(service.stop)
        playwright = stack.enter_context(sync_playwright())
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--enable-unsafe-swiftshader",
                                                            "--disable-features=LocalNetworkAccessChecks"])
        stack.callback(chromium.close)
        for one in TESTS:
            if only not in one.__name__:
                continue
            begun = time.monotonic()
            try:
                one(lambda **options: Browser(chromium, service, **options), service)
                print(f"ok {one.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)
            except Exception:
                failed.append(one.__name__)
                # Not the frames of playwright.
                own = [line for line in traceback.format_exc().splitlines() if not re.search(r"site-packages|\^\^|^    \w", line)]
                print(f"FAILED {one.__name__} ({time.monotonic() - begun:.1f} s)", *own[-25:], sep="\n", flush=True)
    print(f"{len(TESTS)} tests in a browser, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
