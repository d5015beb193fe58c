"""Rows that a job keeps in memory, as temporary views that all of its sessions see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from entrepot.jobs.engine import Engine
from entrepot.jobs.once import Once
from entrepot.rules import Cache


class Memory:
    """The temporary views of a job, which end with it."""

    def __init__(self, engine: Engine) -> None:
        """Begin with none."""
        self._engine = engine
        self._views: dict[str, None] = {}
        self._whole: dict[str, str] = {}
        self._brought: Once[str] = Once()

    @property
    def whole(self) -> dict[str, str]:
        """Whole relations at a version, {`relation@version`: view}."""
        return dict(self._whole)

    def cache(self, view: str, sql: str) -> None:
        """Let the rows of a query be kept as a temporary view when they are read first.

        It is noted down first, because a statement that fails may leave its view behind.
        """
        self._views[view] = None
        self._engine.cache_rows(view, sql)

    def keep(self, view: str, sql: str) -> int | None:
        """Do the same for rows that are few: on the driver, where it costs no Spark job to read them again.

        Returns how many they are; none where they are too many.
        """
        rows = self._engine.keep_rows(view, sql)
        if rows is not None:
            self._views[view] = None
        return rows

    def bring(self, caches: Iterable[Cache]) -> None:
        """Bring what a plan reads there; whole relations are noted for the other models of the job, and brought once."""
        for cache in caches:
            if cache.key:
                self._brought.get(cache.key, partial(self._bring_whole, cache))
            else:
                self.cache(cache.view, cache.sql)

    def drop(self, views: Iterable[str]) -> None:
        """Drop temporary views, and free their rows."""
        for view in views:
            self._engine.drop_rows(view)
            self._views.pop(view, None)

    def drop_all(self) -> None:
        """Drop what is left, at the job's end."""
        self.drop(list(self._views))

    def _bring_whole(self, cache: Cache) -> str:
        assert cache.key is not None, "a whole relation has a key"
        self.cache(cache.view, cache.sql)
        self._whole[cache.key] = cache.view
        return cache.view
