"""The commands ``python -m recorder …``."""

from __future__ import annotations

from pathlib import Path

import click

from recorder.captures.commands import extract, remove, timestamp, trigger
from recorder.local_postgres import LocalPostgres
from recorder.session import run_capture
from recorder.settings import CaptureSettings, parse_property
from recorder.steelworks.recording import record_steelworks


def _names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split ``a,b`` into names."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


def _properties(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Read ``name=value`` texts; of two with one name the later counts."""
    return dict(parse_property(text) for text in texts)


def _say(line: str) -> None:
    click.echo(line, err=True)


@click.group()
def record() -> None:
    """Record what a real Debezium emits for a real PostgreSQL, or changes by other captures."""


@record.command()
@click.option(
    "--dsn", required=True, envvar="ENTREPOT_RECORD_DSN", help="postgresql://user:password@host:port/database"
)
@click.option("--prefix", required=True, help="Debezium's topic prefix: the source system's name in every record.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File to append to, one JSON line per record."
)
@click.option("--schemas", callback=_names, help="Only these schemas, comma separated.")
@click.option("--tables", callback=_names, help="Only these tables (schema.table), comma separated.")
@click.option("--embedded-schema/--plain", default=False, help="With the schema in every record?  [plain]")
@click.option("--avro", "registry", metavar="URL", help="In Avro, with the schemas in the registry at this address.")
@click.option(
    "--heartbeats", type=click.FloatRange(min=1), metavar="SECONDS",
    help="Record a heartbeat so often, too: it says that the source has been heard though nothing changes.",
)  # fmt: skip
@click.option("--until-idle", type=click.FloatRange(min=0.5), metavar="SECONDS", help="Stop after so long a silence.")
@click.option("--seconds", type=click.FloatRange(min=1), help="Stop after so many seconds.")
@click.option(
    "--snapshot",
    type=click.Choice(["initial", "no_data"]),
    default="initial",
    show_default=True,
    help="Start with the rows that are there (op r), or with changes only.",
)
@click.option("--slot", help="Replication slot.  [default: entrepot_<prefix>_<database>]")
@click.option("--publication", help="Publication; an existing one is used as it is.  [default: as the slot]")
@click.option("--offsets", type=click.Path(path_type=Path), help="Debezium's position.  [default: <out>.offsets]")
@click.option(
    "--property",
    "properties",
    multiple=True,
    callback=_properties,
    metavar="NAME=VALUE",
    help="A property of Debezium, as decimal.handling.mode=string; may be given again.",
)
def capture(
    dsn: str,
    prefix: str,
    out: Path,
    schemas: tuple[str, ...],
    tables: tuple[str, ...],
    embedded_schema: bool,
    registry: str | None,
    heartbeats: float | None,
    until_idle: float | None,
    seconds: float | None,
    snapshot: str,
    slot: str | None,
    publication: str | None,
    offsets: Path | None,
    properties: dict[str, str],
) -> None:
    """Record the changes of one PostgreSQL database into a file.

    Runs until Ctrl+C unless --until-idle or --seconds ends it. Run it again with the same options and it continues
    where it stopped. Records are on the disk before PostgreSQL is told that they arrived: a crash repeats some, but
    loses none.
    """
    settings = CaptureSettings(
        dsn=dsn,
        prefix=prefix,
        out=out,
        offsets=offsets or out.with_name(out.name + ".offsets"),
        schemas=schemas,
        tables=tables,
        embedded_schema=embedded_schema,
        registry=registry,
        snapshot=snapshot,
        slot=slot,
        publication=publication,
        properties=properties,
        heartbeats=heartbeats,
    )
    count = run_capture(settings, until_idle, seconds, _say)
    _say(f"{count} records added to {out}")


@record.command()
@click.option(
    "--dsn", required=True, envvar="ENTREPOT_RECORD_DSN", help="postgresql://user:password@host:port/postgres"
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("data/recorded"), show_default=True, help="Folder."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, another five days.")
@click.option(
    "--replace", is_flag=True, help="Drop databases of the same names even if this command did not create them."
)
def steelworks(dsn: str, out: Path, seed: int, replace: bool) -> None:
    """Record the story of the steelworks: three databases, three phases, one folder per phase.

    Creates entrepot_shop, entrepot_shop_next and entrepot_plant on the server, lets the applications of the story
    write to them and records what Debezium emits. The databases stay, the replication slots do not.
    """
    counts = record_steelworks(dsn, out, seed, replace, _say)
    for name, count in counts.items():
        click.echo(f"{count:6d}  {out / name}")


@record.command("local-postgres")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--port", type=click.IntRange(1024, 65535), help="TCP port on 127.0.0.1.  [default: a free one]")
@click.option("--stop", is_flag=True, help="Stop the server; the data stay.")
def local_postgres(directory: Path, port: int | None, stop: bool) -> None:
    """Run a private PostgreSQL with wal_level=logical in DIRECTORY and print its connection string."""
    server = LocalPostgres(directory.resolve())
    if stop:
        _say("stopped" if server.stop() else "was not running")
        return
    click.echo(server.start(port))
    _say(f"stop it with: python -m recorder local-postgres {directory} --stop")


for command in (timestamp, trigger, remove, extract):
    record.add_command(command)
