"""The findings on a model's analyzed plan, and the JSON in which `ops.model_verdict` keeps them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from entrepot.analysis.from_session import AnalyzedPlan, plan_of_session
from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.functions import words_for
from entrepot.analysis.grouping import Aggregate, aggregate_rule
from entrepot.analysis.operators import SUBQUERY, operator_of
from entrepot.analysis.plan import Node, Plan
from entrepot.analysis.refusal import REFUSALS, Place
from entrepot.analysis.rows import UNTOLD_TEXT, Bridge, Measure, Occurrence, Rows
from entrepot.analysis.trace import trace
from entrepot.analysis.value import Trace, value_as_json, value_of_json
from entrepot.sql import MASK, has_text_like_a_plan, is_name, moment_literal, texts_are_safe

UNREADABLE = "plan text that the analyzer cannot read"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a model's analyzed plan allows.

    Attributes:
        join: what rule `join` is wrong for, in words; none where it is right
        aggregate: what rule `aggregate` needs to know; none where it is not right
        scopes: per column of the result the mentions that it follows, with the upstream's column or an expression over its columns:
            rows of the result with one value need no rows of the mention with another. A mention is an occurrence's number, followed by `/…` in a CTE
        stems: per column of the result the mention that it is a column of, or computed from columns of, row by row
        bridges: which rows of one mention a change of another concerns
        mentions: every mention of an upstream in the plan
        columns: the names of the result's columns, in their order
        types: their types
        has_with: whether there is a WITH clause
        unknown: an operator that the analysis does not know; none where it knows all
        refused: why the SELECT has no one right result, in words; none where it has
        untold: what depends on an order in which rows may be equal, in words; none where nothing does
        unvouched: a function that is not Spark's own, in words; none where there is none, as far as the plan tells
    """

    join: str | None
    aggregate: Aggregate | None = None
    scopes: Mapping[str, Trace] = field(default_factory=dict)
    stems: Mapping[str, str] = field(default_factory=dict)
    bridges: tuple[Bridge, ...] = ()
    mentions: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    has_with: bool = False
    unknown: str | None = None
    refused: str | None = None
    untold: str | None = None
    unvouched: str | None = None

    @staticmethod
    def nothing(reason: str) -> Findings:
        """Return the findings where nothing can be said, for a reason in words."""
        return Findings(join=reason, unknown=reason)

    def to_json(self) -> str:
        """Write the findings as `ops.model_verdict` keeps them."""
        return json.dumps(_as_json(self))

    @staticmethod
    def from_json(text: str) -> Findings | None:
        """Read findings from `ops.model_verdict`; none where the text has none, as of a model whose rule is configured."""
        stored = json.loads(text)
        return _from_json(stored) if "join" in stored else None


def findings_of(plan: Plan | None, code: str, occurrences: Sequence[Occurrence]) -> Findings:
    """Return what a plan allows; an operator that is not known makes everything but a full computation wrong.

    Args:
        plan: the analyzed plan, in which every occurrence of an upstream has the alias `_occurrence_<number>`; none where it cannot be read
        code: the SQL without comments and texts
        occurrences: the namings of upstreams, by their numbers
    """
    if plan is None:
        return Findings.nothing(UNREADABLE)
    traced = trace(plan.root, occurrences)
    read = code if plan.is_deterministic is None else None
    refused, untold, unvouched = (
        _refused(plan.root, traced.results, read, word) for word in (None, "total_order", "deterministic")
    )
    if not refused and plan.is_deterministic is False:
        refused = "a function that Spark calls not deterministic"
    for name, type_ in plan.columns:
        if re.search("map<|variant", type_):
            nothing = Findings.nothing(f"column {name} of type {type_}, which cannot be compared")
            return replace(nothing, refused=refused, untold=untold, unvouched=unvouched)
    root = traced.root
    names = _names(plan.columns, root) if root else {}
    return Findings(
        join=_join_limit(plan.root),
        aggregate=aggregate_rule(plan.columns, root) if root else None,
        scopes={name: root.trace[id_] for id_, name in names.items() if root.trace.get(id_)} if root else {},
        stems=_stems(names, root) if root else {},
        bridges=_widest_bridges(traced.results) if root else (),
        mentions=root.leaves if root else (),
        columns=tuple(name for name, _ in plan.columns),
        types=tuple(type_ for _, type_ in plan.columns),
        has_with=any(node.kind == "WithCTE" for node, _ in plan.root.walk()),
        unknown=traced.obstacle,
        refused=refused,
        untold=untold,
        unvouched=unvouched,
    )


def findings_by_text(
    printed: str,
    sql: str,
    code: str,
    occurrences: Sequence[Occurrence],
    explained: str | None = None,
    of_others: str | None = None,
) -> Findings:
    """Return the findings on a model where there is no session to ask.

    Args:
        printed: what `explain extended` prints, with `spark.sql.debug.maxToStringFields` at 100 000
        sql: the model's SQL
        code: the SQL without comments and texts
        occurrences: the namings of upstreams, by their numbers
        explained: the SQL whose plan is printed: the model's, or that `with_texts_masked`
        of_others: the name of a function in it that is not Spark's own, which the text of a plan does not tell (`unknown_functions`)
    """
    explained = sql if explained is None else explained
    if has_text_like_a_plan(explained):
        return Findings.nothing(UNTOLD_TEXT.words)
    plan = plan_of_text(printed, texts_are_safe(explained))
    if plan is None or (explained != sql and any(MASK in word for column in plan.columns for word in column)):
        return _with_day(Findings.nothing(UNREADABLE if plan is None else UNTOLD_TEXT.words), sql)
    found = findings_of(plan, code, occurrences)
    return _with_day(replace(found, unvouched=words_for(of_others)) if of_others else found, sql)


def findings_by_session(analyzed: AnalyzedPlan, sql: str, code: str, occurrences: Sequence[Occurrence]) -> Findings:
    """Return the findings on a model by a session's plan.

    Args:
        analyzed: the plan (`analyzed_plan`)
        sql: the model's SQL
        code: the SQL without comments and texts
        occurrences: the namings of upstreams, by their numbers
    """
    return _with_day(findings_of(plan_of_session(analyzed), code, occurrences), sql)


def _with_day(findings: Findings, sql: str) -> Findings:
    """Return findings that refuse literals of the moment: plans show the day that it is."""
    moment = moment_literal(sql)
    if findings.refused or moment is None:
        return findings
    return replace(findings, refused=f"{moment}, which is another day each time")


def _refused(root: Node, results: Mapping[int, Rows], code: str | None, word: str | None) -> str | None:
    """Return the words of the first refusal that finds something, of those that a setting of the author's overrules; or none does."""
    places = [Place(node, above, results, code) for node, above in root.walk()]
    for refusal in REFUSALS:
        for place in places if refusal.word == word else ():
            if refusal.is_everywhere or refusal in operator_of(place.node).refuses:
                words = refusal.find(place)
                if words:
                    return words
    return None


def _join_limit(root: Node) -> str | None:
    """Return what rule `join` is wrong for: it looks at one row at a time, so nothing may group, rank, limit or miss rows."""
    for node, _ in root.walk():
        words = operator_of(node).not_join
        if node.subplans and node.kind != "LateralJoin":
            return SUBQUERY
        if words:
            return words
    return None


def _names(columns: Sequence[tuple[str, str]], root: Rows) -> dict[str, str]:
    """Return the names of the result's columns that scopes can be cut by, by their ids: maps and the like cannot be compared."""
    names: dict[str, str] = {}
    if len(columns) == len(root.out):
        for (name, type_), id_ in zip(columns, root.out, strict=True):
            if id_ and is_name(name) and not re.search("map<|variant|collate|interval", type_):
                names.setdefault(id_, name)
    return names


def _stems(names: Mapping[str, str], root: Rows) -> dict[str, str]:
    stems = {}
    for id_, name in names.items():
        mention, column = root.origin.get(id_, (None, None))
        if mention is not None and root.trace.get(id_, {}).get(mention) == column:
            stems[name] = mention
    return stems


def _widest_bridges(results: Mapping[int, Rows]) -> tuple[Bridge, ...]:
    """Return, of all bridges between two mentions, the one over most columns."""
    widest: dict[tuple[str, str], Bridge] = {}
    for rows in results.values():
        for ends, bridge in rows.bridges.items():
            if ends not in widest or len(widest[ends].columns) < len(bridge.columns):
                widest[ends] = bridge
    return tuple(widest.values())


def _as_json(findings: Findings) -> dict[str, Any]:
    aggregate = findings.aggregate
    return {
        "join": findings.join,
        "aggregate": aggregate
        and {
            "groups": list(aggregate.groups),
            "is_whole": aggregate.is_whole,
            "measures": {name: _measure_as_json(measure) for name, measure in aggregate.measures.items()},
        },
        "scopes": {
            name: {mention: value_as_json(value) for mention, value in trace.items()}
            for name, trace in findings.scopes.items()
        },
        "stems": dict(findings.stems),
        "bridges": [[[bridge.source, bridge.target], dict(bridge.columns)] for bridge in findings.bridges],
        "mentions": list(findings.mentions),
        "columns": list(findings.columns),
        "types": list(findings.types),
        "has_with": findings.has_with,
        "unknown": findings.unknown,
        "refused": findings.refused,
        "untold": findings.untold,
        "unvouched": findings.unvouched,
    }


def _measure_as_json(measure: Measure) -> dict[str, str | None]:
    found: dict[str, str | None] = {"function": measure.function, "of": measure.of, "type": measure.type}
    return found | ({"sum": measure.sum, "count": measure.count} if measure.function == "avg" else {})


def _from_json(stored: Mapping[str, Any]) -> Findings:
    aggregate = stored.get("aggregate")
    return Findings(
        join=stored["join"],
        aggregate=aggregate
        and Aggregate(
            tuple(aggregate["groups"]),
            aggregate["is_whole"],
            {name: Measure(**measure) for name, measure in aggregate["measures"].items()},
        ),
        scopes={
            name: {mention: value_of_json(value) for mention, value in trace.items()}
            for name, trace in stored["scopes"].items()
        },
        stems=stored["stems"],
        bridges=tuple(Bridge(source, target, columns) for (source, target), columns in stored["bridges"]),
        mentions=tuple(stored["mentions"]),
        columns=tuple(stored.get("columns", ())),
        types=tuple(stored.get("types", ())),
        has_with=stored.get("has_with", False),
        unknown=stored.get("unknown"),
        refused=stored.get("refused"),
        untold=stored.get("untold"),
        unvouched=stored.get("unvouched"),
    )
