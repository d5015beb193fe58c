"""By which columns a change of an upstream cuts a model's result into scopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from entrepot.analysis.rows import Bridge
from entrepot.analysis.value import Value
from entrepot.analysis.verdict import Settings, Verdict


@dataclass(frozen=True, slots=True)
class Cut:
    """How a change of a mention of an upstream cuts the result.

    Attributes:
        columns: columns of the result
        mention: the mention that they follow: the changed one, or one that bridges lead to
        path: these bridges, in their order
    """

    columns: tuple[str, ...]
    mention: str
    path: tuple[Bridge, ...] = ()


def scope_cut(settings: Settings, verdict: Verdict, mention: str) -> Cut | None:
    """Return how a change of a mention cuts the result; none where no column follows it.

    The columns are the configured ones; else those of the model's key that follow the mention, and per other occurrence that they
    leave whole one more that follows both.
    """
    candidates = [column for column, trace in verdict.scopes.items() if mention in trace]
    if verdict.scope_key is not None:
        return Cut(verdict.scope_key, mention) if len(candidates) == len(verdict.scope_key) else None
    if candidates:
        return Cut(_scope_columns(settings, verdict, mention, candidates), mention)
    waiting: list[tuple[str, tuple[Bridge, ...]]] = [(mention, ())]
    seen = {mention}
    while waiting:
        here, path = waiting.pop(0)
        for bridge in verdict.bridges:
            if bridge.source != here or bridge.target in seen:
                continue
            seen.add(bridge.target)
            stems = [column for column, stem in verdict.stems.items() if stem == bridge.target]
            if stems:
                return Cut(_scope_columns(settings, verdict, bridge.target, stems), bridge.target, (*path, bridge))
            waiting.append((bridge.target, (*path, bridge)))
    return None


def scope_follows(verdict: Verdict, columns: Iterable[str], occurrence: str) -> Mapping[str, Value]:
    """Return those columns of the result, with what they follow there, that follow every mention of an occurrence in the same way.

    Empty where none does, or where its mentions differ.
    """
    names = list(columns)
    ways: list[Mapping[str, Value]] = []
    for mention in verdict.mentions:
        if mention.split("/")[0] == occurrence:
            traces = {name: verdict.scopes.get(name, {}) for name in names}
            way = {name: trace[mention] for name, trace in traces.items() if mention in trace}
            if way not in ways:
                ways.append(way)
    return ways[0] if len(ways) == 1 else {}


def mentions_of(verdict: Verdict, relation: str) -> list[str]:
    """Return the mentions of a relation in the plan: its occurrences, or one per use of the CTE that an occurrence stands in."""
    numbers = {occurrence.number for occurrence in verdict.occurrences if occurrence.relation == relation}
    return [mention for mention in verdict.mentions if mention.split("/")[0] in numbers]


def _scope_columns(settings: Settings, verdict: Verdict, mention: str, candidates: Sequence[str]) -> tuple[str, ...]:
    key = {column.lower() for column in settings.unique_key}
    columns = [column for column in candidates if column.lower() in key]
    for other in verdict.occurrences:
        if other.number == mention or scope_follows(verdict, columns, other.number):
            continue
        found = next((column for column in candidates if scope_follows(verdict, [column], other.number)), None)
        if found is not None and found not in columns:
            columns.append(found)
    plain = [column for column in candidates if isinstance(verdict.scopes[column].get(mention), str)]
    return tuple(columns or plain or candidates)


def check_strict(settings: Settings, verdict: Verdict) -> None:
    """Raise where a model is strict and a change of an upstream could only be followed by computing everything again."""
    if not settings.strict:
        return
    example = "a column of the upstream in the result; config(scope={…}); or config(strict=false)"
    if verdict.rule == "full":
        given = f"is strict and would be computed in full ({verdict.reason})"
        raise settings.error(given, "strict models are maintained by rule join, aggregate or scope", example)
    for mention in verdict.mentions if verdict.rule == "scope" else ():
        if scope_cut(settings, verdict, mention) is None:
            given = f"is strict and would be computed in full when {verdict.occurrence_of(mention).upstream} changes"
            raise settings.error(given, "strict models have a column that follows every upstream", example)
