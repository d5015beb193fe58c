"""Rows that a job keeps in memory, as temporary views."""

from __future__ import annotations

from collections.abc import Iterable

from entrepot.jobs.engine import Engine
from entrepot.rules import Cache


class Memory:
    """The temporary views of a job, which end with it."""

    def __init__(self, engine: Engine) -> None:
        """Begin with none."""
        self._engine = engine
        self._views: dict[str, None] = {}
        self.whole: dict[str, str] = {}
        """whole relations at a version, {`relation@version`: view}"""

    def cache(self, view: str, sql: str) -> None:
        """Run a query once and keep its rows as a temporary view.

        It is noted down first, because a `cache table` that fails leaves its view behind.
        """
        self._views[view] = None
        self._engine.ask(f"cache table {view} as\n{sql}")

    def keep(self, view: str, sql: str) -> bool:
        """Do the same for rows that are few: on the driver, where it costs no Spark job to read them again. Whether they were few enough."""
        is_kept = self._engine.keep_rows(view, sql)
        if is_kept:
            self._views[view] = None
        return is_kept

    def bring(self, caches: Iterable[Cache]) -> None:
        """Bring what a plan reads there; whole relations are noted for the other models of the job."""
        for cache in caches:
            self.cache(cache.view, cache.sql)
            if cache.key:
                self.whole[cache.key] = cache.view

    def drop(self, views: Iterable[str]) -> None:
        """Drop temporary views, and free their rows."""
        for view in views:
            self._engine.ask(f"drop view if exists {view}")
            self._views.pop(view, None)

    def drop_all(self) -> None:
        """Drop what is left, at the job's end."""
        self.drop(list(self._views))
