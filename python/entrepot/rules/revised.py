"""A model of rule `join` whose SQL has changed in part: only the branches concerned are computed (OD-ETL 3.5.1, METL 5.4.4).

    upsert  branches that have come, all NEW; and by rule `join` what has come in those that stay
    gone    keys of branches that have gone, all OLD; and by rule `join` what has gone from those that stay

Rows that both texts give from unchanged rows of the upstreams are neither read nor written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.rules.inputs import Facts, Task, Upstream
from entrepot.rules.join import join_rule
from entrepot.rules.plan import Plan
from entrepot.rules.reading import body_at
from entrepot.sql import Revision, as_branch


@dataclass(frozen=True, slots=True)
class Revised:
    """What has changed in a model's SQL, and what is read for it.

    Attributes:
        revision: the branches
        columns: the names and types of the model's columns, which both texts give
        consumed: what the earlier text reads, at the versions that the model has consumed
    """

    revision: Revision
    columns: Sequence[tuple[str, str]]
    consumed: tuple[Upstream, ...]

    def come(self, task: Task) -> list[str]:
        """Return SQL of the rows of branches that have come, as this job reads their upstreams."""
        return [body_at(as_branch(sql, self.columns), task.upstreams, task.kept) for sql in self.revision.come]

    def gone(self, task: Task) -> list[str]:
        """Return SQL of the rows of branches that have gone, as they were computed."""
        return [body_at(as_branch(sql, self.columns), self.consumed, task.kept) for sql in self.revision.gone]


def revised_question(task: Task, revised: Revised) -> str | None:
    """Return SQL of how many rows `come` and how many are `gone` because the SQL changed; none where none can."""
    rows = [f"select 1 as _sign from (\n{sql}\n)" for sql in revised.come(task)]
    rows += [f"select -1 as _sign from (\n{sql}\n)" for sql in revised.gone(task)]
    counts = "select count_if(_sign > 0) as come, count_if(_sign < 0) as gone from (\n"
    return counts + "\nunion all\n".join(rows) + "\n)" if rows else None


def revised_rule(task: Task, facts: Facts, revised: Revised, come: int, gone: int) -> Plan:
    """Return the plan.

    Args:
        task: the model; its SQL and its verdict are of the branches that stay
        facts: whom to ask for the size of things
        revised: what has changed
        come: how many rows have come because the SQL changed
        gone: and how many have gone
    """
    kept = join_rule(task, facts) if task.changes else Plan("join", "")
    upsert = [
        *(revised.come(task) if come else []),
        *([as_branch(kept.upsert, revised.columns)] if kept.upsert else []),
    ]
    keys = ", ".join(task.keys)
    leave = [f"select {keys} from (\n{sql}\n)" for sql in (revised.gone(task) if gone else [])]
    return Plan(
        "join",
        "; ".join(["its SQL changed in part", *([task.changed_names] if task.changes else [])]),
        upsert=_together(upsert),
        gone=_together([*leave, *([kept.gone] if kept.gone else [])]),
        rows_read=task.changed_rows + come + gone,
        caches=kept.caches,
    )


def _together(selects: Sequence[str]) -> str | None:
    return "select * from (\n" + "\n) union all select * from (\n".join(selects) + "\n)" if selects else None
