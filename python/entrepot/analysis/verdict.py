"""Which rule maintains a model, from its settings and the findings on its plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from entrepot.analysis.findings import Findings
from entrepot.analysis.grouping import Aggregate
from entrepot.analysis.refusal import FOREIGN_HINT, ORDER_HINT, RESULT_HINT, RESULT_WAY
from entrepot.analysis.rows import Bridge, Occurrence
from entrepot.analysis.value import Trace
from entrepot.errors import ModelError

Rule = Literal["join", "aggregate", "scope", "full"]
ANALYSIS_VERSION = "11"
_CANNOT = "which rule join cannot take apart"
# columns that the statements which maintain a model have beside its own: in every rule, and in rule aggregate
_TAKEN = frozenset({"_comes", "_goes", "_is_stored", "_old", "_upsert"})
_TAKEN_BY_AGGREGATE = frozenset({"_fate", "_sign", "_stored", "_sure"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a model's configuration says about how it is maintained.

    Attributes:
        model: the model's name, for errors
        unique_key: the model's key columns
        rule: the rule that `delta_rule` forces; none where the analysis is to choose
        scope: {upstream: its columns}, config `scope`
        scope_key: the model's columns that correspond to them
        strict: whether rule full is refused, and with it what has no one right result
        total_order: whether every order by is known to tell all rows apart
        deterministic: whether functions that are not Spark's own are known to give the same for the same values
    """

    model: str
    unique_key: tuple[str, ...] = ()
    rule: Rule | None = None
    scope: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scope_key: tuple[str, ...] = ()
    strict: bool = False
    total_order: bool = False
    deterministic: bool = False

    def error(self, given: str, accepted: str, example: str) -> ModelError:
        """Return an error about the model in three parts: what was given, what is accepted, how to go on."""
        return ModelError(self.model, given, accepted, example)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which rule maintains a model, and what the rule needs to know.

    Attributes:
        rule: the configured one, else the cheapest that is right
        reason: why, in words
        occurrences: every naming of an upstream in the SQL
        mentions: their numbers, followed by `/…` in a CTE
        scopes: per column of the result the mentions that it follows, with the upstream's column or an expression over its columns
        stems: per column of the result the mention that it is a column of, or computed from columns of, row by row
        bridges: which rows of one mention a change of another concerns
        aggregate: what rule `aggregate` needs to know
        columns: the names of the result's columns, in their order, where the plan was needed
        types: their types
        scope_key: the columns to cut by; none where each change takes those that suit it
        warning: what the author is told where the SELECT has no one right result; none where it has, as far as is known
    """

    rule: Rule
    reason: str
    occurrences: tuple[Occurrence, ...] = ()
    mentions: tuple[str, ...] = ()
    scopes: Mapping[str, Trace] = field(default_factory=dict)
    stems: Mapping[str, str] = field(default_factory=dict)
    bridges: tuple[Bridge, ...] = ()
    aggregate: Aggregate | None = None
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    scope_key: tuple[str, ...] | None = None
    warning: str | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether the same rows give the same result each time. What is not fixed is evaluated once and written as it is."""
        return self.warning is None

    def occurrence_of(self, mention: str) -> Occurrence:
        """Return the occurrence that a mention is of."""
        number = mention.split("/")[0]
        return next(occurrence for occurrence in self.occurrences if occurrence.number == number)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why the same rows need not give the same result.

    Attributes:
        uses: what the SELECT uses, in words
        accepted: what a strict model needs
        hint: how a strict model goes on
        way: how the model becomes incremental
    """

    uses: str
    accepted: str
    hint: str
    way: str

    def warning(self, model: str) -> str:
        """Say what is done with a model, what would make it incremental, and how to say that it is meant."""
        return (
            f"Model {model} uses {self.uses}. It is computed in full in each job in which an upstream has changed. "
            f"To make it incremental: {self.way}. To keep it as it is without this warning: config(delta_rule='full'). "
            "See docs/delta-rules.md."
        )


def configured_verdict(settings: Settings, occurrences: Sequence[Occurrence]) -> Verdict | None:
    """Return the verdict where the configuration says all; none where the plan is needed."""
    if settings.rule == "full":
        return Verdict("full", "delta_rule is full", tuple(occurrences))
    if not settings.scope or settings.rule in ("join", "aggregate"):
        return None
    names = list(dict.fromkeys(occurrence.upstream for occurrence in occurrences))
    for name in settings.scope:
        if name not in names:
            first = names[0] if names else "orders"
            accepted = f"tables that the model reads are accepted: {', '.join(names)}"
            raise settings.error(f"has scope {name}", accepted, f"config(scope={{'{first}': […]}})")
    scopes = {
        key: {
            occurrence.number: settings.scope[occurrence.upstream][position]
            for occurrence in occurrences
            if occurrence.upstream in settings.scope
        }
        for position, key in enumerate(settings.scope_key)
    }
    numbers = tuple(occurrence.number for occurrence in occurrences)
    return Verdict(
        "scope", "scope is configured", tuple(occurrences), numbers, scopes, scope_key=settings.scope_key
    )  # fmt: skip


def verdict_of(
    settings: Settings, occurrences: Sequence[Occurrence], findings: Findings, branches: int | None
) -> Verdict:
    """Return which rule maintains a model.

    Args:
        settings: the model's configuration
        occurrences: every naming of an upstream in the SQL
        findings: what the plan says
        branches: how many SELECTs the text's outermost UNION ALL has; none where it cannot be taken apart

    Raises:
        ModelError: where the unique key or the configured rule is wrong for the SELECT, or a strict model has no one right result
    """
    check_key(settings, findings)
    check_names(settings, findings)
    in_text = text_obstacle(branches, occurrences, findings)
    obstacle = f"uses {findings.join}" if findings.join else in_text
    refuse(settings, findings, in_text)

    def verdict(rule: Rule, reason: str) -> Verdict:
        return Verdict(
            rule,
            reason,
            tuple(occurrences),
            findings.mentions,
            findings.scopes,
            findings.stems,
            findings.bridges,
            findings.aggregate,
            findings.columns,
            findings.types,
        )

    doubt = doubt_of(settings, findings)
    if doubt:
        return replace(verdict("full", f"uses {doubt.uses}"), warning=doubt.warning(settings.model))
    if settings.rule in (None, "join") and not obstacle:
        return verdict("join", "select, where, inner join, union all")
    if settings.rule != "scope" and findings.aggregate and not in_text:
        return verdict("aggregate", "group by with count, sum, min, max, avg")
    if findings.scopes:
        return verdict("scope", obstacle or "delta_rule is scope")
    unknown = (
        f"{findings.unknown} cannot be followed"
        if findings.unknown
        else "no column of the result is one of an upstream"
    )
    return verdict("full", f"{obstacle}, and {unknown}")


def text_obstacle(branches: int | None, occurrences: Iterable[Occurrence], findings: Findings) -> str | None:
    """Return why the SQL cannot be taken apart occurrence by occurrence, in words; none where it can.

    An upstream has to be read once for each time that it is named, because its changes stand for one occurrence (a CTE may be read
    twice, or never), and branches of a union cannot share a WITH clause.
    """
    if branches is None:
        return f"a set operator inside a subquery or under a sort, {_CANNOT}"
    if findings.has_with and branches > 1:
        return f"a WITH clause over a union, {_CANNOT}"
    read = [mention.split("/")[0] for mention in findings.mentions]
    for occurrence in occurrences:
        if read.count(occurrence.number) != 1:
            return f"a CTE over {occurrence.upstream} that is not read exactly once, {_CANNOT}"
    return None


def doubt_of(settings: Settings, findings: Findings) -> Doubt | None:
    """Return why the same rows need not give the same result; none where they do, or where the author has said what is to be done."""
    one_result = "a model is a SELECT with one right result"
    if settings.rule:
        return None
    if findings.refused:
        return Doubt(findings.refused, one_result, RESULT_HINT, RESULT_WAY)
    if findings.unvouched and not settings.deterministic:
        return Doubt(findings.unvouched, one_result, FOREIGN_HINT, FOREIGN_HINT)
    if findings.untold and not settings.total_order:
        return Doubt(findings.untold, "the order has to tell all rows apart", ORDER_HINT, ORDER_HINT)
    return None


def check_key(settings: Settings, findings: Findings) -> None:
    """Raise where a column of the unique key is none of the SELECT's; where the plan does not tell its columns, Spark will say so."""
    given = {column.lower() for column in findings.columns}
    missing = [column for column in settings.unique_key if column.strip("`").lower() not in given]
    if given and missing:
        raise settings.error(
            f"has unique_key {', '.join(settings.unique_key)}, but no column {', '.join(missing)}",
            f"columns of its SELECT are accepted: {', '.join(findings.columns)}",
            f"config(unique_key='{findings.columns[0]}')",
        )


def check_names(settings: Settings, findings: Findings) -> None:
    """Raise where a column of the SELECT has a name that the statements give to one of their own: the model would be built once, and never again."""
    taken = _TAKEN | (_TAKEN_BY_AGGREGATE if findings.aggregate else frozenset())
    found = [column for column in findings.columns if column.lower() in taken]
    if found:
        raise settings.error(
            f"has a column {found[0]}",
            "the statements that maintain it have one of this name: another name is accepted",
            f"select … as {found[0].strip('_')}",
        )


def refuse(settings: Settings, findings: Findings, in_text: str | None) -> None:
    """Raise where the configured rule is wrong for the SELECT, or a strict model has no one right result.

    Args:
        settings: the model's configuration
        findings: what the plan says
        in_text: what is in the way of taking the SQL apart
    """
    fitting = "config() without delta_rule, which takes the rule that fits"
    rule = settings.rule
    doubt = doubt_of(settings, findings) if settings.strict else None
    if doubt:
        raise settings.error(f"uses {doubt.uses}", doubt.accepted, doubt.hint)
    if findings.join and rule == "join":
        accepted = "the rule is right for select, where, inner join and union all"
        raise settings.error(f"has delta_rule 'join' and uses {findings.join}", accepted, fitting)
    if rule == "aggregate" and (in_text or not findings.aggregate):
        raise settings.error(
            "has delta_rule 'aggregate'" + (f" and {in_text}" if in_text else ""),
            "the rule is right for one group by over select, where and inner join, with count, "
            "sum of integers and decimals, min, max, and avg beside sum and count of the same",
            fitting,
        )
    if rule == "scope" and not findings.scopes:
        unknown = f" ({findings.unknown})" if findings.unknown else ""
        raise settings.error(
            "has delta_rule 'scope' without scope",
            f"no column of the result could be followed to a column of an upstream{unknown}",
            "config(scope={'order_line': ['item_code']}, scope_key='item_code')",
        )


def analysis_checksum(body: str, keys: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the checksum of all that findings depend on but the columns of upstreams.

    Args:
        body: the model's SQL
        keys: per upstream its relation and unique key, in the order in which the SQL is searched for them
    """
    parts = [ANALYSIS_VERSION, *(f"{relation}={','.join(columns)}" for relation, columns in keys)]
    text = body + "\n" + "\n".join(parts)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
