"""Certificates, made on the fly by openssl, and a service that uses them."""

import json
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

work = Path(tempfile.mkdtemp(prefix="tls"))
services = []


def file(name):
    return str(work / name)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=work)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9",
            "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")


def certificate(name, by, names="DNS:localhost,IP:127.0.0.1", key=("ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
    openssl("req", "-newkey", *key, "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
    (work / "names").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.pem", "-CAkey", f"{by}.key", "-CAcreateserial",
            "-days", "9", "-out", f"{name}.pem", "-extfile", "names")


def fingerprint(name):
    return ssl.PEM_cert_to_DER_cert((work / name).read_text())


def trusting(client=None, by="ca.pem", **changes):
    """A client's context, with attributes changed."""
    context = ssl.create_default_context(cafile=file(by))
    if client:
        context.load_cert_chain(file(f"{client}.pem"), file(f"{client}.key"))
    for name, value in changes.items():
        getattr(context, name)(*value) if isinstance(value, tuple) else setattr(context, name, value)
    return context


class Service:
    """A service that has to end well and to log no error but those that are expected."""

    def __init__(self, binary, *flags, tls=("server.pem", "server.key")):
        self.log = work / f"log{time.monotonic_ns()}"
        self.binary = binary
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", tempfile.mkdtemp(dir=work), *flags,
             *(["--tls-cert", file(tls[0]), "--tls-key", file(tls[1])] if tls else [])],
            stderr=open(self.log, "wb"))
        services.append(self.process)
        self.await_event("ready")
        self.port = self.events("listening")[0]["port"]

    def events(self, name=None):
        lines = self.log.read_text().split("\n")[:-1]
        assert all(line.startswith("{") for line in lines), "\n".join(lines)[:4000]
        return [e for e in map(json.loads, lines) if name in (None, e["event"])]

    def await_event(self, name, count=1):
        for _ in range(3000):
            if len(self.events(name)) >= count:
                return self.events(name)
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.01)
        raise AssertionError(f"no event {name}: {self.log.read_text()}")

    def raw(self, source="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), 60, (source, 0))

    def connect(self, context=None, session=None, source="127.0.0.1"):
        plain = self.raw(source)
        return Client((context or trusting()).wrap_socket(plain, server_hostname="localhost", session=session))

    def refused(self, reason="handshake"):
        text = self.connect().ask("GET", "/metrics")[1].decode()
        return int(re.search(rf'refused_total\{{reason="{reason}"\}} (\d+)', text)[1])

    def end(self, errors=0):
        assert self.connect().ask("GET", "/health/ready")[0] == 200
        self.stop(errors)

    def stop(self, errors=0):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        assert code == 0, (code, self.log.read_text()[-4000:])
        found = [e for e in self.events() if e["level"] == "error"]
        assert len(found) == errors, found


class Client:
    """A connection that sends requests and reads answers, whose lengths it believes."""

    def __init__(self, sock):
        self.socket, self.rest = sock, b""

    def send(self, method, path, body=None, **fields):
        fields = {"Host": f"localhost:{self.socket.getpeername()[1]}", **fields}
        if body is not None:
            fields.setdefault("Content_Length", len(body))
            fields.setdefault("Content_Type", "application/geo+json")
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + (body or b""))

    def until(self, mark):
        while mark not in self.rest:
            more = self.socket.recv(65536)
            assert more, ("the connection ended", self.rest[:500])
            self.rest += more
        found, self.rest = self.rest.split(mark, 1)
        return found

    def receive(self):
        head = self.until(b"\r\n\r\n").decode()
        size = int((re.search(r"(?i)\r\ncontent-length: (\d+)", head) or [0, 0])[1])
        parts, found = [self.rest], len(self.rest)
        while found < size:
            parts.append(self.socket.recv(1 << 20))
            assert parts[-1], f"the answer ends after {found} of {size} bytes"
            found += len(parts[-1])
        body = b"".join(parts)
        self.rest = body[size:]
        return int(head.split()[1]), body[:size], head

    def ask(self, method, path, body=None, **fields):
        self.send(method, path, body, **fields)
        return self.receive()


def fails(body, *errors):
    """What a body that must fail says."""
    try:
        body()
    except (errors or (OSError, AssertionError)) as error:
        return str(error)
    raise AssertionError("no error")


def features(count, text="x"):
    return json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": n, "geometry": {"type": "Point", "coordinates": [n % 360 - 180, n % 170 - 85]},
         "properties": {"text": text}} for n in range(count)]}).encode()
