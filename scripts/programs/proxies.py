"""A proxy with its recipe in deploy before a service of its own: proxies.py BINARY FOLDER nginx|haproxy

Links are followed through the proxy by HTTPS, and changes are watched; nginx keeps answers and asks whether they still
are right. One client that asks too much is refused. FOLDER is for files.
"""

import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from pincluster import service, wire  # noqa: E402
from pincluster.data import collected, feature, write_certificate  # noqa: E402
from pincluster.waiting import tries  # noqa: E402

HOST = "maps.example"
DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


class Service(service.Service):
    """The service, whose log tells how each request was answered."""

    def __init__(self, binary, folder, *flags):
        super().__init__(binary, f"{folder}/service", "--log-level", "debug", *flags)

    def answered(self, path, least=0):
        """The statuses with which a path was answered so far; waits until they are as many as expected, as the log comes later."""
        for _ in tries(5):
            found = [one["status"] for one in self.events() if one.get("target", "").partition("?")[0] == path]
            if len(found) >= least:
                break
        return found


class Proxy:
    """A proxy with its recipe, of which addresses, files and folders are replaced, and nothing else."""

    def __init__(self, name, folder, port, changes):
        self.port = port
        # The name that clients have for it, since its port isn't that of HTTPS.
        self.host = f"{HOST}:{port}"
        recipe = (DEPLOY / name).read_text()
        for old, new in changes.items():
            assert old in recipe, f"{name} has no {old}"
            recipe = recipe.replace(old, new.replace("PORT", str(self.port)))
        self.recipe = recipe
        self.folder = folder
        self.context = ssl.create_default_context(cafile=f"{folder}/cert.pem")

    def run(self, command, log):
        self.process = subprocess.Popen(command, stdout=open(log, "ab"), stderr=subprocess.STDOUT)
        for _ in tries(10):
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                pass
        raise RuntimeError(open(log).read())

    def connect(self):
        """A connection to it by TLS, with the name that clients have for it."""
        return wire.Connection(self.port, 30, tls=self.context, name=HOST)

    def get(self, path, **fields):
        """The answer to a path that is read through the proxy."""
        return self.connect().ask("GET", path, **fields)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Nginx(Proxy):
    prefix = "/pins"

    def __init__(self, folder, port, upstream):
        self.plain = wire.free_port()
        certificate = "/etc/letsencrypt/live/maps.example"
        super().__init__("nginx.conf", folder, port, {
            "/var/lib/nginx/pins": f"{folder}/cache", "/var/www/html": f"{folder}/pages",
            "  listen [::]:443 ssl http2;\n": "", "listen 443 ssl": "listen 127.0.0.1:PORT ssl",
            "  listen [::]:80;\n": "", "listen 80;": f"listen 127.0.0.1:{self.plain};",
            f"{certificate}/fullchain.pem": f"{folder}/cert.pem", f"{certificate}/privkey.pem": f"{folder}/key.pem",
            "127.0.0.1:8080": f"127.0.0.1:{upstream}",
        })
        temporary = "".join(
            f"{kind}_temp_path {folder}/temporary;\n" for kind in ("client_body", "fastcgi", "proxy", "scgi", "uwsgi"))
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(
                # Else its workers would be someone else, and the folder of a test is no one else's.
                ("user root;\n" if os.geteuid() == 0 else "")
                + f"daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{}}\nhttp {{\naccess_log off;\n"
                f"{temporary}add_header X-Cache $upstream_cache_status always;\n{self.recipe}}}\n")
        os.makedirs(f"{folder}/temporary", exist_ok=True)
        self.run(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], f"{folder}/nginx.log")


class HAProxy(Proxy):
    prefix = ""

    def __init__(self, folder, port, upstream):
        super().__init__("haproxy.cfg", folder, port, {
            "bind :443": "bind 127.0.0.1:PORT", "/etc/haproxy/maps.example.pem": f"{folder}/pair.pem",
            "127.0.0.1:8080": f"127.0.0.1:{upstream}",
        })
        with open(f"{folder}/haproxy.cfg", "w") as file:
            file.write(self.recipe)
        self.run(["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], f"{folder}/haproxy.log")
        assert "ALERT" not in open(f"{folder}/haproxy.log").read()


def store(service, name, count):
    places = collected(feature([number / 10, 50], {"name": name}, number) for number in range(1, count + 1))
    answer = service.client().ask("POST", "/collections/places/items", places, wire.GEOJSON)
    assert answer.status == 200, answer


def links(value):
    """The addresses that a document has, wherever they are."""
    if isinstance(value, dict):
        if isinstance(value.get("href"), str) and not value.get("templated"):
            yield value["href"]
        for part in value.values():
            yield from links(part)
    elif isinstance(value, list):
        for part in value:
            yield from links(part)


def follow(proxy, base):
    """Follows all links from the landing page, and makes sure that they lead through the proxy."""
    waiting, seen = [f"{base}/"], set()
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        seen.add(address)
        assert address.startswith(f"{base}/"), f"{address} is not behind {base}"
        path = urllib.parse.urlsplit(address)
        target = path.path + (f"?{path.query}" if path.query else "")
        answer = proxy.get(target)
        # A viewport without a rect is a bad request.
        allowed = (400,) if path.path.endswith(("/clusters", "/pins")) and not path.query else (200,)
        assert answer.status in allowed, f"{target}: {answer}"
        kind = answer.headers["content-type"]
        if kind.startswith(("application/json", "application/geo+json")):
            waiting += links(answer.json())
        elif kind.startswith("text/html"):
            found = [urllib.parse.urljoin(address, one) for one in re.findall(r'href="([^"#]+)"', answer.body.decode())]
            waiting += [one.replace("&amp;", "&") for one in found if HOST in one]
    return len(seen)


def names(proxy):
    """Links have the name and the port that the client has used, in each version of HTTP, and nobody else's."""
    for limit, version in enumerate(("--http1.1", "--http2"), 10):
        command = ["curl", "-s", version, "--cacert", f"{proxy.folder}/cert.pem", "--resolve", f"{proxy.host}:127.0.0.1"]
        # An answer that is kept must not go to those who use another port, so this one comes first.
        for host in (f"{HOST}:9", proxy.host):
            path = f"{proxy.prefix}/collections?limit={limit}"
            answer = subprocess.run([*command, "-H", f"Host: {host}", f"https://{proxy.host}{path}"], capture_output=True)
            found = list(links(json.loads(answer.stdout)))
            assert found and all(one.startswith(f"https://{host}{proxy.prefix}/") for one in found), (version, host, found)
    # A page of the same origin may write.
    for origin, status in ((f"https://{proxy.host}", 204), (f"https://{HOST}:9", 403)):
        answer = proxy.connect().ask("PUT", f"{proxy.prefix}/collections/places", "{}", wire.JSON, Origin=origin,
                                     Sec_Fetch_Site="same-origin" if status == 204 else "same-site")
        assert answer.status // 100 == status // 100, (origin, answer)


def plain(proxy):
    """HTTP leads to HTTPS, but for what certbot puts there."""
    os.makedirs(f"{proxy.folder}/pages/.well-known/acme-challenge", exist_ok=True)
    for name, text in ((".well-known/acme-challenge/token", b"proof"), ("index.html", b"a page of ours")):
        Path(f"{proxy.folder}/pages/{name}").write_bytes(text)
    for path, status, text in (("/.well-known/acme-challenge/token", 200, b"proof"), ("/pins/", 301, b"")):
        answer = wire.Connection(proxy.plain, 30).ask("GET", path, Host=HOST)
        assert answer.status == status and text in answer.body, (path, answer)
        assert status == 200 or answer.headers["location"] == f"https://{HOST}{path}", answer.head
    page = proxy.get("/")
    assert (page.status, page.body) == (200, b"a page of ours"), page


def keeps(proxy, service):
    """Answers are kept for a second, then asked for with what they are, and new when they have changed."""
    path, own = "/pins/collections/places/items?limit=3", "/collections/places/items"
    before = len(service.answered(own))
    first = proxy.get(path)
    tag = first.headers["etag"]
    assert (first.status, first.headers["x-cache"]) == (200, "MISS"), first.head
    assert proxy.get(path).headers["x-cache"] == "HIT"
    time.sleep(2.1)
    again = proxy.get(path)
    assert (again.status, again.headers["x-cache"], again.body) == (200, "REVALIDATED", first.body), again.head
    answered = service.answered(own, before + 2)[before:]
    assert answered == [200, 304], answered
    # The clients' own questions.
    nothing = proxy.get(path, If_None_Match=tag)
    assert (nothing.status, nothing.body) == (304, b""), nothing
    store(service, "new", 40)
    time.sleep(2.1)
    changed = proxy.get(path)
    assert changed.status == 200 and changed.headers["x-cache"] == "EXPIRED" and changed.headers["etag"] != tag, changed.head
    assert b'"new"' in changed.body
    assert proxy.get(path, If_None_Match=tag).status == 200


def paths(proxy, service):
    """A path means through the proxy what it means without: that of an id with slashes and dots, too."""
    ids = ["a/b", "x/../40", "/", "a b", "50%", "%2F", "é?#"]
    own = service.client()
    own.ask("POST", "/collections/places/items", collected(feature([1, 50], {}, one) for one in ids), wire.GEOJSON)
    for one in ids:
        answer = proxy.get(f"{proxy.prefix}/collections/places/items/{urllib.parse.quote(one, safe='')}")
        assert answer.status == 200 and answer.json()["id"] == one, (one, answer)
    gone = proxy.connect().ask("DELETE", f"{proxy.prefix}/collections/places/items/x%2F..%2F40")
    assert gone.status == 204, gone
    assert own.ask("GET", "/collections/places/items/40").status == 200
    assert own.ask("GET", "/collections/places/items/x%2F..%2F40").status == 404
    # A client sees what it has written, whatever is kept.
    path = f"{proxy.prefix}/collections/places/items/40"
    assert proxy.get(path).status == 200
    stored = own.ask("PUT", "/collections/places/items/40", json.dumps(feature([1, 50], {"name": "ours"}, 40)), wire.GEOJSON)
    seen = proxy.get(path, Pincluster_Version=stored.headers["pincluster-version"])
    assert b'"ours"' in seen.body, seen


def keys(binary, folder, kind, port):
    """What a proxy keeps of answers to a key, nobody else gets."""
    with open(f"{folder}/keys", "w") as file:
        file.write("admin:0123456789abcdef\nread:fedcba9876543210\n")
    with Service(binary, folder, "--trust-proxy", "--api-key-file", f"{folder}/keys").start() as service:
        proxy = kind(folder, port, service.port)
        try:
            path = f"{proxy.prefix}/collections/places/items?limit=2"
            for key, status in (("0123456789abcdef", 200), ("0123456789abcdef", 200), ("fedcba9876543210", 200), ("another", 401)):
                assert proxy.get(path, Authorization=f"Bearer {key}").status == status, key
            assert proxy.get(path).status == 401
        finally:
            proxy.stop()


def streams(proxy, service):
    """Changes pass at once."""
    connection = proxy.connect()
    connection.send("GET", f"{proxy.prefix}/collections/places/changes?bbox=0,40,9,60&zoom=5")
    head = wire.Answer(connection.head(), b"")
    assert head.status == 200 and head.headers["content-type"].startswith("text/event-stream"), head.head
    events = connection.events()
    while next(events).get("event") != "view":
        pass
    store(service, "newer", 41)
    deadline = time.monotonic() + 10
    while not next(events).get("data"):
        assert time.monotonic() < deadline, "no event came through"
    connection.close()


def long(proxy):
    """A filter by an area with many corners passes, by its address."""
    corners = ",".join(f"{4 + number / 1000:.6f} {50 + number % 2:.6f}" for number in range(1500))
    area = urllib.parse.quote(f"S_INTERSECTS(geometry, LINESTRING({corners}))")
    answer = proxy.get(f"{proxy.prefix}/collections/places/items?limit=1&filter={area}")
    assert len(area) > 30_000 and answer.status == 200, (len(area), answer)


def limits(proxy):
    """One client can't ask as much as it likes, and what it says about itself doesn't count."""
    answer = proxy.get(
        f"{proxy.prefix}/", X_Forwarded_Host="evil.example", X_Forwarded_Prefix="/evil", Forwarded="host=evil.example")
    assert answer.status == 200 and b"evil" not in answer.body
    connection, statuses = proxy.connect(), []
    for _ in range(1000):
        statuses.append(connection.ask("GET", f"{proxy.prefix}/conformance").status)
        if connection.ends:
            connection = proxy.connect()
    assert 200 in statuses and 429 in statuses, set(statuses)


def main():
    binary, folder, name = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    write_certificate(folder, HOST)
    kind = {"nginx": Nginx, "haproxy": HAProxy}[name]
    port = wire.free_port()
    base = f"https://{HOST}:{port}{kind.prefix}"
    for flags in (["--trust-proxy"], ["--public-url", base]):
        with Service(binary, folder, *flags).start() as service:
            store(service, "old", 40)
            proxy = kind(folder, port, service.port)
            try:
                count = follow(proxy, base)
                assert count > 20, f"only {count} links"
                if "--trust-proxy" in flags:
                    names(proxy)
                    if name == "nginx":
                        plain(proxy)
                        keeps(proxy, service)
                    streams(proxy, service)
                    paths(proxy, service)
                    long(proxy)
                    limits(proxy)
            finally:
                proxy.stop()
    keys(binary, folder, kind, port)
    print(f"{name}: {count} links followed by HTTPS, changes watched, a crowd refused")


main()
