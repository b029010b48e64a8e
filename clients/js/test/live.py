"""The map page while features move."""

import random
import sys
import threading
import time

from harness import MARK, test, until

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
        assert len(versions) > 2, f"{len(versions)} states in {length} s"
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
    # How fast that goes depends on what else the machine does.
    if "--full" in sys.argv:
        assert updates / seconds > 0.8 * rate
        assert busy <= 0.05 * spans
    # A zoom keeps markers, too: those that the service reuses stay the same elements.
    page.evaluate("window.kept = new Set(document.querySelectorAll('.pincluster-mark'))")
    page.click(".leaflet-control-zoom-in")
    page.wait_for_timeout(800)
    b.still()
    kept = page.evaluate("[...document.querySelectorAll('.pincluster-mark')].filter(one => kept.has(one)).length")
    assert kept > 10, kept
    b.close()
