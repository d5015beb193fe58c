"""Rows that a job keeps in memory, and tables that it reads by their files, as temporary views that all of its sessions see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from entrepot.jobs.engine import Engine
from entrepot.jobs.once import Once
from entrepot.rules import Cache, shared_name

# columns that a scan has besides its table's, which a view has not
HIDDEN_COLUMNS = re.compile(r"\b_metadata\b", re.IGNORECASE)


class AtHand(Mapping[str, str]):
    """Relations at a version that need not be asked of Delta, {`relation@version`: view}: from memory, else by their files.

    A view of files is made when it is asked for, so that only those are made which a plan names.
    """

    def __init__(self, memory: Memory) -> None:
        """Look into the memory of a job."""
        self._memory = memory

    def __getitem__(self, key: str) -> str:
        """Return the view of a relation at a version."""
        found = self._memory.whole.get(key) or self._memory.of_files(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over what is in memory."""
        return iter(tuple(self._memory.whole))

    def __len__(self) -> int:
        """Return how many are in memory."""
        return len(self._memory.whole)


class Memory:
    """The temporary views of a job, which end with it."""

    def __init__(self, engine: Engine) -> None:
        """Begin with none."""
        self._engine = engine
        self._views: dict[str, None] = {}
        self._whole: dict[str, str] = {}
        self._brought: Once[str] = Once()
        self._of_files: Once[str | None] = Once()
        self._spelled: dict[str, str] = {}

    @property
    def whole(self) -> Mapping[str, str]:
        """Whole relations at a version, {`relation@version`: view}."""
        return self._whole

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

    def at_hand(self, body: str) -> Mapping[str, str]:
        """Return what the SQL of a model can read instead of relations at a version."""
        return {} if HIDDEN_COLUMNS.search(body) else AtHand(self)

    def of_files(self, key: str) -> str | None:
        """Return the view of a relation's files at a version, `relation@version`; none where Delta has to be asked."""
        return self._of_files.get(key, partial(self._view_of_files, key))

    def feed_of_files(self, relation: str, from_version: int, to_version: int) -> str | None:
        """Return a view of the change feed's files after a version up to another; none where Delta has to be asked."""
        view = shared_name(relation, "feed_files", re.sub(r"\W+", "_", relation), from_version, to_version)
        if not self._engine.read_feed(view, relation, from_version, to_version):
            return None
        self._views[view] = None
        return view

    def spelled_out(self, sql: str) -> str:
        """Return SQL for people: with the versions of tables that it reads by their files, and without keys that it lists."""
        for text, told in tuple(self._spelled.items()):
            sql = sql.replace(text, told)
        return sql

    def note_listed(self, conditions: Mapping[str, str]) -> None:
        """Note what stands for conditions that list keys: keys are data, which may have to be erased, and the books are not asked then."""
        self._spelled.update(conditions)

    def drop(self, views: Iterable[str]) -> None:
        """Drop temporary views, and free their rows."""
        for view in views:
            self._engine.drop_rows(view)
            self._views.pop(view, None)

    def drop_all(self) -> None:
        """Drop what is left, at the job's end."""
        self.drop(list(self._views))

    def _view_of_files(self, key: str) -> str | None:
        relation, _, version = key.rpartition("@")
        view = shared_name(relation, "files", re.sub(r"\W+", "_", relation), version)
        if not self._engine.read_files(view, relation, int(version)):
            return None
        self._views[view] = None
        self._spelled[view] = f"{relation} version as of {version}"
        return view

    def _bring_whole(self, cache: Cache) -> str:
        assert cache.key is not None, "a whole relation has a key"
        self.cache(cache.view, cache.sql)
        self._whole[cache.key] = cache.view
        return cache.view
