"""Runs one capture until somebody, a clock or silence ends it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recorder.capture import Capture
from recorder.checks import Connection, check_registry, check_source, connect, unidentified_sentence
from recorder.errors import RecordError
from recorder.optional import load
from recorder.output import check_writable
from recorder.settings import CaptureSettings

LOOK_SECONDS = 0.5

# A slot is active while it is made, too: that waits for the transactions that run, and the snapshot comes after it.
# What pg_stat_replication says of another's reader is null without the privilege pg_read_all_stats.
SLOT_STATE = """
select s.active and s.confirmed_flush_lsn is not null and coalesce(r.state in ('catchup', 'streaming'), true) as streaming,
       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as head,
       -- without the privilege silence alone must do
       coalesce(r.sent_lsn >= %s::pg_lsn, true) as sent
from pg_replication_slots s left join pg_stat_replication r on r.pid = s.active_pid
where s.slot_name = %s
"""


class SlotWatch:
    """Asks the server how far it has sent changes to Debezium."""

    def __init__(self, connection: Connection, slot: str) -> None:
        """``connection`` is in autocommit mode and stays the caller's."""
        self._connection = connection
        self._slot = slot

    def state(self, position: str | None = None) -> tuple[bool, bool, str | None]:
        """Is Debezium streaming; has everything up to ``position`` (an LSN) been sent; where is the log's end.

        :raises RecordError: the server has gone.
        """
        try:
            row = self._connection.execute(SLOT_STATE, (position, self._slot)).fetchone()
        except load("psycopg").Error as error:
            reason = " ".join(str(error).split())
            raise RecordError(f"PostgreSQL went away ({reason}): run the same command again to continue.") from error
        if row is None:
            return False, False, None
        streaming, head, sent = row
        return bool(streaming), bool(sent), str(head)

    def is_streaming(self) -> bool:
        """Whether the snapshot is over and Debezium follows the log."""
        return self.state()[0]


class Silence:
    """A condition: nothing new for ``seconds`` after the snapshot, although the server has sent all that there was to send."""

    def __init__(self, capture: Capture, watch: SlotWatch, seconds: float) -> None:
        """The silence begins at the earliest with the first call."""
        self._capture = capture
        self._watch = watch
        self._seconds = seconds
        self._records = -1
        self._since = time.monotonic()
        self._position: str | None = None  # the end of the log when the silence began
        self._looked_at = 0.0

    def __call__(self) -> bool:
        """True once the silence has lasted long enough."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        streaming, sent, head = self._watch.state(self._position)
        streaming = streaming and not self._capture.is_unfinished
        records = self._capture.recorder.records
        if not streaming or records != self._records or self._position is None:
            self._records, self._since = records, now
            self._position = head if streaming else None
            return False
        return sent and now - self._since >= self._seconds


def run_capture(
    settings: CaptureSettings, until_idle: float | None, seconds: float | None, say: Callable[[str], None]
) -> int:
    """Record until ``until_idle`` seconds of silence, or for ``seconds``, or until Ctrl+C or SIGTERM.

    ``say`` is called with each line of progress. Returns the number of records.

    :raises RecordError: a check failed, or Debezium stopped.
    """
    check_writable(settings.out, "output")
    check_writable(settings.offsets, "offsets")
    check_writable(settings.waiting, "snapshot")
    if settings.registry is not None:
        check_registry(settings.registry)
    source = check_source(settings)
    capture = Capture(settings, source)
    with connect(settings.dsn, autocommit=True) as connection:
        watch = SlotWatch(connection, source.slot)
        where = f"{source.host}:{source.port}/{source.database}"
        if source.unidentified:
            say(f"{unidentified_sentence(source.unidentified)} or do not publish them")
        say(f"recording {where} as {settings.prefix!r} into {settings.out}; Ctrl+C stops")
        try:
            with capture, _stopped_by_sigterm():
                if until_idle is not None:
                    capture.wait(Silence(capture, watch, until_idle), timeout=seconds)
                else:
                    capture.wait(lambda: False, timeout=seconds)
        except KeyboardInterrupt:
            say("stopped")
    if capture.is_unfinished and capture.recorder.records:
        say(
            f"the snapshot is not complete: none of its {capture.recorder.records} records is in {settings.out}, and the next run begins it again"
        )
        return 0
    return capture.recorder.records


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """SIGTERM, with which systemd and Docker stop a process, is like Ctrl+C; the Java machine's own handler would end it anywhere."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
