"""A pincluster process on a data directory of its own, and what it answers."""

import gzip
import http.client
import json
import re
import signal
import socket
import subprocess
import tempfile

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
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", self.folder.name + "/data",
             "--max-body-bytes", str(MAX_BODY_BYTES)],
            stdin=subprocess.DEVNULL, stderr=open(self.folder.name + "/log", "wb"))
        self.port = self.store = None
        with open(self.folder.name + "/log", "rb") as log:
            for line in self._lines(log):
                event = json.loads(line)
                self.port = event.get("port", self.port)
                if event.get("event") == "ready":
                    break
        self.connection = self._connect()

    def _lines(self, log):
        line = b""
        while True:
            line += log.readline()
            if line.endswith(b"\n"):
                yield line
                line = b""
            elif self.process.poll() is not None:
                raise SystemExit(f"the service didn't start: {decode(line) or self.process.returncode}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.folder.cleanup()
        if status != 0 and error[0] is None:
            raise SystemExit(f"the service ended with {status}")

    def _connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def ask(self, request):
        """Sends a request and returns its answer, without what differs between any two runs."""
        mode = request.get("mode")
        try:
            if mode == "raw":
                return self._raw(encode(request["body"]))
            if mode == "stream":
                return self._stream(request)
            self._send(self.connection, request)
            response = self.connection.getresponse()
            return self._answer(response, response.read(), request)
        except (http.client.HTTPException, OSError) as error:
            # A crash, most likely, and a difference in any case.
            self.connection.close()
            return {"status": 0, "headers": [], "body": f"{type(error).__name__}: {error}"}

    def _send(self, connection, request):
        body = encode(request.get("body", ""))
        connection.putrequest(
            request["method"], request["target"], skip_host=True, skip_accept_encoding=True)
        # One host for all, as an answer may repeat it.
        connection.putheader("Host", "pincluster.test")
        headers = request.get("headers", {})
        for name, value in headers.items():
            if self.store:
                value = value.replace(STORE, self.store)
            connection.putheader(name, encode(value))
        if "Content-Length" not in headers and (body or request["method"] in ("POST", "PUT", "PATCH")):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)

    def _answer(self, response, body, request):
        headers = [(name.lower(), value) for name, value in response.getheaders()]
        fields = dict(headers)
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
        return {"status": response.status, "body": body,
                "headers": [[name, value] for name, value in headers if name not in dropped]}

    def _raw(self, data):
        """Sends bytes on a connection of their own and returns all that comes until it is closed."""
        with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as connection:
            connection.sendall(data)
            received = b""
            while part := connection.recv(1 << 16):
                received += part
        text = re.sub(r"\r\nDate: [^\r]*", "", decode(received))
        if self.store:
            text = text.replace(f'ETag: "{self.store}.', f'ETag: "{STORE}.')
        status = re.match(r"HTTP/1\.[01] (\d+)", text)
        return {"status": int(status[1]) if status else 0, "headers": [], "body": text}

    def _stream(self, request):
        """Reads a number of Server-Sent Events; after the first it sends the request of `then`, if any."""
        connection = self._connect()
        try:
            self._send(connection, request)
            response = connection.getresponse()
            text, block, events = b"", b"", 0
            while events < request["events"]:
                line = response.readline()
                if not line:
                    break
                block += line
                if line.strip():
                    continue
                # What only says how soon to come again is no event.
                events += not block.startswith(b"retry:")
                text, block = text + block, b""
                if events == 1 and request.get("then"):
                    self.ask(request["then"])
            body = text + block
            return self._answer(response, body, request)
        finally:
            connection.close()
