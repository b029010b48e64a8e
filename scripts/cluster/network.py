"""Network namespaces in which servers can be cut off. They are gone when the process that made them is."""

import ctypes
import os
import signal
import subprocess
from pathlib import Path

from pincluster.waiting import tries

CLONE_NEWNET = 0x40000000
HUB = "10.77.0.1"
NOWHERE = "02:00:00:00:00:fe"
# port: as if a cable were drawn. silent: whatever either side sends is lost, and nobody is told. answers: what the server
# sends is lost, so that it still does what it is asked. requests: what the hub sends is lost.
CUTS = ("port", "silent", "answers", "requests")


def possible():
    """Whether this process may have namespaces of its own."""
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "x", "type", "bridge"], capture_output=True).returncode == 0


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=20)


class Network:
    """This process, whose threads are all in a namespace of its own from here on, and servers at a switch."""

    def __init__(self, keeper):
        self.keeper = keeper
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "hub", "type", "bridge")
        run("ip", "address", "add", f"{HUB}/24", "dev", "hub")
        run("ip", "link", "set", "hub", "up")
        self.servers = {}

    def add(self, name, number):
        """Another server's namespace. Returns its address, and how the command line of its programs begins."""
        holder = self.keeper.start(["unshare", "--net", "sleep", "infinity"], stop=signal.SIGKILL)
        own, path = os.readlink("/proc/self/ns/net"), Path(f"/proc/{holder.pid}/ns/net")
        for _ in tries(10, 0.01):
            if os.readlink(path) != own:
                break
        inside, address = ("nsenter", f"--net={path}", "--"), f"10.77.0.{10 + number}"
        run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", holder.pid)
        run("ip", "link", "set", f"to-{name}", "master", "hub", "up")
        run(*inside, "ip", "link", "set", "lo", "up")
        run(*inside, "ip", "address", "add", f"{address}/24", "dev", "eth0")
        run(*inside, "ip", "link", "set", "eth0", "up")
        self.servers[name] = (inside, address)
        return address, inside

    def cut(self, name, kind):
        """Cuts a server off from all others, in one of the ways of `CUTS`."""
        inside, address = self.servers[name]
        if kind == "port":
            run("ip", "link", "set", f"to-{name}", "down")
        others = [(other, far) for other, (_, far) in self.servers.items() if other != name]
        if kind in ("silent", "answers"):
            for far in (HUB, *(far for _, far in others)):
                run(*inside, "ip", "neighbour", "replace", far, "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent")
        if kind in ("silent", "requests"):
            run("ip", "neighbour", "replace", address, "lladdr", NOWHERE, "dev", "hub", "nud", "permanent")
            for other, _ in others:
                there = self.servers[other][0]
                run(*there, "ip", "neighbour", "replace", address, "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent")

    def mend(self, name):
        """Ends every cut of a server."""
        inside, address = self.servers[name]
        run("ip", "link", "set", f"to-{name}", "up")
        # Also addresses that nobody has answered for, which would be believed to be away for a while.
        for kind in (("nud", "permanent"), ()):
            run("ip", "neighbour", "flush", "dev", "hub", *kind)
            for there, _ in self.servers.values():
                run(*there, "ip", "neighbour", "flush", "dev", "eth0", *kind)
