"""What the map page draws: numbers in classes, circles that don't cover each other, pins of one place, and movement."""

import re
from collections import Counter

from harness import MARK, test, until

LIGHT = """text => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = text; c.fillRect(0, 0, 1, 1)
  return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0) }"""
LEGEND = """[...document.querySelectorAll('#legend li')].map(one => [one.querySelector('span').textContent,
  getComputedStyle(one.querySelector('i')).backgroundColor, one.querySelector('small').textContent])"""


def class_of(name):
    """The class that a row of the legend names, as a condition."""
    text = name.replace(",", "")
    if text == "no number":
        return lambda value: value is None
    a, b = (float(number) for number in (re.findall(r"-?[\d.]+", text) * 2)[:2])
    condition = {"under": lambda v: v < a, "more": lambda v: v >= a}.get(next((w for w in ("to under", "under", "more") if w in text), ""))
    if "to under" in text:
        condition = lambda v: a <= v < b  # noqa: E731
    elif " – " in text:
        condition = lambda v: a <= v <= b  # noqa: E731
    elif condition is None:
        condition = lambda v: v == a  # noqa: E731
    return lambda value: value is not None and condition(value)


def rated(service):
    """Stars are few whole numbers, prices are many; some have none."""
    stars = [1, 2, 3, 3, 4, 4, 4, 5, None]
    places = [(i, [6 + i % 31 * 0.25, 47 + i % 29 * 0.25], {
        "name": f"Café {i}", "stars": stars[i % 9], "price": None if i % 50 == 0 else round(1.07 ** (i % 97) + i % 7 / 8, 3)}) for i in range(900)]
    service.store("rated", places)
    return [properties for _, _, properties in places]


@test
def numbers_in_classes(browse, service):
    features = rated(service)
    b = browse()
    page = b.open("collection=rated&lat=50.5&lng=9&zoom=6&color=stars")
    # Few values: each feature is in one class, and pies and counts are exact.
    rows = page.evaluate(LEGEND)
    assert [name for name, _, _ in rows] == ["1 – 2", "3", "4", "5", "no number"], rows
    for name, _, count in rows:
        assert int(count) == sum(class_of(name)(one["stars"]) for one in features), (name, count)
    assert page.locator(".pincluster-pie").count() > 10
    page.check("input[name=how][value=group]", force=True)
    b.still()
    answer = b.expect_fresh()
    colors = {one[0]: one[1] for one in page.evaluate(f"""[...document.querySelectorAll('{MARK}')].map(one =>
        [one.dataset.id, getComputedStyle(one.firstChild).backgroundColor])""")}
    for one in answer["annotations"]:
        value = None if one["group"] is None else float(one["group"])
        assert colors[one["id"]] == next(color for name, color, _ in rows if class_of(name)(value)), one
    # Many: a cluster has the colour of its mean, a pin that of its number.
    page.select_option("#color", "price")
    page.wait_for_selector("#legend-note", state="visible")
    assert not page.is_visible("#how")
    b.still()
    rows = page.evaluate(LEGEND)
    names = [name for name, _, _ in rows if name != "no number"]
    assert len(names) == 5 and names[0].startswith("under ") and names[-1].endswith(" and more"), names
    shares = [sum(class_of(name)(one["price"]) for one in features) for name in names]
    assert sum(shares) == sum(one["price"] is not None for one in features), (names, shares)
    assert min(shares) > 0.6 * sum(shares) / 5 and max(shares) < 1.4 * sum(shares) / 5, (names, shares)
    for zoom in (6, 9):
        page = b.open(f"collection=rated&lat=50.5&lng=9&zoom={zoom}&color=price")
        page.reload()
        page.wait_for_selector(MARK)
        b.still()
        answer = b.expect_fresh()
        # Of means nobody knows how many features are in a class, nor how many have no number.
        rows_here = page.evaluate(LEGEND)
        assert not any(count for _, _, count in rows_here) and (rows_here[-1][0] == "no number" or zoom == 6), rows_here
        found = page.evaluate(f"""[...document.querySelectorAll('{MARK}')].map(one =>
            [one.dataset.id, getComputedStyle(one.firstChild).backgroundColor, one.getAttribute('aria-label')])""")
        shown = {one: (color, label) for one, color, label in found}
        seen = Counter()
        for one in answer["annotations"]:
            value = one["aggregates"]["value"]
            row = next((row for row in rows if class_of(row[0])(value)), None)
            seen[one["count"] > 1] += 1
            color, label = shown[one["id"]]
            if row:
                assert color == row[1], (one, row, color)
            if value is not None:
                assert ("mean price " if one["count"] > 1 else ", price ") in label, label
        assert seen[zoom == 6] > 5, seen
    b.close()
    service.store("alike", [(i, [9 + i * 0.2, 50.0], {"floors": 7}) for i in range(20)])
    b = browse()
    assert [[name, count] for name, _, count in b.open("collection=alike&color=floors").evaluate(LEGEND)] == [["7", "20"]]
    b.close()
    # Counts are legible on all colours; a class differs from its neighbours in lightness, for those who see no hues.
    for scheme in ("light", "dark"):
        b = browse(color_scheme=scheme)
        page = b.open("collection=rated&lat=50.5&lng=9&zoom=6&color=price")
        style = "getComputedStyle(document.documentElement).getPropertyValue('%s').trim()"

        def light(name):
            return page.evaluate(f"({LIGHT})({style % name})") + 0.05

        text = light("--on-accent")
        for name in [f"--ramp-{i}" for i in range(1, 6)] + [f"--color-{i}" for i in range(1, 9)] + ["--color-other"]:
            assert max(light(name), text) / min(light(name), text) >= 4.5, (scheme, name)
        for i in range(1, 5):
            a, c = light(f"--ramp-{i}"), light(f"--ramp-{i + 1}")
            assert max(a, c) / min(a, c) > 1.25 and (a > c) == (scheme == "light"), (scheme, i)
        b.close()


CIRCLES = """[...document.querySelectorAll('MARK.pincluster-cluster')].map(one => {
  const { x, y, width, height } = one.getBoundingClientRect()
  return [x + width / 2, y + height / 2, width, one.getAttribute('aria-label')] })""".replace("MARK", MARK)


def expect_apart(page):
    circles = page.evaluate(CIRCLES)
    assert len(circles) > 10, len(circles)
    for i, (x, y, width, label) in enumerate(circles):
        for a, b, other, name in circles[:i]:
            assert ((x - a) ** 2 + (y - b) ** 2) ** 0.5 >= (width + other) / 2 - 0.5, (label, name)
    return circles


@test
def circles_keep_apart(browse, service):
    b = browse()
    for size in (40, 80):
        for zoom in (2.5, 4, 6.5):
            page = b.open(f"collection=cities&lat=49&lng=8&zoom={zoom}&size={size}")
            page.reload()
            page.wait_for_selector(MARK)
            b.still()
            circles = expect_apart(page)
            cell = 256 * 2 ** zoom / b.expect_fresh()["cellsPerWorld"]
            assert max(width for _, _, width, _ in circles) < cell, cell
    # By half a zoom nothing changes but the room that there is.
    page = b.open("collection=cities&lat=49&lng=8&zoom=5.5&size=40")
    page.reload()
    page.wait_for_selector(MARK)
    for notches in (1, 1, -1, -1, -1):
        page.mouse.move(800, 400)
        page.mouse.wheel(0, -60 * notches)
        page.wait_for_timeout(700)
        b.still()
        b.expect_fresh()
        expect_apart(page)
    b.close()


@test
def neighbours_are_dimmed(browse, service):
    service.store("floors", [(i, [10.0, 50.0], {"name": f"floor {i}"}) for i in range(6)] +
                  [(100 + i, [10 + 0.00025 * i, 50.00002], {"name": f"door {i}"}) for i in range(1, 6)])
    opacity = f"""[...document.querySelectorAll('{MARK}')].filter(one => !one.classList.contains('pincluster-open'))
        .map(one => [one.getAttribute('aria-label'), Number(getComputedStyle(one).opacity)])"""
    for options in ({}, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}):
        b = browse(**options)
        page = b.open(f"collection=floors&lat=50&lng={9.9998 if not options else 10}&zoom=20")
        cluster = page.locator(f"{MARK}.pincluster-cluster", has_text="6")
        cluster.tap() if options else cluster.click()
        page.wait_for_selector(".pincluster-spread")
        page.wait_for_timeout(400)
        found = page.evaluate(opacity)
        assert len(found) >= 7 and all((value == 1) == name.startswith("floor") for name, value in found), found
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.wait_for_selector(".pincluster-spread", state="detached")
        page.wait_for_timeout(400)
        assert all(value == 1 for _, value in page.evaluate(opacity))
        b.close()


@test
def nothing_moves_for_whom_that_is_too_much(browse, service):
    watch = """(() => { window.animations = 0
      new MutationObserver(all => { for (const { target } of all) if (target.matches('.leaflet-zoom-anim, .leaflet-pan-anim, .pincluster-gliding')) window.animations++ })
        .observe(document.getElementById('map'), { attributes: true, attributeFilter: ['class'], subtree: true }) })()"""
    for motion in ("reduce", "no-preference"):
        b = browse(reduced_motion=motion)
        page = b.open("collection=cities&lat=50&lng=10&zoom=5")
        page.evaluate(watch)
        for act in (lambda: page.locator(MARK + ".pincluster-cluster").nth(12).press("Enter"), lambda: page.click(".leaflet-control-zoom-out"),
                    lambda: page.locator("#map").press("ArrowLeft"), lambda: page.mouse.wheel(0, -200), lambda: page.locator("#map").press("+"),
                    lambda: page.mouse.dblclick(800, 420)):
            before = page.url
            page.mouse.move(800, 400)
            act()
            until(page, f"location.href !== {before!r}")
            b.still()
        assert (page.evaluate("window.animations") == 0) == (motion == "reduce"), motion
        b.expect_fresh()
        if motion == "no-preference":
            # Who says so while the page is open is heard, too.
            page.emulate_media(reduced_motion="reduce")
            page.evaluate("window.animations = 0")
            before = page.url
            page.click(".leaflet-control-zoom-in")
            until(page, f"location.href !== {before!r}")
            b.still()
            assert page.evaluate("window.animations") == 0
        b.close()


GROUND = "document.querySelector('.pincluster-land').dataset"
# The pixels of the land's canvas that have about the colour of names, within the circle of each marker.
COVERED = """() => {
  const canvas = document.querySelector('.pincluster-land'), context = canvas.getContext('2d'), frame = canvas.getBoundingClientRect()
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--muted')
  const ink = Number.parseInt(context.fillStyle.slice(1), 16), ratio = canvas.width / frame.width
  const pixels = (x, y, width) => new Uint8Array(context.getImageData((x - frame.x) * ratio, (y - frame.y) * ratio, width * ratio, width * ratio).data.buffer)
  const inked = data => { let count = 0
    for (let i = 0; i < data.length; i += 4) count += [16, 8, 0].every((shift, part) => Math.abs(data[i + part] - (ink >> shift & 255)) < 40)
    return count }
  const all = inked(new Uint8Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer))
  return [all, [...document.querySelectorAll('MARK .pincluster-face')].reduce((sum, one) => {
    const { x, y, width } = one.getBoundingClientRect()
    return sum + inked(pixels(x + 2, y + 2, width - 4)) }, 0)] }""".replace("MARK", MARK)


@test
def rivers_and_towns(browse, service):
    service.store("spot", [(1, [11.585, 48.14], {})])
    for options in ({}, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}):
        b = browse(**options)
        page = b.open("collection=cities&lat=30&lng=10&zoom=2.5")
        page.wait_for_timeout(300)
        assert not any("ground.json" in url for url in b.requests)
        for zoom in (6, 9) if options else (7.5,):
            page = b.open(f"collection=cities&lat=50.5&lng=9.3&zoom={zoom}")
            page.reload()
            page.wait_for_selector(MARK)
            until(page, f"{GROUND}.names?.length > 5")
            b.still()
            names = page.evaluate(f"{GROUND}.names.split(',')")
            assert page.evaluate(f"{GROUND}.waters") == "true" and len(names) == len(set(names)), names
            # None is there twice, nor where a count is.
            titles = page.eval_on_selector_all(f"{MARK}.pincluster-labelled .pincluster-label", "all => all.map(one => one.textContent)")
            assert not set(titles) & set(names), (titles, names)
            inked, covered = page.evaluate(COVERED)
            assert inked > 100 and not covered, (zoom, inked, covered)
        # Another place at the same zoom, by the mouse; then closer than it would be right.
        x = 200 if options else 800
        page.mouse.move(x, 300)
        page.mouse.down()
        page.mouse.move(x - 80, 200, steps=4)
        page.mouse.up()
        page.wait_for_timeout(600)
        b.still()
        assert not page.evaluate(COVERED)[1]
        for zoom, waters, has_names in ((12, "false", True), (15, "false", False)):
            page = b.open(f"collection=spot&lat=48.14&lng=11.58&zoom={zoom}")
            page.reload()
            page.wait_for_selector(MARK)
            b.still()
            until(page, f"{GROUND}.zoom === '{zoom}' && {GROUND}.waters === '{waters}'")
            assert bool(page.evaluate(f"{GROUND}.names")) == has_names, zoom
        b.close()
    # Tiles of the operator's have names of their own.
    b = browse()
    b.page.route("**/map", lambda route: route.fulfill(
        response=(real := route.fetch()), body=real.text().replace('data-basemap=""', f'data-basemap="{service.url}/no/{{z}}"')))
    page = b.open("collection=cities&lat=50.5&lng=9.3&zoom=7")
    assert not any("ground.json" in url for url in b.requests) and any("/no/7" in url for url in b.requests)
    b.close()


@test
def wide_letters_keep_apart(browse, service):
    step = 60 * 360 / 256 / 2 ** 10
    service.store("signs", [(i, [10 + i * step, 50 + i % 2 * 0.001], {"name": "東京都千代田区" if i % 2 else "한국어 이름표"}) for i in range(-5, 6)])
    b = browse()
    page = b.open("collection=signs&lat=50&lng=10&zoom=10&size=40")
    boxes = page.evaluate("""[...document.querySelectorAll('.pincluster-label')].filter(one => one.checkVisibility() && one.textContent)
        .map(one => { const { left, right } = one.getBoundingClientRect(); return [left, right] })""")
    assert len(boxes) > 3, boxes
    for (_, end), (begin, _) in zip(sorted(boxes), sorted(boxes)[1:]):
        assert begin >= end, boxes
    b.close()


@test
def groups_keep_apart(browse, service):
    kinds = ["jazz", "opera", "readings", "pop", "choirs"]
    service.store("evenings", [(i, [13.4 + (i * 37 % 101 - 50) * 0.004, 52.5 + (i * 53 % 97 - 48) * 0.0025], {"kind": kinds[i % 5]}) for i in range(900)])
    for options in ({}, {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}):
        b = browse(**options)
        for view in ("collection=evenings&lat=52.5&lng=13.35&zoom=10.5&color=kind&live=1",
                     f"collection=cities&lat=50&lng=8&zoom={5 if options else 5.5}&color=country"):
            page = b.open(f"{view}&how=group")
            page.reload()
            page.wait_for_selector(MARK)
            b.still()
            b.expect_fresh()
            expect_apart(page)
            if "live" not in view:
                continue
            # New features, too, which make a circle of a pin beside others.
            before = page.text_content("#figures")
            service.store("evenings", [(1000 * (1 + len(options)) + i, [13.4 + (i - 20) * 0.009, 52.5], {"kind": kinds[i * i % 5]}) for i in range(40)])
            until(page, f"document.getElementById('figures').textContent !== {before!r}")
            page.wait_for_timeout(1200)
            b.still()
            b.expect_fresh()
            expect_apart(page)
        b.close()
