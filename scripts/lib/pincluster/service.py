"""The built binary as a child process.

    binary = find_binary()
    load(binary, folder / "data", "cities", CITIES)
    with Service(binary, folder, "--threads", "2").start() as service:
        service.client().ask("GET", "/health/ready")

Leaving the `with` stops the service, whose exit code must be 0.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from .data import ROOT
from .waiting import tries
from .wire import Client, Connection, Lost


def find_binary(given=None):
    """The binary that is given, or named by BINARY, or the release binary, or the debug binary; exits without one."""
    named = given or os.environ.get("BINARY")
    for path in [Path(named)] if named else [ROOT / f".build/{kind}/pincluster" for kind in ("release", "debug")]:
        if path.exists():
            return str(path.resolve())
    sys.exit(f"no binary {named}" if named else "no binary: swift build -c release")


def load(binary, data, collection, file):
    """Imports a file into a data directory of which there is no service. Raises CalledProcessError where that fails."""
    subprocess.run([binary, "import", file, "--collection", collection, "--data", data], check=True, stdout=subprocess.DEVNULL)


class Service:
    """A process with a folder of its own, which may be ended and started again on its data and its port.

    - folder: for `data`, its data directory unless `data` names another one, and its logs, of a number for each life.
    - port: where it listens once it is ready.
    - life: how often it was started.
    - up: whether it should answer.
    """

    def __init__(self, binary, folder, *flags, data=None, port=0, environment=None, prefix=(), popen=subprocess.Popen,
                 name="the service"):
        """`environment` is added to that of this process, without its variables of the service. `prefix` is a command
        that runs another one, and `popen` what starts a process, such as a keeper's `start`."""
        (self.binary, self.folder, self.flags, self.port, self.name) = (binary, Path(folder), flags, port, name)
        self.data = Path(data or self.folder / "data")
        (self.environment, self.prefix, self.popen) = (environment or {}, prefix, popen)
        (self.life, self.process, self.up, self.took) = (0, None, False, None)

    @classmethod
    def kept(cls, keeper, binary, name, store=None, port=0, flags=(), parent=None):
        """One that ends with a keeper, with a new folder of its name in the keeper's, or in `parent`.

        `store` is the URL of its PostgreSQL, if it has one: in its environment, as a password is nobody's business, such
        as of those who list processes.
        """
        folder = (parent or keeper.folder) / name
        folder.mkdir()
        environment = {"PINCLUSTER_STORE": store} if store else {}
        return cls(binary, folder, *flags, port=port, environment=environment, popen=keeper.start, name=name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.is_alive() and self.stop() != 0 and error[0] is None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}")

    # MARK: Life

    def start(self, seconds=60):
        """Starts the process and waits until it is ready."""
        self.begin()
        return self.wait_until_ready(seconds)

    def begin(self):
        """Starts the process."""
        self.life += 1
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PINCLUSTER_")}
        command = [*self.prefix, self.binary, "serve", "--port", self.port, "--data", self.data, *self.flags]
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.log, "wb") as log:
            self.process = self.popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stderr=log, env=environment | self.environment)

    def wait_until_ready(self, seconds=60):
        """Waits for a process that has begun. RuntimeError if it ends or takes longer; how long it took is in `took`."""
        began = time.monotonic()
        for _ in tries(seconds, 0.01):
            is_alive = self.is_alive()
            events = {line["event"]: line for line in self.events()}
            if "ready" in events:
                (self.port, self.up, self.took) = (events["listening"]["port"], True, time.monotonic() - began)
                return self
            if not is_alive:
                break
        raise RuntimeError(f"{self.name} wasn't ready within {seconds} s: {self.text()[-2000:]}")

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self):
        """The number of the service's process, which `prefix` may have as its child."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]) if self.prefix else pid

    def send_signal(self, number):
        """Sends a signal, unless it has ended."""
        if self.is_alive():
            os.kill(self.pid, number)

    def stop(self, how=signal.SIGTERM, seconds=60):
        """Ends the process by a signal, and returns its exit code; None if it had to be killed after some seconds."""
        self.up = False
        self.send_signal(how)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.send_signal(signal.SIGKILL)
            self.process.wait()
            return None

    def kill(self):
        """Ends the process at once, as a crash would."""
        self.stop(signal.SIGKILL)

    # MARK: Clients

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def client(self, **options):
        """A client of it; the options are those of `wire.Client`."""
        return Client(self.port, **options)

    def connect(self, **options):
        """A connection to it; the options are those of `wire.Connection`."""
        return Connection(self.port, **options)

    def version(self, collection):
        """The version of a collection, 0 if it isn't there, or None while there is no answer."""
        try:
            answer = self.client(timeout=5).ask("GET", f"/collections/{collection}")
        except Lost:
            return None
        return answer.json()["version"] if answer.status == 200 else 0 if answer.status == 404 else None

    def metrics(self):
        """Values by name, of metrics without labels."""
        text = self.client(timeout=5).ask("GET", "/metrics").body.decode()
        return {name: float(value) for name, value in re.findall(r"^(\w+) ([-+.\deE]+)$", text, re.M)}

    # MARK: Log

    @property
    def log(self):
        """The file of this life's log."""
        return self.folder / f"log{self.life}"

    def text(self, life=None):
        """The log of a life, or of this one."""
        return (self.folder / f"log{life or self.life}").read_text(errors="replace")

    def events(self, name=None, life=None):
        """The lines of a log as JSON, or those of an event; neither one that is being written, nor what isn't of the log."""
        found = []
        for line in self.text(life).splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
        return [line for line in found if name in (None, line["event"])]

    def await_event(self, name, count=1, seconds=30):
        """The events of a name, once there are so many. Raises RuntimeError where they don't come."""
        for _ in tries(seconds, 0.01):
            is_alive = self.is_alive()
            if len(found := self.events(name)) >= count:
                return found
            if not is_alive:
                break
        raise RuntimeError(f"no event {name}: {self.text()}")

    def foreign_lines(self):
        """Lines that any life has written and that aren't of the log, such as of a trap."""
        return [line for life in range(1, self.life + 1) for line in self.text(life).splitlines()
                if not line.startswith('{"time"')]

    def complaints(self):
        """The lines of this life's log that a healthy service doesn't write: errors, and what isn't of the log."""
        return [line for line in self.text().splitlines() if '"level":"info"' not in line and '"level":"debug"' not in line]

    # MARK: Resources

    def memory(self):
        """The memory that it has now, in bytes; 0 if it has ended."""
        found = re.search(r"^VmRSS:\s*(\d+)", Path(f"/proc/{self.pid}/status").read_text(), re.M)
        return int(found[1]) * 1024 if found else 0

    def processor(self):
        """The processor time that it has taken, in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
