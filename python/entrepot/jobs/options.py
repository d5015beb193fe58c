"""The variables that a job listens to."""

from __future__ import annotations

from dataclasses import dataclass

from entrepot.ledger.lock import MINUTES


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The variables `entrepot_…` of a project, and what dbt was started with.

    Attributes:
        history_depth: how many commits are looked through for what a table contains
        memory_bytes: up to how many bytes a relation is small enough to be kept in memory
        merge_bytes: up to how many bytes a model's table is small
        cost_rows: from how many changed rows on rule and full run are compared
        delete_keys: how many keys a delete lists at most
        lock_minutes: after how many minutes of silence a job is taken for dead
        published_views: the schemas and models that have views on what is published (`entrepot.jobs.published_views`)
        is_cut_down: whether dbt gives the models a part of their rows only: `--empty` or `--sample`
        is_retry: whether this is `dbt retry`, which completes the job that it repeats
    """

    history_depth: int = 50
    memory_bytes: int = 33_554_432
    merge_bytes: int = 33_554_432
    cost_rows: int = 10_000
    delete_keys: int = 100_000
    lock_minutes: float = MINUTES
    published_views: tuple[str, ...] = ()
    is_cut_down: bool = False
    is_retry: bool = False
