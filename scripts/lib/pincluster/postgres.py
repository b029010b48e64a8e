"""Servers of PostgreSQL for tests, each with its data in a keeper's folder."""

import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from .data import ROOT
from .waiting import tries
from .wire import free_port

MODES = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
DATABASE = ROLE = "pincluster"


class PostgresError(RuntimeError):
    pass


def programs():
    """The folder of PostgreSQL's programs, version 15 or later. Installs them if they are missing."""
    named = os.environ.get("PINCLUSTER_TEST_POSTGRES_BIN")
    if named:
        return Path(named)
    for attempt in range(2):
        versions = {int(path.parent.parent.name): path.parent
                    for path in Path("/usr/lib/postgresql").glob("*/bin/postgres") if path.parent.parent.name.isdigit()}
        fit = [version for version in versions if version >= 15]
        if fit:
            return versions[min(fit)]
        if attempt == 0:
            subprocess.run([ROOT / "scripts/setup", "postgresql-15"], stdout=subprocess.DEVNULL)
    raise PostgresError("no PostgreSQL 15 or later: apt-get install postgresql-15")


class Postgres:
    """A server: made, started, stopped, promoted and made again from another one.

    PostgreSQL refuses root, for whom it runs as the user `postgres`. The superuser needs no password at the server's Unix
    socket, which is in a folder of that user; by TCP everybody needs one. The configuration is beside the data, so that
    it is the server's own although its data may be a copy of another's.
    """

    def __init__(self, keeper, name, address="127.0.0.1", port=None, prefix=(), settings=None, networks=("127.0.0.1/32",)):
        """`prefix` begins each command line, such as for a network namespace."""
        (self.keeper, self.name, self.address, self.port) = (keeper, name, address, port)
        self.networks = networks
        self.bin = programs()
        self.user = "postgres" if os.geteuid() == 0 else None
        self.prefix = [*prefix, *(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if self.user else [])]
        self.process = None
        self.folder = keeper.folder / name
        self.folder.mkdir(mode=0o700)
        if self.user:
            found = pwd.getpwnam(self.user)
            os.chown(self.folder, found.pw_uid, found.pw_gid)
        (self.data, self.log, self.file) = (self.folder / "data", self.folder / "log", self.folder / "postgresql.conf")
        self.settings = {
            "data_directory": str(self.data), "hba_file": str(self.folder / "hba"), "listen_addresses": address,
            "unix_socket_directories": str(self.folder), "shared_buffers": "64MB", "max_connections": "100",
            "log_timezone": "UTC", "log_checkpoints": "off"} | (settings or {})
        self.password = secrets.token_hex(16)

    # MARK: Programs

    def run(self, program, *arguments, input=None, timeout=120, environment=None):
        """What one of PostgreSQL's programs prints."""
        done = subprocess.run(
            [*self.prefix, self.bin / program, *arguments], input=input, capture_output=True, text=True, timeout=timeout,
            cwd=self.folder, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"} | (environment or {}))
        if done.returncode:
            raise PostgresError(f"{self.name}: {program}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def ask(self, sql, database="postgres", timeout=60):
        """The answer to SQL as text, with a tab between columns, asked by the superuser."""
        arguments = ["-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port),
                     "-U", "postgres", "-d", database, "-f", "-"]
        return self.run("psql", *arguments, input=sql, timeout=timeout).strip()

    # MARK: Data

    def make(self):
        """Makes an empty cluster."""
        secret = self.folder / "password"
        secret.write_text(self.password + "\n")
        secret.chmod(0o644)
        self.run("initdb", "-D", self.data, "-U", "postgres", "--pwfile", secret, "--auth-local", "trust", "--auth-host",
                 "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--data-checksums", "--no-sync",
                 "--no-instructions")
        secret.unlink()
        return self

    def configure(self, **settings):
        """Writes the configuration, with some settings changed or (None) taken away; a server that runs reads it again."""
        for name, value in settings.items():
            self.settings.pop(name, None)
            if value is not None:
                self.settings[name] = value
        lines = ["local all postgres trust"]
        for network in self.networks:
            lines += [f"host all all {network} scram-sha-256", f"host replication all {network} scram-sha-256"]
        (self.folder / "hba").write_text("\n".join(lines) + "\n")
        quoted = [(name, value.replace("\\", "\\\\").replace("'", "''")) for name, value in self.settings.items()]
        self.file.write_text("".join(f"{name} = '{value}'\n" for name, value in quoted))
        for path in (self.folder / "hba", self.file):
            path.chmod(0o644)
        if self.is_running():
            self.process.send_signal(signal.SIGHUP)

    def conninfo(self, name):
        """How a standby of that name connects to this server."""
        return (f"host={self.address} port={self.port} user=postgres password={self.password} application_name={name} "
                "connect_timeout=2 keepalives_idle=2 keepalives_interval=1 keepalives_count=3 tcp_user_timeout=5000")

    def copy(self, source):
        """Makes the data those of another server, which runs, to be its standby."""
        shutil.rmtree(self.data, ignore_errors=True)
        # Without a checkpoint at once this would wait for the next one, for minutes.
        self.run("pg_basebackup", "-D", self.data, "-d", source.conninfo(self.name), "--checkpoint", "fast", "--wal-method",
                 "stream", "--no-sync", timeout=300)
        return self.follow(source)

    def rewind(self, source):
        """Takes back what only this server has, which has ended, to be a standby of the one that was promoted."""
        self.run("pg_rewind", "--target-pgdata", self.data, "--config-file", self.file, "--source-server",
                 source.conninfo(self.name) + " dbname=postgres", "--no-sync", timeout=300)
        return self.follow(source)

    def follow(self, source):
        """Has the server be a standby from its next start on."""
        (self.data / "standby.signal").touch()
        if self.user:
            shutil.chown(self.data / "standby.signal", self.user, self.user)
        self.password = source.password
        self.configure(primary_conninfo=source.conninfo(self.name), synchronous_standby_names=None)
        return self

    def grant(self, schema=None):
        """Makes the database, and the role of the service, which may make a schema in it and nothing else; or has this one."""
        self.ask(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{self.password}'")
        self.ask(f"CREATE DATABASE {DATABASE}")
        rights = "CONNECT" if schema else "CONNECT, CREATE"
        self.ask(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC; GRANT {rights} ON DATABASE {DATABASE} TO {ROLE}; "
                 "REVOKE ALL ON SCHEMA public FROM PUBLIC", DATABASE)
        if schema:
            self.ask(f"CREATE SCHEMA {schema} AUTHORIZATION {ROLE}", DATABASE)
        return self

    # MARK: Life

    def start(self, wait=60):
        for _ in range(20):
            chosen = self.port or free_port(self.address)
            self.configure(port=str(chosen))
            with open(self.log, "ab") as log:
                begin = log.tell()
                self.process = self.keeper.start(
                    [*self.prefix, self.bin / "postgres", "-D", self.data, "-c", f"config_file={self.file}"],
                    stop=signal.SIGQUIT, cwd=self.folder, stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
            if self.wait_until_ready(wait):
                self.port = chosen
                return self
            said = self.log.read_text(errors="replace")[begin:]
            if self.port or "Address already in use" not in said:
                raise PostgresError(f"{self.name} didn't start: {said[-2000:]}")
        raise PostgresError(f"{self.name}: no port is free")

    def wait_until_ready(self, seconds=60):
        for _ in tries(seconds, 0.02):
            if self.process.poll() is not None:
                break
            try:
                lines = (self.data / "postmaster.pid").read_text().splitlines()
            except OSError:
                lines = []
            # A file that was left by an earlier life has another number.
            if len(lines) > 7 and lines[7].strip() in ("ready", "standby") and int(lines[0]) == self.process.pid:
                return True
        return False

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, mode="fast", wait=60):
        """Stops the server: `smart` waits for clients, `fast` ends them, `immediate` is a crash."""
        if self.is_running():
            self.process.send_signal(MODES[mode])
            self.process.wait(wait)

    def promote(self, wait=60):
        """Makes a standby a primary."""
        if self.ask(f"SELECT pg_promote(true, {wait})", timeout=wait + 10) != "t":
            raise PostgresError(f"{self.name} was not promoted within {wait} s")
        self.settings.pop("primary_conninfo", None)

    def url(self, role=ROLE, database=DATABASE):
        return f"postgresql://{role}:{self.password}@{self.address}:{self.port}/{database}"

    def errors(self):
        """Lines of the server's log that tell of its own faults, not of clients."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if re.search(r"\b(PANIC|WARNING):", line)]
