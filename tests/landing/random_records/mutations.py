"""What can happen to a record on its way: its fields, its text and its bytes, one change or several at a time."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.landing.random_records.strict_json import Number
from tests.landing.random_records.valid_records import Record

ODD_NUMBERS = (
    "0", "-0", "-1", "1.10", "-0.0", "1e5", "1E400", "-1.5e-7", "2147483648", "9223372036854775807", "9223372036854775808",
    "12345678901234567890.125", "0.12345678901234567890123", "9" * 200, "1234", "253402300800000000", "-9223372036854775808",
)  # fmt: skip
ODD_TEXTS = (
    "", "x", " ", "5", "1.10", "-1.5E3", "NaN", "Infinity", "true", "null", "{}", "[1]", "12.505", "1234", "AQ", "AQ==", "!!!!", "3q2-7w==",
    "3q2+7w==", "deadBEEF", "dead-", "2016-01-16", "2016-02-30Z", "2016-01-16T10:11:12Z", "2016-01-16T10:11:12.1234567Z",
    "9999-12-31T23:59:59.999999-01:00", "0001-01-01T00:30:00+01:00", "2016-01-16T10:11:12+19:00", "+10000-01-01T00:00:00Z", "infinity",
    "24:00:00Z", "25:00:00Z", "10:11:12.5Z", "__debezium_unavailable_value",
    "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==", "\ud83c", "a\udfd7b", "😀", "\0", "\u2028", "\ufeff", "\u00a0", "é" * 5000,
)  # fmt: skip
# not the ranges that landing itself uses as marks (U+FDD0, U+FDD1)
ODD_VALUES: tuple[Any, ...] = (
    *map(Number, ODD_NUMBERS), *ODD_TEXTS, None, True, False, [], {}, [None], [Number("1.10"), "x"], ["__debezium_unavailable_value"],
    [[Number("1")]],
    {"scale": Number("2"), "value": "AQ=="}, {"scale": Number("-3"), "value": "Ag=="}, {"scale": "2", "value": "AQ=="}, {"value": "AQ=="},
    {"a": Number("1.10"), "": None},
)  # fmt: skip
CONSTANTS = ("NaN", "Infinity", "-Infinity", "+1", "1.", ".5", "0x1", "True", "01", "-")
CONTROLS = ("\x01", "\x00", "\t", "\x1f", "\x7f", "\u0085")
HALVES = (r"\ud83c", r"\uDFD7", r"\\ud83c", r"\ud83c\udfd7")
ESCAPES = (r"\/", r"\x41", r"\u12", r"\u0041", r"\u0000")
ENVELOPE = (
    ("op",), ("before",), ("after",), ("source",), ("transaction",), ("ts_ms",), ("ts_us",), ("source", "connector"), ("source", "name"),
    ("source", "db"), ("source", "schema"), ("source", "table"), ("source", "lsn"), ("source", "txId"), ("source", "sequence"), ("source", "ts_us"),
    ("source", "ts_ms"), ("source", "snapshot"), ("transaction", "id"), ("transaction", "total_order"), ("message",), ("status",),
)  # fmt: skip
# fields that are texts, and where anything else is taken as its JSON
TEXTUAL = ("op", "connector", "name", "db", "schema", "table", "sequence", "id", "status")


class Mutant(NamedTuple):
    """A line of a file and what has been done to the record that it was."""

    line: bytes
    done: tuple[str, ...]


class Mutator:
    """Draws what happens to records; what changes the columns of a table happens in a table of its own."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.tables = 0

    def mutant(self, record: Record, others: Callable[[], Record]) -> Mutant:
        """The record as a line, changed at one to three places or not at all; `others` gives another record."""
        record = copy.deepcopy(record)
        done: list[str] = []
        for mutate in self.draw.sample(
            (self.image_value, self.field_type, self.field_gone, self.columns, self.message), 2
        ):
            if self.draw.random() < 0.3:
                done += mutate(record)
        of_text, of_line, of_bytes = (self.draw.random() < share for share in (0.25, 0.2, 0.12))
        if of_text or of_line or of_bytes:
            self.own_table(record)
        text = record.value_text()
        if of_text:
            text = self.of_text(text or "{}", others, done)
        line = record.line(text)
        if of_line:
            line = self.of_line(line, record, text, others, done)
        content = self.encoded(line)
        if of_bytes:
            content = self.of_bytes(content, done)
        return Mutant(content.replace(b"\n", b" "), tuple(done))

    def encoded(self, line: str) -> bytes:
        """The line's bytes, with its characters as escapes or as they are."""
        if self.draw.random() < 0.3:
            plain = re.sub(
                r"(?<!\\)((?:\\\\)*)\\u00([c-f][0-9a-f])", lambda found: found[1] + chr(int(found[2], 16)), line
            )
            return plain.encode()
        return line.encode("utf-8", "surrogatepass")

    # --- fields

    def own_table(self, record: Record) -> None:
        """Let the record be one of a table that no other record is of."""
        if (
            isinstance(record.value, dict)
            and isinstance(record.value.get("source"), dict)
            and record.value["source"].get("table") in ("thing", "pair", "note")
        ):
            self.tables += 1
            record.value["source"]["table"] = f"odd_{self.tables}"

    def images(self, record: Record) -> Iterator[dict[str, Any]]:
        """The images of a change."""
        if isinstance(record.value, dict):
            yield from (
                image for name in ("after", "before") if isinstance(image := record.value.get(name), dict) and image
            )

    def image_value(self, record: Record) -> list[str]:
        """A value that is none of its column's type, or an edge of it."""
        done = []
        for image in self.images(record):
            for name in self.draw.sample(sorted(image), self.draw.randint(1, min(3, len(image)))):
                image[name] = self.draw.choice(ODD_VALUES)
                done.append(f"{name} is {image[name]!r}"[:80])
            break
        return done

    def field_type(self, record: Record) -> list[str]:
        """A field of the envelope with another type or value."""
        *outer, name = path = self.draw.choice(ENVELOPE)
        place = self.place(record, outer)
        if place is None:
            return []
        texts = (text for text in ODD_TEXTS if not has_half(text))
        values = (*texts, Number("5"), True, None, [], {}) if name in TEXTUAL else ODD_VALUES
        place[name] = value = self.draw.choice((*values, *"cudrtmx"))
        if name in ("before", "after") and isinstance(value, dict) and value:
            self.own_table(record)
        return [f"{'.'.join(path)} is {value!r}"[:80]]

    def field_gone(self, record: Record) -> list[str]:
        """A field of the envelope is not there."""
        *outer, name = path = self.draw.choice(ENVELOPE)
        place = self.place(record, outer)
        return [] if place is None or place.pop(name, self) is self else [f"{'.'.join(path)} is not there"]

    def place(self, record: Record, outer: list[str]) -> dict[str, Any] | None:
        """The object that a field of the envelope stands in."""
        place = record.value
        for name in outer:
            place = place.get(name) if isinstance(place, dict) else None
        return place if isinstance(place, dict) else None

    def columns(self, record: Record) -> list[str]:
        """Columns more, less, or named otherwise, deep and long values, in a table of its own; or another schema."""
        done = []
        for image in self.images(record):
            self.own_table(record)
            name = self.draw.choice(sorted(image))
            what = self.draw.choice(("gone", "renamed", "more", "deep", "long", "none", "schema"))
            if what == "gone":
                del image[name]
            elif what == "renamed":
                image[self.draw.choice(("", "a,b", "a.b", "`", name.upper(), "schema", "ü", "x" * 300))] = image.pop(
                    name
                )
            elif what == "more":
                image |= {f"c{number}": self.draw.choice(ODD_VALUES) for number in range(self.draw.choice((1, 5, 300)))}
            elif what == "deep":
                image[name] = nested(self.draw.choice((5, 8, 60, 400)), self.draw)
            elif what == "long":
                image[name] = self.draw.choice(("x" * 100_000, Number("7" * 900), Number("7" * 1100), '\\"' * 3000))
            elif what == "none":
                image.clear()
            elif record.value_schema is not None:
                field = self.draw.choice(sorted(record.value_schema))
                record.value_schema[field] = self.draw.choice(ODD_VALUES)
            done.append(f"columns: {what}")
            break
        return done

    def message(self, record: Record) -> list[str]:
        """The pieces of the message around key and value."""
        what = self.draw.choice(("key", "destination", "headers", "tombstone"))
        if what == "key":
            record.key = self.draw.choice(ODD_VALUES)
        elif what == "destination":
            record.destination = self.draw.choice(("", "__debezium-heartbeat.x", "__debezium-heartbeats", "x"))
        elif what == "headers":
            record.headers = [{"key": "x", "value": nested(self.draw.choice((3, 9)), self.draw)}]
        else:
            record.value, record.value_schema = None, None
        return [f"another {what}"]

    # --- texts

    def of_text(self, text: str, others: Callable[[], Record], done: list[str]) -> str:
        """A text of JSON changed as a text."""
        what = self.draw.choice((
            "cut", "blanks", "twice", "another", "character", "gone", "doubled field", "quotes", "constant", "control", "half", "escape",
            "comment", "rest", "deep",
        ))  # fmt: skip
        done.append(f"text: {what}")
        place = self.draw.randrange(len(text) + 1)
        if what == "cut":
            return text[:place]
        if what == "blanks":
            return re.sub(r'(?<=[{}\[\],:])(?=["{}\[\],:])', lambda _: self.draw.choice(("", " ", "\t", " \r ")), text)
        if what == "twice":
            return text + self.draw.choice(("", " ", ",")) + text
        if what == "another":
            return text + (others().value_text() or "{}")
        if what == "character":
            return text[:place] + self.draw.choice('{}[]",:\\ x0-.e\u00fc') + text[place + 1 :]
        if what == "gone":
            return text[:place] + text[place + self.draw.choice((1, 1, 10)) :]
        if what == "doubled field":
            return (
                text[:1]
                + self.draw.choice(
                    (
                        '"op":"x",',
                        '"op":"c",',
                        '"after":null,',
                        '"source":{},',
                        '"ts_ms":"x",',
                        '"payload":null,',
                        '"value":1,',
                    )
                )
                + text[1:]
            )
        if what == "quotes":
            return text.replace('"', "'") if self.draw.random() < 0.5 else text.replace('"', "'", 2)
        if what == "rest":
            return text + self.draw.choice(
                ("x", "{}", "}", "]", "]}", ",7]", '"', " ", "\t", "\f", "\u00a0", "\u2028", "null", "\ufeff", "//")
            )
        if what == "deep":
            depth = self.draw.choice((7, 500, 990, 1200))
            return f'{text[:1]}"deep":{"[" * depth}{"]" * depth},{text[1:]}'
        inserted = {
            "constant": f'"x":{self.draw.choice(CONSTANTS)},',
            "control": f'"x":"a{self.draw.choice(CONTROLS)}b",',
            "half": f'"x":"{self.draw.choice(HALVES)}",',
            "escape": f'"x":"{self.draw.choice(ESCAPES)}",',
            "comment": "/* x */",
        }[what]  # fmt: skip
        # into the text's own object, or an image
        spots = [found.end() for found in re.finditer(r'^\{|"(?:after|before)":\{(?!\})', text)]
        spot = self.draw.choice(spots) if spots else place
        return text[:spot] + inserted + text[spot:]

    def of_line(
        self, line: str, record: Record, text: str | None, others: Callable[[], Record], done: list[str]
    ) -> str:
        """A line changed as a text, or its pieces."""
        what = self.draw.choice(
            ("text", "text", "value as object", "no value", "more fields", "order", "another record", "nothing")
        )
        if what == "text":
            return self.of_text(line, others, done)
        done.append(f"line: {what}")
        # numbers with a fraction are read as doubles there
        if what == "value as object" and record.value is not None and not re.search("[0-9][.eE]", text or ""):
            return f'{{"destination":"x","key":{json.dumps(record.key_text())},"value":{text}}}'
        if what == "another record":
            other = others()
            return line + other.line(other.value_text())
        if what == "nothing":
            return self.draw.choice(("{}", "[]", "null", "x", '{"value"', "{}{}", '"x"', "\t", "   ", "\ufeff"))
        fields = json.loads(line)
        if what == "no value":
            fields.pop("value")
        elif what == "more fields":
            fields |= {"more": 1.5, "deep": nested(self.draw.choice((3, 7, 20)), self.draw), "Value": None}
        else:
            fields = dict(self.draw.sample(sorted(fields.items()), len(fields)))
        return json.dumps(fields)

    # --- bytes

    def of_bytes(self, content: bytes, done: list[str]) -> bytes:
        """A line changed as bytes."""
        what = self.draw.choice(
            ("cut", "byte", "invalid", "nul", "bom", "utf-16", "latin-1", "swapped", "surrogate", "return")
        )
        done.append(f"bytes: {what}")
        place = self.draw.randrange(len(content) + 1)
        if what == "cut":
            return content[:place]
        if what == "byte":
            return content[:place] + bytes([self.draw.randrange(256)]) + content[place + 1 :]
        if what == "bom":
            return b"\xef\xbb\xbf" + content
        if what == "utf-16":
            return content.decode(errors="replace").encode("utf-16")
        if what == "latin-1":
            return content.replace(b"bolt", "bölt".encode("latin-1"))
        if what == "swapped":
            other = self.draw.randrange(place, len(content) + 1)
            return content[other:] + content[place:other] + content[:place]
        inserted = {
            "invalid": self.draw.choice((b"\xff", b"\xc0\xaf", b"\xe2\x82", b"\xf5\x80\x80\x80")),
            "nul": b"\0", "surrogate": b"\xed\xa0\xbc", "return": b"\r",
        }[what]  # fmt: skip
        return content[:place] + inserted + content[place:]


def has_half(text: str) -> bool:
    """Whether a text holds half a character."""
    return any(0xD800 <= ord(character) < 0xE000 for character in text)


def nested(depth: int, draw: random.Random) -> Any:
    """Objects and lists within each other."""
    value: Any = draw.choice(ODD_VALUES)
    for _ in range(depth):
        value = {"in": value} if draw.random() < 0.7 else [value]
    return value
