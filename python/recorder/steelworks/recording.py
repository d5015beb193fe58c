"""Plays the story on a server while Debezium captures it, and leaves one folder per phase."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from recorder.capture import Capture, transaction_status
from recorder.checks import Connection, check_source, connect
from recorder.errors import RecordError
from recorder.output import Record
from recorder.session import SlotWatch
from recorder.settings import CaptureSettings
from recorder.steelworks.actors import Actors, database_dsn, drop_slots, prepare_databases
from recorder.steelworks.clock import PHASES, Phase
from recorder.steelworks.phases import already_there, databases, story, streamed
from recorder.steelworks.schema import CAPTURED_SCHEMAS, DATABASES, PLANT, SHOP, SHOP_NEXT
from recorder.steelworks.steps import SchemaChange, Step

FILES = {SHOP: "shop", SHOP_NEXT: "shop_next", PLANT: "plant"}
PREFIXES = {SHOP: "shop", SHOP_NEXT: "shop", PLANT: "plant"}
PATIENCE_SECONDS = 120.0


class FinishedTransactions:
    """The numbers of the transactions whose END has been recorded."""

    def __init__(self, prefix: str) -> None:
        """``prefix`` is Debezium's topic prefix."""
        self._topic = f"{prefix}.transaction"
        self._numbers: set[int] = set()

    def __call__(self, record: Record) -> None:
        """Observe one record."""
        if record.destination == self._topic:
            status, number = transaction_status(record)
            if status == "END":
                self._numbers.add(number)

    def wait_for(self, capture: Capture, committed: set[int]) -> None:
        """Wait until every committed transaction has been recorded: this is also the proof that none is missing.

        :raises RecordError: some did not arrive in time.
        """
        if not capture.wait(lambda: committed <= self._numbers, PATIENCE_SECONDS):
            missing = sorted(committed - self._numbers)
            raise RecordError(
                f"{len(missing)} transactions of {capture.source.database} did not arrive in {PATIENCE_SECONDS:.0f} s "
                f"(the first is {missing[0]}): see {capture.log}."
            )


def record_steelworks(dsn: str, out: Path, seed: int, replace: bool, say: Callable[[str], None]) -> dict[str, int]:
    """Record the whole story; returns file (relative to ``out``) → number of records.

    The files appear in ``out`` only when all phases have been recorded; nothing else in ``out`` is touched.

    :raises RecordError: a database that somebody else created stands in the way, ``out`` cannot be written, a check
        failed, or Debezium stopped.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".recording-", dir=out))
    except OSError as error:
        raise RecordError(
            f"The folder {out} cannot be written ({error.strerror}): choose another with --out."
        ) from error
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, staging)
        admin = stack.enter_context(connect(dsn, autocommit=True))
        _prepare(admin, replace)
        work = Path(tempfile.mkdtemp(prefix="entrepot-record-"))  # offsets and logs; it stays if something goes wrong
        stack.callback(drop_slots, admin, DATABASES)
        actors = stack.enter_context(Actors(dsn))
        for database in DATABASES:
            actors.create_tables(database)
        steps = story(seed)
        counts: dict[str, int] = {}
        for phase in PHASES:
            say(f"recording phase {phase.name}")
            counts.update(_record_phase(phase, steps, actors, dsn, staging, work))
        for name in counts:
            (out / name).parent.mkdir(exist_ok=True)
            (staging / name).replace(out / name)
    shutil.rmtree(work)
    return counts


def _prepare(admin: Connection, replace: bool) -> None:
    foreign = prepare_databases(admin, replace)
    if foreign:
        raise RecordError(
            f"{', '.join(foreign)} exists on this server and was not created by this command: "
            "give --replace to drop it with everything in it, or use another server."
        )


def _record_phase(
    phase: Phase, steps: Sequence[Step], actors: Actors, dsn: str, folder: Path, work: Path
) -> dict[str, int]:
    (folder / phase.name).mkdir()
    captures: dict[str, Capture] = {}
    finished: dict[str, FinishedTransactions] = {}
    with ExitStack() as stack:
        for database in databases(phase, DATABASES):
            actors.play(already_there(steps, phase, database))
            actors.committed[database].clear()
            settings = _settings(database, database_dsn(dsn, database), folder / phase.name, work)
            finished[database] = FinishedTransactions(settings.prefix)
            capture = Capture(settings, check_source(settings), finished[database])
            captures[database] = stack.enter_context(capture)
        for database, capture in captures.items():
            _wait_for_streaming(database, dsn, capture)
        for step in streamed(steps, phase):
            if isinstance(step, SchemaChange):
                # Debezium asks the server for the columns: it must not see them before their time
                finished[step.database].wait_for(captures[step.database], actors.committed[step.database])
            actors.play([step])
        for database, capture in captures.items():
            finished[database].wait_for(capture, actors.committed[database])
    return {f"{phase.name}/{FILES[name]}.jsonl": capture.recorder.records for name, capture in captures.items()}


def _settings(database: str, dsn: str, folder: Path, work: Path) -> CaptureSettings:
    return CaptureSettings(
        dsn=dsn,
        prefix=PREFIXES[database],
        out=folder / f"{FILES[database]}.jsonl",
        offsets=work / f"{FILES[database]}.offsets",
        schemas=CAPTURED_SCHEMAS[database],
        embedded_schema=PREFIXES[database] == "shop",
    )


def _wait_for_streaming(database: str, dsn: str, capture: Capture) -> None:
    with connect(database_dsn(dsn, database), autocommit=True) as connection:
        watch = SlotWatch(connection, capture.source.slot)
        if not capture.wait(watch.is_streaming, PATIENCE_SECONDS):
            raise RecordError(
                f"Debezium did not begin to stream {database} in {PATIENCE_SECONDS:.0f} s: see {capture.log}."
            )
