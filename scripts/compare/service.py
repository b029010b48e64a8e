"""A pincluster process on a data directory of its own, and what it answers."""

import gzip
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from pincluster import service  # noqa: E402
from pincluster.wire import HOST, Answer, Lost  # noqa: E402, F401

TIMEOUT = 10
# A small limit, so that a body beyond it is cheap to send.
MAX_BODY_BYTES = 4 << 20
# Stands for the store's random id in entity tags, in answers and in requests.
STORE = "STORE-ID"


def encode(text):
    """The bytes of a text as recordings hold it."""
    return text.encode("utf-8", "surrogateescape")


def decode(data):
    """Any bytes as a text that `encode` turns back."""
    return data.decode("utf-8", "surrogateescape")


class Service:
    """Starts a binary; `ask` sends a request, a dictionary as `scenario.py` makes them, and returns the answer.

    An answer is a dictionary of `status`, `headers` (in order, names in lower case) and `body`.
    """

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="compare-answers-")
        self.service = service.Service(binary, self.folder.name, "--max-body-bytes", MAX_BODY_BYTES).start()
        self.client = self.service.client(timeout=TIMEOUT)
        self.store = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.client.close()
        self.service.__exit__(*error)
        self.folder.cleanup()

    def ask(self, request):
        """Sends a request and returns its answer, without what differs between any two runs."""
        mode = request.get("mode")
        try:
            if mode == "raw":
                return self._raw(encode(request["body"]))
            if mode == "stream":
                return self._stream(request)
            words, fields = self._words(request)
            return self._answer(self.client.ask(*words, **fields), request)
        except (Lost, OSError, ValueError) as error:
            # A crash, most likely, and a difference in any case.
            return {"status": 0, "headers": [], "body": f"{type(error).__name__}: {error}"}

    def _words(self, request):
        """What a client makes the request of."""
        headers = request.get("headers", {})
        head = "".join(f"{name}: {value.replace(STORE, self.store or STORE)}\r\n" for name, value in headers.items())
        fields = {"head": encode(head)}
        if "Content-Length" in headers or not request.get("body") and request["method"] not in ("POST", "PUT", "PATCH"):
            fields["Content_Length"] = None
        return (request["method"], request["target"], encode(request.get("body", ""))), fields

    def _answer(self, answer, request):
        lines = (line.partition(":") for line in answer.head.decode("latin-1").split("\r\n")[1:])
        headers = [(name.lower(), value.strip()) for name, _, value in lines]
        fields, body = dict(headers), answer.body
        dropped = {"date", "x-request-id"}
        if fields.get("content-encoding") == "gzip" and body:
            body = gzip.decompress(body)
            dropped.add("content-length")
        body = decode(body)
        if request["target"].startswith("/metrics"):
            # The figures are left out, and how many there are.
            body = "\n".join(sorted({line if line.startswith("#") else re.split(r"[ {]", line)[0]
                                     for line in body.splitlines()}))
            dropped |= {"etag", "content-length"}
        # A time to live counts from now; the times that requests name are later.
        body, timed = re.subn(r'"expires":"20\d\d-[^"]*"', '"expires":"FROM-TTL"', body)
        if timed:
            dropped.add("etag")
        tag = re.match(r'"([0-9a-z]+)\.\d+\.', fields.get("etag", ""))
        if tag and not self.store:
            self.store = tag[1]
        if tag:
            headers = [(name, value.replace(tag[1], STORE) if name == "etag" and tag[1] == self.store
                        else value) for name, value in headers]
        return {"status": answer.status, "body": body,
                "headers": [[name, value] for name, value in headers if name not in dropped]}

    def _raw(self, data):
        """Sends bytes on a connection of their own and returns all that comes until it is closed."""
        connection = self.service.connect(timeout=TIMEOUT)
        connection.socket.sendall(data)
        received = connection.all()
        connection.close()
        text = re.sub(r"\r\n(?:Date|X-Request-Id): [^\r]*", "", decode(received))
        if self.store:
            text = text.replace(f'ETag: "{self.store}.', f'ETag: "{STORE}.')
        status = re.match(r"HTTP/1\.[01] (\d+)", text)
        return {"status": int(status[1]) if status else 0, "headers": [], "body": text}

    def _stream(self, request):
        """Reads a number of Server-Sent Events; after the first it sends the request of `then`, if any."""
        connection = self.service.connect(timeout=TIMEOUT)
        try:
            words, fields = self._words(request)
            connection.send(*words, **fields)
            answer, events = Answer(connection.head(), b""), 0
            if b"chunked" not in answer.head.lower():
                answer.body = connection.body(answer.head)
                return self._answer(answer, request)
            for block in connection.blocks():
                # What only says how soon to come again is no event.
                events += not block.startswith(b"retry:")
                answer.body += block
                if events == 1 and request.get("then"):
                    self.ask(request["then"])
                if events == request["events"]:
                    break
            return self._answer(answer, request)
        finally:
            connection.close()
