"""What macros ask of the analysis of a model's plan, as methods of the adapter (see `entrepot.analysis`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.sql_methods import Relation, table_of
from entrepot.analysis import (
    Aggregate,
    Findings,
    Occurrence,
    Settings,
    Verdict,
    analysis_checksum,
    check_strict,
    configured_verdict,
    findings_by_session,
    findings_by_text,
    mentions_of,
    scope_cut,
    scope_follows,
    verdict_of,
)
from entrepot.sql import code_only, mark_mentions, union_branches

TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with the settings that it was given under."""

    settings: Settings
    verdict: Verdict


class Analysis(Asking):
    """Which rule maintains a model, and what follows what in it."""

    @for_macros
    def analysis_checksum(self, body: str, upstreams: Sequence[Mapping[str, Any]]) -> str:
        """The checksum of all that findings depend on but the columns of upstreams."""
        return analysis_checksum(body, [(str(one["relation"]), one["unique_key"]) for one in upstreams])

    @for_macros
    def analysis_verdict(
        self,
        model: str,
        settings: Mapping[str, Any],
        occurrences: Sequence[Mapping[str, Any]],
        body: str,
        stored: str | None,
    ) -> dict[str, Any]:
        """Which rule maintains a model, as the macros of the rules read it; `findings` are what is to be stored of it.

        Args:
            model: its name
            settings: what `delta_settings` gives
            occurrences: what `delta_verdict_occurrences` gives
            body: its SQL with views inlined
            stored: findings of an earlier job on the same text; none where there are none
        """
        judged = _settings(model, settings)
        named = [_occurrence(occurrence) for occurrence in occurrences]
        found: Findings | None = None
        verdict = configured_verdict(judged, named)
        if verdict is None:
            found = (Findings.from_json(stored) if stored else None) or self._analyzed(body, named, occurrences)
            branches = union_branches(body)
            verdict = verdict_of(judged, named, found, None if branches is None else len(branches))
        check_strict(judged, verdict)
        return _told(judged, verdict, occurrences) | {"findings": found.to_json() if found else "{}"}

    @for_macros
    def analysis_cut(self, verdict: Mapping[str, Any], mention: str) -> dict[str, Any] | None:
        """How a change of a mention cuts the result: `columns`, `mention` and `path`; none where no column follows it."""
        judged: Judged = verdict["judged"]
        cut = scope_cut(judged.settings, judged.verdict, mention)
        if cut is None:
            return None
        path = [[[bridge.source, bridge.target], dict(bridge.columns)] for bridge in cut.path]
        return {"columns": list(cut.columns), "mention": cut.mention, "path": path}

    @for_macros
    def analysis_follows(self, verdict: Mapping[str, Any], columns: Sequence[str], occurrence: str) -> dict[str, str]:
        """Those of the result's columns, with the upstream's, that follow every mention of an occurrence in the same way."""
        judged: Judged = verdict["judged"]
        return dict(scope_follows(judged.verdict, columns, occurrence))

    @for_macros
    def analysis_mentions_of(self, verdict: Mapping[str, Any], relation: Relation) -> list[str]:
        """The mentions of a relation in the plan."""
        judged: Judged = verdict["judged"]
        return mentions_of(judged.verdict, str(relation))

    def _analyzed(self, body: str, named: Sequence[Occurrence], occurrences: Sequence[Mapping[str, Any]]) -> Findings:
        """Return the findings on Spark's plan, in which every occurrence of an upstream has an alias that the plan repeats."""
        relations = {str(one["relation"]): one["upstream"]["relation"] for one in occurrences}
        columns = {name: self._columns(relation) for name, relation in relations.items()}
        known = [replace(one, columns=columns[one.relation]) for one in named]
        marked = mark_mentions(body, [table_of(relation) for relation in relations.values()])
        if self.is_embedded():
            analyzed = self.handle.analyzed(marked)
            return findings_by_session(analyzed, body, code_only(body), known)
        printed = self.ask(f"explain extended\n{marked}")[0]["plan"]
        return findings_by_text(printed, body, code_only(body), known)

    def _columns(self, relation: Any) -> dict[str, str]:
        """Return the columns of a relation, {name: type in Spark's words}."""
        if self.is_embedded():
            found: dict[str, str] = self.handle.columns(str(relation))
            return found
        columns = self.get_columns_in_relation(relation)
        return {column.name: TYPES.get(column.dtype, column.dtype) for column in columns}


def _settings(model: str, given: Mapping[str, Any]) -> Settings:
    return Settings(
        model,
        tuple(given["unique_key"]),
        given.get("rule"),
        given.get("scope") or {},
        tuple(given.get("scope_key") or ()),
        bool(given.get("strict")),
        bool(given.get("total_order")),
        bool(given.get("deterministic")),
    )


def _occurrence(told: Mapping[str, Any]) -> Occurrence:
    upstream = told["upstream"]
    return Occurrence(
        told["number"], str(told["relation"]), upstream["name"], unique_key=tuple(upstream["unique_key"] or ())
    )


def _told(settings: Settings, verdict: Verdict, occurrences: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a verdict as macros read it."""
    return {
        "judged": Judged(settings, verdict),
        "rule": verdict.rule,
        "reason": verdict.reason,
        "is_fixed": verdict.is_fixed,
        "warning": verdict.warning,
        "occurrences": list(occurrences),
        "mentions": list(verdict.mentions),
        "scopes": {column: dict(trace) for column, trace in verdict.scopes.items()},
        "stems": dict(verdict.stems),
        "bridges": [[[bridge.source, bridge.target], dict(bridge.columns)] for bridge in verdict.bridges],
        "aggregate": _aggregate(verdict.aggregate) if verdict.aggregate else None,
        "columns": list(verdict.columns),
        "types": list(verdict.types),
        "scope_key": None if verdict.scope_key is None else list(verdict.scope_key),
    }


def _aggregate(aggregate: Aggregate) -> dict[str, Any]:
    measures = {name: asdict(measure) for name, measure in aggregate.measures.items()}
    return {"groups": list(aggregate.groups), "is_whole": aggregate.is_whole, "measures": measures}
