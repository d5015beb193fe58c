"""Computed columns: which expressions are followed, and how they are written as SQL over the upstream that they come from.

A column that is a deterministic expression over columns that follow one mention of an upstream follows it too: rows there with
another value of the expression cannot matter to rows with this one. The expression is computed over changed rows, so it is written
from the plan, and only where that is sure to give the plan's own value:

- only the functions and casts in the tables below, each with the types that it takes: Spark has put a cast wherever others stood;
- no float or double, of which equal values (0.0, -0.0) need not give equal ones, and no text with a collation or padding;
- nothing that can fail: the changed rows may be ones that the model leaves out. A cast that fails in ANSI mode and is null outside of
  it is written as `try_cast`; what wraps around outside of it (arithmetic, narrower integers, texts as integers) is not followed;
- of constants only whole numbers and texts that look the same in every print of a plan (`SAFE`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from entrepot.analysis.plan import INTEGERS, Alias, Call, Cast, Column, Expression, Literal
from entrepot.analysis.rows import Occurrence, Rows
from entrepot.analysis.value import Computed, Trace, Value
from entrepot.sql import SAFE_TEXT, literal

_TEXT, _INT, _DATE, _TIME, _BYTES = "string", "int", "date", "timestamp", "binary"
_ANY = "any"
# what is computed from what is computed can grow without end
MOST_PARTS = 401
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,8})")
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_PLAIN = frozenset([*INTEGERS, _TEXT, _DATE, _TIME, "timestamp_ntz", "boolean", _BYTES])
_FIELDS = frozenset(["year", "quarter", "month", "week", "day", "dayofweek", "doy"])
# what Spark puts behind the arguments of a hash: its seed
_SEED = "42"

# name: the types that it takes, and what it gives
_FUNCTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("year", "quarter", "month", "day", "dayofweek", "dayofyear", "weekday", "weekofyear"), ((_DATE,), _INT)),
    **dict.fromkeys(("hour", "minute"), ((_TIME,), _INT)),
    "last_day": ((_DATE,), _DATE),
    "trunc": ((_DATE, _TEXT), _DATE),
    "date_trunc": ((_TEXT, _TIME), _TIME),
    "date_format": ((_TIME, _TEXT), _TEXT),
    **dict.fromkeys(("upper", "lower", "initcap", "trim", "ltrim", "rtrim", "reverse"), ((_TEXT,), _TEXT)),
    "length": ((_TEXT,), _INT),
    "left": ((_TEXT, _INT), _TEXT),
    "right": ((_TEXT, _INT), _TEXT),
    "substring": ((_TEXT, _INT, _INT), _TEXT),
    "lpad": ((_TEXT, _INT, _TEXT), _TEXT),
    "rpad": ((_TEXT, _INT, _TEXT), _TEXT),
    "replace": ((_TEXT, _TEXT, _TEXT), _TEXT),
    "translate": ((_TEXT, _TEXT, _TEXT), _TEXT),
    "substring_index": ((_TEXT, _TEXT, _INT), _TEXT),
    "md5": ((_BYTES,), _TEXT),
    "sha1": ((_BYTES,), _TEXT),
    "sha2": ((_BYTES, _INT), _TEXT),
    "crc32": ((_BYTES,), "bigint"),
}  # fmt: skip
# name: the type of all arguments, and what it gives
_OF_MANY = {"concat": (_TEXT, _TEXT), "concat_ws": (_TEXT, _TEXT), "hash": (_ANY, _INT), "xxhash64": (_ANY, "bigint")}
# those that take any number of arguments: of the others the number tells that no constant was taken for two
OF_MANY = frozenset([*_OF_MANY, "coalesce"])
COMPUTED_FUNCTIONS = frozenset([*_FUNCTIONS, *_OF_MANY, "coalesce", "extract", "to_date"])

# from: to, where the cast cannot fail
_SURE = {
    **{type_: frozenset([*INTEGERS[at:], _TEXT]) for at, type_ in enumerate(INTEGERS)},
    _TEXT: frozenset([_TEXT, _BYTES]),
    _DATE: frozenset([_DATE, _TEXT, _TIME, "timestamp_ntz"]),
    _TIME: frozenset([_TIME, _TEXT, _DATE]),
    "timestamp_ntz": frozenset(["timestamp_ntz", _TEXT, _DATE]),
    "boolean": frozenset(["boolean", _TEXT]),
}


@dataclass(frozen=True, slots=True)
class _Written:
    """An expression as SQL, in turn texts and columns, with its type."""

    parts: tuple[str, ...]
    type: str


_Leaf = Callable[[Column], "_Written | None"]


def computed_trace(expression: Expression, rows: Rows, occurrences: Sequence[Occurrence]) -> Trace:
    """Return the mentions that an expression over an operator's rows follows, with the expression over the upstream's columns."""
    columns = columns_in(expression)
    if not columns:
        return {}
    traces = [rows.trace.get(column.id, {}) for column in columns]
    found: dict[str, Value] = {}
    for mention in traces[0]:
        if all(mention in trace for trace in traces):
            values = {column.id: trace[mention] for column, trace in zip(columns, traces, strict=True)}
            computed = _computed(expression, mention, values, rows, occurrences)
            if computed is not None:
                found[mention] = computed
    return found


def computed_origin(expression: Expression, rows: Rows, occurrences: Sequence[Occurrence]) -> tuple[str, Value] | None:
    """Return the mention and the expression over its columns that an expression is, row by row; none where it is none."""
    origins = {column.id: rows.origin.get(column.id) for column in columns_in(expression)}
    mentions = {origin[0] for origin in origins.values() if origin}
    if None in origins.values() or len(mentions) != 1:
        return None
    mention = mentions.pop()
    values = {id_: origin[1] for id_, origin in origins.items() if origin}
    computed = _computed(expression, mention, values, rows, occurrences)
    return None if computed is None else (mention, computed)


def columns_in(expression: Expression) -> list[Column]:
    """Return the columns in an expression, as far as it is read."""
    match expression:
        case Column():
            return [expression]
        case Cast() | Alias():
            return columns_in(expression.value)
        case Call():
            return [column for argument in expression.arguments for column in columns_in(argument)]
    return []


def type_of(expression: Expression, rows: Rows) -> str | None:
    """Return the type of an expression that can be written over an operator's rows; none where it cannot."""
    written = _write(expression, lambda column: _as_it_is(column, rows))
    return written.type if written else None


def _as_it_is(column: Column, rows: Rows) -> _Written | None:
    type_ = _known(rows.types.get(column.id))
    return _Written(("", column.name, ""), type_) if type_ and not column.is_outer else None


def _computed(
    expression: Expression, mention: str, values: dict[str, Value], rows: Rows, occurrences: Sequence[Occurrence]
) -> Computed | None:
    """Write an expression over the columns of a mention, {id of a column in it: what it follows there}."""
    occurrence = occurrences[int(mention.split("/")[0])]

    def leaf(column: Column) -> _Written | None:
        value, type_ = values[column.id], _known(rows.types.get(column.id))
        own = _known(value.type if isinstance(value, Computed) else occurrence.columns.get(value))
        if column.is_outer or own is None or type_ is None:
            return None
        parts = value.parts if isinstance(value, Computed) else ("", value, "")
        if own == type_:
            return _Written(parts, own)
        # the join or cast that made it follow took integers for equal whatever their width
        is_wider = own in INTEGERS and type_ in INTEGERS[INTEGERS.index(own) :]
        return _cast(_Written(parts, own), type_) if is_wider else None

    written = _write(expression, leaf)
    return Computed(written.parts, written.type) if written and len(written.parts) <= MOST_PARTS else None


def _known(type_: str | None) -> str | None:
    """Return a type whose values are equal only where they are the same; none for any other."""
    if type_ is None:
        return None
    type_ = "string" if re.fullmatch(r"varchar\(\d+\)", type_) else type_
    return type_ if type_ in _PLAIN or _DECIMAL.fullmatch(type_) else None


def _write(expression: Expression, leaf: _Leaf, wanted: str | None = None) -> _Written | None:
    """Write an expression as SQL; none where it is not followed.

    Args:
        expression: the expression
        leaf: writes a column
        wanted: the type that a constant has where the expression stands; none where that is not known
    """
    match expression:
        case Alias():
            return _write(expression.value, leaf, wanted)
        case Column():
            return leaf(expression)
        case Literal():
            return _constant(expression.text, wanted)
        case Cast():
            inner = _write(expression.value, leaf, _of_cast_constant(expression))
            return inner and _cast(inner, expression.type)
        case Call() if not expression.is_distinct and expression.filter is None:
            return _call(expression.name, expression.arguments, leaf)
    return None


def _constant(text: str, type_: str | None) -> _Written | None:
    """Write a constant of a type; none where its text does not tell what it is."""
    if type_ == _TEXT and SAFE_TEXT.fullmatch(text):
        return _Written((literal(text),), _TEXT)
    if type_ == _INT and _WHOLE.fullmatch(text):
        return _Written((text,), _INT)
    if type_ in INTEGERS and _WHOLE.fullmatch(text):
        return _Written((f"cast({text} as {type_})",), type_)
    return None


def _of_cast_constant(cast: Cast) -> str | None:
    """Return the type that a constant may be taken for where it is cast: its text is its value, whatever its own type is."""
    text = cast.value.text if isinstance(cast.value, Literal) else ""
    if _WHOLE.fullmatch(text):
        return _INT
    return _TEXT if cast.type == _TEXT else None


def _cast(inner: _Written, type_: str) -> _Written | None:
    if type_ in _SURE.get(inner.type, ()) or (_DECIMAL.fullmatch(inner.type) and type_ == _TEXT):
        return _around(f"cast({{}} as {type_})", [inner], type_)
    is_decimal = _DECIMAL.fullmatch(type_) is not None
    from_text = inner.type == _TEXT and (is_decimal or type_ in (_DATE, _TIME))
    from_number = is_decimal and (inner.type in INTEGERS or _DECIMAL.fullmatch(inner.type) is not None)
    return _around(f"try_cast({{}} as {type_})", [inner], type_) if from_text or from_number else None


def _call(name: str, arguments: Sequence[Expression], leaf: _Leaf) -> _Written | None:
    """Write a call of one of the known functions."""
    if name == "extract":
        return _extract(arguments, leaf)
    if name == "to_date" and len(arguments) == 1:
        inner = _write(arguments[0], leaf)
        return inner and _cast(inner, _DATE)
    if name == "coalesce":
        return _coalesce(arguments, leaf)
    if name in _OF_MANY:
        taken, gives = _OF_MANY[name]
        if taken == _ANY:
            if not arguments or arguments[-1] != Literal(_SEED):
                return None
            arguments = arguments[:-1]
        types, is_known = (taken,) * len(arguments), bool(arguments)
    else:
        types, gives = _FUNCTIONS.get(name, ((), ""))
        is_known = name in _FUNCTIONS and len(types) == len(arguments)
    if not is_known:
        return None
    written = [
        _write(argument, leaf, None if type_ == _ANY else type_) for argument, type_ in zip(arguments, types, strict=True)
    ]  # fmt: skip
    if any(one is None or type_ not in (_ANY, one.type) for one, type_ in zip(written, types, strict=True)):
        return None
    return _listed(name, [one for one in written if one], gives)


def _extract(arguments: Sequence[Expression], leaf: _Leaf) -> _Written | None:
    """Write `extract(field from …)` of a date, or of the date of a timestamp."""
    if len(arguments) != 2 or not isinstance(arguments[0], Literal) or arguments[0].text.lower() not in _FIELDS:
        return None
    inner = _write(arguments[1], leaf)
    if inner is None or inner.type not in (_DATE, _TIME):
        return None
    return _around(f"extract({arguments[0].text.lower()} from {{}})", [inner], _INT)


def _coalesce(arguments: Sequence[Expression], leaf: _Leaf) -> _Written | None:
    """Write `coalesce` of values of one type; constants have that of the others."""
    types = {one.type for one in (_write(argument, leaf) for argument in arguments) if one}
    if len(types) != 1:
        return None
    type_ = types.pop()
    written = [_write(argument, leaf, type_) for argument in arguments]
    if any(one is None or one.type != type_ for one in written):
        return None
    return _listed("coalesce", [one for one in written if one], type_)


def _listed(name: str, arguments: Sequence[_Written], type_: str) -> _Written:
    return _around(f"{name}({', '.join(['{}'] * len(arguments))})", arguments, type_)


def _around(pattern: str, inner: Sequence[_Written], type_: str) -> _Written:
    """Put expressions in the places `{}` of a text."""
    texts = pattern.split("{}")
    parts = [texts[0]]
    for written, text in zip(inner, texts[1:], strict=True):
        parts[-1] += written.parts[0]
        parts.extend(written.parts[1:])
        parts[-1] += text
    return _Written(tuple(parts), type_)
