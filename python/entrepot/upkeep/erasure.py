"""One key of an entity, taken out of what has landed; all the rest follows from that by the next job. Statements and what they are made of; no Spark.

A landed event stays as the place in its source's log where it stood, without a word of what it said: so a file that comes again does not bring it
back, and everything downstream is what a full recompute from landing gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.sql.literals import literal
from entrepot.sql.names import quoted
from entrepot.tables.columns import Column

Ask = Callable[[str], list[dict[str, Any]]]
# the columns of a mapped model beside its keys (macro map_to_entity)
MAPPED_COLUMNS = frozenset(
    {
        "event_id", "source_system", "schema_name", "schema_version", "op", "commit_position", "committed_at", "transaction_id",
        "before", "after", "present", "mapping_error",
    }
)  # fmt: skip
# those of a model of outgoing messages (macro outgoing_messages) by which it is known
MESSAGE_COLUMNS = ("event_id", "message_key", "message")
# what `op` says of an event whose images are erased
ERASED = "x"
IDS_AT_ONCE = 2000
# characters that JSON escapes by a letter
SHORT = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


class EraseError(EntrepotError):
    """A key cannot be erased as it is named."""


@dataclass(frozen=True, slots=True)
class Landing:
    """Where the landing tables lie, as SQL names them; a table that the project has not got is None."""

    change_event: str
    control_event: str | None = None
    rejected_event: str | None = None


@dataclass(frozen=True)
class Found:
    """What of a key has landed.

    Attributes:
        whole: the events that are about it, {schema: event ids}
        before: events about another key, whose before image is of this one: {schema: event ids}
        control: ids of tombstones that name it
        rejected: ids of rejected lines that name it, and its table
        doubtful: how many rejected lines have the key's values, but not the name of its table
        files: the files that these came from
    """

    whole: Mapping[str, tuple[str, ...]]
    before: Mapping[str, tuple[str, ...]]
    control: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    doubtful: int = 0
    files: tuple[str, ...] = field(default_factory=tuple)

    @property
    def is_nothing(self) -> bool:
        """Whether nothing has landed."""
        return not (any(self.whole.values()) or any(self.before.values()) or self.control or self.rejected)


def told_key(value: str | None, parts: Sequence[str], entity: str, names: Sequence[str]) -> dict[str, str]:
    """Return a key as it was told on the command line, {attribute: text}.

    >>> told_key("17", [], "customer", ["customer_id"])
    {'customer_id': '17'}
    >>> told_key('{"order_id": 7, "line_number": 2}', [], "order_line", ["order_id", "line_number"])
    {'order_id': '7', 'line_number': '2'}

    Args:
        value: the value of a key of one attribute, or all as a JSON object
        parts: `attribute=value` for each
        entity: the entity
        names: its key

    Raises:
        EraseError: that is not the entity's key
    """
    split = [part.partition("=") for part in parts]
    found: dict[str, str] = {name.strip(): said for name, _, said in split}
    # what is erased is gone: nobody guesses which of two was meant
    is_clear = all(sign for _, sign, _ in split) and len(found) == len(parts) and not (parts and value is not None)
    if value is not None and not parts:
        try:
            told = json.loads(value, parse_float=_exact)
        except ValueError:
            told = None
        if isinstance(told, dict):
            found = {name: one if isinstance(one, str) else json.dumps(one) for name, one in told.items()}
            is_clear = None not in told.values()
        elif len(names) == 1:
            found = {names[0]: value}
    if set(found) != set(names) or not is_clear:
        example = " ".join(f"--key {name}=…" for name in names)
        given = " ".join([*([] if value is None else [value]), *(f"--key {part}" for part in parts)])
        raise EraseError(
            f"That is no key of {entity}: {given or 'nothing was given'}.",
            f"Its key is {', '.join(names)}: entrepot erase {entity} {'VALUE' if len(names) == 1 else example}.",
        )
    return {name: found[name] for name in names}


def _exact(number: str) -> str:
    """Return a number of JSON with all of its digits, of which a double has some.

    >>> _exact("1.50"), _exact("1e2"), _exact("0.12345678901234567890123456789012345678")
    ('1.5', '100', '0.12345678901234567890123456789012345678')
    """
    text = f"{Decimal(number):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def key_columns(columns: Iterable[Column]) -> list[Column]:
    """Return the key of a mapped table: what is in none but its keys."""
    return [column for column in columns if column.name.lower() not in MAPPED_COLUMNS]


def key_literals(ask: Ask, key: Mapping[str, str], columns: Sequence[Column]) -> dict[str, str]:
    """Return a key's values as SQL of their types.

    Raises:
        EraseError: a value is none of its type
    """
    casts = {column.name: f"try_cast({literal(key[column.name])} as {column.type})" for column in columns}
    checked = ask(f"select {', '.join(f'{cast} is null as {quoted(name)}' for name, cast in casts.items())}")[0]
    for column in columns:
        if checked[column.name]:
            raise EraseError(
                f"{column.name} is {column.type}, and {key[column.name]!r} is none.",
                "Write it as the mapped table has it.",
            )
    return casts


def found_in(ask: Ask, landing: Landing, mapped: Sequence[str], key: Mapping[str, str]) -> Found:
    """Return what of a key has landed.

    Events are found by the mapped tables of the entity, which know what each source calls its key. Events of the same source row that no mapped table
    has, because their schema version is not mapped or an image does not fit, are found by the key that the source gave them.

    Args:
        ask: runs a statement
        landing: the landing tables
        mapped: the mapped tables of the entity, as SQL names them
        key: {attribute: SQL}
    """
    is_key = " and ".join(f"{quoted(name)} = {value}" for name, value in key.items())
    was_key = " and ".join(f"before.{quoted(name)} = {value}" for name, value in key.items())
    about = "\nunion all\n".join(
        f"select event_id, coalesce({is_key}, false) as is_whole from {table} where ({is_key}) or ({was_key})"
        for table in mapped
    )
    has_key = " and ".join(f"{quoted(name)} is not null" for name in key)
    known = "\nunion all\n".join(f"select event_id from {table} where {has_key}" for table in mapped)
    rows = ask(
        f"""with about as (
{about}
), landed as (
  select event.event_id, event.schema_name, event.event_key, event.landed_from, max(about.is_whole) as is_whole
  from {landing.change_event} as event inner join about on event.event_id = about.event_id
  where event.op != '{ERASED}'
  group by all
)
select event_id, schema_name, event_key, landed_from, is_whole from landed
union all
select event.event_id, event.schema_name, event.event_key, event.landed_from, true
from {landing.change_event} as event
inner join (select distinct schema_name, event_key from landed where is_whole and event_key is not null) as same
  on event.schema_name = same.schema_name and event.event_key = same.event_key
left anti join ({known}) as known on event.event_id = known.event_id
where event.op != '{ERASED}'"""
    )
    lines = _lines_of(row for row in rows if row["is_whole"])
    control = _matching(ask, landing.control_event, lines, "reason = 'tombstone'", False)
    rejected = _matching(ask, landing.rejected_event, lines, "true", True)
    certain = [row for row in rejected if row["is_certain"]]
    files = {row["landed_from"] for row in [*rows, *control, *certain] if row["landed_from"]}
    return Found(
        _by_schema(row for row in rows if row["is_whole"]),
        _by_schema(row for row in rows if not row["is_whole"]),
        tuple(sorted(row["event_id"] for row in control)),
        tuple(sorted(row["event_id"] for row in certain)),
        len(rejected) - len(certain),
        tuple(sorted(files)),
    )


def statements_of(landing: Landing, found: Found) -> Iterator[tuple[str, str]]:
    """Yield (table, statement) of what takes it out, the events last: where it is killed, what is left can be found again by them."""
    for table, ids in ((landing.control_event, found.control), (landing.rejected_event, found.rejected)):
        for listed in _listed(ids):
            assert table is not None
            yield table, f"update {table} set line = null where event_id in ({listed})"
    for listed in _listed([one for ids in found.before.values() for one in ids]):
        yield landing.change_event, f"update {landing.change_event} set before = null where event_id in ({listed})"
    nothing = "schema_name = null, schema_version = null, event_key = null, before = null, after = null"
    for listed in _listed([one for ids in found.whole.values() for one in ids]):
        yield (
            landing.change_event,
            f"update {landing.change_event} set op = '{ERASED}', {nothing} where event_id in ({listed})",
        )


def condition_on(columns: Collection[str], key: Mapping[str, str], types: Mapping[str, str]) -> str | None:
    """Return the condition that a row of a table has a key: in columns of its names, or in the key of an outgoing message; None where neither is.

    >>> condition_on(["id", "name"], {"id": "17"}, {"id": "int"})
    '`id` = 17'
    >>> condition_on(["event_id", "message_key", "message"], {"id": "17"}, {"id": "int"})
    "from_json(message_key, '`id` int').`id` = 17"
    >>> condition_on(["name"], {"id": "17"}, {"id": "int"})

    Args:
        columns: the table's
        key: {attribute: SQL}
        types: {attribute: its type in Spark's words}
    """
    if set(key) <= set(columns):
        return " and ".join(f"{quoted(name)} = {value}" for name, value in key.items())
    if not set(MESSAGE_COLUMNS) <= set(columns):
        return None
    shape = literal(", ".join(f"{quoted(name)} {types[name]}" for name in key))
    return " and ".join(f"from_json(message_key, {shape}).{quoted(name)} = {value}" for name, value in key.items())


def counted_in(ask: Ask, tables: Mapping[str, tuple[str, str]]) -> dict[str, int]:
    """Return how many rows of tables meet a condition, {relation: rows}, without those that have none.

    Args:
        ask: runs a statement
        tables: {relation: (the table as SQL names it, the condition)}
    """
    if not tables:
        return {}
    rows = ask(
        "\nunion all\n".join(
            f"select {literal(relation)} as relation, count(*) as rows from {table} where {where}"
            for relation, (table, where) in tables.items()
        )
    )
    return {row["relation"]: row["rows"] for row in rows if row["rows"]}


def _lines_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Patterns that a line with a source row's key has, with the names of the tables: {pattern: tables}."""
    found: dict[str, set[str]] = {}
    for row in rows:
        key = json.loads(row["event_key"]) if row["event_key"] else None
        if isinstance(key, dict) and key:
            found.setdefault(line_pattern(key), set()).add(row["schema_name"].rpartition(".")[2])
    return found


def line_pattern(key: Mapping[str, Any]) -> str:
    r"""Return a regular expression of a line that has a source row's key, as fields of JSON, within texts too, in any order.

    >>> bool(re.search(line_pattern({"id": 17}), '{"value": "{\\"before\\": null, \\"id\\": 17}"}'))
    True
    >>> bool(re.search(line_pattern({"id": 17}), '{"id": 170, "other_id": 17}'))
    False
    """
    fields = (rf'(?=.*\\*"{spelled(name)}\\*"\s*:\s*{_told(value)}\s*[,}}\]])' for name, value in key.items())
    return f"(?s)^{''.join(fields)}"


def spelled(text: str) -> str:
    r"""Return a regular expression of a text as JSON has it: letters as they are or as `\u00e9`, escapes once or, within texts, more often.

    >>> bool(re.fullmatch(spelled("Zoë"), r"Zo\u00EB")), bool(re.fullmatch(spelled('a"b'), r"a\\\"b"))
    (True, True)
    """
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter.isascii() and letter.isalnum():
        return letter
    code = letter.encode("utf-16-be").hex()
    units = (f"(?i:{code[start : start + 4]})" for start in range(0, len(code), 4))
    forms = ["".join(rf"\\+u{unit}" for unit in units)]
    if letter == "\\":
        forms.append(r"\\{2,}")
    elif letter in '"/':
        forms.append(rf"\\*{letter}")
    elif letter in SHORT:
        forms.append(rf"\\+{SHORT[letter]}")
    else:
        forms.append(re.escape(letter))
    return f"(?:{'|'.join(forms)})"


def _told(value: Any) -> str:
    """A value of a key as a regular expression; one of `numeric` without digits is a record."""
    if isinstance(value, str):
        return rf'(?:\\*")?{spelled(value)}(?:\\*")?'
    if isinstance(value, dict):
        fields = (rf'\s*\\*"{spelled(name)}\\*"\s*:\s*{_told(one)}\s*' for name, one in value.items())
        return rf"\{{{','.join(fields)}\}}"
    if isinstance(value, list):
        items = (rf"\s*{_told(one)}\s*" for one in value)
        return rf"\[{','.join(items)}\]"
    return rf'(?:\\*")?{re.escape(json.dumps(value))}(?:\\*")?'


def _matching(
    ask: Ask, table: str | None, lines: Mapping[str, set[str]], condition: str, names_table: bool
) -> list[dict[str, Any]]:
    if table is None or not lines:
        return []
    holds = " or ".join(f"line rlike {literal(pattern)}" for pattern in lines)
    names = sorted({name for tables in lines.values() for name in tables})
    certain = " or ".join(f"line rlike {literal(spelled(name))}" for name in names) if names_table else "true"
    return ask(
        f"select event_id, landed_from, {certain} as is_certain from {table} where line is not null and {condition} and ({holds})"
    )


def _by_schema(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row["schema_name"], set()).add(row["event_id"])
    return {schema: tuple(sorted(ids)) for schema, ids in sorted(found.items())}


def _listed(ids: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield ", ".join(map(literal, ids[start : start + IDS_AT_ONCE]))
