"""An answer as text: rows as a table, CSV or JSON, and where they come from; the same wherever it is written."""

from __future__ import annotations

import base64
import csv
import json
import math
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from entrepot.spans import humanized

if TYPE_CHECKING:
    from entrepot.warehouse import Answer

Form = Literal["table", "csv", "json"]


@dataclass(frozen=True, slots=True)
class Screen:
    """What an answer will be shown on.

    Attributes:
        width: in characters
        is_terminal: whether somebody looks at it
        colours: rich's name of the colours that it has; none where it has none
        is_plain: whether colours are not wanted
    """

    width: int
    is_terminal: bool = False
    colours: str | None = None
    is_plain: bool = False

    @classmethod
    def of(cls, console: Console) -> Screen:
        """Return what a console writes to."""
        return cls(console.width, console.is_terminal, console.color_system, console.no_color)

    def console(self) -> Console:
        """Return a console that writes text for this screen."""
        colours: Any = self.colours
        return Console(
            file=StringIO(), width=self.width, force_terminal=self.is_terminal, color_system=colours, no_color=self.is_plain,
            markup=False, emoji=False,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Printed:
    """What `entrepot query` writes on standard output and on standard error."""

    out: str
    err: str = ""


def printed(answer: Answer, form: Form, screen: Screen) -> Printed:
    """Return an answer as text.

    Raises:
        QueryError: two columns have one name
    """
    rows = answer.rows()
    if form == "table":
        console = screen.console()
        print_answer(console, answer, rows)
        return Printed(console.file.getvalue())  # type: ignore[attr-defined]
    out = StringIO()
    if form == "json":
        out.write("[" + ",\n ".join(as_json(row) for row in rows) + "]\n")
    else:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows([[as_text(value) for value in row.values()] for row in rows])
    return Printed(out.getvalue(), provenance(answer) + "\n")


def print_answer(out: Console, answer: Answer, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table, and below it where they come from."""
    table = Table(show_edge=False, pad_edge=False)
    for name in answer.columns:
        numeric = bool(rows) and all(isinstance(row[name], (int, float)) or row[name] is None for row in rows)
        table.add_column(Text(name), justify="right" if numeric else "left")
    for row in rows:
        # a text in square brackets would be a style to rich
        table.add_row(*(Text(as_text(value)) for value in row.values()))
    out.print(table)
    out.print(Text(provenance(answer), style="dim"))


def provenance(answer: Answer) -> str:
    """Return where an answer comes from: snapshot, what it holds and how old that is now, tables and versions."""
    snapshot, through, now = answer.snapshot, answer.holds_through, datetime.now(timezone.utc)
    holds = (
        f"holds what was committed by {through:%Y-%m-%d %H:%M:%S} UTC ({humanized(now - through)} ago)"
        if through
        else ""
    )
    tables = ", ".join(
        name if version is None else f"{name}@{version}" for name, version in sorted(answer.versions.items())
    )
    return (
        f"snapshot of job {snapshot.number}, published {snapshot.published_at:%Y-%m-%d %H:%M:%S} UTC "
        f"({humanized(now - snapshot.published_at)} ago){f'; {holds}' if holds else ''}\n{tables}"
    )


def as_text(value: Any) -> str:
    """Return a value as text: decimals as plain digits, bytes as Base64, structs, arrays and maps as JSON, nothing for none.

    >>> as_text(Decimal("0E-9")), as_text(None), as_text({"a": [Decimal("1E-7"), None]}), as_text(bytearray(b"hi")), as_text(float("-inf"))
    ('0.000000000', '', '{"a": ["0.0000001", null]}', 'aGk=', '-Infinity')
    """
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (dict, list)):
        return as_json(value)
    return "" if value is None else str(value)


def as_json(value: Any) -> str:
    """Return a value as JSON; dates, decimals, bytes and what is no number in JSON as text.

    >>> from datetime import date
    >>> as_json({date(2026, 1, 2): Decimal("1E+3"), 1: True})
    '{"2026-01-02": "1000", "1": true}'
    >>> as_json([float("nan"), 1.5])
    '["NaN", 1.5]'
    """
    return json.dumps(_in_json(value), default=as_text, ensure_ascii=False, allow_nan=False)


def _in_json(value: Any) -> Any:
    """The same value; keys of maps, and numbers, that JSON has not are texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return as_text(value)
    if isinstance(value, dict):
        return {key if isinstance(key, (str, int)) else as_text(key): _in_json(one) for key, one in value.items()}
    return [_in_json(one) for one in value] if isinstance(value, list) else value
