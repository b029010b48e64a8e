"""A client of the service for tests, which keeps its connection."""

import http.client
import json
import socket

# Links in answers begin with it, so that they are the same from each instance.
HOST = "pins.example"
GEOJSON, JSON, MERGE, CSV = "application/geo+json", "application/json", "application/merge-patch+json", "text/csv"


class Lost(Exception):
    """There was no answer. Whether the request was carried out is unknown."""


class Refused(Lost):
    """Nobody took the connection, so nothing was carried out."""


class Answer:
    def __init__(self, status, headers, body):
        (self.status, self.headers, self.body) = (status, headers, body)

    def json(self):
        return json.loads(self.body)

    @property
    def version(self):
        """What the field Pincluster-Version tells, or None."""
        text = self.headers.get("pincluster-version", "")
        return int(text) if text.isdigit() else None

    def __repr__(self):
        return f"{self.status} {self.body[:300].decode(errors='replace')}"


class Client:
    def __init__(self, port, address="127.0.0.1", timeout=30):
        (self.port, self.address, self.timeout) = (port, address, timeout)
        self.connection = None

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def connect(self):
        connection = http.client.HTTPConnection(self.address, self.port, timeout=self.timeout)
        try:
            connection.connect()
        except ConnectionRefusedError as error:
            raise Refused(type_of(error)) from None
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection

    def read(self, *request, **headers):
        """The answer to a request that changes nothing: a connection that was closed while it was idle is made anew."""
        was_open = self.connection is not None
        try:
            return self.ask(*request, **headers)
        except Lost:
            if not was_open:
                raise
            return self.ask(*request, **headers)

    def ask(self, method, path, body=None, type=None, **headers):
        """The answer to a request, whose body is text, bytes or JSON. A header's name has _ for -."""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        fields = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        fields["Host"] = HOST
        if type:
            fields["Content-Type"] = type
        try:
            if self.connection is None:
                self.connect()
            self.connection.request(method, path, body.encode() if isinstance(body, str) else body, fields)
            answer = self.connection.getresponse()
            found = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
            if answer.will_close:
                self.close()
            return found
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Lost(f"{method} {path}: {type_of(error)}") from None


def type_of(error):
    return f"{error.__class__.__name__}: {error}"
