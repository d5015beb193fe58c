"""The Spark sessions inside the dbt process: a root that owns the JVM, and one session for each connection open at a time."""

from __future__ import annotations

import contextlib
import heapq
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from entrepot.errors import EntrepotError
from entrepot.patience import Patience
from entrepot.spark.embedded import start_session

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyarrow import Table as ArrowTable


class Root:
    """The session that owns the JVM, and what it has for all sessions: each is asked for once, in as many calls as its parts have names."""

    def __init__(self, session: SparkSession) -> None:
        """Keep the session; nothing is asked yet."""
        self.session = session

    @cached_property
    def catalogue(self) -> JavaObject:
        """Spark's store of tables, behind the catalogues of all sessions."""
        return self.session._jsparkSession.sharedState().externalCatalog()

    @cached_property
    def as_sql_names(self) -> Callable[[Any], str]:
        """Spark's function for a place as SQL names it, and `show table extended` prints it: an address would have `%20` for a blank."""
        jvm: Any = self.session._jvm
        told: Callable[[Any], str] = jvm.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString
        return told

    @cached_property
    def given(self) -> dict[str, str]:
        """The settings with which each session begins. As one text: py4j asks for each entry of a map alone."""
        entries = self.session.newSession()._jsparkSession.conf().getAll().mkString("\0").split("\0")
        return {key: value for key, _, value in (entry.partition(" -> ") for entry in entries)}


@dataclass(frozen=True, slots=True, order=True)
class NumberedSession:
    """A session, its place in the order in which sessions were made, and whose it is."""

    number: int
    session: SparkSession = field(compare=False)
    root: Root = field(compare=False)


class Sessions:
    """The sessions of one target.

    Settings (so the metadata of commits) and temporary views belong to a session; tables, cached rows and global temporary views to all
    of them. A connection that opens takes the free session with the lowest number, so that with one thread it is always the same.

    Attributes:
        views: the global temporary views that a job has made, with the frames whose rows Spark keeps for them
        kept: the rows of those views that have theirs on the driver
        places: where tables lie, as the catalogue has told in this command
    """

    _lock: ClassVar = threading.RLock()
    _by_settings: ClassVar[dict[frozenset[tuple[str, str]], Sessions]] = {}

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Note the settings; nothing starts yet."""
        self._settings = dict(settings)
        self._static: set[str] = set()
        self._free: list[NumberedSession] = []
        self._count = 0
        self._last: Root | None = None
        self._patience: Patience | None = None
        self.views: dict[str, JavaObject | None] = {}
        self.kept: dict[str, ArrowTable] = {}
        self.places: dict[str, str] = {}

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Sessions:
        """Return the one holder of sessions with these settings in this process."""
        with cls._lock:
            return cls._by_settings.setdefault(frozenset(settings.items()), cls(settings))

    @classmethod
    def reset(cls) -> None:
        """Forget all sessions of this process; for tests. The JVM goes on."""
        with cls._lock:
            for sessions in cls._by_settings.values():
                sessions.forget()
            cls._by_settings.clear()

    def start(self, log: Path) -> None:
        """Start Spark, where this process has none. A failure is kept to itself: whoever takes a session first tries again, and is told."""
        with contextlib.suppress(EntrepotError), self._lock:
            self._root(log)

    def take(self, log: Path) -> NumberedSession:
        """Return a session that nobody else has until it is given back.

        Args:
            log: where the messages of a JVM go that has to be started for it

        Raises:
            EnvironmentProblemError: Spark cannot be started, or not on this warehouse
        """
        with self._lock:
            root = self._root(log)
            if self._free:
                return heapq.heappop(self._free)
            self._count += 1
            return NumberedSession(self._count, self._session(root), root)

    def give_back(self, taken: NumberedSession) -> None:
        """Let the next connection have a session."""
        with self._lock:
            if taken.root is self._last:
                heapq.heappush(self._free, taken)

    def drop(self, view: str, session: SparkSession) -> None:
        """Drop a temporary view of all sessions, and free its rows."""
        session.catalog.dropGlobalTempView(view)
        self.kept.pop(view, None)
        frame = self.views.pop(view, None)
        if frame is not None:
            frame.unpersist()

    def has_cached_more(self, session: SparkSession) -> bool:
        """Whether Spark has cached more than the views of jobs."""
        cached: int = session._jsparkSession.sharedState().cacheManager().numCachedEntries()
        return cached > sum(frame is not None for frame in tuple(self.views.values()))

    def forget(self) -> None:
        """Drop the sessions that nobody has, with their temporary views and the rows these keep in memory."""
        with self._lock:
            for view in list(self.views) if self._free else ():
                self.drop(view, self._free[0].session)
            self.views.clear()
            self.kept.clear()
            self.places.clear()
            for free in self._free:
                views = free.session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
                for number in range(views.size()):
                    free.session.catalog.dropTempView(views.apply(number).table())
            self._free.clear()
            self._count = 0

    def _root(self, log: Path) -> Root:
        """Return the session that owns the JVM: the one that there is in this process, or a new one."""
        running = SparkContext._active_spark_context
        if self._last is None or self._last.session.sparkContext is not running:
            if running is not None:
                root = SparkSession.builder.getOrCreate()
            else:
                self._patience = self._patience or Patience.told()
                root = start_session(self._settings, log, self._patience)
            self._free.clear()
            self._count = 0
            self._last = Root(root)
        return self._last

    def _session(self, root: Root) -> SparkSession:
        """Return a new session with every setting that is one of a session; the static ones are the JVM's.

        A JVM that was started with the same settings has given them already; PySpark takes some milliseconds to say that one cannot be set.
        """
        session = root.session.newSession()
        for key, value in self._settings.items():
            if key in self._static or root.given.get(key) == value:
                continue
            try:
                session.conf.set(key, value)
            except PySparkException:
                self._static.add(key)
        return session
