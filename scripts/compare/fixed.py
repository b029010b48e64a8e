"""What all requests have in common, and the requests that are always much the same."""

import json
import random
from urllib.parse import quote

import data
import mistakes
from mistakes import text
from service import MAX_BODY_BYTES

JSON = {"Content-Type": "application/json"}
TYPES = {"geojson": "application/geo+json", "json": "application/json", "seq": "application/geo+json-seq",
         "lines": "application/x-ndjson", "csv": "text/csv", "patch": "application/merge-patch+json"}


def query(fields):
    """Fields of a JSON body as a query."""
    parts = []
    for name, value in fields.items():
        if name == "visibleMapRect" and isinstance(value, dict):
            value = list(value.values())
        elif name == "region" and isinstance(value, dict):
            value = [number for part in value.values() for number in (part.values() if isinstance(part, dict) else [part])]
        if isinstance(value, list) and name != "previous":
            value = ",".join(part if isinstance(part, str) else text(part) for part in value)
        elif not isinstance(value, str):
            value = text(value)
        parts.append(quote(name, errors="surrogateescape") + "=" + quote(value, safe=",:*", errors="surrogateescape"))
    return "&".join(parts)


class Fixed:
    """Sends its requests through `ask`, a function from a request to its answer."""

    def __init__(self, ask, seed, count):
        self.ask_service, self.count, self.sent = ask, count, 0
        self.rng = random.Random(seed)
        self.collections = [data.cities(), data.stones(self.rng), data.edges(self.rng)]
        # Views that were asked for before, to be asked for again after writes.
        self.views = []

    # Sending

    def ask(self, kind, method, target, headers=None, body="", **more):
        request = {"kind": kind, "method": method, "target": target, "headers": headers or {}, "body": body, **more}
        # A stream has no end to wait for.
        if method == "GET" and "/changes" in target and "mode" not in request:
            request.update(mode="stream", events=1)
        self.sent += 1
        return self.ask_service(request)

    def get(self, kind, target, **headers):
        return self.ask(kind, "GET", target, {name.replace("_", "-"): value for name, value in headers.items()})

    def post(self, kind, target, fields, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(kind, "POST", target, {**JSON, **headers}, fields if isinstance(fields, str) else text(fields))

    def clusters(self, kind, collection, fields, form=None):
        """A view, in a form of its own: POST or GET, JSON or GeoJSON."""
        form = form or self.rng.choice(["post", "post", "get", "post-geojson", "get-geojson", "get-accept", "get-gzip"])
        target = collection.path + "/clusters"
        if form.startswith("post"):
            return self.post(kind, target + ("?f=geojson" if "geojson" in form else ""), fields)
        headers = {"get-accept": {"Accept": "text/html;q=0.9, application/geo+json, application/json;q=0.5"},
                   "get-gzip": {"Accept-Encoding": "gzip, br"}}.get(form, {})
        return self.get(kind, f"{target}?{query(fields)}" + ("&f=geojson" if "geojson" in form else ""),
                        **{name.replace("-", "_"): value for name, value in headers.items()})

    def any_collection(self):
        return self.rng.choices(self.collections, [5, 4, 2])[0]

    @staticmethod
    def annotations(answer):
        try:
            return json.loads(answer["body"]).get("annotations", [])
        except ValueError:
            return []

    @staticmethod
    def header(answer, name):
        return dict(answer["headers"]).get(name, "none")

    # Always the same

    def service(self):
        for path in ["/", "/openapi.yaml", "/conformance", "/health/live", "/health/ready", "/metrics", "/collections"]:
            for headers in [{}, {"Accept": "text/html"}, {"Accept": "image/png"}, {"Accept_Encoding": "gzip"}]:
                self.get("service", path, **headers)
            self.ask("service", "HEAD", path)
        self.get("service", "/?f=html")
        for collection in self.collections:
            self.get("collection", collection.path)
            self.get("collection", collection.path, Accept="text/html")
            self.ask("collection", "HEAD", collection.path)

    def load(self, collection):
        target = collection.path
        self.ask("load", "PUT", target, JSON, text({"title": f"The {collection.name} & <more>", "description": "Ümläuts \"quoted\""}))
        self.ask("load", "POST", target + "/items", {"Content-Type": collection.media_type}, collection.body)

    def errors(self):
        """Every field of a view with wrong values, in the body and in the query, and whatever else can be wrong."""
        rng, cities = self.rng, self.collections[0]
        base = {"bbox": [5, 45, 15, 55], "zoom": 4}
        for name, values in mistakes.FIELDS.items():
            for value in values:
                fields = {**base, name: value}
                if name in ("visibleMapRect", "region"):
                    del fields["bbox"]
                if name == "viewportWidth":
                    del fields["zoom"]
                if name == "groups" and rng.random() < 0.7:
                    fields["groupBy"] = "country"
                self.clusters("errors of fields", cities, fields, "post")
                self.clusters("errors of fields", cities, fields, "get")
                if rng.random() < 0.15:
                    self.post("errors of fields", cities.path + "/pins", fields)
                    self.post("errors of fields", cities.path + "/items/2950159/locate", {
                        "latitudinalMeters": 5000, "longitudinalMeters": 5000, "viewportWidth": 400, "viewportHeight": 300, name: value})
                    self.get("errors of fields", f"{cities.path}/changes?{query(fields)}")
        for fields in [{}, {"bbox": [0, 0, 1, 1]}, {"zoom": 1}, {**base, "viewportWidth": 5}, {**base, "region": {}}, {**base, "method": "distance", "cellSize": 60},
                       {**base, "method": "collision", "decluster": True}, {**base, "zoom": 24}, {**base, "cellSize": 1, "zoom": 9, "debug": True},
                       {**base, "limit": 3}, {"bbox": [-180, -85, 180, 85], "zoom": 18, "decluster": True, "maxZoomLevelForClustering": 1}]:
            for form in ["post", "get", "get-geojson"]:
                self.clusters("errors of fields", cities, fields, form)
            self.post("errors of fields", cities.path + "/pins", fields)
            self.post("errors of fields", cities.path + "/items/2950159/locate", fields)
        for filter_ in mistakes.FILTERS:
            self.clusters("filters", cities, {**base, "filter": filter_}, "post")
            if len(filter_) < 9000:
                self.get("filters", f"{cities.path}/items?limit=1&filter={quote(filter_)}")
        for body in mistakes.BODIES:
            for path in ["/collections/cities/clusters", "/collections/edges/pins", "/collections/cities/items/2950159/locate"]:
                self.post("errors of bodies", path, body)
        for path in mistakes.PATHS:
            for method in ["GET", "HEAD", "OPTIONS", "DELETE"]:
                self.ask("errors of paths", method, path if method != "DELETE" or "cities" not in path else path + "/x/y")
        for part in mistakes.ITEM_QUERIES:
            for collection in self.collections:
                self.get("errors of queries", f"{collection.path}/items?{part}")
            self.ask("errors of queries", "DELETE", f"/collections/none/items?{part}")
        for target in ["clusters?bbox=0,0,1,1&zoom=3&zoom=3", "clusters?bbox=0,0,1,1&zoom=%zz", "clusters?%zz=1", "clusters?bbox=0,0,1,1;zoom=3", "pins?bbox=0,0,1",
                       "clusters?bbox=1,2,+3,%204&zoom=5", "clusters?", "changes", "changes?bbox=0,0,1,1&zoom=3&since=x", "changes?bbox=0,0,1,1&zoom=3&method=distance"]:
            self.get("errors of queries", f"{cities.path}/{target}")

    def protocol(self):
        """Methods, media types, CORS, conditions, sizes, and HTTP that is none."""
        paths = ["/", "/openapi.yaml", "/health/ready", "/metrics", "/collections", "/collections/cities", "/collections/cities/items", "/collections/cities/items/2950159",
                 "/collections/cities/items/2950159/locate", "/collections/cities/clusters", "/collections/cities/clusters/g1_60_0_0", "/collections/cities/clusters/g1_60_0_0/items",
                 "/collections/cities/clusters/g1_60_0_0/children", "/collections/cities/pins", "/collections/cities/changes", "/nothing"]
        view = "?bbox=0,40,20,60&zoom=4"
        for path in paths:
            shown = path + view if path.endswith(("clusters", "pins")) else path
            self.ask("methods", "OPTIONS", path)
            self.ask("CORS", "OPTIONS", path, {"Origin": "https://map.example", "Access-Control-Request-Method": "POST",
                                               "Access-Control-Request-Headers": "content-type, if-none-match"})
            self.ask("methods", "TRACE", path)
            if not path.endswith("/changes"):
                self.get("CORS", shown, Origin="https://map.example")
                self.ask("methods", "HEAD", shown)
                for accept in ["*/*", "application/*;q=0.1", "application/geo+json", "application/json;q=0", "text/html", "nonsense", "text/event-stream", ""]:
                    self.get("media types", shown, Accept=accept)
            for method in ["POST", "PUT", "PATCH", "DELETE"]:
                # What would succeed is left to `writes`.
                allowed = (method == "POST" and path.endswith(("items", "locate"))) or method == "PUT" or path == "/collections/cities"
                if not (allowed or path.endswith("2950159")):
                    self.ask("methods", method, path, JSON, "{}")
        for kind in ["text/plain", "application/json; charset=utf-8", "APPLICATION/JSON", "application/geo+json", "text/csv", "multipart/form-data", "", "application/xml"]:
            for method, path in [("POST", "/collections/cities/clusters"), ("POST", "/collections/none/items"), ("PUT", "/collections/edges/items/5"), ("PATCH", "/collections/none/items/5"),
                                 ("PUT", "/collections/edges"), ("POST", "/collections/edges/pins")]:
                self.ask("media types", method, path, {"Content-Type": kind}, '{"bbox":[0,0,9,9],"zoom":3}')
        for encoding in ["gzip", "GZIP;q=0.5", "gzip;q=0", "identity;q=0", "br", "*", "*;q=0", "deflate, gzip;q=1.0, *;q=0.5", "", "x-gzip"]:
            for path in ["/collections/cities/clusters" + view, "/openapi.yaml", "/collections/cities/items?limit=50", "/health/live"]:
                self.ask("gzip", "GET", path, {"Accept-Encoding": encoding})
        for raw in mistakes.RAW:
            self.ask("raw HTTP", raw.split(" ")[0], raw.split("\r\n")[0][:60], body=raw, mode="raw")
        self.ask("raw HTTP", "POST", "/collections/edges/items", {**JSON, "Content-Length": str(MAX_BODY_BYTES + 1), "Connection": "close"})

    def writes(self):
        """Good and bad features in every format, one after the other, so that all that follows depends on them."""
        target = "/collections/scratch/items"
        for body in ["", "{}", '{"title":"S"}', '{"title":null,"description":"d"}', '{"title":5}', '{"name":1}', "[]", "{", '{"ttl":-1}', '{"ttl":"x"}', '{"ttl":0.0001}', '{"ttl":1e9}']:
            self.ask("collection", "PUT", "/collections/scratch", JSON, body)
        for method in ["PUT", "DELETE", "GET"]:
            self.ask("collection", method, "/collections/not%20valid")
        for option in ["", "?onError=skip", "?onError=abort&idProperty=a", "?onError=maybe", "?idProperty=", "?unknown=1"]:
            for feature in mistakes.FEATURES if option in ("", "?onError=skip") else mistakes.FEATURES[::6]:
                body = text(feature)
                self.ask("store", "POST", target + option, {"Content-Type": self.rng.choice([TYPES["geojson"], TYPES["json"]])}, body)
                lines = f'{body}\n{text(mistakes.feature(id="line"))}\n'
                self.ask("store", "POST", target + option, {"Content-Type": TYPES["lines"]}, lines)
                self.ask("store", "POST", target + option, {"Content-Type": TYPES["seq"]}, "".join("\x1e" + line + "\n" for line in lines.splitlines()))
            for table in mistakes.TABLES:
                self.ask("store", "POST", target + option, {"Content-Type": TYPES["csv"]}, table)
            for body in mistakes.BODIES:
                self.ask("store", "POST", target + option, {"Content-Type": self.rng.choice(list(TYPES.values())[:4])}, body)
        for feature in mistakes.FEATURES:
            for method, kind in [("PUT", "geojson"), ("PATCH", "patch")]:
                for name in ["1", "17", "new"]:
                    self.ask("write one", method, f"{target}/{name}", {"Content-Type": TYPES[kind]}, text(feature))
        for body in mistakes.BODIES:
            self.ask("write one", "PUT", target + "/1", JSON, body)
            self.ask("write one", "PATCH", target + "/1", JSON, body)
        self.get("items", target + "?limit=1000")
        # A time to live: what it makes is left out of the comparison.
        self.ask("expiry", "PUT", "/collections/mortal", JSON, '{"ttl":300000000}')
        for method, path, body in [("POST", "", mistakes.feature()), ("PUT", "/2", mistakes.feature(id=2)), ("PATCH", "/2", {"properties": {"b": 2}}), ("PATCH", "/2", {"expires": None}),
                                   ("PATCH", "/1", {"expires": "2999-12-31T23:59:59Z"}), ("PUT", "/3", mistakes.feature(id=3, expires=None)), ("PUT", "/4", mistakes.feature(id=4, expires="2999-02-28T23:59:59.25+01:30"))]:
            self.ask("expiry", method, "/collections/mortal/items" + path, {"Content-Type": TYPES["json"]}, text(body))
            for path in ["", "/items", "/items/1", "/items/2", "/clusters?bbox=0,0,5,5&zoom=5", "/pins?bbox=0,0,5,5"]:
                self.get("expiry", "/collections/mortal" + path)

    def scratch_end(self):
        for method, path in [("DELETE", "/collections/scratch"), ("DELETE", "/collections/scratch"), ("GET", "/collections/scratch"), ("GET", "/collections/scratch/items"),
                             ("PUT", "/collections/scratch"), ("GET", "/collections/scratch"), ("DELETE", "/collections/mortal"), ("GET", "/collections")]:
            self.ask("collection", method, path)
        self.ask("store", "POST", "/collections/scratch/items", JSON, text(mistakes.feature(id=None)))
        self.get("items", "/collections/scratch/items")
