"""Certificates, made on the fly by openssl, and a service that uses them."""

import json
import re
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts/lib"))

from pincluster import data, service  # noqa: E402

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


class Service(service.Service):
    """A service that has to end well and to log no error but those that are expected."""

    def __init__(self, binary, *flags, tls=("server.pem", "server.key")):
        pair = ["--tls-cert", file(tls[0]), "--tls-key", file(tls[1])] if tls else []
        super().__init__(binary, tempfile.mkdtemp(dir=work), *flags, *pair)
        services.append(self)
        self.start()

    def plain(self, source=None):
        """A connection without TLS."""
        return super().connect(source=source)

    def connect(self, context=None, session=None, source=None):
        return super().connect(tls=context or trusting(), name="localhost", session=session, source=source)

    def refused(self, reason="handshake"):
        text = self.connect().ask("GET", "/metrics").body.decode()
        return int(re.search(rf'refused_total\{{reason="{reason}"\}} (\d+)', text)[1])

    def end(self, errors=0):
        assert self.connect().ask("GET", "/health/ready").status == 200
        self.finish(errors)

    def finish(self, errors=0):
        code = self.stop()
        assert code == 0, (code, self.text()[-4000:])
        assert not self.foreign_lines(), self.foreign_lines()
        found = [e for e in self.events() if e["level"] == "error"]
        assert len(found) == errors, found


def fails(body, *errors):
    """What a body that must fail says."""
    try:
        body()
    except (errors or (OSError, AssertionError)) as error:
        return str(error)
    raise AssertionError("no error")


def features(count, text="x"):
    made = (data.feature([n % 360 - 180, n % 170 - 85], {"text": text}, n) for n in range(count))
    return json.dumps(data.collected(made)).encode()
