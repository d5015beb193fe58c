"""What has no one right result, or none as far as known keys tell: each refusal with its code, its words and a way out."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from entrepot.analysis.follow import our_alias, sort_ids
from entrepot.analysis.functions import DAY, OF_THE_MOMENT, words_for
from entrepot.analysis.plan import Alias, Call, Cast, Expression, Literal, Node, Windowed
from entrepot.analysis.rows import Rows

_SAME = (
    ("rand", "random"),
    ("current_timestamp", "now"),
    ("current_date", "curdate"),
    ("current_user", "session_user", "user"),
    ("current_database", "current_schema"),
    ("java_method", "reflect"),
)
_NAMES = {name: "|".join(names) for names in _SAME for name in names}
_ANY_ORDER = frozenset(
    ["first", "last", "first_value", "last_value", "any_value", "mode", "collect_list", "collect_set", "listagg"]
)
_LISTS = ("collect_list", "collect_set")
_BY_PLACE = frozenset(
    [
        "row_number",
        "ntile",
        "lag",
        "lead",
        "first",
        "last",
        "first_value",
        "last_value",
        "nth_value",
        "max_by",
        "min_by",
        "mode",
        "any_value",
        "collect_list",
        "listagg",
    ]
)
_RANKS = frozenset(("rank", "dense_rank", "percent_rank", "cume_dist"))
_UNDER_LIMIT = ("LocalLimit", "GlobalLimit", "Offset", "Project")
_EQUAL_ROWS = "over an order in which rows may be equal"
ORDER_HINT = (
    "order by … and last a unique key (unique_key of the model that is read, meta of a source); "
    "or config(total_order=true) where you know that it does"
)
RESULT_WAY = "a column or var in its place"
RESULT_HINT = f"{RESULT_WAY}; or config(delta_rule='full'), which takes what each run gives"
FOREIGN_HINT = "Spark's own functions in its place; or config(deterministic=true) where you know that the same values always give the same"
Word = typing.Literal["total_order", "deterministic"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a refusal looks.

    Attributes:
        node: an operator
        above: the three above it
        results: what is known of all rows
        code: the SQL without comments and texts; none where the plan itself tells a function from a text
    """

    node: Node
    above: tuple[Node, ...]
    results: Mapping[int, Rows]
    code: str | None

    def is_total(self, below: Sequence[Node], items: Sequence[Expression]) -> bool:
        """Return whether what is sorted and grouped by tells the rows of the first operator below apart, as far as known keys tell."""
        rows = self.results.get(below[0].number, Rows()) if below else Rows()
        return rows.has_key_in(sort_ids(items, rows.types))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a SELECT has no one right result, so that only a full computation is right, and `strict` refuses it.

    Attributes:
        code: the refusal's name
        sentence: what is refused, for the documentation
        hint: what to write instead
        find: returns the words for what it finds at a place; none where it finds nothing
        word: the setting by which the author may say to know better; none where there is none
        is_everywhere: whether it may be found at any operator; else at those that name it in their table
    """

    code: str
    sentence: str
    hint: str
    find: Callable[[Place], str | None]
    word: Word | None = None
    is_everywhere: bool = False


def _moment(place: Place) -> str | None:
    days = []
    for use in place.node.uses:
        what = use.what
        if isinstance(what, Cast):
            days.append(what)
        elif what.name in OF_THE_MOMENT and not _has_argument(what, place.node):
            names = _NAMES.get(what.name, what.name)
            if place.code is None or re.search(rf"(?i)(?<![\w.`])(?:{names})(?!\w)", place.code):
                return f"{what.name}(), which gives something else each time"
    for cast in days:
        if _is_day(cast):
            return f"'{cast.value}' as a date or time, which is another one each day"
    return None


def _of_others(place: Place) -> str | None:
    for use in place.node.uses:
        if use.is_foreign and isinstance(use.what, Call):
            return words_for(use.what.name)
    return None


def _has_argument(call: Call, node: Node) -> bool:
    """Return whether it is `unix_timestamp` of something else than the moment."""
    ofs = [use.what for use in node.uses if use.around == "unix_timestamp"]
    is_moment = any(isinstance(what, Call) and what.name == "current_timestamp" for what in ofs)
    return call.name == "unix_timestamp" and not is_moment


def _is_day(cast: Cast) -> bool:
    is_day = isinstance(cast.value, Literal) and DAY.fullmatch(cast.value.text)
    return bool(is_day) and re.fullmatch(r"date|timestamp\w*", cast.type) is not None


def _foreign(place: Place) -> str | None:
    if any(our_alias(node) for node in place.above[:2]):
        return None
    if any(our_alias(node) for node in place.above):
        return f"{place.node.variant}, which has a column of type char: Spark pads it when it is read, and its rows are not followed through that"
    return f"{place.node.variant}, which is named without ref() or source(), so that its changes are not seen"


def _any_order(place: Place) -> str | None:
    for use in place.node.uses:
        name = use.what.name if isinstance(use.what, Call) else ""
        if name in _ANY_ORDER and use.around not in ("sort_array", "array_sort"):
            sorted_ = f"sort_array({name}(…))" if name in _LISTS else "sort_array(collect_list(…))"
            advice = f"min, max and {sorted_} do not"
            return f"{name}(), which depends on the order in which rows come ({advice})"
    return None


def _limit(place: Place) -> str | None:
    if place.node.kind == "Sample":
        return "tablesample"
    near = [node for node, _ in islice(place.node.walk(), 1, 5) if node.kind not in _UNDER_LIMIT][:1]
    is_total = any(node.kind == "Sort" and place.is_total([node], node.order) for node in near)
    return None if is_total else f"limit {_EQUAL_ROWS}"


def _ties(place: Place) -> str | None:
    node = place.node
    if place.is_total(node.children, node.groups + node.order):
        return None
    for output in node.outputs:
        found = output.value if isinstance(output, Alias) else output
        if isinstance(found, Windowed) and (
            found.function in _BY_PLACE or (found.is_by_rows and found.function not in _RANKS)
        ):
            return f"{found.function}() {_EQUAL_ROWS}"
    return None


def _best(place: Place) -> str | None:
    node = place.node
    for use in node.uses:
        if isinstance(use.what, Call) and use.what.name in ("max_by", "min_by"):
            order = _fields(use.what.arguments[-1]) if use.what.arguments else ()
            if not place.is_total(node.children, node.groups + order):
                return f"{use.what.name}() {_EQUAL_ROWS}"
    return None


def _fields(order: Expression) -> tuple[Expression, ...]:
    """Return the fields of a struct; anything else as its only field."""
    if isinstance(order, Call) and order.name in ("struct", "named_struct"):
        return order.arguments
    return (order,)


MOMENT = Refusal(
    "moment",
    "functions of the moment, of chance, or of where a row is stored",
    RESULT_HINT,
    _moment,
    is_everywhere=True,
)
FOREIGN = Refusal("foreign", "tables named without `ref()` or `source()`", RESULT_HINT, _foreign)
ANY_ORDER = Refusal(
    "any_order", "`first`, `collect_list` and other aggregates that take rows as they come", RESULT_HINT, _any_order
)
LIMIT = Refusal(
    "limit",
    "`tablesample`; `limit` and `offset` that are not over a sort that tells all rows apart",
    ORDER_HINT,
    _limit,
    "total_order",
)
TIES = Refusal(
    "ties",
    "`row_number`, `lag` and the like over an order that does not tell rows apart",
    ORDER_HINT,
    _ties,
    "total_order",
)
BEST = Refusal("best", "`max_by`, `min_by` by something that two rows may have alike", ORDER_HINT, _best, "total_order")
OF_OTHERS = Refusal(
    "of_others", "functions that are not Spark's own", FOREIGN_HINT, _of_others, "deterministic", is_everywhere=True
)

REFUSALS = (MOMENT, FOREIGN, ANY_ORDER, LIMIT, TIES, BEST, OF_OTHERS)
