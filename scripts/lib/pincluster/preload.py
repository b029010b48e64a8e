"""Libraries in C that a process loads before all others (`scripts/lib/preload`), to have the machine be otherwise for it alone.

    clock = Clock(folder)
    service = Service(binary, folder, environment=clock.environment).start()
    clock.set(3600)
"""

import mmap
import subprocess
import time
from pathlib import Path

from .data import ROOT


def build(name, folder):
    """Compiles a library into a folder, and returns its path."""
    library = Path(folder, f"{name}.so")
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", "-o", library, ROOT / f"scripts/lib/preload/{name}.c"], check=True)
    return library


class Numbers:
    """64-bit integers in a file, which processes have in their memory, too."""

    def __init__(self, path, count=1):
        Path(path).write_bytes(bytes(8 * count))
        # For servers of other users, too.
        Path(path).chmod(0o666)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 8 * count)
        self.all = memoryview(self.memory).cast("q")

    def __getitem__(self, index):
        return self.all[index]

    def __setitem__(self, index, value):
        self.all[index] = value


class Clock:
    """A real-time clock that can be set, of the processes that are started with `environment`."""

    def __init__(self, folder, name="offset"):
        self.offset = Numbers(Path(folder, name), 2)
        self.environment = {"LD_PRELOAD": str(build("clock", folder)), "CLOCK_OFFSET": str(Path(folder, name))}

    def set(self, seconds):
        """Sets it ahead of this process's clock by whole seconds."""
        self.offset[0] = seconds

    def sleep(self, seconds):
        """Has the machine have slept for whole seconds, which its monotonic clock doesn't count."""
        self.offset[0] += seconds
        self.offset[1] += seconds

    @property
    def now(self):
        """Its time, in seconds since 1970."""
        return time.time() + self.offset[0]


class Disk:
    """A disk that fails, of processes that are started with `environment`: the calls that change files below `data`."""

    FIELDS = FIRST, COUNT, ERROR, FULL, ROOM, CALLS, FAILED = range(7)

    def __init__(self, folder, data):
        self.numbers = Numbers(Path(folder, "fault"), len(self.FIELDS))
        self.environment = {
            "LD_PRELOAD": str(build("disk", folder)), "DISK_FAULT": str(Path(folder, "fault")), "DISK_FOLDER": f"{data}/"}

    def begin(self, first=0, count=1 << 62, error=0, is_full=False, room=0):
        """Counts calls from 1 on, of which `count` fail from the number `first` on; 0: none. `is_full`: the disk says then that
        it has no room, and takes a part of each write. `room`: what it says to have otherwise, in bytes."""
        for field, value in zip(self.FIELDS, (first, count, error, is_full, room, 0, 0)):
            self.numbers[field] = int(value)

    def mend(self):
        """No call fails any more."""
        self.numbers[self.FIRST] = 0

    @property
    def calls(self):
        return self.numbers[self.CALLS]

    @property
    def failed(self):
        return self.numbers[self.FAILED]
