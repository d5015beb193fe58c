"""The commands of the captures without Debezium."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from recorder.captures.extract import ExtractSettings, run_extract
from recorder.captures.files import CsvFormat, parse_type
from recorder.captures.postgres import state_of
from recorder.captures.timestamp import TimestampSettings, run_timestamp
from recorder.captures.trigger import TriggerSettings, remove_triggers, run_trigger
from recorder.errors import RecordError


def names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split ``a,b`` into names, each once."""
    return tuple(dict.fromkeys(name.strip() for name in (value or "").split(",") if name.strip()))


def _types(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Read ``column=type`` texts."""
    return dict(parse_type(text) for text in texts)


def _say(line: str) -> None:
    click.echo(line, err=True)


_dsn = click.option(
    "--dsn", required=True, envvar="ENTREPOT_RECORD_DSN", help="postgresql://user:password@host:port/database"
)
_prefix = click.option("--prefix", required=True, help="The source system's name in every record.")
_out = click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to append to, one JSON line per record."
)
_state = click.option(
    "--state", type=click.Path(path_type=Path), help="What the capture knows.  [default: <out>.state]"
)
_tables = click.option("--tables", required=True, callback=names, help="Tables (schema.table), comma separated.")
_every = click.option(
    "--every",
    type=click.FloatRange(min=0),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="Pause between polls.",
)
_polls = click.option("--polls", type=click.IntRange(min=1), metavar="N", help="Stop after so many polls.")
_audit_schema = click.option(
    "--audit-schema", default="entrepot_audit", show_default=True, help="Schema of the audit table in the source."
)


@click.command()
@_dsn
@_prefix
@_out
@_tables
@click.option("--column", default="updated_at", show_default=True, help="The timestamp column of all these tables.")
@click.option("--key", callback=names, help="Columns of the key, comma separated, where the table declares none.")
@click.option(
    "--lag",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="By how much a commit may come after the timestamp it has set.  [default: as the server's transactions say]",
)
@click.option("--zone", default="UTC", show_default=True, help="Time zone of timestamps that have none.")
@click.option("--deletes/--no-deletes", default=True, show_default=True, help="Look for keys that are gone?")
@click.option("--full", is_flag=True, help="Read all rows in the first poll: finds what the timestamps did not tell.")
@_every
@_polls
@_state
def timestamp(
    dsn: str,
    prefix: str,
    out: Path,
    tables: tuple[str, ...],
    column: str,
    key: tuple[str, ...],
    lag: float | None,
    zone: str,
    deletes: bool,
    full: bool,
    every: float,
    polls: int | None,
    state: Path | None,
) -> None:
    """Record what a timestamp column tells of some tables of a PostgreSQL.

    The first poll takes all rows. Deletes are found by comparing keys. Run it again with the same options and it
    continues where it stopped. What it can miss: docs/recording.md.
    """
    settings = TimestampSettings(
        dsn, prefix, out, state_of(out, state), tables, column, key=key, lag=lag, zone=zone, deletes=deletes
    )
    _say(f"{run_timestamp(settings, full, every, polls, _say)} records added to {out}")


@click.command()
@_dsn
@_prefix
@_out
@_tables
@_audit_schema
@_every
@_polls
@_state
def trigger(
    dsn: str,
    prefix: str,
    out: Path,
    tables: tuple[str, ...],
    audit_schema: str,
    every: float,
    polls: int | None,
    state: Path | None,
) -> None:
    """Record every change of some tables of a PostgreSQL, by triggers that note it in an audit table.

    Installs both, takes all rows, then what commits. Run it again with the same options and it continues where it
    stopped; remove-triggers removes what it has installed. What it can miss: docs/recording.md.
    """
    settings = TriggerSettings(dsn, prefix, out, state_of(out, state), tables, audit_schema)
    _say(f"{run_trigger(settings, every, polls, _say)} records added to {out}")


@click.command("remove-triggers")
@_dsn
@_audit_schema
def remove(dsn: str, audit_schema: str) -> None:
    """Remove the audit table of the command trigger, and its triggers."""
    _say(
        f"removed the audit schema {audit_schema}, and triggers of: {', '.join(remove_triggers(dsn, audit_schema)) or 'no table'}"
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@_prefix
@click.option("--table", required=True, help="The table (schema.table) of which the file has all rows.")
@_out
@click.option("--key", callback=names, help="Columns of the key, comma separated.  [default: none]")
@click.option(
    "--type",
    "types",
    multiple=True,
    callback=_types,
    metavar="COLUMN=TYPE",
    help="Type of a column of a CSV; else text.",
)
@click.option(
    "--null", default="", show_default=True, metavar="TEXT", help="What a CSV has for null, in quotes or not."
)
@click.option("--delimiter", default=",", show_default=True, help="Of a CSV; \\t is a tab.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of a CSV.")
@click.option(
    "--at",
    type=click.DateTime(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d"]),
    help="When the table was as the file has it, in UTC.  [default: when the file was changed last]",
)
@click.option(
    "--most-deletes",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Refuse a file that lacks more of the rows of the one before.",
)
@_state
def extract(
    file: Path,
    prefix: str,
    table: str,
    out: Path,
    key: tuple[str, ...],
    types: dict[str, str],
    null: str,
    delimiter: str,
    encoding: str,
    at: datetime | None,
    most_deletes: float,
    state: Path | None,
) -> None:
    """Record what FILE, a CSV or Parquet file with all rows of a table, has otherwise than the one before.

    The first one gives all rows. What it can miss: docs/recording.md.
    """
    delimiter = delimiter.replace("\\t", "\t")
    if len(delimiter) != 1:
        raise RecordError(f"The delimiter {delimiter!r} is not one character, such as , ; or \\t.")
    form = CsvFormat(delimiter, null, encoding, types)
    settings = ExtractSettings(
        file, prefix, table, out, state_of(out, state), key=key, form=form, at=at, most_deletes=most_deletes
    )
    _say(f"{run_extract(settings, _say)} records added to {out}")
