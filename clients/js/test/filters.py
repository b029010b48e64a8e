"""The filter field of the map page: what it completes, and what the service has to say of a filter."""

import json
from urllib.parse import unquote_plus

from harness import EVIL, MARK, test, until

OPTIONS = "[...document.querySelectorAll('#completions li span')].map(one => one.textContent)"


def cafes(service):
    towns = ["München", "Köln", "L'Aquila", EVIL]
    service.store("cafes", [(i, [8 + i % 20 * 0.1, 50 + i % 7 * 0.1], {
        "name": f"Café {i}", "town": towns[0 if i % 2 else i // 2 % 4], "street name": f"Way {i % 150}", "seats": i % 40}) for i in range(600)])


@test
def filters_are_completed(browse, service):
    cafes(service)
    b = browse()
    page = b.open("collection=cafes&lat=50.3&lng=9&zoom=8")
    active = "document.getElementById(document.getElementById('filter').getAttribute('aria-activedescendant'))"
    # Names, by the keyboard.
    page.focus("#filter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(OPTIONS) == ["id", "name", "town", "street name", "seats"], page.evaluate(OPTIONS)
    page.keyboard.press("Escape")
    assert not page.is_visible("#completions") and page.evaluate("document.activeElement.id") == "filter"
    page.keyboard.type("to")
    assert page.evaluate(OPTIONS) == ["town"]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{active}.textContent") == "townstring" and page.evaluate(f"{active}.getAttribute('aria-selected')") == "true"
    page.keyboard.press("Enter")
    assert page.input_value("#filter") == "town " and not page.is_visible("#completions")
    # Values, the most frequent first; what they are made of is text.
    asked = len(b.requests)
    page.keyboard.type("= ")
    page.wait_for_selector("#completions li")
    assert page.evaluate(OPTIONS) == ["München", "<img", "Köln"][:1] + page.evaluate(OPTIONS)[1:] and EVIL in page.evaluate(OPTIONS)
    assert page.evaluate("document.querySelectorAll('#completions img, #completions b').length") == 0
    page.keyboard.type("'kol")
    until(page, f"JSON.stringify({OPTIONS}) === '[\"Köln\"]'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value("#filter") == "town = 'Köln'"
    assert sum("countBy" in url for url in b.requests[asked:]) == 1
    until(page, "document.getElementById('figures').textContent.startsWith('75 features')")
    b.still()
    b.expect_fresh()
    # A quote in a value, a name with a space, by the pointer; in the middle of a filter.
    page.fill("#filter", "")
    page.keyboard.type("seats > 3 AND town IN ('Köln', aq")
    until(page, f"JSON.stringify({OPTIONS}) === '[\"L\\'Aquila\"]'")
    page.click("#completions li")
    page.keyboard.type(") AND str")
    assert page.evaluate("document.activeElement.id") == "filter"
    page.click("#completions li")
    assert page.input_value("#filter") == "seats > 3 AND town IN ('Köln', 'L''Aquila') AND \"street name\" "
    # Of more values than are counted at once, those that begin as is wanted are asked for.
    page.keyboard.type("= 'way 14")
    until(page, f"{OPTIONS}.length === 8 && {OPTIONS}.every(text => text.startsWith('Way 14'))")
    page.keyboard.press("ArrowUp")
    last = page.evaluate(f"{OPTIONS}.at(-1)")
    page.keyboard.press("Enter")
    assert page.input_value("#filter").endswith(f"\"street name\" = '{last}'")
    b.still()
    b.expect_fresh()
    # No operand is wanted here, nor is one within a string that is compared with nothing.
    for text in ("seats > 3 ", "seats > 3", "'to", "seats = "):
        page.fill("#filter", "")
        page.keyboard.type(text)
        page.wait_for_timeout(300)
        assert not page.is_visible("#completions"), text
    b.close()
    b = browse(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = b.open("collection=cafes&lat=50.3&lng=9&zoom=8")
    page.tap("#more")
    page.tap("#filter")
    page.keyboard.type("town = m")
    page.wait_for_selector("#completions li")
    page.tap("#completions li")
    assert page.input_value("#filter") == "town = 'München'"
    b.still()
    b.expect_fresh()
    b.close()


@test
def the_placeholder_is_a_filter(browse, service):
    service.store("ways", [(i, [8 + i, 50], {"street name": f"Way {i}"}) for i in range(5)])
    b = browse()
    page = b.open("collection=ways")
    example = page.get_attribute("#filter", "placeholder")
    assert example == '"street name" IS NOT NULL', example
    page.fill("#filter", example)
    page.wait_for_timeout(600)
    b.still()
    assert b.expect_fresh()["featureCount"] == 5 and not page.is_visible("#filter-error") and not page.is_visible("#filter-notes")
    b.close()


@test
def notes_are_shown(browse, service):
    cafes(service)
    b = browse()
    page = b.page

    def answer(route):
        real = route.fetch()
        body = real.json()
        if "town = Berlin" in unquote_plus(route.request.url) + (route.request.post_data or ""):
            body["notes"] = [f"No feature has a property Berlin. Texts go in single quotes. {EVIL}"]
        route.fulfill(response=real, body=json.dumps(body))
    page.route("**/cafes/clusters*", answer)
    b.open("collection=cafes&lat=50.3&lng=9&zoom=8")
    assert not page.is_visible("#filter-notes")
    page.fill("#filter", "town = Berlin")
    page.wait_for_selector("#filter-notes:not([hidden])")
    assert page.text_content("#filter-notes").endswith(f"Texts go in single quotes. {EVIL}")
    assert "filter-notes" in page.get_attribute("#filter", "aria-describedby") and page.get_attribute("#filter", "aria-invalid") == "false"
    page.fill("#filter", "town = = 'Köln'")
    page.wait_for_selector("#filter-error mark")
    assert not page.is_visible("#filter-notes")
    page.fill("#filter", "town = 'Köln'")
    page.wait_for_selector("#filter-error", state="hidden")
    assert not page.is_visible("#filter-notes")
    page.wait_for_selector(MARK)
    b.close()
