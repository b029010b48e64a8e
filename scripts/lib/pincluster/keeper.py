"""Processes, folders and network namespaces that are gone when their keeper is, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# A path of a socket in such a folder must fit into 107 bytes.
LONGEST = 60


def started(pid):
    """When a process was started, which tells it from a later one of the same number; None without one."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def end(pid, start, number, seconds=5):
    """Ends a process by a signal, or else by SIGKILL."""
    for what, wait in ((number, seconds), (signal.SIGKILL, 5)):
        if started(pid) != start:
            return
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            return
        until = time.monotonic() + wait
        while started(pid) == start and time.monotonic() < until:
            time.sleep(0.01)


class Keeper:
    """A temporary folder, and what was started in it.

    Leaving its `with` ends and removes everything. A process beside it, which nobody interrupts, does that if this
    process is killed.
    """

    def __init__(self, name):
        parent = tempfile.gettempdir()
        if len(parent) > LONGEST or not open_to_all(parent):
            parent = "/tmp"
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
        # Servers of other users have folders of their own in it.
        self.folder.chmod(0o711)
        self.guardian = subprocess.Popen(
            [sys.executable, "-B", __file__], stdin=subprocess.PIPE, start_new_session=True, cwd="/", text=True)
        self.processes = []
        self.tell("folder", self.folder)

    def folder_in_memory(self):
        """Another folder, in memory if there is some: for what is never to outlive anything."""
        memory = Path("/dev/shm")
        if not os.access(memory, os.W_OK):
            return self.folder
        found = Path(tempfile.mkdtemp(prefix=f"{self.folder.name}-", dir=memory))
        self.tell("folder", found)
        return found

    def tell(self, *words):
        """What the guardian shall end or remove: process PID START SIGNAL, folder PATH, namespace NAME."""
        print(*words, sep="\t", file=self.guardian.stdin, flush=True)

    def adopt(self, process, stop=signal.SIGTERM):
        """Has the guardian end a process, too."""
        self.tell("process", process.pid, started(process.pid), int(stop))
        return process

    def start(self, command, stop=signal.SIGTERM, **options):
        """A process that ends with this one, by the signal `stop`. Ctrl-C doesn't reach it before."""
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen([str(word) for word in command], start_new_session=True, **options)
        self.processes = [other for other in self.processes if other.poll() is None] + [process]
        return self.adopt(process, stop)

    def __enter__(self):
        # So that these leave by way of `__exit__`, also where Ctrl-C is ignored, as in the background of a script.
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
        return self

    def __exit__(self, *error):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        # The guardian does the work in any case.
        self.guardian.stdin.close()
        self.guardian.wait(60)
        for process in self.processes:
            process.wait(10)


def open_to_all(folder):
    """Whether every user can get to what is in a folder."""
    path = Path(folder).resolve()
    return all(step.stat().st_mode & 0o001 for step in (path, *path.parents))


def guard():
    """Waits for the end of the keeper, and then ends and removes what it has told, the last first."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    lines = [line.rstrip("\n").split("\t") for line in sys.stdin]
    for what, *rest in reversed(lines):
        if what == "process" and rest[1] != "None":
            end(int(rest[0]), rest[1], int(rest[2]))
    for what, *rest in reversed(lines):
        if what == "namespace":
            subprocess.run(["ip", "netns", "delete", rest[0]], stderr=subprocess.DEVNULL)
        elif what == "folder":
            for _ in range(50):
                shutil.rmtree(rest[0], ignore_errors=True)
                if not Path(rest[0]).exists():
                    break
                # A process that has just been killed may have made another file.
                time.sleep(0.1)


if __name__ == "__main__":
    guard()
