"""The time slider of the map page, by mouse, touch and keyboard, against a model: two places, the first before the second."""

import random
import sys
from datetime import date, timedelta

from harness import test, until

STEPS = 1000 if "--full" in sys.argv else 100


def concerts(service, name, days):
    service.ask(f"/collections/{name}", {"temporal": {"property": "on"}}, "PUT")
    service.store(name, [(i, [10 + i % 7, 50 + i % 5], {"on": f"2024-{1 + i // 28:02}-{1 + i % 28:02}"}) for i in range(days)])


def places(page):
    return page.evaluate("['from', 'to'].map(id => Number(document.getElementById(id).value))")


def point(page, place):
    """Where a thumb at a place has its middle. Thumbs stay within the line."""
    box = page.locator("#from").bounding_box()
    return box["x"] + 9 + (box["width"] - 18) * place / 1000, box["y"] + box["height"] / 2


def swipe(devtools, page, start, end):
    def send(kind, *at):
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in at]})
    send("touchStart", point(page, start))
    for step in range(1, 6):
        send("touchMove", point(page, start + (end - start) * step / 5))
    send("touchEnd")


def drag(page, start, end):
    page.mouse.move(*point(page, start))
    page.mouse.down()
    for step in range(1, 3):
        page.mouse.move(*point(page, start + (end - start) * step / 2))
    page.mouse.up()


@test
def thumbs_never_lock(browse, service):
    concerts(service, "gigs", 300)
    b = browse()
    page = b.open("collection=gigs")
    drag(page, 0, 1000)
    assert places(page) == [1000, 1000], places(page)
    # Both lie at the right end: a thumb can be drawn away, and so can the other.
    drag(page, 1000, 300)
    assert abs(places(page)[0] - 300) < 5 and places(page)[1] == 1000, places(page)
    drag(page, 1000, 100)
    assert [abs(a - w) < 5 for a, w in zip(places(page), (100, 300))] == [True, True], places(page)
    b.close()


@test
def random_steps(browse, service):
    concerts(service, "gigs", 300)
    r = random.Random(3)
    b = browse(has_touch=True)
    page = b.open("collection=gigs")
    devtools = b.context.new_cdp_session(page)
    # The pointer meets a thumb within its half width.
    near, model, focus = 9 / (page.locator("#from").bounding_box()["width"] - 18) * 1000, [0, 1000], None
    for step in range(STEPS):
        if r.random() < 0.3:
            start, end = r.choice(model), r.choice([0, 1000, r.choice(model), r.randrange(1001)])
            swipe(devtools, page, start, end) if r.random() < 0.5 else drag(page, start, end)
            found = places(page)
            # One has gone to where it was drawn, the other is where it was; either may have been on top where they meet.
            fits = [sorted([model[1 - i], end]) for i in (0, 1) if abs(model[i] - start) <= near]
            assert any(all(abs(a - w) <= near for a, w in zip(found, fit)) for fit in fits), (step, model, start, end, found)
            model = found
            # The keyboard goes on with the thumb that was drawn.
            focus = None
        else:
            if focus is None:
                focus = r.randrange(2)
                page.focus("#from" if focus == 0 else "#to")
            key, by = r.choice([("ArrowRight", 1), ("ArrowLeft", -1), ("Home", -1000), ("End", 1000), ("PageUp", 100), ("PageDown", -100)])
            page.keyboard.press(key)
            moved = min(max(model[focus] + by, 0), 1000)
            wanted = sorted([model[1 - focus], moved])
            if moved != wanted[focus] or (model[0] == model[1] and moved != model[0]):
                focus = wanted.index(moved)
            model = wanted
            assert places(page) == model, (step, key, model, places(page))
            assert page.evaluate("document.activeElement.id") == ["from", "to"][focus], step
    # What is asked for is what the thumbs say.
    b.still()
    page.wait_for_timeout(600)
    b.still()
    b.expect_fresh()
    b.close()


@test
def thumbs_by_touch(browse, service):
    concerts(service, "gigs", 300)
    b = browse(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page = b.open("collection=gigs")
    page.click("#more")
    page.locator("#from").scroll_into_view_if_needed()
    devtools = b.context.new_cdp_session(page)

    swipe(devtools, page, 0, 1000)
    assert places(page) == [1000, 1000], places(page)
    swipe(devtools, page, 1000, 500)
    assert abs(places(page)[0] - 500) < 9 and places(page)[1] == 1000, places(page)
    b.close()


@test
def days_are_those_of_the_data(browse, service):
    concerts(service, "gigs", 300)
    for zone in ("America/Los_Angeles", "UTC", "Asia/Tokyo"):
        b = browse(timezone_id=zone)
        page = b.open("collection=gigs")
        assert page.text_content("#span") == "Jan 1, 2024 – Nov 20, 2024", (zone, page.text_content("#span"))
        assert page.get_attribute("#from", "aria-valuetext") == "Jan 1, 2024"
        b.close()
    # Times of day are the reader's.
    service.ask("/collections/trains", {"temporal": {"property": "at"}}, "PUT")
    service.store("trains", [(i, [10, 50], {"at": f"2024-03-0{1 + i}T02:30:00Z"}) for i in range(9)])
    b = browse(timezone_id="America/Los_Angeles")
    assert b.open("collection=trains").text_content("#span") == "Feb 29, 2024 – Mar 8, 2024"
    b.close()


@test
def times_come_while_it_plays(browse, service):
    concerts(service, "season", 300)
    b = browse()
    page = b.open("collection=season&live=1")
    until(page, "document.querySelectorAll('#bars i').length > 0")
    window = "['from', 'to'].map(id => Date.parse(document.getElementById(id).getAttribute('aria-valuetext')) / 864e5)"
    page.click("#play")
    until(page, "Number(document.getElementById('from').value) > 50")
    began, (begin, end) = page.evaluate(f"[performance.now(), {window}, most = 0].slice(0, 2)")
    # The whole is three times as long from now on, of which an event within the window tells, wherever that is by then: it goes on
    # where it was, as wide as it was.
    service.store("season", [(900, [10, 50], {"on": "2026-12-24"})] + [
        (901 + i, [10, 50], {"on": f"{date(1970, 1, 1) + timedelta(begin + 5 * i)}"}) for i in range(60)])
    until(page, "(most = Math.max(most, document.getElementById('from').value)) > document.getElementById('from').value")
    for _ in range(12):
        page.wait_for_timeout(250)
        time, now = page.evaluate(f"[performance.now(), {window}]")
        # A quarter of a window every 0.7 s, or later on a busy machine.
        moves = (time - began) / 700 + 1
        assert begin - 3 <= now[0] <= begin + 3 + moves * (end - begin + 6) / 4, (begin, moves, now)
        assert abs((now[1] - now[0]) - (end - begin)) <= 6, (begin, end, now)
    page.click("#play")
    b.close()


@test
def times_play_and_grow(browse, service):
    concerts(service, "tours", 300)
    b = browse()
    page = b.open("collection=tours&live=1")
    until(page, "document.querySelectorAll('#bars i').length > 0")
    label = page.text_content("#span")
    # A live write beyond all times: the ends show it.
    service.store("tours", [(999, [11, 51], {"on": "2025-12-24"})])
    until(page, f"document.getElementById('span').textContent !== {label!r}")
    assert "2025" in page.text_content("#span"), page.text_content("#span")
    assert places(page) == [0, 1000]
    b.still()
    page.click("#play")
    until(page, "Number(document.getElementById('from').value) > 0")
    first = places(page)
    assert first[1] - first[0] == 100, first
    until(page, f"Number(document.getElementById('from').value) > {first[0]}")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    page.click("#play")
    assert page.get_attribute("#play", "aria-pressed") == "false"
    stopped = places(page)
    page.wait_for_timeout(1600)
    assert places(page) == stopped
    b.still()
    b.expect_fresh()
    b.close()
