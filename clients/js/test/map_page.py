"""The map page, used as people use it."""

import json
import re
import time

from harness import EVIL, MARK, test, until


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
    # They are beside the cards.
    covers = [page.locator(card).bounding_box() for card in ("#panel", "#details")]
    assert all(x < cover["x"] or x > cover["x"] + cover["width"] or y > cover["y"] + cover["height"]
               for x, y in centres for cover in covers), (centres, covers)
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
    # Without accents, in any case, and with those that aren't there; a name within others, too.
    for text, name in (("monchen", "Mönchengladbach"), ("zurich", "Zürich"), ("koln", "Köln"), ("SAO PAULO", "São Paulo"), ("bérlin", "Berlin"), ("gallen", "Sankt Gallen")):
        page.fill("#name", text)
        until(page, f"[...document.querySelectorAll('#found button')].some(one => one.firstChild.textContent.startsWith({name!r}))")
    page.fill("#name", "2950159")
    until(page, "document.querySelector('#found')?.textContent.includes('Berlin')")
    page.fill("#name", "no such place")
    page.wait_for_selector("#not-found")
    # The Enter key takes what is typed, not what was found before, also at once.
    for before, text, id in (("reykjav", "2950159", 2950159), ("", "reykjav", 3413829)):
        page.fill("#name", before)
        if before:
            page.wait_for_selector("#found button")
        page.fill("#name", text)
        page.press("#name", "Enter")
        until(page, f"location.hash.includes('id={id}')")
    b.close()


@test
def names_by_other_names(browse, service):
    for name, properties in (("stops", {"stop_id": 1, "stop_name": "Märkisches Museum"}), ("LOUD", {"ID": 3, "NAME": "Märkisches Museum", "name_de": "x"}),
                             ("both", {"file name": "a.txt", "Title": "Märkisches Museum"})):
        service.store(name, [(i, [13.4 + i * 0.1, 52.5], properties) for i in range(3)])
        b = browse()
        page = b.open(f"collection={name}")
        assert "Märkisches Museum" in page.eval_on_selector_all(f"{MARK}.pincluster-pin", "all => all.map(one => one.getAttribute('aria-label'))")
        page.fill("#name", "markisches")
        page.wait_for_selector("#found button")
        b.close()
    service.store("numbered", [(i, [13.4 + i * 0.1, 52.5], {"name": i, "kind": "x", "version name": 7}) for i in range(3)])
    b = browse()
    assert b.open("collection=numbered").input_value("#titles") == "name"
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
    # The address has times, which mean the same when there are more.
    assert "from=2026-07-01" in page.url, page.url
    address = page.url.split("#")[1]
    service.store("concerts", [(1000, [5, 45], {"on": "2036-12-15", "name": "late"})])
    page.goto("about:blank")
    page = b.open(address)
    until(page, "document.querySelector('#figures').textContent.startsWith('181 ')")
    assert address in page.url, page.url
    # Older addresses have places of the slider.
    page.goto("about:blank")
    page = b.open("collection=concerts&from=500")
    until(page, "document.querySelector('#figures').textContent.startsWith('1 ')")
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


@test
def way_back_and_what_is_missing(browse, service):
    service.store("one", [(1, [10.0, 50.0], {})])
    service.store("crowd", [(i, [10 + i * 0.001, 50.0], {}) for i in range(500)])
    b = browse()
    page = b.open("collection=nothing")
    assert page.text_content("#figures").startswith("There is no collection nothing. "), page.text_content("#figures")
    page.select_option("#collection", "one")
    until(page, "document.getElementById('figures').textContent === '1 feature in 1 marker'")
    page.select_option("#collection", "crowd")
    until(page, "document.getElementById('figures').textContent.startsWith('500 features in ')")
    page.check("input[name=method][value=collision]", force=True)
    until(page, "/^\\d+ of 500 features shown$/.test(document.getElementById('figures').textContent)")
    page.go_back()
    until(page, "document.getElementById('figures').textContent === '1 feature in 1 marker'")
    assert page.input_value("#collection") == "one"
    page.go_back()
    until(page, "document.getElementById('collection').value !== 'one'")
    assert page.url.startswith(service.url)
    # Nor is a feature that isn't there passed over; numbers that can't be are taken as near as can be.
    page = b.open("collection=one&id=99&size=9999&from=-7&zoom=77&lat=50&lng=10")
    page.wait_for_selector("#not-found:not([hidden])")
    assert page.text_content("#not-found") == "There is no feature 99 here." and not page.is_visible("#details")
    assert b.expect_fresh()["featureCount"] == 1 and page.input_value("#size") == "200"
    page.select_option("#collection", "crowd")
    until(page, "document.getElementById('figures').textContent.startsWith('500 features')")
    assert not page.is_visible("#not-found")
    # A feature by its address, also while the card of another one is open.
    for number, name in ((2950159, "Berlin"), (2988507, "Paris")):
        page.evaluate("hash => { location.hash = hash }", f"#collection=cities&lat=50&lng=8&zoom=5&id={number}")
        until(page, f"document.getElementById('details-title').textContent === {name!r} && !document.getElementById('details').hidden")
        b.still()
        assert f"id={number}" in page.url and page.locator(".pincluster-chosen").count() == 1, page.url
    page.keyboard.press("Escape")
    assert not page.is_visible("#details") and "id=" not in page.url, page.url
    page.select_option("#collection", "crowd")
    until(page, "document.getElementById('figures').textContent.startsWith('500 features')")
    # What is answered late is no longer wanted.
    late = []
    page.route("**/collections/one/queryables", lambda route: (late.append(1), page.wait_for_timeout(900), route.continue_()))
    page.select_option("#collection", "one")
    page.select_option("#collection", "crowd")
    until(page, "document.getElementById('figures').textContent.startsWith('500 features')")
    page.wait_for_timeout(1500)
    assert late and page.input_value("#collection") == "crowd" and "collection=crowd" in page.url, page.url
    assert page.text_content("#figures").startswith("500 features"), page.text_content("#figures")
    b.close()
