"""A private PostgreSQL cluster on 127.0.0.1 with ``wal_level=logical``, for trying things out and for tests.

PostgreSQL refuses to run as root; started by root, the server runs as ``postgres`` (or ``nobody``) instead.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorder.errors import RecordError

SUPERUSER = "entrepot"
SERVER_SETTINGS = """
# written by python -m recorder local-postgres
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
timezone = 'UTC'
log_timezone = 'UTC'
"""


@dataclass(frozen=True)
class LocalPostgres:
    """A cluster in ``directory``: ``data/`` (PGDATA), ``server.log`` and ``dsn`` (mode 600)."""

    directory: Path

    @property
    def data(self) -> Path:
        """The PGDATA folder."""
        return self.directory / "data"

    @property
    def dsn(self) -> str:
        """The connection string of the superuser; it contains the password.

        :raises RecordError: nobody has ever started a cluster here.
        """
        try:
            return (self.directory / "dsn").read_text().strip()
        except OSError as error:
            raise RecordError(
                f"There is no local PostgreSQL in {self.directory}: start one with "
                f"python -m recorder local-postgres {self.directory}"
            ) from error

    def is_running(self) -> bool:
        """Whether ``pg_ctl status`` finds the server."""
        if not self.data.exists():
            return False
        return _run([_binary("pg_ctl"), "-D", self.data, "status"], self.directory, check=False) == 0

    def start(self, port: int | None = None, durable: bool = True) -> str:
        """Create the cluster if it is not there, start it and return its connection string.

        :param port: TCP port on 127.0.0.1; a free one is taken if None.
        :param durable: False switches fsync off (tests: faster, lost in a power cut).
        :raises RecordError: no binaries, folder not usable, or the server did not start.
        """
        if self.is_running():
            return self.dsn
        self._create()
        port = port or _free_port()
        password = self.dsn.split("@")[0].rsplit(":", 1)[1]
        self._write_dsn(password, port)
        server_options = f"-p {port}" + ("" if durable else " -c fsync=off -c full_page_writes=off")
        log = self.directory / "server.log"
        pg_ctl: list[str | Path] = [_binary("pg_ctl"), "-D", self.data, "-w", "-t", "60", "-l", log]
        if _run([*pg_ctl, "-o", server_options, "start"], self.directory, check=False) != 0:
            last = log.read_text(errors="replace").strip().splitlines()[-1:] if log.exists() else []
            raise RecordError(f"The local PostgreSQL did not start ({' '.join(last)}): the whole story is in {log}.")
        return self.dsn

    def stop(self, mode: str = "fast") -> bool:
        """Stop the server; False if it was not running.

        :param mode: pg_ctl's: ``fast``, or ``immediate``, which leaves a recovery to the next start.
        """
        if not self.is_running():
            return False
        _run([_binary("pg_ctl"), "-D", self.data, "-w", "-m", mode, "stop"], self.directory)
        return True

    def _create(self) -> None:
        if (self.data / "PG_VERSION").exists():
            return
        initdb = _binary("initdb")
        account = _server_account()
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if any(self.directory.iterdir()):
                raise RecordError(
                    f"{self.directory} is not empty and holds no local PostgreSQL: choose another folder."
                )
            if account is not None:
                os.chown(self.directory, account.pw_uid, account.pw_gid)
        except OSError as error:
            raise RecordError(
                f"The folder {self.directory} cannot be used ({error.strerror}): choose another."
            ) from error
        password = secrets.token_hex(8)
        password_file = self.directory / "password"
        _write_private(password_file, password, account)
        try:
            how = ["--encoding=UTF8", "--locale=C", "--no-sync", "--auth=scram-sha-256", f"--pwfile={password_file}"]
            _run([initdb, "-D", self.data, "-U", SUPERUSER, *how], self.directory)
        finally:
            password_file.unlink(missing_ok=True)
        with (self.data / "postgresql.conf").open("a") as handle:
            handle.write(SERVER_SETTINGS)
        self._write_dsn(password, 0)

    def _write_dsn(self, password: str, port: int) -> None:
        dsn = f"postgresql://{SUPERUSER}:{password}@127.0.0.1:{port}/postgres"
        _write_private(self.directory / "dsn", dsn + "\n", None)


@contextlib.contextmanager
def throw_away_postgres() -> Iterator[str]:
    """Run a cluster in a temporary folder, yield its connection string, then stop and delete it.

    :raises RecordError: see :meth:`LocalPostgres.start`.
    """
    parent = Path(tempfile.mkdtemp(prefix="entrepot-postgres-"))
    parent.chmod(0o755)
    server = LocalPostgres(parent / "cluster")
    try:
        yield server.start(durable=False)
    finally:
        server.stop("immediate")
        shutil.rmtree(parent, ignore_errors=True)


def find_binaries() -> Path | None:
    """The folder with ``initdb`` and ``pg_ctl`` (newest version first), or None.

    Looked for in ``$ENTREPOT_POSTGRES_BIN``, on the PATH and where Debian, Red Hat and Homebrew put them.
    """
    chosen = os.environ.get("ENTREPOT_POSTGRES_BIN")
    on_path = shutil.which("initdb")
    candidates = [Path(chosen)] if chosen else []
    candidates += [Path(on_path).resolve().parent] if on_path else []
    for pattern in ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin"):
        candidates += sorted(Path("/").glob(pattern), key=_version_in_path, reverse=True)
    return next(
        (folder for folder in candidates if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None
    )


def _version_in_path(folder: Path) -> int:
    digits = "".join(character for character in folder.parent.name if character.isdigit())
    return int(digits or 0)


def _binary(name: str) -> Path:
    folder = find_binaries()
    if folder is None:
        raise RecordError(
            "PostgreSQL's initdb and pg_ctl were not found: install the PostgreSQL server "
            "(Debian: apt install postgresql) or name the folder of its programs in ENTREPOT_POSTGRES_BIN."
        )
    return folder / name


def _server_account() -> pwd.struct_passwd | None:
    """The account that the server must run as, or None for the present one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RecordError(
        "PostgreSQL refuses to run as root and there is no user 'postgres' or 'nobody': use another user."
    )


def _run(command: Sequence[str | Path], directory: Path, check: bool = True) -> int:
    """Run a PostgreSQL program as the server's account; returns the exit code.

    The output goes to a file, not a pipe: the server would inherit a pipe and keep it open.
    """
    account = _server_account()
    identity: dict[str, Any] = {}
    if account is not None:
        identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                [str(part) for part in command],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **identity,
            )
        except PermissionError as error:
            name = account.pw_name if account else "you"
            raise RecordError(
                f"The user {name!r}, who runs PostgreSQL, cannot enter {directory}: "
                "choose a folder such as /tmp/entrepot-postgres."
            ) from error
        output.seek(0)
        text = output.read().decode(errors="replace").strip()
    if check and done.returncode != 0:
        raise RecordError(f"{Path(command[0]).name} failed: {text.splitlines()[-1] if text else 'no message'}")
    return done.returncode


def _write_private(path: Path, text: str, account: pwd.struct_passwd | None) -> None:
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(text)
    if account is not None:
        os.chown(path, account.pw_uid, account.pw_gid)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
