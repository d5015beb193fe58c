"""Front end for text: what `explain extended` prints of the analyzed plan.

Spark does not quote constants, so a text in the SQL may look like a part of the plan: `literals.is_misleading` refuses those first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from entrepot.analysis.computed import OF_MANY
from entrepot.analysis.plan import (
    Alias,
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    Membership,
    Node,
    Other,
    Plan,
    Use,
    Windowed,
)

_LINE = re.compile(r"((?:   |:  |:- |\+- )*)(\w+)(?: (.*))?")
_COLUMN = re.compile(r"(cast\()?(outer\()?(\w+)#(\d+)(L?)(?(2)\)|)(?(1) as (tinyint|smallint|int|bigint)\)|)")
_ZERO = re.compile(r"coalesce\((sum\(.*), ((?:cast\()*0(?:\.0+)?(?: as [\w(),]+\))*)\)")
_EQUAL = re.compile(r"\((.*?) (=|<=>) (.*)\)")
_MEMBER = re.compile(r"\(?(.*) IN \(list#\d+ \[[^\]]*\]\)\)?")
_SORTED = re.compile(r" (?:ASC|DESC) NULLS (?:FIRST|LAST)$")
_DAY = re.compile(r"cast\(((?:now|today|tomorrow|yesterday)(?: [^()]*)?) as (date|timestamp\w*)\)")
# the text prints a function as the author wrote it, a session's plan by its own name
_OWN_NAMES = {
    "first_value": "first",
    "last_value": "last",
    "mean": "avg",
    "std": "stddev_samp",
    "stddev": "stddev_samp",
    "variance": "var_samp",
    "some": "bool_or",
    "any": "bool_or",
    "every": "bool_and",
    "ucase": "upper",
    "lcase": "lower",
    "dayofmonth": "day",
    "sha": "sha1",
    "char_length": "length",
    "character_length": "length",
    "len": "length",
    "date_part": "extract",
    "datepart": "extract",
}
# what Spark prints behind the arguments of a function that is none in SQL: the time zone; that no format and no letter to trim is given
_ZONE, _NONE = r"Some\([\w/:+-]+\)", "None"
_BEHIND: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("date_trunc", "date_format", "hour", "minute"), (_ZONE,)),
    **dict.fromkeys(("trim", "ltrim", "rtrim"), (_NONE,)),
    "to_date": (_NONE, _ZONE, "true|false"),
}
_PARENTHESIS = re.compile(r"[()]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LEAVES = frozenset(
    ["Relation", "LocalRelation", "OneRowRelation", "Range", "LogicalRDD", "View", "RelationV2", "HiveTableRelation"]
)


HEADING = "== Analyzed Logical Plan ==\n"


@dataclass(slots=True)
class _Line:
    """A line of the printed plan, while its inputs are being read."""

    number: int
    depth: int
    kind: str
    text: str
    children: list[int] = field(default_factory=list)
    subplans: list[int] = field(default_factory=list)


def plan_of_text(printed: str, texts_are_safe: bool = True) -> Plan | None:
    """Read the analyzed plan out of what `explain extended` prints; none where a line cannot be read.

    Args:
        printed: the plan
        texts_are_safe: whether no text in the SQL can be taken for several; else calls with a text are not told
    """
    text = printed.partition(HEADING)[2].partition("\n== Optimized Logical Plan ==")[0]
    header, _, tree = text.partition("\n")
    lines = _lines(tree)
    if not lines:
        return None
    nodes: dict[int, Node] = {}
    for line in reversed(lines):
        nodes[line.number] = _node(line, nodes)
    if not texts_are_safe:
        nodes[0] = without_texts(nodes[0])
    return Plan(nodes[0], columns_of_header(header))


def without_texts(root: Node) -> Node:
    """Return a plan in which a call of any number of arguments is not told where a text is among them: it may be a part of one."""
    done: dict[int, Node] = {}
    for node in reversed([node for node, _ in root.walk()]):
        done[node.number] = replace(
            node,
            outputs=tuple(map(_without_text, node.outputs)),
            groups=tuple(map(_without_text, node.groups)),
            conditions=tuple(map(_without_text, node.conditions)),
            subplans=tuple(done[below.number] for below in node.subplans),
            children=tuple(done[below.number] for below in node.children),
        )
    return done[root.number]


def _without_text(expression: Expression) -> Expression:
    match expression:
        case Alias() | Cast():
            return replace(expression, value=_without_text(expression.value))
        case Call():
            texts = [one.text for one in expression.arguments if isinstance(one, Literal)]
            if expression.name in OF_MANY and not all(map(_NUMBER.fullmatch, texts)):
                return Other(str(expression))
            return replace(expression, arguments=tuple(map(_without_text, expression.arguments)))
    return expression


def columns_of_header(header: str) -> tuple[tuple[str, str], ...]:
    """Split the result's columns, printed above the plan.

    >>> columns_of_header("id: int, amount: decimal(12,2)")
    (('id', 'int'), ('amount', 'decimal(12,2)'))
    """
    parts: list[str] = []
    for part in header.split(", "):
        if ": " in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f", {part}"
    return tuple((name, type_) for name, _, type_ in (part.rpartition(": ") for part in parts))


def _lines(plan: str) -> list[_Line] | None:
    """Read the lines, three characters a level: inputs one level deeper, subqueries two and before the inputs."""
    path: list[_Line] = []
    lines: list[_Line] = []
    for line in plan.split("\n"):
        if not line.strip():
            continue
        parts = _LINE.fullmatch(line.rstrip())
        if not parts:
            return None
        read = _Line(len(lines), len(parts[1]) // 3, parts[2], parts[3] or "")
        while path and path[-1].depth >= read.depth:
            path.pop()
        if path and read.depth - path[-1].depth <= 2:
            (path[-1].children if read.depth == path[-1].depth + 1 else path[-1].subplans).append(read.number)
        elif lines:
            return None
        path.append(read)
        lines.append(read)
    return lines


def _node(line: _Line, nodes: dict[int, Node]) -> Node:
    parts = _parts(line.kind, line.text)
    return Node(
        kind=line.kind,
        number=line.number,
        variant=parts.variant,
        outputs=tuple(map(output, parts.outputs)),
        groups=tuple(map(expression, parts.groups)),
        order=tuple(expression(_SORTED.sub("", item)) for item in parts.order),
        conditions=tuple(map(_condition, conjuncts(parts.condition))) if parts.condition else (),
        uses=_uses(line.text),
        subplans=tuple(nodes[number] for number in line.subplans),
        children=tuple(nodes[number] for number in line.children),
    )


@dataclass(slots=True)
class _Parts:
    """The texts of an operator's parts."""

    variant: str = ""
    outputs: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    condition: str = ""


def _parts(kind: str, text: str) -> _Parts:
    """Take an operator's text apart, as its kind prints it."""
    lists = bracketed(text)
    first = lists[0] if lists else []
    if kind in _LEAVES:
        return _Parts(variant=text.split("[")[0].strip(), outputs=first)
    match kind:
        case "SubqueryAlias":
            return _Parts(variant=text)
        case "Filter":
            return _Parts(condition=text)
        case "Join":
            return _Parts(variant=text.split(",")[0].strip(), condition=text.partition(", ")[2])
        case "Project":
            return _Parts(outputs=first)
        case "Aggregate":
            return _Parts(groups=first if len(lists) > 1 else [], outputs=lists[-1] if lists else [])
        case "Window":
            second = lists[1] if len(lists) > 1 else []
            groups = [item for item in second if not _SORTED.search(item)]
            rest = [item for item in second if _SORTED.search(item)]
            return _Parts(outputs=first, groups=groups, order=rest + [item for items in lists[2:] for item in items])
        case "Sort":
            return _Parts(order=first)
        case "Generate":
            return _Parts(outputs=lists[-1] if lists else [])
        case "CTERelationDef" | "CTERelationRef":
            return _Parts(variant=text.split(",")[0], outputs=first)
    return _Parts()


def bracketed(text: str) -> list[list[str]]:
    """Return the bracketed lists of an operator's text, each as its items.

    >>> bracketed("[a#1, f(b#2, c#3) AS d#4], [e#5]")
    [['a#1', 'f(b#2, c#3) AS d#4'], ['e#5']]
    """
    lists: list[list[str]] = []
    depth, item = 0, ""
    for token in re.split(r"([\[\](),])", text):
        if token in ("[", "("):
            depth += 1
            if depth == 1 and token == "[":
                lists.append([])
                item = ""
            else:
                item += token
        elif token in ("]", ")") and depth == 1:
            depth = 0
            if token == "]" and lists:
                lists[-1].append(item.strip())
            item = ""
        elif token == "," and depth == 1 and lists:
            lists[-1].append(item.strip())
            item = ""
        else:
            depth -= token in ("]", ")")
            item += token
    return lists


def conjuncts(condition: str) -> list[str]:
    """Return the conditions that AND holds together.

    >>> sorted(conjuncts("(((a#1 = b#2) AND (c#3 > 4)) AND d#5)"))
    ['(a#1 = b#2)', '(c#3 > 4)', 'd#5']
    """
    found = []
    waiting = [condition.strip()]
    while waiting:
        text = waiting.pop()
        depth = lowest = 0
        item = ""
        items = []
        for token in re.split(r"([()]| AND )", text[1:-1]):
            depth += (token == "(") - (token == ")")
            lowest = min(lowest, depth)
            if token == " AND " and depth == 0:
                items.append(item)
                item = ""
            else:
                item += token
        if items and depth == 0 and lowest == 0 and text.startswith("(") and text.endswith(")"):
            waiting.extend([*items, item])
        else:
            found.append(text)
    return found


def output(item: str) -> Expression:
    """Read one of an operator's columns: `a#1`, `f(b#2) AS c#3L`."""
    found = re.search(r"#(\d+)L?$", item)
    id_ = found[1] if found else None
    named, has_alias, name = item.rpartition(" AS ")
    if "windowspecdefinition(" in item:
        is_by_rows = (
            "specifiedwindowframe(RowFrame" in item and "unboundedpreceding$(), unboundedfollowing$()" not in item
        )
        return Alias(Windowed(_own_name(item.split("(")[0]), is_by_rows, named), id_, name.rpartition("#")[0])
    if has_alias:
        return Alias(expression(named), id_, name.rpartition("#")[0])
    read = expression(item)
    if id_ is not None and not isinstance(read, Column):
        return Alias(read, id_, item.rpartition("#")[0])
    return read


def expression(text: str) -> Expression:
    """Read an expression as far as its text tells for sure.

    >>> expression("sum(cast(a#1 as bigint))")
    Call(name='sum', arguments=(Cast(value=Column(id='1', name='a', is_outer=False, type=None), type='bigint'),), is_distinct=False, filter=None)
    >>> expression("(a#1 + 2)")
    Other(text='(a#1 + 2)')
    """
    text = text.strip()
    found = _COLUMN.fullmatch(text)
    if found:
        column = Column(found[4], found[3], bool(found[2]), "bigint" if found[5] else None)
        return Cast(column, found[6]) if found[1] else column
    zero = _ZERO.fullmatch(text)
    if zero:
        total = _call(zero[1])
        return Call("coalesce", (total, _cast(zero[2]))) if total else Other(text)
    if text.startswith("cast("):
        return _cast(text)
    if "(" not in text and "#" not in text:
        return Literal(text)
    return _call(text) or Other(text)


def _cast(text: str) -> Expression:
    found = re.fullmatch(r"cast\((.*) as ([\w(),]+)\)", text)
    if found:
        return Cast(_cast(found[1]) if found[1].startswith("cast(") else expression(found[1]), found[2])
    return Other(text) if "(" in text or "#" in text else Literal(text)


def _call(text: str) -> Call | None:
    """Read a call that the whole text is, with its filter; none where it is anything else."""
    start = re.match(r"(\w+)\(", text)
    if not start:
        return None
    depth, inside, rest = 1, "", ""
    for token in re.split(r"([()])", text[start.end() :]):
        if depth == 0:
            rest += token
        else:
            depth += (token == "(") - (token == ")")
            inside += token if depth else ""
    filtered = re.fullmatch(r"(?: FILTER \(WHERE (.*)\))?", rest)
    if depth or not filtered:
        return None
    is_distinct = inside.startswith("distinct ")
    inside = inside.removeprefix("distinct ")
    condition = None if filtered[1] is None else Other(filtered[1])
    name = _own_name(start[1])
    return Call(name, _arguments(name, inside), is_distinct, condition)


def _arguments(name: str, inside: str) -> tuple[Expression, ...]:
    """Split the arguments of a function; one that is not told apart from the next one for sure is `Other`, with it."""
    if not inside:
        return ()
    items = bracketed(f"[{inside}]")
    if len(items) != 1 or ", ".join(items[0]) != inside:
        return (Other(inside),)
    found = items[0]
    behind = _BEHIND.get(name, ())
    if behind and len(found) > len(behind) and all(map(re.fullmatch, behind, found[-len(behind) :])):
        found = found[: -len(behind)]
    return tuple(map(expression, found))


def _own_name(name: str) -> str:
    return _OWN_NAMES.get(name.lower(), name.lower())


def _condition(text: str) -> Expression:
    sides = _EQUAL.fullmatch(text)
    if sides:
        return Call(sides[2], (expression(sides[1]), expression(sides[3])))
    found = _MEMBER.fullmatch(text)
    return Membership(expression(found[1])) if found else Other(text)


def _uses(text: str) -> tuple[Use, ...]:
    """Find the functions in an operator's text, and the casts of a word that Spark takes for a day."""
    uses = []
    for found in re.finditer(r"(?<![\w.`])(\w+)\(", text):
        arguments = tuple(map(expression, _behind(text, found.end())))
        uses.append(Use(Call(_own_name(found[1]), arguments), _around(text, found.start())))
    casts = [Use(Cast(Literal(found[1]), found[2])) for found in _DAY.finditer(text)]
    return (*uses, *casts)


def _around(text: str, start: int) -> str:
    """Return the function whose first argument begins at a place; empty where none does. Only what is near is looked at: texts are long."""
    end = begin = start - 1
    if not text.startswith("(", max(end, 0)):
        return ""
    while begin > 0 and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
        begin -= 1
    return text[begin:end]


def _behind(text: str, start: int) -> list[str]:
    """Return the arguments of a function from behind its opening parenthesis."""
    depth, end = 1, len(text)
    for token in _PARENTHESIS.finditer(text, start):
        depth += 1 if token[0] == "(" else -1
        if depth == 0:
            end = token.start()
            break
    return (bracketed(f"[{text[start:end]}]") or [[]])[0]
