"""What has changed in the upstreams of a model since it last read them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.jobs.engine import Engine
from entrepot.jobs.memory import Memory
from entrepot.jobs.once import Once
from entrepot.jobs.project import Node
from entrepot.jobs.relations import Relations
from entrepot.rules import Change, Stored, Upstream, temporary_name
from entrepot.stages.stage import RowCounts
from entrepot.tables.columns import Column
from entrepot.tables.contents import Contents
from entrepot.tables.log import is_later
from entrepot.tables.net_changes import Sources, changes_sql
from entrepot.tables.reader import ChangeReader, read_reader, reader_of_own_write

# a variant in a type, or the whole of it; a field may be called so
_VARIANT = re.compile(r"(?:^|[<:,])variant(?:$|[>,])")


@dataclass(frozen=True, slots=True)
class Moved:
    """An upstream that has been written between the version that a model has consumed and the pinned one.

    Attributes:
        node: the upstream
        consumed: the consumed version; none where it is not known
        rows: how many rows the commits say that they have changed; none where they do not
        appends: whether all that they did was to append rows
        why: why the two versions cannot be compared, in words; none where they can
    """

    node: Node
    consumed: int = -1
    rows: int | None = None
    appends: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True)
class _Counted:
    """Net changes: the view that holds them, or their SQL, and how many rows have come and gone."""

    view: str
    plus: int
    minus: int


class Changes:
    """The changes of one job's relations; each range of versions is read once, into memory, and shared by all readers."""

    def __init__(self, engine: Engine, relations: Relations, memory: Memory) -> None:
        """Begin with nothing read."""
        self._engine, self._relations, self._memory = engine, relations, memory
        self._readers: Once[ChangeReader] = Once()
        self._counted: Once[_Counted] = Once()
        self._columns: Once[tuple[Column, ...]] = Once()
        self._written: dict[str, _Counted] = {}

    def pinned(self, nodes: Iterable[Node], versions: Mapping[str, int | None] | None = None) -> tuple[Upstream, ...]:
        """Return upstreams with the versions at which they are read: those of `versions`, else the pinned ones."""
        wanted = versions or {}
        return tuple(
            Upstream(
                node.table,
                node.relation,
                wanted[node.relation] if node.relation in wanted else self._relations.pin(node.relation),
                node.name,
                node.unique_key,
            )
            for node in nodes
        )

    def moved(self, upstreams: Iterable[Node], model: Contents) -> list[Moved]:
        """Return the upstreams that have been written since a model, which contains `model`, has consumed them."""
        found = (self._moved(node, (model.reads or {}).get(node.relation), model) for node in upstreams)
        return [moved for moved in found if moved is not None]

    def of(self, moved: Sequence[Moved]) -> tuple[Change, ...]:
        """Return the net changes of those whose rows differ."""
        found = []
        for one in moved:
            (upstream,) = self.pinned([one.node])
            assert upstream.version is not None, "what has moved has versions"
            counted = self._count(one.node, one.consumed, upstream.version)
            if counted.plus or counted.minus:
                found.append(Change(upstream, one.consumed, counted.view, counted.plus, counted.minus))
        return tuple(found)

    def note_written(self, node: Node, before: int, after: int, sql: str, rows: RowCounts) -> None:
        """Note the net changes that this job has made to a relation between two versions, so that nobody has to read them back.

        Args:
            node: the relation
            before: the version that was changed
            after: the version that the job has made
            sql: SQL of the changes, of rows in memory
            rows: how many they are
        """
        view = _view_of(node, before, after)
        self._written[view] = _Counted(sql, rows.inserted + rows.updated, rows.updated + rows.deleted)

    def _moved(self, node: Node, consumed: int | None, model: Contents) -> Moved | None:
        relations, noted = self._relations, model.read_at.get(node.relation)
        version = relations.pin(node.relation)
        if consumed is None or version is None or consumed > version:
            return Moved(node, why=f"{node.name} has no earlier version to compare with")
        own = relations.own_write(node.relation)
        if consumed == version and own and own.is_new:
            return Moved(node, why=f"{node.name} was dropped and built anew")
        if is_later(relations.committed_at(node.relation, consumed), noted):
            return Moved(node, why=f"{node.name} was dropped and made again")
        data_version = relations.contents(node.relation).data_version if version > consumed else None
        if data_version is None or data_version <= consumed:
            return None
        reader = self._reader(node, consumed, version)
        if reader.kind == "none" or is_later(reader.committed_at, noted):
            return Moved(node, why=reader.why or f"{node.name} was dropped and made again")
        why = self._not_compared(node, consumed, version, reader)
        return Moved(node, consumed, reader.rows, reader.appends, why)

    def _not_compared(self, node: Node, older: int, newer: int, reader: ChangeReader) -> str | None:
        """Return why the rows of two versions cannot be compared, in words; None where they can, or need not be."""
        if (reader.kind == "feed" and reader.appends) or _view_of(node, older, newer) in self._written:
            return None
        columns = self._columns.get((node.relation, newer), lambda: self._read_columns(node, newer))
        found = next((column.name for column in columns if _VARIANT.search(column.type)), None)
        return None if found is None else f"column {found} of {node.name} has variants, which cannot be compared"

    def _read_columns(self, node: Node, version: int) -> tuple[Column, ...]:
        table = self._engine.table(node.relation)
        return self._engine.log_of(table).columns_at(table, version)

    def _reader(self, node: Node, older: int, newer: int) -> ChangeReader:
        """Return how the net changes between two versions are read: the cheapest way that is right."""
        return self._readers.get((node.relation, older, newer), lambda: self._read_reader(node, older, newer))

    def _read_reader(self, node: Node, older: int, newer: int) -> ChangeReader:
        relations, now = self._relations, int(time.time() * 1000)
        own = relations.own_write(node.relation)
        if own and own.before is not None:
            committed_at = relations.committed_at(node.relation, older)
            found = reader_of_own_write(own, node.has_feed, older, committed_at, now)
            if found is not None:
                return found
        table = self._engine.table(node.relation)
        newest = max(relations.contents(node.relation).version or newer, newer)
        return read_reader(self._engine.log_of(table), table, node.name, older, newer, newest, now)

    def _count(self, node: Node, older: int, newer: int) -> _Counted:
        """Bring the net changes between two versions into memory, and count them.

        Rows are a multiset: the signs of equal rows are added up, so pairs that cancel vanish, whatever happened in between (OD-ETL
        3.5.1: an update is a deletion followed by an insertion).
        """
        view = _view_of(node, older, newer)
        return self._counted.get(view, lambda: self._read(view, node, older, newer))

    def _read(self, view: str, node: Node, older: int, newer: int) -> _Counted:
        written = self._written.get(view)
        if written:
            is_few = self._engine.can_keep(written.plus + written.minus)
            if not is_few or self._memory.keep(view, written.view) is None:
                self._memory.cache(view, written.view)
            return _Counted(view, written.plus, written.minus)
        reader = self._reader(node, older, newer)
        sql = changes_sql(reader, self._sources(node.relation, reader, older, newer))
        rows = self._memory.keep(view, sql) if self._engine.can_keep(reader.rows) else None
        if rows is not None and reader.appends:
            return _Counted(view, rows, 0)
        if rows is not None:
            signs = [row["_delta"] for row in self._engine.ask(f"select _delta from {view}")]
            plus = sum(sign > 0 for sign in signs)
            return _Counted(view, plus, len(signs) - plus)
        self._memory.cache(view, sql)
        question = f"select count_if(_delta > 0) as plus, count_if(_delta < 0) as minus from {view}"
        counts = self._engine.ask(question)[0]
        return _Counted(view, int(counts["plus"]), int(counts["minus"]))

    def _sources(self, relation: str, reader: ChangeReader, older: int, newer: int) -> Sources:
        """What net changes are read from: files where they tell it, else Delta."""
        of_delta, memory = Sources.of_delta(relation, older, newer), self._memory
        if reader.kind == "feed":
            view = memory.feed_of_files(relation, older, newer)
            return replace(of_delta, feed=view, beside="_change_type") if view else of_delta
        was, is_ = (memory.of_files(f"{relation}@{version}") for version in (older, newer))
        return replace(of_delta, older=was or of_delta.older, newer=is_ or of_delta.newer)


def _view_of(node: Node, older: int, newer: int) -> str:
    """Return the name of the view on the net changes of a relation between two versions."""
    return temporary_name("delta", Stored(node.table, node.relation), older, newer)
