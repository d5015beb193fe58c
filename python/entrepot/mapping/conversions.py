"""What becomes of a source's type in an entity's: whether a type is one, whether Spark converts the values, and whether all of them fit."""

from __future__ import annotations

import re
from typing import Literal

from entrepot.mapping.types import ARGUMENTS, MOST_DIGITS, SPARK, canonical_type, described_type

Conversion = Literal["whole", "narrowing", "none"]

# types of Spark that are no more than a word
WORDS = frozenset({
    "tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float", "real", "double", "boolean", "string", "date",
    "timestamp", "timestamp_ntz", "binary", "decimal", "dec", "numeric",
})  # fmt: skip
DECIMAL = re.compile(r"(?:decimal|dec|numeric) *\( *(\d+) *(?:, *(\d+) *)?\)")
NESTED = re.compile(r"(array|map|struct) *<(.*)>", re.DOTALL)
FIELD = re.compile(r"\s*(?:`[^`\s,;{}()=]+`|\w+)\s*[:\s]\s*(.+?)(?:\s+not\s+null)?(?:\s+comment\s+'.*')?\s*", re.DOTALL)

# the kind of a type's values, as far as casts go; what is not here is text
KINDS = {
    "tinyint": "whole", "smallint": "whole", "bigint": "whole", "float": "fraction", "double": "fraction", "boolean": "boolean",
    "date": "date", "timestamp": "timestamp", "timestamp_ntz": "timestamp_ntz", "binary": "binary",
}  # fmt: skip
# what Spark refuses to cast, whatever the value
REFUSED = {
    "whole": {"date", "timestamp_ntz", "binary"},
    "fraction": {"date", "timestamp_ntz", "binary"},
    "boolean": {"date", "timestamp", "timestamp_ntz", "binary"},
    "date": {"whole", "fraction", "boolean", "binary"},
    "timestamp": {"boolean", "binary"},
    "binary": {"whole", "fraction", "boolean", "date", "timestamp", "timestamp_ntz"},
}
# the same of the elements of arrays, which it converts by its older rules
REFUSED_IN_ARRAYS = {
    "fraction": {"date", "binary"},
    "date": {"binary"},
    "timestamp": {"binary"},
    "binary": {"whole", "fraction", "boolean", "date", "timestamp", "timestamp_ntz"},
}
# PostgreSQL's types whose arguments are numbers
WITH_NUMBERS = re.compile(r"(numeric|decimal|timestamp|timestamptz|time|timetz|varchar|character|char|bit)\b")
# PostgreSQL's types that are text, and no type: what they hold, nobody knows. What others' types hold that travel as text, they may know
TEXTS = frozenset({
    "", "text", "varchar", "character varying", "char", "character", "bpchar", "citext", "name", "uuid", "xml", "inet", "cidr", "macaddr", "macaddr8",
    "ltree", "tsvector", "time with time zone", "timetz", "interval", "json", "jsonb", "hstore", "numeric", "time", "time without time zone",
})  # fmt: skip
# digits that any number has that fits, and the most that the source's own types have
DIGITS = {"tinyint": 2, "smallint": 4, "bigint": 18}
DIGITS_OF_SOURCE = {"smallint": 5, "int2": 5, "smallserial": 5, "integer": 10, "int": 10, "int4": 10, "serial": 10}


def is_canonical(data_type: str) -> bool:
    """Return whether an entity's attribute can have a type: a canonical one, or one of Spark's.

    >>> [is_canonical(one) for one in ("integer", "Decimal (12, 2)", "array<decimal(8,2)>", "struct<a: int, b: map<string, date>>")]
    [True, True, True, True]
    >>> [is_canonical(one) for one in ("other", "varchar(20)", "decimal(39,2)", "array<text>", "map<string>", "decimal(", "")]
    [False, False, False, False, False, False, False]
    """
    plain = data_type.strip().lower()
    return plain in SPARK or _is_of_spark(plain)


def _is_of_spark(plain: str) -> bool:
    if plain in WORDS:
        return True
    if found := DECIMAL.fullmatch(plain):
        precision, scale = int(found[1]), int(found[2] or 0)
        return 1 <= precision <= MOST_DIGITS and scale <= precision
    found = NESTED.fullmatch(plain)
    if not found:
        return False
    parts = _parts(found[2])
    if found[1] == "struct":
        fields = [FIELD.fullmatch(part) for part in parts]
        return all(field is not None and _is_of_spark(field[1].strip()) for field in fields)
    return len(parts) == (1 if found[1] == "array" else 2) and all(_is_of_spark(part.strip()) for part in parts)


def _parts(text: str) -> list[str]:
    """Split a text at the commas that are in no bracket."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def is_of_a_source(data_type: str) -> bool:
    """Return whether a text can be the type of a source's attribute. Any name can, and travels as text, but no half of a type.

    >>> [is_of_a_source(one) for one in ("mood", "numeric(12, 2)", "timestamp(3) with time zone", "int(5) unsigned", "enum('a','b')")]
    [True, True, True, True, True]
    >>> [is_of_a_source(one) for one in ("numeric(12,2", "numeric 12,2)", "numeric(12;2)", "varchar()", "[]")]
    [False, False, False, False, False]
    """
    written = data_type.strip().lower().removesuffix("[]").strip()
    if not written or written.count("(") != written.count(")") or written.find(")") < written.find("("):
        return False
    found = ARGUMENTS.search(written)
    has_numbers = found is None or re.fullmatch(r"\s*\d+\s*(,\s*-?\d+\s*)?", found[1]) is not None
    return has_numbers or WITH_NUMBERS.match(written) is None


def conversion_of(source: str, canonical: str) -> Conversion:
    """Return what becomes of a source's values in an entity's attribute.

    Args:
        source: the source's type
        canonical: the entity's

    Returns:
        `whole`: every value fits. `narrowing`: some may not; of these `mapping_error` tells. `none`: Spark converts no value

    >>> [conversion_of("integer", one) for one in ("integer", "string", "decimal(12,2)", "smallint", "date")]
    ['whole', 'whole', 'whole', 'narrowing', 'none']
    >>> conversion_of("text", "date"), conversion_of("integer[]", "array<bigint>"), conversion_of("date[]", "date")
    ('narrowing', 'whole', 'none')
    """
    natural, target = described_type(canonical_type(source)), described_type(canonical)
    if natural == target or target == "string":
        return "whole" if natural != "binary" or target == "binary" else "narrowing"
    if natural.startswith("array<") or target.startswith("array<"):
        return _of_arrays(source.strip(), natural, target)
    kind, kind_of_target = _kind_of_source(source, natural), _kind(target)
    if NESTED.fullmatch(target) or kind_of_target in REFUSED.get(kind, ()):
        return "none"
    return "whole" if _fits(source, natural, target) else "narrowing"


def _of_arrays(source: str, natural: str, target: str) -> Conversion:
    if not (natural.startswith("array<") and target.startswith("array<")):
        return "none"
    element = target[len("array<") : -1]
    kind = _kind(natural[len("array<") : -1])
    # elements of other kinds stay the texts that they came as (macro mapping_array_value)
    if NESTED.fullmatch(element) or _kind(element) in REFUSED_IN_ARRAYS.get(kind, ()):
        return "none"
    of_element = conversion_of(source.removesuffix("[]"), element)
    return "narrowing" if of_element == "none" else of_element


def _kind(described: str) -> str:
    return "fraction" if described.startswith("decimal") else KINDS.get(described, "text")


def _kind_of_source(source: str, natural: str) -> str:
    """The kind of the values: a `numeric` without digits comes as its digits, a text."""
    return "text" if canonical_type(source) == "number" else _kind(natural)


def _fits(source: str, natural: str, target: str) -> bool:
    """Whether every value of a source's type has one in another type that Spark casts it to."""
    if {natural, target} == {"boolean", "bigint"} or (natural, target) == ("date", "timestamp"):
        return natural != "bigint"
    digits = (
        None
        if canonical_type(source) == "number"
        else _digits(natural, DIGITS_OF_SOURCE.get(source.strip().lower(), 19))
    )
    room = _digits(target, DIGITS.get(target, 0))
    if digits is None:
        base = " ".join(ARGUMENTS.sub(" ", source.strip().lower()).split())
        return _kind(natural) == "text" and base not in TEXTS
    if target in ("double", "float"):
        return digits[1] == 0 and digits[0] <= (10 if target == "double" else 5)
    if target == "smallint" and digits == (5, 0) and natural == "bigint":
        return True
    return room is not None and digits[0] <= room[0] and digits[1] <= room[1]


def _digits(described: str, of_whole: int) -> tuple[int, int] | None:
    """Digits before and behind the point; None of what is no exact number."""
    if found := DECIMAL.fullmatch(described):
        return int(found[1]) - int(found[2] or 0), int(found[2] or 0)
    return (of_whole, 0) if _kind(described) == "whole" else None
