"""The service under test: requests to it, what it answered, and what its description says that it answers."""

import gzip
import json
import re
import urllib.error
import urllib.parse
import urllib.request

import html5lib

GEOJSON = "application/geo+json"
JSON = "application/json"
HTML = "text/html"
SCHEMA = "application/schema+json"
MVT = "application/vnd.mapbox-vector-tile"
OPENAPI = "application/vnd.oai.openapi+json"


class Answer:
    """What the service answered."""

    def __init__(self, request, status, headers, body):
        self.request, self.status, self.headers = request, status, headers
        self.body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body

    def __str__(self):
        return f"{self.request}: {self.status} {self.body[:300]!r}"

    @property
    def type(self):
        """The media type, without parameters."""
        return (self.headers.get("Content-Type") or "").partition(";")[0]

    def json(self):
        return json.loads(self.body)

    def links(self, relation):
        """The links of its Link header that have a relation, as pairs of address and media type."""
        found = []
        for address, parameters in re.findall(r"<([^>]*)>([^<]*)", self.headers.get("Link") or ""):
            named = dict(re.findall(r'(\w+)="([^"]*)"', parameters))
            if relation in named.get("rel", "").split():
                found.append((address, named.get("type")))
        return found


class Service:
    """A service, and all that it has answered to this client."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.answers = []
        self.description = None

    def send(self, method, address, query=None, body=None, **headers):
        """Sends a request. Underscores in the names of headers stand for hyphens."""
        url = address if address.startswith("http") else self.url + address
        if query:
            url += ("&" if "?" in url else "?") + urllib.parse.urlencode(query)
        data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if data is not None:
            fields.setdefault("Content-Type", GEOJSON)
        request = urllib.request.Request(url, data, fields, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                found = Answer(f"{method} {url}", answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            found = Answer(f"{method} {url}", error.code, error.headers, error.read())
        self.answers.append((method, urllib.parse.urlsplit(url).path, found))
        return found

    def get(self, address, media=None, status=200, **query):
        """Reads a resource. Its media type must be the one that is asked for."""
        answer = self.send("GET", address, query, **({"Accept": media} if media else {}))
        assert answer.status == status, f"not {status}: {answer}"
        assert media is None or status != 200 or answer.type == media, f"{answer.type}: {answer}"
        return answer

    def refuses(self, address, *statuses, **query):
        """Makes sure that a read is refused, with 400 if nothing else is said."""
        answer = self.send("GET", address, query)
        assert answer.status in (statuses or (400,)), f"not refused: {answer}"
        assert answer.type == "application/problem+json", f"no problem: {answer}"

    def page(self, address, **query):
        """Reads a resource as HTML, which must be valid HTML 5."""
        answer = self.get(address, HTML, **query)
        parser = html5lib.HTMLParser(strict=True)
        parser.parse(answer.body.decode())
        return answer.body.decode()

    def collections(self):
        """All collections, page by page."""
        address, found = "/collections", []
        while address:
            answer = self.get(address, JSON).json()
            found += answer["collections"]
            address = link(answer, "next", required=False)
        return found

    def operations(self):
        """The operations of the description: path, method and what is said of it."""
        if self.description is None:
            self.description = self.get("/api", OPENAPI).json()
        for path, item in self.description["paths"].items():
            for method, operation in item.items():
                if method in ("get", "put", "post", "patch", "delete"):
                    yield path, method.upper(), operation

    def resolved(self, value):
        """A part of the description, or what it refers to."""
        while "$ref" in value:
            found = self.description
            for name in value["$ref"].removeprefix("#/").split("/"):
                found = found[name.replace("~1", "/").replace("~0", "~")]
            value = found
        return value

    def parameters(self, path, method="GET"):
        """The parameters of an operation by name."""
        for each, verb, operation in self.operations():
            if (each, verb) == (path, method):
                return {one["name"]: one for one in map(self.resolved, operation.get("parameters", []))}
        raise AssertionError(f"{method} {path} is not described")


def link(document, relation, type=None, required=True):
    """The address of the first link with a relation, and of a media type."""
    for one in document.get("links", []):
        if one["rel"] == relation and (type is None or one.get("type", "").startswith(type)):
            return one["href"]
    assert not required, f"no link {relation} {type} in {document.get('links')}"
    return None
