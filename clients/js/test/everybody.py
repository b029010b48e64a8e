"""The map page for everybody: without a mouse, with a screen reader, in the dark, on a phone, east of 180°."""

import json

from harness import MARK, test, until

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
    # The list that it opens has the focus, and gives it back to a marker.
    assert page.evaluate("document.activeElement.id") == "details-title"
    page.keyboard.press("Escape")
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
