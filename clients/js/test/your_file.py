"""docs/your-file.md: its page, saved and opened as a file, shows the file that was imported."""

import re
import subprocess
from pathlib import Path

from harness import MARK, test, until
from service import ROOT

TILES = "https://tile.openstreetmap.org/"


@test
def your_file(browse, service):
    subprocess.run([service.binary, "import", ROOT / "examples/shops.geojson", "--collection", "our-shops", "--url", service.url],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    [text] = re.findall(r"```html\n(.*?)```", (ROOT / "docs/your-file.md").read_text(), re.S)
    saved = Path(service.folder) / "shops.html"
    saved.write_text(text.replace("http://127.0.0.1:8080", service.url))
    b = browse()
    tiles = []
    b.page.route(f"{TILES}**", lambda route: tiles.append(route.request.url) or route.abort())
    b.page.goto(saved.as_uri())
    b.page.wait_for_selector(MARK)
    until(b.page, f"document.querySelectorAll('{MARK}').length === 3")
    assert sorted(b.shown().values()) == [1, 1, 2] and tiles, b.shown()
    assert "OpenStreetMap" in b.page.text_content(".leaflet-control-attribution")
    # The cluster comes apart where a click leads, as the document says.
    [cluster] = [one for one, count in b.shown().items() if count == 2]
    b.page.locator(f'{MARK}[data-id="{cluster}"]').click()
    until(b.page, f"document.querySelectorAll('{MARK}').length === 2")
    assert list(b.shown().values()) == [1, 1], b.shown()
    b.close((saved.as_uri(), TILES))
    # The address that the document gives, in the map page.
    b = browse()
    b.open("collection=our-shops")
    assert sum(b.shown().values()) == 4, b.shown()
    b.close()
