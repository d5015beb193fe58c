"""Which rule maintains a model: worked out once per SQL text, and stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from threading import Lock

from entrepot.analysis import (
    Findings,
    Occurrence,
    Settings,
    Verdict,
    analysis_checksum,
    check_strict,
    configured_verdict,
    verdict_of,
)
from entrepot.jobs.engine import Engine
from entrepot.jobs.project import Node
from entrepot.ledger import Ledger, ModelVerdict
from entrepot.sql import numbered_mentions, union_branches


class Verdicts:
    """The verdicts of one job."""

    def __init__(self, engine: Engine) -> None:
        """Begin with none read."""
        self._engine = engine
        self._books: Ledger | None = None
        self._lock = Lock()
        self._findings: dict[tuple[str, str], str] | None = None
        self._stored: dict[tuple[str, str], tuple[str, str]] = {}
        self._new: list[ModelVerdict] = []
        self._warned: set[str] = set()

    def open(self, books: Ledger) -> None:
        """Note where verdicts are stored."""
        self._books = books

    def of(self, model: Node, settings: Settings, upstreams: Sequence[Node], body: str) -> Verdict:
        """Return which rule maintains a model: the configured one, else the cheapest that is right.

        Args:
            model: it
            settings: its settings
            upstreams: those that its SQL names
            body: its SQL with views inlined

        Raises:
            ModelError: the configured rule is wrong for the SELECT; or `strict` is set and it has no one right result, or rows of an
                upstream can only be followed by computing everything again
        """
        key = (model.relation, _checksum(body, upstreams))
        known = self._known()
        named = _occurrences(body, upstreams)
        found: Findings | None = None
        verdict = configured_verdict(settings, named)
        if verdict is None:
            stored = known.get(key)
            found = (Findings.from_json(stored) if stored else None) or self._analyzed(body, named, upstreams)
            branches = union_branches(body)
            verdict = verdict_of(settings, named, found, None if branches is None else len(branches))
        check_strict(settings, verdict)
        known[key] = found.to_json() if found else "{}"
        self._note(key, verdict, body)
        return verdict

    def looked_at(self, settings: Settings, upstreams: Sequence[Node], body: str) -> Verdict:
        """Return which rule would maintain a model if a part of its SQL were all of it, whatever is configured; nothing is noted."""
        named = _occurrences(body, upstreams)
        branches = union_branches(body)
        found = self._analyzed(body, named, upstreams)
        free = replace(settings, rule=None, strict=False)
        return verdict_of(free, named, found, None if branches is None else len(branches))

    def is_join(self, model: Node, upstreams: Sequence[Node], body: str) -> bool:
        """Return whether rule `join` is stored as right for an SQL of a model, and each of its rows has one right result.

        Args:
            model: it
            upstreams: those that this SQL names
            body: the SQL with views inlined, today's or an earlier one
        """
        key = (model.relation, _checksum(body, upstreams))
        stored = self._known().get(key)
        found = Findings.from_json(stored) if stored else None
        if found is None or self._stored[key][0] != "join":
            return False
        return not (found.join or found.refused or found.untold or found.unvouched)

    @staticmethod
    def of_branches(whole: Verdict, upstreams: Sequence[Node], body: str) -> Verdict:
        """Return the verdict on branches of a model of rule `join`, without what is needed to find stored rows of rows that have gone."""
        named = tuple(_occurrences(body, upstreams))
        return replace(
            whole, occurrences=named, mentions=tuple(one.number for one in named), scopes={}, stems={}, bridges=()
        )

    def forget(self, model: Node, upstreams: Sequence[Node], body: str) -> None:
        """Forget what is stored of a model: its upstreams may have other columns now, which the checksum does not tell."""
        key = (model.relation, _checksum(body, upstreams))
        self._known().pop(key, None)
        self._stored.pop(key, None)

    def warning(self, model: Node, verdict: Verdict) -> str | None:
        """Return what the author is to be told of, once in each job that computes the model."""
        if verdict.warning is None or model.relation in self._warned:
            return None
        self._warned.add(model.relation)
        return verdict.warning

    def body(self, relation: str, sql_hash: str | None) -> str | None:
        """Return the SQL of a model with its views inlined, by its checksum, as stored or found in this job."""
        for row in self._new:
            if (row.relation, row.sql_hash) == (relation, sql_hash):
                return row.sql
        return self._books.model_sql(relation, sql_hash) if self._books and sql_hash else None

    def store(self, relation: str, job: str, number: int) -> None:
        """Store what this job has found of a model that is there, before its table says so.

        The next job may have another SQL: what has changed in it is seen from this one, also where this job is killed.
        """
        with self._lock:
            rows = [row for row in self.found(job, number) if row.relation == relation]
            self._new = [row for row in self._new if row.relation != relation]
            if self._books:
                self._books.write(rows)

    def found(self, job: str, number: int) -> list[ModelVerdict]:
        """Return what this job has found and not stored yet."""
        return [replace(row, job=job, number=number) for row in self._new]

    def _known(self) -> dict[tuple[str, str], str]:
        """Return the stored findings of all models, as JSON; read once per job."""
        with self._lock:
            if self._findings is None:
                rows = self._books.verdicts() if self._books else []
                self._findings = {(row.relation, row.analyzed): row.verdict for row in rows}
                self._stored = {(row.relation, row.analyzed): (row.rule, row.reason) for row in rows}
            return self._findings

    def _note(self, key: tuple[str, str], verdict: Verdict, body: str) -> None:
        """Note a verdict down, to be stored when the job ends; a config that changes the rule of the same SQL gives another one."""
        relation, analyzed = key
        found, now = self._known()[key], datetime.now(timezone.utc)
        row = ModelVerdict(relation, checksum_of(body), analyzed, verdict.rule, verdict.reason, found, body, "", 0, now)
        # another model's `store` puts another list in the place of this one
        with self._lock:
            if self._stored.get(key) != (verdict.rule, verdict.reason):
                self._stored[key] = (verdict.rule, verdict.reason)
                self._new.append(row)

    def _analyzed(self, body: str, named: Sequence[Occurrence], upstreams: Iterable[Node]) -> Findings:
        return self._engine.findings(body, named, [(one.relation, one.table) for one in upstreams])


def _occurrences(body: str, upstreams: Sequence[Node]) -> list[Occurrence]:
    """Return every naming of upstreams in SQL, in their order."""
    by_table = {upstream.table: upstream for upstream in upstreams}
    return [
        Occurrence(str(number), by_table[table].relation, by_table[table].name, unique_key=by_table[table].unique_key)
        for number, table in enumerate(numbered_mentions(body, list(by_table)))
    ]


def checksum_of(text: str) -> str:
    """Return the checksum of a text, such as a model's SQL with its views inlined, as commits and verdicts carry it."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _checksum(body: str, upstreams: Iterable[Node]) -> str:
    return analysis_checksum(body, [(one.relation, list(one.unique_key)) for one in upstreams])
