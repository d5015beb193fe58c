"""How rule `aggregate` maintains a column that aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entrepot.analysis import Measure, measure_of
from entrepot.sql import literal

EXACT_IN_DOUBLE = 2**53
MOST_DIGITS = 38


@dataclass(frozen=True, slots=True)
class Maintained:
    """How a column is maintained.

    Attributes:
        sums: SQL of its columns of the net change, over the terms with `_sign` and `_sure`
        value: SQL of its new value, over `_net` and `_stored`
        known: conditions under which the value is right
    """

    sums: tuple[str, ...]
    value: str
    known: tuple[str, ...] = ()


def maintained(model: str, column: str, measures: Mapping[str, Measure]) -> Maintained:
    """Return how a column of a model is maintained."""
    measure = measures[column]
    if measure.function in ("count", "count_if"):
        return Maintained((f"sum(_sign * `{column}`) as `{column}`",), count_after(column))
    if measure.function == "avg":
        return _average(measure, measures)
    if measure.function in ("min", "max"):
        return _extreme(column, measure.function)
    if is_full_sum(measure):
        return _full_sum(column, measure, count_of(measures, measure.of))
    return _sum(model, column, measure, count_of(measures, measure.of))


def is_full_sum(measure: Measure) -> bool:
    """Return whether a column is a sum of as many digits as any type has, so that even where rows only come its value may not be known.

    >>> [is_full_sum(Measure("sum", "v", type_)) for type_ in ("decimal(38,4)", "decimal(28,2)", "bigint")]
    [True, False, False]
    >>> is_full_sum(Measure("max", "v", "decimal(38,4)"))
    False
    """
    return measure.function in ("sum", "sum_or_zero") and measure.type.startswith(f"decimal({MOST_DIGITS},")


def count_after(column: str) -> str:
    """Return SQL of a count after the change."""
    return f"coalesce(_stored.`{column}`, 0) + _net.`{column}`"


def count_of(measures: Mapping[str, Measure], of: str) -> str | None:
    """Return the column that counts an expression; none where there is none."""
    return measure_of(measures, ("count",), of)


def _wide(type_: str) -> str:
    """Return the widest type of a sum's values."""
    return "decimal(38,0)" if type_ == "bigint" else f"decimal(38,{type_.split(',')[1]}"


def _total(column: str, type_: str) -> str:
    """Return SQL of a sum after the change, where it has values; exact, and wider than any of its type."""
    return f"coalesce(cast(_stored.`{column}` as {_wide(type_)}), 0) + coalesce(_net.`{column}`, 0)"


def _sum(model: str, column: str, measure: Measure, count: str | None) -> Maintained:
    """Return how a sum is maintained.

    It is null where no value is left, which a count of the same says, or else a row that is sure to be there; a value that its type
    cannot hold is an error.
    """
    wide = _wide(measure.type)
    sums = [f"sum(if(_sign > 0, cast(`{column}` as {wide}), -cast(`{column}` as {wide}))) as `{column}`"]
    total = f"try_cast({_total(column, measure.type)} as {measure.type})"
    message = literal(
        f"Model {model}: the sum {column} is beyond {measure.type}. "
        "Sum a wider type, for example: sum(cast(… as decimal(28, 2))). See docs/delta-rules.md."
    )
    total = f"if({total} is null, raise_error({message}), {total})"
    if measure.function == "sum_or_zero":
        return Maintained(tuple(sums), total)
    if count:
        return Maintained(tuple(sums), f"if({count_after(count)} = 0, null, {total})")
    more, is_left = _values_left(column)
    known = f"_net.`{column}` is null or {is_left}"
    return Maintained((*sums, *more), f"if(_net.`{column}` is null, _stored.`{column}`, {total})", (known,))


def _full_sum(column: str, measure: Measure, count: str | None) -> Maintained:
    """Return how a sum of as many digits as there are is maintained: added up as long as it is far from its type's limit.

    Spark's own sum is null, or an error in ANSI mode, where it comes beyond the limit on the way. So a group is read again where a
    sum, stored or new, comes within a factor of 10 of it (of 100 for what has changed, of which several are added up); and where one
    is null, or 0 of `coalesce(sum(…), 0)`, and no count of the same tells that this is for want of values.
    """
    digits = MOST_DIGITS - int(measure.type.rstrip(")").split(",")[1])
    limit, beyond = f"1e{digits - 1}", f"_beyond_{column}"
    stored = f"_stored.`{column}`"
    total = f"coalesce({stored}, 0) + coalesce(_net.`{column}`, 0)"
    is_far = f"abs(cast(coalesce({stored}, 0) as double)) < {limit}"
    is_small = f"abs(cast(`{column}` as double)) < 1e{digits - 2}"
    sums = [
        f"sum(if({is_small}, if(_sign > 0, `{column}`, -`{column}`), null)) as `{column}`",
        f"bool_or(not ({is_small}) or {_may_hide(measure, '', column, count)}) as `{beyond}`",
    ]
    known = [
        f"not coalesce(_net.`{beyond}`, false)",
        f"_stored._is_stored is null or not {_may_hide(measure, '_stored.', column, count)}",
        f"if({is_far}, abs(cast({total} as double)) < {limit}, false)",
    ]
    value = f"if({' and '.join(f'({one})' for one in known)}, {total}, null)"
    if measure.function == "sum_or_zero":
        return Maintained(tuple(sums), value, tuple(known))
    if count:
        value = f"if({count_after(count)} = 0, null, {value})"
        return Maintained(tuple(sums), value, tuple(known))
    more, is_left = _values_left(column)
    return Maintained((*sums, *more), value, (*known, is_left))


def _may_hide(measure: Measure, row: str, column: str, count: str | None) -> str:
    """Return SQL of whether a sum may be one that came beyond its type's limit: it is null, or 0 where that stands for null."""
    told = f" and not ({row}`{count}` = 0)" if count else ""
    return f"({row}`{column}` {'= 0' if measure.function == 'sum_or_zero' else 'is null'}{told})"


def _values_left(column: str) -> tuple[tuple[str, str], str]:
    """Return the sums of the net change that tell whether any value is left where nothing counts them, and when they do."""
    some, less = f"_some_{column}", f"_less_{column}"
    sums = (
        f"bool_or(_sure and `{column}` is not null) as `{some}`",
        f"bool_or(_sign < 0 and `{column}` is not null) as `{less}`",
    )
    return sums, f"_net.`{some}` or _stored.`{column}` is not null and not _net.`{less}`"


def _extreme(column: str, function: str) -> Maintained:
    """Return how a minimum or maximum is maintained: the better one of the stored and what has come.

    It is not known where a row with that value has gone, unless one that is sure to be there has it too.
    """
    value = f"{'least' if function == 'min' else 'greatest'}(_stored.`{column}`, _net.`{column}`)"
    gone = f"_net.`_gone_{column}`"
    return Maintained(
        (
            f"{function}(if(_sign > 0, `{column}`, null)) as `{column}`",
            f"{function}(if(_sure, `{column}`, null)) as `_sure_{column}`",
            f"{function}(if(_sign < 0, `{column}`, null)) as `_gone_{column}`",
        ),
        value,
        (f"{gone} is null or {gone} {'>' if function == 'min' else '<'} {value} or _net.`_sure_{column}` = {value}",),
    )


def _average(measure: Measure, measures: Mapping[str, Measure]) -> Maintained:
    """Return how an average is maintained, from sum and count of the same.

    Spark adds integers up as doubles, which is exact up to 2^53.
    """
    if measure.sum is None or measure.count is None:
        raise ValueError("an average without sum and count of the same")
    type_ = measures[measure.sum].type
    total, count = _total(measure.sum, type_), count_after(measure.count)
    if measure.type == "double":
        value = f"if({count} = 0, null, cast({total} as double) / ({count}))"
        return Maintained((), value, (f"abs({total}) <= {EXACT_IN_DOUBLE}",))
    return Maintained((), f"if({count} = 0, null, cast({total} as {type_}) / ({count}))")
