"""Instances of the service, and HAProxy in front of them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from client import Client, Lost

ROOT = Path(__file__).resolve().parent.parent.parent
RECIPE = ROOT / "deploy/haproxy-instances.cfg"


def find_binary():
    for path in (os.environ.get("BINARY"), ".build/release/pincluster", ".build/debug/pincluster"):
        if path and (ROOT / path).exists():
            return str((ROOT / path).resolve())
    sys.exit("no binary: swift build -c release")


class Instance:
    """A process that may be killed and started again, on the same port and folder."""

    def __init__(self, keeper, binary, name, store=None, port=0, flags=(), parent=None):
        """Without a store it keeps its record in SQLite. `parent` is the folder for its own, by default the keeper's."""
        (self.keeper, self.binary, self.name, self.store, self.port, self.flags) = (keeper, binary, name, store, port, flags)
        self.folder = (parent or keeper.folder) / name
        self.folder.mkdir()
        (self.life, self.process, self.log) = (0, None, None)
        # Set while it should answer.
        self.up = False

    def start(self, wait=60):
        self.begin()
        return self.wait_until_ready(wait)

    def begin(self):
        self.life += 1
        self.log = self.folder / f"log{self.life}"
        # The password is nobody's business, such as of those who list processes.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PINCLUSTER_")}
        if self.store:
            environment["PINCLUSTER_STORE"] = self.store
        with open(self.log, "wb") as log:
            self.process = self.keeper.start(
                [self.binary, "serve", "--port", self.port, "--data", self.folder / "data", *self.flags],
                stderr=log, env=environment)

    def wait_until_ready(self, seconds=60):
        """How many seconds it took."""
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            events = {line["event"]: line for line in self.lines()}
            if "listening" in events:
                self.port = events["listening"]["port"]
            if "ready" in events:
                self.up = True
                return time.monotonic() - began
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} wasn't ready within {seconds} s: {self.log.read_text(errors='replace')[-2000:]}")

    def stop(self, how=signal.SIGKILL, wait=60):
        """Ends the process, and returns with which code."""
        self.up = False
        self.process.send_signal(how)
        try:
            return self.process.wait(wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None

    def lines(self, life=None):
        """The log of a life."""
        file = self.folder / f"log{life or self.life}"
        found = []
        for line in file.read_text(errors="replace").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                # One that is being written, or what isn't of the log.
                pass
        return found

    def foreign_lines(self):
        """What other than lines of the log any life has written, such as of a trap."""
        found = []
        for life in range(1, self.life + 1):
            for line in (self.folder / f"log{life}").read_text(errors="replace").splitlines():
                if not line.startswith('{"time"'):
                    found.append(line)
        return found

    def version(self, collection):
        """The collection's version here, 0 if it isn't there, or None while there is no answer."""
        client = Client(self.port, timeout=5)
        try:
            answer = client.ask("GET", f"/collections/{collection}")
            return answer.json()["version"] if answer.status == 200 else 0 if answer.status == 404 else None
        except Lost:
            return None
        finally:
            client.close()

    def metrics(self):
        """Values by name, of metrics without labels."""
        client = Client(self.port, timeout=5)
        text = client.ask("GET", "/metrics").body.decode()
        client.close()
        return {name: float(value) for name, value in re.findall(r"^(\w+) ([-+.\deE]+)$", text, re.M)}


class Balancer:
    """HAProxy with the recipe of deploy, of which only addresses are replaced, and as many servers as there are instances."""

    def __init__(self, keeper, ports, port):
        recipe, found = re.subn(
            r'^(  server )one "\$\{INSTANCE_ONE-127\.0\.0\.1:8081\}"(.*)\n  server two .*$',
            lambda match: "\n".join(
                f"{match[1]}s{number} 127.0.0.1:{each}{match[2].replace('/one', f'/s{number}')}" for number, each in enumerate(ports)),
            RECIPE.read_text(), flags=re.M)
        assert found == 3 and "bind :8080" in recipe, f"{RECIPE} has other servers"
        file, log = keeper.folder / "haproxy.cfg", keeper.folder / "haproxy.log"
        file.write_text(recipe.replace("bind :8080", f"bind 127.0.0.1:{port}"))
        self.port = port
        with open(log, "wb") as output:
            process = keeper.start(["haproxy", "-db", "-f", file], stdout=output, stderr=output)
        client, until = Client(port, timeout=5), time.monotonic() + 20
        while True:
            try:
                answer = client.ask("GET", "/health/live")
                if answer.status == 200:
                    break
            except Lost as error:
                answer = error
            if time.monotonic() > until or process.poll() is not None:
                raise RuntimeError(f"HAProxy: {answer}: {log.read_text()}")
            time.sleep(0.05)
        client.close()
