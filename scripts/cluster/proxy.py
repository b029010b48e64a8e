"""A proxy in front of PostgreSQL that does something to the end of a transaction."""

import socket
import struct
import threading
import time

# Messages of the extended protocol, which a Sync ends; whatever else a client sends is passed on at once.
BATCHED = b"PBDECFH"
SYNC, READY = b"S", b"Z"
# Statements of the service by which the last batch of a transaction is known.
ENDS = (b"change", b"note dropped")


class Proxy:
    """Passes everything on, but for the last batch of the next transaction once `arm` was called.

    What becomes of that batch:
      swallow  it is lost, and so is the connection
      answer   it is carried out, but the connection is lost before the answer comes
      late     the connection of the client is lost, and the server gets the batch only two seconds later
      never    the connection of the client is lost, and the server waits for the batch until `release` is called
    """

    def __init__(self, address, port):
        self.target = (address, port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        (self.way, self.between, self.released) = (None, None, threading.Event())
        self.met = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, way, between=None):
        """Does something to the next last batch; `between` is called before the client learns of it."""
        self.met.clear()
        self.released.clear()
        with self.lock:
            (self.way, self.between) = (way, between)

    @property
    def is_armed(self):
        """Whether the batch that `arm` asked for hasn't come."""
        with self.lock:
            return self.way is not None

    def release(self):
        self.released.set()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = Pair(self, client, server)
            threading.Thread(target=pair.upstream, daemon=True).start()
            threading.Thread(target=pair.downstream, daemon=True).start()

    def take(self, batch):
        """What is to be done to a batch, and what before anybody learns of it; None for nothing."""
        with self.lock:
            if self.way is None or not any(b"\0" + end + b"\0" in batch for end in ENDS):
                return None
            way, between = self.way, self.between
            (self.way, self.between) = (None, None)
            return way, between


class Pair:
    """A connection of a client, and that to the server for it."""

    def __init__(self, proxy, client, server):
        (self.proxy, self.client, self.server) = (proxy, client, server)
        # Whether the client hears nothing more from the server.
        self.is_cut = False
        self.ready = threading.Event()

    def read(self, count):
        found = b""
        while len(found) < count:
            more = self.client.recv(count - len(found))
            if not more:
                raise EOFError
            found += more
        return found

    def message(self, has_type=True):
        head = self.read(5 if has_type else 4)
        length = struct.unpack("!I", head[-4:])[0]
        return head + self.read(length - 4)

    def upstream(self):
        """From the client to the server, batch by batch."""
        try:
            while True:
                first = self.message(has_type=False)
                self.server.sendall(first)
                # Requests for encryption come before the real first message.
                if struct.unpack("!I", first[4:8])[0] >> 16 == 3:
                    break
            batch = b""
            while True:
                message = self.message()
                batch += message
                if message[:1] in BATCHED:
                    continue
                if message[:1] == SYNC and (taken := self.proxy.take(batch)):
                    return self.end(batch, *taken)
                self.server.sendall(batch)
                batch = b""
        except (EOFError, OSError):
            self.shut(self.client, self.server)

    def end(self, batch, way, between):
        self.is_cut = True
        if way == "answer":
            self.ready.clear()
            self.server.sendall(batch)
            self.ready.wait(10)
        if way in ("swallow", "answer"):
            # Without a crash, the server learns of it at once.
            if between is None:
                self.shut(self.server)
            else:
                between()
            self.shut(self.client, self.server)
        else:
            if between:
                between()
            self.shut(self.client)
            if way == "late":
                time.sleep(2)
                self.ready.clear()
                self.server.sendall(batch)
                self.ready.wait(10)
            else:
                self.proxy.released.wait(60)
            self.shut(self.server)
        self.proxy.met.set()

    def downstream(self):
        """From the server to the client; nothing once it is cut."""
        while True:
            try:
                data = self.server.recv(1 << 16)
            except OSError:
                data = b""
            if self.is_cut:
                if not data:
                    return
                # The last message of an answer.
                if data[-6:-5] == READY:
                    self.ready.set()
                continue
            if not data:
                return self.shut(self.client, self.server)
            try:
                self.client.sendall(data)
            except OSError:
                return self.shut(self.client, self.server)

    def shut(self, *sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
