"""What the tests in a browser share: a page that notes what it must not do, and the list of tests."""

import json
import re
import time

from playwright.sync_api import TimeoutError

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
        # Requests that get no answer for as long as the page is open.
        self.requests, self.errors, self.held = [], [], []
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
        for route in self.held:
            route.abort()
        self.context.close()
        assert not violations, violations
        assert not self.errors, self.errors
        elsewhere = {url for url in self.requests
                     if not url.startswith((self.service.url + "/", "data:", "blob:", *others))}
        assert not elsewhere, elsewhere
