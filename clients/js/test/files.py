"""Files that are dropped onto the map page."""

import gzip
import time

from harness import EVIL, MARK, test, until
from keys import guarded_by_keys

DROP = """([name, bytes]) => {
  const files = new DataTransfer()
  files.items.add(new File([new Uint8Array(bytes)], name))
  const send = (type, target) => target.dispatchEvent(
    new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }))
  const map = document.getElementById('map')
  send('dragover', map)
  const isAnnounced = !document.getElementById('drop').hidden
  send('drop', map)
  return isAnnounced && document.getElementById('drop').hidden
}"""


def drop(page, name, data):
    assert page.evaluate(DROP, [name, list(data)]), "nothing is announced"


def said(page, text):
    until(page, f"document.getElementById('import').textContent.includes({text!r})")
    return page.text_content("#import")


@test
def a_file_is_dropped(browse, service):
    b = browse()
    page = b.open("collection=cities")
    drop(page, "Läden & more.csv", f'id,lat,lon,name\n1,52.5,13.4,"{EVIL.replace(chr(34), chr(34) * 2)}"\n2,x,13.4,b\n3,48.1,11.6,c\n'.encode())
    text = said(page, "2 features stored in Laden-more; 1 left out.")
    assert "line 3: " in text and "lat" in text, text
    assert not page.query_selector("#import b"), "markup"
    until(page, "document.getElementById('collection').value === 'Laden-more'")
    page.wait_for_selector(MARK)
    b.still()
    assert sum(b.shown().values()) == 2
    b.expect_fresh()
    # Once more: nothing is replaced without being asked for.
    drop(page, "Läden & more.csv", b"id,lat,lon\n3,1,2\n")
    said(page, "There is a collection Laden-more with 2 features.")
    assert page.evaluate("document.activeElement.closest('#import') !== null")
    page.keyboard.press("Escape")
    assert page.is_hidden("#import")
    assert service.ask("/collections/Laden-more")["featureCount"] == 2
    drop(page, "Läden & more.csv", b"id,lat,lon\n3,1,2\n")
    page.click("text=Store as Laden-more-2")
    said(page, "1 feature stored in Laden-more-2.")
    drop(page, "Läden & more.csv", b"id,lat,lon\n3,1,2\n4,1,2\n")
    page.click("text=Add to Laden-more;")
    said(page, "2 features stored in Laden-more; 1 of them replaced others.")
    assert service.ask("/collections/Laden-more")["featureCount"] == 3
    b.close()


@test
def other_files(browse, service):
    b = browse()
    page = b.open("collection=cities")
    line = b'{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}\n'
    # Chosen instead of dropped, by the keyboard.
    with page.expect_file_chooser() as chooser:
        page.focus("#choose")
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "packed.geojsonl.gz", "mimeType": "", "buffer": gzip.compress(line * 3)})
    said(page, "3 features stored in packed.")
    drop(page, "it's.gpkg", b"GP")
    assert "pincluster import 'it'\\''s.gpkg' --collection it-s" in said(page, "GDAL")
    # A collection that none of its features is stored in isn't left behind.
    drop(page, "nowhere.csv", b"id,lat,lon\n1,x,2\n")
    said(page, "0 features stored in nowhere; 1 left out.")
    deadline = time.monotonic() + 10
    while "nowhere" in [each["id"] for each in service.ask("/collections")["collections"]]:
        assert time.monotonic() < deadline, "an empty collection is there"
        time.sleep(0.05)
    drop(page, "broken.json", b"{")
    said(page, "Nothing was stored: ")
    page.click("#import-close")
    assert page.is_hidden("#import")
    b.close()


@test
def a_file_without_the_right_to_write(browse, service):
    with guarded_by_keys(service) as guarded:
        b = browse(of=guarded)
        page = b.open("collection=cities", wait=False)
        page.wait_for_selector("#key-form:not([hidden])")
        page.fill("#key", "read-one")
        page.press("#key", "Enter")
        page.wait_for_selector(MARK)
        drop(page, "shops.csv", b"lat,lon\n1,2\n")
        said(page, "This key may not write here.")
        b.close()
