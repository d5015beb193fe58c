"""Whether a model is better computed in full in this job, by what its recorded runs took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from entrepot.jobs.changes import Changes, Moved
from entrepot.jobs.options import JobOptions
from entrepot.jobs.project import Node, Project
from entrepot.jobs.sizes import Sizes
from entrepot.ledger import Ledger, ModelRun
from entrepot.rules import RunCost, cost_choice
from entrepot.rules.cost import WHOLE

ANEW = ("create", "overwrite")


@dataclass(frozen=True, slots=True)
class FullRun:
    """A full run that is thought to be cheaper than the rule.

    Attributes:
        reason: why, in words
        overwrites: whether all rows are to be written as a first build does; else they are merged, so that only differences are written
    """

    reason: str
    overwrites: bool


class Costs:
    """What runs have cost, and what follows for this job."""

    def __init__(self, project: Project, changes: Changes, sizes: Sizes, options: JobOptions) -> None:
        """Begin with no run read."""
        self._project, self._changes, self._sizes, self._options = project, changes, sizes, options
        self._books: Ledger | None = None
        self._runs: dict[str, list[ModelRun]] = {}
        self._lock = Lock()

    def open(self, books: Ledger) -> None:
        """Note where runs are recorded."""
        self._books = books

    def full_run(
        self, model: Node, upstreams: Sequence[Node], moved: Sequence[Moved], rule: Callable[[], str]
    ) -> FullRun | None:
        """Return the full run that is cheaper than the rule; none where the rule shall run.

        Asked before changes are read where the commits say how many there are, and only where they are many, because small jobs are
        quick either way.

        Args:
            model: the model
            upstreams: those that its SQL names
            moved: those of them that have been written
            rule: tells which rule the analysis has chosen
        """
        if not moved or self._books is None:
            return None
        rows_read = self._rows_read(moved)
        if rows_read < self._options.cost_rows or rule() == "full":
            return None
        appends = all(one.appends for one in moved)
        reason = self._reason(model, upstreams, rows_read, self._costs(model, overwrites=True), appends)
        stored = self._sizes.rows_if_known(model.relation)
        if reason and self.may_overwrite(model, rows_read if stored is None else min(rows_read, 2 * stored)):
            return FullRun(reason, overwrites=True)
        if not self._project.built_on(model):
            return None
        reason = self._reason(model, upstreams, rows_read, self._costs(model, overwrites=False), appends)
        return FullRun(reason, overwrites=False) if reason else None

    def may_overwrite(self, model: Node, rows: int) -> bool:
        """Whether all rows of a model may be written anew instead of about `rows` that have changed: nobody has to be told which.

        Nothing is built on it, or only what would be computed in full with as many changed rows. That are models with
        `delta_rule='full'`, dbt's own tables, and models of which recorded costs say so, with what is built on them. Snapshots, and
        models with strategies of other packages, read changes.
        """
        return all(self._reads_all(reader, rows) for reader in self._project.built_on(model))

    def _reads_all(self, reader: Node, rows: int) -> bool:
        if reader.materialized == "table":
            return True
        if reader.materialized != "incremental" or reader.strategy != "delta" or reader.rule not in (None, "full"):
            return False
        if reader.rule:
            return True
        is_cheaper = cost_choice(rows, None, self._costs(reader, overwrites=True))
        return bool(is_cheaper) and self.may_overwrite(reader, rows)

    def _rows_read(self, moved: Sequence[Moved]) -> int:
        if any(one.rows is None for one in moved):
            return sum(change.plus + change.minus for change in self._changes.of(moved))
        return sum(one.rows or 0 for one in moved)

    def _reason(
        self, model: Node, upstreams: Sequence[Node], rows_read: int, runs: list[RunCost], appends: bool
    ) -> str | None:
        """Return why a full run is cheaper.

        The upstreams are counted only where that may matter: not where the rule is cheaper with the tables as small as they were, nor
        where a full run would have to read or write more rows than have changed as far as is known.
        """
        relations = [upstream.relation for upstream in upstreams]
        is_measured = any(run.rule not in WHOLE for run in runs)
        if is_measured and not cost_choice(rows_read, None, runs, appends):
            return None
        if not is_measured and rows_read <= self._sizes.rows_at_least([model.relation, *relations]):
            return None
        return cost_choice(rows_read, self._sizes.rows(relations), runs, appends)

    def _costs(self, model: Node, *, overwrites: bool) -> list[RunCost]:
        """Return what runs of a model cost, newest first: those by rule, and the full ones that wrote all rows, or that merged."""
        return [
            RunCost(run.rule, run.rows_read, run.seconds or 0.0, _has_appended(run))
            for run in self._recorded(model.relation)
            if run.rule not in WHOLE or (run.apply_path in ANEW) == overwrites
        ]

    def _recorded(self, relation: str) -> Iterable[ModelRun]:
        """Return the recorded runs of a relation: read once per job for all that it maintains, and once for each other one."""
        with self._lock:
            if relation not in self._runs:
                others = [node.relation for node in self._project.selected if node.is_maintained]
                wanted = [relation, *(other for other in others if other not in self._runs and other != relation)]
                self._runs |= {one: [] for one in wanted}
                for run in self._books.cost_runs(wanted) if self._books else []:
                    self._runs[run.relation].append(run)
            return self._runs[relation]


def _has_appended(run: ModelRun) -> bool:
    """Whether the changed rows of a run had only come; as far as it can be told of a run before that was recorded (layout 7)."""
    return run.apply_path == "insert" if run.appends is None else run.appends
