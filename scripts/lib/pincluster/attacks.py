"""The table of attacks: each takes a connection and a random generator, and uses the connection until it ends.

An attack that sends requests which cost much has its row in `COSTLY`, and a function there that makes one.
"""

import json
import math
import re
import socket
import ssl
import time
from urllib.parse import quote

from .data import feature
from .wire import CSV, GEOJSON, JSON, MERGE, WORLD, request

MIB = 1 << 20
# The context with which the attackers of `BY_TLS` speak TLS, set before any process of theirs is made.
TLS = None


def clusters(query, **fields):
    """A view of the world in the collection `c`."""
    return request("GET", f"/collections/c/clusters?{WORLD}&{query}", **fields)


def changes(query, **fields):
    """The same view, watched."""
    return request("GET", f"/collections/c/changes?{WORLD}&{query}", **fields)


def aggregates(r):
    sums = json.dumps({f"a{i}": ["sum" if i % 2 else "mean", "population"] for i in range(16)})
    names = " OR ".join(f"p{i}_{r.randrange(10**6)} = {i}" for i in range(31))
    condition = f"{names} OR population > {r.randrange(100000)}"
    return f"zoom=2&groupBy=name&countBy=country&aggregate={quote(sums)}&filter={quote(condition)}"


def large_body(r):
    view = {"bbox": [-180, -85, 180, 85], "zoom": r.uniform(5, 6)}
    view["previous"] = [
        {"id": f"g5400_60_{n // 180}_{n % 180}", "coordinate": {"latitude": 1.5, "longitude": 2.5}}
        for n in r.sample(range(32400), 9000)]
    text = json.dumps(view).encode()
    return request("POST", "/collections/c/clusters", text + b" " * (MIB - len(text)), JSON)


def locate(r):
    meters = r.uniform(1e6, 1.5e7)
    body = {
        "latitudinalMeters": meters, "longitudinalMeters": meters, "viewportWidth": 1000,
        "viewportHeight": 1000, "titleProperty": "name", "groupBy": "country"}
    return request("POST", f"/collections/c/items/{r.randrange(1, 100000)}/locate", body, JSON)


def polygon(r):
    """A view of what is in a star with as many corners as a filter may have bytes for, amid features."""
    (west, south) = (r.uniform(-150, 60), r.uniform(-50, 10))
    corners = []
    for n in range(3000):
        angle, radius = n * math.tau / 3000, 45 - 30 * (n % 2) * r.random()
        corners.append([round(west + 45 + radius * math.cos(angle), 3), round(south + 25 + radius / 2 * math.sin(angle), 3)])
    shape = {"type": "Polygon", "coordinates": [corners + corners[:1]]}
    view = {
        "bbox": [-180, -85, 180, 85], "zoom": r.uniform(2, 4), "filter-lang": "cql2-json",
        "filter": {"op": "s_intersects", "args": [{"property": "geometry"}, shape]}}
    return request("POST", "/collections/c/clusters", view, JSON)


def arithmetic(r):
    terms = " + ".join(f"population * {r.random():.9f} / {n + 2}" for n in range(30))
    return clusters(f"zoom=2&filter={quote(f'{terms} > {r.randrange(10**6)}')}")


def kinds(r):
    """A view of another kind each time, whose cost no event loop can know before."""
    options = [f"zoom={r.uniform(1, 5.5):.3f}"]
    for option in [
        f"members={4 ** r.randrange(4)}", f"titleProperty=name&subtitleLimit={4 ** r.randrange(4)}", "hull=true", "groupBy=country",
        "countBy=country", f"properties={r.choice(['all', 'none', 'name'])}", "weightBy=population", "method=collision",
        f"filter={quote(' OR '.join(f'population > {r.randrange(10**6)}' for _ in range(4 ** r.randrange(4))))}"
    ]:
        if r.random() < 0.5:
            options.append(option)
    return clusters("&".join(options))


def cheap_and_dear(r):
    """A view that costs much among views of the same kind and size that cost nothing, from which it can't be told apart."""
    west, south = (13.2, 52.4) if r.randrange(7) == 0 else (r.uniform(-150, -140), -52.6)
    box = f"{west:.4f},{south},{west + .35:.4f},{south + .2:.1f}"
    return request("GET", f"/collections/c/clusters?bbox={box}&zoom={r.uniform(12, 13):.3f}&members=100")


COSTLY = {
    "members": lambda r: clusters(f"zoom={r.uniform(5, 5.5):.3f}&members=100", Accept_Encoding="gzip"),
    "subtitles": lambda r: clusters(
        f"zoom={r.uniform(5, 5.5):.3f}&subtitleLimit=100&titleProperty=name", Accept_Encoding="gzip"),
    "debug": lambda r: clusters(f"zoom={r.uniform(4, 4.4):.3f}&debug=true"),
    "items": lambda r: request("GET", f"/collections/c/items?limit=10000&offset={r.randrange(100000)}"),
    "views": lambda r: clusters(f"zoom={r.uniform(5.5, 6):.3f}"),
    "waits": lambda r: clusters(f"zoom=3&minVersion={2**53 - 1 - r.randrange(100)}"),
    "refused views": lambda r: clusters(f"zoom={r.uniform(7.2, 7.8):.3f}"),
    "aggregates": lambda r: clusters(aggregates(r)),
    "distance": lambda r: clusters(f"zoom={r.uniform(2, 5):.3f}&method=distance"),
    "collision": lambda r: clusters(f"zoom={r.uniform(3, 5):.3f}&method=collision"),
    "locate": locate,
    "large bodies": large_body,
    "polygons": polygon,
    "arithmetic": arithmetic,
    "orders": lambda r: request(
        "GET", "/collections/c/items?limit=10&sortby=-country,name,population&filter="
        + quote(f"population > {r.randrange(1000)}.{r.randrange(10**6)}")),
    "cheap and dear": cheap_and_dear,
    "kinds": kinds,
    "hulls": lambda r: clusters(f"zoom={r.uniform(2, 5):.3f}&hull=true"),
}


# Contents of a head and of a query, each field in its dearest forms: parts that are repeated until the head is full.
LONGEST = 60_000
HEADS = [
    "Accept", "Accept-Encoding", "Access-Control-Request-Headers", "Access-Control-Request-Method", "Authorization",
    "Connection", "Content-Crs", "Content-Encoding", "Content-Type", "Cookie", "Expect", "Forwarded", "Host",
    "If-Match", "If-Modified-Since", "If-None-Match", "Last-Event-ID", "Origin", "Pincluster-Version", "Prefer",
    "Range", "Sec-Fetch-Site", "TE", "traceparent", "Upgrade", "X-Forwarded-For", "X-Forwarded-Host",
    "X-Forwarded-Prefix", "X-Forwarded-Proto", "X-Request-Id", "X-Unknown"]
PARTS = [
    ",", "1,", "a,", "a/b,", "gzip;q=0.1,", '"a",', 'W/"a",', "a=b;", "for=a,", "9", " ", ";", "=", "\\", "'", "(", "[",
    '{"a":', "NOT ", "a.", "%41", "+", "\u0301", "\u0600", "\U0001F468\u200D"]


def filters():
    """Filters of as many bytes as there may be, of each kind that costs something to read."""
    def joined(sign, condition, most):
        return sign.join(condition % n for n in range(most))

    yield "name IN (%s)" % joined(",", "'text %d'", 4000)
    yield "population IN (%s)" % joined(",", "%d", 9000)
    yield joined(" OR ", "name='t%d'", 999)
    yield joined(" OR ", "population<%d", 999)
    yield joined(" AND ", "population<>%d", 999)
    yield joined(" OR ", "CASEI(name)=CASEI('t%d')", 999)
    yield joined(" OR ", "name LIKE '%%_%d_%%a'", 32)
    yield joined(" OR ", "population+%d>1", 100)
    yield joined(" OR ", "p%d=1", 999)
    yield "(" * 99 + "population=1" + ")" * 99 + joined("", " AND NOT (population=%d)", 900)
    ring = ",".join(f"{n / 30:.3f} {n * n % 80}" for n in range(5000))
    yield f"S_INTERSECTS(geometry,POLYGON(({ring},0 0)))"


def repeated(part, most=LONGEST):
    return part * (most // len(part.encode()))


def dear_heads():
    """Requests by field and form, as functions that make them, as all together are many bytes."""
    view = "/collections/c/clusters?bbox=13,52,14,53&zoom=10"

    def head(name, part):
        return lambda: request("GET", view, head=f"{name}: a{repeated(part)}\r\n".encode())

    def put(name):
        text = f"{name}: {repeated('a,')}\r\n".encode()
        return lambda: request("PUT", "/collections/c/items/dear", "{}", GEOJSON, head=text)

    for name in HEADS:
        yield from (head(name, part) for part in PARTS)
        yield put(name)
    for field in (b"a:\r\n", b"Accept: a\r\n", b"X-Forwarded-For: a\r\n"):
        yield lambda field=field: request("GET", view, head=field * (LONGEST // len(field)))


def dear_queries(document):
    """Requests by resource, parameter and form, of a service that describes itself, as functions that make them."""
    shared = document["components"].get("parameters", {})

    def query(method, target, part):
        return lambda: request(method, target + repeated(quote(part, safe=",=;'([{+\"&/")))

    for path, item in document["paths"].items():
        target, nowhere = (
            re.sub(r"\{[^}]*\}", "1", path.replace("{collectionId}", name)) for name in ("c", "none"))
        rest = "bbox=13,52,14,53&zoom=10&" if path.endswith("/clusters") else ""
        # What follows changes without end isn't answered. Deletes are of what isn't there.
        for method in set() if path.endswith("/changes") else {"get", "delete"} & set(item):
            names = {"unknown"}
            for parameter in item[method].get("parameters", []) + item.get("parameters", []):
                parameter = shared.get(parameter.get("$ref", "").split("/")[-1], parameter)
                if parameter["in"] == "query":
                    names.add(parameter["name"])
            place = nowhere if method == "delete" else target
            for name in sorted(names):
                yield from (query(method.upper(), f"{place}?{rest}{name}=", part) for part in PARTS)
            for text in filters() if "filter" in names and method == "get" else ():
                whole = f"{target}?{rest}filter={quote(text, safe='(),=<>/')[:LONGEST]}"
                yield lambda whole=whole: request("GET", whole)
    for part in PARTS:
        yield query("GET", "/collections/", part)
        yield query("GET", "/collections/c/clusters?", part + "&")
        yield lambda part=part: request("POST", "/collections/c/clusters", repeated(part), JSON)
    yield query("GET", "/", "/")


# Made once in each process of attackers.
DEAR = {}


def dear(kind):
    def use(connection, r):
        if kind not in DEAR:
            document = connection.ask("GET", "/api").json() if kind == "queries" else None
            DEAR[kind] = list(dear_heads() if kind == "heads" else dear_queries(document))
        while True:
            connection.exchange(r.choice(DEAR[kind])())

    return use


def costly(kind):
    def use(connection, r):
        names = list(COSTLY) if kind == "all kinds" else [kind]
        while True:
            connection.exchange(COSTLY[r.choice(names)](r))

    return use


def early_leavers(connection, r):
    """Work that is misjudged, as no index helps with it, for somebody who doesn't wait for its end."""
    number = r.randrange(10**6)
    names = " OR ".join(f"name LIKE '%_{number}_%z{i}M'" for i in range(32))
    connection.socket.sendall(clusters(f"zoom=3&filter={quote(names)}"))
    connection.socket.settimeout(r.uniform(2, 3))
    try:
        connection.answer()
    except TimeoutError:
        pass


def watch(connection, r):
    view = f"zoom={r.uniform(2, 5):.3f}&countBy=country&groupBy=country"
    connection.socket.sendall(changes(view))
    while True:
        connection.fill()
        connection.rest = b""


def stopped_uploads(connection, r):
    connection.send("POST", "/collections/x/items", type=GEOJSON, Content_Length=64 * MIB)
    for _ in range(63):
        connection.socket.sendall(b" " * MIB)
    connection.answer()


def unread_answers(connection, r):
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    for _ in range(20):
        connection.socket.sendall(COSTLY["members"](r).replace(b"gzip", b"none"))
    while connection.socket.recv(64):
        time.sleep(1)


def heads_by_the_byte(connection, r):
    text = b"GET / HTTP/1.1\r\nHost: x\r\n"
    # A long beginning, which is memory, and then a byte at a time.
    connection.socket.sendall(text + b"X: " + b"a" * 60_000)
    while True:
        connection.socket.sendall(b"a")
        time.sleep(0.2)


def chunk_bombs(connection, r):
    connection.send("POST", "/collections/x/items", type=GEOJSON, Transfer_Encoding="chunked")
    chunks = b"1\r\n \r\n" * 100_000
    for _ in range(300):
        connection.socket.sendall(chunks)
    connection.answer()


def unread_streams(connection, r):
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.socket.sendall(changes(f"zoom={r.uniform(4, 5):.3f}&members=100"))
    time.sleep(5)
    while connection.socket.recv(64):
        time.sleep(1)


COLUMNS = None


def column_bombs(connection, r):
    global COLUMNS
    if COLUMNS is None:
        names = ",".join(f"{i:04}" + "n" * 996 for i in range(5000))
        lines = "\n".join("1,2" + ",x" * 5000 for _ in range(1000))
        COLUMNS = f"lon,lat,{names}\n{lines}\n".encode()
    connection.ask("POST", f"/collections/x{r.randrange(4)}/items", COLUMNS, CSV)


def patch_bombs(connection, r):
    path = f"/collections/x/items/{r.randrange(4)}"
    connection.ask("PUT", path, feature([1, 2], {"t": "t" * (14 * 1000 * 1000)}), GEOJSON)
    for number in range(1000):
        connection.ask("PATCH", path, {"properties": {"n": number}}, MERGE)


def hello(context=None, name=None):
    """The first bytes of a client, which cost the service a signature and an attacker nothing."""
    outgoing = ssl.MemoryBIO()
    try:
        (context or TLS).wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()


def plain_socket(connection):
    """A socket without TLS that takes the place of a connection's."""
    address, port = connection.socket.getsockname()[0], connection.socket.getpeername()[1]
    connection.close()
    connection.socket = socket.create_connection(("127.0.0.1", port), 60, (address, 0))
    return connection.socket


def handshakes(connection, r):
    first = hello()
    for _ in range(1000):
        plain = plain_socket(connection)
        plain.sendall(first)
        plain.recv(65536)


def stalled_handshakes(connection, r):
    plain, first = plain_socket(connection), hello()
    plain.sendall(first[:r.choice([5, 20, -1, len(first)])])
    while plain.recv(65536):
        pass


def parts_of_records(connection, r):
    raw = socket.socket(fileno=connection.socket.detach())
    connection.socket = raw
    raw.settimeout(60)
    raw.sendall(b"\x17\x03\x03\x40\x00" + b"a" * 16000)
    while raw.recv(65536):
        pass


DEAR_ROWS = ["heads", "queries"]
BY_TLS = {
    "handshakes": handshakes,
    "stalled handshakes": stalled_handshakes,
    "parts of records": parts_of_records,
}
ATTACKS = {name: costly(name) for name in ["all kinds", *COSTLY]} | {
    "heads": dear("heads"), "queries": dear("queries"),
    "early leavers": early_leavers,
    "watchers": watch,
    "stopped uploads": stopped_uploads,
    "unread answers": unread_answers,
    "unread streams": unread_streams,
    "heads by the byte": heads_by_the_byte,
    "chunk bombs": chunk_bombs,
    "column bombs": column_bombs,
    "patch bombs": patch_bombs,
} | BY_TLS
SHORT = ["all kinds", "heads", "queries", "early leavers", "watchers", "stopped uploads", "heads by the byte",
         "chunk bombs"]


