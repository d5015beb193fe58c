"""Expressions in the JSON of Spark's plans: each a flat list, every expression before its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from entrepot.analysis.computed import COMPUTED_FUNCTIONS
from entrepot.analysis.functions import OWN_PACKAGE
from entrepot.analysis.plan import (
    INTEGERS,
    Alias,
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    Membership,
    Other,
    Use,
    Windowed,
)
from entrepot.sql import SAFE_TEXT

_TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_INFIX = {"EqualTo": "=", "EqualNullSafe": "<=>", "And": "AND", "Or": "OR", "LessThan": "<", "GreaterThan": ">"}
_INFIX |= {"LessThanOrEqual": "<=", "GreaterThanOrEqual": ">="}
# what Spark prints for a class, where it is not the class's name with underscores
_NAMES = {
    "Average": "avg",
    "CreateNamedStruct": "named_struct",
    "CallMethodViaReflection": "reflect",
    "CurrentTimestamp": "current_timestamp",
    "ListAgg": "listagg",
    "MonotonicallyIncreasingID": "monotonically_increasing_id",
    "NTile": "ntile",
    "RandStr": "randstr",
    "SparkPartitionID": "spark_partition_id",
    "LocalTimestamp": "localtimestamp",
    "VariancePop": "var_pop",
    "VarianceSamp": "var_samp",
    "DayOfMonth": "day",
    "DayOfWeek": "dayofweek",
    "DayOfYear": "dayofyear",
    "WeekOfYear": "weekofyear",
    "WeekDay": "weekday",
    "TruncTimestamp": "date_trunc",
    "TruncDate": "trunc",
    "DateFormatClass": "date_format",
    "ParseToDate": "to_date",
    "InitCap": "initcap",
    "StringTrim": "trim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "StringLPad": "lpad",
    "StringRPad": "rpad",
    "StringReplace": "replace",
    "StringTranslate": "translate",
    "Murmur3Hash": "hash",
    "XxHash64": "xxhash64",
}
# calls that the analysis asks about, and that their arguments tell apart
_CALLS = frozenset(["count", "count_if", "sum", "min", "max", "avg", "coalesce", "named_struct"])
# of the expressions in Spark's own package, those that run what others have written
_RUN_OTHERS = frozenset(
    ["PythonUDF", "PythonUDAF", "PythonUDTF", "ScalaUDF", "ApplyFunctionExpression", "V2Aggregator"]
)
_SEEDED = ("Murmur3Hash", "XxHash64")
_NOT_CONTENT = frozenset(["class", "num-children", "plan", "resultId", "timeZoneId", "qualifier", "nullable"])
_MODES = ("evalMode", "evalContext")
_SESSION = "session"

Flat = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Read:
    """An expression, with what else is in it.

    Attributes:
        expression: the expression
        field: the operator's field that it stands in
        name: what Spark calls its function; empty where it is none
        uses: the functions and casts in it
        subplans: the plans of the subqueries in it, each a flat list of operators
        is_by_rows: whether it is a frame of a window that ends at a row
    """

    expression: Expression
    field: str = ""
    name: str = ""
    uses: tuple[Use, ...] = ()
    subplans: tuple[Flat, ...] = ()
    is_by_rows: bool = False


def type_name(type_: Any, metadata: Mapping[str, Any] | None = None) -> str:
    """Return a type as Spark prints it, from the JSON of a schema.

    >>> type_name({"type": "array", "elementType": "long", "containsNull": True})
    'array<bigint>'
    """
    if isinstance(type_, str):
        collations = ", ".join((metadata or {}).get("__COLLATIONS", {}).values())
        return _TYPES.get(type_, type_) + (f" collate {collations}" if collations else "")
    match type_["type"]:
        case "array":
            return f"array<{type_name(type_['elementType'], metadata)}>"
        case "map":
            return f"map<{type_name(type_['keyType'], metadata)},{type_name(type_['valueType'])}>"
        case "struct":
            fields = (f"{field['name']}:{type_name(field['type'], field.get('metadata'))}" for field in type_["fields"])
            return f"struct<{','.join(fields)}>"
    return str(type_["type"])


class ExpressionReader:
    """Reads the expressions of one operator.

    Spark's JSON says `null` of what it cannot write, such as the escape character of LIKE. An expression of which something is not
    said equals no other one.
    """

    def __init__(self) -> None:
        """Begin an operator."""
        self._unsaid = 0

    def read(self, flat: Flat, field: str = "") -> Read:
        """Read an expression in a field of an operator."""
        waiting: list[Read] = []
        for item in reversed(flat):
            arguments = [waiting.pop() for _ in range(item["num-children"])]
            waiting.append(self._read(item, arguments))
        return replace(waiting[0], field=field)

    def _read(self, item: Mapping[str, Any], arguments: Sequence[Read]) -> Read:
        class_ = item["class"].rsplit(".", 1)[-1].rstrip("$")
        name = _INFIX.get(class_) or _NAMES.get(class_) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_).lower()
        plans = (item["plan"],) if isinstance(item.get("plan"), list) else ()
        subplans = plans + tuple(plan for argument in arguments for plan in argument.subplans)
        uses = tuple(use for argument in arguments for use in argument.uses)
        values = tuple(argument.expression for argument in arguments)
        is_by_rows = any(argument.is_by_rows for argument in arguments)
        match class_:
            case "AttributeReference":
                return Read(Column(str(item["exprId"]["id"]), item["name"], type=type_name(item["dataType"])))
            case "OuterReference":
                inner = self.read(item["e"]).expression
                return Read(replace(inner, is_outer=True) if isinstance(inner, Column) else Other(f"outer({inner})"))
            case "Literal":
                return Read(Literal("null" if item["value"] is None else str(item["value"])))
            case "Alias":
                return Read(Alias(values[0], str(item["exprId"]["id"]), item["name"]), uses=uses, subplans=subplans)
            case "Cast":
                cast = Cast(values[0], type_name(item["dataType"]))
                known = (
                    cast
                    if _is_wider(cast) or item.get("evalMode") == _SESSION
                    else Other(self._text(class_, item, values))
                )
                return Read(known, uses=(Use(cast), *uses), subplans=subplans)
            case "SortOrder":
                return replace(arguments[0], name="")
            case "AggregateExpression":
                return _aggregate(item, arguments)
            case "WindowExpression":
                windowed = Windowed(arguments[0].name, is_by_rows, self._text(class_, item, values))
                return Read(windowed, uses=uses, subplans=subplans)
            case "WindowSpecDefinition":
                text = Other(self._text(class_, item, values))
                return Read(text, uses=uses, subplans=subplans, is_by_rows=is_by_rows)
            case "SpecifiedWindowFrame":
                return Read(Other(self._text(class_, item, values)), is_by_rows=_is_by_rows(item, values))
            case "InSubquery" if len(values) == 2:
                return Read(Membership(values[0]), uses=uses, subplans=subplans)
        return self._call(class_, name, item, arguments, subplans)

    def _call(
        self, class_: str, name: str, item: Mapping[str, Any], arguments: Sequence[Read], subplans: tuple[Flat, ...]
    ) -> Read:
        """Read a function or an operator."""
        values = self._values(class_, item, arguments)
        call = Call(name, values)
        is_known = (name in _CALLS or class_ in _INFIX or _is_computed(name, item, values)) and _is_plain(item)
        uses = [use for argument in arguments for use in argument.uses]
        if uses and arguments[0].name:
            uses[0] = replace(uses[0], around=name)
        known = call if is_known else Other(self._text(class_, item, values))
        is_foreign = class_ in _RUN_OTHERS or not item["class"].startswith(OWN_PACKAGE)
        use = Use(replace(call, name=_said_name(item) or name) if is_foreign else call, is_foreign=is_foreign)
        return Read(known, name=name, uses=(use, *uses), subplans=subplans)

    def _values(self, class_: str, item: Mapping[str, Any], arguments: Sequence[Read]) -> tuple[Expression, ...]:
        """Return the arguments of a call as the author wrote them, with what Spark adds to them in print."""
        if class_ == "Extract" and isinstance(item.get("field"), list) and isinstance(item.get("source"), list):
            return self.read(item["field"]).expression, self.read(item["source"]).expression
        values = tuple(argument.expression for argument in arguments)
        return (*values, Literal(str(item["seed"]))) if class_ in _SEEDED and "seed" in item else values

    def _text(self, class_: str, item: Mapping[str, Any], values: Sequence[Expression]) -> str:
        """Write an expression so that no other one has the same text: class, arguments and all that it says besides."""
        said = {key: value for key, value in item.items() if key not in _NOT_CONTENT and value is not None}
        if None in item.values():
            self._unsaid += 1
            said["unsaid"] = self._unsaid
        return f"{class_}({', '.join(map(str, values))}) {json.dumps(said, sort_keys=True)}"


def _said_name(item: Mapping[str, Any]) -> str | None:
    """Return the name under which a function that is not Spark's own was made; none where the JSON does not say."""
    names = [item.get(field) for field in ("name", "udfName")]
    return next((name for name in names if isinstance(name, str) and name), None)


def say_modes(trees: Sequence[Flat], line: str) -> None:
    """Fill in how casts and sums take what does not fit, which Spark's JSON leaves out: as the session says, or as null (`try_…`).

    Args:
        trees: the expressions of an operator, in their order
        line: how Spark prints it
    """
    items: list[Any] = [item for tree in trees for item in tree]
    if "more fields" in line:
        return
    found = [name.lower() for name in re.findall(r"(?i)(?<!\w)(try_\w+|cast)\(", line)]
    casts = [item for item in items if item["class"].endswith(".Cast")]
    names = [name for name in found if name in ("cast", "try_cast")]
    if "try_cast" not in names:
        names = ["cast"] * len(casts)
    if len(names) == len(casts):
        for cast, name in zip(casts, names, strict=True):
            cast["evalMode"] = _SESSION if name == "cast" else "try"
    if all(name in ("cast", "try_cast") for name in found):
        for item in items:
            item.update({mode: _SESSION for mode in _MODES if mode in item and not item["class"].endswith(".Cast")})


def _is_plain(item: Mapping[str, Any]) -> bool:
    """Return whether all is said of an expression, and it takes what does not fit as the session says."""
    return None not in item.values() and all(item.get(mode, _SESSION) == _SESSION for mode in _MODES)


def _is_computed(name: str, item: Mapping[str, Any], values: Sequence[Expression]) -> bool:
    """Return whether it is a function of Spark's own that may be followed, and its constants look the same in every print of a plan."""
    texts = [value.text for value in values if isinstance(value, Literal)]
    is_own = item["class"].startswith(OWN_PACKAGE)
    return name in COMPUTED_FUNCTIONS and is_own and all(map(SAFE_TEXT.fullmatch, texts))


def _is_wider(cast: Cast) -> bool:
    """Return whether it is a column of integers cast to a type that holds them all, which never fails."""
    if not isinstance(cast.value, Column) or cast.type not in INTEGERS:
        return False
    return cast.value.type in INTEGERS[: INTEGERS.index(cast.type) + 1]


def _aggregate(item: Mapping[str, Any], arguments: Sequence[Read]) -> Read:
    """Read an aggregate function with its DISTINCT and its filter."""
    function = arguments[0]
    filter_ = arguments[1].expression if len(arguments) > 1 else None
    is_distinct = bool(item["isDistinct"])
    expression: Expression = Other(f"{'distinct ' * is_distinct}{function.expression} FILTER (WHERE {filter_})")
    if isinstance(function.expression, Call):
        expression = replace(function.expression, is_distinct=is_distinct, filter=filter_)
    uses = tuple(use for argument in arguments for use in argument.uses)
    subplans = tuple(plan for argument in arguments for plan in argument.subplans)
    return Read(expression, name=function.name, uses=uses, subplans=subplans)


def _is_by_rows(item: Mapping[str, Any], bounds: Sequence[Expression]) -> bool:
    """Return whether a frame of a window ends at a row."""
    is_whole = [str(bound).split("(")[0] for bound in bounds] == ["UnboundedPreceding", "UnboundedFollowing"]
    return "RowFrame" in json.dumps(item["frameType"]) and not is_whole
