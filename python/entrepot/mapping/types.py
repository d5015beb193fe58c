"""Types: which canonical type a PostgreSQL type becomes (docs/mapping.md, Types), what several become together, and Spark's names of them."""

from __future__ import annotations

import re

MOST_DIGITS = 38
ARGUMENTS = re.compile(r" *\(([^)]*)\) *")
PLAIN = {
    "integer": (
        "smallint", "int2", "smallserial", "integer", "int", "int4", "serial", "bigint", "int8", "bigserial", "oid",
    ),
    "double": ("real", "float4", "double precision", "float8", "double"),
    "boolean": ("boolean", "bool"),
    "date": ("date", "io.debezium.time.isodate"),
    "timestamp": (
        "timestamp", "timestamp without time zone", "timestamptz", "timestamp with time zone",
        "io.debezium.time.nanotimestamp", "io.debezium.time.isotimestamp",
    ),
    "time": ("time", "time without time zone", "io.debezium.time.nanotime", "io.debezium.time.isotime"),
    "binary": ("bytea",),
    "json": ("json", "jsonb", "hstore", "point", "struct", "map"),
}  # fmt: skip
CANONICAL = {word: canonical for canonical, words in PLAIN.items() for word in words}
EXACT = "decimal(38, 9)"
# Spark's names of canonical types; what is not here is taken for one of Spark's
SPARK = {
    "integer": "bigint", "int": "bigint", "long": "bigint", "short": "smallint", "byte": "tinyint",
    "number": EXACT, "decimal": EXACT, "numeric": EXACT, "dec": EXACT,
    "text": "string", "json": "string", "time": "string", "datetime": "timestamp",
}  # fmt: skip
# numbers that a bigint can have
INTEGER_DIGITS = 19


def canonical_type(data_type: str) -> str:
    """Return the canonical type of a PostgreSQL type: the narrowest that takes every value.

    >>> [canonical_type(one) for one in ("int4", "varchar(20)", "timestamp(3) with time zone", "numeric(12, 2)", "numeric", "money", "bit(1)")]
    ['integer', 'string', 'timestamp', 'decimal(12,2)', 'number', 'decimal(19,2)', 'boolean']
    >>> [canonical_type(one) for one in ("numeric(3,-2)", "numeric(2,5)", "numeric(50,2)", "integer[]", "jsonb[]", "mood", "bit(8)")]
    ['decimal(5,0)', 'decimal(5,5)', 'string', 'array<bigint>', 'array<string>', 'string', 'string']
    """
    written = data_type.strip().lower()
    if written.endswith("[]"):
        return f"array<{described_type(canonical_type(written[:-2]))}>"
    found = ARGUMENTS.search(written)
    arguments = [int(number) for number in re.findall(r"-?\d+", found[1])] if found else []
    word = ARGUMENTS.sub(" ", written).strip()
    if word in ("numeric", "decimal"):
        return _decimal(arguments)
    if word == "money":
        return "decimal(19,2)"
    if word == "bit":
        return "boolean" if arguments in ([], [1]) else "string"
    return CANONICAL.get(word, "string")


def _decimal(arguments: list[int]) -> str:
    if not arguments:
        return "number"
    precision, scale = arguments[0], arguments[1] if len(arguments) > 1 else 0
    # a negative scale rounds before the point, and one above the precision asks for zeros behind it
    whole, scale = max(precision - scale, 0), max(scale, 0)
    return f"decimal({whole + scale},{scale})" if whole + scale <= MOST_DIGITS else "string"


def together(types: list[str]) -> str:
    """Return the canonical type that takes the values of several; `string` where none but text does.

    >>> together(["integer", "integer"]), together(["decimal(12,2)", "decimal(14,4)"]), together(["integer", "decimal(12,2)"])
    ('integer', 'decimal(14,4)', 'decimal(21,2)')
    >>> together(["date", "timestamp"]), together(["integer", "string"]), together(["number", "integer"]), together(["integer", "double"])
    ('timestamp', 'string', 'number', 'string')
    """
    kinds = set(types)
    if len(kinds) == 1:
        return types[0]
    if kinds == {"date", "timestamp"}:
        return "timestamp"
    numbers = [_digits(one) for one in kinds]
    if None in numbers:
        return "string"
    known = [one for one in numbers if one is not None]
    whole, scale = max(one[0] for one in known), max(one[1] for one in known)
    if "number" in kinds:
        return "number"
    return f"decimal({whole + scale},{scale})" if whole + scale <= MOST_DIGITS else "string"


def _digits(canonical: str) -> tuple[int, int] | None:
    """Digits before and behind the point; None of what is no exact number."""
    if canonical == "integer":
        return INTEGER_DIGITS, 0
    if canonical == "number":
        return 29, 9
    found = re.fullmatch(r"decimal\((\d+),(\d+)\)", canonical)
    return (int(found[1]) - int(found[2]), int(found[2])) if found else None


def spark_type(canonical: str) -> str:
    """Return the Spark type of a canonical type of the range tree; Spark's other names of exact numbers become the usual ones.

    >>> spark_type("integer"), spark_type("json"), spark_type("Numeric (12, 2)"), spark_type("array<bigint>")
    ('bigint', 'string', 'decimal (12, 2)', 'array<bigint>')
    """
    plain = re.sub(r"^(numeric|dec)(?= *\()", "decimal", canonical.lower().strip())
    return SPARK.get(plain, plain)


def described_type(canonical: str) -> str:
    """Return the Spark type of a canonical type as a model's description has it: without blanks but those of names.

    >>> described_type("number"), described_type("Decimal(12, 2)"), described_type("struct<`a b`: string>")
    ('decimal(38,9)', 'decimal(12,2)', 'struct<`a b`:string>')
    """
    return re.sub(r"(`[^`]*`)|\s+", r"\1", spark_type(canonical))
