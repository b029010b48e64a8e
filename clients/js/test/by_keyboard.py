"""A pass through the map page by the keyboard alone: nothing here points, fills in or chooses but by keys."""

import json

from harness import MARK, test, until

FOCUS = "(a => a.id || (a.classList.contains('pincluster-mark') ? 'mark' : a.closest('li') ? 'item' : a.name || a.tagName))(document.activeElement)"


def tab_to(page, name, key="Tab", most=40):
    for _ in range(most):
        if page.evaluate(FOCUS) == name:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{name} isn't reached by {key}: {page.evaluate(FOCUS)}")


def zoom(page):
    return page.evaluate("Number(location.hash.match(/zoom=([\\d.]+)/)[1])")


@test
def all_by_keyboard(browse, service):
    service.store("tower", [(i, [10.0, 50.0], {"name": f"floor {i}"}) for i in range(25)] + [(100, [10.02, 50.01], {"name": "hut"})])
    b = browse()
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    # A filter, with a value that is completed.
    tab_to(page, "filter")
    page.keyboard.type("country = 'd")
    page.wait_for_selector("#completions li")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, "location.hash.includes('filter=country')")
    b.still()
    assert b.expect_fresh()["featureCount"] > 100
    # Ways of clustering, sizes and colours.
    tab_to(page, "color")
    page.keyboard.type("pop")
    page.wait_for_selector("#legend li")
    tab_to(page, "method")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash.includes('method=distance')")
    page.keyboard.press("ArrowLeft")
    tab_to(page, "size")
    page.keyboard.press("End")
    until(page, "location.hash.includes('size=200')")
    b.still()
    b.expect_fresh()
    # Search: down into what is found, Enter shows it, its card has the focus, Escape gives it to its pin.
    tab_to(page, "name", "Shift+Tab")
    page.keyboard.type("bamberg")
    page.wait_for_selector("#found button")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUS) == "item"
    page.keyboard.press("Enter")
    page.wait_for_selector("#details dl")
    until(page, "document.activeElement.id === 'details-title'")
    assert page.text_content("#details-title") == "Bamberg"
    b.still()
    page.keyboard.press("Escape")
    assert not page.is_visible("#details") and page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Bamberg")
    # From a marker: closer and back, with the focus on a marker all the time; the browser's own zoom is left alone.
    before = zoom(page)
    for key, by in (("+", 1), ("-", -1), ("-", -1), ("=", 1)):
        page.keyboard.press(key)
        before += by
        until(page, f"location.hash.includes('zoom={before:g}')")
        b.still()
        assert page.evaluate(FOCUS) == "mark", key
    page.keyboard.press("Control+Minus")
    page.wait_for_timeout(400)
    assert zoom(page) == before
    # A list opens, and has the focus; Escape gives it back to a marker.
    page.keyboard.press("-")
    b.still()
    page.keyboard.press("-")
    b.still()
    for _ in range(20):
        if "features" in page.evaluate("document.activeElement.getAttribute('aria-label')"):
            break
        page.keyboard.press("ArrowLeft")
    url = page.url
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id === 'details-title'")
    until(page, f"location.href !== {json.dumps(url)}")
    b.still()
    page.wait_for_selector("#details-body li")
    tab_to(page, "item", most=3)
    page.keyboard.press("Enter")
    page.wait_for_selector("#details dl")
    until(page, "document.activeElement.id === 'details-title'")
    b.still()
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUS) == "mark" and not page.is_visible("#details")
    # Another collection, and its pins of one place.
    tab_to(page, "collection", "Shift+Tab")
    page.keyboard.type("tower")
    until(page, "location.hash.includes('collection=tower')")
    b.still()
    tab_to(page, "mark")
    while not page.query_selector(".pincluster-open"):
        for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown") * 3:
            if page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(("25 ", "26 ")):
                break
            page.keyboard.press(key)
        url = page.url
        page.keyboard.press("Enter")
        until(page, f"location.href !== {json.dumps(url)} || document.querySelector('.pincluster-open')")
        b.still()
        # The list goes first, then the focus is on the marker of the same place.
        page.wait_for_selector("#details-body li")
        page.keyboard.press("Escape")
        assert page.evaluate(FOCUS) == "mark"
    assert page.locator(".pincluster-spread").count() == 25
    page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("floor "), name
    page.keyboard.press("Enter")
    page.wait_for_selector("#details dl")
    until(page, "document.activeElement.id === 'details-title'")
    assert page.text_content("#details-title") == name
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == name
    page.keyboard.press("Escape")
    assert page.locator(".pincluster-spread").count() == 0 and page.evaluate(FOCUS) == "mark"
    b.close()


@test
def escape_on_a_phone(browse, service):
    b = browse(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = b.open("collection=cities&lat=50&lng=10&zoom=5")
    page.tap("#more")
    page.focus("#filter")
    page.keyboard.type("coun")
    page.keyboard.press("Escape")
    assert page.is_visible("#filter") and not page.is_visible("#completions")
    # It is no filter, with which nothing could be listed.
    page.fill("#filter", "")
    if page.is_visible("#completions"):
        page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert not page.is_visible("#filter") and page.evaluate("document.activeElement.id") == "more"
    assert page.get_attribute("#more", "aria-expanded") == "false"
    b.still()
    # One that is above the sheet, and under no other.
    seen = page.eval_on_selector_all(MARK + ".pincluster-cluster", """all => all.find(one => {
        const { x, y, width, height } = one.getBoundingClientRect()
        return x > 40 && x < 300 && y > 40 && y < 500
            && one.contains(document.elementFromPoint(x + width / 2, y + height / 2)) }).dataset.id""")
    page.locator(f'{MARK}[data-id="{seen}"]').tap()
    page.wait_for_selector("#details-body li")
    assert page.evaluate("document.activeElement.id") == "details-title"
    page.keyboard.press("Escape")
    assert not page.is_visible("#details")
    b.close()
