"""What rule `aggregate` needs to know: which columns are groups, which are measures, and whether these can be maintained exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.analysis.plan import Alias, Call, Cast, Expression, Literal, Node, column_of, id_of, value_of
from entrepot.analysis.rows import Grouping, Measure, Rows
from entrepot.sql import is_name

_FUNCTIONS = ("count", "count_if", "sum", "min", "max", "avg")
MOST_SCALE = 6
_COMPARED = re.compile(
    r"tinyint|smallint|int|bigint|float|double|decimal\(\d+,\d+\)|string|date|timestamp|timestamp_ntz|boolean"
)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What rule `aggregate` needs to know of a model.

    Attributes:
        groups: columns of the result that it groups by, and constants
        is_whole: whether there is no group by, so that there is always one row
        measures: the other columns
    """

    groups: tuple[str, ...]
    is_whole: bool
    measures: Mapping[str, Measure]


def aggregate_rule(columns: Sequence[tuple[str, str]], root: Rows) -> Aggregate | None:
    """Return what rule `aggregate` needs to know; none where it is not right.

    The SELECT has to be one aggregate over rows that come each from one row of every occurrence, and nothing but renaming above.
    """
    grouping = root.grouping
    if grouping is None or len(columns) != len(root.out):
        return None
    groups: list[str] = []
    measures: dict[str, Measure] = {}
    for (name, type_), id_ in zip(columns, root.out, strict=True):
        if not is_name(name) or name in groups or name in measures:
            return None
        if id_ in grouping.groups or id_ in grouping.literals:
            groups.append(name)
        elif id_ in grouping.measures:
            measures[name] = replace(grouping.measures[id_], type=type_)
        else:
            return None
    if not measures or any(id_ not in root.out for id_ in grouping.groups):
        return None
    for name, measure in measures.items():
        if measure.function == "avg":
            sums = measure_of(measures, ("sum", "sum_or_zero"), measure.of)
            measures[name] = replace(measure, sum=sums, count=measure_of(measures, ("count",), measure.of))
    if not all(_is_exact(measure, measures) for measure in measures.values()):
        return None
    return Aggregate(tuple(groups), not grouping.groups, measures)


def measure_of(measures: Mapping[str, Measure], functions: Sequence[str], of: str) -> str | None:
    """Return the column that has one of the functions of the same expression; none where there is none."""
    return next((name for name, found in measures.items() if found.function in functions and found.of == of), None)


def _is_exact(measure: Measure, measures: Mapping[str, Measure]) -> bool:
    """Return whether a measure can be maintained up to the last digit.

    Sums of integers can, and of decimals with a scale up to 6: Spark adds two of 38 digits with six behind the point, or fewer than
    they have. Averages beside sum and count of the same, where their quotient has digits enough to be rounded like Spark's; extremes
    of types that compare. Sums of floats depend on the order of their values.
    """
    type_ = measures[measure.sum].type if measure.sum else measure.type
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", type_)
    is_added = decimal is not None and int(decimal[2]) <= MOST_SCALE
    spare = 38 - int(decimal[1]) if decimal else 0
    match measure.function:
        case "count" | "count_if":
            return True
        case "sum" | "sum_or_zero":
            return measure.type == "bigint" or is_added
        case "avg":
            if measure.sum is None or measure.count is None:
                return False
            return is_added and spare - 4 >= 9 if decimal else measure.type == "double" and type_ == "bigint"
    return _COMPARED.fullmatch(measure.type) is not None


def own_grouping(node: Node, rows: Rows, input_: Rows) -> Grouping | None:
    """Return the grouping that an aggregate's rows are; none where a group is not shown, or a column is anything else."""
    if not input_.is_by_row or node.subplans:
        return None
    groups: list[str | None] = []
    literals: list[str | None] = []
    measures: dict[str | None, Measure] = {}
    shown: set[Expression] = set()
    for output, id_ in zip(node.outputs, rows.out, strict=True):
        expression = value_of(output)
        measure = _measure(expression)
        if expression in node.groups:
            groups.append(id_)
            shown.add(expression)
        elif measure:
            measures[id_] = measure
        elif isinstance(expression, Literal) and isinstance(output, Alias):
            literals.append(id_)
        else:
            return None
    return Grouping(tuple(groups), tuple(literals), measures) if shown.issuperset(node.groups) else None


def renamed_grouping(node: Node, input_: Rows) -> Grouping | None:
    """Return an input's grouping behind a projection; none where it does more than rename columns."""
    names: dict[str, str] = {}
    for output in node.outputs:
        found, id_ = column_of(value_of(output)), id_of(output)
        if input_.grouping is None or found is None or found[1] or id_ is None:
            return None
        names.setdefault(found[0].id, id_)
    return input_.grouping.renamed(names) if input_.grouping else None


def _measure(expression: Expression) -> Measure | None:
    """Return what an aggregated column is; none where it is anything else."""
    function = None
    if isinstance(expression, Call) and expression.name == "coalesce" and len(expression.arguments) == 2:
        expression, zero = expression.arguments
        function = "sum_or_zero"
        if not isinstance(expression, Call) or expression.name != "sum" or not _is_zero(zero):
            return None
    if not isinstance(expression, Call) or expression.name not in _FUNCTIONS or expression.is_distinct:
        return None
    return Measure(function or expression.name, expression.inside)


def _is_zero(expression: Expression) -> bool:
    while isinstance(expression, Cast):
        expression = expression.value
    return isinstance(expression, Literal) and re.fullmatch(r"0(\.0+)?", expression.text) is not None
