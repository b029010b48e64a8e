#!/usr/bin/env python3
"""Clients of every kind at the built service with TLS, over real sockets.

usage: cases.py BINARY CASE

Prints nothing and exits with 0 if all is well.
"""

import random
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time

import files
from files import Service, authority, certificate, fails, features, file, fingerprint, trusting, work
from pincluster.attacks import hello

OLD = (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
STRONG = [f"ECDHE-RSA-{name}" for name in ("AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305")]
WEAK = [
    "AES128-GCM-SHA256", "AES128-SHA", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256",
    "NULL-SHA256", "ECDHE-RSA-NULL-SHA", "AECDH-AES128-SHA"]


def of_version(version, **changes):
    return trusting(minimum_version=version, maximum_version=version, **changes)


def protocols(binary):
    certificate("rsa", "ca", key=("rsa:2048",))
    service = Service(binary, tls=("rsa.pem", "rsa.key"))
    for version in OLD:
        context = of_version(version, set_ciphers=("ALL:@SECLEVEL=0",))
        assert "protocol" in fails(lambda: service.connect(context), ssl.SSLError)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = of_version(version)
        client = service.connect(context)
        assert client.ask("GET", "/health/live").status == 200
        assert client.socket.compression() is None
        # A ticket of the first connection makes the second cheap.
        again = service.connect(context, session=client.socket.session)
        assert again.socket.session_reused, version
    for name in STRONG:
        client = service.connect(of_version(ssl.TLSVersion.TLSv1_2, set_ciphers=(name,)))
        assert client.socket.cipher()[0] == name
        assert client.ask("GET", "/health/live").status == 200
    # The cheapest suite that a client offers, or ChaCha20 if the client lists that first.
    for offered, chosen in ((STRONG[::-1], STRONG[2]), ((STRONG[1], STRONG[2], STRONG[0]), STRONG[0])):
        client = service.connect(of_version(ssl.TLSVersion.TLSv1_2, set_ciphers=(":".join(offered),)))
        assert client.socket.cipher()[0] == chosen, offered
    suites = [f"TLS_{name}" for name in ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256")]
    for offered, chosen in ((suites[::-1], suites[2]), ((suites[1], suites[2], suites[0]), suites[0]), (suites[1:2], suites[1])):
        shown = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{service.port}", "-ciphersuites", ":".join(offered)], input=b"",
            capture_output=True, timeout=60)
        assert f"Cipher is {chosen}\n".encode() in shown.stdout, (offered, shown.stdout[-1000:])
    for name in WEAK:
        context = of_version(ssl.TLSVersion.TLSv1_2, set_ciphers=(f"{name}:@SECLEVEL=0",))
        assert "handshake failure" in fails(lambda: service.connect(context), ssl.SSLError), name
    for offered, chosen in ((["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), ([], None)):
        context = trusting()
        if offered:
            context.set_alpn_protocols(offered)
        assert service.connect(context).socket.selected_alpn_protocol() == chosen
    context = trusting(set_alpn_protocols=(["h2"],))
    assert "application protocol" in fails(lambda: service.connect(context), ssl.SSLError)
    # A client that negotiates anew in the middle gets nowhere.
    renegotiation = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{service.port}", "-tls1_2"], input=b"R\n",
        capture_output=True, timeout=60)
    assert b"no renegotiation" in renegotiation.stderr, renegotiation.stderr[-500:]
    assert service.refused() == len(OLD) + len(WEAK) + 1
    service.end()


def reload(binary):
    certificate("other", "ca")
    for name in ("pem", "key"):
        shutil.copy(file(f"server.{name}"), file(f"now.{name}"))
    service = Service(binary, tls=("now.pem", "now.key"))

    def shown():
        return service.connect().socket.getpeercert(True)

    old = service.connect()
    assert shown() == fingerprint("server.pem")
    # A certificate without its key, and then files of nothing: the pair from the start stays.
    secret = (work / "other.key").read_text().split("\n")[1]
    bad = [("now.pem", "other.pem", "another key"), ("now.key", "ca.pem", "no key in PEM"),
           ("now.pem", "other.key", "no certificate in PEM")]
    for number, (target, source, reason) in enumerate(bad, 1):
        shutil.copy(file(source), file(target))
        service.send_signal(signal.SIGHUP)
        message = service.await_event("not reloaded", number)[-1]["message"]
        assert reason in message and file(target) in message and "--tls-" in message, message
        assert shown() == fingerprint("server.pem")
    for name in ("pem", "key"):
        shutil.copy(file(f"other.{name}"), file(f"now.{name}"))
    service.send_signal(signal.SIGHUP)
    service.await_event("certificate", 2)
    assert shown() == fingerprint("other.pem")
    assert old.ask("GET", "/health/live").status == 200
    assert secret not in service.log.read_text()
    service.end(errors=len(bad))

    # At the start, a bad file is the end.
    files.openssl("pkey", "-in", "other.key", "-out", "locked.key", "-aes128", "-passout", "pass:secret")
    for flags, code, words in (
        (["--tls-cert", "/none.pem", "--tls-key", file("other.key")], 1, ["--tls-cert", "/none.pem", "No such file"]),
        (["--tls-cert", file("other.pem"), "--tls-key", "/none"], 1, ["--tls-key", "/none", "No such file"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("server.key")], 1, ["--tls-cert", "--tls-key", "another key"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("locked.key")], 1, ["--tls-key", "password"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("other.key"), "--tls-client-ca", file("other.key")], 1,
         ["--tls-client-ca", "no certificate"]),
        (["--tls-cert", file("other.pem")], 2, ["--tls-key"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("other.key"), "--tls-tickets", file("other.key")], 1,
         ["--tls-tickets", "80 bytes"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("other.key"), "--tls-tickets", "/none"], 1,
         ["--tls-tickets", "No such file"]),
        (["--tls-cert", file("other.pem"), "--tls-key", file("other.key"), "--tls-tickets", file("other.key"),
          "--tls-client-ca", file("ca.pem")], 2, ["--tls-tickets", "--tls-client-ca"]),
    ):
        run = subprocess.run([binary, "serve", "--data", file("none"), "--port", "0", *flags], capture_output=True,
                             timeout=60, stdin=subprocess.DEVNULL, text=True)
        lines = [line for line in run.stderr.split("\n") if line]
        assert run.returncode == code and len(lines) == 1, (flags, run.returncode, lines)
        assert all(word in lines[0] for word in words), lines
    assert not (work / "none").exists()


def tickets(binary):
    def keys(name):
        (work / name).write_bytes(random.randbytes(80))

    def resumes(other, context, session):
        return other.connect(context, session=session).socket.session_reused

    keys("tickets")
    keys("others")
    one, two = (Service(binary, "--tls-tickets", file("tickets")) for _ in range(2))
    stranger = Service(binary, "--tls-tickets", file("others"))
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = of_version(version)
        client = one.connect(context)
        assert client.ask("GET", "/health/live").status == 200
        session = client.socket.session
        assert resumes(one, context, session) and resumes(two, context, session), version
        assert not resumes(stranger, context, session)
        # The files are read again: the same keys are as good, and others aren't.
        for number, (source, is_good) in enumerate((("tickets", True), ("others", False), ("tickets", True))):
            shutil.copy(file(source), file("now"))
            if number == 0:
                now = Service(binary, "--tls-tickets", file("now"))
            else:
                now.send_signal(signal.SIGHUP)
                now.await_event("certificate", number + 1)
            assert resumes(now, context, session) == is_good, (version, source)
        now.end()
    for service in (one, two, stranger):
        service.end()


def clients(binary):
    authority("strangers")
    certificate("friend", "friends", "DNS:friend")
    certificate("stranger", "strangers", "DNS:stranger")
    service = Service(binary, "--tls-client-ca", file("friends.pem"))

    def ask(client=None, **changes):
        return service.connect(trusting(client, **changes)).ask("GET", "/health/live").status

    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        limits = {"minimum_version": version, "maximum_version": version}
        assert ask("friend", **limits) == 200
        for client in (None, "stranger"):
            message = fails(lambda: ask(client, **limits), OSError, AssertionError)
            assert "alert" in message.lower() or "reset" in message, message
    context = trusting("friend")
    first = service.connect(context)
    first.ask("GET", "/health/live")
    assert service.connect(context, session=first.socket.session).ask("GET", "/health/live").status == 200

    def tool(*arguments, **variables):
        run = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=60, input="id,lon,lat\n1,2,3\n",
                             env={"PINCLUSTER_PORT": str(service.port), **variables})
        return run.returncode, run.stdout + run.stderr

    own = {"PINCLUSTER_CLIENT_CERT": file("friend.pem"), "PINCLUSTER_CLIENT_KEY": file("friend.key")}
    own["PINCLUSTER_TLS_CERT"] = file("server.pem")
    assert tool("health", **own) == (0, "ready\n")
    code, message = tool("health", PINCLUSTER_TLS_CERT="x")
    assert code == 1 and "certificate required" in message, message
    target = ["import", "-", "--format", "csv", "--collection", "c", "--url", f"https://localhost:{service.port}"]
    assert tool(*target, "--ca-file", file("ca.pem"), **own)[0] == 0
    assert tool("health", "--url", target[-1], "--ca-file", file("ca.pem"), **own) == (0, "ready\n")
    for flags, words in (
        (target, "certificate"), (target + ["--ca-file", file("friends.pem")], "certificate"),
        (target + ["--ca-file", "/none"], "--ca-file /none: No such file"),
        (target[:-1] + [f"https://localhost:1", "--ca-file", file("ca.pem")], "cannot connect to https://localhost:1"),
    ):
        code, message = tool(*flags, **own)
        assert code == 1 and words in message and message.count("\n") == 1, (code, message)
    plain = Service(binary, tls=None)
    target[-1] = f"https://localhost:{plain.port}"
    assert "wrong version number" in tool(*target, "--ca-file", file("ca.pem"))[1]
    plain.finish()
    certificate("elsewhere", "ca", "DNS:elsewhere.example")
    elsewhere = Service(binary, tls=("elsewhere.pem", "elsewhere.key"))
    target[-1] = f"https://localhost:{elsewhere.port}"
    assert "name matches target host name" in tool(*target, "--ca-file", file("ca.pem"))[1]
    elsewhere.finish()
    assert service.connect(trusting("friend")).ask("GET", "/collections/c/items/1").status == 200
    service.finish()


def part_of_record(service):
    """A connection on which a part of a record is on its way."""
    context, incoming, outgoing = trusting(), ssl.MemoryBIO(), ssl.MemoryBIO()
    tls, sock = context.wrap_bio(incoming, outgoing, server_hostname="localhost"), service.plain().socket
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            sock.sendall(outgoing.read())
            incoming.write(sock.recv(65536))
    tls.write(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    sock.sendall(outgoing.read()[:-1])
    return sock


def attacks(binary):
    service = Service(binary, "--log-level", "debug")
    first = hello(trusting(), "localhost")
    for request in ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /collections/c HTTP/1.1\r\n", "POST", "X" * 9000):
        plain = service.plain()
        plain.socket.sendall(request.encode())
        plain.socket.shutdown(socket.SHUT_WR)
        answer = plain.answer()
        assert answer.status == 400 and b"HTTPS" in answer.body, answer
        assert plain.all() == b""
    # Those that never come to an end, beside each other.
    stalled = [service.plain().socket for _ in range(7)]
    start = time.monotonic()
    for sock, part in zip(stalled, (b"", first[:3], first[:8], first[:9], first[:-1], first)):
        sock.sendall(part)
    stalled[6].close()
    stalled[6] = part_of_record(service)
    assert service.connect().ask("GET", "/health/live").status == 200
    for sock in stalled:
        while sock.recv(65536):
            pass
        assert 9 < time.monotonic() - start < 25, time.monotonic() - start
    assert service.refused("late") == len(stalled)
    # A hello as large as OpenSSL would take, garbage, and hellos of which bytes are wrong.
    large = bytes([22, 3, 1, 64, 0, 1, 1, 255, 255]) + bytes(16380)
    r = random.Random(5)
    garbage = [large, bytes([22, 3, 1, 0, 1, 1]), bytes([128, 46, 1, 3, 1]), bytes([21, 3, 3, 0, 2, 2, 40]), bytes(100)]
    garbage += [bytes([22, 3, 1]) + r.randbytes(r.randrange(1, 3000)) for _ in range(50)]
    for _ in range(300):
        wrong = bytearray(first)
        for _ in range(r.randrange(1, 6)):
            wrong[r.randrange(len(wrong))] = r.randrange(256)
        garbage.append(bytes(wrong[:r.randrange(1, len(wrong) + 1)] if r.random() < 0.3 else wrong))
    for data in garbage:
        sock = service.plain().socket
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
        except ConnectionResetError:
            pass
    reasons = [e.get("message") for e in service.events("refused")]
    assert "the hello is too large" in reasons, reasons
    # Garbage after the handshake.
    for _ in range(20):
        client = service.connect()
        raw = socket.socket(fileno=client.socket.detach())
        raw.settimeout(60)
        raw.sendall(bytes([23, 3, 3, 0, 64]) + r.randbytes(64))
        while raw.recv(65536):
            pass
    service.end()
    # An address that has all connections gets no more, and makes room for another's.
    service = Service(binary, "--max-connections", "20", "--threads", "1")
    crowd = [service.connect() for _ in range(10)] + [service.plain().socket for _ in range(10)]
    fails(service.connect, OSError)
    assert service.connect(source="127.0.0.2").ask("GET", "/health/live").status == 200
    crowd.clear()
    service.finish()


def turns(binary):
    """Whoever comes, sends a part of a hello and leaves: the others have their turns, and nothing is left."""
    service = Service(binary, "--threads", "2")
    first, r, crowd = hello(trusting(), "localhost"), random.Random(9), []

    def come():
        sock = service.plain(f"127.0.0.{r.randrange(2, 6)}").socket
        size = r.choice((0, 3, 9, len(first) - 1, len(first), len(first)))
        sock.sendall(first[:size])
        crowd.append((sock, size))

    def leave():
        sock, size = crowd.pop(r.randrange(len(crowd)))
        kind = r.randrange(4)
        if kind == 0:
            sock.sendall(first[size:] + b"a" * r.randrange(50))
        elif kind == 1:
            sock.shutdown(socket.SHUT_WR)
        elif kind == 2:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()

    for number in range(3000):
        try:
            leave() if len(crowd) > 200 or crowd and r.random() < 0.45 else come()
        except OSError:
            # Its time was up, or what it has sent was no good.
            pass
        if number % 100 == 0:
            assert service.connect().ask("GET", "/health/live").status == 200
    while crowd:
        crowd.pop()[0].close()
    client = service.connect()
    for _ in range(300):
        text = client.ask("GET", "/metrics").body.decode()
        left = int(re.search(r"\npincluster_open_connections (\d+)", text)[1]) - 1
        if left == 0:
            break
        time.sleep(0.1)
    assert left == 0, left
    service.end()


def traffic(binary):
    service = Service(binary)
    client = service.connect()
    # More than the buffers of sockets hold, there and back.
    body = features(4000, "t" * 2000)
    client.send("POST", "/collections/c/items", Expect="100-continue", Content_Length=len(body),
                Content_Type="application/geo+json")
    assert client.answer().status == 100
    client.socket.sendall(body)
    assert client.answer().status == 200
    chunks = b"".join(f"{len(body[n:n + 5000]):x}\r\n".encode() + body[n:n + 5000] + b"\r\n"
                      for n in range(0, len(body), 5000)) + b"0\r\n\r\n"
    client.send("POST", "/collections/d/items", Transfer_Encoding="chunked", Content_Type="application/geo+json")
    client.socket.sendall(chunks)
    assert client.answer().status == 200
    path = "/collections/{}/items?limit=10000"
    answer = client.ask("GET", path.format("c"))
    whole = answer.body
    assert answer.status == 200 and len(whole) > 8_000_000
    assert f'<https://localhost:{service.port}/' in answer.headers["link"]
    # One that takes it slowly gets the same, while others are served.
    slow = service.connect()
    slow.send("GET", path.format("c"))
    for number in range(1000):
        assert client.ask("GET", f"/collections/c/items/{number}").status == 200
    time.sleep(1)
    assert slow.answer().body == whole
    # One that leaves in the middle.
    for _ in range(5):
        rude = service.connect()
        rude.send("GET", path.format("d"))
        rude.socket.recv(1000)
        rude.socket.close()
    # Requests behind each other, in one record and in many.
    requests = b"".join(f"GET /collections/c/items/{n} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for n in range(50))
    for size in (len(requests), 7):
        piped = service.connect()
        for start in range(0, len(requests), size):
            piped.socket.sendall(requests[start:start + size])
        for number in range(50):
            assert f'"id":{number},' in piped.answer().body.decode()
    # A client that closes its half after the request gets the answer, and a close in good order.
    half = service.connect()
    half.send("GET", "/health/live", Connection="close")
    assert half.answer().status == 200
    assert half.socket.recv(1) == b""
    # A head and a body that are too large.
    assert service.connect().ask("GET", "/", X="x" * 100_000).status == 431
    assert service.connect().ask("POST", "/collections/c/items", Content_Length=1 << 40).status == 413
    # A page of the service may write, one that came without TLS may not, whatever it calls itself.
    for scheme, status in (("https", 201), ("http", 403)):
        origin = f"{scheme}://localhost:{service.port}"
        assert client.ask("PUT", f"/collections/{scheme}", b"{}", Origin=origin,
                          Content_Type="application/json").status == status
    # Changes as they come, until the service stops.
    watcher = service.connect()
    watcher.send("GET", "/collections/c/changes?bbox=-180,-85,180,85&zoom=1")
    assert b"text/event-stream" in watcher.until(b"\r\n\r\n")
    watcher.until(b"\nevent: ")
    assert client.ask("DELETE", "/collections/c/items/7").status == 204
    watcher.until(b"\nevent: ")
    silent = service.connect()
    service.finish()
    while watcher.socket.recv(65536):
        pass
    assert silent.socket.recv(1) == b""


CASES = {case.__name__: case for case in (protocols, reload, tickets, clients, attacks, turns, traffic)}

if __name__ == "__main__":
    try:
        authority("ca")
        authority("friends")
        certificate("server", "ca")
        CASES[sys.argv[2]](sys.argv[1])
    finally:
        for service in files.services:
            service.kill()
        shutil.rmtree(work)
