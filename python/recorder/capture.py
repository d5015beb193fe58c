"""One running Debezium engine that writes what it emits into a file.

The order that makes the recording at-least-once: records → file → fsync → only then Debezium's commit, and that only
up to the end of a transaction.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from recorder.errors import RecordError
from recorder.jvm import start_jvm
from recorder.offsets import Offsets
from recorder.output import Header, Record
from recorder.settings import CaptureSettings, Source, debezium_properties
from recorder.snapshot import CaptureOutput

POLL_SECONDS = 0.1
AVRO_HEADER_BYTES = 5  # a zero, and the number of the schema in the registry
NO_NAME_IN_AVRO = ("Illegal character in: ", "Illegal initial character: ")  # what Avro says of one
Observer = Callable[[Record], None]


class Recorder:
    """Implements Debezium's ``ChangeConsumer``; every method is called by threads of the Java machine."""

    def __init__(
        self, file: CaptureOutput, offsets: Offsets, settings: CaptureSettings, observe: Observer | None
    ) -> None:
        """``observe`` is called with every record that is on the disk and has been committed; ``records`` counts no heartbeats."""
        self._heartbeats = settings.heartbeats
        self._beat_at = 0.0
        self._is_avro = settings.registry is not None
        self.records = 0
        self.error: Exception | None = None
        self._file = file
        self._offsets = offsets
        self._observe = observe
        self._in_transaction = False
        self._transaction_topic = f"{settings.prefix}.transaction"
        self._heartbeat_topic = f"__debezium-heartbeat.{settings.prefix}"  # these carry a position and no change

    def handleBatch(self, batch: Any, committer: Any) -> None:  # noqa: N802 (the name is Debezium's)
        """Write one batch to the disk, then let Debezium commit it.

        An exception here stops the engine and leaves the batch uncommitted: it comes again in the next run.
        """
        try:
            everything = [_to_record(event, self._is_avro) for event in batch]
            records = [record for record in everything if record.destination != self._heartbeat_topic]
            beats = [record for record in everything if record.destination == self._heartbeat_topic and self._is_due()]
            if records or beats:
                self._file.append([*records, *beats])
                self.records += len(records)
            complete = self._complete(everything)
        except Exception as error:
            self.error = error
            raise
        for event in list(batch)[:complete]:
            committer.markProcessed(event)
        committer.markBatchFinished()
        self.settle()
        if self._observe is not None:
            for record in records:
                self._observe(record)

    def settle(self) -> None:
        """Keep the position that Debezium has noted, and put the first snapshot into the output if it has just become complete.

        :raises OSError: it cannot be written, which ``error`` is from then on.
        :raises RecordError: so.
        """
        try:
            self._offsets.keep()
            self._file.settle()
        except (OSError, RecordError) as error:
            self.error = error
            raise

    def _is_due(self) -> bool:
        """Whether a heartbeat is to be recorded, as the last one was long enough ago."""
        now = time.monotonic()
        if self._heartbeats is None or now - self._beat_at < self._heartbeats:
            return False
        self._beat_at = now
        return True

    def _complete(self, records: list[Record]) -> int:
        """How many of these records, from the first on, end outside a transaction: only they are committed.

        A run that continues in the middle of a transaction would get another ``source.sequence`` for the rest of it.
        """
        complete = 0
        for number, record in enumerate(records, start=1):
            if record.destination == self._transaction_topic:
                self._in_transaction = transaction_status(record)[0] == "BEGIN"
            if not self._in_transaction:
                complete = number
        return complete

    def supportsTombstoneEvents(self) -> bool:  # noqa: N802
        """Tombstones are wanted."""
        return True


class Capture:
    """A Debezium engine in a thread of its own; use it as a context manager.

    Several may run at once in one process, also with the same prefix.
    """

    def __init__(self, settings: CaptureSettings, source: Source, observe: Observer | None = None) -> None:
        """Open the file; Debezium does not run yet.

        ``source`` comes from :func:`recorder.checks.check_source`; for ``observe`` see :class:`Recorder`.

        :raises RecordError: no Java, Debezium is missing, or the file cannot be written.
        """
        self.settings = settings
        self.source = source
        self._jpype = start_jvm(self.log)
        offsets = Offsets(self._jpype, settings.offsets, source.slot, settings.prefix)
        self._file = self._open(offsets)
        self.recorder = Recorder(self._file, offsets, settings, observe)
        self._engine: Any = None
        self._polling = threading.Event()
        self._ended = threading.Event()
        self._failure: str | None = None
        self._thread = threading.Thread(target=self._run, name=f"entrepot-{source.slot}", daemon=True)

    def start(self) -> None:
        """Start Debezium; returns at once."""
        self._engine = self._build()
        self._thread.start()

    @property
    def log(self) -> Path:
        """Debezium's log file, beside the offsets."""
        return self.settings.offsets.with_suffix(".log")

    def wait(self, condition: Callable[[], bool], timeout: float | None = None) -> bool:
        """Wait until ``condition()`` holds; False if ``timeout`` seconds passed first.

        :raises RecordError: Debezium stopped by itself.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not condition():
            if self._ended.is_set():
                raise RecordError(self._failure or f"Debezium stopped for no stated reason: see {self.log}.")
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def stop(self) -> None:
        """Stop Debezium: the batch in hand is finished and committed first. Calling it twice is fine."""
        if self._engine is not None and not self._ended.is_set():
            # close() refuses while the engine is starting
            while not self._polling.wait(POLL_SECONDS) and not self._ended.is_set():
                pass
            if not self._ended.is_set():
                self._engine.close()
            self._thread.join()
            if self.recorder.error is None:
                try:
                    self.recorder.settle()  # of what Debezium has committed last
                except OSError as error:
                    raise RecordError(self._sentence(str(error))) from error
        self._file.close()

    @property
    def is_unfinished(self) -> bool:
        """Whether the first snapshot is not complete, and so none of its records in the output."""
        return self._file.waits

    def __enter__(self) -> Capture:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    def _open(self, offsets: Offsets) -> CaptureOutput:
        settings = self.settings
        try:
            offsets.mend()
            if offsets.is_snapshot_complete():
                _check_position(offsets.reached(), settings, self.source)
            return CaptureOutput(
                settings.out, settings.waiting, settings.snapshot == "initial", offsets.is_snapshot_complete
            )
        except OSError as error:
            raise RecordError(_unwritten(settings.out, error)) from error

    def _build(self) -> Any:
        jpype = self._jpype
        java_properties = jpype.JClass("java.util.Properties")()
        for name, value in debezium_properties(self.settings, self.source).items():
            java_properties.setProperty(name, value)
        json_format = jpype.JClass("io.debezium.engine.format.Json")
        sent_format = (
            jpype.JClass("io.debezium.engine.format.Avro") if self.settings.registry is not None else json_format
        )
        engine = "io.debezium.engine.DebeziumEngine"
        return (
            jpype.JClass(engine)
            .create(sent_format, sent_format, json_format)  # key, value, headers
            .using(java_properties)
            .using(jpype.JClass("io.debezium.engine.spi.OffsetCommitPolicy").always())
            .using(jpype.JProxy(f"{engine}$CompletionCallback", dict={"handle": self._completed}))
            .using(jpype.JProxy(f"{engine}$ConnectorCallback", dict=self._progress_callbacks()))
            .notifying(jpype.JProxy(f"{engine}$ChangeConsumer", inst=self.recorder))
            .build()
        )

    def _run(self) -> None:
        try:
            self._engine.run()
        except Exception as error:  # anything from Java; it is reported by wait()
            self._failure = self._failure or self._sentence(str(error))
        finally:
            self._ended.set()

    def _completed(self, success: bool, message: Any, error: Any) -> None:
        if not success:
            self._failure = self._sentence(_root_cause(error) or str(message))

    def _sentence(self, reason: str) -> str:
        if self.recorder.error is not None:
            return _unwritten(self._file.path, self.recorder.error)
        if f'publication "{self.source.publication}" does not exist' in reason:
            return (
                f"The publication {self.source.publication!r} was dropped after this recording had begun, and PostgreSQL does not tell what was "
                f"changed without it: select pg_drop_replication_slot('{self.source.slot}'), delete {self.settings.offsets} and give "
                "another --out to start a new recording with a snapshot (deletes since then will not be told)."
            )
        if self.settings.registry is not None and reason.startswith(NO_NAME_IN_AVRO):
            return (
                f"Avro takes letters of English, digits and underscores in names only ({reason}): leave the table out with --tables, or have its "
                "names adjusted in the records with  --property field.name.adjustment.mode=avro --property schema.name.adjustment.mode=avro."
            )
        return f"Debezium stopped: {' '.join(reason.split())} (the whole story is in {self.log})."

    def _progress_callbacks(self) -> dict[str, Callable[[], None]]:
        def nothing() -> None:
            return None

        names = ("connectorStarted", "connectorStopped", "taskStarted", "taskStopped", "pollingStopped")
        return {**dict.fromkeys(names, nothing), "pollingStarted": self._polling.set}


def _check_position(reached: int, settings: CaptureSettings, source: Source) -> None:
    """A recording goes on where the slot stands, or behind that, and not where the server's log has not come to yet.

    :raises RecordError: one of them has been put back from a backup.
    """
    if reached > source.log_end:
        why = (
            f"The log of the server ends before the position that {settings.offsets} has reached: the server was restored from a backup, "
            "or is another one, and would tell nothing until its log is as long again."
        )
    elif source.confirmed > reached:
        why = (
            f"The slot {source.slot!r} stands behind the position in {settings.offsets}, so the recording would have a gap: if these files "
            "were put back from a backup, put the newer ones back, which have what was told since then. If there are none:"
        )
    else:
        return
    raise RecordError(
        f"{why} Select pg_drop_replication_slot('{source.slot}'), delete {settings.offsets} and give another --out to start a new "
        "recording with a snapshot (rows that are gone since then will not be told as deleted)."
    )


def _unwritten(path: Path, error: Exception) -> str:
    return (
        f"Records could not be written to {path} ({error}): remove the cause, then run the same command again; "
        "PostgreSQL keeps what has not been written."
    )


def transaction_status(record: Record) -> tuple[str, int]:
    """``BEGIN`` or ``END``, and the number of the transaction, of a record of the transaction topic."""
    if record.encoding is not None:
        status, identity = _first_texts(base64.b64decode(record.value or ""))
        return status, int(identity.partition(":")[0])
    value = json.loads(record.value or "{}")
    status = value.get("payload", value)
    return status["status"], int(status["id"].partition(":")[0])


def _first_texts(content: bytes) -> tuple[str, str]:
    """The first two fields of a record in Avro behind the schema's number, both texts: their lengths are zigzag numbers of 7 bits a byte."""
    texts, place = [], AVRO_HEADER_BYTES
    for _ in range(2):
        length, shift = 0, 0
        while True:
            byte = content[place]
            place, length, shift = place + 1, length | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        length >>= 1
        texts.append(content[place : place + length].decode())
        place += length
    return texts[0], texts[1]


def _to_record(event: Any, is_avro: bool) -> Record:
    """Turn a Java ``ChangeEvent`` into a :class:`Record`, text for text, or byte for byte."""
    partition = event.partition()
    headers = tuple(Header(str(header.getKey()), _text(header.getValue())) for header in event.headers() or ())
    sent = _base64 if is_avro else _text
    return Record(
        destination=str(event.destination()),
        partition=None if partition is None else int(partition),
        headers=headers,
        key=sent(event.key()),
        value=sent(event.value()),
        encoding="base64" if is_avro else None,
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _base64(value: Any) -> str | None:
    return None if value is None else base64.b64encode(bytes(value)).decode()


def _root_cause(error: Any) -> str | None:
    """The message of the innermost Java exception, which is the one that says something."""
    message = None
    while error is not None:
        message = str(error.getMessage() or error.getClass().getSimpleName())
        error = error.getCause()
    return message
