"""The map page of a service that wants keys."""

import signal
import tempfile
import time
from pathlib import Path

from harness import MARK, test, until
from service import Service


class Guarded(Service):
    """A service with keys, which asks with one itself."""

    key = "read-one"

    def __init__(self, binary, folder):
        self.keys = Path(folder, "keys")
        self.write("read:read-one", "write:write-one",
                   '{"scope": "read", "key": "germany", "filter": "country = \'DE\'"}')
        super().__init__(binary, folder, "--api-key-file", self.keys)

    def write(self, *lines):
        self.keys.write_text("\n".join(lines))

    def ask(self, *words, **fields):
        return super().ask(*words, **fields, Authorization=f"Bearer {self.key}")


def guarded_by_keys(service):
    """A service with keys beside another one, of the same binary."""
    return Guarded(service.binary, tempfile.mkdtemp(dir=service.folder))


@test
def a_key_is_asked_for(browse, service):
    with guarded_by_keys(service) as guarded:
        b = browse(of=guarded)
        page = b.open("collection=cities", wait=False)
        page.wait_for_selector("#key-form:not([hidden])")
        assert page.evaluate("document.activeElement.id") == "key"
        page.fill("#key", "not-a-key")
        page.press("#key", "Enter")
        until(page, "document.getElementById('key-note').textContent.includes('not known')")
        # A key that no header field can hold is not sent, and none is kept that hasn't worked.
        page.fill("#key", "3f9c2e71…")
        page.press("#key", "Enter")
        until(page, "document.getElementById('key-note').textContent.includes('“…”')")
        page.reload()
        page.wait_for_selector("#key-form:not([hidden])")
        assert "holders of a key" in page.text_content("#key-note")
        page.fill("#key", "germany")
        page.click("#key-form button")
        page.wait_for_selector(MARK)
        b.still()
        # The whole page shows what the key is for, and the command names no secret.
        guarded.key = "germany"
        answer = b.expect_fresh()
        assert 0 < answer["featureCount"] < 3000, answer["featureCount"]
        command = page.text_content("#curl")
        assert "germany" not in command and "$PINCLUSTER_KEY" in command, command
        # A reload doesn't ask again; the key doesn't stand in the address.
        page.reload()
        page.wait_for_selector(MARK)
        b.still()
        assert "germany" not in page.url
        # What follows changes ends with the key, and asks for another one.
        page.check("#live")
        time.sleep(1)
        guarded.write("read:read-two")
        guarded.send_signal(signal.SIGHUP)
        page.wait_for_selector("#key-form:not([hidden])", timeout=20_000)
        page.fill("#key", "read-two")
        # All begins anew.
        with page.expect_navigation():
            page.press("#key", "Enter")
        page.wait_for_selector(MARK)
        b.still()
        guarded.key = "read-two"
        assert b.expect_fresh()["featureCount"] > answer["featureCount"]
        b.close()
