"""A primary and its synchronous standby, and what an operator does with them."""

from pincluster.postgres import Postgres, PostgresError
from pincluster.waiting import tries

SETTINGS = {
    # For rewinding without a new copy.
    "wal_log_hints": "on", "wal_keep_size": "256MB",
    # A walsender or a walreceiver that hears nothing gives up.
    "wal_sender_timeout": "5s", "wal_receiver_timeout": "5s", "wal_retrieve_retry_interval": "200ms",
    "max_wal_senders": "8", "hot_standby": "on",
}


class Pair:
    """Two servers, one of which is the primary."""

    def __init__(self, keeper, network=None):
        self.network = network
        self.servers = []
        for number, name in enumerate(("alpha", "beta"), 1):
            address, prefix = network.add(name, number) if network else ("127.0.0.1", ())
            allowed = ["10.77.0.0/24"] if network else ["127.0.0.1/32"]
            self.servers.append(Postgres(
                keeper, name, address, 5432 if network else None, prefix, SETTINGS, networks=allowed))
        self.primary, self.standby = self.servers
        # With the rights that docs/scaling.md asks for.
        self.primary.make().start().grant("pincluster")
        self.standby.copy(self.primary).start()
        self.synchronize()
        self.rewinds = self.copies = 0

    def url(self):
        """The conninfo URI of the service: both servers, in turn."""
        first, second = self.servers
        hosts = f"{first.address}:{first.port},{second.address}:{second.port}"
        return first.url().replace(f"{first.address}:{first.port}", hosts)

    def synchronize(self, seconds=60):
        """Waits until the standby has all, and has commits wait for it from now on."""
        name = self.standby.name
        self.primary.configure(synchronous_standby_names=f"FIRST 1 ({name})")
        query = f"SELECT 1 FROM pg_stat_replication WHERE application_name = '{name}' AND sync_state = 'sync' AND state = 'streaming'"
        for _ in tries(seconds):
            if self.primary.ask(query) == "1":
                return
        raise PostgresError(f"{name} doesn't follow {self.primary.name}")

    def promote(self):
        """Makes the standby the primary, which waits for nobody. The other server must not run, or be cut off."""
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def rejoin(self):
        """Makes the server that was the primary, and has ended, a standby."""
        # Until a checkpoint after its promotion, a server's data look like those of the timeline before.
        self.primary.ask("CHECKPOINT")
        try:
            self.standby.rewind(self.primary).start()
            self.rewinds += 1
        except PostgresError as error:
            print(f"  a new copy, as rewinding failed: {str(error)[-300:]}", flush=True)
            self.standby.stop("immediate")
            self.standby.copy(self.primary).start()
            self.copies += 1
        self.synchronize()
