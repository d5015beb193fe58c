"""entrepot: a canonical, incrementally maintained warehouse as an ordinary dbt project on Spark and Delta Lake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entrepot.opened import OpenSnapshot

__all__ = ["snapshot"]


def snapshot(
    which: str | int | None = None,
    *,
    project_dir: str | Path | None = None,
    profiles_dir: str | Path | None = None,
    target: str | None = None,
    **wanted: Any,
) -> OpenSnapshot:
    """Open one snapshot of a dbt project's warehouse: all of its tables as one finished job has left them.

    For example:
        month_end = entrepot.snapshot("month-end")
        month_end.pandas("mart_sales_daily")
        entrepot.snapshot(max_age=timedelta(minutes=10), tables=["fct_payment"]).table("fct_payment")

    Args:
        which: the number of its job, or the name that it is kept under (`entrepot pin`); the newest where none is said
        project_dir: the dbt project's folder; the current one when None
        profiles_dir: the folder of profiles.yml; dbt's own search when None
        target: the target's name; the profile's default when None
        **wanted: `tables`, `max_age`, `as_of`, `stale_ok` and `wait`, as `Warehouse.snapshot` takes them

    Raises:
        EntrepotError: as `Warehouse` and its `snapshot` do
    """
    from entrepot.warehouse import Warehouse

    return Warehouse(project_dir, profiles_dir, target).snapshot(which, **wanted)
