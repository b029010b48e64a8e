"""HTTP/1.1 as clients and attackers of the service speak it: by bytes, on connections that are kept."""

import json
import re
import socket

# Without a port, so that links in answers are the same from each instance.
HOST = "127.0.0.1"
GEOJSON, JSON, MERGE, CSV = "application/geo+json", "application/json", "application/merge-patch+json", "text/csv"
WORLD = "bbox=-180,-85,180,85"


def free_port(address="127.0.0.1"):
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


class Lost(Exception):
    """There was no answer. Whether the request was carried out is unknown."""


class Refused(Lost):
    """Nobody took the connection, so nothing was carried out."""


def request(method, path, body=None, type=None, head=b"", **fields):
    """The bytes of a request. A field's name has _ for -, and one of None is left out; `head` is more lines as they are.

    The body is bytes, text, or anything that becomes JSON. Its length is added unless `fields` name one.
    """
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    body = body.encode() if isinstance(body, str) else body or b""
    fields = {"Host": HOST, "Content_Type": type} | fields
    if (body or method != "GET") and "Transfer_Encoding" not in fields:
        fields.setdefault("Content_Length", len(body))
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"{method} {path} HTTP/1.1\r\n{lines}".encode() + head + b"\r\n" + body


class Answer:
    """An answer: its status, the bytes of its head, and its body."""

    def __init__(self, head, body):
        (self.status, self.head, self.body) = (int(head[9:12]), head, body)

    @property
    def headers(self):
        """Fields by name in lower case; the last of a name counts."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def json(self):
        return json.loads(self.body)

    @property
    def version(self):
        """The number in the field Pincluster-Version, or None."""
        text = self.headers.get("pincluster-version", "")
        return int(text) if text.isdigit() else None

    def next(self):
        """The path of the page that follows this one; None after the last."""
        links = [link["href"] for link in self.json()["links"] if link["rel"] == "next"]
        return re.sub("^https?://[^/]*", "", links[0]) if links else None

    def __repr__(self):
        return f"{self.status} {self.body[:300].decode(errors='replace')}"


class Connection:
    """A connection to the service at 127.0.0.1, on which requests are bytes and answers come in their order.

    OSError is raised where it ends in the middle of an answer, or nothing comes for `timeout` seconds; ValueError for
    what isn't HTTP. `source` is the address that this comes from, of 127.0.0.0/8. `tls` is a context of `ssl`, with which
    the service is called `name`.
    """

    def __init__(self, port, timeout=60, source=None, tls=None, name=None, session=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout, source and (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=name, session=session)
        self.host = f"{name}:{port}" if name else HOST
        # Bytes that have come and weren't read.
        self.rest = b""
        # Whether the service has said that it closes the connection.
        self.ends = False

    def close(self):
        self.socket.close()

    def send(self, *words, **fields):
        """Sends a request, which `request` makes of these."""
        self.socket.sendall(request(*words, **{"Host": self.host} | fields))

    def ask(self, *words, **fields):
        """Sends a request, which `request` makes of these, and returns the next answer."""
        return self.exchange(request(*words, **{"Host": self.host} | fields))

    def exchange(self, data):
        """Sends the bytes of a request, and returns the next answer."""
        if self.ends:
            raise ConnectionError("the service has closed it")
        self.socket.sendall(data)
        return self.answer(data.startswith(b"HEAD "))

    def fill(self):
        """Waits for more bytes."""
        more = self.socket.recv(1 << 18)
        if not more:
            raise ConnectionError("closed")
        self.rest += more

    def until(self, mark):
        """The bytes before the next mark, which is taken, too."""
        while mark not in self.rest:
            self.fill()
        found, _, self.rest = self.rest.partition(mark)
        return found

    def head(self):
        """The head of the next answer, after which the body may be read with `fill`."""
        return self.until(b"\r\n\r\n")

    def answer(self, to_head=False):
        """The next answer; one to HEAD has no body."""
        answer = Answer(self.head(), b"")
        self.ends = b"\r\nconnection: close\r\n" in answer.head.lower() + b"\r\n"
        if not to_head and answer.status >= 200 and answer.status not in (204, 304):
            answer.body = self.body(answer.head)
        return answer

    def body(self, head):
        """The body that belongs to a head."""
        fields = head.lower() + b"\r\n"
        if length := re.search(rb"\r\ncontent-length: *(\d+)", fields):
            return self.take(int(length[1]))
        if b"\r\ntransfer-encoding: chunked\r\n" in fields:
            return b"".join(self.chunks())
        return self.all() if b"\r\nconnection: close\r\n" in fields else b""

    def take(self, count):
        """The next `count` bytes."""
        parts, have = [self.rest], len(self.rest)
        while have < count:
            parts.append(self.socket.recv(1 << 20))
            if not parts[-1]:
                raise ConnectionError(f"closed after {have} of {count} bytes")
            have += len(parts[-1])
        body = b"".join(parts)
        self.rest = body[count:]
        return body[:count]

    def chunks(self):
        """The chunks of a body until its end."""
        while size := int(self.until(b"\r\n").partition(b";")[0], 16):
            yield self.take(size)
            self.take(2)
        self.take(2)

    def blocks(self):
        """The events of a stream whose head was read, as bytes, each with its empty line."""
        rest = b""
        for chunk in self.chunks():
            *blocks, rest = (rest + chunk).split(b"\n\n")
            yield from (block + b"\n\n" for block in blocks)

    def events(self):
        """The same events, each as its fields by name; a comment is an event without any."""
        for block in self.blocks():
            pairs = (line.partition(": ") for line in block.decode().splitlines())
            yield {name: value for name, _, value in pairs if name and name[0] != ":"}

    def all(self):
        """All bytes until the service closes the connection."""
        parts = [self.rest]
        while parts[-1] or len(parts) == 1:
            parts.append(self.socket.recv(1 << 18))
        return b"".join(parts)


class Client:
    """A client that keeps its connection, makes it anew where it was lost, and says whether there was an answer.

    `key` goes with each request. `Lost` is raised where there is no answer within `timeout` seconds.
    """

    def __init__(self, port, timeout=30, key=None, tls=None):
        (self.port, self.timeout, self.tls) = (port, timeout, tls)
        self.fields = {"Authorization": f"Bearer {key}"} if key else {}
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def ask(self, method, path, body=None, type=None, **fields):
        """The answer to a request, which `request` makes of these."""
        try:
            if self.connection is None:
                self.connection = Connection(self.port, self.timeout, tls=self.tls)
        except ConnectionRefusedError as error:
            raise Refused(f"{method} {path}: {error}") from None
        except OSError as error:
            raise Lost(f"{method} {path}: {error}") from None
        try:
            answer = self.connection.ask(method, path, body, type, **self.fields, **fields)
            if self.connection.ends:
                self.close()
            return answer
        except (OSError, ValueError) as error:
            self.close()
            raise Lost(f"{method} {path}: {error.__class__.__name__}: {error}") from None

    def read(self, *words, **fields):
        """The answer to a request that changes nothing: a connection that was closed while it was idle is made anew."""
        was_open = self.connection is not None
        try:
            return self.ask(*words, **fields)
        except Lost:
            if not was_open:
                raise
            return self.ask(*words, **fields)

    def pages(self, path):
        """The answers to a listing, page by page; the last one may be an error."""
        while path:
            answer = self.ask("GET", path)
            yield answer
            path = answer.next() if answer.status == 200 else None

    def features(self, collection):
        """All features of a collection. Raises RuntimeError for an answer other than 200."""
        for page in self.pages(f"/collections/{collection}/items?limit=10000"):
            if page.status != 200:
                raise RuntimeError(f"a page of {collection}: {page}")
            yield from page.json()["features"]
